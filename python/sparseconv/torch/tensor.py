# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse tensors, and the sets and maps that they share."""

import operator
from typing import NamedTuple

import torch

from ..errors import ArgumentError
from . import ir, ops, sets
from .encodings import trust_copy
from .shapes import DeviceShape


def read_integer(value):
    """A number that counts something as Python's, whether it comes from Python, from numpy
    or from a tensor, or nothing where it is none."""
    if not hasattr(value, "__index__"):  # torch.compile of torch 2.11 cannot catch the error
        return None
    try:
        return int(operator.index(value))
    except TypeError:
        return None


def repeat(value, dim, what):
    """A number for each axis, from one number or a sequence."""
    if isinstance(value, DeviceShape) and len(value) == dim:
        return value
    number = read_integer(value)
    if number is not None:
        return (number,) * dim
    try:
        values = tuple(map(read_integer, value))
    except TypeError:  # there is nothing to go over
        values = ()
    if len(values) != dim or None in values:
        raise ArgumentError(f"{what}: expects one integer or {dim}, but found {value!r}")
    return values


def count_axes(coordinates):
    """The axes of coordinates, which layers take in this form only."""
    if coordinates.dtype != torch.int32 or coordinates.dim() != 2:
        raise ArgumentError(
            "expects coordinates [rows, 1 + D] in int32, but found "
            f"{tuple(coordinates.shape)} in {coordinates.dtype}"
        )
    dim = coordinates.shape[1] - 1
    if not 1 <= dim <= 4:
        raise ArgumentError(f"expects coordinates of 1 to 4 axes, but found {dim}")
    return dim


def name_root(stride, shape, rows):
    """The name of the set of the points of a tensor."""
    return extend_name("", "points", stride, shape, rows)


def extend_name(name, *step):
    """The name of a set that a step makes of another one. Names are text, whose hash Python
    keeps: each layer looks for its map by the names of two sets."""
    return f"{name}{step}"


class CoordinateSet:
    """Distinct coordinates in set order. `coords` has rows (batch, x, y, ...) in
    units of the finest grid, all multiples of `stride`; `shape` counts the cells of
    the grid on each axis, or is None where it has no borders. `name` says how it was
    made from the first set of its network: sets of equal names are equal.

    Features have the rows of the set, unless they keep those of points: then `order`
    has the point of each row of the set, and `row_of` the row of each point."""

    #: The coordinates that drop-ins for other libraries gave to users, if any.
    handed = None

    def __init__(self, coords, stride, shape, name, order=None, row_of=None):
        self.coords, self.stride, self.shape, self.name = coords, stride, shape, name
        self.order, self.row_of = order, row_of

    @property
    def dim(self):
        return len(self.stride)

    def map(self, function):
        """A copy in which a function was applied to all arrays."""
        arrays = (a if a is None else function(a) for a in (self.coords, self.order, self.row_of))
        coords, order, row_of = arrays
        trust_copy(coords, self.coords)
        return CoordinateSet(coords, self.stride, self.shape, self.name, order, row_of)

    @property
    def num_rows(self):
        """The number of rows that features have."""
        return self.coords.shape[0]

    @property
    def coordinates(self):
        """The coordinates of the rows of features."""
        return self.coords if self.row_of is None else self.coords.index_select(0, self.row_of)


def outline_set(source, rule, by, offsets, reshape):
    """The set that a layer makes of another one, still without coordinates; and the bounds
    of the region that it stays in, or nothing. Its shape is what `reshape`, a function and
    further arguments, makes of that of the other set; None is for no borders."""
    shape = None if reshape is None else reshape[0](source.shape, *reshape[1:])
    stride = ir.get_out_stride(rule, source.stride, by)
    # A floor has a cell for each coordinate, wherever the shape ends.
    clips = shape is not None and rule != "floor"
    clip = tuple(n * s for n, s in zip(shape, stride)) if clips else ()
    name = extend_name(source.name, rule, by, offsets, shape)
    return CoordinateSet(None, stride, shape, name), clip


class Pair(NamedTuple):
    """The map of a layer, for layers that go back over it: its two sets, its table,
    and the size of its kernel on each axis."""

    source: CoordinateSet
    target: CoordinateSet
    table: torch.Tensor
    size: tuple


class Origin:
    """The input that coordinates come from, which only its identity tells from others."""


