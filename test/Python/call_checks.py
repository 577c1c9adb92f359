"""Checks of what a call on a GPU does on its way to the C interface, which is
replaced here: it notes what it is given."""

import ctypes
import gc
import sys
import threading
import types
import typing

import numpy as np
import sparseconv
from checks import check, expect, expect_equal, expect_error
from sparseconv import functions, runtime
from sparseconv.arguments import Views
from sparseconv.cuda_functions import CudaFunction
from sparseconv.unread import Unread


class Interface:
    """Stands for the C interface of the runtime. `fail` makes calls of a name
    fail with an error, as often as it says."""

    def __init__(self):
        self.calls, self.runs, self.bytes, self.fail = [], [], 64, {}
        self.held = {}  # memory by address

    def __call__(self, name, *arguments):
        self.calls.append(name)
        if self.fail.get(name):
            raise self.fail[name].pop()
        getattr(self, name, lambda *_: None)(*arguments)

    def context_create(self, device, handle):
        handle._obj.value = 1

    def instance_create(self, *arguments):
        arguments[-1]._obj.value = 2

    def instance_describe(self, handle, info):
        info._obj.num_growables = 0

    def instance_output_capacity(self, handle, index, sizes, nbytes):
        nbytes._obj.value = self.bytes

    def instance_run(self, handle, stream, inputs, num_inputs, outputs, num_outputs):
        def read(tensors, number):
            return [
                (t.data, t.type, list(t.sizes[: t.rank]) if t.sizes else [], t.bytes)
                for t in tensors[:number]
            ]

        self.runs.append((read(inputs, num_inputs), read(outputs, num_outputs)))

    def memory_allocate(self, context, stream, nbytes, pointer):
        buffer = ctypes.create_string_buffer(nbytes.value + 16)
        address = (ctypes.addressof(buffer) + 15) // 16 * 16
        self.held[address] = buffer
        pointer._obj.value = address

    def memory_free(self, context, stream, pointer):
        del self.held[pointer.value]

    def memory_upload(self, context, stream, pointer, host, nbytes):
        pass


class Replaced:
    """The C interface is replaced within this."""

    def __enter__(self):
        self.before = runtime._call, runtime._library
        interface = runtime._call = Interface()
        kinds = ("context", "program", "instance")
        destroy = {
            f"sparseconv_{kind}_destroy": lambda _, kind=kind: interface.calls.append(f"end {kind}")
            for kind in kinds
        }
        ready = {"sparseconv_instance_results": lambda *_: 0}
        runtime._library = types.SimpleNamespace(**destroy, **ready)
        return interface

    def __exit__(self, *_):
        gc.collect()  # objects end while it is there
        runtime._call, runtime._library = self.before


def make_function(num_weights):
    """A function of points, features and weights, and a program that has it."""
    values = [functions.Value("points", "int32", (None, 4)),
              functions.Value("features", "float16", (None, 8))]  # fmt: skip
    values += [functions.Value(f"w{i}", "float16", (8, 8)) for i in range(num_weights)]
    outputs = [functions.Value("y", "float16", (None, 8))]
    for value in (*values, *outputs):
        value.type = runtime.TYPES.index(value.dtype)
    context = runtime.Context()

    class Program(runtime._Owner):
        kind = "program"

        def signature(self, function):
            return values, outputs

        def instance(self, function, capacities, flags):
            return runtime.Instance(self, function, capacities, flags)

    program = Program(context)
    program.context = context
    module = types.SimpleNamespace(_get_context=lambda: context, _get_program=lambda: program)
    return CudaFunction(module, "main", values, outputs), context


def make_arrays(context, rows):
    arrays = np.zeros((rows, 4), np.int32), np.zeros((rows, 8), np.float16)
    return [sparseconv.arrays.to_device(context, a, a.dtype.name) for a in arrays]


def make_bound(num_weights):
    """A function whose weights are bound, its GPU, and the weights."""
    function, context = make_function(num_weights)
    weights = {
        f"w{i}": sparseconv.arrays.to_device(context, np.zeros((8, 8), np.float16), "float16")
        for i in range(num_weights)
    }
    function.bind(**weights)
    return function, context, weights


