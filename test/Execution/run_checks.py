#!/usr/bin/env python3
"""Runs every execution test on a target, without lit: the cases of the *.test
files, the *.mlir programs, the networks and the Python package.

usage: run_checks.py [--target=cuda] [--jobs=N] [--only=PATTERN] [--large]
                     [--scan=FILE [--bin-columns=N] [--voxel-size=METRES]]
                     [--random=N [--seed=S] [--type=f32|tf32|f16|bf16]]
                     [--streams=N] [--exact] [--sanitize]
                     [--timeout=SECONDS] [--time-limit=SECONDS]
                     [--work=FOLDER] [--json=FILE]

The tools are looked for in PATH. With --scan the networks run on that scan, and
nothing else does; a row's message is the error and its bound. With --random N networks of random
operations on random sets are compared with the reference, those of the seeds S to
S + N - 1, and nothing else runs; of one that fails the command is printed that
makes it again and writes its files. At most 2 percent of them may be skipped, as
those whose sets need more memory than the GPU has. --streams and --exact are
those of sparseconv-run. With --sanitize the cases of
Inputs/sanitize.cases and two programs run under each tool of compute-sanitizer,
and nothing else does. The last line is 'N passed, N failed, N skipped'; the exit
status is 0 when nothing failed.
"""

import argparse
import concurrent.futures
import ctypes
import dataclasses
import glob
import json
import multiprocessing
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, os.pardir, "Python", "check_package.py")
sys.path.insert(0, os.path.dirname(PACKAGE))

import network_bounds
import random_networks
import run_cases
import run_programs
import run_structured
from check_package import CHECKS, SKIPPED
from sparseconv.module import get_chip

NETWORKS = os.path.join(HERE, os.pardir, "Networks")
GRADIENTS = ("minkunet42", "resnet21d", "spconvbench")
SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")
PYTHON_CASES = (
    "downsample",
    "conv channels=33 out_channels=16",
    "conv channels=16 out_channels=32 dtype=bf16",
    "pool kind=max dtype=f16",
)
SANITIZER_ERROR = 86  # its exit status when it finds something


# The machine.


def get_cuda_chip():
    """Name and capability of the first GPU, or raises OSError."""
    driver = ctypes.CDLL("libcuda.so.1")
    device, name = ctypes.c_int(), ctypes.create_string_buffer(256)
    if driver.cuInit(0) != 0 or driver.cuDeviceGet(ctypes.byref(device), 0) != 0:
        raise OSError("the driver finds no device")
    driver.cuDeviceGetName(name, len(name), device)
    version = []
    for attribute in (75, 76):  # compute capability, major and minor
        number = ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(number), attribute, device)
        version.append(number.value)
    return f"{name.value.decode()} (sm_{version[0]}{version[1]})"


