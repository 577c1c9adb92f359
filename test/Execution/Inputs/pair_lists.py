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
    found = np.stack([in_rows, out_rows], 1)
    end = 0
    for begin, bounds in zip(range(0, rows, block), segments, strict=True):
        pairs, starts = [], []
        for neighbours in table[begin : begin + block].T:
            starts.append(len(pairs))
            some = np.flatnonzero(neighbours >= 0)
            pairs += zip(neighbours[some], begin + some)
        # Between row blocks there may be gaps, which hold anything.
        first = bounds[0]
        if first < end or (bounds - first).tolist() != [*starts, len(pairs)]:
            sys.exit(f"segments of {rows} rows differ")
        end = bounds[-1]
        if not np.array_equal(found[first:end], np.array(pairs, np.int32).reshape(-1, 2)):
            sys.exit(f"pairs of {rows} rows differ")


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
