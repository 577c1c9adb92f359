"""Bad input on a GPU: one clear status each, nothing leaked, and the context,
the program and the instance as good as before."""

import ctypes
import gc
import os
import struct
import tempfile
import time

import numpy as np
import sparseconv
from checks import check, expect, expect_equal, expect_error, get_text, operations
from driver_watch import DriverWatch
from run_cases import compare
from sparseconv import runtime

CAPACITY = 400
HEADER = 40  # bytes of a plan's file
NAMES = ("points", "features", "weights")


class Subject:
    """A convolution on a GPU with its driver watched, and a good run of it: on the
    host's memory, on the device's, and as a graph."""

    def __init__(self, driver):
        self.driver = driver
        text, values = get_text("conv", channels=16, dtype="f16")
        self.case = operations.make("conv", values, 300, 3, "", 1)
        self.module = sparseconv.compile(text, target="cuda")
        self.context, self.program = self.module._get_context(), self.module._get_program()
        self.instance = self.program.instance("main", [CAPACITY, CAPACITY])
        self.arrays = [self.case.inputs[name] for name in NAMES]
        self.held = [self.module.to_device(array) for array in self.arrays]
        runtime._call("instance_capture", self.instance.handle, None, ctypes.c_int64(0),
                      None, ctypes.c_int64(0))  # fmt: skip
        self.expected = None
        for _ in range(2):  # the third run becomes a graph
            self.run_well()

    def make_inputs(self, arrays=None):
        """(pointer, shape, bytes) of each, for runs on the device's memory."""
        return [(a.pointer, a.shape, a.nbytes) for a in arrays or self.held]

    def enqueue(self, inputs, outputs=((None, 0), (None, 0))):
        self.instance.enqueue(0, inputs, outputs)
        self.instance.wait()

    def replay(self, inputs):
        tensors, kept = self.make_tensors(inputs)
        runtime._call("instance_replay", self.instance.handle, None, tensors,
                      ctypes.c_int64(len(inputs)))  # fmt: skip
        self.instance.wait()
        del kept

    def make_tensors(self, inputs):
        tensors, kept = (runtime.Tensor * len(inputs))(), []
        for tensor, value, (pointer, shape, nbytes) in zip(tensors, self.instance.inputs, inputs):
            sizes = (ctypes.c_int64 * len(shape))(*shape)
            kept.append(sizes)
            tensor.data, tensor.bytes = pointer, nbytes
            tensor.type, tensor.rank, tensor.sizes = value.type, len(shape), sizes
        return tensors, kept

    def read(self):
        return self.instance.read_all()

    def run_well(self):
        for run in (
            lambda: self.instance.run(*self.arrays),
            lambda: self.enqueue(self.make_inputs()),
            lambda: self.replay(self.make_inputs()),
        ):
            run()
            results = self.read()
            if self.expected is None:
                self.expected = results
                for value, found in zip(self.instance.outputs, results):
                    problem = compare(found, self.case.expected[value.name], self.case.dtype)
                    expect(not problem, f"{value.name}: {problem}")
            expect(all(f.tobytes() == e.tobytes() for f, e in zip(results, self.expected)),
                   "a good run gives other bits")  # fmt: skip

    def get_held(self):
        """What lives, and the memory that is in use."""
        gc.collect()
        return self.driver.get_live(), self.driver.get_used_bytes()

    def expect_held(self, before):
        deadline = time.monotonic() + 5
        while self.get_held() != before and time.monotonic() < deadline:
            time.sleep(0.01)  # memory is freed in the order of streams
        expect_equal(self.get_held(), before)

    def refuses(self, code, text, function, *arguments, **named):
        """That a call fails with a status and a text, and leaves nothing behind."""
        before = self.get_held()
        error = expect_error(sparseconv.Error, text, function, *arguments, **named)
        expect_equal(error.code, "SPARSECONV_" + code)
        del error  # which holds the frames of the call
        self.run_well()
        self.expect_held(before)


