# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's features of voxels from those of points."""

from .... import ops

__all__ = ["spvoxelize"]


def spvoxelize(feats, coords, counts):
    """The mean of the features of each voxel's points: `coords` has the voxel of each point,
    `counts` the numbers of their points."""
    # A sum, and a count, may be beyond f16, and are rounded once divided.
    total = ops.scatter(feats.float(), coords.int(), len(counts))
    return (total / counts.clamp(min=1)[:, None]).to(feats.dtype)
