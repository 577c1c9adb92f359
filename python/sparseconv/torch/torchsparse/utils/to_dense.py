# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's grids."""

__all__ = ["to_dense"]


def to_dense(feats, coords, spatial_range):
    """The grid [*spatial_range, channels] with features at `coords` [rows, axes]; of several
    at one place, one stays."""
    grid = feats.new_zeros((*spatial_range, feats.shape[1]))
    return grid.index_put(tuple(coords.long().T), feats)
