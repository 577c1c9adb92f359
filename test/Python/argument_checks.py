"""Checks of what is asked for that cannot be, and of files that cannot be written."""

import contextlib
import copy
import io
import os
import pickle
import resource
import stat
import subprocess
import sys
import tempfile

import numpy as np
import sparseconv
from checks import (CHIP, SCALARS, Example, check, compile_text, expect, expect_equal,
                    expect_error, get_text)  # fmt: skip
from sparseconv import files, networks, training, weights

# Options ----------------------------------------------------------------------


@check("none", "cuda", "cpu")
def refuses_options_that_do_not_go_together(target):
    kind, make = sparseconv.ArgumentError, sparseconv.compile
    for options, text in (
        ({"target": "cpu", "chip": CHIP, "in_process": True}, "chip is for the target 'cuda'"),
        ({"target": "cpu", "chip": CHIP}, "chip is for the target 'cuda'"),
        ({"target": "cpu", "device": 0}, "device is for the target 'cuda'"),
        ({"target": "cpu", "device": 0, "in_process": True}, "device is for the target 'cuda'"),
        ({"target": "cpu", "entry": "main"}, "entry is for the target 'cuda'"),
        ({"target": "cpu", "num_threads": 4097, "in_process": True}, "an integer of 0 to 4096"),
        ({"target": "cuda:sm_90a", "chip": CHIP}, "names the chip 'sm_90a', but chip is 'sm_80'"),
        ({"chip": CHIP, "num_threads": 2}, "num_threads is for the target 'cpu'"),
    ):
        expect_error(kind, text, make, SCALARS, **options)
    expect_equal(list(make(SCALARS, f"cuda:{CHIP}", CHIP, device=0).functions), ["main", "other"])
    only = make(SCALARS, "cpu", entry="other", in_process=True)
    expect_equal(list(only.functions), ["other"])


@check("cpu-plan")
def refuses_options_of_other_plans(target):
    kind, plan = sparseconv.ArgumentError, compile_text(target, SCALARS).plan
    expect_error(kind, "device is for plans for GPUs", sparseconv.load, plan, device=0)
    expect_error(kind, "0 to 4096", sparseconv.load, plan, num_threads=5000)
    expect_error(kind, "the bytes of a plan or a path, but found a int", sparseconv.load, 5)
    gpu = sparseconv.compile(SCALARS, chip=CHIP).plan
    expect_error(kind, "are for plans for CPUs", sparseconv.load, gpu, level="avx2")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bad.plan")
        files.write(path, b"no plan")
        error = expect_error(sparseconv.Error, "bad.plan: ", sparseconv.load, path)
        expect_equal(error.code, "SPARSECONV_INVALID_PLAN")


@check("cpu-plan")
def takes_weights_by_name_or_as_a_file(target):
    plan, kind = compile_text(target, SCALARS).plan, sparseconv.ArgumentError
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "w.npz")
        weights.save(path, {"w": np.ones(3, np.float32)})
        with np.load(path) as arrays:
            for given in (path, arrays):
                module = sparseconv.load(plan, weights=given)
                expect_equal(module._weights["w"].tolist(), [1, 1, 1])
        bad = os.path.join(folder, "bad.npz")
        for content in (b"", b"no arrays", b"PK\3\4 and no more"):
            files.write(bad, content)
            expect_error(kind, "or the path of an .npz file, but ", sparseconv.load, plan,
                         weights=bad)  # fmt: skip
        expect_error(sparseconv.Error, "no.npz: No such file", sparseconv.load, plan,
                     weights=os.path.join(folder, "no.npz"))  # fmt: skip
    expect_error(kind, "but found a int", sparseconv.load, plan, weights=3)


@check("none", "cuda")
def refuses_networks_that_are_not_known(target):
    kind = sparseconv.ArgumentError
    expect_error(kind, "norm: expects one of folded, batch, but found 'layer'", networks.second,
                 "f16", norm="layer")  # fmt: skip
    expect_error(kind, "dtype: expects one of f32, tf32, f16, bf16, but found 'f33'",
                 networks.minkunet42, "f33")  # fmt: skip
    for wrong in ("net.mlir", b"func.func", 3):
        expect_error(kind, "make_weights: expects the text of a module", weights.make_weights,
                     wrong)  # fmt: skip
    line = "func.func @main(%w: tensor<3xf32>) { return }"
    expect_equal(list(weights.make_weights(line)), ["w"])


@check("cpu")
def takes_a_word_as_one(target):
    text, _ = get_text("conv", channels=4)
    one = training.differentiate(text, functions="main", wrt="weights")
    expect_equal(one, training.differentiate(text, ["main"], ["weights"]))
    names = [value.name for value in compile_text(target, text).main.inputs]
    expect_equal(one, training.differentiate(text, wrt=[names.index("weights")]))
    expect("@main_gradient" in one, one)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.mlir")
        files.write(path, text.encode())
        expect_error(sparseconv.CompileError, "no-such-scan.bin", sparseconv.tune, path,
                     os.path.join(folder, "db.json"), scans="no-such-scan.bin")  # fmt: skip


# Modules ----------------------------------------------------------------------


