# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles networks for the device of some tensors, keeps what is compiled, and
runs it on them.

What is compiled is a plan: machine code that runs in this process on a CPU, kernels
for a GPU. Plans also stay in files, in SPARSECONV_CACHE, or else in `sparseconv` of
the user's cache folder. A plan depends on the compiler, too, so another compiler
finds none of them."""

import atexit
import functools
import hashlib
import os
import sys
import threading

import torch
from torch.autograd import forward_ad

from .. import files
from .. import module as modules
from .. import runtime
from ..compiler import Compilation, find_program
from ..errors import ArgumentError, Error, RepeatError
from ..unread import Unread
from .rooms import get_rooms

DTYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}


@functools.cache
def get_name(dtype):
    """What numpy calls an element type of torch."""
    return str(dtype).removeprefix("torch.")


def get_dtype(tensor):
    """The element type of features in IR."""
    name = DTYPES.get(tensor.dtype)
    if name is None:
        known = ", ".join(str(dtype) for dtype in DTYPES)
        raise ArgumentError(f"expects features of {known}, but found {tensor.dtype}")
    return name


_operators = torch.library.Library("sparseconv", "FRAGMENT")


def is_watched(tensor):
    """Whether somebody sees operators of torch called: a compiler, a mode, or a tensor
    of a class of its own."""
    return (
        torch.compiler.is_compiling()
        or type(tensor) is not torch.Tensor
        or torch._C._len_torch_dispatch_stack() > 0
        or torch._C._get_tracing_state() is not None
    )


def is_forward_mode():
    """Whether somebody may take derivatives in forward mode, with or without gradients."""
    return forward_ad._current_level >= 0


def _refuse_modes(name, values):
    """Raises an error where torch would go on without what an operator does. It has no
    rules for torch.func and for tangents, which would be zeros, and torch.jit.trace sees no
    more of it than the empty memory of its result."""
    if torch._C._get_tracing_state() is not None:
        raise ArgumentError(
            f"{name}: torch.jit.trace cannot trace layers for sparse tensors; "
            "sparseconv.compile makes one plan of a whole module"
        )
    transforms = torch._C._functorch.peek_interpreter_stack() is not None
    if not transforms and not is_forward_mode():
        return
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    if transforms and any(map(torch._C._functorch.is_functorch_wrapped_tensor, tensors)):
        raise ArgumentError(f"{name}: {_NO_TRANSFORM}")
    if any(forward_ad.unpack_dual(tensor).tangent is not None for tensor in tensors):
        raise ArgumentError(
            f"{name}: has no derivative in forward mode; torch.autograd.grad and "
            "torch.autograd.functional take gradients"
        )


def _needs_grad(values):
    return any(isinstance(value, torch.Tensor) and value.requires_grad for value in values)


_NO_TRANSFORM = (
    "torch.func has no rules for operators of other libraries, and so vectorize=True and "
    "is_grads_batched=True have none; torch.autograd.grad and torch.autograd.functional "
    "take gradients"
)


def explain_transform(name, error, values=()):
    """Says why there is no memory behind tensors that torch.func has wrapped."""
    is_batched = torch._C._functorch.is_legacy_batchedtensor
    if torch._C._functorch.peek_interpreter_stack() is not None or any(
        isinstance(value, torch.Tensor) and is_batched(value) for value in values
    ):
        raise ArgumentError(f"{name}: {_NO_TRANSFORM}") from error


def make_to_stay(function):
    """A function whose tensors are no inference tensors, wherever it is called: sets and
    maps stay with a sparse tensor, and a later step that takes gradients reads them."""

    @functools.wraps(function)
    def make(*values, **named):
        if not torch.is_inference_mode_enabled():
            return function(*values, **named)
        with torch.inference_mode(False):
            return function(*values, **named)

    return make


def define_operator(name, stays=False):
    """A decorator that makes an operator `sparseconv::NAME` of a function of tensors. Who
    calls it from here calls the function where nobody sees the difference, as there are no
    gradients to take: torch's dispatcher takes longer than a layer. What the function gives
    `stays` with sparse tensors where it is a set or a map."""

    def define(function):
        if stays:
            function = make_to_stay(function)
        made = torch.library.custom_op(f"sparseconv::{name}", function, mutates_args=())
        # The same function, without what torch puts around it for functions that may
        # change their arguments or return them. torch.compile, which has no graph for
        # sets unless it is set to, runs it and would look into it.
        hidden = torch._disable_dynamo(function)
        for device in ("CPU", "CUDA"):
            _operators.impl(name, hidden, device)

        @functools.wraps(function)
        def call(*values):
            if torch.compiler.is_compiling():
                return made(*values)
            _refuse_modes(name, values)
            try:
                if is_watched(values[0]) or (torch.is_grad_enabled() and _needs_grad(values)):
                    return made(*values)
                return function(*values)
            except RuntimeError as error:
                explain_transform(name, error, values)
                text = str(error)
                if isinstance(error, ArgumentError) and text.startswith(_UNNAMED):
                    raise ArgumentError(name + text.removeprefix(_UNNAMED)) from None
                raise

        # torch.compile counts how often it compiles a piece of code: each has its own.
        call.__code__ = call.__code__.replace(co_name=name)
        call.register_fake, call.register_autograd = made.register_fake, made.register_autograd
        return call

    return define


def read_parameter(module, name):
    """A parameter of a module, in less time than a module takes to look for it among all
    that it has."""
    found = module._parameters
    return found[name] if name in found else getattr(module, name)


#: How many programs stay of those that are each for the size of a grid.
MOST_SIZES = 64

#: What begins a message about an input of a program that does not know its operator.
_UNNAMED = "an operator"

_programs = {}
_lock = threading.Lock()


def run(text, tensors, shapes=None, trusted=False, is_for_a_size=False):
    """The results of a network on tensors of one device, as a list. Where `shapes`
    gives those of the results, a GPU is not waited for. Tables and sets that are
    `trusted` are not checked. Of networks that are each for a size, of which a program
    may meet any number, those that ran last are kept."""
    get = _get_program_for_a_size if is_for_a_size else _get_program
    program = get(text, find_device(tensors), trusted)
    return run_function(program.functions["main"], tensors, shapes)


@functools.cache
def find_function(write, key, device):
    """The function of the network that `write(*key)` gives, which trusts tables and sets."""
    return _get_program(write(*key), device, True).functions["main"]


def repeat(write, key, device, tensors, views, shape):
    """The only result of the network that `write(*key)` gives, on a GPU, where it can
    report nothing: of tensors on that device, the first of which has the element type of
    the result, and of `arguments.Views`. The host takes as little time as it can."""
    function = find_function(write, key, device)
    # They are in use until the run is enqueued.
    tensors = [_align(tensor.contiguous()) for tensor in tensors]
    pointers = [tensor.data_ptr() for tensor in tensors]
    made = tensors[0].new_empty(shape)
    function.repeat(get_stream(device), tensors, pointers, views, made)
    return made


def run_function(function, tensors, shapes=None, wrap=None, where=_UNNAMED):
    """The same for a function of a module, whose inputs that are not bound are the
    tensors. With `wrap`, a function of the list, what that makes of it. It keeps the
    tensors, and looks at nothing that is in them, nor at their rows: where a GPU is
    waited for, it is called before the run ends. `where` begins a message about inputs
    that do not fit."""
    tensors = _check(function, tensors, where)
    if tensors[0].is_cuda:
        return _run_on_gpu(function, tensors, shapes, wrap=wrap)
    results = _run_on_host(function, tensors, shapes)
    return results if wrap is None else wrap(results)


def run_joined(text, tensors, shapes, num_tensors, trusted):
    """The same on a GPU for results of known shapes of which the first ones alone are
    tensors. The others, which no one but runs will read, share a piece of memory. Returns
    the tensors, the memory, and pointer, shape, bytes and type of what lies there."""
    function = _get_program(text, find_device(tensors), trusted).functions["main"]
    tensors = _check(function, tensors, _UNNAMED)
    return _run_on_gpu(function, tensors, shapes, num_tensors)


def _check(function, tensors, where):
    """Tensors that fit what is not bound, as runs take them."""
    for value, tensor in zip(function._bound.free, tensors):
        value.check(get_name(tensor.dtype), tensor.shape, where)
    return [tensor.contiguous() for tensor in tensors]


def find_device(tensors):
    """The device of all tensors, on which programs run."""
    device = tensors[0].device
    for tensor in tensors[1:]:
        if tensor.device != device:
            raise ArgumentError(
                f"expects tensors on one device, but found {device} and {tensor.device}"
            )
    if device.type not in ("cpu", "cuda"):
        raise ArgumentError(f"expects tensors on a CPU or a CUDA GPU, but found {device}")
    return device


def _get_program(text, device, trusted):
    number = torch.get_num_threads() if device.type == "cpu" else device.index
    key = text, device.type, number, trusted
    if key not in _programs:
        with _lock:
            if key not in _programs:
                _programs[key] = load_program(text, device, trusted=trusted)
    return _programs[key]


def _get_program_for_a_size(text, device, trusted):
    threads = torch.get_num_threads() if device.type == "cpu" else None
    return _load_for_a_size(text, device, trusted, threads)


@functools.lru_cache(maxsize=MOST_SIZES)
def _load_for_a_size(text, device, trusted, threads):
    return load_program(text, device, trusted=trusted)


def load_program(text, device, tuning_database=None, trusted=False):
    """A module for a network on a device, on a CPU with as many threads as torch has."""
    if device.type == "cpu":
        level = runtime.CpuContext().chip
        plan = get_plan(text, f"cpu:{level}", tuning_database, trusted)
        return modules.CpuPlanModule(plan, level, torch.get_num_threads())
    target = f"cuda:{modules.get_chip(device.index)}"
    plan = get_plan(text, target, tuning_database, trusted)
    return modules.CudaModule(plan, device.index)


def view_inputs(tensors):
    """Pointer, shape and bytes of tensors as runs take them."""
    return [(tensor.data_ptr(), tensor.shape, tensor.nbytes) for tensor in tensors]


# Plans as files ---------------------------------------------------------------


def get_cache_folder():
    named = os.environ.get("SPARSECONV_CACHE")
    if named:
        return named
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "sparseconv")


@functools.cache
def _get_compiler_mark():
    """What differs between compilers: the program's real path, size and time."""
    path = os.path.realpath(find_program("sparseconv-translate"))
    status = os.stat(path)
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def get_plan(text, target, tuning_database=None, trusted=False):
    """The plan of a network for a target, from a file if there is one. A database of
    `sparseconv-tune` is named by its path."""
    mark = f"{_get_compiler_mark()}\n{target} {trusted}\n{_read(tuning_database)}\n{text}"
    folder = get_cache_folder()
    path = os.path.join(folder, hashlib.sha256(mark.encode()).hexdigest() + ".plan")
    try:
        with open(path, "rb") as file:
            plan = file.read()
        runtime.Plan(plan)  # reads all of it, and checks it
        return plan
    except (OSError, Error):
        pass  # there is none, or what is there is no plan
    backend, _, chip = target.partition(":")
    options = {"chip": chip} if backend == "cuda" else {"target": target}
    options.update(tuning_database=tuning_database, trust_tables=trusted)
    plan = Compilation(text.encode(), **options).plan
    try:
        os.makedirs(folder, exist_ok=True)
        files.write(path, plan)
    except OSError:
        pass  # the plan is good without a file
    return plan


