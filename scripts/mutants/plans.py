"""Plans of mutants, for a machine that has a GPU and no compiler.

A folder has mutants.json, and beside it the plan of each case by the compiler as it
is (case-N.plan) and by each mutant of it (mutant-N.plan); test/Execution/run_mutants.py
reads them.
"""

import json
import os
import subprocess
import sys
import tempfile

from . import describe, switches

CHIP = "sm_90a"


def _write_module(tree, case, folder):
    # Only this needs numpy.
    sys.path.insert(0, os.path.join(tree, "test", "Execution"))
    import run_cases

    settings = run_cases.Settings(target="cuda")
    run_cases.Module([run_cases.Function(case, 0)], folder, settings)
    return os.path.join(folder, "module.mlir")


def _compile(tree, module, plan, number=None):
    """What the compiler prints where it fails, or nothing."""
    environment = dict(os.environ)
    if number is not None:
        environment[switches.VARIABLE] = str(number)
    tool = os.path.join(tree, "build", "release", "bin", "sparseconv-translate")
    command = [tool, "--network-to-plan", f"--chip={CHIP}", module, "-o", plan]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=600
        )
    except subprocess.TimeoutExpired:
        return "the compiler does not end"
    return done.stderr[-1000:] or "the compiler fails" if done.returncode else ""


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def write(out, tree, commit, mutants):
    """Fills the folder `out`. Yields (mutant, what is wrong with it or nothing) for
    each of [(number, mutant)]: a plan that is that of the compiler as it is shows that
    the case does not come through the line."""
    os.makedirs(out, exist_ok=True)
    cases, entries = [], []
    for case in dict.fromkeys(mutant.tests[0] for _, mutant in mutants):
        whole = f"case-{len(cases)}.plan"
        with tempfile.TemporaryDirectory() as folder:
            module = _write_module(tree, case, folder)
            if problem := _compile(tree, module, os.path.join(out, whole)):
                sys.exit(f"scripts/mutate: {case}: {problem}")
            for number, mutant in mutants:
                if mutant.tests[0] != case:
                    continue
                plan = f"mutant-{number}.plan"
                problem = _compile(tree, module, os.path.join(out, plan), number)
                if not problem and _read(os.path.join(out, plan)) == _read(
                    os.path.join(out, whole)
                ):
                    problem = f"changes nothing in the plan of '{case}'"
                if not problem:
                    entries.append({"what": describe(mutant), "case": len(cases), "plan": plan})
                yield mutant, problem
        cases.append({"case": case, "plan": whole})
    contents = {"commit": commit, "chip": CHIP, "cases": cases, "mutants": entries}
    with open(os.path.join(out, "mutants.json"), "w", encoding="utf-8") as file:
        json.dump(contents, file, indent=1)
        file.write("\n")
