"""Compiles the functions that run_bench.py times, and runs them."""

import functools
import os
import re
import shutil
import statistics
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Optional

import numpy as np

from sparseconv import runtime
from sparseconv.module import get_chip


class Program(NamedTuple):
    """A module, and over how many streams its kernels may be spread: without a
    number as many as the tools choose."""

    text: str
    streams: Optional[int] = 1


def execute(*command):
    """What a command prints, or a RuntimeError with what it says is wrong."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr + done.stdout).strip().splitlines() or ["no output"]
        raise RuntimeError(next((n for n in lines if "FAILED" in n), lines[0]))
    return done.stdout


class Programs:
    """Runs programs on a target, each compiled once, with files in a folder. Where there
    is an assembler of NVIDIA's, plans hold machine code: the driver would take seconds
    for that of each program, one after another."""

    def __init__(self, target, folder):
        self.target, self.folder, self.compiled = target, folder, {}
        ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
        self.assembling = ["--cubin", f"--ptxas={ptxas}"] if ptxas else []
        self.chip = get_chip(0) if target == "cuda" else target.partition(":")[2]

    def get_path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, array):
        np.save(self.get_path(name), array)
        return self.get_path(name)

    def compile(self, number, program):
        """What sparseconv-run takes, a module or for a GPU a plan, or why not."""
        module, plan = [self.get_path(f"{number}.{kind}") for kind in ("mlir", "plan")]
        with open(module, "w", encoding="utf-8") as file:
            file.write(program.text)
        if self.target == "cpu":
            return module
        streams = [f"--streams={program.streams}"] if program.streams else []
        try:
            execute("sparseconv-translate", "--network-to-plan", module, f"--chip={self.chip}",
                    *self.assembling, *streams, "-o", plan)  # fmt: skip
        except RuntimeError as error:
            return error
        return plan

    def prepare(self, programs):
        """Compiles side by side, which is to be over when something is timed."""
        new = [program for program in dict.fromkeys(programs) if program not in self.compiled]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            numbers = range(len(self.compiled), len(self.compiled) + len(new))
            self.compiled.update(zip(new, pool.map(self.compile, numbers, new)))

    def get_file(self, program):
        self.prepare([program])
        file = self.compiled[program]
        if isinstance(file, RuntimeError):
            raise file
        return file

    def run(self, program, inputs, *more):
        """What sparseconv-run prints."""
        return self.run_file(self.get_file(program), inputs, *more)

    def run_file(self, file, inputs, *more, target=None):
        target = f"--target={target or self.target}"
        return execute("sparseconv-run", file, target, *(f"--input={i}" for i in inputs), *more)

    def compute(self, program, inputs, count):
        """The first results: parts of files, until the next call."""
        paths = [self.get_path(f"result{i}.npy") for i in range(count)]
        self.run(program, inputs, *(f"--output={path}" for path in paths), "--quiet")
        return [np.load(path, mmap_mode="r") for path in paths]

    def time(self, program, inputs, runs, *more):
        """The median of some runs, in microseconds."""
        printed = self.run(program, inputs, f"--time={runs}", *more)
        match = re.search(r"median ([\d.]+) (us|ms|s)", printed)
        return float(match[1]) * {"us": 1, "ms": 1e3, "s": 1e6}[match[2]]

    def load(self, program, inputs):
        """What runs a program, and returns the steps: pairs of a kind and of seconds."""
        loaded = runtime.Program(self.context, self.get_file(program))
        files = dict(i.split("=", 1) for i in inputs)
        values = loaded.signature("main")[0]
        arrays = [np.load(files[value.name]) for value in values]
        sizes = [
            size
            for value, array in zip(values, arrays)
            for known, size in zip(value.shape, array.shape)
            if known is None
        ]
        instance = loaded.instance("main", sizes)
        return lambda: [
            (name.rstrip("0123456789"), end - begin)  # kernels of a plan are numbered
            for name, _, _, begin, end in instance.profile(*arrays)
        ]

    def time_alone(self, one, two, inputs, runs):
        """The median of what the kernels of a layer take, in microseconds, in runs of a
        program with one between which the GPU rests. Its kernels are those of which a
        program with two layers has more."""
        run = self.load(one, inputs)
        kinds = [Counter(k for k, _ in steps) for steps in (run(), self.load(two, inputs)())]
        times = []
        for _ in range(3 + runs):
            left, taken = kinds[1] - kinds[0], 0
            for kind, seconds in reversed(run()):
                if left[kind] > 0:
                    left[kind] -= 1
                    taken += seconds
            times.append(taken)
        return 1e6 * statistics.median(times[3:])  # after those that warm up

    @functools.cached_property
    def context(self):
        return runtime.Context(0)
