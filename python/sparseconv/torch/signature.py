# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled module takes and returns, and what stands for it in its network."""

import copy
import dataclasses
import inspect
from typing import Optional

import torch
from torch.utils._pytree import tree_flatten, tree_flatten_with_path, tree_unflatten

from ..errors import ArgumentError
from .rows import RowTensor
from .tensor import Cache, CoordinateSet, SparseTensor
from .tracing.text import tensor_type
from .tracing.tracer import is_traced
from .tracing.values import Rows


class _Noted(int):
    """A number that remembers whether somebody has read it."""

    is_read = False

    def __int__(self):
        self.is_read = True
        return int.__index__(self)


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


def _find_key(leaf):
    """What inputs of one number of rows have in common."""
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
        self._leaves, self._spec = self._flatten(args)
        self._names = self._name_leaves(model, args)
        self._groups = {}
        for number, leaf in enumerate(self._leaves):
            if isinstance(leaf, torch.Tensor) and not leaf.dim():
                self._refuse(number, "tensors with axes", "one without")
            if isinstance(leaf, (SparseTensor, torch.Tensor)):
                key = _find_key(leaf)
                self._groups.setdefault(key, _Group(key)).members.append(number)
        if not self._groups:
            raise ArgumentError("expects an example with a tensor")
        #: The sparse tensors whose rows keep an order of their own.
        self._ordered = {
            number
            for number, leaf in enumerate(self._leaves)
            if isinstance(leaf, SparseTensor) and leaf.keeps_points
        }
        self._firsts = {group.members[0] for group in self._groups.values()}
        self._leaves = self._drop_data()
        #: Of the last trace: the batch size and the set of each sparse tensor.
        self._batch_sizes, self._sets = {}, {}

    @staticmethod
    def _flatten(args):
        return tree_flatten(args, is_leaf=lambda x: isinstance(x, SparseTensor))

    @staticmethod
    def _name_leaves(model, args):
        """The name of the parameter of each leaf, and where it is in it."""
        parameters = list(inspect.signature(model.forward).parameters)
        paths, _ = tree_flatten_with_path(args, is_leaf=lambda x: isinstance(x, SparseTensor))
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
                made = copy.copy(leaf)
                made._batch_size, made._row_of = leaf.batch_size, None
                made.features = leaf.features.detach()[:0]
                made.set, made.cache = _make_set(leaf.set, leaf.coordinates[:0])
                leaves[number] = made
            elif isinstance(leaf, torch.Tensor):
                leaves[number] = leaf.detach()[:0]
        return leaves

    # Stand-ins ----------------------------------------------------------------

    def make_stand_ins(self, tracer):
        """The arguments for a trace; writes the arguments of the network."""
        leaves, sets = list(self._leaves), {}
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
        return tree_unflatten(leaves, self._spec)

    def _stand_in(self, tracer, group):
        """Tensors for the members of a group: of a sparse tensor its coordinates and
        its features."""
        members = [self._leaves[number] for number in group.members]
        if isinstance(members[0], SparseTensor):
            coords, *features = tracer.make_stand_ins(
                [members[0].coordinates, *(member.features for member in members)]
            )
            return {n: (group.key, coords, f) for n, f in zip(group.members, features)}
        return dict(zip(group.members, tracer.make_stand_ins(members)))

    @staticmethod
    def _write(tracer, name, tensor):
        value = Rows(tracer.text.add_argument(name, tracer.get_type(tensor)))
        tracer.bind(tensor, value)
        return value.name

    def _write_sparse(self, tracer, prefix, number, stand_ins, sets):
        """Points in any order come into set order first."""
        leaf, (key, coords, features) = self._leaves[number], stand_ins[number]
        type = tracer.get_type(coords)
        if key not in sets:
            points = tracer.text.add_argument(_join(prefix, "points"), type)
            made, order, row_of = tracer.emit_pack(points, type, leaf.stride)
            tracer.bind(coords, made)
            if number in self._ordered:
                rows = tracer.make_like(coords, shape=coords.shape[:1])
                tracer.bind(rows, Rows(row_of))
                tracer.note_points(coords, rows)
            sets[key] = *_make_set(leaf.set, coords), order, _Noted(leaf.batch_size)
        found, cache, order, batch_size = sets[key]
        argument = tracer.text.add_argument(
            _join(prefix, "features"), tracer.get_type(features)
        )
        line = (
            f"sparseconv.gather {argument}, {order} : {tracer.get_type(features)}, "
            f"{tensor_type([None], 'i32')} -> {tracer.get_type(features)}"
        )
        tracer.bind(features, Rows(tracer.text.emit_value(line)))
        made = copy.copy(leaf)
        made.features, made.set, made.cache = features, found, cache
        made._batch_size = self._batch_sizes[number] = batch_size
        self._sets[number] = found
        return made

    def find_source(self, tensor):
        """The first leaf with the set of a tensor, or None."""
        return next((n for n, found in self._sets.items() if found is tensor.set), None)

    # Calls --------------------------------------------------------------------

    def read(self, args):
        """The tensors that a call brings to the network, and the leaves of its
        arguments."""
        leaves, spec = self._flatten(args)
        if spec != self._spec:
            counts = f"{self._spec.num_leaves}", f"{spec.num_leaves}"
            raise ArgumentError(
                f"expects arguments in containers as in the example, {counts[0]} in all, "
                f"but found others, {counts[1]} in all"
            )
        tensors = []
        for number, (leaf, expected) in enumerate(zip(leaves, self._leaves)):
            kind = torch.Tensor if isinstance(expected, torch.Tensor) else type(expected)
            if not isinstance(leaf, kind):
                self._refuse(number, f"a {kind.__name__}", f"a {type(leaf).__name__}")
            if isinstance(expected, SparseTensor):
                tensors += self._read_sparse(number, leaf, expected)
            elif isinstance(expected, torch.Tensor):
                tensors.append(leaf)
            elif leaf != expected:
                self._refuse(number, repr(expected), repr(leaf))
        self._check_groups(leaves)
        return tensors, leaves

    def _refuse(self, number, expected, found):
        raise ArgumentError(
            f"{self._names[number]}: expects {expected}, as in the example, but found {found}"
        )

    def _read_sparse(self, number, leaf, expected):
        for what in ("stride", "spatial_shape"):
            if getattr(leaf, what) != getattr(expected, what):
                self._refuse(
                    number, f"the {what} {getattr(expected, what)}", getattr(leaf, what)
                )
        keeps = number in self._ordered
        if leaf.keeps_points != keeps:
            rows = "rows in set order", "rows in the order of points"
            self._refuse(number, rows[keeps], rows[not keeps])
        noted = self._batch_sizes.get(number)
        if noted is not None and noted.is_read and leaf._batch_size not in (None, noted):
            self._refuse(number, f"the batch size {noted}", leaf._batch_size)
        is_first = number in self._firsts
        return [leaf.coordinates, leaf.features] if is_first else [leaf.features]

    def _check_groups(self, leaves):
        """That what had one number of rows in the example has so now."""
        for group in self._groups.values():
            first = leaves[group.members[0]]
            for number in group.members[1:]:
                leaf, name = leaves[number], self._names[group.members[0]]
                if isinstance(leaf, SparseTensor):
                    if not leaf.has_set_of(first):
                        self._refuse(number, f"the coordinates of {name}", "others")
                elif leaf.shape[:1] != first.shape[:1]:
                    rows = [", ".join(map(str, t.shape[:1])) for t in (first, leaf)]
                    self._refuse(number, f"{rows[0]} rows, which {name} has", rows[1])


