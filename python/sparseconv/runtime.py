"""Runs compiled plans on a GPU, through the C interface of the runtime.

    context = Context()
    program = Program(context, "net.plan")
    instance = program.instance("main", capacities=[100_000, 100_000])
    features, coordinates = instance.run(points, features)

Needs numpy, a CUDA driver and the library `libsparseconv-runtime.so`, which is
looked for as `sparseconv.libraries` says, or named by SPARSECONV_RUNTIME.
This is the C interface as objects; `sparseconv.compile` and `load` are easier.
"""

import collections
import ctypes
import itertools
import os

import numpy as np

from .arguments import TYPES, Arguments, Repeated, write
from .errors import ArgumentError, CapacityError, Error, RepeatError, count, shorten
from .libraries import open_library
from .structures import GrowableInfo, InstanceInfo, StepInfo, Tensor, ValueInfo

_DYNAMIC = -1
#: Most rows of an array.
MAX_ROWS = 2**31 - 2
#: Flags of an instance.
POISON, SYNCHRONOUS, FIXED_CAPACITIES, EXACT = 1, 2, 4, 8


_ERRORS = {
    "SPARSECONV_INVALID_ARGUMENT": ArgumentError,
    "SPARSECONV_OVER_CAPACITY": CapacityError,
    "SPARSECONV_REPEAT": RepeatError,
}
_NOT_READY = 9
_REPORTS_ERRORS, _REPORTS_SIZES = 1, 2
#: Where an array lies that has no rows, for calls to which no address means no array.
_NO_ROWS = 256
#: So many pieces of memory wait for a device together, at most.
_MOST_LATE = 64


def _open_library():
    library = open_library("runtime", "SPARSECONV_RUNTIME", "sparseconv_plan_read")
    for function in ("last_error", "code_name", "context_chip",
                     "context_device_name", "program_function_name",
                     "plan_function_name", "plan_target"):  # fmt: skip
        getattr(library, "sparseconv_" + function).restype = ctypes.c_char_p
    for kind in ("program", "plan"):
        getattr(library, f"sparseconv_{kind}_num_functions").restype = ctypes.c_int64
    for kind in ("context", "program", "plan", "instance"):
        getattr(library, f"sparseconv_{kind}_destroy").restype = None
    # The functions of each run: what they take is converted without an object.
    tensors = ctypes.POINTER(Tensor)
    library.sparseconv_instance_run.argtypes = (
        ctypes.c_void_p, ctypes.c_void_p, tensors, ctypes.c_int64, tensors, ctypes.c_int64,
    )  # fmt: skip
    library.sparseconv_instance_check.argtypes = (ctypes.c_void_p, ctypes.c_int)
    return library


_library = None
#: Those that were called, by their names without the first part.
_functions = {}


def _get_library():
    global _library
    if _library is None:
        _library = _open_library()
    return _library


def _call(function, *arguments):
    called = _functions.get(function)
    if called is None:
        called = _functions[function] = getattr(_get_library(), "sparseconv_" + function)
    code = called(*arguments)
    if code != 0:
        raise _make_error(code)


def _make_error(code):
    library = _get_library()
    name = library.sparseconv_code_name(code).decode()
    text = library.sparseconv_last_error().decode(errors="replace")
    return _ERRORS.get(name, Error)(f"{name}: {text}", name)


class _Owner:
    """Owns a handle. It is destroyed when neither this object is there nor what
    holds it: the interpreter finalises the objects of a cycle in any order.

    Finalisers run anywhere, within these functions too, and in any thread. So
    nothing here takes a lock: there is a token for each holder, to take one is
    one operation of a deque, and whoever takes the last destroys the handle."""

    kind = ""

    def __init__(self, parent=None):
        self.handle = ctypes.c_void_p()
        self._parent = parent
        if parent is not None:
            parent.hold()
        self._tokens = collections.deque(["last"])

    def hold(self):
        self._tokens.append("holder")

    def release(self):
        if self._tokens.pop() != "last":
            return
        if self.handle and _library is not None:
            self._close()
            getattr(_library, f"sparseconv_{self.kind}_destroy")(self.handle)
        if self._parent is not None:
            self._parent.release()

    def _close(self):
        """What comes before the end of the handle."""

    def __del__(self):
        if getattr(self, "_tokens", None):
            self.release()


