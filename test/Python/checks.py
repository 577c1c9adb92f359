"""What the checks of the Python package share: their names, and networks with
values for their arguments and what the oracle expects from them."""

import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "Execution"))

import run_cases  # its folder and that of the examples are now in the path
import sparseconv
from run_cases import fill, operations

SKIPPED = 77
CHIP = "sm_80"


class Skip(Exception):
    pass


CHECKS = {}


def check(*targets):
    """What holds on a CPU and on a GPU holds for plans for CPUs, too."""
    if {"cpu", "cuda"} <= set(targets):
        targets = (*targets, "cpu-plan")

    def register(function):
        for target in targets:
            name = function.__name__.replace("_", "-")
            CHECKS.setdefault(target, {})[name] = function
        return function

    return register


def expect(condition, text="a condition does not hold"):
    if not condition:
        raise AssertionError(text)


def expect_equal(found, expected):
    expect(found == expected, f"expected {expected!r}, found {found!r}")


def expect_error(kind, text, function, *arguments, **named):
    """That a call raises an error of a kind whose message has a text."""
    try:
        function(*arguments, **named)
    except kind as error:
        expect(text in str(error), f"expected an error with {text!r}, found {error}")
        return error
    raise AssertionError(f"expected an error with {text!r}, found none")


# Networks and what they compute ----------------------------------------------


def get_text(operation, **parameters):
    given = {name: str(value) for name, value in parameters.items()}
    template = fill.load(os.path.join(run_cases.EXAMPLES, operation + ".mlir.in"))
    return template.fill(given), template.get_values(given)


def as_package(array):
    """An array as the package takes it: a bf16 is a uint16."""
    return array.view(np.uint16) if array.dtype.kind == "V" else array


def compile_text(target, text, **options):
    if target == "none":
        options.setdefault("chip", CHIP)
    if target == "cpu-plan":
        return sparseconv.compile(text, target="cpu", in_process=True, **options)
    return sparseconv.compile(text, target="cpu" if target == "cpu" else "cuda", **options)


class Example:
    """A compiled example of test/oracle with values for its arguments."""

    def __init__(self, target, operation="conv", **parameters):
        text, self.values = get_text(operation, **parameters)
        self.operation = operation
        self.module = compile_text(target, text)

    def make(self, size, seed=1):
        """Arguments by name, and a function that judges the results."""
        case = operations.make(self.operation, self.values, size, 3, "", seed)
        inputs = {name: as_package(array) for name, array in case.inputs.items()}

        def judge(results):
            results = results if isinstance(results, tuple) else (results,)
            for value, found in zip(self.module.main.outputs, results):
                found = np.asarray(found)
                if value.dtype == "bfloat16":
                    expect_equal(found.dtype, np.uint16)
                    found = found.view("V2")
                problem = run_cases.compare(found, case.expected[value.name], case.dtype)
                expect(not problem, f"size {size}, {value.name}: {problem}")

        return inputs, judge


SCALARS = """
func.func @main(%n: i64 {sparseconv.name = "n"}) -> (i64 {sparseconv.name = "twice"}) {
  %0 = arith.addi %n, %n : i64
  return %0 : i64
}
func.func @other(%n: i64) -> i64 {
  return %n : i64
}
"""


class FakeDeviceArray:
    """What looks like an array on a GPU."""

    def __init__(self, array, device=0):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return (2, self.device)
