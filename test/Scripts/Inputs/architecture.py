# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the IR in docs/architecture.md with what sparseconv-opt prints.

usage: architecture.py FILE.md

The block behind `<!-- network -->` is the input. A block behind
`<!-- sparseconv-opt FLAGS -->` holds lines of the output in their order; `...`
stands for any text, alone on a line for any lines. Names of values do not count.
"""

import re
import subprocess
import sys

BLOCK = re.compile(r"<!-- (network|sparseconv-opt [^>]*?) -->\n```mlir\n(.*?)```", re.S)


def normalise(line):
    return re.sub(r"%[\w#:-]+", "%", line).strip()


def get_pattern(line):
    pieces = normalise(line).split("...")
    return re.compile(".*".join(re.escape(piece.strip()) + r"\s*" for piece in pieces))


def find_missing(block, output):
    """The first line of the block that the rest of the output does not have."""
    lines = iter(map(normalise, output.splitlines()))
    for line in block.splitlines():
        if line.strip() in ("", "..."):
            continue
        pattern = get_pattern(line)
        if not any(pattern.match(candidate) for candidate in lines):
            return line
    return None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    (_, network), *levels = blocks
    failed = False
    for command, block in levels:
        done = subprocess.run(command.split(), input=network, capture_output=True, text=True, check=False)
        missing = done.stderr if done.returncode else find_missing(block, done.stdout)
        print(f"{command}: {missing or 'ok'}")
        failed |= missing is not None
    sys.exit(failed)


main()
