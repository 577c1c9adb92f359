"""Assembles kernels: assemble.py PTXAS TOOL CHIP < variants

Each line of the input is one variant, as options of the tool. Prints one line per
variant; the exit status says whether all of them assemble without spills, local
memory or serialised wgmma.
"""

import re
import subprocess
import sys
import tempfile


def find_problems(ptxas, chip, ptx):
    """What is wrong with the machine code of some PTX, by kernel."""
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        run = subprocess.run(
            [ptxas, "-arch=" + chip, "-O3", "-v", file.name, "-o", "/dev/null"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    log = run.stdout + run.stderr
    if run.returncode:
        return [log]
    found = [
        f"{kernel}: {sizes.strip()}"
        for kernel, sizes in re.findall(r"properties for (\w+)\n(.*)", log)
        if re.search(r"[1-9]\d* bytes (?:stack frame|spill)", sizes)
    ]
    found += re.findall(r"[1-9]\d* bytes lmem", log)
    return found + re.findall(r".*\(C75\d\d\).*", log)


def main():
    ptxas, tool, chip = sys.argv[1:]
    failed = False
    for line in sys.stdin:
        command = [tool, "--chip=" + chip, *line.split()]
        run = subprocess.run(command, capture_output=True, check=False)
        if run.returncode:
            problems = [run.stderr.decode().strip() or "the tool failed"]
        else:
            problems = find_problems(ptxas, chip, run.stdout)
        print("FAILED" if problems else "ok", line.strip(), *problems)
        failed |= bool(problems)
    sys.exit(failed)


if __name__ == "__main__":
    main()
