"""Prints bench_table.py's table of made-up times, in which a choice is wrong and one
failed."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import bench_table

TIMES = {
    "kitti": {"": 30, "order=mask": 20, "dataflow=weight_stationary": 40},
    "room": {"": 9, "order=mask": "over the bound", "dataflow=weight_stationary": 12},
    "shell": {"": "out of memory", "order=mask": 7},
}
rows = []
for scene, choices in TIMES.items():
    for choice, us in choices.items():
        row = {"cell": ("layers", scene, "3x3x3 f16 C=64"), "choice": choice, "median_us": 1}
        row.update({"error": us} if isinstance(us, str) else {"median_us": us})
        rows.append(row)
rows.append({"name": "a row that has no choices", "median_us": 1})
for title, cells in bench_table.collect(rows).items():
    print(bench_table.format_table(title, cells))
