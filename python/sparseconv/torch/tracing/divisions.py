# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divisions of each voxel into its parts: the set of these, and convolutions right behind.

Where all parts of a voxel have its features, several offsets of a part meet the same voxel.
Of 3 x 3 x 3 offsets from one of eight parts 8 voxels are met, each by a weight that is a sum.
So the convolution is one from the voxels to their parts, transposed and of stride 2, whose
kernel has one more offset on each axis: 8 products for each row in place of up to 27."""

import dataclasses
import itertools
import math

import torch

from .. import ir
from .scalars import emit_elementwise
from .text import tensor_type
from .values import Parts, Set, Voxels, same_sizes

#: Channels in times channels out from where on the products that this saves cost more than
#: the map between voxels and parts, which no other layer uses.
_LEAST_PRODUCTS = 64 * 64
#: Into how many parts an axis may be divided for their set to be made of that of the voxels.
_MOST_STEPS = 4


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel on parts, by its odd `size` and what voxels are divided by on each axis."""

    size: tuple
    steps: tuple

    @property
    def sizes(self):
        """The size of the kernel between voxels and their parts."""
        return [k + step - 1 for k, step in zip(self.size, self.steps)]

    def sum_weights(self, weight):
        """Weights [offsets, in, out] for the offsets between voxels and parts. From a part d
        of a voxel an offset k leads to the voxel floor((d + k) / step) cells on, from which
        the part is d - step * floor((d + k) / step) away."""
        sums = weight.double().reshape(*self.size, *weight.shape[1:])
        for axis, (k, step, size) in enumerate(zip(self.size, self.steps, self.sizes)):
            taken = sums.new_zeros(size, k)
            for part, offset in itertools.product(range(step), range(k)):
                away = part - step * ((part + offset - k // 2) // step)
                taken[away + (size - 1) // 2, offset] = 1
            sums = torch.tensordot(taken, sums, ([1], [axis])).movedim(0, axis)
        return sums.reshape(-1, *weight.shape[1:]).to(weight.dtype)


def find_kernel(tracer, map, repeated, weight):
    """The `Kernel` of a convolution by `map` of features that voxels have and all of their parts
    repeat; or None."""
    division = map.coords.division if map.coords else None
    size = ir.get_box_size(map.offsets)
    if division is None or size is None or max(size) == 1 or any(k % 2 == 0 for k in size):
        return None
    steps = _find_steps(division)
    # The features are in the order of the points.
    in_order = map.order and map.order == tracer.order.get(map.coords.row_of)
    if (
        steps
        and max(steps) <= 2
        and len(division.parts) == repeated.times
        and same_sizes(division.points.shape[:1], repeated.rows.shape[:1])
        and in_order
        and set(map.coords.stride) == {1}
        and weight.dim() == 3
        and math.prod(weight.shape[1:]) >= _LEAST_PRODUCTS
    ):
        return Kernel(size, steps)
    return None


def _find_steps(division, in_order=False):
    """What each axis of voxels is divided by into parts, of which all are there, with the last
    axis fastest if they are to be `in_order`; or None."""
    steps = tuple(step for _, step in division.columns[1:])
    if division.columns != tuple(enumerate((1, *steps))) or min(steps, default=0) < 1:
        return None
    if division.points.shape[1] != len(division.columns):
        return None
    if math.prod(steps) != len(division.parts):
        return None
    parts = list(division.parts) if in_order else sorted(division.parts)
    is_whole = parts == list(itertools.product((0,), *map(range, steps)))
    return steps if is_whole else None


def emit_voxels(tracer, points, steps, are_distinct):
    """The `Voxels` that points are, where their first parts are."""
    source = tracer.get_value(points)
    key = source.name, steps
    if key not in tracer.voxels:
        known = source if isinstance(source, Set) else tracer.packed.get(source.name)
        if known and set(known.stride) == {1}:
            # In the order of a set that is there, its features need no gather.
            made = _emit_rescale(tracer, known, steps)
            row_of = known.row_of if known is not source else ""
            order = tracer.order[row_of] if row_of else ""
        else:
            made, order, row_of = _emit_scaled_pack(tracer, points, steps)
        tracer.voxels[key] = Voxels(made, order, row_of)
    voxels = tracer.voxels[key]
    if are_distinct:
        tracer.own_sets[str(points.shape[0])] = voxels.set
    return voxels


def _emit_rescale(tracer, known, steps):
    type = tracer.text.set_type(steps)
    line = f"sparseconv.rescale {known.name} by {ir.list_numbers(steps)} : {known.type} -> {type}"
    return Set(tracer.text.emit_value(line, stem="set"), type, steps)


def _emit_scaled_pack(tracer, points, steps):
    scaled = tracer.make_like(points, torch.int32)
    factors = torch.tensor((1, *steps), dtype=torch.int32, device=points.device)
    tracer.bind(scaled, emit_elementwise(
        tracer, scaled, [points, factors], lambda b, x, y: b.apply("mul", x, y)
    ))  # fmt: skip
    return tracer.emit_pack(tracer.get_name(scaled), tracer.get_type(scaled), steps)


def emit_parts(tracer, points, stride, are_distinct):
    """The set of points that are all parts of voxels, one voxel after the other, and the names
    of the point of each row and the row of each point; or None for other points."""
    division = tracer.get_value(points).division
    steps = _find_steps(division, in_order=True) if division else None
    if steps is None or set(stride) != {1} or math.prod(steps) == 1 or max(steps) > _MOST_STEPS:
        return None
    voxels = emit_voxels(tracer, division.points, steps, are_distinct)
    numbers = ""
    if voxels.order:
        type = tensor_type(division.points.shape[:1], "i32")
        names = f"{voxels.order}, {voxels.row_of}"
        numbers = f" points({names} : {tensor_type([None], 'i32')}, {type})"
    names = tracer.text.emit_values(
        f"sparseconv.subdivide {voxels.set.name} by {ir.list_numbers(steps)}{numbers} : "
        f"{voxels.set.type}",
        stems=("set", "rows", "order", "row_of"),
    )
    tracer.parts[names[2]] = Parts(names[1], voxels.order, len(division.parts))
    made = Set(names[0], tracer.text.set_type(stride), tuple(stride))
    made.points, made.row_of = tracer.get_name(points), names[3]
    return made, names[2], names[3]
