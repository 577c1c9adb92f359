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
from .programs import define_operator, run


def make_rows(count, device):
    """An array for networks that need its number of rows alone."""
    return torch.empty((count, 1), dtype=torch.int32, device=device)


def _get_mark(table, num_in):
    return num_in, None if table.is_inference() else table._version


def trust(table, num_in):
    """Notes that a table is one of a map whose in set has so many rows, until somebody
    writes to it. Operators check other tables each time: an entry that is none of the
    rows would be an access outside of the features."""
    table._sparseconv_mark = _get_mark(table, num_in)
    return table


def get_trusted_rows(table):
    """The rows of the in set of a table that is trusted; None for others."""
    num_in, _ = mark = getattr(table, "_sparseconv_mark", (None, None))
    return num_in if mark == _get_mark(table, num_in) else None


def is_trusted(table, num_in):
    return get_trusted_rows(table) == num_in


def trust_copy(copy, table):
    """Trusts a copy of a table as the table is trusted."""
    num_in = get_trusted_rows(table)
    return copy if num_in is None else trust(copy, num_in)


def trust_set(coords):
    """Notes that some coordinates are those of a set, in its order, until somebody
    writes to them. Others are sorted each time."""
    return trust(coords, "set")


def _is_set(*tensors):
    return all(is_trusted(coords, "set") for coords in tensors)


def _unknown_rows():
    """Torch's batch norm cannot be traced for rows that may be none, or one."""
    return torch.library.get_ctx().new_dynamic_size(min=2)


@define_operator("pack")
def pack(points: Tensor, stride: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    """The set of some points in set order, the lowest point of each row, and the
    row of each point."""
    if points.dim() != 2 or points.shape[1] != len(stride) + 1:
        raise ArgumentError(
            f"expects coordinates [rows, {len(stride) + 1}], a batch index and "
            f"{len(stride)} axes, but found the shape {tuple(points.shape)}"
        )
    coords, order, row_of = run(ir.pack(tuple(stride)), [points])
    return trust_set(coords), order, row_of


@pack.register_fake
def _(points, stride):
    rows = _unknown_rows()
    return (
        points.new_empty((rows, points.shape[1])),
        points.new_empty((rows,)),
        points.new_empty((points.shape[0],)),
    )


@define_operator("pack_distinct")
def pack_distinct(points: Tensor, stride: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    """What `pack` gives of points at distinct coordinates. Their set has as many rows."""
    coords, order, row_of = run(ir.pack(tuple(stride)), [points])
    if coords.shape[0] != points.shape[0]:
        raise ArgumentError(
            f"expects distinct coordinates, but {points.shape[0]} points have "
            f"{coords.shape[0]}; sparseconv.torch.SparseTensor(reduce=...) joins points"
        )
    return trust_set(coords), order, row_of


@pack_distinct.register_fake
def _(points, stride):
    rows = points.shape[0]
    return torch.empty_like(points), points.new_empty((rows,)), points.new_empty((rows,))


@define_operator("renumber")
def renumber(table: Tensor, row_of: Optional[Tensor], order: Optional[Tensor]) -> Tensor:
    """A table with the rows of points for those of sets: `row_of` has the row of each
    point of the out set, `order` the point of each row of the in set; None is for a set
    whose rows stay."""
    num_in = get_trusted_rows(table)
    if row_of is not None:
        table = table.index_select(0, row_of)
    if order is not None:
        # The number -1 stands for no neighbour, and stays.
        numbers = torch.cat([order.new_full((1,), -1), order])
        table = numbers.index_select(0, (table + 1).flatten()).view(table.shape)
    table = table.clone() if row_of is None and order is None else table
    # Points and rows of sets are one to one here.
    return table if num_in is None else trust(table, num_in)


@renumber.register_fake
def _(table, row_of, order):
    return table.new_empty((table.shape[0] if row_of is None else row_of.shape[0], table.shape[1]))


@define_operator("output_set")
def output_set(
    coords: Tensor, rule: str, stride: list[int], by: list[int], offsets: str, clip: list[int]
) -> Tensor:
    text = ir.output_set(rule, tuple(stride), tuple(by), offsets, tuple(clip))
    return trust_set(run(text, [coords], trusted=_is_set(coords))[0])


@output_set.register_fake
def _(coords, rule, stride, by, offsets, clip):
    return coords.new_empty((_unknown_rows(), coords.shape[1]))


@define_operator("union")
def union(lhs: Tensor, rhs: Tensor, stride: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    text = ir.union(tuple(stride))
    coords, lhs_rows, rhs_rows = run(text, [lhs, rhs], trusted=_is_set(lhs, rhs))
    return trust_set(coords), lhs_rows, rhs_rows


@union.register_fake
def _(lhs, rhs, stride):
    return (
        lhs.new_empty((_unknown_rows(), lhs.shape[1])),
        lhs.new_empty((lhs.shape[0],)),
        lhs.new_empty((rhs.shape[0],)),
    )


@define_operator("kernel_map")
def kernel_map(
    in_coords: Tensor, out_coords: Tensor, in_stride: list[int], out_stride: list[int],
    offsets: str, volume: int, transposed: bool,
) -> Tensor:  # fmt: skip
    both = [in_coords, out_coords]
    from_itself = in_coords is out_coords and in_stride == out_stride
    text = ir.kernel_map(
        tuple(in_stride), tuple(out_stride), offsets, volume, transposed, from_itself
    )
    inputs = both[:1] if from_itself else both
    table = run(text, inputs, [(out_coords.shape[0], volume)], _is_set(*inputs))[0]
    return trust(table, in_coords.shape[0])


@kernel_map.register_fake
def _(in_coords, out_coords, in_stride, out_stride, offsets, volume, transposed):
    return in_coords.new_empty((out_coords.shape[0], volume))


@define_operator("transpose_table")
def transpose_table(table: Tensor, num_in: int) -> Tensor:
    """The table of the map with its sides swapped."""
    return invert(table, num_in)


@transpose_table.register_fake
def _(table, num_in):
    return table.new_empty((num_in, table.shape[1]))


def invert(table, num_in):
    """The same outside of torch's dispatcher."""
    text = ir.transpose_table(table.shape[1])
    rows = make_rows(num_in, table.device)
    shapes = [(num_in, table.shape[1])]
    turned = run(text, [table, rows], shapes, is_trusted(table, num_in))[0]
    return trust(turned, table.shape[0])
