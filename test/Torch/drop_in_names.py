# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a reference page lists of packages under other libraries' names with what
these export.

usage: drop_in_names.py PAGE
"""

import importlib
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    lists = re.findall(r"^``(sparseconv\.torch\.[\w.]+)``\n   (.*)$", file.read(), re.M)
assert len(lists) == 3, lists
for path, names in lists:
    found, listed = importlib.import_module(path).__all__, re.findall(r"``(\w+)``", names)
    assert sorted(found) == sorted(listed), (path, set(found) ^ set(listed))
