"""Watches the CUDA driver under the runtime: every call of the runtime passes
through Python, which notes it and passes it on.

    with DriverWatch() as driver:
        ...                        # make a context and run networks on it
        driver.calls               # [Call], in order
        driver.get_live()          # {"memory": (3, 4096), ...}: count, bytes

The runtime looks the driver's functions up once and calls them through a table
in its own data. The table is found by what is in it: the addresses of cuInit and
of cuDriverGetVersion, side by side, and those of the other functions behind them.
For Linux on machines that pass arguments as 64-bit words.
"""

import collections
import ctypes
import os
import struct

from sparseconv import runtime

# The longest list of parameters, that of cuLaunchKernel. Words beyond those that
# a function has are passed on as they are found, and nobody reads them.
_WORDS = 11
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_uint64] * _WORDS)

# What begins and ends a life: the kind, which parameter points to or is the
# handle, and for memory which one is its size.
_BEGINS = {
    "cuDevicePrimaryCtxRetain": ("context", 0, None),
    "cuModuleLoadDataEx": ("module", 0, None),
    "cuStreamCreate": ("stream", 0, None),
    "cuEventCreate": ("event", 0, None),
    "cuMemPoolCreate": ("pool", 0, None),
    "cuMemAllocFromPoolAsync": ("memory", 0, 1),
    "cuMemHostAlloc": ("pinned memory", 0, 1),
    "cuGraphCreate": ("graph", 0, None),
    "cuGraphInstantiateWithFlags": ("executable graph", 0, None),
}
_ENDS = {
    "cuDevicePrimaryCtxRelease": "context",
    "cuModuleUnload": "module",
    "cuStreamDestroy": "stream",
    "cuEventDestroy": "event",
    "cuMemPoolDestroy": "pool",
    "cuMemFreeAsync": "memory",
    "cuMemFreeHost": "pinned memory",
    "cuGraphDestroy": "graph",
    "cuGraphExecDestroy": "executable graph",
}

#: A call: the function's name without its version, the words of its arguments,
#: its result; of a launch the kernel's name and its parameters as words.
Call = collections.namedtuple("Call", "name arguments result kernel parameters")


class _SymbolInfo(ctypes.Structure):
    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def read_word(address):
    return ctypes.c_uint64.from_address(address).value


def _get_address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


def _read_data(path):
    """(address, bytes) of the data of a library, that without contents in its
    file too, which follows the rest."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        lines = [line.split(maxsplit=5) for line in file]
    end = None
    for span, access, _, _, _, *name in lines:
        first, last = (int(number, 16) for number in span.split("-"))
        owned = name and os.path.realpath(name[0].strip()) == path
        if owned or (not name and first == end):
            end = last
            if access.startswith("rw"):
                yield first, ctypes.string_at(first, last - first)


class DriverWatch:
    def __init__(self):
        runtime.get_device_count()  # which loads the driver
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._table = self._find_table()
        self._callbacks, self._replaced = [], []
        self.calls, self._live, self._kernels = [], {}, {}
        #: How many parameters of a launch to note, by the kernel's name.
        self.parameter_counts = {}

    def _find_table(self):
        first = (self._driver.cuInit, self._driver.cuDriverGetVersion)
        pattern = struct.pack("<QQ", *map(_get_address, first))
        library = os.path.realpath(runtime._get_library()._name)
        for address, data in _read_data(library):
            if (at := data.find(pattern)) >= 0:
                return address + at
        raise OSError(f"no table of the driver's functions is in the data of {library}")

    def _get_name(self, address):
        """The name of a function of the driver without its version, or None."""
        # A function may have several names, so those that matter come first.
        for name in (*_BEGINS, *_ENDS):
            for symbol in (name, name + "_v2"):
                function = getattr(self._driver, symbol, None)
                if function is not None and _get_address(function) == address:
                    return name
        info = _SymbolInfo()
        found = ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(info))
        if not found or info.address != address or not info.name.startswith(b"cu"):
            return None
        return info.name.decode().removesuffix("_v2")

    def __enter__(self):
        slot, names = self._table, []
        while name := self._get_name(read_word(slot)):
            real = read_word(slot)
            self._callbacks.append(self._wrap(name, _FUNCTION(real)))
            self._replaced.append((slot, real))
            ctypes.c_uint64.from_address(slot).value = _get_address(self._callbacks[-1])
            names.append(name)
            slot += 8
        if missing := {*_BEGINS, *_ENDS, "cuLaunchKernel", "cuGraphLaunch"}.difference(names):
            self.__exit__()
            raise OSError(f"the driver's table has no {sorted(missing)}, but {names}")
        return self

    def __exit__(self, *_):
        for slot, real in self._replaced:
            ctypes.c_uint64.from_address(slot).value = real
        self._replaced = []

    def _wrap(self, name, function):
        def call(*words):
            # Before the call, as it is not known afterwards what lies there.
            launch = self._describe_launch(name, words)
            result = function(*words)
            self.calls.append(Call(name, words, result, *launch))
            if result == 0:
                self._note_lives(name, words)
            return result

        return _FUNCTION(call)

    def _describe_launch(self, name, words):
        if name not in ("cuLaunchKernel", "cuLaunchKernelEx"):
            return None, ()
        function, extra = (words[0], words[10]) if name == "cuLaunchKernel" else words[1:4:2]
        kernel = self._kernels.get(function, "")
        number = self.parameter_counts.get(kernel, 0)
        if not number:
            return kernel, ()
        # A list of tags and pointers: those to the block of parameters, all of
        # them words, and to its bytes. The latter are what the kernel takes.
        _, block, _, nbytes = (read_word(extra + 8 * i) for i in range(4))
        if read_word(nbytes) != 8 * number:
            raise ValueError(f"{kernel} takes {number} words, not {read_word(nbytes)} bytes")
        return kernel, tuple(read_word(block + 8 * i) for i in range(number))

    def _note_lives(self, name, words):
        if name == "cuModuleGetFunction":
            self._kernels[read_word(words[0])] = ctypes.string_at(words[2]).decode()
        elif name in _BEGINS:
            kind, handle, size = _BEGINS[name]
            key = kind, 0 if kind == "context" else read_word(words[handle])
            count, nbytes = self._live.get(key, (0, 0))
            self._live[key] = count + 1, nbytes + (words[size] if size else 0)
        elif name in _ENDS:
            key = _ENDS[name], 0 if _ENDS[name] == "context" else words[0]
            count, nbytes = self._live.pop(key, (0, 0))
            if count > 1:
                self._live[key] = count - 1, nbytes

    def take_calls(self):
        """The calls since the last time."""
        calls, self.calls = self.calls, []
        return calls

    def get_live(self):
        """What lives, by kind: how many, and for memory their bytes."""
        found = {}
        for (kind, _), (count, nbytes) in self._live.items():
            total = found.get(kind, (0, 0))
            found[kind] = total[0] + count, total[1] + nbytes
        return found

    def get_spans(self, kind):
        """[(first, last)] of the addresses of memory."""
        return [
            (handle, handle + nbytes)
            for (other, handle), (_, nbytes) in self._live.items()
            if other == kind
        ]

    def get_used_bytes(self):
        """What the driver says is in use of the runtime's own pools."""
        used_memory = 7  # the attribute
        total = 0
        for kind, handle in self._live:
            if kind == "pool":
                value = ctypes.c_uint64()
                code = self._driver.cuMemPoolGetAttribute(
                    ctypes.c_void_p(handle), used_memory, ctypes.byref(value)
                )
                if code != 0:
                    raise OSError(f"the pool does not tell its memory: error {code}")
                total += value.value
        return total
