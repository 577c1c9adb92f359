# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What drop-ins for other libraries share: tensors whose rows keep their users' order,
and convolutions whose weights keep the shapes of those libraries."""

import torch

from ..errors import ArgumentError
from . import sets
from .caches import Cache, CoordinateSet, extend_name, name_root
from .changes import Handed
from .encodings import trust_copy
from .operands_ir import Layout
from .programs import read_parameter
from .tensor import SparseTensor, count_axes, repeat


class _Given:
    """The coordinates that a user gave for a tensor, in units of its stride. They are
    packed where a layer first needs their set, and shared by all tensors that have
    these rows."""

    def __init__(self, indices, stride, shape):
        self.indices, self.stride, self.shape = indices, stride, shape
        self.set, self.cache = None, Cache()

    def holds(self, other):
        """Whether two tensors were given the same."""
        same = self.indices is other.indices and self.stride == other.stride
        return same and self.shape == other.shape

    def get_set(self):
        if self.set is None:
            points = self.get_points()
            found = self.outline()
            self.take(*sets.pack_distinct(points, list(found.stride)))
        return self.set

    def count_axes(self):
        """The axes of the coordinates, which are looked at."""
        indices = self.indices
        if not isinstance(indices, torch.Tensor) or indices.dim() != 2:
            raise ArgumentError(
                "expects coordinates [rows, 1 + axes], a batch index first, as a tensor"
            )
        return count_axes(indices)

    def get_points(self):
        """The coordinates in units of the finest grid."""
        indices, dim = self.indices, self.count_axes()
        stride = repeat(self.stride, dim, "stride")
        return indices * _scale(indices, stride) if max(stride) > 1 else indices

    def outline(self):
        """The set, still without coordinates."""
        dim = self.indices.shape[1] - 1
        stride = repeat(self.stride, dim, "stride")
        shape = None if self.shape is None else repeat(self.shape, dim, "spatial_shape")
        return CoordinateSet(None, stride, shape, name_root(stride, shape, "points"))

    def take(self, coords, order, row_of):
        """Takes what the coordinates were packed to, and returns the set."""
        found = self.outline()
        found.coords, found.order, found.row_of = coords, order, row_of
        found.handed = Handed(self.indices)
        self.set = self.cache.sets[found.name] = found
        return found


def _scale(indices, stride):
    return torch.tensor((1, *stride), dtype=indices.dtype, device=indices.device)


class RowTensor(SparseTensor):
    """A sparse tensor whose rows keep the order in which they were given, for layers
    that keep coordinates; what a layer at other coordinates makes is in set order.
    Coordinates are in units of the tensor's own stride, in `indices`."""

    #: What tensors of the same coordinates share in graphs of torch.compile.
    FIELDS = ("given", "_set", "cache", "_batch_size")

    def start(self, features, indices, stride, shape, batch_size):
        """Makes the tensor anew, of rows at coordinates in units of the stride."""
        self.features, self._batch_size = features, batch_size
        self.share(_Given(indices, stride, shape))

    def share(self, given):
        """Takes the coordinates, sets and maps of a tensor that was `given` the same."""
        self.given, self._set, self.cache = given, None, given.cache

    def _make(self, features, set):
        made = object.__new__(type(self))
        made.features, made._batch_size = features, self._batch_size
        keeps = self.given is not None and set is not None and set is self.given.set
        made.given = self.given if keeps else None
        made._set, made.cache = set, self.cache
        return made

    def replace(self, features):
        """Other features at the same coordinates. Their number may change where new
        coordinates are set before the next layer."""
        made = object.__new__(type(self))
        if torch.compiler.is_compiling():  # it copies no __dict__ up to torch 2.11
            for name in self.FIELDS:
                if hasattr(self, name):
                    setattr(made, name, getattr(self, name))
        else:
            made.__dict__.update(self.__dict__)
        made.features = features
        return made

    replace_feature = _replace = replace

    @property
    def unpacked(self):
        given = self.given
        return None if given is None or given.set is not None else given

    @property
    def set(self):
        given = self.given
        return self._check_set(self._set if given is None else given.set or given.get_set())

    @set.setter
    def set(self, found):
        self.given, self._set = None, found

    def check_rows(self):
        given = self.unpacked
        coords = self.set.coords if given is None else given.indices
        self._expect_rows(coords.shape[0])

    @property
    def ndim(self):
        # A first set is made with others, and not for this.
        given = self.given
        found = self._set if given is None else given.set
        return given.count_axes() if found is None else len(found.stride)

    @property
    def _row_of(self):
        return self.set.row_of

    @_row_of.setter
    def _row_of(self, row_of):
        pass  # the set has it

    @property
    def indices(self):
        """The coordinates of the rows, in units of the stride."""
        if self.given is not None:
            return self.given.indices
        found = self._set
        if found.handed is None:
            indices = found.coordinates
            if max(found.stride) > 1:
                indices = torch.div(
                    indices, _scale(indices, found.stride), rounding_mode="floor"
                )
            found.handed = Handed(indices)
        return found.handed.indices

    @indices.setter
    def indices(self, indices):
        self.start(self.features, indices, self.stride, self.get_shape(), self._batch_size)

    @property
    def coordinates(self):
        if self.given is None:
            return self._set.show()
        indices = self.given.indices
        return indices * _scale(indices, self.stride) if max(self.stride) > 1 else indices

    @property
    def keeps_points(self):
        return self.given is not None or self._set.order is not None

    @property
    def spatial_shape(self):
        return self.get_shape()

    @property
    def stride(self):
        return self._set.stride if self.given is None else self.given.stride

    def get_shape(self):
        return self._set.shape if self.given is None else self.given.shape

    def adopt(self, other_given, cache):
        """Takes the sets and maps of another tensor, or what it was given, where that has
        the coordinates of this one."""
        mine = self.given
        if mine is None or cache is self.cache:
            return
        if other_given is not None and other_given.holds(mine):
            self.share(other_given)
            self.cache = cache
            return
        for known in cache.sets.values():
            other = RowTensor.at(known, cache)
            if known.num_rows == len(mine.indices) and known.shape == mine.shape:
                if other.indices is mine.indices or torch.equal(other.indices, mine.indices):
                    self.given, self._set, self.cache = None, known, cache
                    return

    @staticmethod
    def at(known, cache):
        """A tensor without features at a set, for its coordinates."""
        tensor = object.__new__(RowTensor)
        tensor.features = tensor._batch_size = tensor.given = None
        tensor._set, tensor.cache = known, cache
        return tensor

    def refine(self, factors):
        """The same tensor with coordinates that are multiples of more, for layers that
        go below the resolution of their input. It has new sets."""
        fine = self.set
        stride = tuple(s * f for s, f in zip(fine.stride, factors))
        coords = trust_copy(fine.coords * _scale(fine.coords, factors), fine.coords)
        name = extend_name(fine.name, "refined", factors)
        made = self._make(self.features, None)
        made.cache = Cache()
        made._set = CoordinateSet(coords, stride, fine.shape, name, fine.order, fine.row_of)
        made.cache.sets[name] = made._set
        return made

    def check_rows_of(self, other, what):
        """That another tensor has the same coordinates, row by row."""
        same = self is other or self.given is not None and self.given is other.given
        if same or self.has_set_of(other):
            return
        mine, others = self.indices, other.indices
        if mine.shape != others.shape or not torch.equal(mine, others):
            raise ArgumentError(
                f"{what}: expects tensors at the same coordinates in the same order; {self.UNION}"
            )

    def __add__(self, other):
        if isinstance(other, torch.Tensor):
            return self.replace(self.features + other)
        if not isinstance(other, RowTensor):
            return NotImplemented
        self.check_rows_of(other, "+")
        return self.replace(self.features + other.features)


class KeepsLayout:
    """A convolution whose parameter has another library's shape."""

    #: The layout in a tuple, once it has been asked for.
    _layout = ()

    def convert_weight(self, weight):
        """The parameter as [offsets, in, out]."""
        raise NotImplementedError

    def get_kernel(self):
        return self.convert_weight(read_parameter(self, self.weight_name))

    def find_layout(self):
        """What the parameter is converted from, as an `operands_ir.Layout`; None for none."""
        raise NotImplementedError

    @property
    def layout(self):
        if not self._layout:
            self._layout = (self.find_layout(),)
        return self._layout[0]

    def make_layout(self, grid, axes):
        weights = self.window.volume, self.in_channels, self.out_channels, 1
        return Layout(self.get_weight_shape(), grid, axes, weights)
