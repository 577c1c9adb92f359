# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, and how it is said."""


def shorten(text):
    """The text itself, or its begin and end where it has more than 160 letters.

    An array may have thousands of sizes; a message shows enough of them.
    """
    text = str(text)
    return text if len(text) <= 160 else f"{text[:100]} ... {text[-40:]}"


def join_short(items, separator=", "):
    """The first ten items, each shortened, and the number of the others."""
    items = list(items)
    texts = [shorten(item) for item in items[:10]]
    if len(items) > 10:
        texts.append(f"and {len(items) - 10} more")
    return separator.join(texts)


def count(number, noun, nouns=None):
    """A number and what there are so many of: "1 array", "2 arrays"."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


class Error(RuntimeError):
    """A failure: what was expected and what was found, or what the system said. `code` is
    the name of the library's status, such as "SPARSECONV_FILE_ERROR", or ""."""

    def __init__(self, message, code=""):
        super().__init__(message)
        self.code = code


class ArgumentError(Error, ValueError):
    """An argument is not what the function takes. Its message says what was expected and
    what was found."""


class CapacityError(Error):
    """There are more rows than memory was set aside for, as by `CudaFunction.reserve`."""


class RepeatError(CapacityError):
    """A run that was started needed more memory than was set aside. There is more
    now: start it again."""


class CompileError(Error):
    """The network could not be compiled; `diagnostics` has all that the
    compiler printed."""

    def __init__(self, message, code="", diagnostics=""):
        super().__init__(message, code)
        self.diagnostics = diagnostics
