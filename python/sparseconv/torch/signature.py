# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled module takes and returns, and what stands for it in its network."""

import copy
import dataclasses
import inspect
from typing import Any, Optional

import numpy as np
import torch
from torch.utils._pytree import tree_flatten_with_path

from ..errors import ArgumentError
from .caches import Cache, CoordinateSet
from .changes import get_version
from .containers import Containers
from .rows import RowTensor
from .shapes import DeviceShape
from .tensor import SparseTensor
from .tracing.order import emit_gather
from .tracing.values import Rows, is_traced


class _Noted(int):
    """A number that remembers whether somebody has read it."""

    is_read = False

    def __int__(self):
        self.is_read = True
        return int.__index__(self)


def _is_sparse(value):
    return isinstance(value, SparseTensor)


def _is_equal(value, other):
    """Whether two values are equal as a whole, arrays included."""
    if hasattr(other, "__array__"):
        return np.shape(value) == np.shape(other) and bool(np.all(value == other))
    return bool(value == other)


def _name_path(path):
    """The keys of a place in nested containers."""
    return ".".join(str(getattr(key, "idx", getattr(key, "key", key))) for key in path)


def _join(*words):
    return ".".join(filter(None, words))


def _make_set(like, coords):
    """A set with coordinates and a cache of its own."""
    cache = Cache()
    made = CoordinateSet(coords, like.stride, like.shape, like.name)
    cache.sets[made.name] = made
    return made, cache


def _is_given(tensor):
    """Whether a tensor has the coordinates that a user gave, in their order."""
    return isinstance(tensor, RowTensor) and tensor.given is not None


def _get_coords(tensor):
    return tensor.indices if _is_given(tensor) else tensor.set.coordinates


def _get_integers(leaf):
    """The tensor that says where the rows of a sparse tensor are, the same for all that
    are made of it by `replace`; another leaf itself."""
    if _is_given(leaf):
        return leaf.given.indices
    return leaf.set.coords if isinstance(leaf, SparseTensor) else leaf


def _find_key(leaf):
    """What inputs of one number of rows have in common."""
    if _is_given(leaf):
        return id(leaf.given)
    if isinstance(leaf, SparseTensor):
        return id(leaf.cache), leaf.set.name
    return leaf.shape[0]


class _Group:
    """Inputs with one number of rows: features of one set, or tensors. `members` has
    the number of each among the leaves."""

    def __init__(self, key):
        self.key, self.members = key, []


