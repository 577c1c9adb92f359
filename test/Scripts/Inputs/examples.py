# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses the examples in the generated pages of operations.

usage: mlir-tblgen -gen-op-doc ... | examples.py

An example is a fenced block of IR. Each operation has at least one in which it
occurs, and sparseconv-opt takes them all. They use values that they do not
define. Those are defined behind them with a type that is wrong; the parser then
says which type they were used with, and the next round defines them so.
"""

import re
import subprocess
import sys

# The names of types and attributes that the examples use.
PRELUDE = """
#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !fine to !half>
!back = !sparseconv.kernel_map<27, !half to !fine>
"""
PAGE = re.compile(r"^### `(sparseconv\.[\w.]+)`.*?\n(.*?)(?=^### |\Z)", re.M | re.S)
BLOCK = re.compile(r"^```mlir\n(.*?)^```", re.M | re.S)
RESULTS = re.compile(r"^\s*(%\w+(?:, %\w+)*) = ", re.M)
ARGUMENT = re.compile(r"%(\w+): ")
USE = re.compile(
    r"<stdin>:(\d+):\d+: error: definition of SSA value '%(\w+)#0' has type 'none'\n.*\n.*\n"
    r".*note: previously used here with type '(.*)'"
)
SEPARATOR = "// -----\n"


def find_free_names(example):
    defined = set(re.findall(r"%(\w+)", " ".join(RESULTS.findall(example)))) | set(ARGUMENT.findall(example))
    return sorted(set(re.findall(r"%(\w+)", example)) - defined)


def parse(examples, types):
    """Runs sparseconv-opt on modules of the examples, one behind the other."""
    modules = []
    for example, known in zip(examples, types):
        lines = [f'%{name} = "example.value"() : () -> {type}' for name, type in known.items()]
        modules.append(f"{PRELUDE}module {{\n{example}{chr(10).join(lines)}\n}}\n")
    command = ["sparseconv-opt", "--allow-unregistered-dialect", "--split-input-file"]
    text = SEPARATOR.join(modules)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return text, done


def learn_types(text, errors, types):
    """Takes the types that errors name; whether there are any."""
    separators = [number for number, line in enumerate(text.splitlines(), 1) if line + "\n" == SEPARATOR]
    uses = USE.findall(errors)
    for line, name, used in uses:
        types[sum(separator < int(line) for separator in separators)][name] = used
    return bool(uses)


def main():
    pages = PAGE.findall(sys.stdin.read())
    missing, examples = [], []
    for name, page in pages:
        blocks = BLOCK.findall(page)
        if not any(re.search(re.escape(name) + r"\b(?!\.)", block) for block in blocks):
            missing.append(name)
        examples += blocks
    types = [dict.fromkeys(find_free_names(example), "none") for example in examples]
    text, done = parse(examples, types)
    while learn_types(text, done.stderr, types):
        text, done = parse(examples, types)
    print(done.stderr, end="")
    for name in missing:
        print(f"{name} has no example")
    failed = done.returncode != 0 or bool(missing)
    print(f"{len(examples)} examples of {len(pages)} operations: {'failed' if failed else 'ok'}")
    sys.exit(failed)


main()
