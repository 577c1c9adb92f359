# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators between points in space, sets and grids: each is the adjoint of another one.

Coordinates that no operator made, or that somebody wrote to, may be in any order, and
features have theirs."""

from typing import List

import torch
from torch import Tensor

from ..errors import ArgumentError, count
from . import grids_ir
from .encodings import is_trusted
from .programs import define_operator, get_dtype, run

#: How features and points in space take from each other.
MODES = "nearest", "trilinear"


def check_rows(tensor, rows, what):
    if tensor.dim() != 2 or tensor.shape[0] != rows:
        raise ArgumentError(
            f"{what}: expects features of {count(rows, 'row')}, as the coordinates have, "
            f"but found the shape {tuple(tensor.shape)}"
        )


# Points in space --------------------------------------------------------------


def _run_at_points(kind, x, points, coords, options, num_rows):
    stride, interpolation = options
    text = grids_ir.points_and_set(
        kind, interpolation, tuple(stride), x.shape[1], get_dtype(x), is_trusted(coords, "set")
    )
    return run(text, [x, points, coords], [(num_rows, x.shape[1])])[0]


@define_operator("voxelise")
def voxelise(
    x: Tensor, points: Tensor, coords: Tensor, stride: List[int], interpolation: str
) -> Tensor:
    check_rows(x, points.shape[0], "voxelise")
    options = stride, interpolation
    return _run_at_points("voxelise", x, points, coords, options, coords.shape[0])


@voxelise.register_fake
def _(x, points, coords, stride, interpolation):
    return x.new_empty((coords.shape[0], x.shape[1]))


@define_operator("devoxelise")
def devoxelise(
    x: Tensor, points: Tensor, coords: Tensor, stride: List[int], interpolation: str
) -> Tensor:
    check_rows(x, coords.shape[0], "devoxelise")
    options = stride, interpolation
    return _run_at_points("devoxelise", x, points, coords, options, points.shape[0])


@devoxelise.register_fake
def _(x, points, coords, stride, interpolation):
    return x.new_empty((points.shape[0], x.shape[1]))


def _save_at_points(ctx, inputs, output):
    x, points, coords, *ctx.options = inputs
    # The gradient of points alone reads features.
    ctx.save_for_backward(x if ctx.needs_input_grad[1] else None, points, coords)


def _differentiate(x, at_points, points, coords, stride, interpolation):
    """The gradient of points, where features of voxels count by those of the points. From
    one voxel to the next, features are linear on each axis, so that their difference is the
    derivative; a batch index has none."""
    if interpolation == "nearest":
        return torch.zeros_like(points)
    x, at_points = x.float(), at_points.float()
    columns = [torch.zeros_like(points[:, 0])]
    for axis, size in enumerate(stride, 1):
        low = torch.floor(points[:, axis : axis + 1] / size) * size
        near, far = (
            devoxelise(
                x, torch.cat([points[:, :axis], place, points[:, axis + 1 :]], 1), coords,
                stride, interpolation,
            )
            for place in (low, low + size)
        )  # fmt: skip
        columns.append(((far - near) / size * at_points).sum(1))
    return torch.stack(columns, 1)


def _voxelise_backward(ctx, dy):
    x, *places = ctx.saved_tensors
    need_x, need_points, *_ = ctx.needs_input_grad
    dx = devoxelise(dy, *places, *ctx.options) if need_x else None
    dp = _differentiate(dy, x, *places, *ctx.options) if need_points else None
    return dx, dp, None, None, None


def _devoxelise_backward(ctx, dy):
    x, *places = ctx.saved_tensors
    need_x, need_points, *_ = ctx.needs_input_grad
    dx = voxelise(dy, *places, *ctx.options) if need_x else None
    dp = _differentiate(x, dy, *places, *ctx.options) if need_points else None
    return dx, dp, None, None, None


voxelise.register_autograd(_voxelise_backward, setup_context=_save_at_points)
devoxelise.register_autograd(_devoxelise_backward, setup_context=_save_at_points)


# Grids ------------------------------------------------------------------------


def _run_on_grid(kind, x, coords, stride, shape, result):
    """The compiler wants the sizes of a grid, so that each has a network of its own."""
    text = grids_ir.dense(
        kind, tuple(stride), tuple(shape), x.shape[-1], get_dtype(x), is_trusted(coords, "set")
    )
    return run(text, [x, coords], [(*result, x.shape[-1])], is_for_a_size=True)[0]


@define_operator("to_dense")
def to_dense(x: Tensor, coords: Tensor, stride: List[int], shape: List[int]) -> Tensor:
    check_rows(x, coords.shape[0], "to_dense")
    return _run_on_grid("to_dense", x, coords, stride, shape, shape)


@to_dense.register_fake
def _(x, coords, stride, shape):
    return x.new_empty((*shape, x.shape[1]))


@define_operator("from_dense")
def from_dense(grid: Tensor, coords: Tensor, stride: List[int]) -> Tensor:
    return _run_on_grid("from_dense", grid, coords, stride, grid.shape[:-1], coords.shape[:1])


@from_dense.register_fake
def _(grid, coords, stride):
    return grid.new_empty((coords.shape[0], grid.shape[-1]))


def _save_places(ctx, inputs, output):
    ctx.save_for_backward(inputs[1])
    ctx.stride, ctx.shape = inputs[2], inputs[0].shape


def _to_dense_backward(ctx, dy):
    return from_dense(dy, *ctx.saved_tensors, ctx.stride), None, None, None


def _from_dense_backward(ctx, dy):
    return to_dense(dy, *ctx.saved_tensors, ctx.stride, list(ctx.shape[:-1])), None, None


to_dense.register_autograd(_to_dense_backward, setup_context=_save_places)
from_dense.register_autograd(_from_dense_backward, setup_context=_save_places)
