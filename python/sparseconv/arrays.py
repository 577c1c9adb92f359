# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of host and device memory that callers bring and get.

Element types have numpy's names; numpy has no bfloat16, whose bits are a uint16
there.
"""

import ctypes
import math
import sys

import numpy as np

from .errors import ArgumentError, Error, shorten

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "bool": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}
_NUMPY_BITS = {"bfloat16": "uint16"}


def get_numpy_dtype(dtype):
    return np.dtype(_NUMPY_BITS.get(dtype, dtype))


def convert(array, dtype):
    """Floats rounded to an element type, to the nearest, ties to even: a numpy array of
    the same shape. Calls take arrays of the types that a network states, so this is for
    those of others.

    array  floats of any shape, as an array or anything that numpy makes one of
    dtype  "float16", "float32", "float64", or "bfloat16", which is a uint16 in numpy

    Numbers that are no floats, and other types, are an `ArgumentError`.

        net.main(points, sparseconv.convert(features, "bfloat16"))
    """
    array = np.asarray(array)
    if array.dtype.kind != "f" or dtype not in ("bfloat16", "float16", "float32", "float64"):
        raise ArgumentError(f"floats are converted to floats, not {array.dtype} to {dtype}")
    if dtype != "bfloat16":
        return array.astype(dtype)
    # Halfway cases of the longer type are none of float32: round to odd first.
    flat = array.reshape(-1)
    with np.errstate(over="ignore"):
        single = flat.astype(np.float32)
    if flat.dtype.itemsize > 4:
        wide, bits = single.astype(flat.dtype), single.view(np.uint32)
        beyond = np.isfinite(single) & (np.abs(wide) > np.abs(flat))
        bits[beyond] -= 1
        bits[(wide != flat) & np.isfinite(single)] |= 1
    bits = single.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    quiet = bits >> 16 | 0x40
    return np.where(np.isnan(single), quiet, rounded).astype(np.uint16).reshape(array.shape)


# DLPack ---------------------------------------------------------------------


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _ManagedTensor(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_ManagedTensor))
_ManagedTensor._fields_ = [
    ("tensor", _Tensor),
    ("context", ctypes.c_void_p),
    ("deleter", _Deleter),
]
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_NAME = b"dltensor"

# A capsule that dies may not get another reference, so they go by address.
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor
)(("PyCapsule_New", ctypes.pythonapi))

_exported = {}


@_Deleter
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


@_Destructor
def _destroy_capsule(capsule):
    # A consumer renames the capsule and calls the deleter itself.
    if _is_valid(capsule, _NAME):
        _exported.pop(_get_pointer(capsule, _NAME), None)


def _export(owner):
    sizes = (ctypes.c_int64 * max(1, owner.ndim))(*owner.shape)
    managed = _ManagedTensor()
    kind = owner.dtype.rstrip("0123456789")
    tensor = managed.tensor
    tensor.data = owner.pointer if owner.nbytes else None
    tensor.device = _Device(_CUDA, owner.device)
    tensor.ndim = owner.ndim
    tensor.dtype = _DataType(_CODES[kind], 8 * owner.itemsize, 1)
    tensor.shape = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))
    managed.deleter = _delete
    address = ctypes.addressof(managed)
    _exported[address] = (managed, sizes, owner)
    return _new_capsule(address, _NAME, _destroy_capsule)


# Arrays that a caller brings --------------------------------------------------


class View:
    """Where an array lies, whose it is, and what it holds."""

    def __init__(self, pointer, dtype, shape, is_contiguous, device, keep, stream=None):
        self.pointer, self.dtype, self.shape = pointer, dtype, tuple(shape)
        self.is_contiguous, self.device = is_contiguous, device
        #: What keeps the memory, and a stream whose work has to be done first.
        self.keep, self.stream = keep, stream
        self.nbytes = math.prod(self.shape) * get_numpy_dtype(dtype).itemsize


def _is_row_major(shape, strides):
    """Whether `strides`, in elements, are those of a contiguous array."""
    if strides is None or 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def _get_library(array):
    return type(array).__module__.partition(".")[0]


def _is_torch_tensor(array):
    """Whether it is a dense tensor of torch, of which a GPU's memory is taken as it
    is. What DLPack refuses, such as a tensor that requires a gradient, is left to
    it: its message says why."""
    if _get_library(array) != "torch":
        return False
    torch = sys.modules["torch"]
    return (
        isinstance(array, torch.Tensor)
        and array.is_cuda
        and array.layout is torch.strided
        and not (array.requires_grad or array.is_conj() or array.is_neg())
    )


def get_device(array):
    """The number of the GPU that an array lies on, or None: host memory."""
    if isinstance(array, DeviceArray):
        return array.device
    if _is_torch_tensor(array):
        return array.get_device()
    if isinstance(array, (np.ndarray, np.generic, bool, int, float)):
        return None
    if hasattr(array, "__dlpack_device__"):
        kind, number = array.__dlpack_device__()
        kind = int(kind)
        return number if kind in (_CUDA, _CUDA_MANAGED) else None
    if hasattr(array, "__cuda_array_interface__"):
        return 0  # the interface does not say; the first is what there is
    return None


def get_current_stream(array):
    """The stream that an array's library works on, as `get_stream_handle` takes
    it, or None where it has none."""
    if isinstance(array, DeviceArray):
        return array.stream_owner
    library = _get_library(array)
    if library == "torch":
        return sys.modules["torch"].cuda.current_stream(array.device)
    if library == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream()
    if not hasattr(array, "__dlpack__"):
        return _get_interface_stream(array)
    return None


def get_stream_handle(stream):
    """A stream as an integer: one already, or a stream of torch or cupy."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return (protocol() if callable(protocol) else protocol)[1]
    for name in ("cuda_stream", "ptr", "handle"):
        if isinstance(getattr(stream, name, None), int):
            return getattr(stream, name)
    raise ArgumentError(
        "a stream is an integer or a stream of torch or cupy, but found "
        f"{type(stream).__name__}"
    )


