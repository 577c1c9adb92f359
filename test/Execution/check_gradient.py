#!/usr/bin/env python3
"""Compares what sparseconv-differentiate writes with central differences in float64.

usage: check_gradient.py NETWORK.mlir WORK_FOLDER [--entry=NAME ...] [--points=N]
                         [--extent=N] [--items=N] [--rows=N] [--wrt=NAME,...]
                         [--together] [--only-write]

For each function, and each of its arguments that has a gradient, along a random
direction d:

  (<f(x + e d), dy> - <f(x - e d), dy>) / 2e  =  <gradient by x, d>

where f is the reference, which never rounds (--precision=exact). Arguments are
multiples of 2^-10 up to 1 and e is 2^-23, so that f32 holds x + e d as it is. With
--together all arguments move at once. As two functions, with results that are kept in
f32, it has the bits of one function that rounds.

Arguments are random: those of integers are points, of which some share a voxel, or
with one axis rows of the points, some of them -1; positions [P, 1 + D] lie among
the points. Writes WORK_FOLDER/gradient.mlir, the differentiated module, kept.mlir,
the same as two functions, and for each function WORK_FOLDER/NAME.npz, the arguments of NAME_gradient. With --only-write
nothing is compared.
"""

import argparse
import os
import re
import subprocess
import sys

import numpy as np

STEP, GRID = 2.0**-23, 2.0**-10
# A difference is off by what float64 rounds, and where it passes the corner of a
# maximum or of a rectifier, of which a network has many.
TOLERANCE = 1e-5
PARAMETER = re.compile(r'(?:%\w+: )?([^\s(,][^{}]*?) \{sparseconv\.name = "([^"]+)"\}')


def read_functions(text):
    """{name: ({argument: type}, {result: type})} of the public functions."""
    functions = {}
    for name, signature in re.findall(r"^  func\.func @(\w+)(\(.*) \{$", text, re.M):
        arguments, _, results = signature.partition(") -> ")
        functions[name] = tuple(
            {name: type for type, name in PARAMETER.findall(part)} for part in (arguments, results)
        )
    return functions


def parse(type):
    """(sizes, element) of a tensor type; None for a size that is dynamic."""
    *sizes, element = re.fullmatch(r"tensor<(.*)>", type)[1].split("x")
    return [None if size == "?" else int(size) for size in sizes], element


def is_real(type):
    return parse(type)[1] in ("f32", "f16", "bf16")


