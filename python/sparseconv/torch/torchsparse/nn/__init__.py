# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's modules."""

from . import functional, modules, utils
from .conv import Conv3d
from .modules import *  # noqa: F403

__all__ = ["Conv3d", "functional", "utils", *modules.__all__]

_MISSING = {
    "ToBEVConvolution": "a strided Conv3d",
    "ToBEVHeightCompression": "SparseTensor.dense() and a view",
    "ToBEVReduction": "sparseconv.torch.SparseAvgPool3d",
    "ToDenseBEVConvolution": "SparseTensor.dense() and torch.nn.Conv2d",
}


def __getattr__(name):
    if name in _MISSING:
        raise AttributeError(f"{name} is not there; {_MISSING[name]} does it")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
