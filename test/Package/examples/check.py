# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples: on the CPU, on a driver that does nothing, and on a GPU where one is.

usage: check.py EXAMPLES-FOLDER TOOLS-FOLDER [--fake=FOLDER] [--plan=FILE]
                [--load=FILE ...]

EXAMPLES-FOLDER has the programs and net.mlir; --fake names the folder of a libcuda.so.1
whose kernels do nothing. --plan names the plan of net.mlir with its weights and machine
code; without it one is made. That plan and those of --load have to be loaded within
20 ms. Needs numpy, and the package's Python module for weights.
Works in the current folder.
"""

import argparse
import os
import re
import struct
import subprocess
import sys

arguments = argparse.ArgumentParser()
arguments.add_argument("examples")
arguments.add_argument("tools")
arguments.add_argument("--fake")
arguments.add_argument("--plan")
arguments.add_argument("--load", action="append", default=[])
options = arguments.parse_args()

PROGRAMS = ("run-plan", "frame-loop")
LOAD_LIMIT = 20  # milliseconds


def run(program, *arguments, fake=False):
    """Status, output and errors of an example."""
    environment = dict(os.environ)
    if fake:
        environment["LD_LIBRARY_PATH"] = options.fake
    done = subprocess.run([os.path.join(options.examples, program), *arguments],
                          capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout, done.stderr


def run_tool(name, *arguments):
    done = subprocess.run([os.path.join(options.tools, name), *arguments],
                          capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{name} {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def expect(condition, message):
    if not condition:
        sys.exit(f"check.py: {message}")


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def make_inputs():
    subprocess.run([sys.executable, "-m", "sparseconv.weights",
                    os.path.join(options.examples, "net.mlir"), "-o", "net.npz"], check=True)
    run_tool("sparseconv-sweep", "--beams", "16", "--azimuths", "400", "-o", "sweep.bin")
    run_tool("sparseconv-translate", "--network-to-plan", "--chip=sm_90a",
             os.path.join(options.examples, "net.mlir"), "-o", "bare.plan")
    run_tool("sparseconv-translate", "--plan-to-plan", "--weights=net.npz", "bare.plan",
             "-o", "net.plan")
    for name, weights in (("bare-cpu.plan", []), ("cpu.plan", ["--weights=net.npz"])):
        run_tool("sparseconv-translate", "--network-to-plan", "--target=cpu", *weights,
                 os.path.join(options.examples, "net.mlir"), "-o", name)


def check_without_driver():
    """The runtime says what is missing, and the program ends with status 1."""
    for program in PROGRAMS:
        status, output, errors = run(program, "net.plan", "sweep.bin")
        expect(status == 1 and not output, f"{program}: status {status}: {output}")
        expect(errors.startswith(f"{program}: SPARSECONV_NO_DRIVER: there is no CUDA driver"),
               f"{program}: {errors}")


def get_summary(output):
    """Shape, least, mean and largest value of "result 'y': 3x32, min -1, mean 0, max 1"."""
    found = re.search(r"result '.*': (?:tensor<)?([\dx]+\d)(?:xf32>)?(?:, min (\S+), mean (\S+), "
                      r"max (\S+))?$", output, re.M)
    expect(found, f"no result in: {output}")
    return found[1], [float(number) for number in found.groups()[1:] if number]


def compare(output):
    """What run-plan prints with what the package's own compiler computes."""
    reference = get_summary(run_tool("sparseconv-run", os.path.join(options.examples, "net.mlir"),
                                     "--weights=net.npz", "--input=sweep.bin"))
    shape, numbers = get_summary(output)
    expect(shape == reference[0], f"{shape}, expected {reference[0]}")
    for found, expected in zip(numbers, reference[1], strict=True):
        expect(abs(found - expected) < 1e-3, f"{numbers}, expected {reference[1]}")


def check_on_device():
    plan = options.plan or "net.plan"
    status, output, errors = run("run-plan", plan, "sweep.bin")
    expect(status == 0, errors)
    compare(output)
    check_loop("on the GPU", plan)
    return "".join(map(time_load, ([options.plan] if options.plan else []) + options.load))