class Function:
    def __init__(self, name, signature, options):
        self.name, self.options = name, options
        self.arguments, self.results = signature
        self.random = np.random.default_rng(5)
        self.values = {n: self.make(n, t) for n, t in self.arguments.items()}

    def make(self, name, type):
        options, (sizes, element) = self.options, parse(type)
        rows = options.points if element == "i32" or not options.rows else options.rows
        shape = [rows if size is None else size for size in sizes]
        if element == "i32" and len(shape) == 1:
            return self.random.integers(-1, shape[0] // 2, shape).astype(np.int32)
        if element == "i32" or name == "positions":
            low = -options.extent
            values = self.random.integers(low, options.extent, shape).astype(np.int32)
            values[:, 0] %= options.items
            if element == "i32":
                return values
            values = values.astype(np.float32)
            values[:, 1:] += self.random.integers(0, 16, values[:, 1:].shape) / 16
            return values
        # Features and gradients keep their size from layer to layer, as rows have about half
        # of the neighbours that a box offers.
        terms = max(1, shape[0] / 2) * shape[-2] / 6 if len(shape) > 2 else 1
        values = self.random.uniform(-1, 1, shape) / max(1, terms) ** 0.5
        if name.endswith("scale"):
            values = 0.25 + 0.75 * np.abs(values)
        return self.round(values)

    def round(self, values):
        return (np.round(values / GRID) * GRID).astype(np.float32)

    def run(self, module, entry, results, values, precision="exact"):
        """{name: array} of the results of a function, as the reference has them."""
        folder = self.options.work
        path = os.path.join(folder, f"{entry}.inputs.npz")
        np.savez(path, **values)
        command = ["sparseconv-run", module, f"--entry={entry}", f"--weights={path}", "--quiet"]
        command += ["--convert-weights"]
        command += ["--target=reference", f"--precision={precision}"]
        paths = {name: os.path.join(folder, f"{entry}.{name}.npy") for name in results}
        command += [f"--output={name}={path}" for name, path in paths.items()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{entry}: {done.stderr.strip()}")
        return {name: np.load(path) for name, path in paths.items()}

    def product(self, values):
        """<f(values), dy>"""
        results = self.run(self.options.network, self.name, self.results, values)
        return sum(np.sum(results[name] * dy) for name, dy in self.dy.items())

    def write_inputs(self):
        """Makes dy, which has the sizes of the results."""
        self.primal = self.run(self.options.network, self.name, self.results, self.values)
        self.dy = {
            name: self.round(self.random.uniform(-1, 1, self.primal[name].shape))
            for name, type in self.results.items()
            if is_real(type)
        }
        gradients = {f"{name}.gradient": dy for name, dy in self.dy.items()}
        self.inputs = {**self.values, **gradients}
        np.savez(os.path.join(self.options.work, f"{self.name}.npz"), **self.inputs)

    def differentiate(self, module, functions):
        """The gradients by name, from the arguments and dy."""
        entry = f"{self.name}_gradient"
        together = self.run(module, entry, functions[entry][1], self.inputs)
        for name, result in self.primal.items():
            if not np.array_equal(result, together[name]):
                sys.exit(f"{self.name}: {entry} returns another '{name}'")
        return {name: y for name, y in together.items() if name not in self.primal}

    def compare_kept(self, module, functions, kept, kept_functions):
        """Whether two functions give the gradient of one; 1 if not."""

        def run(path, table, kind, values):
            entry = f"{self.name}_{kind}"
            return self.run(path, entry, table[entry][1], values, "rounded")

        expected = run(module, functions, "gradient", self.inputs)
        forward = run(kept, kept_functions, "forward", self.values)
        values = {n: y for n, y in forward.items() if n.startswith("kept.")}
        backward = run(kept, kept_functions, "backward", {**self.inputs, **values})
        found = {**{n: y for n, y in forward.items() if n in self.results}, **backward}
        same = found.keys() == expected.keys() and all(
            np.array_equal(found[name], y) for name, y in expected.items()
        )
        print(f"{self.name}: {len(values)} results are kept: {'ok' if same else 'other bits'}")
        return not same

    def compare(self, gradients):
        groups = [[name] for name in self.arguments if f"{name}.gradient" in gradients]
        if self.options.together:
            groups = [sum(groups, [])]
        wrong = 0
        for group in groups:
            directions = {n: self.random.choice([-1.0, 1.0], self.values[n].shape) for n in group}
            moved = []
            for step in (STEP, -STEP):
                values = {n: self.values[n] + step * d for n, d in directions.items()}
                moved.append(self.product({**self.values, **{n: v.astype(np.float32) for n, v in values.items()}}))
            difference = (moved[0] - moved[1]) / (2 * STEP)
            terms = [gradients[f"{n}.gradient"] * d for n, d in directions.items()]
            derivative = sum(np.sum(term) for term in terms)
            scale = sum(np.sum(term**2) for term in terms) ** 0.5
            label = f"{self.name}: {'all arguments' if self.options.together else group[0]}"
            if scale == 0:
                wrong += 1
                print(f"{label}: the gradient is zero")
            elif abs(difference - derivative) <= TOLERANCE * scale:
                print(f"{label}: ok")
            else:
                wrong += 1
                print(f"{label}: {derivative} is not {difference}; the gradient's norm is {scale}")
        return wrong


def transform(network, path, options):
    command = ["sparseconv-opt", network, f"--sparseconv-differentiate={options}"]
    subprocess.run([*command, "-o", path], check=True)
    with open(path, encoding="utf-8") as file:
        return read_functions(file.read())


def main():
    parser = argparse.ArgumentParser(description=__doc__, usage=__doc__.split("\n\n")[1])
    parser.add_argument("network")
    parser.add_argument("work")
    parser.add_argument("--entry", action="append", default=[])
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--extent", type=int, default=3)
    parser.add_argument("--items", type=int, default=2)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--wrt", default="")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--only-write", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    chosen = [f"functions={','.join(options.entry)}"] if options.entry else []
    chosen += [f"wrt={options.wrt}"] if options.wrt else []
    module = os.path.join(options.work, "gradient.mlir")
    functions = transform(options.network, module, " ".join(chosen))
    kept = os.path.join(options.work, "kept.mlir")
    kept_functions = transform(options.network, kept, " ".join([*chosen, "keep=results"]))
    wrong = 0
    for name, signature in functions.items():
        if f"{name}_gradient" not in functions:
            continue
        function = Function(name, signature, options)
        function.write_inputs()
        if options.only_write:
            continue
        wrong += function.compare(function.differentiate(module, functions))
        wrong += function.compare_kept(module, functions, kept, kept_functions)
    sys.exit(wrong != 0)


main()
