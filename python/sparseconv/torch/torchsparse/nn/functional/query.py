# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's search for hashes."""

import torch

__all__ = ["sphashquery"]


def sphashquery(queries, references):
    """The places of some numbers in a list of others, -1 for those that are not there."""
    if not len(references):
        return torch.full_like(queries, -1)
    known, order = torch.sort(references, stable=True)
    places = torch.searchsorted(known, queries.contiguous()).clamp(max=len(known) - 1)
    return torch.where(known[places] == queries, order[places], -1)
