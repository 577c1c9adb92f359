# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's cropping."""

import torch

__all__ = ["spcrop"]


def spcrop(input, coords_min=None, coords_max=None):
    """The rows with coordinates of at least `coords_min` and below `coords_max`."""
    places = input.coords[:, 1:]
    mask = torch.ones(len(places), dtype=torch.bool, device=places.device)
    if coords_min is not None:
        mask &= (places >= places.new_tensor(coords_min)).all(1)
    if coords_max is not None:
        mask &= (places < places.new_tensor(coords_max)).all(1)
    return type(input)(input.feats[mask], input.coords[mask], input.stride)
