# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the models of other libraries' users, with their import of a library changed,
and compares tensors whose rows come in any order."""

import os
import types

import torch
from torch_checks import expect, expect_close

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Models")
#: What a model's line `import sparseconv.torch.LIBRARY` becomes.
LIBRARIES = {
    "ours": {},
    "reference": {
        "import sparseconv.torch.spconv as spconv": "import reference_spconv as spconv",
        "import sparseconv.torch.torchsparse as torchsparse": (
            "import reference_torchsparse as torchsparse"
        ),
        "import sparseconv.torch.torchsparse.nn as spnn": "spnn = torchsparse.nn",
    },
    "spconv": {"import sparseconv.torch.spconv as spconv": "import spconv.pytorch as spconv"},
}


def load(name, library="ours"):
    """The module of a model, with its import as it is or as a library's users have it."""
    path = os.path.join(FOLDER, f"{name}.py")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for line, other in LIBRARIES[library].items():
        text = text.replace(line + "\n", other + "\n")
    module = types.ModuleType(f"{name}_{library}")
    exec(compile(text, path, "exec"), module.__dict__)
    return module


def make_points(shape, count, batch=2, seed=0):
    """Coordinates (batch, ...) in random order, each once, and all items of the batch."""
    generator = torch.Generator().manual_seed(seed)
    sides = [batch, *shape]
    points = torch.stack([torch.randint(0, n, (count,), generator=generator) for n in sides], 1)
    points = torch.unique(points, dim=0)
    return points[torch.randperm(len(points), generator=generator)].int()


def sort_rows(indices, features):
    order = torch.arange(len(indices), device=indices.device)
    for axis in reversed(range(indices.shape[1])):
        order = order[torch.argsort(indices[order, axis], stable=True)]
    return indices[order], features[order]


def expect_same_rows(found, expected, text, bound=2e-5):
    """That two tensors have the same features at the same indices, in any order."""
    mine, features = sort_rows(found.indices.cpu(), found.features.cpu())
    other, values = sort_rows(expected.indices.cpu(), expected.features.cpu())
    expect(torch.equal(mine, other), f"{text}: indices differ")
    expect(found.spatial_shape == list(expected.spatial_shape), f"{text}: shapes differ")
    expect_close(features, values, bound, text)
