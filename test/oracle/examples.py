"""usage: examples.py FOLDER_OF_TD_FILES OUT.mlir

Holds the examples against the dialect: one for each operation, defaults that
fit together without fill.py. Writes all of them, filled in, as parts of one
file that '// -----' separates."""

import os
import re
import sys

import fill

HERE = os.path.dirname(os.path.abspath(__file__))


def get_operations(folder):
    """The operations of the network level: all files but the kernels'."""
    names = set()
    for file in os.listdir(folder):
        if file.endswith("Ops.td") and "Kernel" not in file:
            with open(os.path.join(folder, file), encoding="utf-8") as source:
                pattern = r"SparseConv_(?:\w*Op|ImplicitGemm)<\"(\w+)\""
                names.update(re.findall(pattern, source.read()))
    return names


def substitute(template):
    """The text with the literal defaults alone."""
    text = template.body
    for _ in range(4):
        for name, parameter in template.parameters.items():
            text = text.replace(f"@{name}@", parameter.default)
    return text


def main():
    operations = get_operations(sys.argv[1])
    files = {f[: -len(".mlir.in")] for f in os.listdir(HERE) if f.endswith(".mlir.in")}
    if len(operations) < 28 or operations != files:
        sys.exit(f"operations without an example: {sorted(operations - files)}; "
                 f"examples without an operation: {sorted(files - operations)}")
    parts = []
    for name in sorted(files):
        template = fill.load(os.path.join(HERE, name + ".mlir.in"))
        filled = template.fill({})
        if not filled.endswith(substitute(template)):
            sys.exit(f"{name}: the defaults differ from what fill.py derives")
        if f"sparseconv.{name}" not in filled.partition("func.func")[2]:
            sys.exit(f"{name}: the text does not use the operation")
        parts.append(filled)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("// -----\n".join(parts))
    print(f"{len(parts)} examples")


main()
