"""Tables for pair-lists.mlir, and what their pairs are.

usage: pair_lists.py make FOLDER ROWS...
       pair_lists.py check FOLDER ROWS --block=ROWS"""

import argparse
import os
import sys

import numpy as np


def make(folder, rows):
    table = np.random.default_rng(rows).integers(-3, rows + 1, (rows, 27), np.int32)
    np.save(os.path.join(folder, f"table-{rows}.npy"), table.clip(-1))


def check(folder, rows, block):
    table, in_rows, out_rows, segments = (
        np.load(os.path.join(folder, f"{name}.npy"))
        for name in (f"table-{rows}", "in", "out", "segments")
    )
    pairs, starts = [], []
    for begin in range(0, rows, block):
        starts.append([])
        for neighbours in table[begin : begin + block].T:
            starts[-1].append(len(pairs))
            some = np.flatnonzero(neighbours >= 0)
            pairs += zip(neighbours[some], begin + some)
        starts[-1].append(len(pairs))
    found = np.stack([in_rows, out_rows], 1)[: len(pairs)]  # the rest is any
    if not np.array_equal(found, np.array(pairs, np.int32).reshape(-1, 2)):
        sys.exit(f"pairs of {rows} rows differ")
    if segments.tolist() != starts:
        sys.exit(f"segments of {rows} rows differ")


parser = argparse.ArgumentParser()
parser.add_argument("command", choices=("make", "check"))
parser.add_argument("folder")
parser.add_argument("rows", type=int, nargs="+")
parser.add_argument("--block", type=int)
options = parser.parse_args()
for number in options.rows:
    if options.command == "make":
        make(options.folder, number)
    else:
        check(options.folder, number, options.block)
