#!/usr/bin/env python3
"""Runs cases on a GPU through the Python package: the tools compile the example
to a plan, the package loads and calls it, the oracle judges the results.

usage: run_python.py WORK_FOLDER OPERATION [parameter=value ...]

Two sizes run in one instance, the smaller one within the larger one's capacity.
"""

import os
import subprocess
import sys

import numpy as np
from sparseconv import runtime

import run_cases  # which finds the examples
from run_cases import fill, operations

SIZES = (999, 129)


def compile_plan(context, text, folder):
    """The path of the plan of a module for the context's chip."""
    module, kernels, plan = (os.path.join(folder, n) for n in ("m.mlir", "k.mlir", "m.plan"))
    with open(module, "w", encoding="utf-8") as file:
        file.write(text)
    lower = f"--sparseconv-lower-to-gpu=target=cuda:{context.chip}"
    subprocess.run(["sparseconv-opt", module, lower, "-o", kernels], check=True)
    translate = ["sparseconv-translate", "--mlir-to-plan", f"--chip={context.chip}"]
    subprocess.run([*translate, kernels, "-o", plan], check=True)
    return plan


def get_bits(array):
    """An array as the package takes it: a bf16 is a uint16."""
    return array.view(np.uint16) if array.dtype.kind == "V" else array


def main():
    folder, operation = sys.argv[1:3]
    given = dict(word.split("=", 1) for word in sys.argv[3:])
    os.makedirs(folder, exist_ok=True)
    template = fill.load(os.path.join(run_cases.EXAMPLES, operation + ".mlir.in"))
    values = template.get_values(given)
    cases = [operations.make(operation, values, size, 3, "", size) for size in SIZES]

    context = runtime.Context()
    plan = compile_plan(context, template.fill(given), folder)
    program = runtime.Program(context, plan)
    if program.functions != ["main"]:
        sys.exit(f"the plan has the functions {program.functions}, expected ['main']")
    inputs, _ = program.signature("main")
    capacities = []
    for value in inputs:
        shape = cases[0].inputs[value.name].shape
        capacities += [n for n, known in zip(shape, value.shape) if known is None]
    instance = program.instance("main", capacities)
    for size, case in zip(SIZES, cases):
        arrays = [get_bits(case.inputs[value.name]) for value in inputs]
        for value, found in zip(instance.outputs, instance.run(*arrays)):
            if value.dtype == "bfloat16":
                found = found.view("V2")
            problem = run_cases.compare(found, case.expected[value.name], case.dtype)
            if problem:
                sys.exit(f"size {size}: {value.name}: {problem}")
    # More rows than the capacity: a status, and an instance that still works.
    small = program.instance("main", [1] * len(capacities))
    try:
        small.run(*arrays)
    except runtime.Error:
        pass
    else:
        sys.exit("an instance of capacity 1 takes more rows")
    instance.run(*arrays)


if __name__ == "__main__":
    main()
