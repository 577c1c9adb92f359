# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's functions of several tensors."""

import torch

from .. import functional as sparse

__all__ = ["cat", "generative_add"]


def cat(inputs):
    """Tensors at the same coordinates as one, channel after channel."""
    first, *others = inputs
    for other in others:
        first.check_rows_of(other, "cat")
    return first.replace(torch.cat([x.feats for x in inputs], dim=1))


def generative_add(a, b):
    """The sum of two tensors, at the coordinates of either, in ascending order."""
    return sparse.union(a, b)
