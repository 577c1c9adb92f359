# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled networks as objects that are called."""

import collections
import os
import threading

import numpy as np

from . import arrays as array_views
from . import runtime
from .compiler import Compilation
from .errors import ArgumentError, CapacityError, Error, RepeatError, join_short, shorten
from .server import Server

# What sparseconv-serve runs, and what a plan is compiled for.
_SERVED, _PLANNED = ("cpu", "reference"), ("cuda",)


class Value:
    """The name, element type and shape (None where any size goes) of an argument
    or result. A scalar has the shape (1,)."""

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, dtype, tuple(shape)

    def __repr__(self):
        sizes = "".join("?x" if size is None else f"{size}x" for size in self.shape)
        return shorten(f"{self.name}: {sizes}{self.dtype}")

    def check(self, dtype, shape, where):
        """Raises an error unless an array of a type and shape can be passed."""
        bits = array_views.get_numpy_dtype(self.dtype).name
        fits = dtype in (self.dtype, bits) and len(shape) == len(self.shape)
        fits = fits and all(e in (None, s) for e, s in zip(self.shape, shape))
        if not fits:
            found = shorten("".join(f"{size}x" for size in shape) + dtype)
            raise ArgumentError(f"{where}: expects {self}, but found {found}")
        if shape and shape[0] > runtime.MAX_ROWS:
            raise ArgumentError(
                f"{where}: '{self.name}' has {shape[0]} rows, more than {runtime.MAX_ROWS}"
            )


class Function:
    """A function of a module. `inputs` and `outputs` are `Value`s.

    Called with an array for each input, in order or by name, it returns a tuple
    of arrays, or the array where there is one output: numpy arrays for arrays in
    host memory, `DeviceArray`s for arrays on a GPU.
    """

    def __init__(self, module, name, inputs, outputs):
        self.module, self.name = module, name
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)

    def __repr__(self):
        inputs, outputs = join_short(self.inputs), join_short(self.outputs)
        return f"{self.name}({inputs}) -> ({outputs})"

    def _gather(self, arrays, named):
        """The arguments in order."""
        if len(arrays) > len(self.inputs):
            raise ArgumentError(
                f"function '{self.name}' takes {len(self.inputs)} arrays, "
                f"but found {len(arrays)}"
            )
        rest = [value.name for value in self.inputs[len(arrays) :]]
        missing = [name for name in rest if name not in named]
        unknown = [name for name in named if name not in rest]
        if missing or unknown:
            problems = [f"no array for {join_short(map(repr, missing))}"] if missing else []
            if unknown:
                names = join_short(map(repr, unknown))
                problems.append(f"{names}, which it does not take or has already")
            raise ArgumentError(
                f"function '{self.name}' takes {len(self.inputs)} arrays, "
                f"but found {' and '.join(problems)}"
            )
        return list(arrays) + [named[name] for name in rest]

    def _view_host(self, arguments):
        """Numpy arrays that fit the inputs."""
        views = []
        for value, argument in zip(self.inputs, arguments):
            where = f"function '{self.name}'"
            array = array_views.view_host(argument)
            dtype = array_views.get_numpy_dtype(value.dtype)
            if isinstance(argument, (bool, int, float)) and value.shape == (1,):
                array = np.asarray(argument, dtype)
            if array.ndim == 0 and value.shape == (1,):
                array = array.reshape(1)
            value.check(array.dtype.name, array.shape, where)
            views.append(np.ascontiguousarray(array).view(dtype))
        return views

    def _return(self, results):
        return results[0] if len(results) == 1 else tuple(results)


class CpuFunction(Function):
    def __call__(self, /, *arrays, **named):
        arguments = self._gather(arrays, named)
        for value, argument in zip(self.inputs, arguments):
            device = array_views.get_device(argument)
            if device is not None:
                raise ArgumentError(
                    f"function '{self.name}': expects '{value.name}' in host memory, "
                    f"but found it on GPU {device}; the module is compiled for "
                    f"{self.module.target}"
                )
        views = self._view_host(arguments)
        server = self.module._server
        return self._return(server.call(self.name, self.inputs, views))


