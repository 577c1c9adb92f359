# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's modules beside convolutions."""

from torch import nn

from ... import ops
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
    """As in torchsparse, where the rows are the channels of one instance: each row is
    normed by itself."""

    def forward(self, input):
        if self.affine or self.track_running_stats:
            return super().forward(input)
        # The same, which does not ask for the number of rows.
        channels = input.feats.shape[1:]
        return fapply(input, nn.functional.layer_norm, channels, eps=self.eps)


class ReLU(_OnFeatures, nn.ReLU):
    pass


class LeakyReLU(_OnFeatures, nn.LeakyReLU):
    pass


class SiLU(_OnFeatures, nn.SiLU):
    pass


class GroupNorm(nn.GroupNorm):
    """A norm over the rows of each batch item."""

    def forward(self, input):
        items, feats = input.coords[:, 0].contiguous(), input.feats.float()
        rest = feats - ops.gather(self._find_means(input, feats), items)
        scale = (self._find_means(input, rest * rest) + self.eps).rsqrt()
        feats = rest * ops.gather(scale, items)
        if self.affine:
            feats = feats * self.weight + self.bias
        return input.replace(feats.to(input.feats.dtype))

    def _find_means(self, input, feats):
        """The mean of each item and group, for each channel of the group."""
        size = feats.shape[1] // self.num_groups
        means = F.global_avg_pool(input.replace(feats))
        means = means.view(-1, self.num_groups, size).mean(2, keepdim=True)
        return means.expand(-1, -1, size).reshape(-1, feats.shape[1])


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
