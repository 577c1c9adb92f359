# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of spconv's and torchsparse's users compiled as a whole, against themselves: with
the rows of results where the models have them."""

import re
import subprocess

import models
import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import sparseconv.torch.torchsparse as torchsparse
import torch
import torch_checks
from models import expect_same_rows, make_points
from sparseconv.compiler import find_program
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
        expect(
            torch.equal(found["levels"]["conv1"].indices, points), "rows changed their order"
        )
        for name, level in expected["levels"].items():
            expect_same_rows(found["levels"][name], level, name)
    expect_rows_move_twice(compiled.mlir())
    # Features at the points' coordinates can be read row by row.
    first = found["levels"]["conv1"]
    expect_close(first.features, expected["levels"]["conv1"].features, 2e-5)
    again = spconv.SubMConv3d(16, 4, 3).to(device)
    expect_close(again(first).features, again(expected["levels"]["conv1"]).features, 2e-5)


def expect_rows_move_twice(text):
    """Points come into set order once, the one result in their order goes back, and
    everything between is done where convolutions store rows."""
    passes = "canonicalize,cse,func.func(sparseconv-fuse-epilogues)"
    fused = subprocess.run(
        [find_program("sparseconv-opt"), f"--pass-pipeline=builtin.module({passes})"],
        input=text, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    expect(fused.count("sparseconv.gather ") == 2, fused)
    # What is left makes the map from above: its axes in another order.
    expect(fused.count("sparseconv.conv ") == fused.count(" epilogue(") == 12, fused)
    expect("linalg.generic" not in fused, fused)


@check
def centerpoint(device):
    model = make("centerpoint", lambda m: m.CenterPointEncoder(5, [41, 32, 32]), device)
    points = make_points((41, 32, 32), 250).to(device)
    given = torch.randn(len(points), 5, device=device), points, 2
    with torch.no_grad():
        expect_same_rows(sparseconv.compile(model, given)(*given), model(*given), "encoded")


class Decoder(nn.Module):
    """TRELLIS's decoder, with spconv's tensor out of its own."""

    def __init__(self, channels, out_channels):
        super().__init__()
        self.net = models.load("trellis").SparseDecoder(channels, out_channels)

    def forward(self, features, points):
        return self.net(features, points).data


@check
def trellis(device):
    torch.manual_seed(2)
    model = Decoder(64, 9).to(device).eval()
    compiled = None
    for seed, count in ((0, 40), (1, 30)):
        points = make_points((5, 6, 5), count, batch=2, seed=seed).to(device)
        given = torch.randn(len(points), 8, device=device), points
        compiled = compiled or sparseconv.compile(model, given)
        with torch.no_grad():
            found, expected = compiled(*given), model(*given)
        expect(torch.equal(found.indices, expected.indices), "rows changed their order")
        expect_close(found.features, expected.features, 2e-5)
        sizes = [[*map(int, y.spatial_shape), int(y.batch_size)] for y in (found, expected)]
        expect(sizes[0] == sizes[1], f"{sizes}")
        expect_close(found.dense(), expected.dense(), 2e-5)
    # Both branches of a block divide the same voxels, and have one set and one map of each
    # kernel for them. The shortcut multiplies voxels, in both blocks. Their features are gathered
    # from what is divided; at the end of a block rows go back to the order of points.
    text = compiled.mlir()
    names = "pack", "subdivide", "kernel_map", "gather"
    counts = [text.count(f"sparseconv.{name} ") for name in names]
    expect(counts == [1, 2, 5, 7], f"{counts} of {names}")
    # The shortcuts multiply rows before they are repeated: with the maps of the voxels, which are
    # those of the pack, and the parts of the first division.
    voxels = [re.search(rf"(%set\d+), .* = sparseconv.{name} ", text)[1] for name in names[:2]]
    for block, coords in enumerate(voxels):
        weight = f"net_upsample_{block}_skip_connection_conv_weight"
        near = re.search(rf"%{weight}, (%map\d+) ", text)[1]
        expect(f"{near} = sparseconv.kernel_map {coords} to {coords} " in text, f"{near} of {coords}")


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
        sct.SparseTensor(x.features, points, [8] * 3, 2, rows=rows)
        for rows in ("points", "set")
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
    for mode in ("hashmap", "hashmap_on_the_fly"):
        x = torchsparse.SparseTensor(torch.randn(len(points), 4, device=device), points)
        try:
            F.set_kmap_mode(mode)
            with torch.no_grad():
                expect_close(sparseconv.compile(model, x)(x), model(x), 2e-5, mode)
        finally:
            F.set_kmap_mode("hashmap_on_the_fly")


class Mixed(nn.Module):
    """Features in the points' order beside what a layer makes of them."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = spconv.SubMConv3d(4, 4, 3), nn.BatchNorm1d(4)

    def forward(self, features, points):
        x = spconv.SparseConvTensor(features, points, [8] * 3, 2)
        y = self.conv(x)
        y = y.replace_feature(torch.relu(self.norm(y.features)) + features[:, :1])
        same = torch.cat([y.features, features * points[:, 1:2]], 1)
        return y.features.amax(1), y, self.conv(y), same


@check
def orders_that_meet(device):
    torch.manual_seed(4)
    model = Mixed().to(device).eval().requires_grad_(False)
    points = make_points((8, 8, 8), 80).to(device)
    args = torch.randn(len(points), 4, device=device), points
    compiled = sparseconv.compile(model, args)
    points = make_points((8, 8, 8), 60, seed=1).to(device)
    args = torch.randn(len(points), 4, device=device), points
    for found, expected in zip(compiled(*args), model(*args), strict=True):
        expect_close(*(getattr(t, "features", t) for t in (found, expected)), 2e-5)


@check
def shapes_from_data_are_refused(device):
    model = make("spunet", lambda m: m.SparseUNet(6, 13, (16, 32), (24,), 1), device)
    points = make_points((17, 20, 14), 250).to(device)
    features = torch.randn(len(points), 6, device=device)
    args = points[:, 1:], features, points[:, 0]
    try:
        sparseconv.compile(model, args)
    except sparseconv.CompileError as error:
        expect("it reads a number from a device" in str(error), str(error))
        expect("Models/spunet.py:" in str(error) and ".tolist()" in str(error), str(error))
        return
    raise AssertionError("expected an error")


if __name__ == "__main__":
    torch_checks.run()
