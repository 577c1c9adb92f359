"""Checks of what needs no GPU: on every target, on the CPU, and without one."""

import ctypes
import gc
import os
import tempfile
import threading
import types

import numpy as np
import sparseconv
from checks import (CHIP, SCALARS, Example, FakeDeviceArray, check, compile_text, expect,
                    expect_equal, expect_error, get_text, operations)  # fmt: skip
from sparseconv import arrays, runtime

# Every target ----------------------------------------------------------------


@check("cpu", "none", "cuda")
def inspects(target):
    text, _ = get_text("conv", channels=5, out_channels=7, dtype="f16")
    module = compile_text(target, text)
    expect_equal(list(module.functions), ["main"])
    main = module.main
    expect_equal([value.name for value in main.inputs][0], "points")
    expect_equal([v.dtype for v in main.inputs], ["int32", "float16", "float16"])
    expect_equal(main.inputs[0].shape, (None, 4))
    expect_equal(main.inputs[1].shape, (None, 5))
    expect_equal(main.inputs[2].shape[1:], (5, 7))
    expect_equal(main.outputs[0].dtype, "float16")
    expect_equal(main.outputs[0].shape, (None, 7))
    expect("points: ?x4xint32" in repr(module), repr(module))
    expect_error(AttributeError, "no function 'other'; there are: main", getattr, module, "other")


@check("cpu", "none", "cuda")
def refuses_text(target):
    bad = "func.func @main() {\n  return %x : i32\n}\n"
    error = expect_error(sparseconv.CompileError, "<string>:2:10: error:", compile_text, target, bad)
    expect_equal(error.code, "SPARSECONV_COMPILER_REJECTED")
    expect("return %x" in error.diagnostics, error.diagnostics)
    expect_error(sparseconv.Error, "No such file", compile_text, target, "no-such-file.mlir")
    expect_error(sparseconv.ArgumentError, "but found a int", compile_text, target, 5)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bad.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(bad)
        expect_error(sparseconv.CompileError, "bad.mlir:2:10: error:", compile_text, target, path)
    text, _ = get_text("conv")
    error = expect_error(
        sparseconv.CompileError, "did not end within", compile_text, target, text, time_limit=1e-3
    )
    expect_equal(error.code, "SPARSECONV_COMPILER_TIME_LIMIT")
    expect_error(
        sparseconv.ArgumentError, "the target is one of", sparseconv.compile, text, target="gpu"
    )


@check("cpu", "cuda")
def computes(target):
    for parameters in ({"channels": 16, "dtype": "f16"}, {"channels": 3, "dtype": "bf16"}, {}):
        example = Example(target, **parameters)
        for size in (31, 129, 1, 0):
            inputs, judge = example.make(size)
            judge(example.module.main(*inputs.values()))
            judge(example.module(**inputs))
    example = Example(target, "pool", kind="max")
    inputs, judge = example.make(200)
    judge(example.module(**inputs))


@check("cpu", "cuda")
def takes_host_arrays(target):
    example = Example(target)
    inputs, judge = example.make(50)
    # Strides are no matter in host memory.
    inputs = {name: np.asfortranarray(array) for name, array in inputs.items()}
    judge(example.module(**inputs))
    module = compile_text(target, SCALARS)
    for value in (21, np.int64(21), np.array(21), np.array([21])):
        expect_equal(module.main(value).tolist(), [42])
    expect_equal(module.other(7).tolist(), [7])


@check("cpu", "cuda")
def refuses_arguments(target):
    example = Example(target, channels=4, out_channels=6)
    inputs, judge = example.make(20)
    points, features, weights = inputs.values()
    names = list(inputs)
    main, kind = example.module.main, sparseconv.ArgumentError
    expect_error(kind, "takes 3 arrays, but found no array for", main, points, features)
    expect_error(kind, "takes 3 arrays, but found 4", main, points, features, weights, weights)
    expect_error(kind, "'other', which it does not take", main, points, features, other=weights)
    expect_error(kind, f"'{names[0]}', which it", main, *inputs.values(), **{names[0]: points})
    expect_error(kind, f"expects {names[1]}: ?x4xfloat32, but found 20x4xfloat64", main,
                 points, features.astype(np.float64), weights)  # fmt: skip
    expect_error(kind, f"expects {names[1]}: ?x4xfloat32, but found 20x3xfloat32", main,
                 points, features[:, :3], weights)  # fmt: skip
    expect_error(kind, "but found 80xfloat32", main, points, features.reshape(-1), weights)
    judge(main(points, features, weights))


