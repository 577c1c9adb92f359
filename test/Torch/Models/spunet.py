# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A U-net for segmentation in spconv's idiom: inverse convolutions go back over the maps
of the strided ones, and levels are joined by their features."""

from collections import OrderedDict

import sparseconv.torch.spconv as spconv
import torch
from torch import nn


class BasicBlock(spconv.SparseModule):
    def __init__(self, in_channels, out_channels, indice_key):
        super().__init__()
        self.proj = spconv.SparseSequential(nn.Identity())
        if in_channels != out_channels:
            self.proj = spconv.SparseSequential(
                spconv.SubMConv3d(in_channels, out_channels, kernel_size=1, bias=False),
                nn.BatchNorm1d(out_channels),
            )
        self.conv1 = spconv.SubMConv3d(
            in_channels, out_channels, kernel_size=3, padding=1, bias=False,
            indice_key=indice_key,
        )  # fmt: skip
        self.bn1 = nn.BatchNorm1d(out_channels)
        self.conv2 = spconv.SubMConv3d(
            out_channels, out_channels, kernel_size=3, padding=1, bias=False,
            indice_key=indice_key,
        )  # fmt: skip
        self.bn2 = nn.BatchNorm1d(out_channels)

    def forward(self, x):
        out = self.conv1(x)
        out = out.replace_feature(torch.relu(self.bn1(out.features)))
        out = self.conv2(out)
        out = out.replace_feature(self.bn2(out.features))
        return out.replace_feature(torch.relu(out.features + self.proj(x).features))


class SparseUNet(nn.Module):
    def __init__(self, in_channels, num_classes, channels=(32, 64, 128), decoder=(64, 32),
                 blocks=2, stem=5):  # fmt: skip
        super().__init__()
        self.conv_input = spconv.SparseSequential(
            spconv.SubMConv3d(
                in_channels, channels[0], kernel_size=stem, padding=1, bias=False,
                indice_key="stem",
            ),
            nn.BatchNorm1d(channels[0]),
            nn.ReLU(),
        )  # fmt: skip
        self.down, self.enc, self.up, self.dec = (nn.ModuleList() for _ in range(4))
        for s, (before, width) in enumerate(zip(channels, channels[1:])):
            self.down.append(
                spconv.SparseSequential(
                    spconv.SparseConv3d(
                        before, width, kernel_size=2, stride=2, bias=False,
                        indice_key=f"spconv{s + 1}",
                    ),
                    nn.BatchNorm1d(width),
                    nn.ReLU(),
                )
            )  # fmt: skip
            self.enc.append(self.make_blocks("block", width, width, blocks, f"subm{s + 1}"))
        before = channels[-1]
        for s, width in enumerate(decoder):
            level = len(decoder) - s
            self.up.append(
                spconv.SparseSequential(
                    spconv.SparseInverseConv3d(
                        before, width, kernel_size=2, bias=False, indice_key=f"spconv{level}"
                    ),
                    nn.BatchNorm1d(width),
                    nn.ReLU(),
                )
            )
            joined = width + channels[level - 1]
            self.dec.append(self.make_blocks("block", joined, width, blocks, f"subm{level - 1}"))
            before = width
        self.final = spconv.SubMConv3d(before, num_classes, kernel_size=1, padding=1, bias=True)

    @staticmethod
    def make_blocks(name, before, width, count, key):
        return spconv.SparseSequential(
            OrderedDict(
                (f"{name}{i}", BasicBlock(before if i == 0 else width, width, key))
                for i in range(count)
            )
        )

    def forward(self, grid_coord, feat, batch):
        shape = torch.add(torch.max(grid_coord, dim=0).values, 8).tolist()
        x = spconv.SparseConvTensor(
            features=feat,
            indices=torch.cat([batch.unsqueeze(-1).int(), grid_coord.int()], dim=1).contiguous(),
            spatial_shape=shape,
            batch_size=batch[-1].tolist() + 1,
        )
        return self.segment(x).features

    def segment(self, x):
        x = self.conv_input(x)
        skips = [x]
        for down, enc in zip(self.down, self.enc):
            x = enc(down(x))
            skips.append(x)
        x = skips.pop()
        for up, dec in zip(self.up, self.dec):
            x = up(x)
            skip = skips.pop()
            x = x.replace_feature(torch.cat((x.features, skip.features), dim=1))
            x = dec(x)
        return self.final(x)
