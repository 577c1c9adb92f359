# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's activations."""

from torch.nn import functional as dense

from ..utils import fapply

__all__ = ["leaky_relu", "relu", "silu"]


def relu(input, inplace=True):
    return fapply(input, dense.relu, inplace=inplace)


def silu(input, inplace=True):
    return fapply(input, dense.silu, inplace=inplace)


def leaky_relu(input, negative_slope=0.1, inplace=True):
    return fapply(input, dense.leaky_relu, negative_slope=negative_slope, inplace=inplace)