def _read(path):
    if path is None or os.fspath(path) in ("default", "none"):
        return os.fspath(path or "default")
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Error(f"{path}: {error.strerror}", "SPARSECONV_FILE_ERROR") from error


# On a CPU ---------------------------------------------------------------------


def to_numpy(tensor):
    """A tensor in host memory as numpy's array; a bfloat16 is a uint16 there."""
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view("uint16")
    return tensor.numpy()


def _make_outputs(function, shapes):
    return [
        torch.empty(shape, dtype=getattr(torch, value.dtype), device="cpu")
        for value, shape in zip(function.outputs, shapes)
    ]


def _run_on_host(function, tensors, shapes):
    """Where the shapes of results are known, the run writes into tensors at once."""
    bound = function._bound
    inputs = view_inputs(tensors)
    instance = function._take(bound)
    try:
        if shapes is None:
            instance.enqueue(0, inputs, [(None, 0)] * len(function.outputs))
            instance.wait()
            outputs = _make_outputs(function, instance.get_shapes())
            for i, output in enumerate(outputs):
                instance.read(i, output.data_ptr(), output.nbytes)
        else:
            outputs = _make_outputs(function, shapes)
            targets = [(output.data_ptr(), output.nbytes) for output in outputs]
            instance.enqueue(0, inputs, targets)
            instance.wait()
        return outputs
    finally:
        function._give_back(bound, instance)


