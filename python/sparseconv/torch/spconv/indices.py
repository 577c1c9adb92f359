# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What spconv's layers note of their maps under an `indice_key`."""

import weakref
from collections.abc import Mapping, MutableMapping

import torch

from ...errors import ArgumentError
from ..rows import RowTensor
from ..shapes import list_cells


class IndiceData:
    """What a layer with an `indice_key` found: the indices of its inputs and outputs,
    and which belong together. `pair_fwd` [offsets, outputs] in int32 has the row of
    the input, or -1, and `pair_bwd` [offsets, inputs] that of the output. `indice_pairs`
    [2, offsets, inputs] lists for each offset the rows of inputs, and those of outputs,
    `indice_pair_num` how many there are; -1 fills the rest."""

    #: The compiler chooses.
    algo = None

    def __init__(self, pairs, given, cache):
        #: All of the key, by the names of their out sets; the last one is shown.
        self.pairs, self.given, self.cache = pairs, given, cache
        pair = self._pair = next(reversed(pairs.values()))
        window = pair.window
        self.ksize, self.stride = list(window.size), list(window.stride)
        self.padding, self.dilation = list(window.padding), list(window.dilation)
        self.spatial_shape = list_cells(pair.source.shape)
        self.out_spatial_shape = list_cells(pair.target.shape)
        self.is_subm = pair.source is pair.target

    @property
    def indices(self):
        return RowTensor.at(self._pair.source, self.cache).indices

    @property
    def out_indices(self):
        return RowTensor.at(self._pair.target, self.cache).indices

    @property
    def pair_fwd(self):
        return self._pair.table.T.contiguous()

    @property
    def pair_bwd(self):
        return self.cache.get_transposed(self._pair).T.contiguous()

    @property
    def indice_pairs(self):
        outputs = self.pair_bwd
        order = torch.argsort((outputs < 0).int(), dim=1, stable=True)  # those that are come first
        outputs = outputs.gather(1, order)
        return torch.stack([torch.where(outputs < 0, -1, order.int()), outputs])

    @property
    def indice_pair_num(self):
        return (self._pair.table >= 0).sum(0, dtype=torch.int32)


class IndiceDict(MutableMapping):
    """What the layers with an `indice_key` found, by their keys. Given to a new tensor
    at indices that a layer knows, it hands on their maps. All tensors that layers make of
    one input share it: what one of them takes out is gone for the others, too, until a layer
    with that key comes again. An entry of it can be put under another key, and into the one
    of a tensor at indices that a layer knows, which has no entries yet."""

    def __init__(self, x):
        # Whoever keeps this does not keep features.
        self.tensor, self.given, self.cache = weakref.ref(x), x.given, x.cache

    def __getitem__(self, key):
        return IndiceData(self.cache.pairs[key], self.given, self.cache)

    def __setitem__(self, key, entry):
        pairs, x = list_pairs({key: entry}), self.tensor()
        if entry.cache.tables is not self.cache.tables and x is not None and not self:
            x.indice_dict = {key: entry}
            self.given, self.cache = x.given, x.cache
        if entry.cache.tables is not self.cache.tables:
            refuse_other_input(key)
        self.cache.pairs.update(pairs)

    def __delitem__(self, key):
        del self.cache.pairs[key]

    def __iter__(self):
        return iter(self.cache.pairs)

    def __len__(self):
        return len(self.cache.pairs)

    def copy(self):
        """A dictionary of the entries, which can be changed by itself."""
        return dict(self)


def refuse_other_input(key):
    raise ArgumentError(
        f"indice_dict[{key!r}]: this is an entry of another input's tensors, none of which is at "
        "the indices of this one"
    )


def list_pairs(entries):
    """The pairs of entries by their keys. They have to be of one input."""
    cache = None
    if not isinstance(entries, Mapping):
        raise ArgumentError(
            f"indice_dict: expects a dictionary, but found {type(entries).__name__}"
        )
    for key, entry in entries.items():
        if not isinstance(entry, IndiceData):
            raise ArgumentError(
                f"indice_dict[{key!r}]: expects what a layer left in the indice_dict of a tensor, "
                f"but found {type(entry).__name__}"
            )
        cache = entry.cache if cache is None else cache
        if entry.cache.tables is not cache.tables:
            refuse_other_input(key)
    return {key: dict(entry.pairs) for key, entry in entries.items()}
