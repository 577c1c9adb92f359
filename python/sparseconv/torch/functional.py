# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of sparse tensors."""

import math

import torch

from ..errors import ArgumentError, count, shorten
from . import ops, sets
from .caches import Cache, CoordinateSet
from .encodings import trust_set
from .tensor import SparseTensor, check_sparse, check_torch, repeat


def _read_tensors(tensors, what):
    """Sparse tensors as a list of at least one."""
    if isinstance(tensors, (SparseTensor, torch.Tensor)) or not hasattr(tensors, "__iter__"):
        raise ArgumentError(
            f"{what}: expects a list of sparse tensors, but found {type(tensors).__name__}"
        )
    tensors = list(tensors)
    if not tensors:
        raise ArgumentError(f"{what}: expects at least one tensor")
    for x in tensors:
        check_sparse(what, x)
    return tensors


def cat(tensors):
    """Tensors at the same coordinates as one, channel after channel: [rows, C1] and
    [rows, C2] become [rows, C1 + C2]. Tensors at other coordinates are an
    `ArgumentError`.

        y = sct.cat([x, block(x)])
    """
    tensors = _read_tensors(tensors, "cat")
    first = tensors[0]
    for other in tensors[1:]:
        if not first.has_set_of(other):
            raise ArgumentError("cat: expects the coordinates of all tensors to be the same set")
    return first.replace(torch.cat([tensor.features for tensor in tensors], 1))


def _start(like, coords, features, how):
    """A tensor at coordinates that no layer can find again: with sets of its own."""
    made = like._make(features, None)
    name = ((how, like.stride, like.set.shape),)
    made.cache = Cache()
    made.set = CoordinateSet(coords, like.stride, like.set.shape, name)
    made.cache.sets[name] = made.set
    return made


def union(lhs, rhs):
    """The sum of two tensors, at the coordinates of either: a row that one of them has not
    counts as zeros. They have one stride, spatial shape and number of channels; others are an
    `ArgumentError`. Of two types it has the one that torch's `+` gives.

        y = sct.union(x, other)
    """
    for x in (lhs, rhs):
        check_sparse("union", x)
    if lhs.stride != rhs.stride or lhs.get_shape() != rhs.get_shape():
        raise ArgumentError(
            f"union: expects one stride and shape, but found {lhs.stride} and {rhs.stride}, "
            f"{lhs.spatial_shape} and {rhs.spatial_shape}"
        )
    channels, others = lhs.features.shape[1], rhs.features.shape[1]
    if channels != others:
        raise ArgumentError(
            f"union: expects one number of channels, but found {channels} and {others}"
        )
    coords, lhs_rows, rhs_rows = sets.union(
        lhs.set.coords, rhs.set.coords, list(lhs.stride)
    )
    # Rows of one side are distinct, so that no order of additions changes the bits.
    dtype = torch.promote_types(lhs.dtype, rhs.dtype)
    total = lhs.features.new_zeros((coords.shape[0], channels), dtype=dtype)
    for x, rows in ((lhs, lhs_rows), (rhs, rhs_rows)):
        total = total.index_add(0, rows, x.sort(x.features).to(dtype))
    made = _start(lhs, coords, total, "union")
    sizes = lhs._batch_size, rhs._batch_size
    made._batch_size = None if None in sizes else max(sizes)
    return made