class Inputs:
    """The arguments of a module, as they are in an example: sparse tensors, tensors
    whose first axis may change from call to call, in containers, and anything else,
    which is a constant. Tensors whose first axes are equally long in the example are so
    in every call."""

    def __init__(self, model, args):
        self._containers = Containers(args, _is_sparse)
        self._leaves = self._containers.take(args)
        #: The names of the parameters of the arguments, as far as they have some.
        self._parameters = self._list_parameters(model)[: len(args)]
        self._names = self._name_leaves(args)
        self._groups = {}
        for number, leaf in enumerate(self._leaves):
            if isinstance(leaf, torch.Tensor) and not leaf.dim():
                self._refuse(number, "tensors with axes", "one without")
            if isinstance(leaf, (SparseTensor, torch.Tensor)):
                key = _find_key(leaf)
                self._groups.setdefault(key, _Group(key)).members.append(number)
        if not self._groups:
            raise ArgumentError("expects an example with a tensor")
        #: The sparse tensors whose rows are in the order of points.
        self._ordered = {
            number
            for number, leaf in enumerate(self._leaves)
            if isinstance(leaf, SparseTensor) and leaf.keeps_points
        }
        self._firsts = {group.members[0] for group in self._groups.values()}
        self._leaves = self._drop_data()
        #: Of the last trace: the batch size of each sparse tensor, and the set and the
        #: cache of each group, or the coordinates that it was given.
        self._batch_sizes, self._sets = {}, {}

    @staticmethod
    def _list_parameters(model):
        parameters = inspect.signature(model.forward).parameters.values()
        kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        return [parameter.name for parameter in parameters if parameter.kind in kinds]

    def _name_leaves(self, args):
        """The name of the parameter of each leaf, and where it is in it."""
        parameters = self._parameters
        paths, _ = tree_flatten_with_path(args, is_leaf=_is_sparse)
        names = []
        for path, _ in paths:
            position = path[0].idx
            name = parameters[position] if position < len(parameters) else str(position)
            names.append(_join(name, _name_path(path[1:])))
        return names

    def _drop_data(self):
        """The leaves without their data, for later traces."""
        leaves = list(self._leaves)
        for number, leaf in enumerate(leaves):
            if isinstance(leaf, SparseTensor):
                leaves[number] = self._empty(leaf)
            elif isinstance(leaf, torch.Tensor):
                leaves[number] = leaf.detach()[:0]
        return leaves

    @staticmethod
    def _empty(leaf):
        made, features = copy.copy(leaf), leaf.features.detach()[:0]
        batch_size = leaf.get_batch_size()
        if _is_given(leaf):
            indices = leaf.indices.detach()[:0]
            made.start(features, indices, leaf.stride, leaf.get_shape(), batch_size)
        else:
            made.set, made.cache = _make_set(leaf.set, leaf.set.coordinates[:0])
            made.features, made._batch_size, made._row_of = features, batch_size, None
        return made

    # Stand-ins ----------------------------------------------------------------

    def make_stand_ins(self, tracer):
        """The arguments for a trace; writes the arguments of the network."""
        leaves, sets = list(self._leaves), {}
        self._batch_sizes, self._sets = {}, {}
        alone = sum(isinstance(leaf, SparseTensor) for leaf in leaves) == 1
        stand_ins = {}
        for group in self._groups.values():
            stand_ins.update(self._stand_in(tracer, group))
        for number, leaf in enumerate(leaves):
            prefix = self._names[number]
            if isinstance(leaf, SparseTensor):
                prefix = "" if alone else prefix
                leaves[number] = self._write_sparse(tracer, prefix, number, stand_ins, sets)
            elif number in stand_ins:
                leaves[number] = stand_ins[number]
                self._write(tracer, prefix, stand_ins[number])
        return self._containers.put(leaves)

    def _stand_in(self, tracer, group):
        """Tensors for the members of a group: of a sparse tensor its coordinates and
        its features."""
        members = [self._leaves[number] for number in group.members]
        if isinstance(members[0], SparseTensor):
            coords, *features = tracer.make_stand_ins(
                [_get_coords(members[0]), *(member.features for member in members)]
            )
            return {n: (group.key, coords, f) for n, f in zip(group.members, features)}
        return dict(zip(group.members, tracer.make_stand_ins(members)))

    @staticmethod
    def _write(tracer, name, tensor):
        value = Rows(tracer.text.add_argument(name, tracer.get_type(tensor)))
        tracer.bind(tensor, value)
        return value.name

    def _write_sparse(self, tracer, prefix, number, stand_ins, sets):
        leaf, (key, coords, features) = self._leaves[number], stand_ins[number]
        if key not in sets:
            points = self._write(tracer, _join(prefix, "points"), coords)
            tracer.fixed.append(coords)
            sets[key] = points, _Noted(leaf.get_batch_size())
        points, self._batch_sizes[number] = sets[key]
        name = self._write(tracer, _join(prefix, "features"), features)
        made = copy.copy(leaf)
        if _is_given(leaf):
            made.start(features, coords, leaf.stride, leaf.get_shape(), sets[key][1])
            made.share(self._sets.setdefault(key, made.given))
            return made
        if number in self._ordered:
            with tracer:
                packed = SparseTensor(
                    features, coords, leaf.spatial_shape, stride=leaf.stride, rows="points"
                )
            known = self._sets.setdefault(key, (packed.set, packed.cache, packed._row_of))
            made.set, made.cache, made._row_of = known
            made.features, made._batch_size = features, sets[key][1]
            return made
        # Points in any order come into set order first.
        if key not in self._sets:
            packed, order, _ = tracer.emit_pack(points, tracer.get_type(coords), leaf.stride)
            tracer.bind(coords, packed)
            self._sets[key] = *_make_set(leaf.set, coords), order
        made.set, made.cache, order = self._sets[key]
        tracer.bind(features, Rows(emit_gather(tracer, features, name, order, features)))
        made.features, made._batch_size = features, sets[key][1]
        return made

    def find_source(self, tensor):
        """The first leaf with the rows and the set of a tensor, or None."""
        for key, group in self._groups.items():
            known = self._sets.get(key)
            if known is None:
                continue
            if isinstance(known, tuple):
                same = not _is_given(tensor) and known[0] is tensor.set
            elif _is_given(tensor):
                same = known is tensor.given
            else:
                same = known.set is not None and known.set is tensor.set
            if same:
                return group.members[0]
        return None

    # Calls --------------------------------------------------------------------

    def mark(self, leaves):
        """Notes the coordinates of leaves, and other integers, by the leaves' numbers: each
        tensor and the number of its changes."""
        marked = {}
        for number, leaf in enumerate(leaves):
            tensor = _get_integers(leaf) if number in self._firsts else leaf
            if isinstance(tensor, torch.Tensor) and not tensor.is_floating_point():
                marked[number] = tensor, get_version(tensor)
        return marked

    def order(self, args, named):
        """All arguments of a call by their places, of which some are given by name."""
        if not named:
            return args
        expected = self._parameters[len(args) :]
        if set(named) != set(expected):
            listed = ", ".join(self._parameters) or "arguments without names"
            found = ", ".join([*self._parameters[: len(args)], *named])
            raise ArgumentError(
                f"expects the arguments of the example, {listed}, but found {found}"
            )
        return (*args, *(named[name] for name in expected))

    def read(self, args, marked=()):
        """The tensors that a call brings to the network, and the leaves of its
        arguments. Where some are `marked`, they have to be the same, and are left out."""
        leaves = self._containers.take(args)
        if leaves is None:
            raise ArgumentError(
                f"expects arguments in containers as in the example, {len(self._leaves)} in "
                f"all, but found others, {self._containers.count(args)} in all"
            )
        tensors = []
        for number, (leaf, expected) in enumerate(zip(leaves, self._leaves)):
            kind = torch.Tensor if isinstance(expected, torch.Tensor) else type(expected)
            if not isinstance(leaf, kind):
                self._refuse(number, f"a {kind.__name__}", f"a {type(leaf).__name__}")
            is_bound = number in marked
            if is_bound:
                self._check_mark(number, leaf, *marked[number])
            if isinstance(expected, SparseTensor):
                self._check_sparse(number, leaf, expected)
                if number in self._firsts and not is_bound:
                    tensors.append(leaf.indices if _is_given(expected) else leaf.set.coordinates)
                tensors.append(leaf.features)
            elif isinstance(expected, torch.Tensor):
                if not is_bound:
                    tensors.append(leaf)
            elif not _is_equal(leaf, expected):
                self._refuse(number, repr(expected), repr(leaf))
        self._check_groups(leaves)
        return tensors, leaves

    def _refuse(self, number, expected, found):
        raise ArgumentError(
            f"{self._names[number]}: expects {expected}, as in the example, but found {found}"
        )

    def _check_mark(self, number, leaf, tensor, version):
        found = _get_integers(leaf)
        if found is not tensor or get_version(found) != version:
            what = "coordinates" if isinstance(leaf, SparseTensor) else "integers"
            raise ArgumentError(
                f"{self._names[number]}: expects the {what} that are bound, unchanged, as "
                "replace() of a tensor keeps them, but found others"
            )

    def _check_sparse(self, number, leaf, expected):
        keeps = number in self._ordered
        if leaf.keeps_points != keeps:
            rows = "rows in set order", "rows in the order of points"
            self._refuse(number, rows[keeps], rows[not keeps])
        structures = [(tensor.stride, tensor.get_shape()) for tensor in (expected, leaf)]
        for what, known, found in zip(("stride", "spatial_shape"), *structures):
            if known != found:
                self._refuse(number, f"the {what} {known}", found)
        noted = self._batch_sizes.get(number)
        if noted is not None and noted.is_read and leaf._batch_size not in (None, noted):
            self._refuse(number, f"the batch size {noted}", leaf._batch_size)

    def _check_groups(self, leaves):
        """That what had one number of rows in the example has so now."""
        for group in self._groups.values():
            first = leaves[group.members[0]]
            for number in group.members[1:]:
                leaf, name = leaves[number], self._names[group.members[0]]
                if isinstance(leaf, SparseTensor):
                    same = _is_given(leaf) and _find_key(leaf) == _find_key(first)
                    if not same and not leaf.has_set_of(first):
                        self._refuse(number, f"the coordinates of {name}", "others")
                elif leaf.shape[:1] != first.shape[:1]:
                    rows = [", ".join(map(str, t.shape[:1])) or "no" for t in (leaf, first)]
                    raise ArgumentError(
                        f"'{self._names[number]}' has {rows[0]} rows, but '{name}' has "
                        f"{rows[1]}: both need the same number, as in the example"
                    )


