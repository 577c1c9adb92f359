# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled networks as objects that are called."""

import functools
import os
import threading

import numpy as np

from . import arrays as array_views
from . import files, runtime
from .compiler import Compilation
from .cpu_functions import CpuFunction, CpuPlanFunction
from .cuda_functions import CudaFunction
from .errors import ArgumentError, Error, join_short
from .functions import Value
from .server import Server

# What sparseconv-serve runs, and what a plan is compiled for.
_SERVED, _PLANNED = ("cpu", "reference"), ("cuda",)
# What modules of other targets have.
_GPU = "a module for a GPU"
_PLAN = f"{_GPU}, and of one for the CPU that was compiled with in_process=True"
_ELSEWHERE = {"save": _PLAN, "plan": _PLAN, "ptx": _GPU, "to_device": _GPU, "device": _GPU}


class Module:
    """A compiled network, as `compile` and `load` give it.

    `module.NAME` and `module.functions[NAME]` are its `Function`s; to call the module is to
    call the only one, or `main`. Another name is an `AttributeError`. `target` is what it
    was compiled for, and `diagnostics` what the compiler printed. A module for a GPU is a
    `CudaModule`; that, and what `compile` with `in_process` gives, is a `PlanModule`.

        net = sparseconv.compile("net.mlir", target="cpu")
        y = net(points, x, weights)
    """

    def __init__(self, target, functions):
        self.target, self.diagnostics = target, ""
        self.functions = {
            name: self._make(self, name, inputs, outputs) for name, inputs, outputs in functions
        }

    def __getattr__(self, name):
        functions = self.__dict__.get("functions", {})
        if name in functions:
            return functions[name]
        if name in _ELSEWHERE:
            raise AttributeError(f"'{name}' is of {_ELSEWHERE[name]}, not of {self._describe()}")
        names = join_short(functions)
        raise AttributeError(f"the module has no function '{name}'; there are: {names}")

    def __call__(self, /, *arrays, **named):
        if len(self.functions) == 1:
            return next(iter(self.functions.values()))(*arrays, **named)
        return self.main(*arrays, **named)

    def _describe(self):
        return f"one for '{self.__dict__.get('target')}'"

    def __reduce_ex__(self, protocol):
        raise Error(
            "a compiled network cannot be copied or pickled: compile it again, or save() a plan "
            "and load() it"
        )

    def __repr__(self):
        lines = "".join(f"\n  {function!r}" for function in self.functions.values())
        return f"<Module for {self.target}{lines}>"


class CpuModule(Module):
    _make = CpuFunction

    def __init__(self, server, target):
        def read(values):
            for value in values:
                shape = [None if size < 0 else size for size in value["shape"]]
                yield Value(value["name"], server.get_dtype(value), shape)

        super().__init__(
            target,
            [(f["name"], read(f["inputs"]), read(f["outputs"])) for f in server.functions],
        )
        self._server = server
        self.diagnostics = server.diagnostics

    def _describe(self):
        return f"{super()._describe()} in a process of its own"


class PlanModule(Module):
    """A `Module` from a plan: one for a GPU, one that `compile` made with `in_process`, or
    one that `load` has read. `plan` is its bytes. The device is looked for at the first
    call."""

    def __init__(self, target, plan, weights):
        read = runtime.Plan(plan)
        super().__init__(target, [(n, *map(_convert, read.signature(n))) for n in read.functions])
        self.plan = plan
        self._weights = dict(weights or {})
        self._lock = threading.Lock()
        self._context = self._program = None

    def save(self, path):
        """Writes the plan to a file, for `load` and other users of the runtime. A path that
        cannot be written is an `OSError`, after which a file that was there is as before.

            net.save("net.plan")
        """
        files.write(path, self.plan)

    def _get_context(self):
        with self._lock:
            if self._context is None:
                self._context = self._make_context()
            return self._context

    def _get_program(self):
        context = self._get_context()
        with self._lock:
            if self._program is None:
                program = runtime.Program(context, self.plan)
                for name, array in self._weights.items():
                    program.bind_constant(name, np.ascontiguousarray(array).tobytes())
                self._program = program
            return self._program


