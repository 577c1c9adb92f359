# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's helpers of modules."""

from .apply import fapply
from .kernel import get_kernel_offsets

__all__ = ["fapply", "get_kernel_offsets"]
