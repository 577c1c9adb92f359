# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sets and maps that sparse tensors share."""

from typing import NamedTuple

import torch

from . import ir, sets
from .changes import Handed
from .encodings import trust_copy


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

    #: The coordinates that users have seen, if any: those that drop-ins for other libraries
    #: give, and those of the set.
    handed = shown = None

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
        made = CoordinateSet(coords, self.stride, self.shape, self.name, order, row_of)
        if self.shown is not None and self.shown.has_changed():
            made.shown = self.shown  # maps of the copy do not know of that either
        return made

    @property
    def num_rows(self):
        """The number of rows that features have."""
        return self.coords.shape[0]

    @property
    def coordinates(self):
        """The coordinates of the rows of features."""
        return self.coords if self.row_of is None else self.coords.index_select(0, self.row_of)

    def show(self):
        """The same for users, who may change them where they are those of the set."""
        if self.row_of is None and self.shown is None:
            self.shown = Handed(self.coords)
        return self.coordinates

    def check(self):
        """Raises an error if a user has changed them."""
        if self.handed is not None:
            self.handed.check()
        if self.shown is not None:
            self.shown.check()


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
    and its window, a `conv.Window`."""

    source: CoordinateSet
    target: CoordinateSet
    table: torch.Tensor
    window: object


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

    def add_own_pair(self, key, found, table, window):
        """The pair of a layer that stays at a set, which others at it have added before."""
        pairs = self.pairs.get(key)
        known = None if pairs is None else pairs.get(found.name)
        if known is None or known.table is not table or known.window.size != window.size:
            self.add_pair(key, Pair(found, found, table, window))

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
                made.add_pair(key, Pair(*sides, copies[id(pair.table)], pair.window))
        return made

    def fork(self, pairs):
        """A cache of the same sets and maps with other pairs."""
        made = object.__new__(Cache)
        made.__dict__.update(self.__dict__)
        made.pairs = pairs
        return made
