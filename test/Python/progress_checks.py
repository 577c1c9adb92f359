"""Checks of sparseconv.progress and sparseconv.tune, on a terminal of their own.

usage: progress_checks.py NETWORK.mlir SCAN FOLDER
"""

import os
import pty
import subprocess
import sys

import sparseconv
from checks import expect, expect_equal, expect_error
from sparseconv import progress

NETWORK, SCAN, FOLDER = sys.argv[1:]
SLOW = """
import sys, time
from sparseconv import progress
for item in progress.track(range(4), "counting"):
    time.sleep(0.3)
print(item)
"""


def run_on_terminal(program, **environment):
    """What a program writes to stderr where that is a terminal, and its stdout."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=theirs,
        env=dict(os.environ, **environment), text=True,
    )  # fmt: skip
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break  # the other end is closed
        if not part:
            break
        written += part
    os.close(ours)
    output = process.communicate()[0]
    expect_equal(process.returncode, 0)
    return written.decode(), output


def check_loop():
    written, output = run_on_terminal(SLOW)
    expect_equal(output, "3\n")
    expect("counting, [######..................] 1/4" in written, repr(written))
    expect("3/4, 1 s, about 0 s left" in written, repr(written))
    expect(written.endswith("\r\x1b[K"), "the line is not erased")


def check_off():
    expect_equal(run_on_terminal(SLOW, SPARSECONV_PROGRESS="0")[0], "")
    expect_equal(run_on_terminal("from sparseconv import progress\n"
                                 "progress.enable(False)\n" + SLOW)[0], "")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, check=True)
    expect_equal(done.stderr, b"")


def check_short():
    """What is done within half a second says nothing."""
    expect_equal(run_on_terminal(SLOW.replace("0.3", "0.01"))[0], "")


def check_compile():
    """A compilation that takes a while has a line, in a plan's case and a process's."""
    for options in ("target='cpu'", "target='cpu', in_process=True"):
        program = "import sparseconv, sparseconv.progress as p\np._DELAY = 0\n"
        program += f"sparseconv.compile({NETWORK!r}, {options})"
        written, _ = run_on_terminal(program)
        expect("compiling net.mlir, 0 s" in written, repr(written))


def check_arguments():
    expect_error(sparseconv.ArgumentError, "'no'", progress.enable, "no")
    expect_equal(progress.format_time(125.9), "2 min 05 s")
    expect_equal(progress.format_time(7.2), "7 s")


def check_tune():
    """The database is read by the compiler, and steps are on the terminal."""
    database = os.path.join(FOLDER, "tuned.json")
    program = f"""
import sparseconv, sparseconv.progress as p
p._DELAY = 0
lines = sparseconv.tune({NETWORK!r}, {database!r}, scans=[{SCAN!r}], inputs=["random"], choices=2)
assert any(line.startswith("[") for line in lines), lines
sparseconv.compile({NETWORK!r}, target="cpu", tuning_database={database!r})
"""
    written, _ = run_on_terminal(program)
    expect("tuning net.mlir, [" in written, repr(written))
    expect(os.path.getsize(database) > 0)
    expect_error(sparseconv.CompileError, "no-such", sparseconv.tune, "no-such.mlir", database)


checks = [value for name, value in list(globals().items()) if name.startswith("check_")]
for run in checks:
    run()
print(f"{len(checks)} checks passed")
