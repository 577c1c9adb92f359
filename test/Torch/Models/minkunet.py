# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MinkUNet in torchsparse's idiom."""

import sparseconv.torch.torchsparse as torchsparse
import sparseconv.torch.torchsparse.nn as spnn
from torch import nn


class ConvolutionBlock(nn.Module):
    def __init__(self, inc, outc, ks=3, stride=1, transposed=False):
        super().__init__()
        self.net = nn.Sequential(
            spnn.Conv3d(inc, outc, kernel_size=ks, stride=stride, transposed=transposed),
            spnn.BatchNorm(outc),
            spnn.ReLU(True),
        )

    def forward(self, x):
        return self.net(x)


class ResidualBlock(nn.Module):
    def __init__(self, inc, outc, ks=3):
        super().__init__()
        self.net = nn.Sequential(
            spnn.Conv3d(inc, outc, kernel_size=ks),
            spnn.BatchNorm(outc),
            spnn.ReLU(True),
            spnn.Conv3d(outc, outc, kernel_size=ks),
            spnn.BatchNorm(outc),
        )
        self.downsample = nn.Identity()
        if inc != outc:
            self.downsample = nn.Sequential(
                spnn.Conv3d(inc, outc, kernel_size=1), spnn.BatchNorm(outc)
            )
        self.relu = spnn.ReLU(True)

    def forward(self, x):
        return self.relu(self.net(x) + self.downsample(x))


class MinkUNet(nn.Module):
    """With `cr=1` and four levels, 42 convolutions and the shortcuts."""

    def __init__(self, num_classes, in_channels=4, cr=1.0, encoder=(32, 64, 128, 256),
                 decoder=(256, 128, 96, 96)):  # fmt: skip
        super().__init__()
        encoder, decoder = ([int(cr * width) for width in widths] for widths in (encoder, decoder))
        skips = [encoder[0], *encoder[:-1]]
        self.stem = nn.Sequential(
            ConvolutionBlock(in_channels, skips[0]), ConvolutionBlock(skips[0], skips[0])
        )
        self.stages = nn.ModuleList(
            nn.Sequential(
                ConvolutionBlock(before, before, ks=2, stride=2),
                ResidualBlock(before, width),
                ResidualBlock(width, width),
            )
            for before, width in zip(skips, encoder)
        )
        self.up = nn.ModuleList()
        before = encoder[-1]
        for width, skip in zip(decoder, reversed(skips)):
            self.up.append(
                nn.ModuleList(
                    [
                        ConvolutionBlock(before, width, ks=2, stride=2, transposed=True),
                        nn.Sequential(
                            ResidualBlock(width + skip, width), ResidualBlock(width, width)
                        ),
                    ]
                )
            )
            before = width
        self.classifier = nn.Linear(before, num_classes)

    def forward(self, x):
        x = self.stem(x)
        levels = [x]
        for stage in self.stages:
            x = stage(x)
            levels.append(x)
        levels.pop()
        for grow, fuse in self.up:
            x = fuse(torchsparse.cat([grow(x), levels.pop()]))
        return self.classifier(x.F)
