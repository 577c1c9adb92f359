# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's convolution. Weights are in `kernel` [offsets, in, out], or [in, out] for
one offset: state dicts are torchsparse's."""

import math

import torch
from torch import nn

from ....errors import ArgumentError
from ... import conv, weights
from ...caches import Pair
from ...rows import KeepsLayout
from ...tensor import repeat
from . import config as settings
from .strided import find_target


class Conv3d(KeepsLayout, conv.Convolution):
    """A convolution at the coordinates of its inputs; with a stride, at those that
    torchsparse finds; with `transposed=True`, back over the map of the layer that made
    its inputs with the same size and stride."""

    dim = 3
    weight_name = "kernel"
    #: All that a layer can be made with.
    dilation, generative = 1, False

    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1, padding=0, dilation=1,
                 bias=False, transposed=False, generative=False, config=None):  # fmt: skip
        if generative:
            raise ArgumentError(
                "Conv3d: generative=True is not there; sparseconv.torch.SparseConvTranspose3d makes "
                "an output wherever an input reaches"
            )
        if max(repeat(dilation, 3, "dilation")) > 1:
            raise ArgumentError(
                "Conv3d: torchsparse 2.1 takes dilation and ignores it; say dilation=1 for that, or "
                "use sparseconv.torch.SubMConv3d"
            )
        size, steps = repeat(kernel_size, 3, "kernel_size"), repeat(stride, 3, "stride")
        # What the parameters' shapes and values depend on.
        self.is_pointwise = math.prod(size) == 1 and max(steps) == 1
        self.transposed, self.config = transposed, config
        window = conv.Window(3, size, steps, padding)
        super().__init__(window, in_channels, out_channels, bias=bias)

    @property
    def _config(self):
        """Where torchsparse has it, and where scripts write it."""
        return self.config

    @_config.setter
    def _config(self, config):
        self.config = config

    @property
    def kernel_size(self):
        return self.window.size

    @property
    def kernel_volume(self):
        return self.window.volume

    @property
    def padding(self):
        """What was given; as in torchsparse, the middle where that does not count."""
        sides = zip(self.window.size, self.window.stride, self.window.padding)
        return tuple((k - 1) // 2 if k % 2 and s == 1 else p for k, s, p in sides)

    @property
    def stride(self):
        return self.window.stride

    def get_weight_shape(self):
        shape = (self.in_channels, self.out_channels)
        return shape if self.is_pointwise else (self.window.volume, *shape)

    def convert_weight(self, weight):
        return weights.from_library("torchsparse", weight, self.window.size)

    def find_layout(self):
        if self.window.volume % 2 == 0:
            return None
        channels = self.in_channels, self.out_channels
        return self.make_layout((*reversed(self.window.size), *channels), (2, 1, 0, 3, 4))

    def reset_parameters(self):
        channels = self.out_channels if self.transposed else self.in_channels
        bound = 1 / math.sqrt(self.window.volume * channels)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def find_map(self, x):
        key = ("torchsparse", self.window.size, self.window.stride)
        if self.transposed and not self.is_pointwise:
            return self._find_back(x, key)
        kmap_mode, downsample_mode = settings.get_modes(self.config)
        window = self._place_window(kmap_mode)
        target = x.set
        if max(window.stride) > 1:
            target = find_target(x, window, self.window, kmap_mode, downsample_mode)
        table = x.cache.get_table(x.set, target, window.offsets, window.volume)
        x.cache.add_pair(key, Pair(x.set, target, table, window))
        return target, table

    def _place_window(self, kmap_mode):
        """The window with the inputs that it meets: the same as padding says where there
        is a stride; else, and in the other mode, around the output, but an even one
        begins there."""
        size, stride = self.window.size, self.window.stride
        if kmap_mode == "hashmap_on_the_fly":
            if max(stride) > 1:
                return self.window
            if self.window.volume % 2 == 0:
                return conv.Window(3, size)
        return conv.Window(3, size, stride, tuple((k - 1) // 2 for k in size))

    def _find_back(self, x, key):
        pair = x.cache.find_pair(key, x.set)
        if pair is None or pair.target.name != x.set.name:
            raise ArgumentError(
                f"Conv3d: expects the output of a layer of size {self.window.size} and stride "
                f"{self.window.stride}, whose map a transposed one goes back over, but found none"
            )
        return pair.source, x.cache.get_transposed(pair)


def conv3d(input, weight, kernel_size, bias=None, stride=1, padding=0, dilation=1, config=None,
           transposed=False, generative=False, training=False):  # fmt: skip
    """What a layer with these weights gives; its padding is said as that of a layer."""
    with torch.device("meta"):
        layer = Conv3d(
            *weight.shape[-2:], kernel_size, stride, padding, dilation, bias is not None,
            transposed, generative, config,
        )  # fmt: skip
    parameters = {"kernel": weight} if bias is None else {"kernel": weight, "bias": bias}
    return torch.func.functional_call(layer, parameters, (input,))
