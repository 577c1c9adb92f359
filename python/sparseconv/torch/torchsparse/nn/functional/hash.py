# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's hashes of coordinates."""

import torch

__all__ = ["sphash"]

# The constants of the hash FNV-1a for 64 bits.
_FNV_BASIS, _FNV_PRIME = 14695981039346656037 - (1 << 64), 1099511628211


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
