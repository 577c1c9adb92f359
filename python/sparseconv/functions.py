# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of compiled networks."""

import numpy as np

from . import arrays as array_views
from . import runtime
from .errors import ArgumentError, count, join_short, shorten


class Value:
    """An argument or a result of a function: its `name`, its element type `dtype`, such as
    "float32" or "bfloat16", and its `shape`, with None where any size goes. A scalar has
    the shape (1,).

        print(net.main.inputs[0])  # points: ?x4xint32
    """

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, dtype, tuple(shape)
        self._names = dtype, array_views.get_numpy_dtype(dtype).name
        self._fitting = None  # the last type and shape that did

    def __repr__(self):
        sizes = "".join("?x" if size is None else f"{size}x" for size in self.shape)
        return shorten(f"{self.name}: {sizes}{self.dtype}")

    def check(self, dtype, shape, where):
        """Raises an `ArgumentError` unless an array of a type, by its name, and of a shape
        can be passed. `where` begins the message."""
        if (dtype, shape) == self._fitting:
            return
        fits = dtype in self._names and len(shape) == len(self.shape)
        if not fits or any(e != s and e is not None for e, s in zip(self.shape, shape)):
            found = shorten("".join(f"{size}x" for size in shape) + dtype)
            raise ArgumentError(f"{where}: expects {self}, but found {found}")
        if shape and shape[0] > runtime.MAX_ROWS:
            raise ArgumentError(
                f"{where}: '{self.name}' has {shape[0]} rows, more than {runtime.MAX_ROWS}"
            )
        self._fitting = dtype, shape


class Bound:
    """The inputs that stay from call to call: `views` has a view of each, None for
    the others, which are `free`. Calls look at those alone."""

    def __init__(self, inputs, views):
        self.given = views
        self.views = [views.get(value.name) for value in inputs]
        self.free = [value for value in inputs if value.name not in views]
        self.names = [value.name for value in self.free]
        #: For each size that is not known: the name of its input, the axis, and the number
        #: of the input among those that are free, or None.
        numbers = {name: number for number, name in enumerate(self.names)}
        self.unknown = [
            (value.name, axis, numbers.get(value.name))
            for value in inputs
            for axis, size in enumerate(value.shape)
            if size is None
        ]
        self.is_empty = not views
        #: Whether calls find sizes that are known neither of their arguments nor of what
        #: is bound, as far as is known.
        self.finds_sizes = True

    def fill(self, views):
        """Views of all inputs, `views` being those of the free ones."""
        rest = iter(views)
        return [next(rest) if view is None else view for view in self.views]


class Function:
    """A function of a module. `inputs` and `outputs` are tuples of `Value`s, `name` is its
    name in the text.

    Called with an array for each input, in order or by name, it returns a tuple
    of arrays, or the array where there is one output: numpy arrays for arrays in
    host memory, `DeviceArray`s for arrays on a GPU. Arrays of another type or shape
    are an `ArgumentError`.

    With `exact=True` a call on a GPU first counts the rows of all sets and waits
    for the counts, and takes memory for these rows alone where it would take it
    for the most that there can be. The results are the same. On a CPU it always
    is so.

        y = net.main(points, x, weights)
        y = net.main(points, x, weights=weights)
    """

    def __init__(self, module, name, inputs, outputs):
        self.module, self.name = module, name
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self._bound = Bound(self.inputs, {})

    def bind(self, /, **arrays):
        """Gives inputs, such as weights, to all later calls, which take the other inputs
        alone. Replaces what was bound before; without arrays nothing is bound.

        The arrays stay where they are and may not change while they are bound.
        When they have changed, bind them again. On a GPU what depends on them
        alone is then done once and not in every call, which packs weights and, where
        points are bound, makes all sets and maps; arrays in host memory are copied
        there. A name that is no input is an `ArgumentError`.

            net.main.bind(**weights)
            y = net.main(points, features)
            net.main.bind(**weights, points=points)  # where other features come at these
            y = net.main(features)
        """
        values = {value.name: value for value in self.inputs}
        for name in arrays:
            if name not in values:
                raise ArgumentError(f"function '{self.name}' has no input '{name}'")
        views = {name: self._view_bound(values[name], a) for name, a in arrays.items()}
        self._set_bound(Bound(self.inputs, views))

    def copy(self):
        """The same function without what is bound or reserved, to which other arrays can be
        bound. The machine code is there once.

            at_scene = net.main.copy()
            at_scene.bind(**weights, points=points)
        """
        return type(self)(self.module, self.name, self.inputs, self.outputs)

    @property
    def finds_sizes(self):
        """Whether calls find sizes of results that are known neither of their arguments nor
        of what is bound, as far as is known: on a GPU after the first call."""
        return self._bound.finds_sizes

    @property
    def free(self):
        """The inputs that a call takes: those that are not bound, as `Value`s."""
        return tuple(self._bound.free)

    def _set_bound(self, bound):
        self._bound = bound

    def __repr__(self):
        inputs, outputs = join_short(self.inputs), join_short(self.outputs)
        return f"{self.name}({inputs}) -> ({outputs})"

    def _gather(self, arrays, named, bound):
        """The arguments for what is not bound, in order."""
        free = bound.names
        if len(arrays) > len(free):
            raise ArgumentError(
                f"function '{self.name}' takes {count(len(free), 'array')}, but found {len(arrays)}"
            )
        rest = free[len(arrays) :]
        if named.keys() != set(rest):
            self._refuse_names(bound, rest, named)
        return [*arrays, *[named[name] for name in rest]]

    def _refuse_names(self, bound, rest, named):
        takes = join_short(map(repr, bound.names)) or "no arrays"
        other = [name for name in named if name not in rest]
        groups = (
            ("there is no array for {}", [name for name in rest if name not in named]),
            ("there are two arrays for {}", [n for n in other if n in bound.names]),
            ("{} stays from bind", [n for n in other if n in bound.given]),
            (f"it takes {takes}, not {{}}",
             [n for n in other if n not in bound.names and n not in bound.given]),
        )  # fmt: skip
        problems = [
            text.format(join_short(map(repr, names))) for text, names in groups if names
        ]
        raise ArgumentError(f"function '{self.name}': {'; '.join(problems)}")

    def _view_host(self, value, argument):
        """A numpy array that fits an input."""
        array = array_views.view_host(argument)
        dtype = array_views.get_numpy_dtype(value.dtype)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        if isinstance(argument, (bool, int, float)) and value.shape == (1,):
            array = self._convert_number(value, argument, dtype)
        if array.ndim == 0 and value.shape == (1,):
            array = array.reshape(1)
        value.check(array.dtype.name, array.shape, f"function '{self.name}'")
        return np.ascontiguousarray(array).view(dtype)

    def _convert_number(self, value, number, dtype):
        """A number of Python as an array, where the type of an input has it."""
        is_float = value.dtype in ("float64", "float32", "float16", "bfloat16")
        kinds = (int, float) if is_float else (bool,) if dtype == np.bool_ else (int,)
        if not isinstance(number, kinds) or (dtype != np.bool_ and isinstance(number, bool)):
            found = type(number).__name__
        elif is_float:
            with np.errstate(over="ignore"):
                return array_views.convert(np.array(number, np.float64), value.dtype)
        elif dtype == np.bool_ or np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
            return np.array(number, dtype)
        else:
            found = f"{number}, which it does not hold"
        raise ArgumentError(
            f"function '{self.name}': '{value.name}' expects a number of {value.dtype}, "
            f"but found {found}"
        )

    def _return(self, results):
        return results[0] if len(results) == 1 else tuple(results)
