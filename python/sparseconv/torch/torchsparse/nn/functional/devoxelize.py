# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's features of points from those of voxels."""

import torch

from .....errors import ArgumentError
from .... import ops

__all__ = ["calc_ti_weights", "spdevoxelize"]


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
    if idx_query.dim() != 2 or idx_query.shape[1] != 8:
        raise ArgumentError(
            "idx_query: expects [points, 8] as in torchsparse 2.1, but found "
            f"{list(idx_query.shape)}; that of torchsparse 1.4, [8, points], has to be transposed"
        )
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
