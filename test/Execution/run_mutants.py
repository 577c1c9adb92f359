#!/usr/bin/env python3
"""Runs the mutants of GPU kernels that scripts/mutate --device has compiled, and
requires each to give a wrong result.

usage: run_mutants.py FOLDER [--only=TEXT] [--jobs=N] [--timeout=SECONDS] [--work=FOLDER]

FOLDER has mutants.json and plans (scripts/mutants/plans.py). A case runs by the plan
of the compiler as it is, which has to pass, and by that of each mutant of it, which
has to fail: with a result that the oracle refuses, other bits in a second run, an
error, or no end. A mutant whose case fails as it is counts as skipped. The last line
is 'N passed, N failed, N skipped'; the exit status is 0 when nothing failed.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import run_cases


def find_failure(case, plan, folder, timeout):
    """What is wrong with the results of a plan for a case, or nothing."""
    settings = run_cases.Settings(target="cuda", timeout=timeout)
    module = run_cases.Module([run_cases.Function(case, 0)], folder, settings)
    try:
        failures = module.execute_plan(plan)
    except subprocess.TimeoutExpired:
        return f"no end after {timeout:g} seconds"
    except RuntimeError as error:
        return str(error)
    return "; ".join(message for messages in failures.values() for message in messages)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="run-mutants")
    parser.add_argument("folder")
    parser.add_argument("--only", default="", help="mutants whose description has this text")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--timeout", type=float, default=60, help="seconds of one run")
    parser.add_argument("--work", help="folder for files (default: one that is deleted)")
    return parser.parse_args()


def run_mutants(options, contents, work):
    """Counts of what passed, failed and was skipped."""
    mutants = [m for m in contents["mutants"] if options.only in m["what"]]
    needed = sorted({mutant["case"] for mutant in mutants})

    def run(number, plan):
        case = contents["cases"][number]["case"]
        path = os.path.abspath(os.path.join(options.folder, plan))
        return find_failure(case, path, os.path.join(work, plan), options.timeout)

    counts = {"passed": 0, "failed": 0, "skipped": 0}

    def count(outcome, text):
        counts[outcome] += 1
        print(f"{outcome}: {text}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        plans = [contents["cases"][number]["plan"] for number in needed]
        broken = dict(zip(needed, pool.map(run, needed, plans)))
        for number, failure in broken.items():
            if failure:
                count("failed", f"without a mutant: {contents['cases'][number]['case']}: {failure}")
        whole = [m for m in mutants if not broken[m["case"]]]
        for mutant in mutants:
            if mutant not in whole:
                count("skipped", mutant["what"])
        failures = pool.map(run, [m["case"] for m in whole], [m["plan"] for m in whole])
        for mutant, failure in zip(whole, failures):
            if failure:
                count("passed", f"{mutant['what']}: {failure[:200]}")
            else:
                count("failed", f"survives: {mutant['what']}")
    return counts


def main():
    options = parse_arguments()
    with open(os.path.join(options.folder, "mutants.json"), encoding="utf-8") as file:
        contents = json.load(file)
    with tempfile.TemporaryDirectory(prefix="sparseconv-mutants-") as temporary:
        counts = run_mutants(options, contents, os.path.abspath(options.work or temporary))
    print(", ".join(f"{number} {outcome}" for outcome, number in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
