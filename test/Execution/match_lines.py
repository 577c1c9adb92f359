#!/usr/bin/env python3
"""Does the plainest part of FileCheck's work where there is no LLVM.

usage: COMMAND | match_lines.py CHECK_FILE [--check-prefix=PREFIX]
                                [--implicit-check-not=TEXT]

Knows 'CHECK: text' (in this order) and 'CHECK-DAG: text' (anywhere), with
{{regular expressions}} in the text. Exit status 77: the file asks for more.
"""

import argparse
import re
import sys

UNKNOWN = 77


def get_pattern(text):
    """The regular expression of a directive's text."""
    parts = re.split(r"\{\{(.*?)\}\}", text.strip())
    for index, part in enumerate(parts):
        if index % 2 == 0:
            parts[index] = re.sub(r"(\\ )+", r"[ \t]+", re.escape(part))
        else:
            parts[index] = f"(?:{part})"
    return "".join(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--check-prefix", default="CHECK")
    parser.add_argument("--implicit-check-not")
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8") as file:
        text = file.read()
    prefix = re.escape(arguments.check_prefix)
    directives = re.findall(rf"(?<![\w-]){prefix}((?:-[A-Z]+)*):(.*)", text)
    if not directives:
        sys.exit(f"no '{arguments.check_prefix}:' in {arguments.file}")
    printed = sys.stdin.read()
    position = 0
    matches = []
    for kind, wanted in directives:
        if kind not in ("", "-DAG") or "[[" in wanted:
            sys.exit(UNKNOWN)
        pattern = re.compile(get_pattern(wanted))
        match = pattern.search(printed, position if kind == "" else 0)
        if not match:
            start = printed.strip()[:300]
            sys.exit(f"expected '{wanted.strip()}', but found: {start or 'nothing'}")
        if kind == "":
            position = match.end()
        matches.append(match.span())
    if arguments.implicit_check_not:
        for found in re.finditer(re.escape(arguments.implicit_check_not), printed):
            if not any(begin <= found.start() < end for begin, end in matches):
                line = printed[: found.end()].splitlines()[-1]
                sys.exit(f"found '{arguments.implicit_check_not.strip()}' in: {line}")


if __name__ == "__main__":
    main()
