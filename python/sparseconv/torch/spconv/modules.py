# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's modules that hold and join others."""

from torch import nn

from .. import pool
from .core import SparseConvTensor


class SparseModule(nn.Module):
    """A module that takes a SparseConvTensor. In SparseSequential all other modules get
    features."""

    def __init__(self, name=None):
        super().__init__()
        self.name = name


def is_spconv_module(module):
    """Whether a module takes a SparseConvTensor where it stands in SparseSequential."""
    kinds = (SparseModule, SparseBatchNorm, SparseSyncBatchNorm, SparseReLU, SparseIdentity)
    return isinstance(module, kinds)


def is_sparse_conv(module):
    """Whether a module is a convolution of this package under spconv's name."""
    from .conv import SparseConvolution

    return isinstance(module, SparseConvolution)


class SparseSequential(SparseModule, pool.SparseSequential):
    """Modules one after the other, as arguments, as an OrderedDict, or by names. Those
    that are no SparseModule, and no layer of `sparseconv.torch`, are applied to features,
    and left out where there is no row."""

    def __init__(self, *args, **kwargs):
        pool.SparseSequential.__init__(self, *args)
        self.name = None
        for name, module in kwargs.items():
            self.add(module, name)

    def add(self, module, name=None):
        name = str(len(self)) if name is None else name
        if name in self._modules:
            raise KeyError(f"there is a module {name!r} already")
        self.add_module(name, module)

    def takes_features(self, module):
        return not is_spconv_module(module) and not isinstance(module, pool.TAKE_TENSORS)

    def run_module(self, module, x):
        if not isinstance(x, SparseConvTensor) or not self.takes_features(module):
            return module(x)
        return x.replace_feature(module(x.features)) if x.features.shape[0] else x


class _OnFeatures:
    """A module of torch that also takes a SparseConvTensor."""

    def forward(self, x):
        if isinstance(x, SparseConvTensor):
            return x.replace_feature(super().forward(x.features))
        return super().forward(x)


class SparseBatchNorm(_OnFeatures, nn.BatchNorm1d):
    pass


class SparseSyncBatchNorm(_OnFeatures, nn.SyncBatchNorm):
    pass


class SparseReLU(_OnFeatures, nn.ReLU):
    pass


class SparseIdentity(_OnFeatures, nn.Identity):
    pass


class ToDense(SparseModule):
    """[batch, channels, *spatial_shape], zeros where there is no row."""

    def forward(self, x):
        return x.dense()


class RemoveGrid(SparseModule):
    def forward(self, x):
        return x


def assign_name_for_sparse_modules(module):
    """Does nothing: names are for spconv's timers."""
