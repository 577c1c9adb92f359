# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's offsets of kernels."""

import itertools

import torch

from ...utils import make_ntuple

__all__ = ["get_kernel_offsets"]


def get_kernel_offsets(size, stride=1, dilation=1, device="cpu"):
    """The offsets [volume, 3] of a kernel in int32, the first axis fastest if their number
    is odd, else the last one."""
    axes = [
        [step * spread * (place - (k - 1) // 2) for place in range(k)]
        for k, step, spread in zip(*(make_ntuple(n, 3) for n in (size, stride, dilation)))
    ]
    if all(len(axis) % 2 for axis in axes):
        offsets = [offset[::-1] for offset in itertools.product(*reversed(axes))]
    else:
        offsets = list(itertools.product(*axes))
    return torch.tensor(offsets, dtype=torch.int32, device=device)
