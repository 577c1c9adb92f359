# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the Python of a page of the documentation, block after block."""

import os
import re
import sys
import tempfile

PAGE = os.path.abspath(sys.argv[1])

with open(PAGE, encoding="utf-8") as file:
    blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
assert blocks
values = {}
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)  # what the page writes goes there
    for block in blocks:
        exec(compile(block, PAGE, "exec"), values)
    os.chdir("/")
