# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What spconv's layers compute, on dense grids in float64: the definition that models of
its interface are compared with. Strided layers make their rows in descending order, so
that nothing that is right depends on an order."""

import enum
import math

import torch
from torch import nn

F = nn.functional
CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


class ConvAlgo(enum.Enum):
    Native = 0
    MaskImplicitGemm = 1


class SparseConvTensor:
    grid = voxel_num = force_algo = None
    benchmark, benchmark_record = False, {}

    def __init__(self, features, indices, spatial_shape, batch_size, grid=None, voxel_num=None,
                 indice_dict=None):  # fmt: skip
        self._features, self.indices = features.double(), indices
        self.spatial_shape = [int(cells) for cells in spatial_shape]
        self.batch_size = int(batch_size)
        self.indice_dict = {} if indice_dict is None else indice_dict

    @property
    def features(self):
        return self._features

    def replace_feature(self, features):
        return SparseConvTensor(
            features, self.indices, self.spatial_shape, self.batch_size,
            indice_dict=self.indice_dict,
        )  # fmt: skip

    def dense(self, channels_first=True):
        shape = (self.batch_size, *self.spatial_shape, self.features.shape[1])
        grid = torch.zeros(shape, dtype=torch.float64)
        grid = grid.index_put(tuple(self.indices.long().T), self.features)
        return grid.movedim(-1, 1).contiguous() if channels_first else grid


class SparseModule(nn.Module):
    pass


class SparseSequential(SparseModule, nn.Sequential):
    def forward(self, x):
        for module in self:
            if isinstance(module, SparseModule):
                x = module(x)
            else:
                x = x.replace_feature(module(x.features))
        return x


class _Conv(SparseModule):
    dim = None

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, indice_key=None, algo=None):  # fmt: skip
        super().__init__()
        self.size, self.stride, self.padding, self.dilation = (
            (n,) * self.dim if isinstance(n, int) else tuple(n)
            for n in (kernel_size, stride, padding, dilation)
        )
        self.out_channels, self.indice_key = out_channels, indice_key
        shape = (out_channels, *self.size, in_channels)
        self.weight = nn.Parameter(torch.randn(shape, dtype=torch.float64))
        self.bias = nn.Parameter(torch.zeros(out_channels, dtype=torch.float64)) if bias else None

    def get_weight(self, *order):
        """`order` says which axes of [out, in, kernel] come first."""
        out_channels, in_channels = self.weight.shape[0], self.weight.shape[-1]
        weight = self.weight.movedim(-1, 1)
        if math.prod(self.size) == 1 and max(self.stride) == 1:
            # spconv reads these as they lie in memory: [in, out].
            weight = self.weight.reshape(in_channels, out_channels).T
            weight = weight.reshape(out_channels, in_channels, *self.size)
        return weight.transpose(0, 1) if order == ("in",) else weight

    def finish(self, x, grid, indices, shape):
        places = tuple(indices.long().T)
        features = grid.movedim(1, -1)[places]
        features = features if self.bias is None else features + self.bias
        return SparseConvTensor(features, indices, shape, x.batch_size, indice_dict=x.indice_dict)


class _SubMConv(_Conv):
    def forward(self, x):
        padding = tuple(k // 2 * d for k, d in zip(self.size, self.dilation))
        convolve = CONV[self.dim]
        grid = convolve(x.dense(), self.get_weight(), padding=padding, dilation=self.dilation)
        return self.finish(x, grid, x.indices, x.spatial_shape)


class _SparseConv(_Conv):
    def forward(self, x):
        options = {"stride": self.stride, "padding": self.padding, "dilation": self.dilation}
        grid = CONV[self.dim](x.dense(), self.get_weight(), **options)
        there = x.replace_feature(torch.ones_like(x.features[:, :1])).dense()
        ones = torch.ones((1, 1, *self.size), dtype=torch.float64)
        reached = CONV[self.dim](there, ones, **options)[:, 0] > 0.5
        indices = reached.nonzero().int().flip(0)
        y = self.finish(x, grid, indices, grid.shape[2:])
        y.indice_dict = {**x.indice_dict, self.indice_key: (x, self)}
        return y


class _SparseInverseConv(_Conv):
    def __init__(self, in_channels, out_channels, kernel_size, indice_key, bias=True, algo=None):
        super().__init__(in_channels, out_channels, kernel_size, bias=bias, indice_key=indice_key)

    def forward(self, x):
        origin, down = x.indice_dict[self.indice_key]
        weight = self.get_weight("in")
        room = [
            n - ((m - 1) * s - 2 * p + k)
            for n, m, s, p, k in zip(
                origin.spatial_shape, x.spatial_shape, down.stride, down.padding, self.size
            )
        ]
        grid = TRANSPOSED[self.dim](x.dense(), weight, stride=down.stride, padding=down.padding)
        # What no window covers is 0: none of it is read but the bias.
        grid = F.pad(grid, [cells for n in reversed(room) for cells in (0, max(n, 0))])
        y = self.finish(x, grid, origin.indices, origin.spatial_shape)
        return y


def _define(base, stem):
    for dim in (1, 2, 3):
        globals()[f"{stem}{dim}d"] = type(f"{stem}{dim}d", (base,), {"dim": dim})


_define(_SubMConv, "SubMConv")
_define(_SparseConv, "SparseConv")
_define(_SparseInverseConv, "SparseInverseConv")