class CpuPlanModule(PlanModule):
    """Machine code in this process."""

    _make = CpuPlanFunction

    def __init__(self, plan, level=None, num_threads=None, weights=None):
        super().__init__(f"cpu:{level}" if level else "cpu", plan, weights)
        self._level, self._num_threads = level, runtime.read_num_threads(num_threads)

    def _make_context(self):
        return runtime.CpuContext(self._level, self._num_threads)


class CudaModule(PlanModule):
    """A `PlanModule` for a GPU. Its functions are `CudaFunction`s. `device` is the number of
    the GPU, and `ptx` the text of the kernels, which is empty for a plan that `load` has
    read."""

    _make = CudaFunction

    def __init__(self, plan, device=0, weights=None):
        super().__init__("cuda", plan, weights)
        self.device, self.ptx = device, ""

    def _make_context(self):
        return runtime.Context(self.device)

    def to_device(self, array, stream=0):
        """A copy of a numpy array on the module's GPU, a `DeviceArray` of the same shape and
        type; a uint16 can be passed as a bfloat16. `stream` is an integer, or a stream of
        torch or cupy.

            x = net.to_device(numpy.ones((1000, 4), numpy.float32))
        """
        array = np.asarray(array)
        return array_views.to_device(self._get_context(), array, array.dtype.name, stream)


def _convert(values):
    return [Value(value.name, value.dtype, value.shape) for value in values]


def _read_text(text_or_path, expected="the text of a module"):
    """The bytes of a module or of a plan, and what diagnostics call it."""
    if isinstance(text_or_path, (bytes, bytearray)):
        return bytes(text_or_path), "<string>"
    if isinstance(text_or_path, str) and "\n" in text_or_path:
        return text_or_path.encode(), "<string>"
    try:
        path = os.fspath(text_or_path)
        with open(path, "rb") as file:
            return file.read(), os.fsdecode(path)
    except TypeError as error:
        raise ArgumentError(
            f"expects {expected} or a path, but found a {type(text_or_path).__name__}"
        ) from error
    except OSError as error:
        raise Error(f"{text_or_path}: {error.strerror}", "SPARSECONV_FILE_ERROR") from error


def _read_weights(weights):
    """Arrays by name."""
    if weights is None or hasattr(weights, "keys"):
        return dict(weights or {})
    expected = "weights: expects arrays by name, or the path of an .npz file"
    try:
        path = os.fsdecode(weights)
    except TypeError as error:
        raise ArgumentError(f"{expected}, but found a {type(weights).__name__}") from error
    try:
        with np.load(path) as file:
            return dict(file)
    except FileNotFoundError as error:
        raise Error(f"{path}: {error.strerror}", "SPARSECONV_FILE_ERROR") from error
    except Exception as error:  # of zipfile, pickle or numpy
        raise ArgumentError(f"{expected}, but {path} is none") from error


def get_chip(device):
    """What to compile for to run on a device."""
    try:
        return runtime.Context(device).chip
    except Error as error:
        raise Error(
            f"name a chip, such as 'sm_90a', to compile where no GPU is ({error})", error.code
        ) from error


