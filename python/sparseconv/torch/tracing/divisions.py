# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions right behind a division of each voxel into its parts.

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
from .values import Set, same_sizes

#: Channels in times channels out from where on the products that this saves cost more than
#: the map between voxels and parts, which no other layer uses.
_LEAST_PRODUCTS = 64 * 64


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
    steps = tuple(step for _, step in division.columns[1:])
    # The features are in the order of the points.
    in_order = map.order and map.order == tracer.order.get(map.coords.row_of)
    if (
        all(step in (1, 2) for step in steps)
        and division.columns == tuple(enumerate((1, *steps)))
        and sorted(division.parts) == list(itertools.product((0,), *(range(s) for s in steps)))
        and len(division.parts) == repeated.times
        and same_sizes(division.points.shape[:1], repeated.rows.shape[:1])
        and in_order
        and set(map.coords.stride) == {1}
        and weight.dim() == 3
        and math.prod(weight.shape[1:]) >= _LEAST_PRODUCTS
    ):
        return Kernel(size, steps)
    return None


def emit_voxels(tracer, points, steps):
    """The set of voxels, where their first parts are, and the name of the point of each of its
    rows: an empty text for points that are in set order."""
    source = tracer.get_value(points)
    key = source.name, steps
    if key not in tracer.voxels:
        known = source if isinstance(source, Set) else tracer.packed.get(source.name)
        order = tracer.order[known.row_of] if known and known is not source else ""
        if known:
            # In the order of a set that is there, its features need no gather.
            points = tracer.make_like(points)
            tracer.bind(points, dataclasses.replace(known))
        scaled = tracer.make_like(points, torch.int32)
        factors = torch.tensor((1, *steps), dtype=torch.int32, device=points.device)
        tracer.bind(scaled, emit_elementwise(
            tracer, scaled, [points, factors], lambda b, x, y: b.apply("mul", x, y)
        ))  # fmt: skip
        name, type = tracer.get_name(scaled), tracer.get_type(scaled)
        made, new_order, _ = tracer.emit_pack(name, type, steps, in_order=known is not None)
        tracer.own_sets[str(points.shape[0])] = made
        tracer.voxels[key] = made, order if known else new_order
    return tracer.voxels[key]
