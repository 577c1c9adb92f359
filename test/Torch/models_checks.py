# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of spconv's and torchsparse's users against what those libraries define, in
float64: outputs, the order of rows, and gradients."""

import models
import sparseconv.torch.torchsparse as torchsparse
import torch
import torch_checks
from models import expect_same_rows, make_points
from reference_torchsparse import SparseTensor as ReferenceTensor
from torch_checks import check, expect, expect_close


def make_pair(name, make):
    """A model on our layers and on the reference, with one state dict: that of the
    reference is loaded with all names and shapes as they are."""
    torch.manual_seed(1)
    ours = make(models.load(name))
    reference = make(models.load(name, "reference")).double()
    for module in reference.modules():
        if hasattr(module, "weight") and module.weight.dim() > 2:
            fan = module.weight[0].numel()
            torch.nn.init.uniform_(module.weight, -((3 / fan) ** 0.5), (3 / fan) ** 0.5)
        if hasattr(module, "kernel"):
            fan = module.kernel[..., 0].numel()
            torch.nn.init.uniform_(module.kernel, -((3 / fan) ** 0.5), (3 / fan) ** 0.5)
        if isinstance(module, torch.nn.BatchNorm1d):
            torch.nn.init.uniform_(module.running_mean, -0.2, 0.2)
            torch.nn.init.uniform_(module.running_var, 0.5, 1.5)
    ours.load_state_dict(reference.state_dict(), strict=True)
    reference.load_state_dict(ours.state_dict(), strict=True)
    return ours, reference


def expect_same_gradients(ours, reference, found, expected):
    """Of the sum of squares by all parameters."""
    found.square().sum().backward()
    expected.square().sum().backward()
    for (name, mine), other in zip(ours.named_parameters(), reference.parameters()):
        scale = other.grad.abs().max().clamp(min=1e-12)
        expect_close(mine.grad.cpu() / scale, other.grad / scale, 2e-4, name)


@check
def second(device):
    ours, reference = make_pair("second", lambda m: m.SecondEncoder(4, (40, 36, 40)))
    points = make_points((41, 36, 40), 300)
    batch = {"voxel_features": torch.randn(len(points), 4), "voxel_coords": points, "batch_size": 2}
    on_device = {
        name: value.to(device) if isinstance(value, torch.Tensor) else value
        for name, value in batch.items()
    }
    ours.to(device).eval()
    reference.eval()
    found, expected = ours(on_device), reference(batch)
    for name, level in found["levels"].items():
        expect_same_rows(level, expected["levels"][name], name)
    expect(torch.equal(found["levels"]["conv1"].indices.cpu(), points), "rows changed their order")
    expect_close(found["levels"]["conv1"].features.cpu(), expected["levels"]["conv1"].features)
    expect_same_rows(found["encoded"], expected["encoded"], "encoded")
    expect_close(found["from_above"].cpu(), expected["from_above"], 2e-5)
    ours.train()
    reference.train()
    found, expected = ours(on_device)["from_above"], reference(batch)["from_above"]
    expect_close(found.cpu(), expected, 1e-4, "training")
    expect_same_gradients(ours, reference, found, expected)


@check
def centerpoint(device):
    make = lambda m: m.CenterPointEncoder(5, [41, 32, 32])  # noqa: E731
    ours, reference = make_pair("centerpoint", make)
    ours.to(device).eval()
    reference.eval()
    points = make_points((41, 32, 32), 250)
    features = torch.randn(len(points), 5)
    found = ours(features.to(device), points.to(device), 2)
    expect_same_rows(found, reference(features, points, 2), "encoded")


@check
def spunet(device):
    make = lambda m: m.SparseUNet(6, 13, (16, 32, 48), (32, 24), 1)  # noqa: E731
    ours, reference = make_pair("spunet", make)
    ours.to(device).eval()
    reference.eval()
    points = make_points((17, 20, 14), 250)
    points = points[torch.argsort(points[:, 0], stable=True)]
    features = torch.randn(len(points), 6)
    given = points[:, 1:], features, points[:, 0]
    found = ours(*(value.to(device) for value in given))
    expected = reference(*given)
    expect_close(found.cpu(), expected, 2e-5)
    expect_same_gradients(ours, reference, found, expected)


@check
def trellis(device):
    ours, reference = make_pair("trellis", lambda m: m.SparseDecoder(64, 8))
    ours.to(device).eval()
    reference.eval()
    names = set(ours.state_dict())
    expect("upsample.0.out_layers.0.conv.weight" in names)
    points = make_points((5, 5, 5), 40, batch=1)
    feats = torch.randn(len(points), 8)
    found = ours(feats.to(device), points.to(device))
    expected = reference(feats, points)
    expect(torch.equal(found.coords.cpu(), expected.coords), "rows changed their order")
    expect_close(found.feats.cpu(), expected.feats, 2e-5)


@check
def minkunet(device):
    make = lambda m: m.MinkUNet(  # noqa: E731
        19, cr=0.5, encoder=(32, 64, 96), decoder=(96, 64, 48)
    )
    ours, reference = make_pair("minkunet", make)
    ours.to(device).eval()
    reference.eval()
    points = make_points((15, 12, 16), 250)
    feats = torch.randn(len(points), 4)
    found = ours(torchsparse.SparseTensor(feats.to(device), points.to(device)))
    expected = reference(ReferenceTensor(feats, points))
    expect_close(found.cpu(), expected, 2e-5)
    expect_same_gradients(ours, reference, found, expected)


if __name__ == "__main__":
    torch_checks.run()
