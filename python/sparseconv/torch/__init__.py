# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of sparse convolutions for PyTorch.

    import sparseconv.torch as sct
    net = sct.SparseSequential(
        sct.SubMConv3d(4, 32, 3), torch.nn.BatchNorm1d(32), torch.nn.ReLU(),
        sct.SparseConv3d(32, 64, 2, stride=2))
    y = net(sct.SparseTensor(features, coordinates))

Needs torch 2.4 or later, which the rest of the package does not."""

from . import compiled, conv, ops, pool, sets, weights
from .compiled import BoundModule, CompiledModule
from .conv import *  # noqa: F403
from .functional import cat, collate, devoxelise, prune, splat, to_dense, union, voxelise
from .pool import *  # noqa: F403
from .programs import check
from .tensor import SparseTensor

__all__ = [
    "BoundModule", "CompiledModule", "SparseTensor", "cat", "check", "collate", "devoxelise",
    "prune", "splat", "to_dense", "union", "voxelise", "weights",
    *conv.__all__, *pool.__all__,
]  # fmt: skip