def get_device_count():
    """The number of GPUs; an Error where there is no usable driver."""
    count = ctypes.c_int()
    _call("device_count", ctypes.byref(count))
    return count.value


class Context(_Owner):
    """A GPU. Streams are integers, 0 is the default one."""

    kind = "context"

    def __init__(self, device=0):
        super().__init__()
        self.device = device
        self._late = collections.deque()
        self._create()

    def _create(self):
        _call("context_create", self.device, ctypes.byref(self.handle))

    @property
    def chip(self):
        return _get_library().sparseconv_context_chip(self.handle).decode()

    @property
    def device_name(self):
        return _get_library().sparseconv_context_device_name(self.handle).decode()

    def allocate(self, stream, nbytes):
        """Memory for work on a stream, as an address."""
        if len(self._late) >= _MOST_LATE:
            self.synchronise()
        pointer = ctypes.c_void_p()
        self.take_memory("memory_allocate", self.handle, ctypes.c_void_p(stream),
                         ctypes.c_uint64(nbytes), ctypes.byref(pointer))  # fmt: skip
        return pointer.value

    def take_memory(self, function, *arguments):
        """A call that needs memory; where there is none, again without what is
        to be freed."""
        try:
            return _call(function, *arguments)
        except Error as error:
            if error.code != "SPARSECONV_OUT_OF_MEMORY" or not self._late:
                raise
        self.synchronise()
        return _call(function, *arguments)

    def free(self, stream, pointer):
        _call("memory_free", self.handle, ctypes.c_void_p(stream),
              ctypes.c_void_p(pointer))  # fmt: skip

    def free_late(self, pointer):
        """Frees memory whose stream is gone. Nothing says when the work on it ends,
        so the memory stays until all work has. For finalisers: this waits for
        nothing and takes no lock."""
        self._late.append(pointer)

    def _take_late(self):
        taken = []
        while self._late:
            try:
                taken.append(self._late.popleft())
            except IndexError:
                break  # another thread was faster
        return taken

    def _close(self):
        try:
            if self._late:
                self.synchronise()
        except Error:
            pass  # the device has failed

    def upload(self, stream, pointer, host, nbytes):
        _call("memory_upload", self.handle, ctypes.c_void_p(stream),
              ctypes.c_void_p(pointer), ctypes.c_void_p(host),
              ctypes.c_uint64(nbytes))  # fmt: skip

    def download(self, stream, host, pointer, nbytes):
        _call("memory_download", self.handle, ctypes.c_void_p(stream),
              ctypes.c_void_p(host), ctypes.c_void_p(pointer),
              ctypes.c_uint64(nbytes))  # fmt: skip

    def synchronise(self):
        """Waits for all work on the device."""
        late = self._take_late()  # what comes later may have work under way still
        try:
            _call("context_synchronise", self.handle)
        except Error:
            self._late.extend(late)
            raise
        for pointer in late:
            self.free(0, pointer)

    def wait(self, stream, other):
        """Work on `stream` from now on waits for what is on `other`."""
        _call("stream_wait", self.handle, ctypes.c_void_p(stream),
              ctypes.c_void_p(other))  # fmt: skip


def read_num_threads(number):
    """A number of threads that a caller has given, or None."""
    if number is not None and (not isinstance(number, int) or not 0 <= number <= 4096):
        raise ArgumentError(f"num_threads: expects an integer of 0 to 4096, but found {number!r}")
    return number