@check("cpu")
def says_which_modules_have_what(target):
    module = compile_text(target, SCALARS)
    for name in ("save", "plan"):
        expect_error(AttributeError, "with in_process=True", getattr, module, name)
    for name in ("ptx", "to_device"):
        for one in (module, compile_text("cpu-plan", SCALARS)):
            expect_error(AttributeError, f"'{name}' is of a module for a GPU, not of one for",
                         getattr, one, name)  # fmt: skip
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        expect_error(sparseconv.Error, "cannot be copied or pickled", make, module)


@check("cpu", "cuda")
def refuses_unequal_rows(target):
    example = Example(target)
    inputs, judge = example.make(20)
    shorter = dict(inputs, features=inputs["features"][:-1])
    error = expect_error(
        sparseconv.ArgumentError, "both need the same number", example.module, **shorter
    )
    expect_equal(error.code, "SPARSECONV_INVALID_ARGUMENT")
    judge(example.module(**inputs))


# Command lines ----------------------------------------------------------------


def run_quietly(main, *arguments):
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        try:
            main(list(arguments))
        except SystemExit as end:
            expect_equal(end.code, 2)
            end.args = (printed.getvalue(),)
            raise


@check("none", "cuda")
def answers_mistakes_in_command_lines(target):
    with tempfile.TemporaryDirectory() as folder:
        net, none = os.path.join(folder, "net.mlir"), os.path.join(folder, "none")
        run_quietly(networks.main, "second", "-o", net)
        made, data, out = (os.path.join(folder, name) for name in ("a.npz", "data", "out.npz"))
        run_quietly(weights.main, net, "-o", made, "--seed=3")
        files.write(data, b"ML\xefR\x0d")
        text = os.path.join(folder, "text")
        files.write(text, b"no network")
        for main, arguments, expected in (
            (networks.main, ("second", "-o", f"{none}/n.mlir"), "none/n.mlir: No such file"),
            (networks.main, ("second", "-o", folder), f"{folder}: Is a directory"),
            (networks.main, ("second", "-o", "/dev/full"), "/dev/full: No space left"),
            (weights.main, (none, "-o", out), "none: No such file"),
            (weights.main, (data, "-o", out), "data: expects the text of a module"),
            (weights.main, (text, "-o", out), "text: expects the text of a module"),
            (weights.main, (net, "-o", f"{none}/x.npz"), "none/x.npz: No such file"),
            (weights.main, (net, "-o", out, "--seed=-1"), "expects a number of 0 or more"),
            (weights.main, (net, "-o", f"{folder}/x.safetensors"), "expects the name of an .npz"),
            (weights.main, (net, "-o", "/dev/full"), "/dev/full: No space left"),
        ):
            error = expect_error(SystemExit, expected, run_quietly, main, *arguments)
            expect_equal(str(error).splitlines()[-1].count(": error: "), 1)
        expect_equal(sorted(os.listdir(folder)), ["a.npz", "data", "net.mlir", "text"])
    command = [sys.executable, "-m", "sparseconv.networks", "second"]
    text = subprocess.run([*command, "-o", "-"], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "w.npz")
        make = [sys.executable, "-m", "sparseconv.weights", "-", "-o", path]
        subprocess.run(make, input=text, check=True)
        with np.load(path) as made:
            expect_equal(list(made), list(weights.make_weights(text.decode())))
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    expect_equal(done.returncode, 2)
    expect_equal(done.stderr.count("\n"), 1)


# Files ------------------------------------------------------------------------


class SmallFiles:
    """No file grows beyond a number of bytes within this, as on a disk that is full."""

    def __init__(self, size):
        self.size = size

    def __enter__(self):
        self.before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.size, self.before[1]))

    def __exit__(self, *_):
        resource.setrlimit(resource.RLIMIT_FSIZE, self.before)


@check("cpu-plan")
def keeps_files_that_cannot_be_replaced(target):
    text, _ = get_text("conv", channels=8)
    module = compile_text(target, text)
    arrays = {"w": np.ones(5000, np.float32)}
    cases = (
        (module.save, OSError),
        (lambda path: weights.save(path, arrays), OSError),
        (lambda path: run_quietly(networks.main, "second", "-o", path), SystemExit),
    )
    for save, kind in cases:
        with tempfile.TemporaryDirectory() as folder:
            path, link = os.path.join(folder, "keep"), os.path.join(folder, "link")
            files.write(path, b"old")
            os.chmod(path, 0o640)
            os.symlink(path, link)
            with SmallFiles(1000):
                expect_error(kind, "", save, path)
            expect_equal(sorted(os.listdir(folder)), ["keep", "link"])
            with open(path, "rb") as file:
                expect_equal(file.read(), b"old")
            save(link)
            expect(os.path.islink(link) and os.path.getsize(path) > 1000, "it was not replaced")
            expect_equal(stat.S_IMODE(os.stat(path).st_mode), 0o640)
            expect_equal(sorted(os.listdir(folder)), ["keep", "link"])
            error = expect_error(kind, "", save, folder)
            expect(kind is SystemExit or error.filename == folder, repr(error))
    save(os.devnull)
