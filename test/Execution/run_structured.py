#!/usr/bin/env python3
"""Runs random networks of upstream's operations around a few of ours, and compares
them with the reference.

usage: run_structured.py [--seeds=1-40] [--target=TARGET] [--print]

`sparseconv-run --check` holds each result against the reference; memory is poisoned
before use. With --print the networks are printed and not run.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import run_cases
from structured_networks import make_network

#: The rows of arguments whose number is dynamic.
ROWS = (0, 1, 2, 7, 40, 130, 600)


def run(seed, settings, folder):
    """What is wrong with the results of a network, or an empty text."""
    text, arguments, has_set = make_network(seed)
    draw = random.Random(-seed)
    rows, path = draw.choice(ROWS), os.path.join(folder, f"{seed}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    command = ["sparseconv-run", path, "--entry=main", "--check", "--quiet",
               f"--target={settings.target}", *settings.options]  # fmt: skip
    for value in arguments:
        count = f":{rows}" if "n" in value.shape else ""
        command += ["--input", f"{value.name[1:]}=random{count}"]
    command += ["--input", f"cond=const:{draw.randrange(2)}"]
    if has_set:
        numbers = np.random.default_rng(seed)
        items, places = numbers.integers(0, 2, rows), numbers.integers(-rows, rows + 1, rows)
        points = os.path.join(folder, f"{seed}.npy")
        np.save(points, np.stack([items, places], 1).astype(np.int32))
        command += ["--input", f"points={points}"]
    environment = {**os.environ, "SPARSECONV_POISON": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=settings.timeout, env=environment)  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{rows} rows: it takes more than {settings.timeout} s"
    if done.returncode == 0:
        return ""
    lines = (done.stderr + done.stdout).splitlines()
    wrong = [line for line in lines if "error" in line or "FAILED" in line] or lines[-1:]
    return f"{rows} rows: status {done.returncode}: {''.join(wrong[:1])}"


class Job:
    """The networks of some seeds, for run_checks.py."""

    def __init__(self, seeds, settings, work):
        self.seeds, self.settings, self.work = seeds, settings, work

    def get_names(self):
        return [f"structured network {seed}" for seed in self.seeds]

    def run(self):
        rows = []
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            for name, seed in zip(self.get_names(), self.seeds):
                wrong = run(seed, self.settings, folder)
                rows.append((name, "failed" if wrong else "passed", wrong))
        return rows


def make_jobs(settings, work):
    return [Job(range(seed, seed + 10), settings, work) for seed in range(1, 200, 10)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1-40", help="FIRST-LAST (default 1-40)")
    parser.add_argument("--target", default="cpu", help="as for sparseconv-run (default cpu)")
    parser.add_argument("--print", action="store_true", help="print the networks")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split("-"))
    settings = run_cases.Settings(options.target)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last + 1):
            if options.print:
                print(f"// seed {seed}\n{make_network(seed)[0]}")
                continue
            wrong = run(seed, settings, folder)
            if wrong:
                failures += 1
                print(f"seed {seed}, {wrong}", flush=True)
    if not options.print:
        print(f"{last + 1 - first - failures} networks agree, {failures} do not")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
