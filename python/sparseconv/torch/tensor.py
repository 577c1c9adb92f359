# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse tensors."""

import operator

import torch
from torch._subclasses import FakeTensor
from torch.utils._pytree import GetAttrKey, register_pytree_node

from ..errors import ArgumentError, count
from . import ops, sets
from .caches import Cache, CoordinateSet, name_root
from .programs import get_dtype
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


def check_torch(what, tensor):
    """Raises an error where an array of another library was given, which has other methods."""
    if not isinstance(tensor, torch.Tensor):
        raise ArgumentError(
            f"{what}: expects a tensor of torch, but found {describe_type(tensor)}"
        )


def describe_type(value):
    """What an argument is that is none of torch's: `numpy.ndarray`, `list`."""
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    return kind.__name__ if library == "builtins" else f"{library}.{kind.__name__}"


def count_axes(coordinates):
    """The axes of coordinates, which layers take in this form only."""
    check_torch("coordinates", coordinates)
    if coordinates.dtype != torch.int32 or coordinates.dim() != 2:
        raise ArgumentError(
            "expects coordinates [rows, 1 + D] in int32, but found "
            f"{tuple(coordinates.shape)} in {coordinates.dtype}"
        )
    dim = coordinates.shape[1] - 1
    if not 1 <= dim <= 4:
        raise ArgumentError(f"expects coordinates of 1 to 4 axes, but found {dim}")
    return dim


def make_tree(kind):
    """A decorator of a class of sparse tensors, which torch's functions of nested containers
    take for one around the features. DistributedDataParallel and fully_shard look for the
    tensors that a module returns this way."""

    def flatten(x):
        return [x.features], x._replace(None)

    def flatten_with_keys(x):
        return [(GetAttrKey("features"), x.features)], x._replace(None)

    def unflatten(leaves, bare):
        (features,) = leaves
        if isinstance(features, FakeTensor):
            raise ArgumentError(
                f"{kind.__name__}: torch.export would keep the coordinates of this tensor; "
                "export a module that takes features and coordinates, and makes the sparse "
                "tensor of them"
            )
        return bare._replace(features)

    register_pytree_node(kind, flatten, unflatten, flatten_with_keys_fn=flatten_with_keys)
    return kind


