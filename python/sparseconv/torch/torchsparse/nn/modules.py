# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's modules beside convolutions."""

import torch
from torch import nn

from . import functional as F
from .utils import fapply

__all__ = [
    "BatchNorm", "GlobalAvgPool", "GlobalMaxPool", "GroupNorm", "InstanceNorm", "LeakyReLU",
    "ReLU", "SiLU", "SparseCrop",
]  # fmt: skip


class _OnFeatures:
    """A module of torch that takes a sparse tensor."""

    def forward(self, input):
        return fapply(input, super().forward)


class BatchNorm(_OnFeatures, nn.BatchNorm1d):
    pass


class InstanceNorm(_OnFeatures, nn.InstanceNorm1d):
    pass


class ReLU(_OnFeatures, nn.ReLU):
    pass


class LeakyReLU(_OnFeatures, nn.LeakyReLU):
    pass


class SiLU(_OnFeatures, nn.SiLU):
    pass


class GroupNorm(nn.GroupNorm):
    """A norm over the rows of each batch item."""

    def forward(self, input):
        items = input.coords[:, 0]
        feats = torch.zeros_like(input.feats)
        for number in range(input.batch_size):
            rows = (items == number).nonzero().squeeze(1)
            if len(rows):
                normed = super().forward(input.feats[rows].T[None])[0].T
                feats = feats.index_copy(0, rows, normed.to(feats.dtype))
        return input.replace(feats)


class GlobalAvgPool(nn.Module):
    """The mean of each batch item: [batch, channels]."""

    def forward(self, input):
        return F.global_avg_pool(input)


class GlobalMaxPool(nn.Module):
    """The largest features of each batch item: [batch, channels]."""

    def forward(self, input):
        return F.global_max_pool(input)


class SparseCrop(nn.Module):
    def __init__(self, coords_min=None, coords_max=None):
        super().__init__()
        self.coords_min, self.coords_max = coords_min, coords_max

    def forward(self, input):
        return F.spcrop(input, self.coords_min, self.coords_max)
