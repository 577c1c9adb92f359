# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what there is: python3 -m sparseconv"""

import argparse
import os
import sys

from . import libraries, runtime

_EPILOG = """\
in Python:
  net = sparseconv.compile("net.mlir", target="cpu")      help(sparseconv)
  import sparseconv.torch                                 help(sparseconv.torch)
  import sparseconv.plot                                  help(sparseconv.plot)
networks and weights to begin with:
  python3 -m sparseconv.networks --help
  python3 -m sparseconv.weights --help
tools, each with --help:
  sparseconv-run        compiles and runs a network on a scan, and draws the result
  sparseconv-translate  compiles a network to a file
  sparseconv-tune       measures which choices make a network fast
  sparseconv-opt        runs passes of the compiler
  sparseconv-sweep      writes the scan of a made-up street
"""


def print_gpus():
    """Prints the GPUs that the runtime finds; 1 where there is none."""
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


def print_cmake_folder():
    """Prints the folder of the CMake package; 1 where there is none."""
    places = [os.path.join(folder, "cmake/SparseConv") for folder in libraries.FOLDERS]
    for place in filter(os.path.exists, places):
        print(place)
        return 0
    print(f"no CMake package in {' and '.join(places)}", file=sys.stderr)
    return 1


def main():
    parser = argparse.ArgumentParser(
        prog="python3 -m sparseconv",
        description="Compiles networks of sparse convolutions and runs them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--gpus", action="store_const", dest="action", const=print_gpus,
        default=parser.print_help,
        help="print the GPUs that can be used, and fail where there is none",
    )  # fmt: skip
    parser.add_argument(
        "--cmake", action="store_const", dest="action", const=print_cmake_folder,
        help="print the SparseConv_DIR of programs that run plans",
    )  # fmt: skip
    return parser.parse_args().action()


if __name__ == "__main__":
    sys.exit(main())
