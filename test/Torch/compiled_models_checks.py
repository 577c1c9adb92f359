# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of spconv's and torchsparse's users compiled as a whole, against themselves: with
the rows of results where the models have them."""

import models
import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import sparseconv.torch.torchsparse as torchsparse
import torch
import torch_checks
from models import expect_same_rows, make_points
from sparseconv.torch.torchsparse.nn import functional as F
from torch import nn
from torch_checks import check, expect, expect_close, expect_error


def make(name, function, device):
    torch.manual_seed(2)
    model = function(models.load(name)).to(device).eval()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm1d):
            nn.init.uniform_(module.running_mean, -0.2, 0.2)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
    return model


@check
def second(device):
    model = make("second", lambda m: m.SecondEncoder(4, (40, 36, 40)), device)
    compiled = None
    for seed, count in ((0, 300), (1, 200)):
        points = make_points((41, 36, 40), count, seed=seed).to(device)
        features = torch.randn(len(points), 4, device=device)
        batch = {"voxel_features": features, "voxel_coords": points, "batch_size": 2}
        compiled = compiled or sparseconv.compile(model, batch)
        with torch.no_grad():
            found, expected = compiled(batch), model(batch)
        expect_close(found["from_above"], expected["from_above"], 2e-5)
        expect(torch.equal(found["levels"]["conv1"].indices, points), "rows changed their order")
        for name, level in expected["levels"].items():
            expect_same_rows(found["levels"][name], level, name)
    # Features at the points' coordinates can be read row by row.
    first = found["levels"]["conv1"]
    expect_close(first.features, expected["levels"]["conv1"].features, 2e-5)
    again = spconv.SubMConv3d(16, 4, 3).to(device)
    expect_close(again(first).features, again(expected["levels"]["conv1"]).features, 2e-5)


@check
def centerpoint(device):
    model = make("centerpoint", lambda m: m.CenterPointEncoder(5, [41, 32, 32]), device)
    points = make_points((41, 32, 32), 250).to(device)
    given = torch.randn(len(points), 5, device=device), points, 2
    with torch.no_grad():
        expect_same_rows(sparseconv.compile(model, given)(*given), model(*given), "encoded")


@check
def tensors_in_and_out(device):
    torch.manual_seed(3)
    net = spconv.SparseSequential(
        spconv.SubMConv3d(4, 8, 3, indice_key="a"), nn.BatchNorm1d(8), nn.ReLU(),
        spconv.SparseConv3d(8, 8, 2, 2, indice_key="b"), spconv.SubMConv3d(8, 6, 1),
        spconv.SparseInverseConv3d(6, 4, 2, "b"),
    ).to(device).eval()  # fmt: skip
    points = make_points((8, 8, 8), 80).to(device)
    x = spconv.SparseConvTensor(torch.randn(len(points), 4).to(device), points, [8] * 3, 2)
    with torch.no_grad():
        y, expected = sparseconv.compile(net, x)(x), net(x)
    expect(y.indices is x.indices)
    expect_close(y.features, expected.features, 2e-5)
    # The same with tensors of the package's own, which say whether rows are the points'.
    layer = sct.SubMConv3d(4, 8, 3).to(device).eval()
    x, other = (
        sct.SparseTensor(x.features, points, [8] * 3, 2, rows=rows) for rows in ("points", "set")
    )
    compiled = sparseconv.compile(layer, x)
    with torch.no_grad():
        expect_close(compiled(x).features, layer(x).features, 2e-5)
    expect_error(sparseconv.ArgumentError, "found rows in set order", compiled, other)


@check
def minkunet(device):
    model = make(
        "minkunet", lambda m: m.MinkUNet(5, 4, 0.5, (32, 64, 96), (96, 64, 48)), device
    )
    points = make_points((15, 12, 16), 250).to(device)
    x = torchsparse.SparseTensor(torch.randn(len(points), 4, device=device), points)
    try:
        F.set_kmap_mode("hashmap")
        with torch.no_grad():
            expect_close(sparseconv.compile(model, x)(x), model(x), 2e-5)
    finally:
        F.set_kmap_mode("hashmap_on_the_fly")
    x = torchsparse.SparseTensor(x.F, x.C)
    expect_error(sparseconv.CompileError, "minkunet.py", sparseconv.compile, model, x)


if __name__ == "__main__":
    torch_checks.run()
