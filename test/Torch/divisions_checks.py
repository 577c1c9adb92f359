# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions right behind a division of voxels, against the same modules layer by layer."""

import itertools

import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import torch
import torch_checks
from models import make_points
from torch import nn
from torch_checks import check, expect, expect_close


def make_parts(steps, device):
    cells = itertools.product([0], *(range(step) for step in steps))
    return torch.tensor(list(cells), dtype=torch.int32, device=device)


def in_place(points, parts, steps):
    """As TRELLIS's decoder has it."""
    coords = points.clone()
    coords[:, 1:] *= steps[0]
    return (coords.unsqueeze(1) + parts).flatten(0, 1)


def by_factors(points, parts, steps):
    factors = points.new_tensor([1, *steps])
    return (parts[None] + (points * factors)[:, None]).reshape(-1, points.shape[1])


def by_columns(points, parts, steps):
    wide = torch.cat([points[:, :1].long(), steps[0] * points[:, 1:]], 1)
    return (wide.view(-1, 1, points.shape[1]) + parts.long()).view(-1, points.shape[1]).int()


class Divide(nn.Module):
    """One or two divisions, each with a convolution behind it."""

    def __init__(self, spell, steps, layers, parts=None):
        super().__init__()
        self.spell, self.steps = spell, steps
        self.layers, self.parts = nn.ModuleList(layers), parts

    def forward(self, features, points):
        for layer in self.layers:
            parts = make_parts(self.steps, points.device) if self.parts is None else self.parts
            points = self.spell(points, parts, self.steps)
            wide = features.unsqueeze(1).expand(-1, len(parts), -1)
            features = wide.flatten(0, 1)
            shape = [40] * (points.shape[1] - 1)
            features = layer(spconv.SparseConvTensor(features, points, shape, 2)).features
        return features, points


