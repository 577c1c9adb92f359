# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of compiled networks on a GPU, and their runs."""

import collections
import operator
import threading

from . import arrays as array_views
from . import runtime
from .errors import ArgumentError, CapacityError, Error, RepeatError, count, join_short
from .functions import Function


class Run:
    """A run of a function on a GPU that may be under way, as `CudaFunction.start` gives it.
    When it is dropped, it waits for its end, as the arrays are in use until then.

        run = net.main.start(points, x, weights)
        y = run.results()
    """

    def __init__(self, function, instance, key, views, outputs):
        self._function, self._instance, self._key = function, instance, key
        self._views, self._outputs = views, outputs
        self._error = None
        self._lock = threading.RLock()  # not for __del__
        instance.hold()

    @property
    def done(self):
        """Whether the run has ended, with or without an error. Does not wait."""
        instance = self._instance
        return instance is None or instance.is_done()

    def results(self):
        """Waits for the end of the run, and gives its results as a call does, as
        `DeviceArray`s, or raises the error that it ended with. A `RepeatError` says that it
        has to be started again."""
        with self._lock:
            if self._instance is not None:
                try:
                    self._instance.wait()
                    for output, shape in zip(self._outputs, self._instance.get_shapes()):
                        output.shape = shape
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
    """A `Function` on a GPU. There is memory for a number of rows, the capacity. It grows
    with the arguments, or is fixed by `reserve`. Sets that could have many times the
    rows of the arguments have memory of their own, which starts small: a call
    that needs more of it is repeated.

    A call takes arrays in host memory, or arrays on the module's GPU and with them a
    `stream`, an integer or one of torch or cupy; by default it is the current one of the
    library whose the first array is. The call waits for the results."""

    # Instances that no run has are idle. A run may give its own back in its finaliser, so
    # anywhere: that takes no lock, only an operation of a deque.

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._lock = threading.RLock()
        self._capacities, self._is_fixed = None, False
        self._idle = collections.deque()  # of a key and an instance
        self._grown = []  # what instances had to grow to
        self._repeated = None, None, None  # of the last `repeat`

    def reserve(self, /, **sizes):
        """Fixes the capacity: for each input with sizes that are not known, its
        largest size, or sizes in a tuple. More is then a `CapacityError`. An input
        that is left out or is not known, and a size that is out of range, are an
        `ArgumentError`.

            net.main.reserve(points=100000, x=100000)
        """
        capacities = []
        unknown = set(sizes)
        for value in self.inputs:
            number = value.shape.count(None)
            if not number:
                continue
            given = sizes.get(value.name)
            given = (given,) if isinstance(given, int) else tuple(given or ())
            if len(given) != number:
                raise ArgumentError(
                    f"function '{self.name}': expects {count(number, 'size')} for "
                    f"{value!r}, but found {len(given)}"
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
        return self._drop_idle()

    def _drop_idle(self):
        dropped, self._idle = self._idle, collections.deque()
        return dropped

    def _set_bound(self, bound):
        with self._lock:
            self._bound = bound
            dropped = self._drop_idle()
        del dropped  # waits for runs, so not within the lock

    def _view_bound(self, value, argument):
        """An array of the device, with its pointer, shape and bytes."""
        if array_views.get_device(argument) is None:
            argument = self._view_host(value, argument)
            context = self.module._get_context()
            argument = array_views.to_device(context, argument, value.dtype, 0)
        return self._view_device(self.module._get_context(), value, argument, 0)

    def _take(self, shapes, bound, exact):
        """An instance with room for inputs of some shapes, and its key."""
        key = self._find_key(shapes, bound, exact)
        return self._find_idle(key) or self._make_instance(*key), key

    def _find_key(self, shapes, bound, exact):
        """What instances with room for inputs of some shapes are known by: the capacities,
        what is bound and whether sizes are exact."""
        needed = [
            (bound.given[name][1] if number is None else shapes[number])[axis]
            for name, axis, number in bound.unknown
        ]
        capacities = self._capacities
        if capacities is None or any(map(operator.gt, needed, capacities)):
            capacities = self._make_room(needed, bound)
        return capacities, bound, exact

    def _make_room(self, needed, bound):
        dropped = None
        with self._lock:
            old = self._capacities
            if old is None or any(map(operator.gt, needed, old)):
                if self._is_fixed:
                    self._refuse_sizes(needed, bound)
                old = old or [0] * len(needed)
                dropped = self._set_capacities(
                    [c if n <= c else _round_up(n) for n, c in zip(needed, old)]
                )
            capacities = self._capacities
        del dropped  # waits for runs, so not within the lock
        return capacities

    def repeat(self, stream, inputs, pointers, views, output):
        """Enqueues a run that reports nothing and has one output: what the layers of
        `sparseconv.torch` call, which bind nothing. The last inputs are `arguments.Views`;
        the others, whose `pointers` are given, and the output are tensors of torch,
        contiguous and aligned to 16 bytes. Sizes are looked at where the views or the first
        shape are not those of the last time."""
        known, shape, key = mark = self._repeated
        first = inputs[0].shape
        if known is not views or shape != first or key[0] is not self._capacities:
            shapes = [tensor.shape for tensor in inputs] + views.shapes
            key = self._find_key(shapes, self._bound, False)
            mark = self._repeated = views, first, key
        instance = self._find_idle(key) or self._make_instance(*key)
        instance.repeat(stream, mark, inputs, pointers, output)
        self._give_back(key, instance)

    def _refuse_sizes(self, needed, bound):
        for (name, axis, _), size, room in zip(bound.unknown, needed, self._capacities):
            if size > room:
                raise CapacityError(
                    f"function '{self.name}': dimension {axis} of '{name}' is "
                    f"{size}, more than the capacity of {room} that was reserved",
                    "SPARSECONV_OVER_CAPACITY",
                )

    def _make_instance(self, capacities, bound, exact):
        flags = runtime.EXACT if exact else 0
        instance = self.module._get_program().instance(self.name, capacities, flags)
        if self._grown:
            instance.reserve(self._grown)
        if not bound.is_empty:
            instance.bind(0, [view and view[:3] for view in bound.views])
            instance.bound = bound  # runs that nobody waits for keep the instance alone
            self._learn(instance)
        bound.finds_sizes = instance.finds_sizes
        return instance

    def _learn(self, instance):
        """Notes how far the memory of an instance has grown."""
        if instance.num_growables:
            now = [growable[2] for growable in instance.get_growables()]
            self._grown = [max(pair) for pair in zip(now, self._grown or now)]

    def _find_idle(self, key):
        while True:
            try:
                known, instance = self._idle.pop()
            except IndexError:
                return None
            if known[0] is key[0] and known[1] is key[1] and known[2] == key[2]:
                return instance

    def _give_back(self, key, instance):
        if key[0] is self._capacities and key[1] is self._bound:
            self._idle.append((key, instance))

    def __call__(self, /, *arrays, stream=None, exact=False, **named):
        bound = self._bound
        arguments = self._gather(arrays, named, bound)
        if any(array_views.get_device(argument) is not None for argument in arguments):
            return self._run(arguments, bound, stream, exact)
        if stream is not None:
            raise ArgumentError(
                f"function '{self.name}': a stream is for arrays on a GPU, but found "
                "arrays in host memory"
            )
        if not arguments:
            return self._run(arguments, bound, stream, exact)
        views = [self._view_host(v, a) for v, a in zip(bound.free, arguments)]
        instance, key = self._take([view.shape for view in views], bound, exact)
        try:
            results = instance.run(*views)
            self._learn(instance)
            return self._return(results)
        finally:
            self._give_back(key, instance)

    def _run(self, arguments, bound, stream, exact):
        """A run on the device. Nobody changes the arguments before its end, so it
        can be repeated where memory has grown."""
        while True:
            try:
                return self._start(arguments, bound, stream, exact).results()
            except RepeatError:
                pass

    def start(self, /, *arrays, stream=None, exact=False, **named):
        """Enqueues a run on arrays on the GPU and returns it as a `Run`; nothing
        waits, but for the counts where sizes are `exact`. The stream is the one given
        (an integer, or one of torch or cupy) or the current one of the library whose
        the first array is.

        Where the run turns out to need more memory, its results are a
        `RepeatError`, as the arguments may have changed since: start it again. Arrays
        that do not fit, or that lie elsewhere, are an `ArgumentError`."""
        bound = self._bound
        return self._start(self._gather(arrays, named, bound), bound, stream, exact)

    def _view_device(self, context, value, argument, stream):
        """Its pointer, shape and bytes, and what keeps it alive."""
        where = f"function '{self.name}'"
        device = array_views.get_device(argument)
        if device != context.device:
            found = "in host memory" if device is None else f"on GPU {device}"
            raise ArgumentError(
                f"{where}: expects '{value.name}' on GPU {context.device}, "
                f"but found it {found}"
            )
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
        return view.pointer, shape, view.nbytes, view

    def _start(self, arguments, bound, stream, exact):
        context = self.module._get_context()
        owner = stream
        if owner is None:
            streams = map(array_views.get_current_stream, arguments)
            owner = next((s for s in streams if s is not None), 0)
        stream = array_views.get_stream_handle(owner)
        views = [
            self._view_device(context, value, argument, stream)
            for value, argument in zip(bound.free, arguments)
        ]
        instance, key = self._take([view[1] for view in views], bound, exact)
        try:
            rooms = instance.get_rooms()
            outputs = [
                array_views.DeviceArray(context, owner, room, value.dtype, value.shape)
                for value, room in zip(self.outputs, rooms)
            ]
            targets = [(output.pointer, room) for output, room in zip(outputs, rooms)]
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
