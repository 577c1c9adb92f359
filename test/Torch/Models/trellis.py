# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sparse decoder in the idiom of TRELLIS: a tensor of its own around spconv's, modules
around spconv's convolutions (so that weights are called `...conv.weight`), and steps that
divide each voxel into eight."""

import sparseconv.torch.spconv as spconv
import torch
from torch import nn


class VoxelTensor:
    """Features `feats` at `coords` (batch, x, y, z), held as spconv's tensor `data`."""

    def __init__(self, feats=None, coords=None, data=None, scale=1):
        if data is None:
            shape = list(coords.max(0)[0] + 1)
            data = spconv.SparseConvTensor(feats, coords.int(), shape[1:], shape[0])
        self.data, self.scale = data, scale

    @property
    def feats(self):
        return self.data.features

    @property
    def coords(self):
        return self.data.indices

    def replace(self, feats):
        data = spconv.SparseConvTensor(
            self.data.features, self.data.indices, self.data.spatial_shape,
            self.data.batch_size, self.data.grid, self.data.voxel_num, self.data.indice_dict,
        )  # fmt: skip
        data._features = feats
        data.benchmark = self.data.benchmark
        data.benchmark_record = self.data.benchmark_record
        data.force_algo = self.data.force_algo
        return VoxelTensor(data=data, scale=self.scale)


class VoxelConv(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, bias=True, key=None):
        super().__init__()
        algo = spconv.ConvAlgo.MaskImplicitGemm
        kind = spconv.SubMConv3d if stride == 1 else spconv.SparseConv3d
        options = {"bias": bias, "indice_key": key, "algo": algo}
        if stride > 1:
            options["stride"] = stride
        self.conv = kind(in_channels, out_channels, kernel_size, **options)

    def forward(self, x):
        return VoxelTensor(data=self.conv(x.data), scale=x.scale)


class OnFeats(nn.Sequential):
    def forward(self, x):
        return x.replace(super().forward(x.feats))


class Subdivide(nn.Module):
    """Each voxel as its eight parts, with its features."""

    def forward(self, x):
        parts = torch.tensor([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])
        parts = torch.cat([torch.zeros(8, 1), parts], 1).int().to(x.coords.device)
        coords = x.coords.clone()
        coords[:, 1:] *= 2
        coords = coords.unsqueeze(1) + parts
        feats = x.feats.unsqueeze(1).expand(-1, 8, -1)
        return VoxelTensor(feats.flatten(0, 1), coords.flatten(0, 1), scale=x.scale * 2)


class SubdivideBlock(nn.Module):
    def __init__(self, channels, out_channels, resolution, num_groups=8):
        super().__init__()
        self.act_layers = OnFeats(nn.GroupNorm(num_groups, channels), nn.SiLU())
        self.sub = Subdivide()
        key = f"res_{resolution}"
        self.out_layers = nn.Sequential(
            VoxelConv(channels, out_channels, 3, key=key),
            OnFeats(nn.GroupNorm(num_groups, out_channels), nn.SiLU()),
            VoxelConv(out_channels, out_channels, 3, key=key),
        )
        self.skip_connection = nn.Identity()
        if channels != out_channels:
            self.skip_connection = VoxelConv(channels, out_channels, 1, key=f"{key}_skip")

    def forward(self, x):
        h = self.out_layers(self.sub(self.act_layers(x)))
        skip = self.skip_connection(self.sub(x))
        return h.replace(h.feats + skip.feats)


class SparseDecoder(nn.Module):
    def __init__(self, channels=64, out_channels=8, resolution=16):
        super().__init__()
        self.input_layer = nn.Linear(8, channels)
        self.upsample = nn.ModuleList(
            [
                SubdivideBlock(channels, channels // 4, resolution * 2),
                SubdivideBlock(channels // 4, channels // 8, resolution * 4),
            ]
        )
        self.out_layer = nn.Linear(channels // 8, out_channels)

    def forward(self, feats, coords):
        x = VoxelTensor(feats, coords)
        x = x.replace(self.input_layer(x.feats))
        for block in self.upsample:
            x = block(x)
        return x.replace(self.out_layer(x.feats))
