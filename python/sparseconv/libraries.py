# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the project's shared libraries."""

import ctypes
import os

from .errors import Error


def open_library(kind, variable):
    """libsparseconv-KIND.so: the file that the environment names, or else the
    one beside this package, in lib/ of its folder's parent (a bundle) or in the
    system's path."""
    name = f"libsparseconv-{kind}.so"
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get(variable)
    bundled = os.path.join(here, os.pardir, os.pardir, "lib", name)
    places = [named] if named else [os.path.join(here, name), bundled, name]
    problems = []
    for path in places:
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            problems.append(str(error))
    reason = "; ".join(problems)
    raise Error(f"{name} cannot be opened: {reason}; name it in {variable}")
