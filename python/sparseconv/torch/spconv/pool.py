# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's pooling."""

from ...errors import ArgumentError
from .. import pool
from .modules import SparseModule
from .windows import HasWindow, become

__all__ = [
    "SparseGlobalAvgPool", "SparseGlobalMaxOrAvgPool", "SparseGlobalMaxPool",
    "SparseMaxPool1d", "SparseMaxPool2d", "SparseMaxPool3d", "SparseMaxPool4d",
    "SparseAvgPool1d", "SparseAvgPool2d", "SparseAvgPool3d", "SparseAvgPool4d",
]  # fmt: skip


class _SparsePool(HasWindow, SparseModule):
    """What poolings of windows share. Made as it is, a class of any number of axes becomes
    the layer of one:

        SparseMaxPool(3, 2, 2)  # SparseMaxPool3d(2, 2)
    """

    def __init__(self, ndim, kernel_size=3, stride=1, padding=0, dilation=1, indice_key=None,
                 subm=False, algo=None, record_voxel_count=False, name=None):  # fmt: skip
        base = SparseAvgPool if isinstance(self, SparseAvgPool) else SparseMaxPool
        if subm:
            raise ArgumentError(f"{base.__name__}: subm=True is not there")
        become(self, base, f"{base.__name__}{ndim}d", globals())
        self.__init__(
            kernel_size, stride, padding, dilation, indice_key, algo, record_voxel_count, name
        )

    def forward(self, x):
        y = super().forward(x)
        if self.record_voxel_count:
            self._count(y)
        return y


class _OfOneDim:
    """Combines the rows that a window meets; an average divides by their number."""

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, indice_key=None,
                 algo=None, record_voxel_count=False, name=None):  # fmt: skip
        self.layer.__init__(self, kernel_size, stride, padding, dilation, indice_key)
        self.algo, self.name = algo, name
        self._record_counts(record_voxel_count)


class SparseGlobalMaxOrAvgPool(SparseModule, pool._GlobalPool):
    """The mean or the largest of the features of each batch item: [batch, channels]."""

    def __init__(self, is_mean, name=None):
        super().__init__(name)
        self.is_mean, self.kind = is_mean, "avg" if is_mean else "max"


class SparseGlobalMaxPool(SparseGlobalMaxOrAvgPool, pool.SparseGlobalMaxPool):
    """The largest features of each batch item: [batch, channels]."""

    def __init__(self, name=None):
        super().__init__(False, name)


class SparseGlobalAvgPool(SparseGlobalMaxOrAvgPool, pool.SparseGlobalAvgPool):
    """The mean of the features of each batch item: [batch, channels]."""

    def __init__(self, name=None):
        super().__init__(True, name)


class SparseMaxPool(_SparsePool):
    """What the maximum poolings of 1 to 4 axes have in common, to ask for with isinstance."""


class SparseAvgPool(_SparsePool):
    """What the average poolings of 1 to 4 axes have in common, to ask for with isinstance."""


for _name in __all__:
    if _name.endswith("d"):
        _layer, _base = getattr(pool, _name), globals()[_name[:-2]]
        _body = {"layer": _layer, "__doc__": _OfOneDim.__doc__, "__module__": __name__}
        globals()[_name] = type(_name, (_OfOneDim, _base, _layer), _body)
