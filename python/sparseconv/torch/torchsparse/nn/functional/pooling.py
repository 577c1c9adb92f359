# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's pooling of whole items."""

from .... import pool

__all__ = ["global_avg_pool", "global_max_pool"]


def global_avg_pool(inputs):
    return pool.SparseGlobalAvgPool()(inputs)


def global_max_pool(inputs):
    return pool.SparseGlobalMaxPool()(inputs)