class CpuContext(Context):
    """This machine's processor, for plans of machine code for CPUs. `level` is
    "avx512", "avx2" or "sse2"; without it the widest vectors that there are. The
    only stream is 0."""

    def __init__(self, level=None, num_threads=None):
        self._level, self._num_threads = level, read_num_threads(num_threads)
        super().__init__(None)

    def _create(self):
        level = None if self._level is None else self._level.encode()
        _call("context_create_cpu", level, self._num_threads or 0,
              ctypes.byref(self.handle))  # fmt: skip


class Value:
    """The name, element type and sizes (None where dynamic) of an argument or
    result."""

    def __init__(self, info):
        self.name = info.name.decode()
        self.dtype = TYPES[info.type]
        self.type = info.type
        self.shape = tuple(
            None if info.sizes[axis] == _DYNAMIC else info.sizes[axis]
            for axis in range(info.rank)
        )

    def __repr__(self):
        sizes = "x".join("?" if size is None else str(size) for size in self.shape)
        return shorten(f"{self.name}: {sizes}x{self.dtype}")


class _Functions(_Owner):
    """What programs and plans say of their functions."""

    @property
    def functions(self):
        library = _get_library()
        count = getattr(library, f"sparseconv_{self.kind}_num_functions")(self.handle)
        get_name = getattr(library, f"sparseconv_{self.kind}_function_name")
        return [get_name(self.handle, ctypes.c_int64(i)).decode() for i in range(count)]

    def signature(self, function):
        """The inputs and the outputs of a function, as lists of `Value`."""
        counts = ctypes.c_int64(), ctypes.c_int64()
        _call(f"{self.kind}_num_values", self.handle, function.encode(),
              *map(ctypes.byref, counts))  # fmt: skip
        values = []
        for side, count in zip(("input", "output"), counts):
            values.append([])
            for i in range(count.value):
                info = ValueInfo()
                _call(f"{self.kind}_{side}", self.handle, function.encode(),
                      ctypes.c_int64(i), ctypes.byref(info))  # fmt: skip
                values[-1].append(Value(info))
        return tuple(values)


class Plan(_Functions):
    """What a plan holds, without a driver."""

    kind = "plan"

    @property
    def target(self):
        """What it is for: "cuda" or "cpu"."""
        return _get_library().sparseconv_plan_target(self.handle).decode()

    def __init__(self, plan):
        super().__init__()
        _call("plan_read", plan, ctypes.c_uint64(len(plan)), ctypes.byref(self.handle))


class Program(_Functions):
    """A compiled plan on a device."""

    kind = "program"

    def __init__(self, context, plan):
        super().__init__(context)
        self.context = context
        if isinstance(plan, (bytes, bytearray)):
            _call("program_load", context.handle, bytes(plan),
                  ctypes.c_uint64(len(plan)), ctypes.byref(self.handle))  # fmt: skip
        else:
            _call("program_load_file", context.handle, os.fsencode(plan),
                  ctypes.byref(self.handle))  # fmt: skip

    def bind_constant(self, name, data):
        """Brings the bytes of a constant that the plan holds by reference."""
        _call("program_bind_constant", self.handle, name.encode(), data,
              ctypes.c_uint64(len(data)))  # fmt: skip

    def instance(self, function, capacities, flags=0):
        """Memory for runs of a function. `capacities` are upper bounds of the
        inputs' dynamic sizes, input by input."""
        return Instance(self, function, capacities, flags)