class Cache:
    """The sets and maps that were made from the coordinates of one input."""

    #: What layers have asked for (`ahead`), if one has.
    asked = None

    def __init__(self, origin=None):
        #: What copies on other devices share: sets of equal names are equal there.
        self.origin = Origin() if origin is None else origin
        #: Sets by name, tables by the names of their sides and what relates them.
        self.sets, self.tables = {}, {}
        #: By the name of a set of points: the row of each of them.
        self.rows_of = {}
        #: What models keep beside, by a name and a key. No layer reads it.
        self.notes = {}
        #: Sets that were made ahead, by what a layer asks for.
        self.steps = {}
        #: The pairs that an `indice_key` stands for, by the name of their out set.
        self.pairs = {}

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("asked", None)
        return state | {"steps": {}}

    def add_pair(self, key, pair):
        if key is not None:
            self.pairs.setdefault(key, {})[pair.target.name] = pair

    def add_own_pair(self, key, found, table, size):
        """The pair of a layer that stays at a set, which others at it have added before."""
        pairs = self.pairs.get(key)
        known = None if pairs is None else pairs.get(found.name)
        if known is None or known.table is not table or known.size != size:
            self.add_pair(key, Pair(found, found, table, size))

    def find_pair(self, key, target):
        """The pair of a key with the out set `target`; or else another one of it, or
        None."""
        pairs = self.pairs.get(key, {})
        return pairs.get(target.name) or next(reversed(pairs.values()), None)

    def get_set(self, source, rule, by, offsets, reshape=None):
        """The set that a layer makes of another one: see `outline_set`."""
        step, asked = (source.name, rule, by, offsets, reshape), self.asked
        known = None if asked is None else self.steps.get(step)
        if known is None:
            known = self._make_set(source, rule, by, offsets, reshape)
        if asked is not None:
            asked.note_set(known.name, *step)
        return known

    def _make_set(self, source, rule, by, offsets, reshape):
        made, clip = outline_set(source, rule, by, offsets, reshape)
        known = self.sets.get(made.name)
        if known is None:
            made.coords = sets.output_set(
                source.coords, rule, list(source.stride), list(by), offsets, list(clip)
            )
            known = self.sets[made.name] = made
        return known

    def get_table(self, source, target, offsets, volume, transposed=False):
        """The map between two sets, as a table of rows of features."""
        key = source.name, target.name, offsets, transposed
        if self.asked is not None and key not in self.asked.tables:
            self.asked.note_table(key, volume)
        table = self.tables.get(key)
        if table is None:
            renumbers = target.row_of is not None or source.order is not None
            table = sets.kernel_map(
                source.coords, target.coords, list(source.stride), list(target.stride),
                offsets, volume, transposed, not renumbers,
            )  # fmt: skip
            if renumbers:
                table = sets.renumber(table, target.row_of, source.order)
            self.tables[key] = table
        return table

    def get_transposed(self, pair):
        """The other direction of a pair's table, which is one of this cache."""
        forward = self._find_key(pair.table)
        if self.asked is not None:
            self.asked.note_back(forward)
        key = "transposed", *forward
        if key not in self.tables:
            self.tables[key] = sets.transpose_table(pair.table, pair.source.num_rows)
        return self.tables[key]

    def _find_key(self, table):
        # Another thread may add tables meanwhile.
        return next(key for key, known in list(self.tables.items()) if known is table)

    def map(self, function):
        """A copy in which a function was applied to all coordinates and tables."""
        made = Cache(self.origin)
        copies = {id(t): trust_copy(function(t), t) for t in self.tables.values()}
        made.tables = {key: copies[id(table)] for key, table in self.tables.items()}
        made.sets = {name: set.map(function) for name, set in self.sets.items()}
        made.rows_of = {name: function(rows) for name, rows in self.rows_of.items()}
        for key, pairs in self.pairs.items():
            for pair in pairs.values():
                sides = made.sets[pair.source.name], made.sets[pair.target.name]
                made.add_pair(key, Pair(*sides, copies[id(pair.table)], pair.size))
        return made


