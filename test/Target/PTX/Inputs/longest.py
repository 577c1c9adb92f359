"""longest.py FILE:LIMIT...: fails for files with a function of more lines than LIMIT.

Functions are those of PTX (`.entry`) or of the LLVM dialect (`llvm.func`).
"""

import re
import sys

for argument in sys.argv[1:]:
    path, limit = argument.rsplit(":", 1)
    with open(path) as source:
        functions = re.split(r"(?m)^.*(?:\.entry|llvm\.func) ", source.read())[1:]
    longest = max(functions, key=lambda text: text.count("\n"))
    lines = longest.count("\n")
    name = re.match(r"[@\w$]*", longest).group()
    print(f"{name} has {lines} lines, the most of {len(functions)} functions")
    if lines > int(limit):
        sys.exit(f"{path}: more than {limit}")
