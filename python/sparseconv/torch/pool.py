# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling as modules, and the container that applies torch's own modules."""

from collections import deque

import torch
from torch import nn

from ..errors import ArgumentError
from . import ahead, ops
from .caches import Pair
from .conv import Convolution, Window, define_dims
from .norms import run_with_norm
from .tensor import check_input

__all__ = [
    "SparseGlobalAvgPool", "SparseGlobalMaxPool", "SparseGlobalSumPool", "SparseSequential",
    "SparseMaxPool1d", "SparseMaxPool2d", "SparseMaxPool3d", "SparseMaxPool4d",
    "SparseAvgPool1d", "SparseAvgPool2d", "SparseAvgPool3d", "SparseAvgPool4d",
    "SparseSumPool1d", "SparseSumPool2d", "SparseSumPool3d", "SparseSumPool4d",
]  # fmt: skip


class _Pool(nn.Module):
    """Combines the inputs that a kernel meets, by channel, among those that are there."""

    dim = kind = None

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, indice_key=None, *,
                 output="cover", count_volume=False):  # fmt: skip
        super().__init__()
        stride = kernel_size if stride is None else stride
        self.window = Window(self.dim, kernel_size, stride, padding, dilation)
        if output not in ("cover", "floor"):
            raise ArgumentError(f"output: expects 'cover' or 'floor', but found {output!r}")
        if count_volume and self.kind != "avg":
            raise ArgumentError("count_volume is for averages")
        self.output, self.indice_key, self.count_volume = output, indice_key, count_volume

    def forward(self, x):
        check_input(self, x, self.dim)
        if x.cache.asked is None:
            ahead.begin(self, x)
        target, table = self.window.find_forward(x, self.output)
        if self.indice_key is not None:
            x.cache.add_pair(self.indice_key, Pair(x.set, target, table, self.window))
        return x._make(ops.pool(x.features, table, self.kind, self.count_volume), target)

    def extra_repr(self):
        return repr(self.window)


class _GlobalPool(nn.Module):
    """Combines all rows of each batch item."""

    kind = None

    def forward(self, x):
        check_input(self, x)
        return ops.global_pool(x.sort(x.features), x.set.coords, self.kind, x.get_batch_size())


class _SparseMaxPool(_Pool):
    """The largest of the inputs that a kernel meets, by channel, among those that are
    there.

    kernel_size   the number of offsets on each axis: one for all axes or one for each
    stride        the cells between two outputs, likewise; by default the kernel's size
    padding       the cells that the kernel may begin before the grid, likewise
    dilation      the step between two offsets in cells, likewise
    indice_key    a name by which a `SparseInverseConv3d` finds the layer
    output        "cover" or "floor", as for `SparseConv3d`
    count_volume  for averages alone

    Features [rows, channels] become [output rows, channels]. Arguments that are out of
    their range, and a tensor with other axes, are an `ArgumentError`.

        y = sct.SparseMaxPool3d(2)(x)
    """

    kind = "max"


class _SparseAvgPool(_Pool):
    """The mean of the inputs that a kernel meets, by channel: their sum by the number of
    those that are there.

    kernel_size   the number of offsets on each axis: one for all axes or one for each
    stride        the cells between two outputs, likewise; by default the kernel's size
    padding       the cells that the kernel may begin before the grid, likewise
    dilation      the step between two offsets in cells, likewise
    indice_key    a name by which a `SparseInverseConv3d` finds the layer
    output        "cover" or "floor", as for `SparseConv3d`
    count_volume  whether to divide by the number of offsets instead

    Features [rows, channels] become [output rows, channels]. Arguments that are out of
    their range, and a tensor with other axes, are an `ArgumentError`.

        y = sct.SparseAvgPool3d(2)(x)
    """

    kind = "avg"


class _SparseSumPool(_Pool):
    """The sum of the inputs that a kernel meets, by channel.

    kernel_size   the number of offsets on each axis: one for all axes or one for each
    stride        the cells between two outputs, likewise; by default the kernel's size
    padding       the cells that the kernel may begin before the grid, likewise
    dilation      the step between two offsets in cells, likewise
    indice_key    a name by which a `SparseInverseConv3d` finds the layer
    output        "cover" or "floor", as for `SparseConv3d`
    count_volume  for averages alone

    Features [rows, channels] become [output rows, channels]. Arguments that are out of
    their range, and a tensor with other axes, are an `ArgumentError`.

        y = sct.SparseSumPool3d(2)(x)
    """

    kind = "sum"


class SparseGlobalMaxPool(_GlobalPool):
    """The largest of all rows of each batch item, by channel: a `SparseTensor` becomes a
    tensor [batch size, channels], with zeros for an item without rows.

        y = sct.SparseGlobalMaxPool()(x)
    """

    kind = "max"


class SparseGlobalAvgPool(_GlobalPool):
    """The mean of all rows of each batch item, by channel: a `SparseTensor` becomes a
    tensor [batch size, channels], with zeros for an item without rows.

        y = sct.SparseGlobalAvgPool()(x)
    """

    kind = "avg"


class SparseGlobalSumPool(_GlobalPool):
    """The sum of all rows of each batch item, by channel: a `SparseTensor` becomes a
    tensor [batch size, channels], with zeros for an item without rows.

        y = sct.SparseGlobalSumPool()(x)
    """

    kind = "sum"


class SparseSequential(nn.Sequential):
    """Modules one after the other. Those of torch, such as norms and activations, classes
    that keep their `forward`, and an nn.Sequential of them alone, are applied to the features
    of a `SparseTensor`, [rows, channels], and have to keep its rows; another number of rows
    is an `ArgumentError`. In eval mode and without gradients
    a convolution, the BatchNorm1d behind it and a ReLU behind that are one run, which
    rounds once.

        net = sct.SparseSequential(
            sct.SubMConv3d(4, 32, 3), torch.nn.BatchNorm1d(32), torch.nn.ReLU())
        y = net(x)
    """

    def forward(self, x):
        rest = deque(self._modules.values())
        while rest:
            module = rest.popleft()
            y = run_with_norm(module, rest, x)
            x = self.run_module(module, x) if y is None else y
        return x

    def run_module(self, module, x):
        if self.takes_features(module) and not isinstance(x, torch.Tensor):
            return x.replace(module(x.features))
        return module(x)

    def takes_features(self, module):
        """Whether a module is applied to features: those of torch, those that do what one of
        these does, and sequences of nothing else."""
        kind = type(module)
        if isinstance(module, TAKE_TENSORS):
            return False
        if isinstance(module, nn.Sequential) and kind.forward is nn.Sequential.forward:
            return len(module) > 0 and all(map(self.takes_features, module))
        if kind.__module__ == "torch.nn.utils.parametrize":
            kind = kind.__base__  # which that has made another class of
        if _is_of_torch(kind):
            return True
        if "_orig_mod" in module._modules:  # what torch.compile wraps
            return self.takes_features(module._orig_mod)
        return kind.forward is not nn.Module.forward and _is_of_torch(kind.forward)


def _is_of_torch(thing):
    """Whether a class or a function is one of torch's modules."""
    return str(getattr(thing, "__module__", None)).startswith("torch.nn.")


#: The modules of this package that take sparse tensors, wherever they stand.
TAKE_TENSORS = (Convolution, _Pool, _GlobalPool, SparseSequential)

define_dims(globals())
