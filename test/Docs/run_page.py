# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the code on pages of the documentation, block after block.

usage: run_page.py FOLDER BUILD PAGE.md... [--except NAME...] [--features FEATURE...]

Those of a page run in a process and a folder of their own, FOLDER/PAGE, in which the
entries of the repository are links and build/release is BUILD. Blocks in Python share their variables, and those in shell
their environment. IR goes through sparseconv-opt, `text` is nothing to run. A block
in a comment of HTML runs, too, and is not on the rendered page. A comment in front
of a block says what else is done with it:

  <!-- file NAME -->          it is written to this file of the folder
  <!-- needs FEATURE... -->   it runs where the features are given
  <!-- not run: WHY -->       it does not run
  <!-- from PATH -->, <!-- network -->, <!-- sparseconv-opt FLAGS -->
                          other tests compare it: snippets.test, architecture.test

A block that none of this is for, such as one without a language, is an error.
"""

import argparse
import collections
import importlib.util
import multiprocessing
import os
import re
import subprocess
import sys
import traceback

BLOCK = re.compile(r"^(?:<!-- ([^\n]*?) -->\n)?```(\w*)\n(.*?)^```$", re.M | re.S)
COMPARED = re.compile(r"from \S+|network|sparseconv-opt .*")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMES = ("done", "compared", "skipped")


class Failure(Exception):
    pass


def prepare(folder, build):
    """Links to the repository, to its build and to this Python."""
    os.makedirs(os.path.join(folder, "build"))
    os.makedirs(os.path.join(folder, ".programs"))
    for name in os.listdir(ROOT):
        if name not in ("build", ".git"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.symlink(build, os.path.join(folder, "build", "release"))
    for name in ("python", "python3"):  # a link would leave a virtual environment
        path = os.path.join(folder, ".programs", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        os.chmod(path, 0o755)
    programs = os.path.join(os.path.abspath(folder), ".programs")
    os.environ["PATH"] = programs + os.pathsep + os.environ["PATH"]


def call(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"status {done.returncode}\n{done.stdout}{done.stderr}")


def run_python(text, line, variables):
    # As on the page, so that a traceback has its lines.
    code = compile("\n" * line + text, variables["__file__"], "exec")
    try:
        exec(code, variables)
    except Exception as error:
        raise Failure(traceback.format_exc()) from error


def run_shell(text):
    call(["bash", "-euo", "pipefail", "-c", text + "\nenv -0 > .environment"])
    with open(".environment", encoding="utf-8") as file:
        for pair in file.read().split("\0")[:-1]:
            name, _, value = pair.partition("=")
            os.environ[name] = value


def run_block(block, line, features, variables):
    """What has been done with a block: one of NAMES."""
    comment, language, text = block[1] or "", block[2], block[3]
    kind, _, argument = comment.partition(" ")
    if COMPARED.fullmatch(comment):
        return "compared"
    if kind == "needs" and not set(argument.split()) <= set(features):
        return "skipped"
    if comment.startswith("not run: "):
        return "skipped"
    if kind == "file":
        with open(argument, "w", encoding="utf-8") as file:
            file.write(text)
    elif comment and kind != "needs":
        raise Failure(f"no such comment: {comment}")
    if language == "python":
        run_python(text, line, variables)
    elif language == "sh":
        run_shell(text)
    elif language == "mlir":
        call(["sparseconv-opt"], text)
    elif language != "text" and kind != "file":
        raise Failure(f"no way to run a block of the language '{language}'")
    return "done"


def run_page(page, folder, build, features):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    page = os.path.basename(page)
    prepare(folder, build)
    os.chdir(folder)
    variables = {"__name__": "__page__", "__file__": page}
    counts = collections.Counter()
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(3))
        try:
            counts[run_block(block, line, features, variables)] += 1
        except Failure as error:
            sys.exit(f"{page}:{line}: {error}")
    if 2 * sum(counts.values()) != len(re.findall(r"^ *```", text, re.M)):
        sys.exit(f"{page}: a block does not begin and end with a line of its own")
    print(f"{page}: " + ", ".join(f"{counts[name]} {name}" for name in NAMES), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("build")
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--except", nargs="*", default=[], dest="left_out")
    parser.add_argument("--features", nargs="*", default=[])
    options = parser.parse_args()
    if not importlib.util.find_spec("torch"):
        options.features = [name for name in options.features if name != "torch"]
    failed = False
    for page in options.pages:
        name = os.path.splitext(os.path.basename(page))[0]
        if name in options.left_out:
            continue
        arguments = (os.path.abspath(page), os.path.join(options.folder, name),
                     options.build, options.features)  # fmt: skip
        process = multiprocessing.Process(target=run_page, args=arguments)
        process.start()
        process.join()
        failed |= process.exitcode != 0
    sys.exit(failed)


main()