class Outputs:
    """What a module returns: sparse tensors, tensors, in containers, and anything else,
    which is the same in every call."""

    def __init__(self, tracer, inputs, result):
        is_leaf = lambda x: isinstance(x, SparseTensor)  # noqa: E731
        paths, self._spec = tree_flatten_with_path(result, is_leaf=is_leaf)
        self._inputs = inputs
        #: The name, the value and the type of each output of the network.
        self.values = []
        self._leaves = []
        for path, leaf in paths:
            if isinstance(leaf, SparseTensor):
                leaf = self._take_sparse(tracer, _name_path(path), leaf)
            elif is_traced(leaf):
                leaf = tracer.restore_order(leaf) if isinstance(leaf, torch.Tensor) else leaf
                leaf = self._take(tracer, _name_path(path) or "result", leaf)
            self._leaves.append(leaf)
        if not self.values:
            raise ArgumentError("the model returns nothing that depends on its inputs")

    def _take(self, tracer, name, tensor):
        """An output of the network, as its number."""
        if not isinstance(tensor, torch.Tensor):
            raise ArgumentError("the model returns a number of rows, which only a run has")
        self.values.append((name, tracer.get_name(tensor), tracer.get_type(tensor)))
        return _Output(len(self.values) - 1)

    def _take_sparse(self, tracer, prefix, tensor):
        features = tracer.restore_order(tensor.features)
        features = self._take(tracer, _join(prefix, "features"), features)
        coords = self._take(tracer, _join(prefix, "coordinates"), tensor.coordinates)
        row_of = tensor._row_of
        if isinstance(tensor, RowTensor):
            row_of = tracer.find_row_of(tensor.coordinates)
        if row_of is not None:
            row_of = self._take(tracer, _join(prefix, "row_of"), row_of)
        source = self._inputs.find_source(tensor)
        template = copy.copy(tensor)
        template.features = template.set = template.cache = template._row_of = None
        if template._batch_size is not None:
            template._batch_size = int.__index__(template._batch_size)
        place = tensor.set.stride, tensor.set.shape, tensor.set.name
        return _SparseOutput(
            template, features, coords, row_of, source, place, id(tensor.cache)
        )

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
        return tree_unflatten(made, self._spec)


@dataclasses.dataclass
class _Output:
    number: int


@dataclasses.dataclass
class _SparseOutput:
    template: SparseTensor
    features: _Output
    coords: _Output
    row_of: Optional[_Output]
    #: The number of the leaf of the arguments that has the same set, or None.
    source: Optional[int]
    place: tuple
    cache: int

    def make(self, results, leaves, caches):
        made = copy.copy(self.template)
        made.features = results[self.features.number]
        row_of = None if self.row_of is None else results[self.row_of.number]
        if self.source is not None:
            x = leaves[self.source]
            if isinstance(x, RowTensor):
                return x.replace(made.features)
            made.set, made.cache, made._row_of = x.set, x.cache, x._row_of
            made._batch_size = x._batch_size
            return made
        made.cache = caches.setdefault(self.cache, Cache())
        stride, shape, name = self.place
        if name not in made.cache.sets:
            rows = (None, None)
            if row_of is not None and isinstance(made, RowTensor):
                rows = torch.argsort(row_of).int(), row_of
            coords = results[self.coords.number]
            made.cache.sets[name] = CoordinateSet(coords, stride, shape, name, *rows)
        made.set = made.cache.sets[name]
        if row_of is not None:
            made._row_of = row_of
        return made
