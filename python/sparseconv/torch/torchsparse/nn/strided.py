# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output coordinates of torchsparse's strided convolutions."""

import torch

from ... import ir
from ...caches import CoordinateSet, extend_name


def find_target(x, window, given, kmap_mode, downsample_mode):
    """The out set of a strided layer. `given` is the window with the layer's padding,
    which says where a set ends even where it does not move the window."""
    shape = None if x.get_shape() is None else given.shrink(x.get_shape())
    divides = all(s in (1, k) for s, k in zip(window.stride, window.size))
    if kmap_mode == "hashmap" and (divides or downsample_mode == "minkowski"):
        return x.cache.get_set(x.set, "floor", window.stride, "", (given.shrink,))
    if shape is not None:
        return x.cache.get_set(x.set, "cover", window.stride, given.offsets, (given.shrink,))
    name = extend_name(x.set.name, "torchsparse", window.stride, given.offsets)
    if name not in x.cache.sets:
        x.cache.sets[name] = _find_within(x, given, name)
    return x.cache.sets[name]


def _take_room(_, room):
    return room


def _find_within(x, window, name):
    """The outputs whose windows lie within the coordinates of a tensor: from 0 to the
    highest one on each axis."""
    stride = tuple(s * by for s, by in zip(x.stride, window.stride))
    highest = ir.get_range(3)[1]
    room = tuple(highest // s for s in stride)
    reshape = _take_room, room
    coords = x.cache.get_set(x.set, "cover", window.stride, window.offsets, reshape).coords
    if coords.shape[0]:
        numbers = (window.padding, window.size, window.stride, x.stride, stride)
        padding, size, by, fine, coarse = (
            torch.tensor(n, dtype=torch.int32, device=coords.device) for n in numbers
        )
        # Where there are outputs there are inputs, which torch 2.7 does not see by itself.
        torch._check(x.set.coords.shape[0] > 0)
        last = x.set.coords[:, 1:].amax(0) // fine
        last = torch.div(last + 2 * padding - (size - 1), by, rounding_mode="floor")
        coords = coords[(coords[:, 1:] <= last * coarse).all(1)]
    return CoordinateSet(coords, stride, None, name)
