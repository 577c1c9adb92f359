# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's voxels of points, on numpy arrays."""

import numpy as np

__all__ = ["sparse_quantize"]


def sparse_quantize(coords, voxel_size=1, *, return_index=False, return_inverse=False):
    """The voxels [voxels, axes] of points [points, axes] in int32, in ascending order;
    and where asked for, the first point of each voxel, and the voxel of each point."""
    size = np.broadcast_to(np.asarray(voxel_size, dtype=np.float64), coords.shape[1:])
    cells = np.floor(coords / size).astype(np.int32)
    voxels, index, inverse = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    outputs = [voxels]
    outputs += [index] if return_index else []
    outputs += [inverse.reshape(-1)] if return_inverse else []
    return outputs[0] if len(outputs) == 1 else outputs
