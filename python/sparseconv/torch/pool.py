# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling as modules, and the container that applies torch's own modules."""

from collections import deque

import torch
from torch import nn

from ..errors import ArgumentError
from . import ops
from .conv import Window
from .norms import run_with_norm
from .tensor import Pair

__all__ = ["SparseGlobalAvgPool", "SparseGlobalMaxPool", "SparseGlobalSumPool", "SparseSequential"]


class _Pool(nn.Module):
    """Combines the inputs that a window meets, by channel, among those that are
    there. An average divides by their number, or with `count_volume` by the size of
    the window. By default the stride is the size of the window."""

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
        if x.dim != self.dim:
            raise ArgumentError(
                f"{type(self).__name__}: expects a tensor of {self.dim} axes, but found {x.dim}"
            )
        target, table = self.window.find_forward(x, self.output)
        x.cache.add_pair(self.indice_key, Pair(x.set, target, table, self.window.size))
        return x._make(ops.pool(x.features, table, self.kind, self.count_volume), target)

    def extra_repr(self):
        return repr(self.window)


class _GlobalPool(nn.Module):
    """Combines all rows of each batch item: [batch size, channels], zeros for an
    item without rows."""

    kind = None

    def forward(self, x):
        return ops.global_pool(x.sort(x.features), x.set.coords, self.kind, x.batch_size)


class SparseGlobalMaxPool(_GlobalPool):
    kind = "max"


class SparseGlobalAvgPool(_GlobalPool):
    kind = "avg"


class SparseGlobalSumPool(_GlobalPool):
    kind = "sum"


class SparseSequential(nn.Sequential):
    """Modules one after the other. Those of torch, such as norms and activations,
    are applied to features. In eval mode and without gradients a convolution, the
    BatchNorm1d behind it and a ReLU behind that are one run, which rounds once."""

    def forward(self, x):
        rest = deque(self)
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
        return type(module).__module__.startswith("torch.nn.") and not isinstance(
            module, (nn.Sequential, nn.ModuleList)
        )


for _kind in ("max", "avg", "sum"):
    for _dim in range(1, 5):
        _name = f"Sparse{_kind.capitalize()}Pool{_dim}d"
        _body = {
            "dim": _dim, "kind": _kind, "__doc__": _Pool.__doc__, "__module__": __name__,
        }  # fmt: skip
        globals()[_name] = type(_name, (_Pool,), _body)
        __all__.append(_name)
