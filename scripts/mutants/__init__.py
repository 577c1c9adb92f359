"""The lines that scripts/mutate changes, and whether they are still there.

cpu.py, gpu.py and device.py each have a table MUTANTS of (file, old text, new text,
tests). Mutants of cpu.py may change any text and are built one at a time. Those of
the others are built together, each behind a switch (switches.py), so that the old
text is an expression, or a statement that ends in a semicolon.
"""

import collections
import fnmatch
import os
import re

from . import cpu, device, gpu, switches

Mutant = collections.namedtuple("Mutant", "file old new tests")


def _read(module):
    return [Mutant(file, old, new, tests.split()) for file, old, new, tests in module.MUTANTS]


ALONE = _read(cpu)
SWITCHED = _read(gpu)
# Their test is one case, whose line has blanks.
DEVICE = [Mutant(file, old, new, [case]) for file, old, new, case in device.MUTANTS]
# The numbers of those that are built together are their places here.
TOGETHER = SWITCHED + DEVICE


def describe(mutant):
    return f"{mutant.file}: {mutant.old!r} -> {mutant.new!r}"


def _find_unit_tests(root):
    """The names of all GoogleTest programs, and of all tests."""
    programs, tests = set(), set()
    for folder, _, names in os.walk(os.path.join(root, "test", "Unit")):
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            if name == "CMakeLists.txt":
                programs.update(re.findall(r"add_sparseconv_unittest\((\w+)", text))
            for macro, suite, test in re.findall(r"^TEST(\w*)\((\w+),\s*(\w+)\)", text, re.M):
                tests.add(f"Cases/{suite}.{test}/0" if macro == "_P" else f"{suite}.{test}")
    return programs, tests


def _find_test_problem(root, test, programs, names):
    if test.startswith("test/"):
        return "" if os.path.exists(os.path.join(root, test)) else f"there is no {test}"
    if test.startswith("case "):
        template = os.path.join("test", "oracle", test.split()[1] + ".mlir.in")
        return "" if os.path.exists(os.path.join(root, template)) else f"there is no {template}"
    program, _, pattern = test.partition(":")
    if program not in programs:
        return f"there is no program {program}"
    if not fnmatch.filter(names, pattern or "*"):
        return f"no test is called {pattern}"
    return ""


def find_problems(root):
    """What is wrong with the tables, found without a build: [text]."""
    problems = []
    programs, names = _find_unit_tests(root)
    by_file = collections.defaultdict(list)
    for mutant in ALONE + TOGETHER:
        try:
            with open(os.path.join(root, mutant.file), encoding="utf-8") as file:
                count = file.read().count(mutant.old)
        except FileNotFoundError:
            problems.append(f"{describe(mutant)}: no such file")
            continue
        if count != 1:
            problems.append(f"{describe(mutant)}: the old text is in the file {count} times")
            continue
        for test in mutant.tests:
            if problem := _find_test_problem(root, test, programs, names):
                problems.append(f"{describe(mutant)}: {problem}")
    for number, mutant in enumerate(TOGETHER):
        by_file[mutant.file].append((number, mutant))
        if not switches.is_whole(mutant.old) or not switches.is_whole(mutant.new):
            problems.append(f"{describe(mutant)}: no whole expression or statement")
    if not problems:
        for name, mutants in by_file.items():
            with open(os.path.join(root, name), encoding="utf-8") as file:
                if problem := switches.find_overlap(file.read(), mutants):
                    problems.append(f"{name}: {problem}")
    return problems
