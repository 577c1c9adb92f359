"""Runs a command on each part of a file of wrong programs and checks what it
says: check_messages.py FILE COMMAND... .

Parts are separated by `// -----`; a part says what it expects in a comment,
`// expected: TEXT`, in its messages. The command has to end with status 1, with
one error that names a place, and with no more than the line it is on, the mark
under it and one line of the tool's own."""

import re
import subprocess
import sys
import tempfile

MAX_LINES = 4


def check(number, part, command):
    expected = re.search(r"// expected: (.*)", part)[1]
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(part)
        file.flush()
        command = [file.name if word == "FILE" else word for word in command]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stderr.splitlines()
    problems = []
    if done.returncode != 1:
        problems.append(f"ended with {done.returncode}")
    if len(lines) > MAX_LINES:
        problems.append(f"{len(lines)} lines")
    if not any(re.search(r"\.mlir:\d+:\d+: ", line) for line in lines):
        problems.append("names no place")
    if expected not in done.stderr:
        problems.append(f"does not say: {expected}")
    if problems:
        print(f"part {number}: {'; '.join(problems)}:\n{part}\n" + "\n".join(lines[:12]))
    return not problems


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        parts = file.read().split("// -----\n")
    results = [check(i, part, sys.argv[2:]) for i, part in enumerate(parts)]
    print(f"{sum(results)} of {len(results)} messages are as they should be")
    sys.exit(not all(results))
