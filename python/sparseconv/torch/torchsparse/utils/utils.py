# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's helpers of numbers."""

import torch

from ....errors import ArgumentError

__all__ = ["make_divisible", "make_ntuple", "make_tensor"]


def make_ntuple(x, ndim):
    """A tuple of `ndim` numbers, from one number, a sequence or a tensor."""
    if isinstance(x, int):
        return (x,) * ndim
    values = tuple(x.tolist() if hasattr(x, "tolist") else x)
    if len(values) != ndim:
        raise ArgumentError(f"expects {ndim} numbers, but found {x!r}")
    return values


def make_tensor(x, dtype, device):
    """Numbers as a tensor."""
    return torch.tensor(x, dtype=dtype, device=device)


def make_divisible(x, divisor):
    return -(-x // divisor) * divisor
