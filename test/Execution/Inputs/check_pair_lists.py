"""Compares the pairs that pair-lists.mlir wrote with the table they are from.

usage: check_pair_lists.py FOLDER --block=ROWS"""

import argparse
import os
import sys

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--block", type=int)
options = parser.parse_args()
table, in_rows, out_rows, segments = (
    np.load(os.path.join(options.folder, f"{name}.npy"))
    for name in ("table", "in", "out", "segments")
)

pairs, starts = [], []
for begin in range(0, len(table), options.block):
    block = table[begin : begin + options.block]
    starts.append([])
    for neighbours in block.T:
        starts[-1].append(len(pairs))
        rows = np.flatnonzero(neighbours >= 0)
        pairs += zip(neighbours[rows], begin + rows)
    starts[-1].append(len(pairs))

found = np.stack([in_rows, out_rows], 1)[: len(pairs)]  # the rest is any
if not np.array_equal(found, np.array(pairs, np.int32).reshape(-1, 2)):
    sys.exit(f"pairs of {len(table)} rows differ")
if segments.tolist() != starts:
    sys.exit(f"segments of {len(table)} rows differ")
