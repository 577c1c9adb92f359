# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's sparse tensor."""

import enum
import types

import torch
import torch.fx

from ...errors import ArgumentError
from .. import functional as sparse
from ..rows import RowTensor
from ..shapes import is_same_shape, list_cells, read_count, read_shape
from ..tensor import make_tree, repeat
from .indices import IndiceData, IndiceDict, list_pairs

#: There is one kind of what layers note; it has the entries of both of spconv's.
ImplicitGemmIndiceData = IndiceData


class ConvAlgo(enum.Enum):
    """The algorithms of spconv. Layers take one and do not use it: here the compiler
    chooses for each layer."""

    Native = 0
    MaskImplicitGemm = 1
    MaskSplitImplicitGemm = 2


def scatter_nd(indices, updates, shape):
    """Zeros of a shape, with the rows of `updates` at `indices` [..., axes], which count the
    first axes of the shape; of several at one place, one stays.

        grid = scatter_nd(x.indices.long(), x.features, [2, 8, 8, 8, 16])
    """
    grid = torch.zeros(*shape, dtype=updates.dtype, device=updates.device)
    axes = indices.shape[-1]
    values = updates.reshape(-1, *shape[axes:])
    grid[tuple(indices.reshape(-1, axes).long().T)] = values
    return grid


def expand_nd(ndim, val):
    """A list with a number for each of `ndim` axes, from one number or a sequence."""
    return list(repeat(val if isinstance(val, int) else [int(v) for v in val], ndim, "val"))


def become_traced(x, tracer, *arguments):
    """Makes of a tensor what stands for it where torch.fx traces how it is made. A metaclass
    is torch's own way to do that, and would slow all tensors."""
    made = tracer.create_proxy("call_function", type(x), arguments, {})
    x.__class__ = type(made)
    x.__dict__.update(made.__dict__)


@make_tree
class SparseConvTensor(RowTensor):
    """Features [rows, channels] at `indices` [rows, 1 + axes] in int32: a batch index,
    and the place on each axis within `spatial_shape`. Cells of this and `batch_size` may be
    tensors without axes, which are read where a layer needs them.

    Rows keep their order in layers that keep the indices (SubMConv, norms, and inverse
    convolutions back to them). Strided layers make rows in ascending order of indices.

        x = SparseConvTensor(torch.ones(1, 4), torch.zeros(1, 4).int(), [8, 8, 8], 1)
        x = x.replace_feature(x.features * 2)"""

    UNION = "functional.sparse_add adds others"

    # What spconv keeps beside, which models copy from tensor to tensor.
    grid = voxel_num = thrust_allocator = _timer = force_algo = int8_scale = None
    benchmark, benchmark_record = False, types.MappingProxyType({})
    FIELDS = (*RowTensor.FIELDS, "grid", "voxel_num", "thrust_allocator", "_timer",
              "force_algo", "int8_scale", "benchmark", "benchmark_record")  # fmt: skip

    def __init__(self, features, indices, spatial_shape, batch_size, grid=None, voxel_num=None,
                 indice_dict=None, benchmark=False, permanent_thrust_allocator=False,
                 enable_timer=False, force_algo=None):  # fmt: skip
        if not isinstance(indices, torch.Tensor) or indices.dtype != torch.int32:
            if isinstance(indices, torch.fx.Proxy):
                become_traced(
                    self, indices.tracer, features, indices, spatial_shape, batch_size, grid,
                    voxel_num, indice_dict, benchmark, permanent_thrust_allocator, enable_timer,
                    force_algo,
                )  # fmt: skip
                return
            found = getattr(indices, "dtype", type(indices).__name__)
            raise ArgumentError(f"indices: expects a tensor of int32, but found {found}")
        if indices.dim() != 2 or features.dim() != 2:
            raise ArgumentError(
                "expects features [rows, channels] and indices [rows, 1 + axes], but found "
                f"the shapes {tuple(features.shape)} and {tuple(indices.shape)}"
            )
        shape = read_shape(spatial_shape)
        if len(shape) != indices.shape[1] - 1:
            raise ArgumentError(
                f"spatial_shape: expects {indices.shape[1] - 1} axes, as the indices have, "
                f"but found {len(shape)}"
            )
        self.start(features, indices, (1,) * len(shape), shape, read_count(batch_size))
        if indice_dict is not None:
            self.indice_dict = indice_dict

    @property
    def _features(self):
        """Where spconv has them, and where some models write them."""
        return self.features

    @_features.setter
    def _features(self, features):
        self.features = features

    @property
    def spatial_shape(self):
        return list_cells(self.get_shape())

    @spatial_shape.setter
    def spatial_shape(self, shape):
        indices, shape = self.indices, read_shape(shape)
        if is_same_shape(shape, self.get_shape()):
            return  # the maps are those of this shape
        self.start(
            self.features, indices, (1,) * (indices.shape[1] - 1), shape, self._batch_size
        )

    @property
    def spatial_size(self):
        size = 1
        for cells in self.spatial_shape:
            size *= cells
        return size

    @property
    def batch_size(self):
        """The number of items: a tensor where it was given as one."""
        given = self._batch_size
        return given if isinstance(given, torch.Tensor) else self.get_batch_size()

    @batch_size.setter
    def batch_size(self, batch_size):
        self._batch_size = batch_size

    @property
    def is_quantized(self):
        return False

    @property
    def indice_dict(self):
        return IndiceDict(self)

    @indice_dict.setter
    def indice_dict(self, indice_dict):
        if isinstance(indice_dict, IndiceDict):
            self.adopt(indice_dict.given, indice_dict.cache)
            return
        # Of a plain dictionary this tensor, and what layers make of it, has the entries alone.
        pairs = list_pairs(indice_dict)
        for entry in indice_dict.values():
            self.adopt(entry.given, entry.cache)
            if self.cache.tables is not entry.cache.tables:
                return  # no layer of theirs knows these indices
        if pairs or self.cache.pairs:
            self.cache = self.cache.fork(pairs)

    def find_indice_pair(self, key):
        """What the layer with this `indice_key` found, or None."""
        return self.indice_dict.get(key)

    def dense(self, channels_first=True):
        """The grid [batch, channels, *spatial_shape], or with the channels last."""
        return sparse.to_dense(self, channels_last=not channels_first).contiguous()

    def minus(self):
        return self.replace_feature(-self.features)

    def shadow_copy(self):
        return self.replace_feature(self.features)

    def select_by_index(self, valid_indices):
        """The rows of some numbers, or of a mask."""
        return SparseConvTensor(
            self.features[valid_indices], self.indices[valid_indices], self.spatial_shape,
            self.batch_size,
        )  # fmt: skip

    @classmethod
    def from_dense(cls, x):
        """The cells [batch, *shape, channels] of a grid that have a channel other than
        0."""
        indices = (x != 0).any(-1).nonzero()
        return cls(x[tuple(indices.T)], indices.int(), x.shape[1:-1], x.shape[0])

    def __repr__(self):
        return f"SparseConvTensor[shape={self.features.shape}]"
