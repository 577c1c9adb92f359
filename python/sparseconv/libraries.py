# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the project's shared libraries."""

import ctypes
import os
import platform

from .errors import Error

_HERE = os.path.dirname(os.path.abspath(__file__))
#: Where the libraries lie: inside this package (a wheel), or beside the folder that
#: has it (a bundle).
FOLDERS = [os.path.join(_HERE, "lib"), os.path.normpath(os.path.join(_HERE, "../../lib"))]


def open_library(kind, variable, symbol):
    """libsparseconv-KIND.so: the file that the environment names, or else the one in
    `FOLDERS` or in the system's path.

    An `Error` says where it was looked for, why it cannot be opened, or that it is another
    library, which has no such symbol.
    """
    name = f"libsparseconv-{kind}.so"
    named = os.environ.get(variable)
    places = [named] if named else [os.path.join(folder, name) for folder in FOLDERS]
    path = next(filter(os.path.exists, places), named or name)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        reason = str(error)
    else:
        if hasattr(library, symbol):
            return library
        raise Error(f"{path} is not {name}, as it has no {symbol}; {variable} can name another")
    if path == name:
        reason = f"it is not in {', '.join(FOLDERS)}, nor where the system looks"
    elif not named:
        libc = " ".join(platform.libc_ver()) or "another C library"
        reason += (
            "; it is for x86_64 with glibc 2.35 or later, and this machine is "
            f"{platform.machine()} with {libc}"
        )
    raise Error(f"{name} cannot be opened: {reason}; {variable} can name another")
