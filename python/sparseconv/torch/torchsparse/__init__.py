# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's interface (2.1), on the layers of this package:

    import sparseconv.torch.torchsparse as torchsparse     # was: import torchsparse
    import sparseconv.torch.torchsparse.nn as spnn         # was: import torchsparse.nn as spnn

Models, their state dicts and the order of their rows stay as they are;
docs/migration.md says what differs."""

import types

from . import backend, nn, operators, tensor, utils
from .operators import cat, generative_add
from .tensor import PointTensor, SparseTensor

__all__ = [
    "PointTensor", "SparseTensor", "backend", "backends", "cat", "generative_add", "nn",
    "operators", "tensor", "tune", "utils",
]  # fmt: skip

#: The version of torchsparse whose interface this is, which scripts ask for.
__version__ = "2.1.0"

#: Switches that scripts set. They change nothing here.
backends = types.SimpleNamespace(benchmark=False, allow_tf32=False, hash_rsv_ratio=2)


def tune(*args, **kwargs):
    """Does nothing: the compiler chooses for each layer, and `sparseconv-tune` measures."""