def count_operations(call):
    """How many operations of the interpreter a call takes."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


@check("cpu")
def does_nothing_for_what_is_bound(target):
    """A call takes as long for a network of many weights as for one of few."""
    counts = []
    for num_weights in (1, 400):
        with Replaced() as interface:
            function, context, weights = make_bound(num_weights)
            arrays = make_arrays(context, 5)
            interface.instance_run = lambda *_: None  # it would look at all
            for _ in range(2):  # which makes what calls share
                function.start(*arrays)
            counts.append(count_operations(lambda: function.start(*arrays)))
            del function, context, weights, arrays
    expect(counts[0] > 100, f"only {counts[0]} operations were seen")
    expect_equal(counts[1], counts[0])


@check("cpu")
def passes_what_is_free(target):
    with Replaced() as interface:
        function, context, weights = make_bound(2)
        for rows in (5, 3, 100, 0):
            points, features = make_arrays(context, rows)
            run = function.start(points, features=features)
            inputs, (output,) = interface.runs[-1]
            expect_equal(inputs, [(points.pointer, 4, [rows, 4], 16 * rows),
                                  (features.pointer, 6, [rows, 8], 16 * rows),
                                  (None, 0, [], 0), (None, 0, [], 0)])  # fmt: skip
            expect_equal(output[1:], (6, [], 64))
            del run
        # Other inputs are bound: what was passed before is not any more.
        function.bind(w1=weights["w1"])
        function.start(points, features, weights["w0"])
        inputs, _ = interface.runs[-1]
        expect_equal(inputs[2][:3], (weights["w0"].pointer, 6, [8, 8]))
        expect_equal(inputs[3], (None, 0, [], 0))
        instance = runtime.Instance(function.module._get_program(), "main", [9, 9], 0)
        view = (points.pointer, (0, 4), 0)
        text = "function 'main' has 4 inputs, not 2"
        error = expect_error(sparseconv.ArgumentError, text, instance.enqueue, 0, [view] * 2, [(0, 0)])
        expect_equal(error.code, "SPARSECONV_INVALID_ARGUMENT")
        text = "function 'main' has 1 output, not 0"
        expect_error(sparseconv.ArgumentError, text, instance.enqueue, 0, [view] * 4, [])
        del function, context, weights, points, features, instance, error


@check("cpu")
def makes_instances_for_exact_sizes(target):
    """Calls with exact sizes have instances of their own."""
    with Replaced() as interface:
        flags = []
        create = interface.instance_create

        def note(*arguments):
            flags.append(arguments[4].value)
            create(*arguments)

        interface.instance_create = note
        function, context = make_function(0)
        arrays = make_arrays(context, 5)
        for exact in (False, True, True, False):
            run = function.start(*arrays, exact=exact)
            run.results()
            del run
        expect_equal(flags, [0, runtime.EXACT, 0])
        del function, context, arrays


@check("cpu")
def keeps_runs_of_threads_apart(target):
    """Threads that start runs of one instance at a time do not write into each
    other's inputs."""
    with Replaced() as interface:
        function, context = make_function(0)
        instance = runtime.Instance(function.module._get_program(), "main", [9, 9], 0)
        number, rounds = 4, 20
        barrier, note = threading.Barrier(number), interface.instance_run

        def run(*arguments):
            barrier.wait(20)  # all have written
            note(*arguments)
            barrier.wait(20)

        interface.instance_run = run

        def work(own):
            for i in range(rounds):
                view = (16 * (1 + own), (i, 4), 0)
                instance.enqueue(0, [view, view], [(16, 64)])

        threads = [threading.Thread(target=work, args=(i,)) for i in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = sorted((run[0][0][0], run[0][0][2][0]) for run in interface.runs)
        expected = [(16 * (1 + own), i) for own in range(number) for i in range(rounds)]
        expect_equal(found, sorted(expected))
        expect_equal(len(instance._spare), number)
        del function, context, instance


class Lying(typing.NamedTuple):
    """What is asked of a tensor of torch."""

    pointer: int
    shape: tuple
    nbytes: int

    def data_ptr(self):
        return self.pointer


@check("cpu")
def repeats_with_views(target):
    """Runs that share their last inputs pass what other runs pass."""
    with Replaced() as interface:
        function, context = make_function(1)
        weight = 4096, (8, 8), 128

        def view(rows):
            return 512 * rows, (rows, 8), 16 * rows

        kept = {
            rows: Views([(*view(rows), "float16"), (*weight, "float16")])
            for rows in (5, 6, 90)
        }
        # Another address, other rows, other views, more than there is room for, and back.
        for step, (rows, others) in enumerate(((5, 5), (5, 5), (4, 5), (5, 6), (70, 90), (5, 6))):
            points = Lying(16 * (step + 1), (rows, 4), 16 * rows)
            output = Lying(64 * (step + 1), (rows, 8), 16 * rows)
            function.repeat(0, [points], [points.pointer], kept[others], output)
            instance = function._idle[-1][1]
            given = [tuple(points), view(others), weight]
            instance.enqueue(0, given, [(output.pointer, output.nbytes)])
            repeated, plain = interface.runs[-2:]
            expect_equal(repeated, plain)
            expect_equal([tensor[2] for tensor in plain[0]], [[rows, 4], [others, 8], [8, 8]])
        expect_equal(interface.calls.count("instance_create"), 3)  # for 5, 6 and 90 rows
        del function, context, instance


@check("cpu")
def goes_on_after_a_failed_start(target):
    with Replaced() as interface:
        function, context, weights = make_bound(2)
        arrays = make_arrays(context, 5)
        for kind in (KeyboardInterrupt, sparseconv.Error):
            interface.fail = {"instance_run": [kind("no")]}
            expect_error(kind, "no", function.start, *arrays)
            function.start(*arrays)
            expect_equal(interface.runs[-1][0][0][:3], (arrays[0].pointer, 4, [5, 4]))
        held = len(interface.held)
        expect_equal(held, 2 + len(weights))  # no output of a run stays
        expect_equal(interface.calls.count("instance_create"), 1)
        del function, context, weights, arrays


@check("cpu")
def asks_for_rooms_that_grow(target):
    with Replaced() as interface:
        function, context = make_function(0)
        arrays = make_arrays(context, 5)
        for _ in range(3):
            run = function.start(*arrays)
            expect_equal(interface.runs[-1][1][0][3], 64)
            run.results()
        expect_equal(interface.calls.count("instance_output_capacity"), 1)
        run = function.start(*arrays)
        # The memory has grown when a run says that it has to be repeated.
        interface.fail = {"instance_results": [sparseconv.RepeatError("more", "SPARSECONV_REPEAT")]}
        interface.bytes = 640
        expect_error(sparseconv.RepeatError, "more", run.results)
        del run
        function.start(*arrays)
        expect_equal(interface.runs[-1][1][0][3], 640)
        expect_equal(interface.calls.count("instance_output_capacity"), 2)
        del function, context, arrays


# Memory whose stream is gone ---------------------------------------------------


def make_late(interface, context, number):
    """Arrays that end after their stream."""
    for _ in range(number):
        array = sparseconv.arrays.to_device(context, np.zeros(3), "float64", 5)
        interface.fail["memory_free"] = [sparseconv.Error("no such stream", "")]
        del array
    gc.collect()


@check("cpu")
def frees_late_without_waiting(target):
    with Replaced() as interface:
        context = runtime.Context()
        make_late(interface, context, 3)
        expect_equal((len(interface.held), interface.calls.count("context_synchronise")), (3, 0))
        # A failure of the wait loses none.
        interface.fail["context_synchronise"] = [sparseconv.Error("failed", "")]
        expect_error(sparseconv.Error, "failed", context.synchronise)
        expect_equal(len(interface.held), 3)
        context.synchronise()
        expect(not interface.held)

        # Where memory is short it is freed, and where much of it waits.
        make_late(interface, context, 3)
        short = ("no memory", "SPARSECONV_OUT_OF_MEMORY")
        interface.fail["memory_allocate"] = [sparseconv.Error(*short)]
        pointer = context.allocate(0, 8)
        expect_equal(list(interface.held), [pointer])
        for text, late in ((short, 0), (("failed", ""), 3)):
            make_late(interface, context, late)
            interface.fail["memory_allocate"] = [sparseconv.Error(*text)]
            expect_error(sparseconv.Error, text[0], context.allocate, 0, 8)
            expect_equal(len(interface.held), 1 + late)
        interface.calls.clear()
        make_late(interface, context, 500)
        waits = interface.calls.count("context_synchronise")
        expect(1 <= waits <= 500 / runtime._MOST_LATE, f"{waits} waits for 500 arrays")

        # At the end of the GPU nothing is left.
        context.free(0, pointer)
        make_late(interface, context, 1)
        del context
        gc.collect()
        expect(not interface.held)
        expect_equal(interface.calls[-1], "end context")


class Late:
    """An instance of which `found` says what looking at its runs comes to: that they
    have ended, that they have not, or an error."""

    def __init__(self, *found):
        self.found = list(found)

    def check(self, wait):
        found = True if wait and self.found[0] is False else self.found.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


@check("cpu")
def raises_what_nobody_asked_for(target):
    unread, error = Unread(), sparseconv.Error("a coordinate", "SPARSECONV_PROGRAM_ERROR")
    done, busy, failed = Late(True), Late(False, True), Late(error, True)
    for instance in (busy, done, failed):
        unread.add(instance)
    unread.look()  # at the first one alone, which has not ended
    expect_equal([len(i.found) for i in (done, busy, failed)], [1, 1, 2])
    expect_error(sparseconv.Error, "a coordinate", unread.look)
    expect_equal([len(i.found) for i in (done, busy, failed)], [0, 0, 1])
    unread.look()  # an error is raised once
    expect_equal(failed.found, [])
    unread.look(wait=True)  # there is nothing any more
    # All of them, waiting or not; a run comes behind those of other instances.
    first, second = Late(False, False, True), Late(True, error, True)
    for instance in (first, second, first):
        unread.add(instance)
    unread.look()
    expect_equal([len(i.found) for i in (first, second)], [2, 2])
    unread.add(second)
    expect_error(sparseconv.Error, "a coordinate", unread.look, all=True)
    expect_equal([len(i.found) for i in (first, second)], [1, 1])
    unread.look(wait=True)