def _get_interface_stream(array):
    stream = array.__cuda_array_interface__.get("stream")
    # 1 is the default stream, which a stream's handle says as 0.
    return 0 if stream == 1 else stream


def view_device(array, stream):
    """A GPU's array for work on `stream`; its library makes that wait for what
    it has under way on other streams."""
    if isinstance(array, DeviceArray):
        array.share(stream)
        return View(array.pointer, array.dtype, array.shape, True, array.device, array)
    if _is_torch_tensor(array):
        return _view_torch(array)
    if hasattr(array, "__dlpack__"):
        try:
            capsule = array.__dlpack__(stream=stream or 1)
        except Exception as error:
            raise ArgumentError(
                f"a {type(array).__name__} cannot be taken: {error}"
            ) from error
        tensor = _Tensor.from_address(_get_pointer(id(capsule), _NAME))
        if tensor.dtype.lanes != 1:
            raise ArgumentError(
                f"a {type(array).__name__} cannot be taken: its elements are vectors of "
                f"{tensor.dtype.lanes}"
            )
        code = tensor.dtype.code
        kind = _KINDS.get(code) or f"DLPack type {code} of "
        dtype = kind if kind == "bool" else f"{kind}{tensor.dtype.bits}"
        shape = tensor.shape[: tensor.ndim]
        strides = tensor.strides[: tensor.ndim] if tensor.strides else None
        return _make_view(
            (tensor.data or 0) + tensor.byte_offset, dtype, shape,
            _is_row_major(shape, strides), tensor.device.id, (array, capsule), None,
        )  # fmt: skip
    interface = array.__cuda_array_interface__
    dtype = np.dtype(interface["typestr"])
    shape = interface["shape"]
    strides = interface.get("strides")
    if strides is not None:
        strides = [stride / dtype.itemsize for stride in strides]
    return _make_view(
        interface["data"][0], dtype.name, shape, _is_row_major(shape, strides),
        get_device(array), array, _get_interface_stream(array),
    )  # fmt: skip


def _view_torch(tensor):
    """A tensor of torch on a GPU. DLPack takes about ten times as long."""
    return _make_view(
        tensor.data_ptr(), str(tensor.dtype).removeprefix("torch."), tensor.shape,
        tensor.is_contiguous(), tensor.get_device(), tensor,
        get_current_stream(tensor).cuda_stream,
    )  # fmt: skip