def get_processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def get_commit():
    """Of the bundle, or of the checkout that this file is in."""
    if commit := os.environ.get("SPARSECONV_COMMIT"):
        return commit
    command = ["git", "-C", HERE, "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


# Jobs: what runs in one process, and the names of its rows.


class CasesJob:
    """The cases of one module."""

    def __init__(self, file, number, group, settings, work):
        self.group, self.settings = group, settings
        self.folder = os.path.join(work, os.path.basename(file), str(number))
        self.prefix = os.path.basename(file).split(".")[0]

    def get_name(self, function, label):
        case = re.sub(r"^case | sizes=\S+", "", function.line)
        return f"{self.prefix}: {case}, size {label}"

    def get_names(self):
        return [self.get_name(f, label) for f in self.group for label in f.sizes]

    def keep(self, pattern):
        """Leaves only the cases of which a row's name has the pattern."""
        self.group = [
            f
            for f in self.group
            if any(pattern.search(self.get_name(f, label)) for label in f.sizes)
        ]

    def run(self):
        found = run_cases.execute(self.group, self.folder, self.settings)
        rows = []
        for function in self.group:
            messages = {label: m for (f, label), m in found.items() if f is function}
            whole = messages.get(run_cases.ALL_SIZES, [])
            for label in function.sizes:
                wrong = messages.get(label, []) + whole
                outcome = "failed" if wrong else "passed"
                rows.append((self.get_name(function, label), outcome, "; ".join(wrong)))
            if wrong := messages.get(run_cases.TOGETHER):
                name = self.get_name(function, run_cases.TOGETHER)
                rows.append((name, "failed", "; ".join(wrong)))
        if not any(outcome == "failed" for _, outcome, _ in rows):
            shutil.rmtree(self.folder, ignore_errors=True)
        return rows


class ProgramJob:
    """The RUN lines of a file; they may use each other's results."""

    def __init__(self, file, settings, work):
        self.name, self.settings = os.path.basename(file), settings
        self.work = os.path.join(work, self.name)
        self.commands = run_programs.read_commands(file, self.work)
        with open(file, encoding="utf-8") as text:
            self.needs_gpu = "REQUIRES: cuda" in text.read()
        if "--exact" in settings.options:  # a profile is by capacity
            self.commands = [(n, c) for n, c in self.commands if "--profile" not in c]

    def get_names(self):
        return [f"{self.name}, line {number}" for number, _ in self.commands]

    def run(self):
        if self.needs_gpu and self.settings.on_cpu:
            return [(name, "skipped", "it is for GPUs") for name in self.get_names()]
        rows = []
        for name, (_, command) in zip(self.get_names(), self.commands):
            found = run_programs.run_command(command, self.settings, self.work)
            rows.append((name, *found))
        return rows


# The same under a tool of compute-sanitizer.


def watch(settings, program, tool):
    launcher = (program, f"--tool={tool}", f"--error-exitcode={SANITIZER_ERROR}")
    # With several streams initcheck called a word unwritten in 2 of 500 runs, though an
    # event orders the kernel that writes it before the one that reads it.
    options = ("--streams=1",) if tool == "initcheck" else settings.options
    # Poison would make memory that no kernel has written look written.
    return dataclasses.replace(settings, launcher=launcher, options=options, poison=False)


def skip_unsupported(rows):
    for name, outcome, message in rows:
        yield name, "skipped" if "Device not supported" in message else outcome, message


class SanitizedCasesJob(CasesJob):
    def __init__(self, prefix, *arguments):
        super().__init__(*arguments)
        self.prefix = prefix

    def run(self):
        return list(skip_unsupported(super().run()))


class SanitizedProgramJob(ProgramJob):
    def __init__(self, prefix, *arguments):
        super().__init__(*arguments)
        self.name = f"{prefix}: {self.name}"
        # What they print and write is checked without the tool.
        self.commands = [
            (number, command.partition(" | ")[0])
            for number, command in self.commands
            if not re.search(r"^cmp |SPARSECONV_POISON=1", command)
        ]

    def run(self):
        return list(skip_unsupported(super().run()))


class NetworkJob:
    """A network with random weights on a scan, or on a small made-up sweep."""

    def __init__(self, name, dtype, options, settings):
        self.name, self.dtype, self.settings = name, dtype, settings
        self.work = os.path.join(options.work, f"{name}-{dtype}")
        self.scan = options.scan and os.path.abspath(options.scan)
        self.reading = f"--voxel-size={options.voxel_size}"
        if not self.scan or self.scan.lower().endswith(".bin"):
            self.reading += f" --bin-columns={options.bin_columns}"

    def get_names(self):
        return [f"network {self.name}, {self.dtype}"]

    def run(self):
        python = '"$PYTHON" -m sparseconv.'
        scan = f"--input={shlex.quote(self.scan or 'sweep.bin')} {self.reading}"
        command = (
            f"{python}networks {self.name} --dtype {self.dtype} > net.mlir"
            f" && {python}weights net.mlir -o net.npz"
            " && sparseconv-sweep --beams=32 --azimuths=400 -o sweep.bin"
            f" && sparseconv-run net.mlir --weights=net.npz {scan} --check | tee check.txt"
        )
        outcome, message = run_programs.run_command(command, self.settings, self.work)
        if outcome == "passed":
            with open(os.path.join(self.work, "check.txt"), encoding="utf-8") as file:
                errors = re.findall(r"relative L2 ([^;\s]+); bound", file.read())
            outcome, message = self.judge([float(error) for error in errors])
        return [(self.get_names()[0], outcome, message)]

    def judge(self, errors):
        bound = network_bounds.get_bound(self.settings.target, self.name, self.dtype)
        message = "relative L2 " + ", ".join(f"{error:.2g}" for error in errors)
        wrong = not errors or not all(error <= bound for error in errors)
        return "failed" if wrong else "passed", f"{message}; bound {bound:.2g}"


class GradientJob:
    """The gradient of a network in f32 on a few points: with many, or where numbers are
    rounded to fewer bits, some rectifier passes its corner, and its gradient is another."""

    def __init__(self, name, options, settings):
        self.name, self.settings = name, settings
        self.work = os.path.join(options.work, f"{name}-gradient")

    def get_names(self):
        return [f"gradient of network {self.name}, f32"]

    def run(self):
        command = (
            f'"$PYTHON" -m sparseconv.networks {self.name} > net.mlir'
            ' && "$PYTHON" "$HERE/check_gradient.py" net.mlir . --only-write --points=100'
            f" && sparseconv-run gradient.mlir --entry={self.name}_gradient"
            f" --weights={self.name}.npz --check"
        )
        found = run_programs.run_command(command, self.settings, self.work)
        return [(self.get_names()[0], *found)]


class PackageJob:
    """A check of the Python package."""

    def __init__(self, name, settings):
        self.name, self.settings = name, settings

    def get_names(self):
        return [f"package: {self.name}"]

    def run(self):
        target = self.settings.target.partition(":")[0]
        command = [sys.executable, PACKAGE, f"--target={target}", self.name]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False,
                timeout=self.settings.timeout,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            message = f"no end after {self.settings.timeout} s"
            return [(self.get_names()[0], "failed", message)]
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no output"]
        outcomes = {0: "passed", SKIPPED: "skipped"}
        outcome = outcomes.get(done.returncode, "failed")
        message = "" if outcome == "passed" else " | ".join(lines[:6])
        return [(self.get_names()[0], outcome, message)]


class PythonJob:
    """A case through the package's runtime module, which is for GPUs."""

    def __init__(self, case, settings, work):
        self.case, self.settings = case, settings
        self.work = os.path.join(work, "python-" + case.replace(" ", "-"))

    def get_names(self):
        return [f"python: {self.case}"]

    def run(self):
        if self.settings.on_cpu:
            return [(self.get_names()[0], "skipped", "the package is for GPUs")]
        command = f'"$PYTHON" "$HERE/run_python.py" . {self.case}'
        found = run_programs.run_command(command, self.settings, self.work)
        return [(self.get_names()[0], *found)]


def has_wgmma(target):
    """Whether the chip that `target` names, or the first one here, has it."""
    return (target.partition(":")[2] or get_chip(0)) == "sm_90a"


def make_jobs(options):
    work = options.work
    chosen = (f"--streams={options.streams}",) if options.streams else ()
    if options.exact:
        chosen += ("--exact",)
    settings = run_cases.Settings(options.target, options=chosen, timeout=options.timeout)
    if options.sanitize:
        return make_sanitizer_jobs(settings, work)
    if options.random:
        return random_networks.make_jobs(options, settings)
    # What takes longest comes first.
    files = sorted(glob.glob(os.path.join(NETWORKS, "*.mlir")))
    jobs = [
        NetworkJob(os.path.basename(file)[: -len(".mlir")], dtype, options, settings)
        for file in files
        for dtype in ("f32", "tf32", "f16", "bf16")
    ]
    if options.scan:
        return jobs
    jobs += [GradientJob(name, options, settings) for name in GRADIENTS]
    names = CHECKS[options.target.partition(":")[0]]
    jobs += [PackageJob(name, settings) for name in names]
    jobs += [PythonJob(case, settings, work) for case in PYTHON_CASES]
    jobs += run_structured.make_jobs(settings, work)
    for file in sorted(glob.glob(os.path.join(HERE, "*.mlir"))):
        jobs.append(ProgramJob(file, settings, work))
    files = sorted(glob.glob(os.path.join(HERE, "*.test")))
    if not options.target.startswith("cpu"):
        # The processor has no tiles whose rows have an order, and takes the other dataflow.
        names = ["row-orders", "row-stages", "odd-rows", "weight-stationary", "groups"]
        if has_wgmma(options.target):
            loops = ["groups", "odd-rows", "producer", "ring", "weight-grad"]
            names += [f"{loop}-wgmma" for loop in loops]
        for name in names:
            files.append(os.path.join(HERE, "Inputs", f"{name}.cases"))
    for file in files:
        if os.path.basename(file) == "large.test" and not options.large:
            continue
        for number, group in enumerate(run_cases.read_groups(file)):
            jobs.append(CasesJob(file, number, group, settings, work))
    return jobs


def make_sanitizer_jobs(settings, work):
    program = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(program):
        sys.exit("run-checks: error: --sanitize needs compute-sanitizer, in PATH or "
                 "in /usr/local/cuda/bin")  # fmt: skip
    # mma.sync does what wgmma does on chips that have none.
    older = dataclasses.replace(settings, target="cuda:sm_80")
    jobs = []
    for tool in SANITIZERS:
        folder = os.path.join(work, tool)
        files = [
            (settings, "sanitize.cases", tool),
            (older, "sanitize-sm_80.cases", f"{tool} for sm_80"),
        ]
        if has_wgmma(settings.target):
            files.append((settings, "sanitize-wgmma.cases", tool))
        for chosen, name, prefix in files:
            file = os.path.join(HERE, "Inputs", name)
            for number, group in enumerate(run_cases.read_groups(file)):
                watched = watch(chosen, program, tool)
                jobs.append(SanitizedCasesJob(prefix, file, number, group, watched, folder))
        for name in ("batch-norm.mlir", "pair-lists.mlir"):
            file = os.path.join(HERE, name)
            jobs.append(SanitizedProgramJob(tool, file, watch(settings, program, tool), folder))
    return jobs


# All of them.


def run_job(job):
    start = time.monotonic()
    try:
        rows = job.run()
    except Exception as error:  # a defect of the tests is a failure of theirs
        message = f"{type(error).__name__}: {error}"
        rows = [(name, "failed", message) for name in job.get_names()]
    return rows, time.monotonic() - start


def run_jobs(jobs, options, save):
    """[{name, outcome, ...}] of all jobs; those without time left are skipped. Calls
    `save` with the rows so far and the number of jobs left."""
    rows = []
    deadline = time.monotonic() + options.time_limit if options.time_limit else None
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, context) as pool:
        futures = {pool.submit(run_job, job): job for job in jobs}
        pending = set(futures)
        while pending:
            left = deadline and max(0, deadline - time.monotonic())
            done, pending = concurrent.futures.wait(
                pending, left, concurrent.futures.FIRST_COMPLETED
            )
            if not done:
                # Those that run already end by themselves.
                for future in [f for f in pending if f.cancel()]:
                    pending.remove(future)
                    names = futures[future].get_names()
                    rows += [make_row(n, "skipped", "no time left") for n in names]
                deadline = None
            for future in done:
                found, seconds = future.result()
                rows += make_rows(found, seconds)
            save(rows, len(pending))
    rows += make_rows(random_networks.judge(rows))
    save(rows, 0)
    return rows


