# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's modules of several branches."""

import torch

from . import functional
from .modules import SparseModule


class JoinTable(SparseModule):
    """Tensors at the same indices as one, channel after channel."""

    def forward(self, input):
        first, *others = input
        for other in others:
            first.check_rows_of(other, "JoinTable")
        return first.replace_feature(torch.cat([x.features for x in input], 1))


class AddTable(SparseModule):
    """The sum of tensors at the same indices."""

    def forward(self, input):
        first, *others = input
        for other in others:
            first = first + other
        return first


class AddTableMisaligned(SparseModule):
    """The sum of tensors, at the indices of any of them."""

    def forward(self, input):
        return functional.sparse_add(*input)


class ConcatTable(SparseModule):
    """What each of its modules makes of one input, as a list."""

    def forward(self, input):
        return [module(input) for module in self._modules.values()]

    def add(self, module):
        self.add_module(str(len(self._modules)), module)
        return self