def collate(tensors):
    """Tensors as one batch, the items of each behind those of the tensor before it:
    what a DataLoader takes as `collate_fn`.

        loader = DataLoader(scans, batch_size=8, collate_fn=sct.collate)

    Rows of the result are in set order, `to_points` gives those of all points.
    Features have one type and number of channels, and the tensors one stride,
    spatial shape and device, and batch indices below their batch size; otherwise it is
    an `ArgumentError`."""
    tensors = _read_tensors(tensors, "collate")

    def describe(x):
        return x.stride, x.get_shape(), x.features.shape[1], x.dtype, x.device

    first = tensors[0]
    coords, rows_of, num_rows, num_items = [], [], 0, 0
    for x in tensors:
        if describe(x) != describe(first):
            raise ArgumentError(
                "collate: expects one stride, spatial shape, number of channels, type and "
                f"device, but found {describe(first)} and {describe(x)}"
            )
        found = x.set.coords
        if found.shape[0] and int(found[-1, 0]) >= x.get_batch_size():
            raise ArgumentError(
                f"collate: expects batch indices below {x.get_batch_size()}, as the tensor "
                f"says, but found {int(found[-1, 0])}"
            )
        coords.append(found + found.new_tensor([num_items] + [0] * x.ndim))
        if x._row_of is not None:
            rows_of.append(x._row_of + num_rows)
        num_rows += found.shape[0]
        num_items += x.get_batch_size()
    features = torch.cat([x.sort(x.features) for x in tensors])
    # Distinct and in order, as the items of one tensor come behind those of another.
    made = _start(first, trust_set(torch.cat(coords)), features, "collate")
    made._row_of = torch.cat(rows_of) if len(rows_of) == len(tensors) else None
    made._batch_size = num_items
    return made


def prune(x, mask):
    """The rows of a tensor where a mask is true: bools [rows], in the order of the rows.
    Another shape or type is an `ArgumentError`. Items of the batch stay, also those that
    lose all rows.

        y = sct.prune(x, x.features[:, 0] > 0)
    """
    check_sparse("prune", x)
    check_torch("prune", mask)
    if mask.dtype != torch.bool or mask.shape != x.features.shape[:1]:
        raise ArgumentError(
            f"prune: expects a mask of {count(x.features.shape[0], 'bool')}, but found "
            f"{tuple(mask.shape)} of {mask.dtype}"
        )
    rows = x.sort(mask).nonzero().squeeze(1)
    batch_size = x.get_batch_size()  # items stay, also those that lose all rows
    features = x.sort(x.features).index_select(0, rows)
    made = _start(x, x.set.coords.index_select(0, rows), features, "prune")
    made._batch_size = batch_size
    return made


def to_dense(x, spatial_shape=None, channels_last=False):
    """The features as a dense tensor of torch [batch, channels, cells ...], with zeros
    where there is no row.

    x              a `SparseTensor`
    spatial_shape  the cells of the grid on each axis; by default those of `x`
    channels_last  whether the grid is [batch, cells ..., channels]

    The grid begins at the coordinate 0. A row outside of it is an `Error`: on a GPU that
    of a later call, or of `check`. No spatial shape at all is an `ArgumentError`.

        grid = sct.to_dense(x, spatial_shape=(64, 64, 32))
    """
    check_sparse("to_dense", x)
    shape = x.get_shape() if spatial_shape is None else repeat(spatial_shape, x.ndim, "to_dense")
    if shape is None:
        raise ArgumentError("to_dense: expects a spatial_shape, as the tensor has none")
    features = x.sort(x.features)
    grid = ops.to_dense(features, x.set.coords, list(x.stride), [x.get_batch_size(), *shape])
    return grid if channels_last else grid.movedim(-1, 1)


def _read_lengths(lengths, points, what, are_sizes=False):
    """A number for all axes or one for each, as a tensor beside points. Sizes are above 0."""
    dim = points.shape[1] - 1
    expected = f"voxelise: expects {what} as one number or {dim}"
    try:
        made = torch.as_tensor(lengths, dtype=points.dtype, device=points.device)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentError(f"{expected}, but found {shorten(repr(lengths))}") from error
    if made.dim() > 1 or made.numel() not in (1, dim):
        raise ArgumentError(f"{expected}, but found the shape {tuple(made.shape)}")
    # Tensors are not read: that would wait for a GPU, and no graph has their numbers.
    if not isinstance(lengths, torch.Tensor):
        numbers = list(map(float, lengths)) if made.dim() else [float(lengths)]
        if not all(math.isfinite(n) and (n > 0 or not are_sizes) for n in numbers):
            kind = "finite sizes above 0" if are_sizes else "finite numbers"
            raise ArgumentError(f"voxelise: expects {what} of {kind}, but found {lengths!r}")
    return made


