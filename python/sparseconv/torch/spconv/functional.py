# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's functions of tensors."""

import functools

from .. import functional as sparse


def sparse_add(*tens):
    """The sum of tensors of one shape, at the indices of any of them, in ascending order.
    Layers that go back to the indices of one of them cannot follow."""
    return functools.reduce(sparse.union, tens)


sparse_add_hash_based = sparse_add