class SparseTensor:
    """Features at coordinates.

    features       [points, channels]
    coordinates    [points, 1 + D] in int32: a batch index and 1 to 4 axes
    spatial_shape  the cells of the grid on each axis; None where it has no borders.
                   Where it has, strided layers make no output outside of it
    batch_size     by default one more than the highest batch index
    stride         what all coordinates are multiples of, for networks that decode
                   below the resolution of their input
    reduce         what becomes of points at one coordinate: their "sum", their
                   "avg", or the "first" one
    rows           "set", or "points" for rows that stay in the order of the points,
                   which then have to be at distinct coordinates

    Rows are in set order, by batch index, then by axis, the last one fastest;
    `coordinates` has theirs. `to_points` gives the rows of the points that the tensor
    was made from. Sets and maps that layers make stay with all tensors that are made
    from this one. `x + y` adds features of two tensors at the same coordinates.

    `features` of f32, f16 or bf16 is an attribute. Shapes, types and values that do not
    fit are an `ArgumentError`; a coordinate that is out of range on a GPU is an `Error` of
    a later call, or of `check`.

        points = torch.tensor([[0, 5, 5, 5], [0, 5, 5, 6], [1, 2, 3, 4]], dtype=torch.int32)
        x = sct.SparseTensor(torch.randn(3, 16), points, batch_size=2)
    """

    def __init__(self, features, coordinates, spatial_shape=None, batch_size=None, *,
                 stride=1, reduce="first", rows="set"):  # fmt: skip
        dim = count_axes(coordinates)
        if features.dim() != 2 or features.shape[0] != coordinates.shape[0]:
            raise ArgumentError(
                f"expects features of {coordinates.shape[0]} rows, as the coordinates "
                f"have, but found the shape {tuple(features.shape)}"
            )
        if rows not in ("set", "points") or (rows == "points" and reduce != "first"):
            raise ArgumentError(
                f"rows: expects 'set', or 'points' without reduce, but found {rows!r}"
            )
        stride = repeat(stride, dim, "stride")
        shape = None if spatial_shape is None else repeat(spatial_shape, dim, "spatial_shape")
        pack = sets.pack_distinct if rows == "points" else sets.pack
        coords, order, row_of = pack(coordinates, list(stride))
        name = name_root(stride, shape, rows)
        self.cache = Cache()
        if rows == "points":
            self.set = CoordinateSet(coords, stride, shape, name, order, row_of)
            self.features = features
        else:
            self.set = CoordinateSet(coords, stride, shape, name)
            self.features = _reduce(features, coords.shape[0], order, row_of, reduce)
        self.cache.sets[name] = self.set
        # Not by the property, which torch.compile would set before there is a cache.
        self.cache.rows_of[name] = row_of
        self._batch_size = batch_size

    @property
    def _row_of(self):
        """The row of each point, wherever a tensor is at the coordinates of points; or
        None."""
        return self.cache.rows_of.get(self.set.name)

    @_row_of.setter
    def _row_of(self, row_of):
        if row_of is not None:
            self.cache.rows_of[self.set.name] = row_of

    @property
    def unpacked(self):
        """What the first set is to be made of, where that has not been asked for yet."""
        return None

    def _make(self, features, set):
        made = object.__new__(type(self))
        made.features, made.set, made.cache = features, set, self.cache
        made._batch_size = self._batch_size
        return made

    def replace(self, features):
        """Other features at the same coordinates: a tensor [rows, channels] with as many
        rows, in the order of `coordinates`. Another number of rows is an `ArgumentError`.
        `replace_feature` is the same.

            y = x.replace(torch.relu(x.features))
        """
        if features.shape[0] != self.set.num_rows:
            raise ArgumentError(
                f"expects features of {self.set.num_rows} rows, as the coordinates "
                f"have, but found {features.shape[0]}"
            )
        return self._replace(features)

    replace_feature = replace

    def _replace(self, features):
        """The same without a look at their rows, which may not be there yet."""
        return self._make(features, self.set)

    def to(self, *arguments, **named):
        """A tensor whose features are what `torch.Tensor.to` makes of them; where
        that is on another device, so are the coordinates, sets and maps.

            x = x.to("cuda", torch.float16)
        """
        features = self.features.to(*arguments, **named)
        if features.device == self.device:
            return self.replace(features)
        wait = named.get("non_blocking", False)
        return self._map(features, lambda t: t.to(features.device, non_blocking=wait))

    def _map(self, features, function):
        """Other features, with a function applied to all that is of integers."""
        made = self._make(features, self.set)
        made.cache = self.cache.map(function)
        made.set = made.cache.sets[self.set.name]
        return made

    def cpu(self):
        """A tensor in host memory, coordinates, sets and maps included."""
        return self.to("cpu")

    def cuda(self, device=None):
        """A tensor on a GPU, coordinates, sets and maps included: on the current one, or
        on that of a number or of a device of torch."""
        device = "cuda" if device is None else device
        return self.to(torch.device("cuda", device) if isinstance(device, int) else device)

    def float(self):
        """The same with features in f32."""
        return self.to(torch.float32)

    def half(self):
        """The same with features in f16."""
        return self.to(torch.float16)

    def bfloat16(self):
        """The same with features in bf16."""
        return self.to(torch.bfloat16)

    def detach(self):
        """The same values, of which no gradients are taken."""
        return self.replace(self.features.detach())

    def pin_memory(self):
        """A copy in memory from which a GPU copies while the host goes on; a
        DataLoader with `pin_memory=True` calls this."""
        return self._map(self.features.pin_memory(), torch.Tensor.pin_memory)

    @property
    def device(self):
        """The device of torch on which features and coordinates are."""
        return self.features.device

    @property
    def dtype(self):
        """The type of the features."""
        return self.features.dtype

    @property
    def coordinates(self):
        """The coordinates of the rows, [rows, 1 + D] in int32: a batch index, then the axes
        in units of the finest grid, all multiples of `stride`."""
        return self.set.coordinates

    @property
    def keeps_points(self):
        """Whether rows are in the order of points, not in set order."""
        return self.set.order is not None

    @property
    def spatial_shape(self):
        """The number of cells on each axis, or None where the grid has no borders. A cell
        is `stride` units of the finest grid."""
        return self.get_shape()

    def get_shape(self):
        """The same for layers: numbers, or a `DeviceShape` of a tensor under another library's
        name."""
        return self.set.shape

    @property
    def stride(self):
        """The size of a cell on each axis, in units of the finest grid."""
        return self.set.stride

    @property
    def dim(self):
        """The number of axes, 1 to 4, the batch index left out."""
        return self.set.dim

    @property
    def batch_size(self):
        """The number of items: what was given, or else one more than the highest batch
        index, which is read from the device."""
        return self.get_batch_size()

    def check_rows(self):
        """Raises an error where a layer that reads features alone would take those of other
        rows: a tensor under another library's name may be given any."""

    def get_batch_size(self):
        """The same as a number of Python, whatever a tensor under another library's name
        shows."""
        if self._batch_size is None:
            coords = self.set.coords
            self._batch_size = int(coords[-1, 0]) + 1 if coords.shape[0] else 0
        return int(self._batch_size)

    @batch_size.setter
    def batch_size(self, size):
        self._batch_size = size

    def to_points(self):
        """Its features at the points that it was made from, in their order:
        [points, channels]. A tensor at other coordinates than those of its points, such as
        that of a strided layer, is an `ArgumentError`."""
        if self._row_of is None:
            raise ArgumentError("expects a tensor at the coordinates of points")
        if self.set.order is not None:
            return self.features
        return ops.gather(self.features, self._row_of)

    def sort(self, rows):
        """A tensor that has the rows of the features, [rows, ...], in set order."""
        return rows if self.set.order is None else rows.index_select(0, self.set.order)

    def has_set_of(self, other):
        """Whether another tensor is at the same coordinates: made from the same points by
        layers that make the same sets, and on the same device. Equal coordinates of
        tensors that were made apart do not count."""
        return self.set is other.set or (
            self.cache.origin is other.cache.origin
            and self.set.name == other.set.name
            and self.device == other.device
        )

    def __add__(self, other):
        if not isinstance(other, SparseTensor):
            return NotImplemented
        if not self.has_set_of(other):
            raise ArgumentError(
                "expects the coordinates of both tensors to be the same set; union() "
                "adds tensors at other coordinates"
            )
        return self._make(self.features + other.features, self.set)

    def __radd__(self, other):
        # sum() begins with 0.
        is_start = isinstance(other, int) and other == 0
        return self if is_start else self.__add__(other)

    def __repr__(self):
        rows, channels = self.features.shape
        return f"SparseTensor({rows} rows, {channels} channels, stride {self.stride})"


def _reduce(features, num_rows, order, row_of, kind):
    """The features of each row of a set, from those of its points."""
    if kind == "first":
        return features.index_select(0, order)
    if kind not in ("sum", "avg"):
        raise ArgumentError(f"reduce: expects 'first', 'sum' or 'avg', but found {kind!r}")
    total = ops.scatter(features, row_of, num_rows)
    if kind == "sum":
        return total
    ones = torch.ones((features.shape[0], 1), dtype=torch.float32, device=features.device)
    return total / ops.scatter(ones, row_of, num_rows).to(total.dtype)
