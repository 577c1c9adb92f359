# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how to carry out a network, with the program sparseconv-tune."""

import os
import re
import subprocess
import tempfile

from . import progress
from .compiler import find_program, make_list
from .errors import CompileError, Error

_STEP = re.compile(r"\[(\d+)/(\d+)\] ")


def tune(network, output, *, scans=(), weights=None, inputs=(), target="cpu", entry=None,
         choices=None, options=()):  # fmt: skip
    """Measures which search, dataflow, tiling and order of rows is fastest for each
    layer of a network on this machine, and writes a tuning database, which
    `compile(..., tuning_database=output)` reads. Minutes, with a line on a terminal
    that says how many are left.

    network  the path of a file of IR
    output   the path of the database; one that is there is added to
    scans    the path of a scan to measure on, or several, which are weighed alike
    weights  the path of a file of weights
    inputs   other arguments as for `sparseconv-run --input`, such as "x=random"
    target   "cpu" or "cuda", also with a chip
    entry    the function to tune, where there are several
    choices  how many choices of a kind of layer are measured in one stage at most
    options  further options of `sparseconv-tune`, as it takes them

    Returns what the program printed, a line each, the choices that it made among
    them. A network that cannot be compiled, and arguments that do not fit it, are a
    `CompileError`.

        sparseconv.tune("net.mlir", "tuned.json", scans=["sweep.bin"], weights="net.npz")
        net = sparseconv.compile("net.mlir", target="cpu", tuning_database="tuned.json")
    """
    command = [find_program("sparseconv-tune"), os.fspath(network), "-o", os.fspath(output)]
    command += [f"--target={target}"]
    command += [f"--scan={os.fspath(scan)}" for scan in make_list(scans)]
    command += [f"--input={value}" for value in make_list(inputs)]
    for name, value in (("weights", weights), ("entry", entry), ("choices", choices)):
        if value is not None:
            command.append(f"--{name}={value}")
    lines = []
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as diagnostics:
        with progress.show(f"tuning {os.path.basename(os.fspath(network))}") as line, subprocess.Popen(
            [*command, *make_list(options)], stdout=subprocess.PIPE, stderr=diagnostics,
            encoding="utf-8", errors="replace",
        ) as process:  # fmt: skip
            try:
                for text in process.stdout:
                    lines.append(text.rstrip("\n"))
                    if step := _STEP.match(text):
                        line.done, line.total = map(int, step.groups())
            except BaseException:
                process.kill()
                raise
        diagnostics.seek(0)
        found = diagnostics.read()
    if process.returncode:
        raise _make_error(process.returncode, found)
    return lines


def _make_error(status, diagnostics):
    if status < 0:
        return Error(f"sparseconv-tune ended by signal {-status}")
    errors = [line for line in diagnostics.splitlines() if "error: " in line]
    message = errors[0] if errors else f"sparseconv-tune ended with status {status}"
    return CompileError(message, "SPARSECONV_COMPILER_REJECTED", diagnostics)
