# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs a wheel into a virtual environment that has nothing else and does there what
a user would do, away from the repository.

usage: check_wheel.py WHEEL [--cxx=COMPILER] [--numpy=REQUIREMENT]

The environment is of the Python that runs this. The lines of README.md's section "From
Python" run in it: its sh block, and those of its python blocks whose modules are there.
Torch is taken from the Python that SPARSECONV_TORCH_PYTHON names, where it is of the
same version. With --cxx the programs of test/Package/examples are built with the wheel's
CMake package and run. At the end the wheel is removed, and nothing of it may be left.
"""

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = "import sys; print(sys.version_info[:2])"
TORCH = VERSION + "; import torch, os; print(os.path.dirname(os.path.dirname(torch.__file__)))"


def expect(condition, message):
    if not condition:
        sys.exit(f"check_wheel.py: {message}")


class Environment:
    """A virtual environment, and an empty folder where its programs run."""

    def __init__(self, root):
        self.folder = os.path.join(root, "venv")
        self.work = os.path.join(root, "work")
        os.mkdir(self.work)
        venv.create(self.folder, with_pip=True)
        self.bin = os.path.join(self.folder, "bin")

    def run(self, *command, status=0):
        """The output of a command, without the variables that lead to a build."""
        begin = time.monotonic()
        variables = {"HOME": self.work, "PATH": f"{self.bin}:/usr/bin:/bin"}
        done = subprocess.run(command, cwd=self.work, env=variables, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        shown = " ".join(command).replace("\n", "; ")[:100]
        print(f"{time.monotonic() - begin:6.1f} s  {shown}", flush=True)
        expect(done.returncode == status, f"{shown}: status {done.returncode}:\n{done.stdout}")
        return done.stdout

    def pip(self, *arguments):
        # Caches and settings are those of the caller, unlike in `run`.
        subprocess.run([os.path.join(self.bin, "python"), "-m", "pip",
                        "--disable-pip-version-check", *arguments], check=True)  # fmt: skip

    def list_files(self):
        return {os.path.join(folder, name)
                for folder, folders, names in os.walk(self.folder) for name in folders + names
                if "__pycache__" not in os.path.join(folder, name)}  # fmt: skip

    def add_torch(self):
        """Whether torch of another environment can be imported in this one."""
        python = os.environ.get("SPARSECONV_TORCH_PYTHON")
        found = python and subprocess.run([python, "-c", TORCH], capture_output=True, text=True,
                                          check=False).stdout.splitlines()  # fmt: skip
        if not found or len(found) != 2 or found[0] != self.run("python", "-c", VERSION).strip():
            return False
        packages = self.run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
        with open(os.path.join(packages.strip(), "torch-of-another.pth"), "w", encoding="utf-8") as file:
            file.write(found[1] + "\n")
        return True


def read_blocks():
    """The blocks of README.md's section that a reader sees, as (language, text)."""
    with open(os.path.join(HERE, "../../README.md"), encoding="utf-8") as file:
        section = file.read().split("\n## From Python\n")[1].split("\n## ")[0]
    section = re.sub("<!--.*?-->", "", section, flags=re.S)
    return re.findall(r"^```(sh|python)\n(.*?)^```$", section, re.M | re.S)


def find_foreign_libraries(environment, path):
    """The libraries beside glibc's that come from the machine, which others do not have."""
    return [line.strip() for line in environment.run("ldd", path).splitlines()
            if "=> " in line and environment.folder not in line
            and not re.match(r"\s*lib(c|m|dl|pthread|rt)\.so", line)]  # fmt: skip


def check_installed(environment):
    """What a wheel must not have, and what it says of itself."""
    for path in environment.list_files():
        bound = "sparseconv" in path and re.search(r"\.(cpython|abi3)[^/]*\.so$|nanobind", path)
        expect(not bound, f"{path} binds the wheel to versions of Python")
        if re.search(r"/sparseconv/(bin/sparseconv|lib/[^/]*\.so[.\d]*)$", path):
            others = find_foreign_libraries(environment, path)
            expect(not others, f"{path} needs libraries that are not in the wheel: {others}")
    expect("sparseconv-run" in environment.run("python", "-m", "sparseconv"), "no help")
    for name in ("lsp-server", "opt", "run", "serve", "sweep", "translate", "tune"):
        expect("USAGE" in environment.run(f"sparseconv-{name}", "--help"), f"sparseconv-{name}: no help")


def check_readme(environment):
    blocks = read_blocks()
    expect({language for language, _ in blocks} == {"sh", "python"}, "README.md has no lines to run")
    has_torch = environment.add_torch()
    for language, text in blocks:
        if language == "python" and "torch" in text and not has_torch:
            print("no torch: the lines that need it are skipped")
            continue
        # The wheel is there already.
        lines = "".join(line for line in text.splitlines(True) if "pip install" not in line)
        environment.run(*(["sh", "-exc"] if language == "sh" else ["python", "-c"]), lines)
    with open(os.path.join(environment.work, "out.png"), "rb") as file:
        expect(file.read(8) == b"\x89PNG\r\n\x1a\n", "out.png is no picture")


def check_programs(environment, compiler):
    """Programs that run plans, built with the wheel's headers, libraries and CMake package."""
    package = environment.run("python", "-m", "sparseconv", "--cmake").strip()
    source = os.path.join(HERE, "examples")
    environment.run("cmake", "-S", source, "-B", "examples", f"-DSparseConv_DIR={package}",
                    "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={compiler}",
                    f"-DCMAKE_C_COMPILER={compiler.replace('++', '')}")  # fmt: skip
    environment.run("cmake", "--build", "examples")
    os.symlink(os.path.join(source, "net.mlir"), os.path.join(environment.work, "examples/net.mlir"))
    print(environment.run("python", os.path.join(source, "check.py"), "examples", environment.bin))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("wheel")
    parser.add_argument("--cxx", help="a compiler such as clang++-22")
    parser.add_argument("--numpy", default="numpy", help="such as numpy==1.22.0")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        environment = Environment(stack.enter_context(tempfile.TemporaryDirectory()))
        environment.pip("install", "--quiet", options.numpy)
        before = environment.list_files()
        environment.pip("install", "--quiet", os.path.abspath(options.wheel))
        check_installed(environment)
        if options.cxx:
            check_programs(environment, options.cxx)
        check_readme(environment)
        environment.pip("uninstall", "--quiet", "--yes", "sparseconv")
        left = [path for path in environment.list_files() - before if not path.endswith(".pth")]
        expect(not left, f"left behind: {', '.join(left)}")
    print("ok")


main()
