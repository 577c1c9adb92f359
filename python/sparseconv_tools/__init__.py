# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of a wheel, such as sparseconv-run. They stand apart from the package,
as a tool has no need to wait until numpy is imported."""

import importlib.util
import os
import sys


def main():
    """Becomes the tool that this process is called like, with its arguments."""
    name = os.path.basename(sys.argv[0])
    package = importlib.util.find_spec("sparseconv")
    if package is None:
        return f"{name}: error: the package sparseconv is not installed for {sys.executable}"
    program = os.path.join(os.path.dirname(package.origin), "bin", name)
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        return f"{name}: error: {program}: {error.strerror}"
