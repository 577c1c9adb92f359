# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares code in documentation with the files that it is from.

usage: snippets.py ROOT FILE.md...

A block behind `<!-- from PATH -->` holds lines of the file ROOT/PATH, one after
the other, with their indentation less that of the first; `...` alone on a line
stands for any lines.
"""

import os
import re
import sys
import textwrap

BLOCK = re.compile(r"<!-- from (\S+) -->\n```\w*\n(.*?)```", re.S)


def find_lines(lines, wanted, begin):
    """Where the lines stand together in `lines`, from `begin` on."""
    for start in range(begin, len(lines) - len(wanted) + 1):
        found = textwrap.dedent("\n".join(lines[start:start + len(wanted)]))
        if found.split("\n") == wanted:
            return start + len(wanted)
    return None


def find_missing(block, text):
    """The first line of a part of the block that the file does not have."""
    position = 0
    for part in re.split(r"^\s*\.\.\.\n", block, flags=re.M):
        wanted = textwrap.dedent(part.rstrip("\n")).split("\n")
        position = find_lines(text.split("\n"), wanted, position)
        if position is None:
            return wanted[0]
    return None


def main():
    root, *pages = sys.argv[1:]
    count, failed = 0, False
    for page in pages:
        with open(page, encoding="utf-8") as file:
            blocks = BLOCK.findall(file.read())
        for path, block in blocks:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                missing = find_missing(block, file.read())
            count += 1
            if missing is not None:
                print(f"{os.path.basename(page)}: not in {path}: {missing}")
                failed = True
    print(f"{count} blocks: {'failed' if failed else 'ok'}")
    sys.exit(failed)


main()