@make_tree
class SparseTensor:
    """Features at coordinates.

    features       [points, channels]
    coordinates    [points, 1 + D] in int32: a batch index and 1 to 4 axes
    spatial_shape  the cells of the grid on each axis; None where it has no borders.
                   Where it has, strided layers make no output outside of it
    batch_size     the number of items, by default one more than the highest batch index
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
    fit are an `ArgumentError`; a coordinate that is out of range is an `Error`: at once on a
    CPU, on a GPU in a later call, or in `check`.

        points = torch.tensor([[0, 5, 5, 5], [0, 5, 5, 6], [1, 2, 3, 4]], dtype=torch.int32)
        x = sct.SparseTensor(torch.randn(3, 16), points, batch_size=2)
    """

    def __init__(self, features, coordinates, spatial_shape=None, batch_size=None, *,
                 stride=1, reduce="first", rows="set"):  # fmt: skip
        dim = count_axes(coordinates)
        check_torch("features", features)
        if features.dim() != 2 or features.shape[0] != coordinates.shape[0]:
            raise ArgumentError(
                f"expects features of {count(coordinates.shape[0], 'row')}, as the coordinates "
                f"have, but found the shape {tuple(features.shape)}"
            )
        if rows not in ("set", "points") or (rows == "points" and reduce != "first"):
            raise ArgumentError(
                f"rows: expects 'set', or 'points' without reduce, but found {rows!r}"
            )
        if batch_size is not None and (read_integer(batch_size) is None or batch_size < 0):
            raise ArgumentError(f"batch_size: expects a number of items, but found {batch_size!r}")
        stride = repeat(stride, dim, "stride")
        shape = None if spatial_shape is None else repeat(spatial_shape, dim, "spatial_shape")
        pack = sets.pack_distinct if rows == "points" else sets.pack
        coords, order, row_of = pack(coordinates, list(stride))
        name = name_root(stride, shape, rows)
        self.cache = Cache()
        if rows == "points":
            self._set = CoordinateSet(coords, stride, shape, name, order, row_of)
            self.features = features
        else:
            self._set = CoordinateSet(coords, stride, shape, name)
            self.features = _reduce(features, coords.shape[0], order, row_of, reduce)
        self.cache.sets[name] = self._set
        # Not by the property, which torch.compile would set before there is a cache.
        self.cache.rows_of[name] = row_of
        self._batch_size = batch_size

    @property
    def set(self):
        """Its coordinates for layers, which look for their maps by it. Coordinates that a
        user has changed in place, and features of other rows, are an error."""
        return self._check_set(self._set)

    @set.setter
    def set(self, found):
        self._set = found

    def _check_set(self, found):
        # Each layer asks for a set, so that this calls nothing where all is as it should be.
        if found.shown is not None or found.handed is not None:
            found.check()
        if self.features.shape[0] != found.coords.shape[0]:
            self._expect_rows(found.num_rows)
        return found

    def _expect_rows(self, number):
        if self.features.shape[0] != number:
            raise ArgumentError(
                f"expects features of {count(number, 'row')}, as the coordinates have, but found "
                f"{self.features.shape[0]}"
            )

    @property
    def _row_of(self):
        """The row of each point, wherever a tensor is at the coordinates of points; or
        None."""
        return self.cache.rows_of.get(self._set.name)

    @_row_of.setter
    def _row_of(self, row_of):
        if row_of is not None:
            self.cache.rows_of[self._set.name] = row_of

    @property
    def unpacked(self):
        """What the first set is to be made of, where that has not been asked for yet."""
        return None

    def _make(self, features, set):
        made = object.__new__(type(self))
        made.features, made._set, made.cache = features, set, self.cache
        made._batch_size = self._batch_size
        return made

    def replace(self, features):
        """Other features at the same coordinates: a tensor [rows, channels] with as many
        rows, in the order of `coordinates`. Another number of rows is an `ArgumentError`.
        `replace_feature` is the same.

            y = x.replace(torch.relu(x.features))
        """
        made = self._replace(features)
        made._expect_rows(self._set.num_rows)
        return made

    replace_feature = replace

    def _replace(self, features):
        """The same without a look at their rows, which may not be there yet."""
        return self._make(features, self._set)

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
        made.set = made.cache.sets[made._set.name]
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
        return self._set.show()

    @property
    def keeps_points(self):
        """Whether rows are in the order of points, not in set order."""
        return self._set.order is not None

    @property
    def spatial_shape(self):
        """The number of cells on each axis, or None where the grid has no borders. A cell
        is `stride` units of the finest grid."""
        return self.get_shape()

    def get_shape(self):
        """The same for layers: numbers, or a `DeviceShape` of a tensor under another library's
        name."""
        return self._set.shape

    @property
    def stride(self):
        """The size of a cell on each axis, in units of the finest grid."""
        return self._set.stride

    @property
    def ndim(self):
        """The number of axes, 1 to 4, the batch index left out."""
        return self._set.dim

    def dim(self):
        """What norms of torch ask a tensor that they are given: raises an error that says
        what they take."""
        raise ArgumentError(
            f"expects features, but found {type(self).__name__}: put the module into a "
            "sparseconv.torch.SparseSequential, or call it with x.features"
        )

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
        size = f"{count(rows, 'row')}, {count(channels, 'channel')}"
        return f"SparseTensor({size}, stride {self.stride})"


def _reduce(features, num_rows, order, row_of, kind):
    """The features of each row of a set, from those of its points."""
    if kind == "first":
        return features.index_select(0, order)
    if kind not in ("sum", "avg"):
        raise ArgumentError(f"reduce: expects 'first', 'sum' or 'avg', but found {kind!r}")
    get_dtype(features)
    if kind == "sum":
        return ops.scatter(features, row_of, num_rows)
    # A sum, and a count, may be beyond f16, and are rounded once divided.
    total = ops.scatter(features.float(), row_of, num_rows)
    ones = torch.ones((features.shape[0], 1), dtype=torch.float32, device=features.device)
    return (total / ops.scatter(ones, row_of, num_rows)).to(features.dtype)


def check_sparse(what, x):
    """Raises an error where what a function was given is no sparse tensor."""
    if not isinstance(x, SparseTensor):
        raise ArgumentError(f"{what}: expects a sparse tensor, but found {type(x).__name__}")


def check_input(layer, x, dim=None):
    """Raises an error where what a layer was given is no sparse tensor, or one of another
    number of axes."""
    if not isinstance(x, SparseTensor):
        check_sparse(type(layer).__name__, x)
    if dim is not None and x.ndim != dim:
        raise ArgumentError(
            f"{type(layer).__name__}: expects a tensor of {count(dim, 'axis', 'axes')}, "
            f"but found {x.ndim}"
        )
