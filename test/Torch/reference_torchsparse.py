# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torchsparse's layers compute, on dictionaries from coordinates to rows in float64:
the definition that models of its interface are compared with."""

import itertools
import types

import torch
from torch import nn as torch_nn


class SparseTensor:
    def __init__(self, feats, coords, stride=1, spatial_range=None, maps=None):
        self.F, self.C = feats.double(), coords
        self.s = (stride,) * 3 if isinstance(stride, int) else stride
        self.spatial_range = spatial_range
        self.maps = {} if maps is None else maps

    def make(self, feats, coords=None, stride=None):
        coords, stride = (self.C, self.s) if coords is None else (coords, stride)
        return SparseTensor(feats, coords, stride, None, self.maps)

    def __add__(self, other):
        return self.make(self.F + other.F)


def cat(inputs):
    return inputs[0].make(torch.cat([x.F for x in inputs], 1))


class Conv3d(torch_nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1, padding=0, dilation=1,
                 bias=False, transposed=False):  # fmt: skip
        super().__init__()
        self.size, self.stride, self.padding = (
            (n,) * 3 if isinstance(n, int) else tuple(n) for n in (kernel_size, stride, padding)
        )
        self.transposed = transposed
        self.volume = self.size[0] * self.size[1] * self.size[2]
        shape = (self.volume, in_channels, out_channels)
        if self.volume == 1 and max(self.stride) == 1:
            shape = shape[1:]
        self.kernel = torch_nn.Parameter(torch.randn(shape, dtype=torch.float64))
        zeros = torch.zeros(out_channels, dtype=torch.float64)
        self.bias = torch_nn.Parameter(zeros) if bias else None

    def list_offsets(self, begin):
        """Each place of the kernel, in the order of its weights: the first axis is the
        fastest one if their number is odd."""
        places = itertools.product(*(range(k) for k in self.size))
        if self.volume % 2:
            places = (place[::-1] for place in itertools.product(*map(range, self.size[::-1])))
        return [tuple(p + b for p, b in zip(place, begin)) for place in places]

    def find_pairs(self, x):
        """Output coordinates, and (offset, row in, row out)."""
        rows = {tuple(c): i for i, c in enumerate(x.C.tolist())}
        if max(self.stride) == 1:
            begin = [-(k // 2) if self.volume % 2 else 0 for k in self.size]
            outs = list(rows)
        else:
            begin = [-p for p in self.padding]
            high = [max(c[i + 1] for c in rows) for i in range(3)]
            last = [
                (h + 2 * p - (k - 1)) // s
                for h, p, k, s in zip(high, self.padding, self.size, self.stride)
            ]
            outs = set()
            for batch, *place in rows:
                for offset in self.list_offsets(begin):
                    reached = [p - o for p, o in zip(place, offset)]
                    if any(r % s for r, s in zip(reached, self.stride)):
                        continue
                    out = [r // s for r, s in zip(reached, self.stride)]
                    if all(0 <= o <= n for o, n in zip(out, last)):
                        outs.add((batch, *out))
            outs = sorted(outs, reverse=True)
        pairs = []
        for row, (batch, *place) in enumerate(outs):
            for number, offset in enumerate(self.list_offsets(begin)):
                at = (batch, *(p * s + o for p, s, o in zip(place, self.stride, offset)))
                if at in rows:
                    pairs.append((number, rows[at], row))
        return torch.tensor(outs, dtype=torch.int32), pairs

    def forward(self, x):
        kernel = self.kernel.reshape(self.volume, *self.kernel.shape[-2:])
        if self.transposed:
            stride = tuple(a // b for a, b in zip(x.s, self.stride))
            coords, pairs = x.maps[stride, self.size, self.stride]
            pairs = [(number, out, row) for number, row, out in pairs]
        else:
            stride = tuple(a * b for a, b in zip(x.s, self.stride))
            coords, pairs = self.find_pairs(x)
            x.maps.setdefault((x.s, self.size, self.stride), (x.C, pairs))
        feats = torch.zeros((len(coords), kernel.shape[2]), dtype=torch.float64)
        for number in range(self.volume):
            of = [(row, out) for n, row, out in pairs if n == number]
            if of:
                rows, outs = (torch.tensor(side) for side in zip(*of))
                feats = feats.index_add(0, outs, x.F[rows] @ kernel[number])
        feats = feats if self.bias is None else feats + self.bias
        return x.make(feats, coords, stride)


def _on_features(base):
    def forward(self, x):
        return x.make(base.forward(self, x.F))

    return type(base.__name__, (base,), {"forward": forward})


nn = types.SimpleNamespace(
    Conv3d=Conv3d,
    BatchNorm=_on_features(torch_nn.BatchNorm1d),
    ReLU=_on_features(torch_nn.ReLU),
)
