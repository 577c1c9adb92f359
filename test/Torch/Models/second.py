# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The middle encoder of SECOND: voxels of a LiDAR sweep to a map from above."""

from functools import partial

import sparseconv.torch.spconv as spconv
from torch import nn


def make_block(kind, in_channels, out_channels, kernel_size, key, norm, **options):
    conv = {"subm": spconv.SubMConv3d, "down": spconv.SparseConv3d}[kind]
    return spconv.SparseSequential(
        conv(in_channels, out_channels, kernel_size, bias=False, indice_key=key, **options),
        norm(out_channels),
        nn.ReLU(),
    )


class SecondEncoder(nn.Module):
    """`grid_size` counts the cells as x, y, z; coordinates come as (batch, z, y, x)."""

    def __init__(self, in_channels, grid_size, out_channels=128):
        super().__init__()
        norm = partial(nn.BatchNorm1d, eps=1e-3, momentum=0.01)
        self.sparse_shape = [grid_size[2] + 1, grid_size[1], grid_size[0]]
        self.conv_input = make_block("subm", in_channels, 16, 3, "subm1", norm, padding=1)
        self.conv1 = spconv.SparseSequential(
            make_block("subm", 16, 16, 3, "subm1", norm, padding=1),
        )
        stages = []
        for level, (channels, padding) in enumerate(((32, 1), (64, 1), (64, (0, 1, 1))), 2):
            before = 16 if level == 2 else stages[-1][0]
            down = make_block(
                "down", before, channels, 3, f"spconv{level}", norm, stride=2, padding=padding
            )
            same = [
                make_block("subm", channels, channels, 3, f"subm{level}", norm, padding=1)
                for _ in range(2)
            ]
            stages.append((channels, spconv.SparseSequential(down, *same)))
        self.conv2, self.conv3, self.conv4 = (stage for _, stage in stages)
        self.conv_out = make_block(
            "down", 64, out_channels, (3, 1, 1), "spconv_down2", norm, stride=(2, 1, 1)
        )

    def forward(self, batch):
        x = spconv.SparseConvTensor(
            features=batch["voxel_features"],
            indices=batch["voxel_coords"].int(),
            spatial_shape=self.sparse_shape,
            batch_size=batch["batch_size"],
        )
        levels = {}
        x = self.conv_input(x)
        for name in ("conv1", "conv2", "conv3", "conv4"):
            x = levels[name] = getattr(self, name)(x)
        out = self.conv_out(x)
        dense = out.dense()
        items, channels, depth, height, width = dense.shape
        return {
            "levels": levels,
            "encoded": out,
            "from_above": dense.view(items, channels * depth, height, width),
        }
