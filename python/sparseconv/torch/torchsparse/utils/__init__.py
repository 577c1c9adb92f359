# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's helpers."""

from ....errors import ArgumentError


def make_ntuple(x, ndim):
    """A tuple of `ndim` numbers, from one number, a sequence or a tensor."""
    if isinstance(x, int):
        return (x,) * ndim
    values = tuple(x.tolist() if hasattr(x, "tolist") else x)
    if len(values) != ndim:
        raise ArgumentError(f"expects {ndim} numbers, but found {x!r}")
    return values


def make_divisible(x, divisor):
    return -(-x // divisor) * divisor


from . import collate, quantize  # noqa: E402 - they import tensors, which import this

__all__ = ["collate", "make_divisible", "make_ntuple", "quantize"]