def _make_view(pointer, dtype, *others):
    try:
        return View(pointer, dtype, *others)
    except TypeError as error:
        raise ArgumentError(f"no array of {dtype} can be taken") from error


def view_host(array):
    """An array in host memory, or a Python number, as a numpy array."""
    try:
        array = np.asarray(array)
        # What numpy reads of a bfloat16 that it has written to a file.
        return array.view(np.uint16) if array.dtype == "V2" else array
    except Exception as error:
        raise ArgumentError(
            f"a {type(array).__name__} is no array: {error}"
        ) from error


# Arrays that a caller gets ----------------------------------------------------


class DeviceArray:
    """A contiguous array on a GPU, as functions give it. `dtype` is the name of its
    element type, and `shape` its sizes; `pointer` is its address on the GPU. Its memory
    goes back when nothing refers to it: neither this object nor an array that was made of
    it through DLPack.

        torch.from_dlpack(array), cupy.from_dlpack(array), array.numpy()

    The memory belongs to a stream, which the array keeps where it is an object of
    torch or cupy. One that is given as an integer should live as long as the
    array: otherwise the memory is freed after a later wait for the whole device.
    """

    def __init__(self, context, stream, nbytes, dtype, shape):
        #: The stream as it was given, and its handle.
        self.stream_owner, self.stream = stream, get_stream_handle(stream)
        self.dtype, self.shape = dtype, tuple(shape)
        self.pointer = 0
        self._users = set()
        context.hold()
        self.context = context  # which the finaliser releases
        self.pointer = context.allocate(self.stream, nbytes)

    @property
    def device(self):
        """The number of its GPU."""
        return self.context.device

    @property
    def ndim(self):
        """The number of its axes."""
        return len(self.shape)

    @property
    def size(self):
        """The number of its elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self):
        """The bytes of an element."""
        return get_numpy_dtype(self.dtype).itemsize

    @property
    def nbytes(self):
        """The bytes of all elements."""
        return self.size * self.itemsize

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        sizes = shorten("x".join(map(str, self.shape)))
        return f"<DeviceArray {sizes}x{self.dtype} on GPU {self.device}>"

    def numpy(self):
        """A copy in host memory, once its stream has come to it: a numpy array of the same
        shape; a bfloat16 as uint16."""
        array = np.empty(self.shape, get_numpy_dtype(self.dtype))
        self.context.download(self.stream, array.ctypes.data, self.pointer, array.nbytes)
        return array

    def __array__(self, dtype=None, copy=None):
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    @property
    def __cuda_array_interface__(self):
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": get_numpy_dtype(self.dtype).str,
            "data": (self.pointer if self.nbytes else 0, False),
            "strides": None,
            "stream": self.stream or 1,
        }

    def __dlpack_device__(self):
        return (_CUDA, self.device)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("a DeviceArray is shared where it lies, not copied")
        if stream != -1:
            self.share(0 if stream in (None, 1) else stream)
        return _export(self)

    def share(self, user):
        """Makes the array ready for work on another stream, an integer: that waits for the
        work of its own stream so far, and the memory is not given back before it is done."""
        if user != self.stream:
            self.context.wait(user, self.stream)
            self._users.add(user)

    def _free(self):
        try:
            for user in self._users:
                self.context.wait(self.stream, user)
            self.context.free(self.stream, self.pointer)
        except Error:
            self.context.free_late(self.pointer)  # a stream is gone, its work is not

    def __del__(self):
        if not hasattr(self, "context"):
            return
        try:
            if self.pointer:
                self._free()
        except Exception:
            pass  # the device has failed, or the interpreter is on its way out
        self.context.release()


def to_device(context, array, dtype, stream=0):
    """A copy of a numpy array on a GPU."""
    array = np.ascontiguousarray(array)
    result = DeviceArray(context, stream, array.nbytes, dtype, array.shape)
    context.upload(result.stream, result.pointer, array.ctypes.data, array.nbytes)
    return result
