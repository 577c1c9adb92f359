# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's tensors."""

from ...errors import ArgumentError
from .. import functional as sparse
from ..rows import RowTensor
from ..tensor import make_tree
from .utils import make_ntuple
from .utils.tensor_cache import TensorCache


def get_allow_negative_coordinates():
    return False


def set_allow_negative_coordinates(allow_negative_coordinates):
    """Says what strided layers do as it is: they have no output at negative coordinates."""
    if allow_negative_coordinates:
        raise ArgumentError(
            "set_allow_negative_coordinates: strided layers have no output at negative "
            "coordinates here; those of sparseconv.torch do"
        )


@make_tree
class SparseTensor(RowTensor):
    """Features [rows, channels] at `coords` [rows, 4] in int32: a batch index and x, y, z
    in units of the stride. Without a batch index it can be collated, no more.

    spatial_range    (batch size, x, y, z), or None where the highest coordinate on each
                     axis ends the grid; further numbers are kept and not used

    Rows keep their order in layers that keep the coordinates, and in transposed layers
    back to them. Strided layers make rows in ascending order of coordinates.

        x = SparseTensor(torch.ones(1, 4), torch.zeros(1, 4).int())
        x.F, x.C, x.s"""

    UNION = "generative_add adds others"

    #: What `_caches` gave last, and what `spatial_range` was given beside the grid.
    _last_caches, _rest_of_range = None, ()
    FIELDS = (*RowTensor.FIELDS, "_rest_of_range")

    def __init__(self, feats, coords, stride=1, spatial_range=None):
        batch_size = shape = None
        if spatial_range is not None:
            batch_size, shape, rest = _read_range(spatial_range)
            if rest:
                self._rest_of_range = rest
        self.start(feats, coords, make_ntuple(stride, 3), shape, batch_size)

    @property
    def feats(self):
        return self.features

    @feats.setter
    def feats(self, feats):
        self.features = feats

    @property
    def coords(self):
        return self.indices

    @coords.setter
    def coords(self, coords):
        self._place(coords, self.stride)

    @RowTensor.stride.setter
    def stride(self, stride):
        self._place(self.indices, make_ntuple(stride, 3))

    def _place(self, coords, stride):
        """Takes other coordinates, which have new sets and maps. What models have noted in
        `_caches` stays."""
        notes = self._caches.__dict__
        self.start(self.features, coords, stride, self.get_shape(), self._batch_size)
        self.cache.notes, self._last_caches = notes, None

    F, C, s = feats, coords, stride

    @property
    def spatial_range(self):
        shape = self.get_shape()
        return None if shape is None else (self.batch_size, *shape, *self._rest_of_range)

    @property
    def _caches(self):
        last = self._last_caches
        if last is None or last.given is not self.given or last.cache is not self.cache:
            last = self._last_caches = TensorCache(self.given, self.cache)
        return last

    @_caches.setter
    def _caches(self, caches):
        self.adopt(caches.given, caches.cache)
        if caches.given is not self.given or caches.cache is not self.cache:
            caches = TensorCache(self.given, self.cache, caches.__dict__)
        self._last_caches = caches

    @property
    def cmaps(self):
        return self._caches.cmaps

    @property
    def kmaps(self):
        return self._caches.kmaps

    @cmaps.setter
    def cmaps(self, entries):
        self._caches = entries.caches

    @kmaps.setter
    def kmaps(self, entries):
        self._caches = entries.caches

    def to(self, *arguments, non_blocking=True, **named):
        """Moves the tensor to a device, or its features to a type, and gives it back."""
        feats = self.feats.to(*arguments, non_blocking=non_blocking, **named)
        if self.coords.device != feats.device:
            self.coords = self.coords.to(feats.device, non_blocking=non_blocking)
        self.feats = feats
        return self

    def cpu(self):
        return self.to("cpu")

    def cuda(self):
        return self.to("cuda")

    def half(self):
        self.feats = self.feats.half()
        return self

    def detach(self):
        self.feats = self.feats.detach()
        return self

    def dense(self):
        """The grid [batch size, x, y, z, channels]."""
        return sparse.to_dense(self, channels_last=True)


def _read_range(spatial_range):
    """The batch size, the grid, and what torchsparse does not read of a spatial_range."""
    try:
        numbers = tuple(int(cells) for cells in spatial_range)
    except TypeError:  # there is nothing to go over
        numbers = ()
    if len(numbers) < 4:
        raise ArgumentError(
            f"spatial_range: expects (batch size, x, y, z), but found {spatial_range!r}"
        )
    return numbers[0], numbers[1:4], numbers[4:]


class PointTensor:
    """Features of points, with what models keep beside them."""

    def __init__(self, feats, coords, idx_query=None, weights=None):
        self.F, self.C = feats, coords
        self.idx_query = {} if idx_query is None else idx_query
        self.weights = {} if weights is None else weights
        self.additional_features = {"idx_query": {}, "counts": {}}

    def to(self, device, non_blocking=True):
        self.F = self.F.to(device, non_blocking=non_blocking)
        self.C = self.C.to(device, non_blocking=non_blocking)
        return self

    def cuda(self):
        return self.to("cuda")

    def detach(self):
        self.F, self.C = self.F.detach(), self.C.detach()
        return self

    def __add__(self, other):
        made = PointTensor(self.F + other.F, self.C, self.idx_query, self.weights)
        made.additional_features = self.additional_features
        return made
