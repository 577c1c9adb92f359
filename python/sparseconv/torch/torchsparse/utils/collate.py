# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's batches of samples."""

import numpy as np
import torch

from ....errors import ArgumentError

__all__ = ["sparse_collate", "sparse_collate_fn"]


def sparse_collate(inputs):
    """Tensors without a batch index as one, each with its number for it."""
    from ..tensor import SparseTensor

    if any(x.stride != inputs[0].stride for x in inputs):
        raise ArgumentError("sparse_collate: expects tensors of one stride")
    coords = []
    for number, x in enumerate(inputs):
        places = torch.as_tensor(x.coords)
        batch = places.new_full((len(places), 1), number)
        coords.append(torch.cat([batch, places], 1).int())
    feats = [torch.as_tensor(x.feats) for x in inputs]
    return SparseTensor(torch.cat(feats), torch.cat(coords), inputs[0].stride)


def sparse_collate_fn(inputs):
    """A batch of samples, which are dictionaries: sparse tensors are collated, arrays
    stacked, and all else comes as a list."""
    from ..tensor import SparseTensor

    if not isinstance(inputs[0], dict):
        return inputs
    output = {}
    for name, value in inputs[0].items():
        values = [sample[name] for sample in inputs]
        if isinstance(value, dict):
            output[name] = sparse_collate_fn(values)
        elif isinstance(value, SparseTensor):
            output[name] = sparse_collate(values)
        elif isinstance(value, (np.ndarray, torch.Tensor)):
            output[name] = torch.stack([torch.as_tensor(array) for array in values])
        else:
            output[name] = values
    return output
