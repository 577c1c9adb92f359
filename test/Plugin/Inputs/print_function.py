"""Prints the named functions of the module on stdin, as they are written there."""

import re
import sys

lines = sys.stdin.read().splitlines()
for name in sys.argv[1:]:
    start = next(i for i, line in enumerate(lines) if re.match(rf"  \S+ .*@{name}\(", line))
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("  }"))
    print("\n".join(lines[start : end + 1]))
