"""Runs what a lit test's RUN lines say, on a target, without lit: bash and
match_lines.py are enough for the programs of this folder."""

import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
UNKNOWN = 77  # of match_lines.py

PRELUDE = """set -o pipefail
not() { "$@"; local status=$?; ((status != 0 && status < 128)); }
FileCheck() { "$PYTHON" "$HERE/match_lines.py" "$@"; }
"""


def read_commands(path, work):
    """[(line number, command)] with lit's substitutions made."""
    commands, definitions, pending = [], {}, ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = re.search(r"(?:^|\s)(RUN|DEFINE):(.*)", line)
            if not match:
                continue
            kind, text = match[1], match[2].strip()
            if kind == "DEFINE":
                name, _, value = text.partition("=")
                definitions[name.strip()] = value.strip()
                continue
            first = first if pending else number
            pending += text
            if pending.endswith("\\"):
                pending = pending[:-1]
                continue
            commands.append((first, pending))
            pending = ""
    fixed = {"%python": shlex.quote(sys.executable), "%s": path,
             "%S": os.path.dirname(path), "%t": os.path.join(work, "t")}  # fmt: skip
    result = []
    for number, command in commands:
        for _ in definitions:  # a definition may name another
            for name, value in definitions.items():
                command = command.replace(name, value)
        for name, value in fixed.items():
            command = re.sub(re.escape(name) + r"(?!\w)", lambda _: value, command)
        result.append((number, command))
    return result


def run_command(command, settings, work):
    """(outcome, message) of one RUN line."""
    program = [*settings.launcher, "sparseconv-run"]
    if "--target" not in command:
        program += [f"--target={settings.target}", *settings.options]
    command = re.sub(
        r"(?<![\w/-])sparseconv-run(?=\s)", lambda _: shlex.join(program), command
    )
    os.makedirs(work, exist_ok=True)
    environment = dict(os.environ, HERE=HERE, PYTHON=sys.executable)
    try:
        done = subprocess.run(
            ["bash", "-c", PRELUDE + command],
            cwd=work,
            env=environment,
            capture_output=True,
            text=True,
            timeout=settings.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "failed", f"no end after {settings.timeout} s"
    if done.returncode == UNKNOWN:
        return "skipped", "needs FileCheck"
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        return "failed", f"exit {done.returncode}: " + " | ".join(lines[:6])
    return "passed", ""
