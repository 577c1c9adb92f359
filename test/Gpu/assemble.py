"""Assembles kernels: assemble.py PTXAS TOOL CHIP[,CHIP] < variants

Each line of the input is one variant, as options of the tool. Prints one line per
variant; the exit status says whether all of them assemble without spills (but for a few
words where tasks are counted), local memory or serialised wgmma. With several chips,
whose kernels differ in numbers alone, the first variant is assembled for all of them,
and its PTX compared; the others are assembled for the first chip.
"""

import re
import subprocess
import sys
import tempfile


def assemble_for_all(ptxas, chips, make_ptx, compare):
    """What is wrong with kernels, which `make_ptx` compiles for a chip, on the first
    chip; with `compare` on all, and whether their PTX differs in more than numbers."""
    first, *others = chips
    ptx = make_ptx(first)
    problems = find_problems(ptxas, first, ptx)
    for chip in others if compare else ():
        own = make_ptx(chip)
        same = ptx.replace(f".target {first}".encode(), f".target {chip}".encode())
        if re.sub(rb"\d+", b"0", own) != re.sub(rb"\d+", b"0", same):
            problems.append(f"the PTX for {chip} is not that for {first}")
        problems += find_problems(ptxas, chip, own)
    return problems


ENTRY = re.compile(rb"^\.visible \.entry (\w+)\(.*?^\}\n", re.MULTILINE | re.DOTALL)
known = set()


def is_new(chip, kernel):
    """Whether no kernel for the chip had this text, but for its name and number."""
    text = kernel[0].replace(kernel[1], b"").replace(b"$L__BB", b"$L")
    text = chip, re.sub(rb"\$L\d+_", b"$L_", text)
    if text in known:
        return False
    known.add(text)
    return True


def find_problems(ptxas, chip, ptx):
    """What is wrong with the machine code of some PTX, by kernel. Many modules have the
    same kernels, which are assembled once."""
    entries = list(ENTRY.finditer(ptx))
    if len(entries) != ptx.count(b".entry") or not entries:
        return ["the PTX has entries that are not understood, or none"]
    kernels = {kernel[1]: kernel[0] for kernel in entries if is_new(chip, kernel)}
    if not kernels:
        return []
    new = ENTRY.sub(lambda kernel: kernel[0] if kernel[1] in kernels else b"", ptx)
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(new)
        file.flush()
        run = subprocess.run(
            [ptxas, "-arch=" + chip, "-O3", "-v", file.name, "-o", "/dev/null"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    log = run.stdout + run.stderr
    if run.returncode:
        return [log]
    # What takes tasks by a counter keeps a few words across tasks, which the loop over the
    # offsets of a task does not touch: more where all thread blocks share the counter.
    def get_most(kernel):
        text = kernels[kernel.encode()]
        counters = {b"atom.global.inc.u32": 16, b"atom.shared.inc.u32": 8}
        return max((most for counter, most in counters.items() if counter in text), default=0)

    found = [
        f"{kernel}: {sizes.strip()}"
        for kernel, sizes in re.findall(r"properties for (\w+)\n(.*)", log)
        if int(re.search(r"(\d+) bytes stack frame", sizes)[1]) > get_most(kernel)
    ]
    found += re.findall(r"[1-9]\d* bytes lmem", log)
    return found + re.findall(r".*\(C75\d\d\).*", log)


def main():
    ptxas, tool, chips = sys.argv[1:]
    failed = False
    for number, line in enumerate(sys.stdin):

        def make_ptx(chip):
            command = [tool, "--chip=" + chip, *line.split()]
            return subprocess.run(command, capture_output=True, check=True).stdout

        try:
            problems = assemble_for_all(ptxas, chips.split(","), make_ptx, number == 0)
        except subprocess.CalledProcessError as error:
            problems = [error.stderr.decode().strip() or "the tool failed"]
        print("FAILED" if problems else "ok", line.strip(), *problems)
        failed |= bool(problems)
    sys.exit(failed)


if __name__ == "__main__":
    main()