def time_load(plan):
    """Of the file, in a process of its own, where the device is ready."""
    times = []
    for _ in range(7):
        found = re.search(r"loaded in (\S+) ms", run("run-plan", plan, "sweep.bin")[1])
        expect(found, f"{plan} is not loaded")
        times.append(float(found[1]))
    middle = sorted(times)[len(times) // 2]
    expect(middle < LOAD_LIMIT, f"{plan} loads in {times} ms")
    return f", {os.path.basename(plan)} loads in {middle} ms"


def check_loop(name, plan, *target, fake=False):
    status, output, errors = run("frame-loop", plan, "sweep.bin", "200", *target, fake=fake)
    expect(status == 0, f"{name}: status {status}: {errors}{output[-500:]}")
    lines = output.splitlines()
    expect([line.split(":")[0] for line in lines[:-1]] == [f"frame {i}" for i in range(200)],
           f"{name}: frames are missing or out of order: {output}")
    expect("frame 8: 0 points, 0x32, sum 0" in lines, output)
    expect(lines[-1].endswith("; 0 frames dropped"), lines[-1])
    if not target:
        expect("first frame: 0 allocations, 0 bytes of device memory" in lines[-1], lines[-1])
    if not fake:
        # Frames are the same after 72, and give the same sums.
        sums = [line.split("points, ")[1] for line in lines[:-1]]
        expect(sums[:72] == sums[72:144] and len(set(sums)) > 5, f"{name}: {output}")


def check_on_fake_driver():
    """All calls of the driver, with kernels that do nothing."""
    status, output, errors = run("run-plan", "net.plan", "sweep.bin", fake=True)
    expect(status == 0 and get_summary(output) == ("0x32", []), f"{output}{errors}")
    check_loop("on the fake driver", "net.plan", fake=True)
    check_refusals("net.plan", fake=True)
    check_message("cpu.plan", "sweep.bin", "SPARSECONV_WRONG_CHIP: cpu.plan: the plan is for CPUs",
                  fake=True)


def check_refusals(good, *target, **where):
    """Nothing ends the programs but they themselves."""
    write("none.bin", b"")
    expect(run("run-plan", good, "none.bin", *target, **where)[0] == 0, "a scan without points")
    with open(good, "rb") as file:
        plan = file.read()
    write("short.plan", plan[:-1])
    write("forged.plan", plan[:400] + bytes([plan[400] ^ 1]) + plan[401:])
    write("odd.bin", b"12345")
    write("nan.bin", struct.pack("<4f", 1, float("nan"), 2, 0))
    os.makedirs("folder", exist_ok=True)
    cases = [
        (good, "folder", "folder: not a scan of rows of four f32"),
        (good, "missing.bin", "missing.bin: not a scan of rows of four f32"),
        (good, "odd.bin", "odd.bin: not a scan of rows of four f32"),
        ("folder", "sweep.bin", "SPARSECONV_FILE_ERROR: folder: the file cannot be read"),
        ("missing.plan", "sweep.bin", "SPARSECONV_FILE_ERROR: missing.plan: the file cannot"),
        ("sweep.bin", "sweep.bin", "SPARSECONV_INVALID_PLAN: sweep.bin: not a plan"),
        ("short.plan", "sweep.bin", "SPARSECONV_INVALID_PLAN: short.plan: "),
        ("forged.plan", "sweep.bin", "SPARSECONV_INVALID_PLAN: forged.plan: "),
        ("bare-cpu.plan" if target else "bare.plan", "sweep.bin", "does not take points [?, 4] of i32 and features"),
    ]
    for plan, scan, message in cases:
        check_message(plan, scan, message, *target, **where)
    status, _, errors = run("run-plan", good, "nan.bin", *target, **where)
    expect(status == 1 and errors == "nan.bin: a point has no coordinate\n", errors)
    # In a loop that is a frame less.
    status, output, _ = run("frame-loop", good, "nan.bin", "3", *target, **where)
    expect(status == 1 and output.count("dropped: SPARSECONV_INVALID_ARGUMENT") == 3, output)
    for program in PROGRAMS:
        expect(run(program)[0] == 2, f"{program} without arguments")


def check_message(plan, scan, message, *target, **where):
    for program, arguments in (("run-plan", target), ("frame-loop", ("5", *target))):
        status, _, errors = run(program, plan, scan, *arguments, **where)
        expect(status == 1 and message in errors,
               f"{program} {plan} {scan}: status {status}: {errors}")


def check_on_cpu():
    for target in ("cpu", "cpu:sse2"):
        status, output, errors = run("run-plan", "cpu.plan", "sweep.bin", target)
        expect(status == 0, errors)
        compare(output)
        check_loop("on the CPU", "cpu.plan", target)
    check_refusals("cpu.plan", "cpu")
    check_message("net.plan", "sweep.bin", "SPARSECONV_WRONG_CHIP: net.plan: the plan is for a GPU", "cpu")
    check_message("cpu.plan", "sweep.bin", "SPARSECONV_WRONG_CHIP: ", "cpu:avx1024")


make_inputs()
check_on_cpu()
notes = ["on the CPU: ok"]
if options.fake:
    check_on_fake_driver()
    notes.append("with a driver that does nothing: ok")
if "SPARSECONV_NO_DRIVER" in run("run-plan", "net.plan", "sweep.bin")[2]:
    check_without_driver()
    notes.append("without a driver: ok")
else:
    notes.append(f"on the GPU: ok{check_on_device()}")
print("examples: " + "; ".join(notes))
