# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets and kernel maps as operators of torch.

The number of rows of a set is known once it is made, so a GPU is waited for there,
and only there. In graphs of `torch.compile` it is a size that only a run knows, which
needs `torch._dynamo.config.capture_dynamic_output_shape_ops = True`."""

from typing import Optional

import torch
from torch import Tensor

from ..errors import ArgumentError
from . import ir
from .programs import run

_operator = torch.library.custom_op


#: For each device the longest set of row numbers so far.
_rows = {}


def _get_rows(count, device):
    """A set of row numbers: a side of a map whose coordinates nobody needs. All sides
    share memory."""
    rows = _rows.get(device)
    if rows is None or rows.shape[0] < count:
        with torch.inference_mode(False):
            size = max(1024, 1 << (count - 1).bit_length()) if count else 1024
            rows = torch.zeros((size, 2), dtype=torch.int32, device=device)
            rows[:, 1] = torch.arange(size, dtype=torch.int32, device=device)
        if device.type == "cuda":
            torch.cuda.current_stream(device).synchronize()  # other streams read it, too
        _rows[device] = rows
    return rows[:count]


def make_sides(table, num_in):
    """What a network on a given table takes for it: the table and its two sides."""
    device = table.device
    return [table, _get_rows(num_in, device), _get_rows(table.shape[0], device)]


def _unknown_rows():
    """Torch's batch norm cannot be traced for rows that may be none, or one."""
    return torch.library.get_ctx().new_dynamic_size(min=2)


@_operator("sparseconv::pack", mutates_args=())
def pack(points: Tensor, stride: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    """The set of some points in set order, the lowest point of each row, and the
    row of each point."""
    if points.dim() != 2 or points.shape[1] != len(stride) + 1:
        raise ArgumentError(
            f"expects coordinates [rows, {len(stride) + 1}], a batch index and "
            f"{len(stride)} axes, but found the shape {tuple(points.shape)}"
        )
    coords, order, row_of = run(ir.pack(tuple(stride)), [points])
    return coords, order, row_of


@pack.register_fake
def _(points, stride):
    rows = _unknown_rows()
    return (
        points.new_empty((rows, points.shape[1])),
        points.new_empty((rows,)),
        points.new_empty((points.shape[0],)),
    )


@_operator("sparseconv::pack_distinct", mutates_args=())
def pack_distinct(points: Tensor, stride: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    """What `pack` gives of points at distinct coordinates. Their set has as many rows."""
    coords, order, row_of = run(ir.pack(tuple(stride)), [points])
    if coords.shape[0] != points.shape[0]:
        raise ArgumentError(
            f"expects distinct coordinates, but {points.shape[0]} points have "
            f"{coords.shape[0]}; sparseconv.torch.SparseTensor(reduce=...) joins points"
        )
    return coords, order, row_of


@pack_distinct.register_fake
def _(points, stride):
    rows = points.shape[0]
    return torch.empty_like(points), points.new_empty((rows,)), points.new_empty((rows,))


@_operator("sparseconv::renumber", mutates_args=())
def renumber(table: Tensor, row_of: Optional[Tensor], order: Optional[Tensor]) -> Tensor:
    """A table with the rows of points for those of sets: `row_of` has the row of each
    point of the out set, `order` the point of each row of the in set; None is for a set
    whose rows stay."""
    if row_of is not None:
        table = table.index_select(0, row_of)
    if order is not None:
        # The number -1 stands for no neighbour, and stays.
        numbers = torch.cat([order.new_full((1,), -1), order])
        table = numbers.index_select(0, (table + 1).flatten()).view(table.shape)
    return table.clone() if row_of is None and order is None else table


@renumber.register_fake
def _(table, row_of, order):
    return table.new_empty((table.shape[0] if row_of is None else row_of.shape[0], table.shape[1]))


@_operator("sparseconv::output_set", mutates_args=())
def output_set(
    coords: Tensor, rule: str, stride: list[int], by: list[int], offsets: str, clip: list[int]
) -> Tensor:
    text = ir.output_set(rule, tuple(stride), tuple(by), offsets, tuple(clip))
    return run(text, [coords])[0]


@output_set.register_fake
def _(coords, rule, stride, by, offsets, clip):
    return coords.new_empty((_unknown_rows(), coords.shape[1]))


@_operator("sparseconv::union", mutates_args=())
def union(lhs: Tensor, rhs: Tensor, stride: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    coords, lhs_rows, rhs_rows = run(ir.union(tuple(stride)), [lhs, rhs])
    return coords, lhs_rows, rhs_rows


@union.register_fake
def _(lhs, rhs, stride):
    return (
        lhs.new_empty((_unknown_rows(), lhs.shape[1])),
        lhs.new_empty((lhs.shape[0],)),
        lhs.new_empty((rhs.shape[0],)),
    )


@_operator("sparseconv::kernel_map", mutates_args=())
def kernel_map(
    in_coords: Tensor, out_coords: Tensor, in_stride: list[int], out_stride: list[int],
    offsets: str, volume: int, transposed: bool,
) -> Tensor:  # fmt: skip
    text = ir.kernel_map(tuple(in_stride), tuple(out_stride), offsets, volume, transposed)
    return run(text, [in_coords, out_coords], [(out_coords.shape[0], volume)])[0]


@kernel_map.register_fake
def _(in_coords, out_coords, in_stride, out_stride, offsets, volume, transposed):
    return in_coords.new_empty((out_coords.shape[0], volume))


@_operator("sparseconv::transpose_table", mutates_args=())
def transpose_table(table: Tensor, num_in: int) -> Tensor:
    """The table of the map with its sides swapped."""
    text = ir.transpose_table(table.shape[1])
    return run(text, make_sides(table, num_in), [(num_in, table.shape[1])])[0]


@transpose_table.register_fake
def _(table, num_in):
    return table.new_empty((num_in, table.shape[1]))
