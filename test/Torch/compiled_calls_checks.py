# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls of compiled modules take beside tensors, and what the errors name where something
cannot be compiled."""

import numpy as np
import sparseconv
import sparseconv.torch.spconv as spconv
import sparseconv.torch.torchsparse as torchsparse
import sparseconv.torch.torchsparse.nn as spnn
import torch
import torch_checks
from models import make_points
from sparseconv.errors import ArgumentError, CompileError
from torch import nn
from torch.nn import functional as F
from torch_checks import check, expect, expect_close, expect_error


class Backbone(nn.Module):
    """A model that takes and returns the dictionary of a batch, as OpenPCDet's do."""

    def __init__(self):
        super().__init__()
        self.conv = spconv.SubMConv3d(4, 8, 3)

    def forward(self, batch, scale=1, *, unused=None):
        x = spconv.SparseConvTensor(
            batch["features"], batch["coords"].int(), [8, 8, 8], batch["batch_size"]
        )
        return {**batch, "encoded": self.conv(x).features * scale}


def make_batch(device, seed=0, **others):
    points = make_points((8, 8, 8), 60, seed=seed)
    features = torch.randn(len(points), 4)
    return {"features": features.to(device), "coords": points.to(device), "batch_size": 2, **others}


@check
def arrays_among_arguments(device):
    model = Backbone().to(device).eval().requires_grad_(False)
    names = np.array(["000001", "000002"])
    compiled = sparseconv.compile(model, make_batch(device, frame_id=names))
    batch = make_batch(device, 1, frame_id=names.copy())
    found = compiled(batch)
    expect_close(found["encoded"], model(batch)["encoded"])
    expect((found["frame_id"] == names).all())
    for other in (names[::-1], names[:1], np.array([1, 2])):
        batch["frame_id"] = other
        expect_error(ArgumentError, "batch.frame_id: expects", compiled, batch)


@check
def arguments_by_name(device):
    model = Backbone().to(device).eval().requires_grad_(False)
    batch = make_batch(device)
    expected = 2 * model(batch)["encoded"]
    compiled = sparseconv.compile(model, (batch, 2))
    bound = compiled.bind(scale=2, batch=batch)
    for call in (compiled, bound):
        for found in (call(batch, scale=2), call(scale=2, batch=batch), call(batch, 2)):
            expect_close(found["encoded"], expected)
        text = "expects the arguments of the example, batch, scale, but found batch, "
        expect_error(ArgumentError, text + "unused", call, batch, unused=1)
        expect_error(ArgumentError, text + "scale, scale", call, batch, 2, scale=2)
        expect_error(ArgumentError, "found scale", call, scale=2)
    compiled = sparseconv.compile(model, batch)
    expect_error(ArgumentError, "example, batch, but found batch, scale", compiled, batch, scale=2)


class Centres(nn.Module):
    """Where the voxels of rows are in space."""

    def __init__(self):
        super().__init__()
        self.conv = spconv.SubMConv3d(4, 4, 3)
        self.down = spconv.SparseConv3d(4, 4, 2, 2)

    def forward(self, x):
        sizes = torch.tensor([0.1, 0.2, 0.3], device=x.features.device)
        tensors = self.conv(x), self.down(x)
        return [(y.indices[:, [3, 2, 1]].float() + 0.5) * sizes for y in tensors]


@check
def columns_of_coordinates(device):
    points = make_points((8, 8, 8), 60).flip(0).to(device)
    x = spconv.SparseConvTensor(torch.ones(len(points), 4, device=device), points, [8, 8, 8], 2)
    model = Centres().to(device).eval()
    for found, expected in zip(sparseconv.compile(model, x)(x), model(x), strict=True):
        expect_close(found, expected, 1e-6)


class Applied(nn.Module):
    """A function of what a layer makes."""

    def __init__(self, function):
        super().__init__()
        self.layer, self.function = spconv.SubMConv3d(4, 8, 3), function

    def forward(self, x):
        return self.function(self.layer(x).features)


def attend(f):
    q = f.view(-1, 2, 4)
    return F.scaled_dot_product_attention(q, q, q)


@check
def functions_that_fail_are_named(device):
    points = make_points((8, 8, 8), 60).to(device)
    x = spconv.SparseConvTensor(torch.ones(len(points), 4, device=device), points, [8] * 3, 2)
    for function, text in (
        (lambda f: f.quantile(0.5), "torch's quantile cannot be compiled"),
        (lambda f: f.view(-1, 2, 4) @ f.view(-1, 4, 2), "torch's matmul cannot be compiled"),
        (attend, "torch's scaled_dot_product_attention cannot be compiled"),
        (lambda f: f @ f.new_ones(3, 3), "torch's matmul cannot be compiled: "),
        (lambda f: f[:, f[0].long()], "columns by numbers that no input changes"),
        (lambda f: f[:, [[0, 1]]], "picks columns by a list of numbers"),
    ):
        model, line = Applied(function).to(device).eval(), function.__code__.co_firstlineno
        places = [f"in Applied at {__file__}:{line + i}: " for i in range(3)]
        try:
            sparseconv.compile(model, x)
        except CompileError as error:
            message = str(error)
        else:
            raise AssertionError(f"expected an error with {text!r}")
        expect(text in message and message.count("\n") == 1, message)
        expect(any(place in message for place in places), message)


@check
def layers_without_a_line_are_named(device):
    # No line outside of torch and this package leads to them.
    points = make_points((8, 8, 8), 60).to(device)
    x = torchsparse.SparseTensor(torch.ones(len(points), 4, device=device), points)
    crop = spnn.SparseCrop((0, 0, 0), (6, 6, 6))
    model = nn.Sequential(spnn.Conv3d(4, 8, 3), nn.Sequential(crop)).to(device).eval()
    expect_error(CompileError, "\n  in 1.0 (SparseCrop)", sparseconv.compile, model, x)


@check
def norms_of_items(device):
    def make(count, seed):
        points = make_points((9, 9, 9), count, seed=seed).flip(0).to(device)
        return torchsparse.SparseTensor(torch.randn(len(points), 4, device=device), points)

    for norm in (spnn.GroupNorm(2, 8), spnn.GroupNorm(4, 8, affine=False), spnn.InstanceNorm(8)):
        for parameter in norm.parameters():
            nn.init.uniform_(parameter)
        down, up = (spnn.Conv3d(8, 8, 2, 2, transposed=t) for t in (False, True))
        model = nn.Sequential(spnn.Conv3d(4, 8, 3), norm, down, norm, up, norm)
        model = model.to(device).eval().requires_grad_(False)
        compiled = sparseconv.compile(model, make(60, 0))
        for count in (60, 200):
            x = make(count, count)
            found, expected = compiled(x), model(x)
            expect(torch.equal(found.C, expected.C))
            expect_close(found.F, expected.F, 2e-5)


if __name__ == "__main__":
    torch_checks.run()
