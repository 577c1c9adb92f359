# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong."""


class Error(RuntimeError):
    """A failure. `code` is the name of the library's status, or ""."""

    def __init__(self, message, code=""):
        super().__init__(message)
        self.code = code


class ArgumentError(Error, ValueError):
    """An argument is not what the function takes."""


class CapacityError(Error):
    """More rows than there is memory set aside for."""


class CompileError(Error):
    """The network could not be compiled; `diagnostics` has all that the
    compiler printed."""

    def __init__(self, message, code="", diagnostics=""):
        super().__init__(message, code)
        self.diagnostics = diagnostics
