# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of other libraries, on numbers computed by hand."""

import sparseconv
import sparseconv.torch as sct
import torch
import torch_checks
from torch_checks import check, expect, expect_close, expect_error


@check
def orders(device):
    # Offset (a, b, c) of a kernel of 2 x 3 x 1 has the number 10 a + b.
    here = torch.tensor([0.0, 1, 2, 10, 11, 12])[:, None, None]
    size = (2, 3, 1)
    first = torch.tensor([0.0, 10, 1, 11, 2, 12])[:, None, None]
    cases = {
        "spconv": here.reshape(1, 2, 3, 1, 1), "flexgemm": here.reshape(1, 2, 3, 1, 1),
        "warpconvnet": here, "minkowski": first, "torchsparse": here,
    }  # fmt: skip
    for library, there in cases.items():
        expect(torch.equal(sct.weights.from_library(library, there, size), here), library)
        expect(torch.equal(sct.weights.to_library(library, here, size), there), library)
    odd = torch.arange(3.0)[:, None] * 10 + torch.arange(3.0)
    turned = odd.T.reshape(9, 1, 1)
    odd = odd.reshape(9, 1, 1)
    expect(torch.equal(sct.weights.from_library("torchsparse", turned, (3, 3)), odd))


@check
def channels(device):
    # [out, k, in]: out channel 1 of offset 2 takes 3 times in channel 0.
    there = torch.zeros(2, 3, 4)
    there[1, 2, 0] = 3
    here = sct.weights.from_library("spconv", there, (3,))
    expect(here.shape == (3, 4, 2) and here[2, 0, 1] == 3 and here.sum() == 3)


@check
def there_and_back(device):
    for library in sct.weights.LIBRARIES:
        for size in ((1, 1, 1), (3, 3, 3), (2, 2, 2), (1, 3, 2), (5,), (2, 3)):
            here = torch.randn(torch.Size(size).numel(), 4, 6)
            there = sct.weights.to_library(library, here, size)
            expect(torch.equal(sct.weights.from_library(library, there, size), here), library)
    expect(sct.weights.to_library("minkowski", torch.randn(1, 4, 6), (1, 1)).shape == (4, 6))
    expect_error(
        sparseconv.ArgumentError, "27x..., but found 8x4x6", sct.weights.from_library,
        "minkowski", torch.randn(8, 4, 6), (3, 3, 3),
    )  # fmt: skip
    expect_error(
        sparseconv.ArgumentError, "one of", sct.weights.to_library, "other",
        torch.randn(8, 4, 6), (2, 2, 2),
    )  # fmt: skip


@check
def minkowski_by_hand(device):
    # The sums of MinkowskiEngine's two-dimensional example, whose first axis is fastest.
    points = torch.tensor([[0, 0, 0], [0, 1, 1], [0, 2, 1]], dtype=torch.int32, device=device)
    features = torch.tensor([[0.0, 1], [1, 0], [1, 1]], device=device)
    taps = torch.tensor(
        [[[1.0, 2], [2, 1]], [[0, 1], [1, 0]], [[0, 1], [1, 1]], [[1, 1], [1, 0]]],
        device=device,
    )
    layer = sct.SparseConv2d(2, 2, 2, 2, bias=False, output="floor").to(device)
    x = sct.SparseTensor(features, points)
    layer.weight.data = sct.weights.from_library("minkowski", taps, (2, 2))
    y = layer(x)
    expect(y.coordinates.tolist() == [[0, 0, 0], [0, 2, 0]])
    expect_close(y.features, torch.tensor([[3.0, 2], [1, 2]], device=device), 0)
    layer.weight.data = sct.weights.from_library("warpconvnet", taps, (2, 2))
    expect_close(layer(x).features, torch.tensor([[3.0, 2], [1, 1]], device=device), 0)


if __name__ == "__main__":
    torch_checks.run()