def voxelise(features, points, voxel_size, origin=None, *, spatial_shape=None,
             batch_size=None, reduce="avg"):  # fmt: skip
    """A `SparseTensor` of the voxels that hold points in space.

    features       [points, channels]
    points         [points, 1 + D] of floats: a batch index, and coordinates in any unit
    voxel_size     the size of a voxel in that unit: one for all axes or one for each
    origin         where the voxel 0 begins, in that unit; by default at 0
    spatial_shape  the voxels of the grid on each axis, as for `SparseTensor`
    batch_size     by default one more than the highest batch index
    reduce         what becomes of points in one voxel: "avg", "sum" or "first"

    Arguments of other shapes and types are an `ArgumentError`, and so are sizes that are not
    above 0, unless they come in a tensor, which is not read. A point that is not finite or
    is too far away is an `Error`, as a coordinate is that is out of range.

        x = sct.voxelise(scan, torch.nn.functional.pad(scan[:, :3], (1, 0)), 0.05)
    """
    check_torch("points", points)
    if points.dim() != 2 or not 2 <= points.shape[1] <= 5 or not points.is_floating_point():
        raise ArgumentError(
            "voxelise: expects points [points, 1 + D] of floats, of 1 to 4 axes, but found "
            f"{tuple(points.shape)} in {points.dtype}"
        )
    # As an integer a nan is 0 on a GPU, and nobody would be told; what is infinite stays
    # out of range.
    points = torch.where(points == points, points, torch.inf)
    if points.element_size() < 4:
        points = points.float()  # half the points would be in another voxel
    places = points[:, 1:]
    size = _read_lengths(voxel_size, points, "voxel_size", are_sizes=True)
    if origin is not None:
        places = places - _read_lengths(origin, points, "an origin")
    cells = torch.floor(places / size).to(torch.int32)
    coordinates = torch.cat([points[:, :1].to(torch.int32), cells], 1)
    return SparseTensor(features, coordinates, spatial_shape, batch_size, reduce=reduce)


def _check_mode(mode, what):
    if mode not in ops.MODES:
        known = " or ".join(map(repr, ops.MODES))
        raise ArgumentError(f"{what}: expects the mode {known}, but found {mode!r}")


def devoxelise(x, points, mode="trilinear"):
    """Features at points in space, [points, channels].

    x       the `SparseTensor` that has the features
    points  [points, 1 + D] in f32: a batch index, and coordinates in units of the finest
            grid
    mode    "nearest" for the features of the voxel that holds a point, "trilinear" to
            interpolate between those around it

    A voxel that is not there counts as zeros. Points have gradients, too: of "nearest" they
    are zeros.

        at_points = sct.devoxelise(net(x), points)
    """
    check_sparse("devoxelise", x)
    _check_mode(mode, "devoxelise")
    return ops.devoxelise(x.sort(x.features), points, x.set.coords, list(x.stride), mode)


def splat(features, points, like, mode="trilinear"):
    """Adds features at points to the voxels of a tensor: the adjoint of `devoxelise`.

    features  [points, channels]
    points    [points, 1 + D] in f32, as for `devoxelise`
    like      the `SparseTensor` that has the voxels; its features are not read
    mode      "nearest" or "trilinear": how much of a point each voxel takes

    Gives a `SparseTensor` at the coordinates of `like`. What of a point belongs to a voxel
    that is not there is lost.

        y = sct.splat(features, points, like=x)
    """
    check_sparse("splat", like)
    _check_mode(mode, "splat")
    total = ops.voxelise(features, points, like.set.coords, list(like.stride), mode)
    if like.set.row_of is not None:
        total = ops.gather(total, like.set.row_of)
    return like.replace(total)