class Outputs:
    """What a module returns: sparse tensors, tensors, in containers, and anything else,
    which is the same in every call."""

    def __init__(self, tracer, inputs, result):
        self._containers = Containers(result, _is_sparse)
        paths, _ = tree_flatten_with_path(result, is_leaf=_is_sparse)
        self._inputs = inputs
        #: The name, the value and the type of each output of the network.
        self.values = []
        self._leaves = []
        for path, leaf in paths:
            if isinstance(leaf, SparseTensor):
                leaf = self._take_sparse(tracer, _name_path(path), leaf)
            elif is_traced(leaf):
                leaf = self._take(tracer, _name_path(path) or "result", leaf)
            self._leaves.append(leaf)
        if not self.values:
            raise ArgumentError("the model returns nothing that depends on its inputs")
        #: Whether `make`, or a container that a user has registered, may look at the results.
        self.reads_results = not self._containers.are_plain or any(
            isinstance(leaf, _SparseOutput) and leaf.reads_results for leaf in self._leaves
        )

    def _take(self, tracer, name, tensor):
        """An output of the network, as its number."""
        if not isinstance(tensor, torch.Tensor):
            raise ArgumentError("the model returns a number of rows, which only a run has")
        self.values.append((name, tracer.get_name(tensor), tracer.get_type(tensor)))
        return _Output(len(self.values) - 1)

    def _take_sparse(self, tracer, prefix, tensor):
        source, template = self._inputs.find_source(tensor), copy.copy(tensor)
        starts = isinstance(tensor, RowTensor) and tensor.keeps_points
        with tracer:  # coordinates may have to be computed
            coords = tensor.indices if starts else tensor.set.coordinates
        values = [
            self._take(tracer, _join(prefix, "features"), tensor.features),
            self._take(tracer, _join(prefix, "coordinates"), coords),
        ]
        if not starts and tensor._row_of is not None and source is None:
            values.append(self._take(tracer, _join(prefix, "row_of"), tensor._row_of))
        name = None if starts else tensor.set.name
        place = tensor.stride, self._take_shape(tracer, prefix, tensor.get_shape()), name
        batch_size = self._take_count(tracer, prefix, "batch_size", tensor._batch_size)
        key = id(tensor.given) if _is_given(tensor) else id(tensor.cache)
        keeps = tensor.keeps_points
        template.features = template.set = template.cache = template._row_of = None
        return _SparseOutput(template, values, source, place, batch_size, keeps, key)

    def _take_count(self, tracer, prefix, name, count):
        """A number that is known, or an output of the network."""
        if is_traced(count):
            return self._take(tracer, _join(prefix, name), count)
        return int.__index__(count) if isinstance(count, int) else count

    def _take_shape(self, tracer, prefix, shape):
        if not isinstance(shape, DeviceShape):
            return shape
        names = (f"shape.{axis}" for axis in range(len(shape)))
        cells = zip(names, shape.cells)
        return DeviceShape(self._take_count(tracer, prefix, *cell) for cell in cells)

    def make(self, results, leaves):
        """What a call returns, from the results of the network and the leaves of the
        call's arguments."""
        caches, made = {}, []
        for leaf in self._leaves:
            if isinstance(leaf, _SparseOutput):
                leaf = leaf.make(results, leaves, caches)
            elif isinstance(leaf, _Output):
                leaf = results[leaf.number]
            made.append(leaf)
        return self._containers.put(made)


