# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the GPUs that the runtime finds; fails where there is none.

    python3 -m sparseconv
"""

import sys

from . import runtime


def main():
    try:
        count = runtime.get_device_count()
        names = [(c.device_name, c.chip) for c in map(runtime.Context, range(count))]
    except runtime.Error as error:
        print(f"no GPU: {error}")
        return 1
    for name, chip in names:
        print(f"{name} ({chip})")
    if not names:
        print("no GPU: the driver finds no device")
    return 0 if names else 1


if __name__ == "__main__":
    sys.exit(main())
