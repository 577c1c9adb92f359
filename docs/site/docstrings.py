# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Docstrings as reStructuredText.

Ours are paragraphs, names of arguments with what they mean two spaces or more behind
them, tables as in Markdown, and code, which is indented by four spaces.
"""

import inspect
import re

ARGUMENTS = re.compile(r"\w+(?: {2,}|\n {2,})\S")
ARGUMENT = re.compile(r"^(\w+)(?: {2,}|\n +)(.*(?:\n +.*)*)", re.M)


def has_arguments(docstring):
    return any(map(ARGUMENTS.match, split(docstring)))


def split(docstring):
    return re.split(r"\n\n+", inspect.cleandoc(docstring))


def convert_text(text, link):
    """Text with names in backticks, which `link` makes references of where it can, and
    strings of one word as literals."""
    def convert_part(found):
        code, string, other = found.groups()
        if code:
            return link(code) + "\\ "
        return f"``{string}``\\ " if string else f"\\{other}"

    return re.sub(r"""`([^`]+)`|("[^\s"]+")|([\\*_|])""", convert_part, text)


def convert_table(lines, link):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    yield from (".. list-table::", "   :header-rows: 1", "")
    for row in [rows[0], *rows[2:]]:
        for number, cell in enumerate(row):
            yield f"   {'  ' if number else '* '}- {convert_text(cell, link)}"


def convert(docstring, link):
    """The lines of a docstring."""
    for block in split(docstring):
        lines = block.splitlines()
        if block.startswith("    "):
            yield from (".. code-block:: python", "", *(f"   {line[4:]}" for line in lines))
        elif block.startswith("|"):
            yield from convert_table(lines, link)
        elif ARGUMENTS.match(block):
            for name, text in ARGUMENT.findall(block):
                yield f":param {name}: {convert_text(' '.join(text.split()), link)}"
        else:
            yield from convert_text(block, link).splitlines()
        yield ""
