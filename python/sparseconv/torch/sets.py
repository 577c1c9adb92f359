# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets and kernel maps as operators of torch.

The number of rows of a set is known once it is made, so a GPU is waited for there,
and only there. In graphs of `torch.compile` it is a size that only a run knows, which
needs `torch._dynamo.config.capture_dynamic_output_shape_ops = True`."""

import functools
from typing import List, Optional

import torch
from torch import Tensor

from ..errors import ArgumentError, count
from . import encodings, ir
from .encodings import get_trusted_rows, invert, is_trusted, mirrors, trust, trust_set
from .programs import define_operator, run


def is_set(*tensors):
    """Whether coordinates are known to be those of sets, in their order."""
    return all(is_trusted(coords, "set") for coords in tensors)


def _unknown_rows():
    """Torch's batch norm cannot be traced for rows that may be none, or one."""
    return torch.library.get_ctx().new_dynamic_size(min=2)


@define_operator("pack", stays=True)
def pack(points: Tensor, stride: List[int]) -> tuple[Tensor, Tensor, Tensor]:
    """The set of some points in set order, the lowest point of each row, and the
    row of each point."""
    if points.dim() != 2 or points.shape[1] != len(stride) + 1:
        raise ArgumentError(
            f"expects coordinates [rows, {len(stride) + 1}], a batch index and "
            f"{count(len(stride), 'axis', 'axes')}, but found the shape {tuple(points.shape)}"
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


def expect_set(coords, stride):
    """Coordinates that are those of a set, in its order: where nobody vouches for that, they
    are looked at once, for which a GPU is waited for."""
    if not is_set(coords):
        packed = run(ir.pack(tuple(stride)), [coords])[0]
        if not torch.equal(packed, coords):
            raise ArgumentError(
                "expects distinct coordinates in set order, as sparseconv::pack gives them, "
                "but found others"
            )
        trust_set(coords)


def trust_distinct(coords, points):
    """The set of some points, which have to be at distinct coordinates."""
    if coords.shape[0] != points.shape[0]:
        raise ArgumentError(
            f"expects distinct coordinates, but {points.shape[0]} points have "
            f"{coords.shape[0]}; sparseconv.torch.SparseTensor(reduce=...) joins points"
        )
    return trust_set(coords)


@define_operator("pack_distinct", stays=True)
def pack_distinct(points: Tensor, stride: List[int]) -> tuple[Tensor, Tensor, Tensor]:
    """What `pack` gives of points at distinct coordinates. Their set has as many rows."""
    coords, order, row_of = run(ir.pack(tuple(stride)), [points])
    return trust_distinct(coords, points), order, row_of


@pack_distinct.register_fake
def _(points, stride):
    rows = points.shape[0]
    return torch.empty_like(points), points.new_empty((rows,)), points.new_empty((rows,))


@define_operator("renumber", stays=True)
def renumber(table: Tensor, row_of: Optional[Tensor], order: Optional[Tensor]) -> Tensor:
    """A table with the rows of points for those of sets: `row_of` has the row of each
    point of the out set, `order` the point of each row of the in set; None is for a set
    whose rows stay."""
    num_in = get_trusted_rows(table)
    given = [rows for rows in (row_of, order) if rows is not None]
    if not given:
        return table.clone()
    num_out, volume = table.shape
    shape = (num_out if row_of is None else row_of.shape[0], volume)
    text = ir.renumber(volume, row_of is not None, order is not None)
    made = run(text, [table, *given], [shape], num_in is not None)[0]
    # Points and rows of sets are one to one here, and those of a set to itself are moved
    # alike.
    is_mirror = len(given) == 2 and mirrors(table, num_in)
    return made if num_in is None else trust(made, num_in, is_mirror)


@renumber.register_fake
def _(table, row_of, order):
    return table.new_empty((table.shape[0] if row_of is None else row_of.shape[0], table.shape[1]))


@functools.lru_cache(maxsize=64)
def get_bounds(clip, device):
    """What each column of a set's points is below."""
    any_batch = 1 << ir.BATCH_BITS
    return torch.tensor((any_batch, *clip), dtype=torch.int32, device=device)


@define_operator("output_set", stays=True)
def output_set(
    coords: Tensor, rule: str, stride: List[int], by: List[int], offsets: str, clip: List[int]
) -> Tensor:
    """The set that a layer makes of one, without coordinates below 0 and from those of
    `clip` on, if there are any."""
    inputs = [coords]
    if clip:
        inputs.append(get_bounds(tuple(clip), coords.device))
    text = ir.output_set(rule, tuple(stride), tuple(by), offsets, bool(clip))
    return trust_set(run(text, inputs, trusted=is_set(coords))[0])


@output_set.register_fake
def _(coords, rule, stride, by, offsets, clip):
    return coords.new_empty((_unknown_rows(), coords.shape[1]))


@define_operator("union", stays=True)
def union(lhs: Tensor, rhs: Tensor, stride: List[int]) -> tuple[Tensor, Tensor, Tensor]:
    for coords in (lhs, rhs):
        expect_set(coords, stride)
    coords, lhs_rows, rhs_rows = run(ir.union(tuple(stride)), [lhs, rhs], trusted=True)
    return trust_set(coords), lhs_rows, rhs_rows


@union.register_fake
def _(lhs, rhs, stride):
    return (
        lhs.new_empty((_unknown_rows(), lhs.shape[1])),
        lhs.new_empty((lhs.shape[0],)),
        lhs.new_empty((rhs.shape[0],)),
    )


@define_operator("kernel_map", stays=True)
def kernel_map(
    in_coords: Tensor, out_coords: Tensor, in_stride: List[int], out_stride: List[int],
    offsets: str, volume: int, transposed: bool, tiled: bool = False,
) -> Tensor:  # fmt: skip
    """The table of a map. `tiled` says that convolutions will read it."""
    both = [in_coords, out_coords]
    # The rows of a table are those of the coordinates that are given.
    for coords, stride in zip(both, (in_stride, out_stride)):
        expect_set(coords, stride)
    from_itself = in_coords is out_coords and in_stride == out_stride
    key = tuple(in_stride), tuple(out_stride), offsets, volume, transposed, from_itself
    inputs = both[:1] if from_itself else both
    rows = in_coords.shape[0], out_coords.shape[0]
    return encodings.make_table(
        functools.partial(ir.kernel_map, *key), inputs, rows, volume, True,
        tiled and in_coords.is_cuda, from_itself and ir.is_symmetric(offsets),
    )  # fmt: skip


@kernel_map.register_fake
def _(in_coords, out_coords, in_stride, out_stride, offsets, volume, transposed, tiled=False):
    return in_coords.new_empty((out_coords.shape[0], volume))


@define_operator("transpose_table", stays=True)
def transpose_table(table: Tensor, num_in: int) -> Tensor:
    """The table of the map with its sides swapped."""
    return invert(table, num_in)


@transpose_table.register_fake
def _(table, num_in):
    return table.new_empty((num_in, table.shape[1]))
