# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's functions."""

import torch
from torch.nn import functional as dense

from ... import ops, pool
from . import config as conv_config
from .config import (
    Dataflow,
    get_conv_mode,
    get_downsample_mode,
    get_kmap_mode,
    set_conv_mode,
    set_downsample_mode,
    set_kmap_mode,
)
from .conv import conv3d
from .utils import fapply

__all__ = [
    "Dataflow", "calc_ti_weights", "conv3d", "conv_config", "get_conv_mode",
    "get_downsample_mode", "get_kmap_mode", "global_avg_pool", "global_max_pool", "leaky_relu",
    "relu", "set_conv_mode", "set_downsample_mode", "set_kmap_mode", "silu", "spcount", "spcrop",
    "spdevoxelize", "sphash", "sphashquery", "spvoxelize",
]  # fmt: skip

# The constants of the hash FNV-1a for 64 bits.
_FNV_BASIS, _FNV_PRIME = 14695981039346656037 - (1 << 64), 1099511628211


def relu(input, inplace=True):
    return fapply(input, dense.relu, inplace=inplace)


def silu(input, inplace=True):
    return fapply(input, dense.silu, inplace=inplace)


def leaky_relu(input, negative_slope=0.1, inplace=True):
    return fapply(input, dense.leaky_relu, negative_slope=negative_slope, inplace=inplace)


def global_avg_pool(inputs):
    return pool.SparseGlobalAvgPool()(inputs)


def global_max_pool(inputs):
    return pool.SparseGlobalMaxPool()(inputs)


def spcrop(input, coords_min=None, coords_max=None):
    """The rows with coordinates of at least `coords_min` and below `coords_max`."""
    places = input.coords[:, 1:]
    mask = torch.ones(len(places), dtype=torch.bool, device=places.device)
    if coords_min is not None:
        mask &= (places >= places.new_tensor(coords_min)).all(1)
    if coords_max is not None:
        mask &= (places < places.new_tensor(coords_max)).all(1)
    return type(input)(input.feats[mask], input.coords[mask], input.stride)


def sphash(coords, offsets=None):
    """A number in int64 for each row of [rows, 4] in int32; or for each offset [offsets, 3]
    and row, of the row with the offset added to its first three columns."""
    if offsets is not None:
        coords = coords.expand(len(offsets), *coords.shape).clone()
        coords[:, :, :3] += offsets[:, None]
    value = torch.full(coords.shape[:-1], _FNV_BASIS, device=coords.device)
    for column in range(4):
        value = (value ^ (coords[..., column].long() & 0xFFFFFFFF)) * _FNV_PRIME
    return ((value >> 60) & 0xF) ^ (value & ((1 << 60) - 1))


def sphashquery(queries, references):
    """The places of some numbers in a list of others, -1 for those that are not there."""
    if not len(references):
        return torch.full_like(queries, -1)
    known, order = torch.sort(references, stable=True)
    places = torch.searchsorted(known, queries.contiguous()).clamp(max=len(known) - 1)
    return torch.where(known[places] == queries, order[places], -1)


def spcount(coords, num):
    """How often each number below `num` is in a list in which -1 stands for none."""
    return torch.bincount(coords[coords >= 0], minlength=int(num)).int()


def spvoxelize(feats, coords, counts):
    """The mean of the features of each voxel's points: `coords` has the voxel of each point,
    `counts` the numbers of their points."""
    # A sum, and a count, may be beyond f16, and are rounded once divided.
    total = ops.scatter(feats.float(), coords.int(), len(counts))
    return (total / counts.clamp(min=1)[:, None]).to(feats.dtype)


def spdevoxelize(feats, coords, weights):
    """Features at points, from those of 8 voxels each: `coords` [points, 8] has their rows,
    -1 for none, and `weights` [points, 8] what each counts."""
    total = 0
    for corner in range(coords.shape[1]):
        rows = coords[:, corner]
        weight = torch.where(rows < 0, 0, weights[:, corner])[:, None]
        total = total + weight.to(feats.dtype) * ops.gather(feats, rows.clamp(min=0).int())
    return total


def calc_ti_weights(coords, idx_query, scale=1):
    """What each of 8 voxels counts where features are interpolated at points: `coords` has
    x, y, z first, and `idx_query` [points, 8] is -1 where there is no voxel."""
    with torch.no_grad():
        low = torch.floor(coords[:, :3] / scale) * scale
        far = (coords[:, :3] - low) / scale
        near = 1 - far
        columns = []
        for corner in range(8):
            x, y, z = ((far if corner >> 2 - axis & 1 else near)[:, axis] for axis in range(3))
            columns.append(x * y * z)
        weights = torch.stack(columns, 1).masked_fill(idx_query == -1, 0)
        return weights / (weights.sum(1, keepdim=True) + 1e-8)