class Run:
    """A run of a function that may be under way."""

    def __init__(self, function, instance, key, views, outputs):
        self._function, self._instance, self._key = function, instance, key
        self._views, self._outputs = views, outputs
        self._error = None
        self._lock = threading.RLock()  # not for __del__
        instance.hold()

    @property
    def done(self):
        instance = self._instance
        return instance is None or instance.is_done()

    def results(self):
        """Waits; then the results, or the error that the run ended with."""
        with self._lock:
            if self._instance is not None:
                try:
                    self._instance.wait()
                    for i, output in enumerate(self._outputs):
                        output.shape = self._instance.get_shape(i)
                except Error as error:
                    self._error = error
                    if isinstance(error, RepeatError):
                        self._function._learn(self._instance)
                self._finish()
        if self._error is not None:
            raise self._error
        return self._function._return(self._outputs)

    def _finish(self):
        instance, self._instance, self._views = self._instance, None, None
        self._function._give_back(self._key, instance)
        instance.release()

    def __del__(self):
        if getattr(self, "_instance", None) is None:
            return
        try:
            self._instance.wait()  # the arguments' memory is in use until then
        except Error:
            pass
        self._finish()


class CudaFunction(Function):
    """On a GPU there is memory for a number of rows, the capacity. It grows with
    the arguments, or is fixed by `reserve`. Sets that could have many times the
    rows of the arguments have memory of their own, which starts small: a call
    that needs more of it is repeated.

    Instances that no run has are idle. A run may give its own back in its
    finaliser, so anywhere: that takes no lock, only an operation of a deque."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._lock = threading.RLock()
        self._capacities, self._is_fixed = None, False
        self._idle = collections.deque()  # of capacities and an instance
        self._grown = []  # what instances had to grow to

    def reserve(self, /, **sizes):
        """Fixes the capacity: for each input with sizes that are not known, its
        largest size, or sizes in a tuple. More is then a `CapacityError`."""
        capacities = []
        unknown = set(sizes)
        for value in self.inputs:
            count = value.shape.count(None)
            if not count:
                continue
            given = sizes.get(value.name)
            given = (given,) if isinstance(given, int) else tuple(given or ())
            if len(given) != count:
                raise ArgumentError(
                    f"function '{self.name}': expects {count} sizes for {value!r}, "
                    f"but found {len(given)}"
                )
            unknown.discard(value.name)
            for size in given:
                if not isinstance(size, int) or not 0 <= size <= runtime.MAX_ROWS:
                    raise ArgumentError(
                        f"function '{self.name}': a size of '{value.name}' is 0 to "
                        f"{runtime.MAX_ROWS}, but found {size!r}"
                    )
            capacities += given
        if unknown:
            raise ArgumentError(
                f"function '{self.name}' has no input of unknown size "
                f"{join_short(map(repr, sorted(unknown)))}"
            )
        with self._lock:
            self._is_fixed = True
            dropped = self._set_capacities(capacities)
        del dropped  # waits for runs, so not within the lock

    def _set_capacities(self, capacities):
        """Returns the idle instances, which have others."""
        self._capacities = capacities
        dropped, self._idle = self._idle, collections.deque()
        return dropped

    def _take(self, shapes):
        """An instance with room for inputs of some shapes, and its capacities."""
        needed, names = [], []
        for value, shape in zip(self.inputs, shapes):
            for axis, (known, size) in enumerate(zip(value.shape, shape)):
                if known is None:
                    needed.append(size)
                    names.append(f"dimension {axis} of '{value.name}'")
        dropped = None
        with self._lock:
            old = self._capacities
            if old is None or any(n > c for n, c in zip(needed, old)):
                if self._is_fixed:
                    name, size, room = next(
                        t for t in zip(names, needed, old) if t[1] > t[2]
                    )
                    raise CapacityError(
                        f"function '{self.name}': {name} is {size}, more than the "
                        f"capacity of {room} that was reserved",
                        "SPARSECONV_OVER_CAPACITY",
                    )
                old = old or [0] * len(needed)
                dropped = self._set_capacities(
                    [c if n <= c else _round_up(n) for n, c in zip(needed, old)]
                )
            key = list(self._capacities)
        del dropped  # waits for runs, so not within the lock
        return self._find_idle(key) or self._make_instance(key), key

    def _make_instance(self, key):
        instance = self.module._get_program().instance(self.name, key)
        if self._grown:
            instance.reserve(self._grown)
        return instance

    def _learn(self, instance):
        """Notes how far the memory of an instance has grown."""
        if instance.num_growables:
            now = [growable[2] for growable in instance.get_growables()]
            self._grown = [max(pair) for pair in zip(now, self._grown or now)]

    def _find_idle(self, key):
        while True:
            try:
                capacities, instance = self._idle.pop()
            except IndexError:
                return None
            if capacities == key:
                return instance

    def _give_back(self, key, instance):
        if key == self._capacities:
            self._idle.append((key, instance))

    def __call__(self, /, *arrays, stream=None, **named):
        arguments = self._gather(arrays, named)
        if any(array_views.get_device(a) is not None for a in arguments):
            return self._run(arguments, stream)
        if stream is not None:
            raise ArgumentError(
                f"function '{self.name}': a stream is for arrays on a GPU, but found "
                "arrays in host memory"
            )
        if not self.inputs:
            return self._run(arguments, stream)
        views = self._view_host(arguments)
        instance, key = self._take([view.shape for view in views])
        try:
            results = instance.run(*views)
            self._learn(instance)
            return self._return(results)
        finally:
            self._give_back(key, instance)

    def _run(self, arguments, stream):
        """A run on the device. Nobody changes the arguments before its end, so it
        can be repeated where memory has grown."""
        while True:
            try:
                return self._start(arguments, stream).results()
            except RepeatError:
                pass

    def start(self, /, *arrays, stream=None, **named):
        """Enqueues a run on arrays on the GPU and returns it as a `Run`; nothing
        waits. The stream is the one given (an integer, or one of torch or cupy)
        or the current one of the library whose the first array is.

        Where the run turns out to need more memory, its results are a
        `RepeatError`, as the arguments may have changed since: start it again."""
        return self._start(self._gather(arrays, named), stream)

    def _start(self, arguments, stream):
        where = f"function '{self.name}'"
        context = self.module._get_context()
        for value, argument in zip(self.inputs, arguments):
            device = array_views.get_device(argument)
            if device != context.device:
                found = "in host memory" if device is None else f"on GPU {device}"
                raise ArgumentError(
                    f"{where}: expects '{value.name}' on GPU {context.device}, "
                    f"but found it {found}"
                )
        owner = stream
        if owner is None:
            streams = map(array_views.get_current_stream, arguments)
            owner = next((s for s in streams if s is not None), 0)
        stream = array_views.get_stream_handle(owner)
        views = []
        for value, argument in zip(self.inputs, arguments):
            view = array_views.view_device(argument, stream)
            shape = (1,) if view.shape == () and value.shape == (1,) else view.shape
            value.check(view.dtype, shape, where)
            if not view.is_contiguous:
                raise ArgumentError(
                    f"{where}: expects '{value.name}' to be contiguous and row major, "
                    "but found other strides"
                )
            if view.nbytes and view.pointer % 16:
                raise ArgumentError(
                    f"{where}: expects '{value.name}' to be aligned to 16 bytes, but "
                    f"found {view.pointer % 16} bytes behind"
                )
            if view.stream is not None and view.stream != stream:
                context.wait(stream, view.stream)
            views.append((view.pointer, shape, view.nbytes, view))
        instance, key = self._take([shape for _, shape, _, _ in views])
        try:
            outputs = [
                array_views.DeviceArray(
                    context, owner, instance.get_capacity(i), value.dtype, value.shape
                )
                for i, value in enumerate(self.outputs)
            ]
            targets = [
                (output.pointer, instance.get_capacity(i))
                for i, output in enumerate(outputs)
            ]
            instance.enqueue(stream, [view[:3] for view in views], targets)
        except BaseException:
            self._give_back(key, instance)
            raise
        return Run(self, instance, key, views, outputs)


def _round_up(size):
    """To one of eight steps in each power of two: memory is not reserved anew for
    every scene, and little of it is wasted."""
    step = max(1, 1 << max(0, size.bit_length() - 4))
    return min(-(-size // step) * step, runtime.MAX_ROWS)


class Module:
    """A compiled network: `module.NAME` and `module.functions[NAME]` are its
    functions; to call the module is to call the only one, or `main`."""

    def __init__(self, target, functions):
        self.target, self.diagnostics = target, ""
        self.functions = {
            name: self._make(self, name, inputs, outputs) for name, inputs, outputs in functions
        }

    def __getattr__(self, name):
        functions = self.__dict__.get("functions", {})
        if name in functions:
            return functions[name]
        names = join_short(functions)
        raise AttributeError(f"the module has no function '{name}'; there are: {names}")

    def __call__(self, /, *arrays, **named):
        if len(self.functions) == 1:
            return next(iter(self.functions.values()))(*arrays, **named)
        return self.main(*arrays, **named)

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


class CudaModule(Module):
    """`plan` is its bytes; `weights` has the constants that it holds by
    reference. The device is looked for at the first call."""

    _make = CudaFunction

    def __init__(self, plan, device=0, weights=None):
        read = runtime.Plan(plan)
        super().__init__("cuda", [(n, *map(_convert, read.signature(n))) for n in read.functions])
        self.plan, self.device, self.ptx = plan, device, ""
        self._weights = dict(weights or {})
        self._lock = threading.Lock()
        self._context = self._program = None

    def save(self, path):
        """Writes the plan, for `load` and other users of the runtime."""
        with open(path, "wb") as file:
            file.write(self.plan)

    def _get_context(self):
        with self._lock:
            if self._context is None:
                self._context = runtime.Context(self.device)
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

    def to_device(self, array, stream=0):
        """A copy of a numpy array on the module's GPU; a uint16 can be passed as
        a bfloat16."""
        array = np.asarray(array)
        return array_views.to_device(self._get_context(), array, array.dtype.name, stream)


def _convert(values):
    return [Value(value.name, value.dtype, value.shape) for value in values]


def _read_text(text_or_path):
    """The bytes of a module and what diagnostics call it."""
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
            "expects the text of a module or a path, but found a "
            f"{type(text_or_path).__name__}"
        ) from error
    except OSError as error:
        raise Error(f"{text_or_path}: {error.strerror}", "SPARSECONV_FILE_ERROR") from error


def get_chip(device):
    """What to compile for to run on a device."""
    try:
        return runtime.Context(device).chip
    except Error as error:
        raise Error(
            f"name a chip, such as 'sm_90a', to compile where no GPU is ({error})", error.code
        ) from error


def compile(text_or_path, target="cuda", chip=None, *, entry=None, device=0,
            num_threads=None, time_limit=None):  # fmt: skip
    """Compiles a module, given as text (or bytecode) or as the path of a file.

    target       "cuda" or "cpu", also with a chip ("cuda:sm_80", "cpu:avx2"), or
                 "reference" (the interpreter, in float64)
    chip         of "cuda": "sm_80", "sm_86", "sm_89", "sm_90a"; by default the
                 one in `target`, or that of the device
    entry        of "cuda": the only function to compile
    device       of "cuda": the number of the GPU that runs it
    num_threads  of "cpu": by default as many as there are cores
    time_limit   seconds that the compiler may take
    """
    backend, _, named = str(target).partition(":")
    if backend not in _SERVED + _PLANNED:
        known = ", ".join(_SERVED + _PLANNED)
        raise ArgumentError(f"unknown target {target!r}; there are: {known}")
    text, name = _read_text(text_or_path)
    if backend in _SERVED:
        for option, given in (("chip", chip), ("entry", entry)):
            if given is not None:
                raise ArgumentError(f"{option} is for the target 'cuda', not '{target}'")
        return CpuModule(Server(text, name, target, num_threads, time_limit), target)
    if num_threads is not None:
        raise ArgumentError("num_threads is for the target 'cpu', not 'cuda'")
    chip = chip or named or get_chip(device)
    compilation = Compilation(text, chip, entry, name, time_limit)
    module = CudaModule(compilation.plan, device)
    module.ptx, module.diagnostics = compilation.ptx, compilation.diagnostics
    return module


def load(plan, device=0, weights=None):
    """A module from a plan: its bytes, or the path of its file. `weights` maps
    the names of the constants that the plan holds by reference to arrays, of
    the same bytes as those that the plan was written with."""
    if not isinstance(plan, (bytes, bytearray)):
        plan, _ = _read_text(os.fspath(plan))
    return CudaModule(bytes(plan), device, weights)
