"""Checks of arrays on a GPU and of runs, with the host's memory in its place."""

import ctypes
import gc
import threading
import time
import types
import weakref

import numpy as np
import sparseconv
from checks import check, expect, expect_equal, expect_error
from sparseconv import arrays, runtime
from sparseconv.cuda_functions import CudaFunction, Run


class HostContext:
    """Stands for a GPU: memory is the host's, and calls are noted."""

    device = 0

    def __init__(self):
        self.memory, self.calls, self.holders = {}, [], 0
        self.gone = set()  # streams

    def hold(self):
        self.holders += 1

    def release(self):
        self.holders -= 1

    def allocate(self, stream, nbytes):
        buffer = ctypes.create_string_buffer(nbytes + 1)
        self.memory[ctypes.addressof(buffer)] = buffer
        return ctypes.addressof(buffer)

    def free(self, stream, pointer):
        expect(self.holders > 0, "memory is freed when nothing holds its GPU")
        self.calls.append(("free", stream))
        self.refuse_gone(stream)
        del self.memory[pointer]

    def wait(self, stream, other):
        self.calls.append(("wait", stream, other))
        self.refuse_gone(stream, other)

    def refuse_gone(self, *streams):
        for stream in streams:
            if stream in self.gone:
                raise sparseconv.Error(f"there is no stream {stream}")

    def free_late(self, pointer):
        self.calls.append(("free late",))
        del self.memory[pointer]

    def upload(self, stream, pointer, host, nbytes):
        ctypes.memmove(pointer, host, nbytes)

    def download(self, stream, host, pointer, nbytes):
        ctypes.memmove(host, pointer, nbytes)


@check("cpu")
def destroys_handles_in_order(target):
    """A collector finalises a cycle in any order; here the GPU comes first."""
    destroyed = []
    kinds = ("context", "program", "instance")
    destroy = {f"sparseconv_{k}_destroy": lambda h: destroyed.append(h.value) for k in kinds}
    library, runtime._library = runtime._library, types.SimpleNamespace(**destroy)
    try:
        owners = []
        for number, kind in enumerate(kinds, 1):
            owner = runtime._Owner(owners[-1] if owners else None)
            owner.kind, owner.handle = kind, ctypes.c_void_p(number)
            owners.append(owner)
        owners[2].hold()  # by a run under way
        for owner in owners:
            owner.__del__()
        expect_equal(destroyed, [])
        owners[2].release()
        expect_equal(destroyed, [3, 2, 1])
    finally:
        runtime._library = library


@check("cpu")
def shares_device_arrays(target):
    context = HostContext()
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    array = arrays.to_device(context, values, "float32", 5)
    expect_equal(array.numpy().tolist(), values.tolist())
    expect_equal(array.__dlpack_device__(), (2, 0))
    expect_equal(array.__cuda_array_interface__["shape"], (3, 4))
    expect_equal(array.__cuda_array_interface__["stream"], 5)
    view = arrays.view_device(array, 7)
    expect_equal((view.pointer, view.dtype, view.shape), (array.pointer, "float32", (3, 4)))
    expect(view.is_contiguous and view.nbytes == 48 and view.device == 0)
    # The consumer's stream waits for the array's, and the memory for both.
    expect_equal(context.calls, [("wait", 7, 5)])
    del array
    gc.collect()
    expect_equal(len(context.memory), 1)
    del view
    gc.collect()
    expect_equal(context.calls[1:], [("wait", 5, 7), ("free", 5)])
    expect(not context.memory and not arrays._exported)
    expect_equal(context.holders, 0)

    # A consumer that takes the capsule over: numpy, told that this is a CPU.
    kind, arrays._CUDA = arrays._CUDA, 1
    try:
        array = arrays.to_device(context, values, "float32", 0)
        taken = np.from_dlpack(array)
        del array
        gc.collect()
        expect_equal(taken.tolist(), values.tolist())
        expect_equal(len(context.memory), 1)
        del taken
        gc.collect()
        expect(not context.memory and not arrays._exported)
    finally:
        arrays._CUDA = kind


@check("cpu")
def frees_arrays_of_streams_that_are_gone(target):
    values = np.arange(12, dtype=np.float32)
    for gone, first in ((5, ("free", 5)), (7, ("wait", 5, 7))):
        context = HostContext()
        array = arrays.to_device(context, values, "float32", 5)
        if gone == 7:
            array.__dlpack__(stream=7)  # whose consumer is done at once
        context.gone.add(gone)
        context.calls.clear()
        del array
        gc.collect()
        expect_equal(context.calls, [first, ("free late",)])
        expect(not context.memory and not context.holders)


@check("cpu")
def holds_nothing_of_arrays_that_fail(target):
    class Full(HostContext):
        def allocate(self, stream, nbytes):
            raise sparseconv.Error("no memory")

    context = Full()
    expect_error(sparseconv.Error, "no memory", arrays.to_device, context, np.zeros(3), "float64")
    gc.collect()
    expect_equal(context.holders, 0)


@check("cpu")
def keeps_streams_of_arrays(target):
    class Stream:
        ptr = 9

    stream = Stream()
    gone = weakref.ref(stream)
    array = arrays.to_device(HostContext(), np.zeros(3), "float64", stream)
    expect_equal(array.stream, 9)
    expect(arrays.get_current_stream(array) is stream)
    del stream
    expect(gone() is not None, "the stream went before its array")
    del array
    gc.collect()
    expect(gone() is None)


