#!/usr/bin/env python3
"""Prints the program that run_bench.py times for --tiling.

usage: print_bench_program.py OPERATION "SIZE SPLITS TILING"
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from bench_cases import Map, make_layers

op, tiling = sys.argv[1:]
size, rest = tiling.split(maxsplit=1)
print(make_layers(op, "f16", 64, Map("", int(size), tiling=rest), 2).program().text)