@check("cpu", "cuda")
def reports_what_programs_report(target):
    example = Example(target)
    inputs, judge = example.make(20)
    far = dict(inputs, points=inputs["points"] * 0 + 10**8)
    error = expect_error(sparseconv.Error, "sparseconv.pack", example.module.main, **far)
    expect_equal(error.code, "SPARSECONV_PROGRAM_ERROR")
    judge(example.module(**inputs))


@check("cpu", "cuda")
def runs_in_threads(target):
    example = Example(target, channels=8)
    problems = []

    def work(seed):
        try:
            for size in (70, 20, 90):
                inputs, judge = example.make(size, seed)
                judge(example.module(**inputs))
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not problems, f"in a thread: {problems}")


# The CPU ---------------------------------------------------------------------


@check("cpu")
def refuses_gpu_arrays(target):
    example = Example(target)
    inputs, _ = example.make(5)
    inputs["points"] = FakeDeviceArray(inputs["points"])
    expect_error(
        sparseconv.ArgumentError, "expects 'points' in host memory, but found it on GPU 0",
        example.module, **inputs,
    )  # fmt: skip


@check("cpu")
def survives_its_process(target):
    example = Example(target)
    inputs, _ = example.make(5)
    example.module._server._process.kill()
    example.module._server._process.wait()
    error = expect_error(sparseconv.Error, "ended by signal 9", example.module, **inputs)
    expect_equal(error.code, "SPARSECONV_COMPILER_CRASHED")
    expect_error(sparseconv.Error, "ended by signal 9", example.module, **inputs)


@check("cpu")
def agrees_with_the_reference(target):
    text, values = get_text("conv", channels=9)
    case = operations.make("conv", values, 100, 1, "", 3)
    results = [
        sparseconv.compile(text, target=name)(**case.inputs) for name in ("reference", "cpu")
    ]
    for expected, found in zip(*results):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


class HostContext:
    """Stands for a GPU: memory is the host's, and calls are noted."""

    device = 0

    def __init__(self):
        self.memory, self.calls, self.holders = {}, [], 0

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
        del self.memory[pointer]

    def wait(self, stream, other):
        self.calls.append(("wait", stream, other))

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


# No GPU ----------------------------------------------------------------------


@check("none")
def needs_a_driver(target):
    text, _ = get_text("conv")
    error = expect_error(sparseconv.Error, "name a chip", sparseconv.compile, text)
    expect_equal(error.code, "SPARSECONV_NO_DRIVER")
    module = sparseconv.compile(text, chip=CHIP)
    expect(".target sm_80" in module.ptx, "no PTX for sm_80")
    inputs, _ = Example("none").make(5)
    error = expect_error(sparseconv.Error, "driver", module, **inputs)
    expect_equal(error.code, "SPARSECONV_NO_DRIVER")


@check("none", "cuda")
def keeps_plans(target):
    text, _ = get_text("conv", channels=6)
    module = sparseconv.compile(text, chip=CHIP)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.plan")
        module.save(path)
        for plan in (path, module.plan):
            expect_equal(repr(sparseconv.load(plan)), repr(module))
    expect_error(sparseconv.Error, "SPARSECONV_INVALID_PLAN", sparseconv.load, b"no plan")
    expect_error(sparseconv.Error, "No such file", sparseconv.load, "no-such-file.plan")
    only = sparseconv.compile(SCALARS, chip=CHIP, entry="other")
    expect_equal(list(only.functions), ["other"])
    expect_error(
        sparseconv.CompileError, "no function '@third'", sparseconv.compile, SCALARS,
        chip=CHIP, entry="third",
    )  # fmt: skip