# On a GPU ---------------------------------------------------------------------

_unread = Unread()


def check():
    """Waits for all that layers have enqueued on GPUs and that can find a mistake, and
    raises one that nobody has been told yet, such as a coordinate outside of a grid. Without
    it such an `Error` is raised by a later call of a layer, or printed when the process
    ends. On a CPU a call raises its own errors.

        grid = sct.to_dense(y)
        sct.check()  # the grid is as it should be
    """
    _unread.look(wait=True)


@atexit.register
def _report_at_exit():
    try:
        check()
    except Error as error:
        print(f"sparseconv.torch: error: {error}", file=sys.stderr)


def get_stream(device):
    """Torch's current stream on a GPU, as a number. This is how torch's own compiled
    code asks for it; the object that torch makes of it takes longer than a launch."""
    return torch._C._cuda_getCurrentRawStream(device.index)


def _align(tensor):
    return tensor if tensor.data_ptr() % 16 == 0 else tensor.clone()


def _run_on_gpu(function, tensors, shapes, num_tensors=None, wrap=None):
    """On torch's current stream, into memory of torch's allocator. Runs of an
    instance are ordered, so that it may be handed on before its run ends, unless
    the run is waited for: its results would be another one's. What a run reports
    that is not waited for, a later call raises. With `num_tensors` it returns what
    `run_joined` does, with `wrap` what `run_function` does."""
    _unread.look()
    bound, device = function._bound, tensors[0].device
    stream = get_stream(device)
    tensors = list(map(_align, tensors))  # they stay until the run is enqueued
    inputs = view_inputs(tensors)
    sizes = [view[1] for view in inputs]
    while True:
        instance, key = function._take(sizes, bound, False)
        try:
            rooms = get_rooms(function, instance, num_tensors)
            outputs, memory, targets = rooms.make(device, stream)
            instance.enqueue(stream, inputs, targets)
            found, wrapped = shapes, None
            if found is None:
                rooms.make_ahead(device, stream)
                if wrap and rooms.keep_tensors:
                    wrapped = wrap(outputs)
                instance.wait()
                found = instance.get_shapes()
                _unread.look(all=True)
            elif instance.can_fail:
                _unread.add(instance)
        except RepeatError:
            function._learn(instance)
            continue
        finally:
            function._give_back(key, instance)
        made = rooms.cut(outputs, found)
        if wrap:
            return wrap(made) if wrapped is None else wrapped
        return made if num_tensors is None else (made, memory, rooms.view(targets, found))
