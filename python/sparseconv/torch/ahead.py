# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets and maps that are made ahead of the layers that will ask for them.

Layers that run one by one make a set or a map at a time: a run for each, and a GPU is
waited for at each set. But a model asks the same of every tensor. The first layer that
meets a tensor without maps stands for its model, and what the model's layers asked of
the tensor is noted. Where the last two calls asked for the same, the next one makes all of
it at once: one run for the sets, which is waited for, and one for their maps; or one for
both where points are all the sets there are, whose tables have as many rows.

A guess that is wrong costs time and changes nothing: what was not foreseen is made when
it is asked for, as ever, and errors are found again there. But for one: where a grid's
size stands in the text, an output that is beyond the packing, and so beyond the grid, is
left out, as all beyond the grid are; one by one it is an error."""

import collections
import threading
import weakref
from typing import NamedTuple

import torch

from ..errors import CompileError, Error
from ..unread import is_late
from . import ahead_ir, encodings, ir, sets
from .caches import CoordinateSet, outline_set
from .programs import is_watched, make_to_stay, run

#: Fewer steps than this are not worth networks of their own, and a model whose calls differ
#: gets new networks for its first few kinds of call only, and for its first few sizes of
#: grids.
_FEWEST, _MOST_KINDS = 2, 4
#: Calls that are looked at.
_NUM_CALLS = 4


#: The step that makes the first set, of points in any order.
PACK = "pack"


class SetStep(NamedTuple):
    """A set made of another one, by their numbers: that of the tensor is 0. Its shape is
    what `reshape`, a function and what follows the shape as its arguments, makes of that of
    the other set; None is for grids without borders."""

    source: int
    rule: str
    by: tuple
    offsets: str
    reshape: tuple


class TableStep(NamedTuple):
    """The map between two sets, by their numbers."""

    source: int
    target: int
    offsets: str
    volume: int
    transposed: bool


class BackStep(NamedTuple):
    """The other direction of a map, by the number of its table."""

    table: int


class Asked:
    """What was asked of the sets and maps of a tensor, in order, without any of them, and
    the shape of its grid."""

    def __init__(self, root, packs):
        self.grid = root.shape
        self._sets, self.tables, self._backs = {root.name: 0}, {}, set()
        self.steps = [PACK] if packs else []

    def note_set(self, name, source, rule, by, offsets, reshape):
        if name not in self._sets and source in self._sets:
            self.steps.append(SetStep(self._sets[source], rule, by, offsets, reshape))
            self._sets[name] = len(self._sets)

    def note_table(self, key, volume):
        """Of a table that is not in `tables` yet."""
        source, target, offsets, transposed = key
        if source in self._sets and target in self._sets:
            sides = self._sets[source], self._sets[target]
            self.steps.append(TableStep(*sides, offsets, volume, transposed))
            self.tables[key] = len(self.tables)

    def note_back(self, table_key):
        if table_key in self.tables and table_key not in self._backs:
            self.steps.append(BackStep(self.tables[table_key]))
            self._backs.add(table_key)


class _Model:
    """What the model asked for at its last calls in each thread, what was foreseen so far,
    the grids that have networks of their own, the networks that the compiler does not take,
    and the sets that were outlined last."""

    def __init__(self):
        self._threads = threading.local()
        self.kinds, self.grids, self.refused = [], [], set()
        #: The name and the shape of a first set, steps, and what they make of it.
        self.outlined = None, [], ([], [])

    def get_calls(self):
        if not hasattr(self._threads, "calls"):
            self._threads.calls = collections.deque(maxlen=_NUM_CALLS)
        return self._threads.calls

    def foresee(self):
        """The steps of the next call, if the last ones were alike; those that may still be
        under way, as they have begun like another one, left out."""
        calls = [tuple(asked.steps) for asked in self.get_calls()]

        def has_begun_like(steps, other):
            return len(steps) < len(other) and other[: len(steps)] == steps

        done = [c for c in calls if not any(has_begun_like(c, other) for other in calls)]
        if len(done) < 2 or done[-1] != done[-2] or len(done[-1]) < _FEWEST:
            return None
        if done[-1] not in self.kinds:
            if len(self.kinds) >= _MOST_KINDS:
                return None
            self.kinds.append(done[-1])
        return done[-1]

    def has_networks_for(self, grid):
        """Whether networks may be for grids of this shape alone, or for tensors without one
        (None), which makes their sets faster: the last two calls had it, too, or others
        before them."""
        last = [asked.grid for asked in self.get_calls()][-2:]
        if grid not in self.grids and last == [grid, grid] and len(self.grids) < _MOST_KINDS:
            self.grids.append(grid if grid is None else tuple(grid))
        return grid in self.grids


#: The models, by the layers that stand for them.
_models = weakref.WeakKeyDictionary()


def begin(layer, x):
    """To be called by a layer before it asks for its map, where it is the first one to ask
    something of the tensor's cache. Does nothing where somebody sees operators of torch
    called."""
    cache, packs = x.cache, x.unpacked is not None
    if is_watched(x.features):
        return
    model = _models.setdefault(layer, _Model())
    steps = model.foresee()
    if steps is not None and not cache.tables:
        try:
            _Maker(x, steps, model).make()
        except torch.cuda.OutOfMemoryError:
            pass  # one by one they may fit
        except Error as error:
            # What an earlier run reports is told once. Whoever asks for what could not be
            # made finds why.
            if is_late(error):
                raise
    cache.asked = Asked(x.set, packs)
    model.get_calls().append(cache.asked)


class _Maker:
    """Makes what steps say of a tensor, and puts it into the tensor's cache."""

    def __init__(self, x, steps, model):
        self.x, self.cache, self.model = x, x.cache, model
        self.set_steps, self.table_steps, self.back_steps = (
            [step for step in steps if isinstance(step, kind)]
            for kind in (SetStep, TableStep, BackStep)
        )
        self.sets = []

    @make_to_stay
    def make(self):
        if self.x.unpacked is not None and self.table_steps and not self.set_steps:
            self.make_set_and_tables()
            return
        self.make_sets()
        if self.table_steps and sets.is_set(*(found.coords for found in self.sets)):
            self.make_tables()

    def run(self, function, text, *arguments, **named):
        """What a function makes of a network, which the compiler is asked to take once."""
        refused = self.model.refused
        if text in refused:
            raise Error("the compiler has refused this network")
        try:
            return function(text, *arguments, **named)
        except CompileError:
            refused.add(text)
            raise

    # Sets -------------------------------------------------------------------

    def make_sets(self):
        given = self.x.unpacked
        root = self.x.set if given is None else given.outline()
        points = self.x.set.coords if given is None else given.get_points()
        outlines, clips = self.outline_sets(root)
        made = []
        if given is not None or clips:
            text, bounds = self.write_sets(root, given is not None, clips)
            inputs = [points, *(sets.get_bounds(clip, points.device) for clip in bounds)]
            trusted = given is None and sets.is_set(points)
            made = self.run(run, text, inputs, trusted=trusted)
        if given is not None:
            coords, order, row_of, *made = made
            outlines[0] = given.take(sets.trust_distinct(coords, points), order, row_of)
        self.sets = outlines[:1]
        for step, outline, coords in zip(self.set_steps, outlines[1:], made):
            outline.coords = encodings.trust_set(coords)
            found = self.cache.sets.setdefault(outline.name, outline)
            self.cache.steps[(self.sets[step.source].name, *step[1:])] = found
            self.sets.append(found)

    def outline_sets(self, root):
        """The sets, still without coordinates, and the bounds of each but the first. Those
        of the last call are as good where its grid had the same shape."""
        first, steps, (places, clips) = self.model.outlined
        # Names do not tell shapes in tensors apart, which are read where steps need them.
        own = root.name, tuple(root.shape) if root.shape and self.set_steps else None
        if first == own and steps == self.set_steps:
            return [root, *(CoordinateSet(None, *place) for place in places)], clips
        outlines, clips = [root], []
        for step in self.set_steps:
            outline, clip = outline_set(outlines[step.source], *step[1:])
            outlines.append(outline)
            clips.append(clip)
        places = [(found.stride, found.shape, found.name) for found in outlines[1:]]
        self.model.outlined = own, self.set_steps, (places, clips)
        return outlines, clips

    def write_sets(self, root, packs, clips):
        """The network, and the bounds that are its inputs: none where it is for one shape
        of grid."""

        def write(bounds):
            steps = tuple((*step[:4], each) for step, each in zip(self.set_steps, bounds))
            return ahead_ir.sets(root.stride, packs, steps)

        if any(clips) and self.model.has_networks_for(root.shape):
            text = write(clips)
            if text not in self.model.refused:
                return text, []
        return write([ahead_ir.INPUT if clip else () for clip in clips]), list(filter(None, clips))

    # Tables -----------------------------------------------------------------

    def make_tables(self):
        """A run for the tables and those that go back over them, on a GPU with the tiles
        that convolutions read."""
        steps, backs = self.table_steps, self.get_backs()
        kinds = [self.describe(step) for step in steps]
        kinds += [self.describe_back(j) for j in backs]
        root, is_tiled = self.sets[0], self.sets[0].coords.is_cuda
        numbers = sorted({number for step in steps for number in step[:2]})
        keeps_points = root.order is not None and 0 in numbers
        strides = tuple(found.stride for found in self.sets)
        text = ahead_ir.maps(strides, tuple(map(tuple, steps)), backs, is_tiled, keeps_points)
        inputs = [self.sets[i].coords for i in numbers]
        inputs += [root.order, root.row_of] if keeps_points else []
        self.keep_tables(self.run(encodings.make_tables, text, inputs, kinds, is_tiled))

    def make_set_and_tables(self):
        """A run for the set of points and the tables between its rows."""
        given = self.x.unpacked
        root, points = given.outline(), given.get_points()
        steps, backs, is_tiled = self.table_steps, self.get_backs(), points.is_cuda
        rows = points.shape[0]
        kinds = [(rows, rows, s.volume, ir.is_symmetric(s.offsets)) for s in steps]
        kinds += [kinds[j] for j in backs]
        text = ahead_ir.maps(
            (root.stride,), tuple(map(tuple, steps)), backs, is_tiled, True, packs=True
        )
        (coords, order, row_of), tables = self.run(
            encodings.make_set_and_tables, text, [points], kinds, is_tiled
        )
        self.sets = [given.take(sets.trust_distinct(coords, points), order, row_of)]
        self.keep_tables(tables)

    def get_backs(self):
        return tuple(step.table for step in self.back_steps)

    def keep_tables(self, tables):
        keys = [self.get_key(step) for step in self.table_steps]
        self.cache.tables.update(zip(keys, tables))
        for j, table in zip(self.get_backs(), tables[len(keys) :]):
            self.cache.tables[("transposed", *keys[j])] = table

    def get_sides(self, step):
        return self.sets[step.source], self.sets[step.target]

    def describe(self, step):
        """The kind of a table, as for `encodings.make_tables`."""
        source, target = self.get_sides(step)
        mirrors = source is target and ir.is_symmetric(step.offsets)
        return source.num_rows, target.num_rows, step.volume, mirrors

    def describe_back(self, j):
        num_in, num_out, *rest = self.describe(self.table_steps[j])
        return num_out, num_in, *rest

    def get_key(self, step):
        source, target = self.get_sides(step)
        return source.name, target.name, step.offsets, step.transposed