def check_subject(function):
    """Registers a check of a subject."""

    def run(target):
        with DriverWatch() as driver:
            subject = Subject(driver)
            function(subject)
            del subject
            gc.collect()

    run.__name__ = function.__name__
    return check("cuda")(run)


def change(array, row, column, value):
    array = array.copy()
    array[row, column] = value
    return array


# The data ---------------------------------------------------------------------


@check_subject
def refuses_points_out_of_range(subject):
    """14 bits less a guard of 64: -8128 to 8127; 8 bits of batch index."""
    points, *others = subject.arrays
    for _ in range(3):
        subject.module(*subject.arrays)  # which keeps its memory, and a graph
    for bad, text in (
        (change(points, 17, 1, 8128), "17: coordinate 8128 on axis 0 is outside -8128 .. 8127"),
        (change(points, 0, 3, -8129), "0: coordinate -8129 on axis 2 is outside -8128 .. 8127"),
        (change(points, 299, 2, 2**31 - 1), "299: coordinate 2147483647 on axis 1 is outside"),
        (change(points, 5, 0, 256), "5: batch index 256 is outside 0 .. 255"),
        (change(points, 6, 0, -1), "6: batch index -1 is outside 0 .. 255"),
    ):
        code, text = "PROGRAM_ERROR", "sparseconv.pack: point " + text
        held = subject.module.to_device(bad)
        inputs = subject.make_inputs([held, *subject.held[1:]])
        subject.refuses(code, text, subject.instance.run, bad, *others)
        subject.refuses(code, text, subject.enqueue, inputs)
        subject.refuses(code, text, subject.replay, inputs)
        subject.refuses(code, text, subject.module, bad, *others)


@check_subject
def refuses_more_than_the_capacity(subject):
    """As many rows as there is memory for go through, one more does not."""
    random = np.random.default_rng(1)
    points, features, weights = subject.arrays
    for rows in (CAPACITY, CAPACITY + 1):
        many = random.permutation(np.resize(points, (rows, 4)))
        x = np.resize(features, (rows, 16))
        held = [subject.module.to_device(array) for array in (many, x, weights)]
        calls = (
            (subject.instance.run, (many, x, weights)),
            (subject.enqueue, (subject.make_inputs(held),)),
            (subject.replay, (subject.make_inputs(held),)),
        )
        for call, arguments in calls:
            if rows == CAPACITY:
                call(*arguments)
                subject.run_well()
                continue
            text = "input 'points': dimension 0 is 401, more than its capacity of 400"
            subject.refuses("OVER_CAPACITY", text, call, *arguments)


# Memory -----------------------------------------------------------------------


@check_subject
def refuses_what_does_not_fit_the_device(subject):
    """No device has the working memory of 2 000 000 000 rows."""
    rows = 2 * 10**9
    create, text = subject.program.instance, "the working memory of function 'main' ("
    for flags in (0, runtime.POISON):
        subject.refuses("OUT_OF_MEMORY", text, create, "main", [rows, rows], flags)
    subject.refuses("OUT_OF_MEMORY", "are free on the device", create, "main", [rows, rows])
    invalid = "INVALID_ARGUMENT"
    many = f"a capacity is {2**31 - 1}, more than {2**31 - 2} rows"
    subject.refuses(invalid, many, create, "main", [2**31 - 1] * 2)
    subject.refuses(invalid, "a capacity is -1", create, "main", [-1, 5])
    subject.refuses(invalid, "2 dynamic dimensions, but 1 capacities", create, "main", [5])
    subject.refuses(invalid, "has no function 'other'", create, "other", [])

    main = subject.module.main
    main.reserve(points=rows, features=rows)
    subject.refuses("OUT_OF_MEMORY", text, main, *subject.arrays)
    main.reserve(points=300, features=300)
    for found, expected in zip(main(*subject.arrays), subject.expected):
        expect_equal(found.tobytes(), expected.tobytes())
    context = subject.context
    subject.refuses("OUT_OF_MEMORY", "bytes", context.allocate, 0, 2**41)