@functools.singledispatch
def compile(text_or_path, target="cuda", chip=None, *, entry=None, device=None,
            num_threads=None, time_limit=None, tuning_database=None,
            in_process=False):  # fmt: skip
    """Compiles a network. With `sparseconv.torch` it also takes a module of torch,
    `compile(model, example)`, and gives a `CompiledModule`.

    text_or_path
                 the text or bytecode of a module, or the path of a file
    target       "cuda" or "cpu", also with a chip ("cuda:sm_80", "cpu:avx2"), or
                 "reference" (the interpreter, in float64)
    chip         of "cuda": "sm_80", "sm_86", "sm_89", "sm_90a"; by default the
                 one in `target`, or that of the device
    entry        of "cuda" and of in_process: the only function to compile
    device       of "cuda": the number of the GPU that runs it, by default 0
    num_threads  of "cpu": by default as many as there are cores
    time_limit   seconds that the compiler may take
    tuning_database
                 the path of a file that sparseconv-tune has written on this kind of
                 machine: it decides how layers are carried out that it knows. By
                 default that is "default", the measurements that come with the
                 project; "none" leaves all to rules
    in_process   of "cpu": makes a plan, whose machine code runs in this process and
                 on the arrays where they lie, and which can be saved

    Gives a `Module`. IR that is rejected is a `CompileError`, a file that cannot be read
    an `Error`, and options that do not go together an `ArgumentError`.

        net = sparseconv.compile("net.mlir", target="cuda:sm_80")
    """
    backend, _, named = str(target).partition(":")
    if backend not in _SERVED + _PLANNED:
        known = ", ".join(_SERVED + _PLANNED)
        raise ArgumentError(f"unknown target {target!r}; there are: {known}")
    text, name = _read_text(text_or_path)
    if in_process and backend != "cpu":
        raise ArgumentError(f"in_process is for the target 'cpu', not '{target}'")
    _refuse_options(backend, in_process, target, chip=chip, device=device, entry=entry)
    num_threads = runtime.read_num_threads(num_threads)
    if in_process:
        level = named or runtime.CpuContext().chip
        compilation = Compilation(text, entry=entry, name=name, time_limit=time_limit,
                                  tuning_database=tuning_database, target=f"cpu:{level}")  # fmt: skip
        module = CpuPlanModule(compilation.plan, level, num_threads)
        module.diagnostics = compilation.diagnostics
        return module
    if backend in _SERVED:
        if backend == "reference" and tuning_database is not None:
            raise ArgumentError("the target 'reference' takes no tuning_database")
        server = Server(text, name, target, num_threads, time_limit, tuning_database)
        return CpuModule(server, target)
    if num_threads is not None:
        raise ArgumentError("num_threads is for the target 'cpu', not 'cuda'")
    if chip and named and chip != named:
        raise ArgumentError(f"the target names the chip '{named}', but chip is '{chip}'")
    chip = chip or named or get_chip(device or 0)
    compilation = Compilation(text, chip, entry, name, time_limit, tuning_database)
    module = CudaModule(compilation.plan, device or 0)
    module.ptx, module.diagnostics = compilation.ptx, compilation.diagnostics
    return module


def _refuse_options(backend, in_process, target, **options):
    """Raises an error for an option of the target "cuda" where another one is meant."""
    if backend == "cuda":
        return
    for option, given in options.items():
        if given is not None and not (in_process and option == "entry"):
            raise ArgumentError(f"{option} is for the target 'cuda', not '{target}'")


def load(plan, device=None, weights=None, *, level=None, num_threads=None):
    """A module from a plan.

    plan         its bytes, or the path of its file
    device       of a plan for a GPU: its number, by default 0
    weights      maps the names of the constants that the plan holds by reference to
                 arrays, of the same bytes as those that the plan was written with; or
                 the path of an .npz file of them
    level        of a plan for CPUs: "avx512", "avx2" or "sse2"; by default the
                 widest vectors that the processor has
    num_threads  of a plan for CPUs: by default as many as there are cores

    Gives a `PlanModule`. Bytes that are no plan, and a file that cannot be read, are an
    `Error`; options for another kind of plan are an `ArgumentError`.

        net = sparseconv.load("net.plan", weights=numpy.load("net.npz"))
    """
    path = None if isinstance(plan, (bytes, bytearray)) else plan
    plan, name = _read_text(plan, "the bytes of a plan")
    try:
        target = runtime.Plan(plan).target
    except Error as error:
        if path is None:
            raise
        raise type(error)(f"{name}: {error}", error.code) from None
    weights = _read_weights(weights)
    if target == "cpu":
        if device is not None:
            raise ArgumentError("device is for plans for GPUs, not for one for CPUs")
        return CpuPlanModule(plan, level, num_threads, weights)
    if level is not None or num_threads is not None:
        raise ArgumentError("level and num_threads are for plans for CPUs, not for one for GPUs")
    return CudaModule(plan, device or 0, weights)