def make_rows(found, seconds=0.0):
    """Of what a job found; prints those that failed."""
    for name, outcome, message in found:
        if outcome == "failed":
            print(f"FAILED: {name}: {message}", flush=True)
    return [make_row(*row, seconds / len(found)) for row in found]


def make_row(name, outcome, message, seconds=0.0):
    row = {"name": name, "outcome": outcome, "seconds": round(seconds, 3)}
    if message:
        row["message"] = message
    return row


def parse_arguments():
    parser = argparse.ArgumentParser(prog="run-checks")
    parser.add_argument("--target", default="cuda", help="cuda, cuda:CHIP or cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="rows whose names match this pattern")
    parser.add_argument("--large", action="store_true", help="also sets of 100 000 rows")
    parser.add_argument("--scan", help="the networks alone, on this file")
    parser.add_argument("--bin-columns", type=int, default=4, help="of a .bin scan")
    parser.add_argument("--voxel-size", type=float, default=0.05, help="of a scan, in metres")
    parser.add_argument("--random", type=int, metavar="N", help="N random networks alone")
    parser.add_argument("--seed", type=int, default=1, help="of the first random network")
    parser.add_argument("--type", choices=random_networks.TYPES, help="of random networks")
    parser.add_argument("--streams", type=int, help="of a GPU, for networks and cases")
    parser.add_argument("--exact", action="store_true", help="sizes, for networks and cases")
    parser.add_argument("--sanitize", action="store_true", help="compute-sanitizer alone")
    parser.add_argument("--timeout", type=float, default=300, help="seconds of one run")
    parser.add_argument("--time-limit", type=float, help="seconds; then skip the rest")
    parser.add_argument("--work", help="folder for files (default: one that is deleted)")
    parser.add_argument("--json", default="checks.json", help="file for the results")
    options = parser.parse_args()
    try:
        options.only = re.compile(options.only)
    except re.error as error:
        parser.error(f"--only={options.only}: {error}")
    if options.random is not None and options.random < 1:
        parser.error(f"--random={options.random}: expected a number of networks")
    if options.streams and not options.target.startswith("cuda"):
        parser.error("--streams is for a GPU")
    if options.exact and (options.random or not options.target.startswith("cuda")):
        parser.error("--exact is for a GPU, and not for --random")
    return options


def choose_jobs(options):
    for job in make_jobs(options):
        if isinstance(job, CasesJob):
            job.keep(options.only)
        if any(options.only.search(name) for name in job.get_names()):
            yield job


def count_outcomes(rows):
    return {
        outcome: sum(row["outcome"] == outcome for row in rows)
        for outcome in ("passed", "failed", "skipped")
    }


def write_report(path, report):
    """In one step: who reads it finds a whole one."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
        file.write("\n")
    os.replace(path + ".new", path)


def main():
    options = parse_arguments()
    if not shutil.which("sparseconv-run"):
        sys.exit("run-checks: error: there is no sparseconv-run in PATH")
    chip = get_processor()
    if options.target.startswith("cuda"):
        try:
            chip = get_cuda_chip()
        except OSError as error:
            sys.exit(f"run-checks: error: no GPU: {error}")
    temporary = None
    if not options.work:
        temporary = tempfile.TemporaryDirectory(prefix="sparseconv-checks-")
        options.work = temporary.name
    options.work = os.path.abspath(options.work)
    jobs = list(choose_jobs(options))
    start = time.monotonic()
    head = {"commit": get_commit(), "target": options.target, "chip": chip}

    def save(rows, left):
        report = {
            **head,
            "seconds": round(time.monotonic() - start, 1),
            "jobs_left": left,
            **count_outcomes(rows),
            "rows": sorted(rows, key=lambda row: row["name"]),
        }
        write_report(options.json, report)

    save([], len(jobs))
    rows = run_jobs(jobs, options, save)
    if temporary:
        temporary.cleanup()
    counts = count_outcomes(rows)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