class Instance(_Owner):
    """A function with memory for given capacities. Runs take what is not bound."""

    kind = "instance"

    def __init__(self, program, function, capacities, flags):
        super().__init__(program)
        self.program, self.function = program, function
        self.inputs, self.outputs = program.signature(function)
        self._ranks = [len(value.shape) for value in self.outputs]
        self._num_sizes = sum(self._ranks)
        #: The bytes of each output at most, once somebody has asked.
        self._rooms = None
        self._repeated = None
        self._set_free(range(len(self.inputs)))
        numbers = (ctypes.c_int64 * max(1, len(capacities)))(*capacities)
        program.context.take_memory(
            "instance_create", program.handle, function.encode(), numbers,
            ctypes.c_int64(len(capacities)), ctypes.c_uint32(flags), ctypes.byref(self.handle),
        )  # fmt: skip
        self.num_growables = self._describe().num_growables
        self._note_reports()

    def _describe(self):
        info = InstanceInfo()
        _call("instance_describe", self.handle, ctypes.byref(info))
        return info

    def _note_reports(self):
        reports = self._describe().reports
        #: Whether a run can end with an error of the program's, and whether one can find
        #: sizes that are none of its inputs'.
        self.can_fail = bool(reports & _REPORTS_ERRORS)
        self.finds_sizes = bool(reports & _REPORTS_SIZES)

    def get_growables(self):
        """The capacities that grow from run to run, as tuples of operation,
        location, capacity and bound."""
        result = []
        for i in range(self.num_growables):
            info = GrowableInfo()
            _call("instance_growable", self.handle, ctypes.c_int64(i), ctypes.byref(info))
            texts = (info.operation, info.location)
            result.append((*(t.decode() for t in texts), info.capacity, info.bound))
        return result

    def reserve(self, capacities):
        """Makes each of them at least as large, up to its bound."""
        self._rooms = None
        numbers = (ctypes.c_int64 * max(1, len(capacities)))(*capacities)
        self.program.context.take_memory("instance_reserve", self.handle, numbers,
                                         ctypes.c_int64(len(capacities)))  # fmt: skip

    def _set_free(self, numbers):
        """Says which inputs are not bound."""
        self.free = list(numbers)
        # Those that no run uses just now, as threads may start runs at a time.
        self._spare = collections.deque()

    def _check_counts(self, inputs, outputs):
        for given, expected, kind in ((inputs, self.free, "input"),
                                      (outputs, self.outputs, "output")):  # fmt: skip
            if len(given) != len(expected):
                raise ArgumentError(
                    f"function '{self.function}' has {count(len(expected), kind)}, not "
                    f"{len(given)}",
                    "SPARSECONV_INVALID_ARGUMENT",
                )

    def bind(self, stream, inputs):
        """Says where inputs stay, and does at once what depends on them alone, after
        what is on the stream. `inputs` has a tuple of pointer, shape and bytes, or None,
        for each input."""
        tensors = (Tensor * max(1, len(inputs)))()
        for tensor, value, view in zip(tensors, self.inputs, inputs):
            if view is not None:
                pointer, shape, nbytes = view
                # An input without data is one that is not bound.
                write(tensor, value.type, pointer or _NO_ROWS, shape, nbytes)
        self.program.context.take_memory("instance_bind", self.handle, ctypes.c_void_p(stream),
                                         tensors, ctypes.c_int64(len(inputs)))  # fmt: skip
        self._set_free(i for i, view in enumerate(inputs) if view is None)
        self._note_reports()
        self._rooms = None

    def _pass(self, arrays):
        if len(arrays) != len(self.free):
            raise ArgumentError(
                f"expects {count(len(self.free), 'array')}, but found {len(arrays)}"
            )
        tensors = (Tensor * max(1, len(self.inputs)))()
        kept = []
        for number, array in zip(self.free, arrays):
            value = self.inputs[number]
            dtype = "uint16" if value.dtype == "bfloat16" else value.dtype
            if array.dtype != dtype:
                raise ArgumentError(
                    f"'{value.name}' expects {dtype}, but found {array.dtype}"
                )
            array = np.ascontiguousarray(array)
            kept.append(array)
            write(tensors[number], value.type, array.ctypes.data, array.shape, array.nbytes)
        return tensors, ctypes.c_int64(len(self.inputs)), kept

    def run(self, *arrays):
        """Runs the function on numpy arrays; returns a tuple of arrays. A
        bfloat16 is passed as uint16."""
        tensors, number, kept = self._pass(arrays)
        self._rooms = None  # capacities may grow
        _call("instance_run_host", self.handle, tensors, number)
        del kept
        return tuple(self.read_all())

    def profile(self, *arrays):
        """Runs the function on numpy arrays once; returns its steps as tuples of
        name, operation, location, begin and end, in seconds."""
        info = self._describe()
        times = (ctypes.c_double * (info.num_steps + 1))()
        tensors, number, kept = self._pass(arrays)
        self._rooms = None
        _call("instance_profile", self.handle, tensors, number, times)
        del kept
        steps = []
        for i in range(info.num_steps):
            step = StepInfo()
            _call("instance_step", self.handle, ctypes.c_int64(i), ctypes.byref(step))
            texts = (step.name, step.operation, step.location)
            steps.append((*(t.decode() for t in texts), times[i], times[i + 1]))
        return steps

    def enqueue(self, stream, inputs, outputs):
        """Enqueues a run on device memory: tuples of pointer, shape and bytes for
        the inputs that are not bound, of pointer and bytes for the outputs."""
        self._check_counts(inputs, outputs)
        arguments = self._take_arguments()
        arguments.fill(inputs, outputs)
        _call("instance_run", self.handle, stream, *arguments.call)
        self._spare.append(arguments)

    def repeat(self, stream, *given):
        """The same for a function with one output of which nothing is bound, where no
        other thread uses the instance, of what `Repeated.fill` takes."""
        arguments = self._repeated
        if arguments is None:
            arguments = self._repeated = Repeated(self, len(given[1]))
        arguments.fill(*given)
        _call("instance_run", self.handle, stream, *arguments.call)

    def _take_arguments(self):
        try:
            return self._spare.pop()
        except IndexError:
            return Arguments(self)

    def is_done(self):
        """Whether the last run has ended, well or not."""
        code = _get_library().sparseconv_instance_results(self.handle, 0)
        return code != _NOT_READY

    def wait(self):
        """Waits for the last run; raises what it reports."""
        try:
            _call("instance_results", self.handle, 1)
        except RepeatError:
            self._rooms = None
            raise

    def check(self, wait=False):
        """Whether all runs have ended, which `wait` waits for. Raises, once, what one
        reports whose results nobody has asked for."""
        code = _get_library().sparseconv_instance_check(self.handle, wait)
        if code not in (0, _NOT_READY):
            raise _make_error(code)
        return code == 0

    def get_capacity(self, index):
        """The bytes that an output takes at most."""
        size = ctypes.c_uint64()
        _call("instance_output_capacity", self.handle, ctypes.c_int64(index), None,
              ctypes.byref(size))  # fmt: skip
        return size.value

    def get_rooms(self):
        """The bytes of all outputs at most. They stay until a capacity grows."""
        if self._rooms is None:
            self._rooms = [self.get_capacity(i) for i in range(len(self.outputs))]
        return self._rooms

    def get_shapes(self):
        """The exact shapes of all outputs of the last run."""
        number = self._num_sizes
        sizes = (ctypes.c_int64 * max(1, number))()
        _call("instance_output_sizes", self.handle, sizes, ctypes.c_int64(number))
        rest = iter(sizes)
        return [tuple(itertools.islice(rest, rank)) for rank in self._ranks]

    def read(self, index, pointer, nbytes):
        """Copies an output of the last run to host memory."""
        _call("instance_read_output", self.handle, ctypes.c_int64(index),
              ctypes.c_void_p(pointer), ctypes.c_uint64(nbytes))  # fmt: skip

    def read_all(self):
        """Copies all outputs of the last run to numpy arrays. A bfloat16 is a uint16."""
        arrays = []
        for index, (value, shape) in enumerate(zip(self.outputs, self.get_shapes())):
            array = np.empty(shape, "uint16" if value.dtype == "bfloat16" else value.dtype)
            self.read(index, array.ctypes.data, array.nbytes)
            arrays.append(array)
        return arrays
