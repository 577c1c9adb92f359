# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's interface for PyTorch, on the layers of this package:

    import sparseconv.torch.spconv as spconv  # was: import spconv.pytorch as spconv

Models, their state dicts and the order of their rows stay as they are;
docs/migration.md says what differs."""

from . import constants, conv, core, functional, identity, modules, ops, pool, tables, utils
from .conv import *  # noqa: F403
from .core import ConvAlgo, SparseConvTensor, scatter_nd
from .identity import Identity
from .modules import (
    RemoveGrid,
    SparseBatchNorm,
    SparseIdentity,
    SparseModule,
    SparseReLU,
    SparseSequential,
    SparseSyncBatchNorm,
    ToDense,
    assign_name_for_sparse_modules,
    is_spconv_module,
)
from .pool import *  # noqa: F403
from .tables import AddTable, AddTableMisaligned, ConcatTable, JoinTable

__all__ = [
    "AddTable", "AddTableMisaligned", "ConcatTable", "ConvAlgo", "Identity", "JoinTable",
    "RemoveGrid", "SparseBatchNorm", "SparseConvTensor", "SparseIdentity", "SparseModule",
    "SparseReLU", "SparseSequential", "SparseSyncBatchNorm", "ToDense",
    "assign_name_for_sparse_modules", "constants", "conv", "core", "functional",
    "identity", "is_spconv_module", "modules", "ops", "pool", "scatter_nd", "tables", "utils",
    *conv.__all__, *pool.__all__,
]  # fmt: skip

#: The version of spconv whose interface this is, which scripts ask for.
__version__ = "2.3.8"
