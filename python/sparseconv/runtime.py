"""Runs compiled plans on a GPU, through the C interface of the runtime.

    context = Context()
    program = Program(context, "net.plan")
    instance = program.instance("main", capacities=[100_000, 100_000])
    features, coordinates = instance.run(points, features)

Needs numpy, a CUDA driver and the library `libsparseconv-runtime.so`, which is
looked for in SPARSECONV_RUNTIME, beside this package and in the system's path.
"""

import ctypes
import os

import numpy as np

_TYPES = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16",
          "bfloat16", "float32", "float64")  # fmt: skip
_DYNAMIC = -1
#: Flags of an instance.
POISON, SYNCHRONOUS = 1, 2


class Error(RuntimeError):
    """A failure, with the name of its code and what the runtime says of it."""


class _ValueInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
    ]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("bytes", ctypes.c_uint64),
    ]


def _open_library():
    name = "libsparseconv-runtime.so"
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    for path in (os.environ.get("SPARSECONV_RUNTIME"), beside, name):
        if not path:
            continue
        try:
            library = ctypes.CDLL(path)
            break
        except OSError:
            continue
    else:
        raise Error(f"{name} is not to be found: name it in SPARSECONV_RUNTIME")
    for function in ("last_error", "code_name", "context_chip",
                     "context_device_name", "program_function_name"):  # fmt: skip
        getattr(library, "sparseconv_" + function).restype = ctypes.c_char_p
    library.sparseconv_program_num_functions.restype = ctypes.c_int64
    return library


_library = None


def _get_library():
    global _library
    if _library is None:
        _library = _open_library()
    return _library


def _call(function, *arguments):
    library = _get_library()
    code = getattr(library, "sparseconv_" + function)(*arguments)
    if code != 0:
        name = library.sparseconv_code_name(code).decode()
        raise Error(f"{name}: {library.sparseconv_last_error().decode()}")


def _destroy(kind, handle):
    if handle and _library is not None:
        getattr(_library, f"sparseconv_{kind}_destroy")(handle)


class Context:
    """A GPU."""

    def __init__(self, device=0):
        self.handle = ctypes.c_void_p()
        _call("context_create", device, ctypes.byref(self.handle))

    @property
    def chip(self):
        return _get_library().sparseconv_context_chip(self.handle).decode()

    @property
    def device_name(self):
        return _get_library().sparseconv_context_device_name(self.handle).decode()

    def __del__(self):
        _destroy("context", getattr(self, "handle", None))


class Value:
    """The name, element type and sizes (None where dynamic) of an argument or
    result."""

    def __init__(self, info):
        self.name = info.name.decode()
        self.dtype = _TYPES[info.type]
        self.type = info.type
        self.shape = tuple(
            None if info.sizes[axis] == _DYNAMIC else info.sizes[axis]
            for axis in range(info.rank)
        )

    def __repr__(self):
        sizes = "x".join("?" if size is None else str(size) for size in self.shape)
        return f"{self.name}: {sizes}x{self.dtype}"


class Program:
    """A compiled plan on a device."""

    def __init__(self, context, plan):
        self.context = context
        self.handle = ctypes.c_void_p()
        if isinstance(plan, (bytes, bytearray)):
            _call("program_load", context.handle, bytes(plan),
                  ctypes.c_uint64(len(plan)), ctypes.byref(self.handle))  # fmt: skip
        else:
            _call("program_load_file", context.handle, os.fsencode(plan),
                  ctypes.byref(self.handle))  # fmt: skip

    @property
    def functions(self):
        library = _get_library()
        count = library.sparseconv_program_num_functions(self.handle)
        return [
            library.sparseconv_program_function_name(
                self.handle, ctypes.c_int64(i)
            ).decode()
            for i in range(count)
        ]

    def signature(self, function):
        """The inputs and the outputs of a function, as lists of `Value`."""
        counts = ctypes.c_int64(), ctypes.c_int64()
        _call("program_num_values", self.handle, function.encode(),
              *map(ctypes.byref, counts))  # fmt: skip
        values = []
        for side, count in zip(("input", "output"), counts):
            values.append([])
            for i in range(count.value):
                info = _ValueInfo()
                _call("program_" + side, self.handle, function.encode(),
                      ctypes.c_int64(i), ctypes.byref(info))  # fmt: skip
                values[-1].append(Value(info))
        return tuple(values)

    def instance(self, function, capacities, flags=0):
        """Memory for runs of a function. `capacities` are upper bounds of the
        inputs' dynamic sizes, input by input."""
        return Instance(self, function, capacities, flags)

    def __del__(self):
        _destroy("program", getattr(self, "handle", None))


class Instance:
    """A function with memory for given capacities."""

    def __init__(self, program, function, capacities, flags):
        self.program = program
        self.inputs, self.outputs = program.signature(function)
        self.handle = ctypes.c_void_p()
        numbers = (ctypes.c_int64 * max(1, len(capacities)))(*capacities)
        _call("instance_create", program.handle, function.encode(), numbers,
              ctypes.c_int64(len(capacities)), ctypes.c_uint32(flags),
              ctypes.byref(self.handle))  # fmt: skip

    def _pass(self, arrays):
        if len(arrays) != len(self.inputs):
            raise Error(f"expects {len(self.inputs)} arrays, but found {len(arrays)}")
        tensors = (_Tensor * max(1, len(arrays)))()
        kept = []
        for tensor, value, array in zip(tensors, self.inputs, arrays):
            dtype = "uint16" if value.dtype == "bfloat16" else value.dtype
            if array.dtype != dtype:
                raise Error(f"'{value.name}' expects {dtype}, but found {array.dtype}")
            array = np.ascontiguousarray(array)
            sizes = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
            kept += [array, sizes]
            tensor.data = array.ctypes.data
            tensor.type, tensor.rank = value.type, array.ndim
            tensor.sizes, tensor.bytes = sizes, array.nbytes
        return tensors, kept

    def run(self, *arrays):
        """Runs the function on numpy arrays; returns a tuple of arrays. A
        bfloat16 is passed as uint16."""
        tensors, kept = self._pass(arrays)
        _call("instance_run_host", self.handle, tensors, ctypes.c_int64(len(arrays)))
        del kept
        return tuple(self._read(i, value) for i, value in enumerate(self.outputs))

    def _read(self, index, value):
        sizes = (ctypes.c_int64 * max(1, len(value.shape)))()
        size = ctypes.c_uint64()
        number = ctypes.c_int64(index)
        _call("instance_output", self.handle, number, sizes, ctypes.byref(size),
              ctypes.byref(ctypes.c_void_p()))  # fmt: skip
        dtype = "uint16" if value.dtype == "bfloat16" else value.dtype
        array = np.empty(tuple(sizes[: len(value.shape)]), dtype)
        _call("instance_read_output", self.handle, number,
              ctypes.c_void_p(array.ctypes.data), size)  # fmt: skip
        return array

    def __del__(self):
        _destroy("instance", getattr(self, "handle", None))
