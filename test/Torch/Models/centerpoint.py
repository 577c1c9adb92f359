# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The encoder of CenterPoint: residual blocks, with the maps of a level shared by its
`indice_key`."""

import sparseconv.torch.spconv as spconv
from torch import nn


class ResidualBlock(spconv.SparseModule):
    def __init__(self, channels, key):
        super().__init__()
        self.conv1 = spconv.SubMConv3d(channels, channels, 3, padding=1, indice_key=key)
        self.bn1 = nn.BatchNorm1d(channels, eps=1e-3, momentum=0.01)
        self.relu = nn.ReLU()
        self.conv2 = spconv.SubMConv3d(channels, channels, 3, padding=1, indice_key=key)
        self.bn2 = nn.BatchNorm1d(channels, eps=1e-3, momentum=0.01)

    def forward(self, x):
        out = self.conv1(x)
        out = out.replace_feature(self.bn1(out.features))
        out = out.replace_feature(self.relu(out.features))
        out = self.conv2(out)
        out = out.replace_feature(self.bn2(out.features))
        out = out.replace_feature(out.features + x.features)
        return out.replace_feature(self.relu(out.features))


class CenterPointEncoder(nn.Module):
    def __init__(self, in_channels, sparse_shape, widths=(16, 32, 64, 128)):
        super().__init__()
        self.sparse_shape = sparse_shape
        self.conv_input = spconv.SparseSequential(
            spconv.SubMConv3d(in_channels, widths[0], 3, padding=1, bias=False, indice_key="res1"),
            nn.BatchNorm1d(widths[0], eps=1e-3, momentum=0.01),
            nn.ReLU(),
        )
        self.conv1 = spconv.SparseSequential(
            ResidualBlock(widths[0], "res1"), ResidualBlock(widths[0], "res1")
        )
        for level, (before, width) in enumerate(zip(widths, widths[1:]), 2):
            padding = 1 if level < 4 else (0, 1, 1)
            stage = spconv.SparseSequential(
                spconv.SparseConv3d(
                    before, width, 3, stride=2, padding=padding, bias=False,
                    indice_key=f"spconv{level}",
                ),
                nn.BatchNorm1d(width, eps=1e-3, momentum=0.01),
                nn.ReLU(),
                ResidualBlock(width, f"res{level}"),
                ResidualBlock(width, f"res{level}"),
            )  # fmt: skip
            setattr(self, f"conv{level}", stage)
        self.conv_out = spconv.SparseSequential(
            spconv.SparseConv3d(
                widths[3], 128, (3, 1, 1), stride=(2, 1, 1), bias=False,
                indice_key="spconv_down2",
            ),
            nn.BatchNorm1d(128, eps=1e-3, momentum=0.01),
            nn.ReLU(),
        )  # fmt: skip

    def forward(self, features, coords, batch_size):
        x = spconv.SparseConvTensor(features, coords, self.sparse_shape, batch_size)
        x = self.conv1(self.conv_input(x))
        for level in (2, 3, 4):
            x = getattr(self, f"conv{level}")(x)
        return self.conv_out(x)
