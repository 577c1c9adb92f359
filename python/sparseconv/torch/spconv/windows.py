# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What spconv's convolutions and poolings share."""

import torch

from ...errors import ArgumentError
from ..programs import is_watched

_COUNT = "max_num_voxels_during_training"


class HasWindow:
    """A layer that shows its window with spconv's names, and with `record_voxel_count=True`
    keeps the largest number of rows that it has given, in a buffer."""

    subm = record_voxel_count = False

    def _record_counts(self, record_voxel_count):
        self.record_voxel_count = record_voxel_count
        if record_voxel_count:
            self.register_buffer(_COUNT, torch.zeros(1, dtype=torch.int32))

    def _count(self, y):
        """Takes what the layer gives into account."""
        # What writes a module down as a network has no place for it.
        if torch.compiler.is_compiling() or not is_watched(y.features):
            self.max_num_voxels_during_training.clamp_(min=y.features.shape[0])

    def get_max_num_voxels(self):
        return getattr(self, _COUNT, None)

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        # As in spconv, what was saved without a count can be loaded.
        if self.record_voxel_count:
            state_dict.setdefault(prefix + _COUNT, torch.zeros(1, dtype=torch.int32))
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    @property
    def ndim(self):
        return self.window.dim

    @property
    def kernel_size(self):
        return list(self.window.size)

    @property
    def stride(self):
        return list(self.window.stride)

    @property
    def padding(self):
        return list(self.window.padding)

    @property
    def dilation(self):
        return list(self.window.dilation)


def become(layer, base, kind, namespace):
    """Makes a layer that was made as one of spconv's class `base` for any number of axes one
    of the class `kind`, which is that for one number."""
    found = namespace.get(kind)
    if found is None:
        raise ArgumentError(f"{base.__name__}: there is no {kind}")
    if type(layer) is not base:
        raise ArgumentError(
            f"{type(layer).__name__}: expects {kind} as its base, not {base.__name__}"
        )
    layer.__class__ = found
