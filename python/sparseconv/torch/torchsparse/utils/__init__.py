# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's helpers."""

from . import collate, quantize, tensor_cache, utils
from .to_dense import to_dense
from .utils import make_divisible, make_ntuple, make_tensor

__all__ = [
    "collate", "make_divisible", "make_ntuple", "make_tensor", "quantize", "tensor_cache",
    "to_dense", "utils",
]  # fmt: skip