# Plans ------------------------------------------------------------------------


def hash_bytes(data):
    """The checksum of a plan."""
    mask, state = 2**64 - 1, 0x9E3779B97F4A7C15 ^ len(data)
    whole = len(data) // 8 * 8
    rest = int.from_bytes(data[whole:], "little")
    for word in (*struct.unpack(f"<{whole // 8}Q", data[:whole]), rest, 0):
        state = ((state ^ word) * 0xD6E8FEB86659FD93) & mask
        state ^= state >> 32
    return state


def seal(plan):
    """A changed plan with the checksum that belongs to it."""
    return plan[:24] + struct.pack("<Q", hash_bytes(plan[HEADER:])) + plan[32:]


@check("none", "cuda")
def seals_plans(target):
    """What the checks below rely on."""
    plan = sparseconv.compile(get_text("pack")[0], chip="sm_80").plan
    expect(seal(plan) == plan, "the checksum is another")
    for damaged, text in (
        (plan[:8] + struct.pack("<I", 99) + plan[12:], "has version 99, this runtime reads"),
        (plan[:100] + bytes([plan[100] ^ 1]) + plan[101:], "its checksum does not match"),
        (plan[:-1], "bytes long, but the file has"),
        # A kernel that takes another parameter than its launch passes.
        (seal(plan.replace(b".param .u64", b".param .u32", 1)),
         "the launch passes parameter 0 in 8 bytes at byte 0, kernel 'main_kernel_0' takes 4"),
    ):
        error = expect_error(sparseconv.Error, text, sparseconv.load, damaged)
        expect_equal(error.code, "SPARSECONV_INVALID_PLAN")


@check_subject
def refuses_stale_and_corrupt_plans(subject):
    plan, load = subject.module.plan, lambda plan: runtime.Program(subject.context, plan)
    version = struct.unpack_from("<I", plan, 8)[0]
    for other in (0, version + 1, 2**32 - 1):
        stale = plan[:8] + struct.pack("<I", other) + plan[12:]
        text = f"version {other}, this runtime reads version {version}: compile it again"
        subject.refuses("INVALID_PLAN", text, load, stale)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.plan")
        with open(path, "wb") as file:
            file.write(stale)
        subject.refuses("INVALID_PLAN", "compile it again", load, path)
        subject.refuses("FILE_ERROR", "cannot be read", load, os.path.join(folder, "no.plan"))

    # Cut off anywhere, with any byte changed: refused, and nothing of it stays.
    before = subject.get_held()
    random = np.random.default_rng(1)
    for size in {*range(0, 100), *random.integers(100, len(plan), 200).tolist(), len(plan) - 1}:
        damaged = plan[:size]
        error = expect_error(sparseconv.Error, "", load, damaged)
        expect_equal((size, error.code), (size, "SPARSECONV_INVALID_PLAN"))
    for at in {*range(HEADER), *random.integers(HEADER, len(plan), 200).tolist()}:
        damaged = plan[:at] + bytes([plan[at] ^ (1 + at % 255)]) + plan[at + 1 :]
        error = expect_error(sparseconv.Error, "", load, damaged)
        expect_equal((at, error.code), (at, "SPARSECONV_INVALID_PLAN"))
    del error
    subject.run_well()
    subject.expect_held(before)

    # Kernels that the driver does not take: what it says comes through.
    spoilt = seal(plan.replace(b".entry", b".entri"))
    subject.refuses("CUDA_ERROR", "module 'sparseconv_kernels': PTX for sm_", load, spoilt)
    subject.refuses("CUDA_ERROR", "line", load, spoilt)


