# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's numbers of points."""

import torch

__all__ = ["spcount"]


def spcount(coords, num):
    """How often each number below `num` is in a list in which -1 stands for none."""
    return torch.bincount(coords[coords >= 0], minlength=int(num)).int()