@dataclasses.dataclass
class _Output:
    number: int


def _find_count(count, results):
    return results[count.number] if isinstance(count, _Output) else count


@dataclasses.dataclass
class _SparseOutput:
    template: SparseTensor
    #: Features, coordinates, and where it has them the rows of points.
    values: list
    #: The number of the leaf of the arguments that has the same set, or None.
    source: Optional[int]
    #: Its stride, its shape, and the name of its set; None where it starts anew.
    place: tuple
    #: Its batch size. This and the cells of the shape may be `_Output`s.
    batch_size: Any
    #: Whether its rows are in the order of points.
    keeps: bool
    #: What tensors with one cache have in common.
    cache: int

    @property
    def reads_results(self):
        """Whether `make` computes an order of rows."""
        return self.keeps and self.source is None and self.place[2] is not None

    def make(self, results, leaves, caches):
        features, coords, *row_of = (results[value.number] for value in self.values)
        if self.source is not None:
            return leaves[self.source]._replace(features)
        # What copy.copy does takes four times as long.
        made = object.__new__(type(self.template))
        made.__dict__.update(self.template.__dict__)
        stride, shape, name = self.place
        made._batch_size = _find_count(self.batch_size, results)
        if isinstance(shape, DeviceShape):
            shape = DeviceShape(_find_count(cell, results) for cell in shape.cells)
        if name is None:
            made.start(features, coords, stride, shape, made._batch_size)
            made.share(caches.setdefault(self.cache, made.given))
            return made
        cache = caches.setdefault(self.cache, Cache())
        if name not in cache.sets:
            rows = ()
            if self.keeps:
                order = torch.argsort(row_of[0]).int()
                coords, rows = coords.index_select(0, order), (order, row_of[0])
            cache.sets[name] = CoordinateSet(coords, stride, shape, name, *rows)
        made.set, made.cache, made.features = cache.sets[name], cache, features
        made._row_of = row_of[0] if row_of else None
        return made
