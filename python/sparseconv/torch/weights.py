# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of convolutions from other libraries, and back.

| library | weights | fastest axis |
|---|---|---|
| spconv 2, FlexGEMM | [out, k0, k1, ..., in] | the last one |
| WarpConvNet | [offsets, in, out], or [offsets, groups, in / groups, out / groups] | the last one |
| MinkowskiEngine | [offsets, in, out] | the first one |
| torchsparse | [offsets, in, out] | the first one if the number of offsets is odd, else the last one |

MinkowskiEngine and torchsparse leave out the axis of one offset."""

import math

from ..errors import ArgumentError

_LAST_CHANNELS = ("spconv", "flexgemm")
_LISTS = ("minkowski", "torchsparse", "warpconvnet")
LIBRARIES = (*_LAST_CHANNELS, *_LISTS)


def _is_turned(library, kernel_size):
    """Whether the first axis is the fastest one."""
    if library == "torchsparse":
        return math.prod(kernel_size) % 2 == 1
    return library == "minkowski"


def _turn(weight, kernel_size):
    """A list of offsets in the other order, from that with axes of `kernel_size`."""
    dim = len(kernel_size)
    grid = weight.reshape(*kernel_size, *weight.shape[1:])
    order = (*reversed(range(dim)), *range(dim, grid.dim()))
    return grid.permute(order).reshape(weight.shape).contiguous()


def _check(library, weight, axes, shape):
    if library not in LIBRARIES:
        raise ArgumentError(f"expects one of {', '.join(LIBRARIES)}, but found {library!r}")
    if weight.dim() not in axes or tuple(weight.shape[: len(shape)]) != shape:
        start = "".join(f"{size}x" for size in shape)
        found = "x".join(map(str, weight.shape))
        raise ArgumentError(f"expects weights of {library} of {start}..., but found {found}")


def from_library(library, weight, kernel_size):
    """The weights of a layer here from those of another library."""
    kernel_size = tuple(kernel_size)
    dim, volume = len(kernel_size), math.prod(kernel_size)
    if library in _LAST_CHANNELS:
        _check(library, weight, (dim + 2,), (weight.shape[0], *kernel_size))
        weight = weight.permute(*range(1, dim + 2), 0)
        return weight.reshape(volume, *weight.shape[dim:]).contiguous()
    if volume == 1 and weight.dim() == 2 and library in ("minkowski", "torchsparse"):
        weight = weight[None]
    _check(library, weight, (3, 4) if library == "warpconvnet" else (3,), (volume,))
    if _is_turned(library, kernel_size):
        return _turn(weight, tuple(reversed(kernel_size)))
    return weight.clone()


def to_library(library, weight, kernel_size):
    """The weights of another library from those of a layer here."""
    kernel_size = tuple(kernel_size)
    dim, volume = len(kernel_size), math.prod(kernel_size)
    _check(library, weight, (3, 4) if library == "warpconvnet" else (3,), (volume,))
    if library in _LAST_CHANNELS:
        weight = weight.reshape(*kernel_size, *weight.shape[1:])
        return weight.permute(dim + 1, *range(dim + 1)).contiguous()
    if volume == 1 and library in ("minkowski", "torchsparse"):
        return weight[0].clone()
    return _turn(weight, kernel_size) if _is_turned(library, kernel_size) else weight.clone()
