# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models call of torchsparse's compiled part."""

from .nn.functional import sphash, sphashquery
from .nn.utils import get_kernel_offsets
from .utils import make_ntuple

__all__ = ["GPUHashTable"]


class GPUHashTable:
    """The rows of coordinates, or of hashes, by what they are, on CPUs too. What it is made
    with, the memory of torchsparse's or its size, is not used. Found are the rows plus one,
    in int32, and 0 for none.

        table = GPUHashTable(keys, values)
        table.insert_coords(coords)
        rows = table.lookup_coords(queries, (2, 2, 2), (1, 1, 1), 8) - 1
    """

    def __init__(self, *memory):
        self._known = None

    def insert_vals(self, keys):
        """Hashes in int64."""
        self._known = keys

    def lookup_vals(self, keys):
        return sphashquery(keys, self._known).int() + 1

    def insert_coords(self, coords):
        """Rows [rows, 4] in int32, a batch index last."""
        self.insert_vals(sphash(coords))

    def lookup_coords(self, coords, kernel_size, stride, kernel_volume):
        """The rows [queries, offsets] at the places times `stride` plus each offset of a
        kernel."""
        places = coords.clone()
        places[:, :3] *= coords.new_tensor(make_ntuple(stride, 3))
        offsets = get_kernel_offsets(kernel_size, device=coords.device)
        return self.lookup_vals(sphash(places, offsets).T)