@check_subject
def refuses_plans_for_other_chips(subject):
    """PTX of one generation runs on that one alone."""
    chip = subject.context.chip
    other = "sm_90a" if chip != "sm_90a" else "sm_100a"
    plan = sparseconv.compile(get_text("conv", channels=16, dtype="f16")[0], chip=other).plan
    text = f"has code for {other} (PTX), none of which runs on {chip} ("
    subject.refuses("WRONG_CHIP", text, runtime.Program, subject.context, plan)
    subject.refuses("WRONG_CHIP", text, lambda: sparseconv.load(plan)(*subject.arrays))
    subject.refuses("NO_DEVICE", "there is no device 99", runtime.Context, 99)


# Tensors ----------------------------------------------------------------------


@check_subject
def refuses_tensors(subject):
    """Each of a tensor's fields, as the C interface takes it."""
    points, features, weights = subject.make_inputs()
    pointer, shape, nbytes = features
    invalid = "INVALID_ARGUMENT"
    for bad, text in (
        ((pointer + 4, shape, nbytes), "input 'features' is not aligned to 16 bytes"),
        ((None, shape, nbytes), "input 'features' has no data"),
        ((pointer, shape, nbytes - 2), "'features' needs 9600 bytes, the tensor has 9598"),
        ((pointer, (300, 15), nbytes), "dimension 1 is 16, that of the tensor 15"),
        ((pointer, (-1, 16), nbytes), "dimension 0 is -1"),
        ((pointer, (4800,), nbytes), "has rank 2, the tensor has rank 1"),
    ):
        subject.refuses(invalid, text, subject.enqueue, [points, bad, weights])
    subject.refuses(invalid, "has 3 inputs, not 2", subject.enqueue, [points, features])

    room = [subject.instance.get_capacity(i) for i in range(2)]
    memory = [subject.context.allocate(0, size) for size in room]
    good, (y, size) = list(zip(memory, room)), (memory[0], room[0])
    for bad, text in (
        ([(y + 8, size), good[1]], "output 'y' is not aligned to 16 bytes"),
        ([(y, size - 1), good[1]], f"'y' needs {size} bytes, the tensor has {size - 1}"),
        (good[:1], "has 2 outputs, not 1"),
    ):
        subject.refuses(invalid, text, subject.enqueue, [points, features, weights], bad)
    for pointer in memory:
        subject.context.free(0, pointer)

    tensors, kept = subject.make_tensors([points, features, weights])
    tensors[1].type = 8
    subject.refuses(invalid, "input 'features' is f16, the tensor is f32", runtime._call,
                    "instance_run", subject.instance.handle, None, tensors, ctypes.c_int64(3),
                    None, ctypes.c_int64(0))  # fmt: skip
    del kept
    fresh = subject.program.instance("main", [CAPACITY, CAPACITY])
    subject.refuses(invalid, "has not been captured", runtime._call, "instance_replay",
                    fresh.handle, None, tensors, ctypes.c_int64(3))  # fmt: skip


@check_subject
def refuses_arrays(subject):
    """What the package says of arrays, in host memory and on the device."""
    main, kind = subject.module.main, sparseconv.ArgumentError
    main(*subject.arrays)
    before = subject.get_held()
    points, features, weights = subject.arrays
    for arguments, text in (
        ((points, features), "no array for 'weights'"),
        ((points, features, weights, weights), "takes 3 arrays, but found 4"),
        ((points, features.astype(np.float32), weights), "but found 300x16xfloat32"),
        ((points, features[:, :8], weights), "but found 300x8xfloat16"),
        ((points.astype(np.int64), features, weights), "but found 300x4xint64"),
        ((points, features, weights[:, 0]), "but found 27x32xfloat16"),
    ):
        expect_error(kind, text, main, *arguments)
        held = [subject.module.to_device(np.ascontiguousarray(a)) for a in arguments]
        expect_error(kind, text, main, *held)
        del held
    expect_error(kind, "not 'other'", main, *subject.arrays, other=points)
    subject.run_well()
    subject.expect_held(before)
