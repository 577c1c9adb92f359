"""Assembles the kernels of operations: assemble_operations.py PTXAS CHIP[,CHIP]
WORK FILE ...

The files hold cases as the execution tests do. Prints one line per module of cases;
the exit status says whether all kernels assemble as assemble.py wants them to. With
several chips the first module of each file is assembled for all of them.
"""

import functools
import os
import subprocess
import sys

EXECUTION = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "Execution")
sys.path.insert(0, EXECUTION)

import run_cases
from assemble import assemble_for_all


def write_module(functions, folder):
    for function in functions:
        function.sizes = ["1"]
    run_cases.Module(functions, folder, run_cases.Settings("cuda"))


def compile_ptx(folder, chip):
    """The PTX of the module's kernels."""
    plan = os.path.join(folder, "module.plan")
    translate = "sparseconv-translate"
    subprocess.run(
        [translate, "--network-to-plan", "--chip=" + chip, "-o", plan,
         os.path.join(folder, "module.mlir")], check=True,
    )  # fmt: skip
    return subprocess.run(
        [translate, "--plan-to-ptx", plan], check=True, capture_output=True
    ).stdout


def main():
    ptxas, chips, work, *files = sys.argv[1:]
    failed = False
    for path in files:
        for number, functions in enumerate(run_cases.read_groups(path)):
            folder = os.path.join(work, os.path.basename(path), str(number))
            write_module(functions, folder)
            compile_module = functools.partial(compile_ptx, folder)
            problems = assemble_for_all(ptxas, chips.split(","), compile_module, number == 0)
            names = "; ".join(function.line for function in functions)
            print("FAILED" if problems else "ok", names, *problems, flush=True)
            failed |= bool(problems)
    sys.exit(failed)


if __name__ == "__main__":
    main()
