#!/usr/bin/env python3
"""Prints what run_bench.py --alone takes for the time of a layer, in microseconds, of a
program that shares a map of two kernels among its layers: time_alone.py ONE TWO, the
kernels of its runs with one layer and with two, as NAME:MICROSECONDS,..."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import bench_programs


class Recorded(bench_programs.Programs):
    """Programs whose steps are given."""

    def load(self, program, inputs):
        steps = [step.split(":") for step in program.split(",")]
        return lambda: [(name.rstrip("0123456789"), float(time) / 1e6) for name, time in steps]


print(f"{Recorded('cuda:sm_90a', '.').time_alone(*sys.argv[1:], [], 3):.1f}")
