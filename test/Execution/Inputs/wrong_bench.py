"""run_bench.py with a wrong expectation of layers or of maps, as a test of its exit
status: wrong_bench.py layer|map ARGUMENTS."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import run_bench

right_error, right_wrong = run_bench.get_layer_error, run_bench.count_wrong


def use_other_weights(op, results, table, features, weights):
    return right_error(op, results, table, features, 2 * weights)


def use_other_offsets(coords, outs, table, kind):
    return right_wrong(coords, outs, table[:, ::-1], kind)


if sys.argv.pop(1) == "layer":
    run_bench.get_layer_error = use_other_weights
else:
    run_bench.count_wrong = use_other_offsets
sys.exit(run_bench.main())