def compare(device, model, points, divides, dtype=torch.float32, sets=None):
    """Returns the text of a compiled module, some of whose convolutions are between voxels and
    their parts, and some of whose sets are made of voxels: as many, if nothing is said."""
    model, compiled = model.to(device, dtype).eval(), None
    channels = model.layers[0].in_channels
    for count in (len(points), len(points) // 2):
        given = torch.randn(count, channels, device=device, dtype=dtype), points[:count].to(device)
        compiled = compiled or sparseconv.compile(model, given)
        with torch.no_grad():
            found, expected = compiled(*given), model(*given)
        expect(torch.equal(found[1], expected[1]), "rows changed their order")
        expect_close(found[0], expected[0], 1e-5 if dtype == torch.float32 else 4e-3)
    text = compiled.mlir()
    found = text.count(" transposed :")
    expect(found == divides, f"{found} of {divides} convolutions begin at voxels")
    found, sets = text.count("sparseconv.subdivide"), divides if sets is None else sets
    expect(found == sets, f"{found} of {sets} sets are made of voxels")
    return text


def make_layers(size, channels=64, count=1, **options):
    return [spconv.SubMConv3d(channels, channels, size, **options) for _ in range(count)]


@check
def spellings(device):
    torch.manual_seed(0)
    points = make_points((6, 5, 7), 50)
    points[:, 1:] -= 3
    compare(device, Divide(by_a_number, (2, 2, 2), make_layers(3)), points, 1)
    for spell in (in_place, by_factors, by_columns):
        for size in (3, 5, (1, 3, 5)):
            compare(device, Divide(spell, (2, 2, 2), make_layers(size)), points, 1)
    model = Divide(by_factors, (1, 2, 2), make_layers(3))
    compare(device, model, points, 1)
    layers = [spconv.SubMConv2d(64, 64, 3, bias=False)]
    compare(device, Divide(in_place, (2, 2), layers), points[:, :3].unique(dim=0), 1)
    backwards = make_parts((2, 2, 2), device).flip(0)
    compare(device, Divide(in_place, (2, 2, 2), make_layers(3), backwards), points, 1, sets=0)


def by_a_number(points, parts, steps):
    coords = points.clone()
    coords[:, 1:] *= torch.tensor(steps[0], dtype=torch.int32, device=points.device)
    return (coords.unsqueeze(1) + parts + torch.tensor(0, device=points.device)).flatten(0, 1)


def in_two_axes(points, parts, steps):
    """Of points whose last coordinate is dropped."""
    return in_place(points[:, :3], parts, steps)


def side_by_side(points, parts, steps):
    """Two points beside each other, of which the last axis alone is divided: no division of
    one voxel, though it has as many columns."""
    wide = torch.cat([points, points[:, :1]], 1).unsqueeze(1)
    wide = torch.cat([wide, wide + wide.new_tensor([0, 5, 0, 0, 0])], 1)[..., :4]
    table = torch.tensor([[0, 0, 0, 0], [0, 0, 0, 1]], dtype=torch.int32, device=points.device)
    return (wide * wide.new_tensor([1, 1, 1, 2]) + table).flatten(0, 1)


@check
def twice(device):
    """The voxels of the second division are in the order of a set that is there."""
    torch.manual_seed(1)
    for dtype in (torch.float32, torch.float16):
        model = Divide(in_place, (2, 2, 2), make_layers(3, count=2))
        text = compare(device, model, make_points((4, 4, 4), 20), 2, dtype)
        expect(text.count("sparseconv.rescale") == 1, "the voxels have another order")


class Shuffle(Divide):
    """Each part has features of its own, from channels of its voxel."""

    def __init__(self, layers, channels):
        super().__init__(in_place, (2, 2, 2), layers)
        self.widen = nn.ModuleList(nn.Linear(channels, 8 * channels) for _ in layers)

    def forward(self, features, points):
        for layer, widen in zip(self.layers, self.widen):
            parts = make_parts(self.steps, points.device)
            points = self.spell(points, parts, self.steps)
            features = widen(features).reshape(-1, features.shape[1])
            given = spconv.SparseConvTensor(features, points, [40] * 3, 2)
            features = layer(given).features
        return features, points


@check
def features_of_parts(device):
    torch.manual_seed(3)
    for count in (1, 2):
        model = Shuffle(make_layers(3, channels=8, count=count), 8)
        compare(device, model, make_points((4, 4, 4), 20), 0, sets=count)


class Merge(nn.Module):
    """Points that may be the same, whose parts are added up, beside a layer on points."""

    def __init__(self, channels):
        super().__init__()
        self.layer, self.beside = sct.SubMConv3d(channels, channels, 3), nn.Linear(channels, 5)

    def forward(self, features, points):
        parts = make_parts((2, 2, 2), points.device)
        wide = features.unsqueeze(1).expand(-1, 8, -1).flatten(0, 1)
        x = sct.SparseTensor(wide, in_place(points, parts, (2,)), reduce="sum")
        return self.layer(x), self.beside(features)


@check
def repeated_points(device):
    """The set of voxels has fewer rows than there are points."""
    torch.manual_seed(4)
    points = make_points((4, 4, 4), 20).to(device)
    points = torch.cat([points, points[3:9]])
    features = torch.randn(len(points), 64, device=device)
    model = Merge(64).to(device).eval()
    with torch.no_grad():
        found = sparseconv.compile(model, (features, points))(features, points)
        expected = model(features, points)
    expect(torch.equal(found[0].coordinates, expected[0].coordinates), "other coordinates")
    expect_close(found[0].features, expected[0].features, 1e-5)
    expect_close(found[1], expected[1], 1e-5)


@check
def others(device):
    """What looks similar, and is another convolution or would gain nothing."""
    torch.manual_seed(2)
    points, steps = make_points((6, 5, 7), 40), (2, 2, 2)
    parts = make_parts(steps, device)
    few = parts[:7], torch.cat([parts[:7], parts[:7].amax(0, keepdim=True) + 1])
    for model in (
        *(Divide(in_place, steps, make_layers(3), some) for some in few),
        Divide(lambda p, parts, _: in_place(p, parts, (4,)), steps, make_layers(3)),
        Divide(side_by_side, (1, 1, 2), make_layers(3)),
        Divide(in_place, (5, 5, 5), make_layers(3)),
    ):
        compare(device, model, points, 0)
    flat = make_points((6, 5, 1), 20)
    model = Divide(in_two_axes, (2, 2), [spconv.SubMConv2d(64, 64, 3)])
    compare(device, model, flat, 0)
    # Their sets are those of parts.
    for model in (
        Divide(in_place, (3, 3, 3), make_layers(3)),
        Divide(in_place, steps, make_layers(3, channels=8)),
        Divide(in_place, steps, make_layers(2)), Divide(in_place, steps, make_layers(1)),
        Divide(in_place, steps, make_layers(3, dilation=2)),
    ):  # fmt: skip
        compare(device, model, points, 0, sets=1)


if __name__ == "__main__":
    torch_checks.run()
