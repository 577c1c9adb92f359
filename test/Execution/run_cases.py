#!/usr/bin/env python3
"""Runs the cases that a file lists, and says of each one that fails what is
wrong.

usage: run_cases.py FILE.test WORK_FOLDER [--only=TEXT] [--target=TARGET]

A line 'case NAME parameter=value ...' fills in test/oracle/NAME.mlir.in. Beside
the example's own parameters there are

  sizes=0,1,31x3   numbers of points; 'x3' makes three batch items, of which the
                   middle one is empty
  special=WORD     ties or nan among the features; none or all for masks; last:
                   one point is the last coordinate that the packing holds

A line 'each parameter=a|b' gives each of the cases below it once with every value,
up to the next such line.

Some cases at all their sizes make one module: a public function that calls one
private function for each case. It runs on the reference and on the target:

- each result of the target is held against the reference by --check, and both
  against the oracle beside this file, element by element;
- on the CPU a run on one thread gives the same bits as on two, and, for the
  first module of a file, so does another process on two;
- on a GPU (--target=cuda or cuda:CHIP) a second run gives the same bits, unless the
  case permits the order of additions to change.

Memory that the compiled code allocates is poisoned before use. With a level
(--target=cpu:avx2) the CPU runs with its instructions only; where the processor
has no such level the cases fail.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, os.pardir, "oracle")
sys.path.insert(0, EXAMPLES)

import fill
import operations
import oracle

DEFAULT_SIZES = "0x3,1,31x3,129,129x3,4999x3"
CASES_IN_A_MODULE = 8
# In the place of a size, where a run as a whole fails.
ALL_SIZES, TOGETHER = "all sizes", "with its neighbours"


@dataclass(frozen=True)
class Settings:
    """How modules run: on a target, behind a command such as a sanitizer."""

    target: str = "cpu"
    launcher: tuple = ()
    options: tuple = ()
    poison: bool = True
    timeout: float = 300

    @property
    def on_cpu(self):
        return self.target.split(":")[0] == "cpu"


class Function:
    """A filled example as a private function of a larger module."""

    def __init__(self, line, number):
        words = shlex.split(line)
        self.line, self.operation = line, words[1]
        given = dict(word.split("=", 1) for word in words[2:])
        self.sizes = given.pop("sizes", DEFAULT_SIZES).split(",")
        self.special = given.pop("special", "")
        self.name = f"case{number}"
        template = fill.load(os.path.join(EXAMPLES, self.operation + ".mlir.in"))
        self.values = template.get_values(given)
        text = template.fill(given)
        # Aliases are names of the module, so each function has its own.
        for alias in re.findall(r"^([#!]\w+) =", text, re.M):
            text = re.sub(re.escape(alias) + r"\b(?!\.)", alias + str(number), text)
        self.aliases, _, rest = text.partition("func.func @main")
        # Not inlined: the sizes share one body, and tensors cross a call.
        head, _, body = rest.partition("\n) {\n")
        signature = f"func.func private @{self.name}{head}\n)"
        self.text = f"{signature} attributes {{no_inline}} {{\n{body}"
        parameter = r'([^\s(][^{}]*?) \{sparseconv\.name = "(\w+)"\}'
        arguments, results = head.split("->")
        self.arguments = [
            (name, type.split(": ", 1)[1].strip())
            for type, name in re.findall(parameter, arguments)
        ]
        self.results = [
            (name, type.lstrip(", ")) for type, name in re.findall(parameter, results)
        ]

    def make_cases(self):
        """Every size as (label, Case)."""
        for number, text in enumerate(self.sizes):
            size, _, batches = text.partition("x")
            arguments = (self.values, int(size), int(batches or 1), self.special)
            seed = 1000 * int(size) + number
            yield text, operations.make(self.operation, *arguments, seed)


class Module:
    """Functions at all their sizes, called by one public function."""

    def __init__(self, functions, folder, settings):
        self.functions, self.folder, self.settings = functions, folder, settings
        self.calls, self.outputs, self.failures = [], {}, {}
        self.program = "module.mlir"
        arguments, results, body, returned = [], [], [], []
        os.makedirs(folder, exist_ok=True)
        self.inputs = []
        for function in functions:
            for label, case in function.make_cases():
                prefix = f"{function.name}.{label}"
                self.calls.append((prefix, function, label, case))
                names = [f"%{prefix.replace('.', '_')}_{n}" for n, _ in function.arguments]
                for value, (name, type) in zip(names, function.arguments):
                    arguments.append(
                        f'{value}: {type} {{sparseconv.name = "{prefix}.{name}"}}'
                    )
                    self.add_input(f"{prefix}.{name}", case.inputs[name])
                types = [type for _, type in function.results]
                results += [
                    f'{type} {{sparseconv.name = "{prefix}.{name}"}}'
                    for name, type in function.results
                ]
                value = f"%{prefix.replace('.', '_')}"
                body.append(
                    f"  {value}:{len(types)} = call @{function.name}"
                    f"({', '.join(names)}) : "
                    f"({', '.join(t for _, t in function.arguments)})"
                    f" -> ({', '.join(types)})"
                )
                returned += [(f"{value}#{i}", t) for i, t in enumerate(types)]
        separator = ",\n    "
        text = "".join(f.aliases for f in functions)
        text += f"func.func @main(\n    {separator.join(arguments)}\n) -> (\n    "
        text += f"{separator.join(results)}\n) {{\n" + "\n".join(body)
        text += f"\n  return {', '.join(v for v, _ in returned)}"
        text += f"\n    : {', '.join(t for _, t in returned)}\n}}\n\n"
        text += "\n".join(f.text for f in functions)
        if not self.settings.on_cpu:
            # Kernels of a GPU come from functions that are whole.
            text = text.replace(" attributes {no_inline}", "")
        with open(os.path.join(folder, "module.mlir"), "w", encoding="utf-8") as file:
            file.write(text)

    def add_input(self, name, array):
        np.save(os.path.join(self.folder, name + ".npy"), array)
        self.inputs.append(f"--input={name}={name}.npy")

    def run(self, kind, *options):
        """Runs the module, returns what was printed, or raises its errors."""
        command = ["sparseconv-run", self.program, "--quiet", *options, *self.inputs]
        if kind != "reference":
            command[:0] = self.settings.launcher
        for prefix, function, _, _ in self.calls:
            for name, _ in function.results:
                command.append(f"--output={prefix}.{name}={prefix}.{name}.{kind}.npy")
        environment = dict(os.environ)
        if self.settings.poison:
            environment["SPARSECONV_POISON"] = "1"
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=self.settings.timeout,
            check=False,
        )
        if done.returncode and "FAILED" not in done.stdout:
            text = done.stderr or done.stdout
            if self.settings.launcher:
                text = done.stdout + done.stderr
            lines = text.strip().splitlines()
            raise RuntimeError(f"exit {done.returncode}: " + " | ".join(lines[:6]))
        return done.stdout

    def load(self, prefix, name, kind):
        return np.load(os.path.join(self.folder, f"{prefix}.{name}.{kind}.npy"))

    def fail(self, prefix, message):
        self.failures.setdefault(prefix, []).append(message)

    def run_target(self, kind, *options):
        options += self.settings.options
        return self.run(kind, f"--target={self.settings.target}", *options)

    def execute(self):
        # Again in the same process, as compiling takes longer than the runs.
        threads = ["--num-threads=2", "--check-threads=1,2"] if self.settings.on_cpu else []
        printed = self.run_target("target", "--check", *threads)
        for line in printed.splitlines():
            if match := re.match(r"check '(.*)\.(\w+)': FAILED: (.*)", line):
                self.fail(match[1], f"{match[2]} against the reference: {match[3]}")
            if match := re.match(r"bits of '(.*)\.(\w+)' on (\d+) threads: FAILED", line):
                what = f"{match[2]}: another run, on {match[3]} threads, gives other bits"
                self.fail(match[1], what)
        others = []
        if not self.settings.on_cpu:
            self.run_target("again")
            others.append(("again", "a second run"))
        truths = ["target"]
        if self.settings.on_cpu:
            self.run("reference", "--target=reference")
            truths.append("reference")
        self.compare_results(others, truths)
        return self.failures

    def execute_once(self):
        """One run alone, for a launcher that makes runs slow."""
        self.run_target("target")
        self.compare_results([], ["target"])
        return self.failures

    def execute_plan(self, plan):
        """Runs a plan in the place of the module, on a GPU."""
        self.program = plan
        self.run_target("target")
        self.run_target("again")
        self.compare_results([("again", "a second run")], ["target"])
        return self.failures

    def has_same_bits(self, case):
        """Whether every run has to give the same bits."""
        return self.settings.on_cpu or case.values.get("additions") != "any"

    def compare_results(self, others, kinds):
        """Holds the bits of other runs against the first's, and the results of
        some kinds of run against the oracle."""
        for prefix, function, _, case in self.calls:
            for name, _ in function.results:
                first = self.load(prefix, name, "target")
                for kind, what in others if self.has_same_bits(case) else ():
                    other = self.load(prefix, name, kind)
                    if first.tobytes() != other.tobytes() or first.shape != other.shape:
                        self.fail(prefix, f"{name}: {what} gives other bits")
                for kind in kinds:
                    found = self.load(prefix, name, kind)
                    where = self.settings.target if kind == "target" else kind
                    if problem := compare(found, case.expected[name], case.dtype):
                        self.fail(prefix, f"{name} on {where}: {problem}")


def compare(found, expected, dtype):
    """What is wrong with a result, or nothing."""
    bound = 0
    truth = expected
    if isinstance(expected, oracle.Bounded):
        truth = expected.value
        bound = np.broadcast_to(expected.get_bound(dtype), truth.shape)
    if found.shape != truth.shape:
        return f"shape {list(found.shape)}, expected {list(truth.shape)}"
    found = oracle.decode(found)
    with np.errstate(invalid="ignore"):
        agree = (found == truth) | (np.isnan(found) & np.isnan(truth))
        error = np.where(agree, 0, np.abs(found - truth))
    wrong = ~(agree | (error <= bound))
    if not wrong.any():
        return ""
    at = np.unravel_index(int(np.argmax(np.where(wrong, error, -1))), error.shape)
    limit = f", bound {bound[at]:.3g}" if np.ndim(bound) else ""
    return (
        f"{int(wrong.sum())} of {wrong.size} elements are wrong; at "
        f"{[int(i) for i in at]} found {found[at]:.9g}, expected {truth[at]:.9g}{limit}"
    )


def execute(functions, folder, settings):
    """{(function, label): [message]} of the cases that fail."""
    try:
        module = Module(functions, folder, settings)
        if settings.launcher:
            failures = module.execute_once()
        else:
            failures = module.execute()
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        if len(functions) == 1:
            return {(functions[0], ALL_SIZES): [str(error)]}
        # Each one by itself shows whose error it is.
        found = {}
        for function in functions:
            alone = os.path.join(folder, function.name)
            found.update(execute([function], alone, settings))
        return found or {(functions[0], TOGETHER): [str(error)]}
    names = {p: (function, label) for p, function, label, _ in module.calls}
    return {names[prefix]: messages for prefix, messages in failures.items()}


def read_lines(source):
    """The lines of cases, with the values that 'each' gives them."""
    more = [""]
    for line in source:
        if line.startswith("each "):
            name, _, values = line.removeprefix("each ").strip().partition("=")
            more = [" " + shlex.quote(f"{name}={value}") for value in values.split("|")]
        elif line.startswith("case "):
            for words in more:
                yield line.strip() + words


def read_groups(path, only=""):
    """The cases of a file whose line has a text, as lists that make modules."""
    with open(path, encoding="utf-8") as source:
        lines = [line for line in read_lines(source) if only in line]
    functions = [Function(line, number) for number, line in enumerate(lines)]
    return [
        functions[start : start + CASES_IN_A_MODULE]
        for start in range(0, len(functions), CASES_IN_A_MODULE)
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("work")
    parser.add_argument("--only", default="", help="cases whose line has this text")
    parser.add_argument("--target", default="cpu", help="as in sparseconv-run")
    arguments = parser.parse_args()
    settings = Settings(arguments.target)
    count = failed = 0
    for number, group in enumerate(read_groups(arguments.file, arguments.only)):
        count += sum(len(function.sizes) for function in group)
        folder = os.path.join(arguments.work, str(number))
        found = execute(group, folder, settings)
        for (function, label), messages in found.items():
            failed += 1
            for message in messages:
                print(f"FAILED: {function.line}, size {label}: {message}", flush=True)
    print(f"{count} cases, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
