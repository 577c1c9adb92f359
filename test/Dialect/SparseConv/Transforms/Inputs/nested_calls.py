"""Functions each of which calls the one before it twice.

usage: nested_calls.py DEPTH"""

import sys

TYPE = "tensor<4xf32>"
depth = int(sys.argv[1])
for i in range(depth + 1):
    name = "@main" if i == depth else f"private @f{i}"
    print(f"func.func {name}(%x: {TYPE}) -> {TYPE} {{")
    for result, operand in (("%y", "%x"), ("%z", "%y")):
        made = f"call @f{i - 1}({operand}) : ({TYPE}) -> {TYPE}"
        print(f"  {result} =", made if i else f"math.exp {operand} : {TYPE}")
    print(f"  return %z : {TYPE}\n}}")
