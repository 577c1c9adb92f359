# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's module that does nothing."""

from torch import nn


class Identity(nn.Module):
    def forward(self, x):
        return x

    def input_spatial_size(self, out_size):
        return out_size
