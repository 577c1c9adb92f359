"""Assembles kernels: assemble.py PTXAS TOOL CHIP < variants

Each line of the input is one variant, as options of the tool. Prints a line a
variant; the exit status says whether all of them assemble without spills, local
memory or serialised wgmma.
"""

import re
import subprocess
import sys
import tempfile


def problems(ptxas, tool, chip, options):
    run = subprocess.run(
        [tool, "--chip=" + chip] + options, capture_output=True, text=True
    )
    if run.returncode:
        return [run.stderr.strip() or "the tool failed"]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(run.stdout)
        file.flush()
        run = subprocess.run(
            [ptxas, "-arch=" + chip, "-O3", "-v", file.name, "-o", "/dev/null"],
            capture_output=True,
            text=True,
        )
    log = run.stdout + run.stderr
    found = re.findall(r"[1-9]\d* bytes (?:stack frame|spill \w+|lmem)", log)
    found += re.findall(r".*\(C75\d\d\).*", log)
    if run.returncode:
        found.append(log)
    return found


def main():
    ptxas, tool, chip = sys.argv[1:]
    failed = False
    for line in sys.stdin:
        options = line.split()
        found = problems(ptxas, tool, chip, options)
        print("ok" if not found else "FAILED", line.strip(), *found)
        failed |= bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    main()
