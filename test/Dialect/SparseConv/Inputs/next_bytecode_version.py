"""Copies a bytecode file and makes the dialect's version one higher.

The section of a dialect's version is its number (7), its length and the version,
each one byte: a number of up to 7 bits is stored twice as large, plus 1."""

import sys

source, target = sys.argv[1:]
with open(source, "rb") as file:
    data = file.read()
section = bytes([7, 2 * 1 + 1, 2 * 1 + 1])
if data.count(section) != 1:
    sys.exit(f"expected one section of version 1, found {data.count(section)}")
with open(target, "wb") as file:
    file.write(data.replace(section, section[:2] + bytes([2 * 2 + 1])))