@check("cpu")
def refuses_arrays_of_vectors(target):
    class Vectors:
        """An array whose elements are vectors, as DLPack's lanes say."""

        def __init__(self, lanes):
            self.lanes = lanes
            self.array = arrays.to_device(HostContext(), np.zeros(8, np.float32), "float32")

        def __dlpack__(self, stream):
            capsule = self.array.__dlpack__(stream=-1)
            for managed, _, _ in arrays._exported.values():
                managed.tensor.dtype.lanes = self.lanes
            return capsule

    expect_equal(arrays.view_device(Vectors(1), 0).shape, (8,))
    expect_error(sparseconv.ArgumentError, "its elements are vectors of 4",
                 arrays.view_device, Vectors(4), 0)  # fmt: skip
    gc.collect()
    expect(not arrays._exported)


class HostInstance:
    """Stands for an instance whose run ends when it is told to."""

    def __init__(self):
        self.ended, self.waits, self.holders = threading.Event(), 0, 0

    def hold(self):
        self.holders += 1

    def release(self):
        self.holders -= 1

    def wait(self):
        self.waits += 1
        expect(self.ended.wait(20), "the run does not end")

    def get_shapes(self):
        return [(3,)]


def make_run():
    """A run under way, of a function that has given its instance to it."""
    function = CudaFunction(None, "main", [], [])
    function._capacities = []
    output = types.SimpleNamespace(shape=None)
    key = function._capacities, function._bound
    return function, Run(function, HostInstance(), key, [], [output])


@check("cpu")
def finishes_runs_while_others_hold_locks(target):
    """A finaliser runs anywhere: in a thread that another one waits for."""
    function, run = make_run()
    instance = run._instance
    instance.ended.set()
    runs = [run]
    del run
    with function._lock:
        thread = threading.Thread(target=runs.clear, daemon=True)
        thread.start()
        thread.join(10)
        expect(not thread.is_alive(), "the finaliser of a run waits for a lock")
    expect_equal(list(function._idle), [(([], function._bound), instance)])
    expect_equal(instance.holders, 0)


@check("cpu")
def gives_results_to_several_threads(target):
    function, run = make_run()
    instance, found = run._instance, []
    threads = [threading.Thread(target=lambda: found.append(run.results())) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    instance.ended.set()
    for thread in threads:
        thread.join()
    expect_equal(len(found), 4)
    expect(all(result.shape == (3,) for result in found))
    expect_equal((instance.waits, instance.holders, len(function._idle)), (1, 0, 1))


@check("cpu")
def repeats_calls_whose_memory_grows(target):
    function, calls = CudaFunction(None, "main", [], []), []

    def start(arguments, bound, stream, exact):
        calls.append((arguments, bound, stream, exact))

        def get_results():
            if len(calls) < 3:
                raise sparseconv.RepeatError("more rows", "SPARSECONV_REPEAT")
            return "y"

        return types.SimpleNamespace(results=get_results)

    function._start = start
    expect_equal(function._run(["x"], {}, 7, True), "y")
    expect_equal(calls, [(["x"], {}, 7, True)] * 3)


@check("cpu")
def keeps_what_memory_grew_to(target):
    class Growing(HostInstance):
        num_growables, reserved, finds_sizes = 2, None, False

        def __init__(self, capacities):
            super().__init__()
            self.capacities = capacities

        def wait(self):
            raise sparseconv.RepeatError("more rows", "SPARSECONV_REPEAT")

        def get_growables(self):
            return [("sparseconv.expand", "", capacity, 9000) for capacity in self.capacities]

        def reserve(self, capacities):
            self.reserved = capacities

    function = CudaFunction(None, "main", [], [])
    function._capacities = [10]
    for capacities in ([70, 20], [50, 90]):
        run = Run(function, Growing(capacities), ([10], {}), [], [])
        expect_error(sparseconv.RepeatError, "more rows", run.results)
        # It stays so, as the arguments may have changed.
        expect_error(sparseconv.CapacityError, "more rows", run.results)
    made = Growing([8, 8])
    program = types.SimpleNamespace(instance=lambda name, key, flags: made)
    function.module = types.SimpleNamespace(_get_program=lambda: program)
    expect(function._make_instance([10], function._bound, False) is made)
    expect_equal(made.reserved, [70, 90])
    expect(not function.finds_sizes)


@check("cpu")
def reads_cuda_array_interfaces(target):
    class Holder:
        def __init__(self, **interface):
            self.__cuda_array_interface__ = interface

    plain = Holder(typestr="<f2", shape=(2, 3), data=(256, False), version=3)
    view = arrays.view_device(plain, 0)
    expect_equal((view.pointer, view.dtype, view.nbytes), (256, "float16", 12))
    expect(view.is_contiguous)
    strided = Holder(typestr="<f2", shape=(2, 3), data=(256, False), strides=(12, 2), version=3)
    expect(not arrays.view_device(strided, 0).is_contiguous)
    rows = Holder(typestr="<f2", shape=(2, 3), data=(256, False), strides=(6, 2), stream=1)
    view = arrays.view_device(rows, 3)
    expect(view.is_contiguous and view.stream == 0)
    expect_equal(arrays.get_current_stream(rows), 0)
    expect_equal(arrays.get_device(rows), 0)
    expect_equal(arrays.get_device(np.zeros(3)), None)
    expect_equal(arrays.get_stream_handle(4), 4)
    expect_error(sparseconv.ArgumentError, "but found str", arrays.get_stream_handle, "x")
