# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What functions of sparse tensors say of arguments that they do not take."""

import numpy as np
import sparseconv
import sparseconv.torch as sct
import torch
import torch_checks
from sparseconv import ArgumentError
from torch_checks import check, expect, expect_error, make_tensor


@check
def arrays_of_other_libraries(device):
    points = torch.tensor([[0, 1, 2, 3]], dtype=torch.int32)
    x = sct.SparseTensor(torch.ones(1, 4), points)
    text = "expects a tensor of torch, but found "
    expect_error(ArgumentError, f"coordinates: {text}numpy.ndarray", sct.SparseTensor,
                 x.features, points.numpy())  # fmt: skip
    expect_error(ArgumentError, f"features: {text}numpy.ndarray", sct.SparseTensor,
                 np.ones((1, 4), np.float32), points)  # fmt: skip
    expect_error(ArgumentError, f"features: {text}list", sct.SparseTensor, [[1.0]], points)
    expect_error(ArgumentError, f"points: {text}numpy.ndarray", sct.voxelise, x.features,
                 points.numpy(), 1)  # fmt: skip
    expect_error(ArgumentError, f"prune: {text}list", sct.prune, x, [True])


@check
def what_is_no_sparse_tensor(device):
    x, _ = make_tensor(3, 4, device)
    one, several = "expects a sparse tensor, but found ", "cat: expects a list of sparse tensors"
    expect_error(ArgumentError, "cat: expects at least one tensor", sct.cat, [])
    expect_error(ArgumentError, f"cat: {one}Tensor", sct.cat, [x, x.features])
    expect_error(ArgumentError, f"{several}, but found Tensor", sct.cat, x.features)
    expect_error(ArgumentError, f"{several}, but found SparseTensor", sct.cat, x)
    expect_error(ArgumentError, f"{several}, but found int", sct.cat, 3)
    expect(torch.equal(sct.cat(y for y in (x, x)).features, torch.cat([x.features] * 2, 1)))
    expect_error(ArgumentError, f"collate: {one}int", sct.collate, [x, 3])
    for pair in ((x, 3), (3, x)):
        expect_error(ArgumentError, f"union: {one}int", sct.union, *pair)
    expect_error(ArgumentError, f"to_dense: {one}Tensor", sct.to_dense, x.features)
    expect_error(ArgumentError, f"devoxelise: {one}int", sct.devoxelise, 3, x.features)
    expect_error(ArgumentError, f"splat: {one}int", sct.splat, x.features, x.features, 3)


@check
def sizes_of_voxels(device):
    points = torch.tensor([[0, 0.5, 1.5, 2.5], [0, 1.5, 1.5, 2.5]], device=device)
    values = torch.ones((2, 4), device=device)
    for size in (0, -1.0, float("nan"), float("inf"), (1, 1, 0), np.array([1, 1, -1])):
        expect_error(ArgumentError, "voxel_size of finite sizes above 0", sct.voxelise, values,
                     points, size)  # fmt: skip
    for size in ((1, 1), torch.ones(4), "wide", [[1, 1, 1]], None):
        expect_error(ArgumentError, "voxel_size as one number or 3", sct.voxelise, values,
                     points, size)  # fmt: skip
    expect_error(ArgumentError, "an origin as one number or 3", sct.voxelise, values, points, 1,
                 origin=(0, 0))  # fmt: skip
    expect_error(ArgumentError, "an origin of finite numbers", sct.voxelise, values, points, 1,
                 origin=(0, 0, float("nan")))  # fmt: skip
    for wrong in (points.int(), points[0], points[:, :1]):
        expect_error(ArgumentError, "of floats, of 1 to 4 axes", sct.voxelise, values, wrong, 1)
    for size in (0.5, np.float32(0.5), [0.5], (0.5, 0.5, 0.5), torch.tensor(0.5)):
        x = sct.voxelise(values, points, size, origin=-0.5)
        expect(x.coordinates.tolist() == [[0, 2, 4, 6], [0, 4, 4, 6]])


@check
def points_that_are_nowhere(device):
    """A nan is 0 as an integer on a GPU, where a voxel may be."""
    values = torch.ones((1, 4), device=device)
    for number in (float("nan"), float("inf"), -float("inf"), 1e12, -1e12):
        for axis in range(4):
            points = torch.zeros((1, 4), device=device)
            points[0, axis] = number

            def make(points=points):
                sct.voxelise(values, points, 0.5)
                sct.check()

            expect_error(sparseconv.Error, "is outside", make)


@check
def names_of_operators(device):
    """Where the type of an input is another one than that of its operator."""
    x, _ = make_tensor(3, 4, device)
    points = x.coordinates.double()
    for function, name in (
        (lambda: sct.devoxelise(x, points), "devoxelise: expects points: ?x4xfloat32"),
        (lambda: sct.splat(x.features, points, x), "voxelise: expects points: ?x4xfloat32"),
        (lambda: sct.ops.scatter(x.features, points[:, 0].long(), 9), "scatter: expects rows: "),
    ):
        expect_error(ArgumentError, name, function)
        with torch.no_grad():
            expect_error(ArgumentError, name, function)
    compiled = sparseconv.compile(torch.nn.Sequential(sct.SubMConv3d(4, 8, 3)).to(device).eval(), x)
    for features in (x.features.double(), x.features[:, :3]):
        expect_error(ArgumentError, "the compiled module: expects features: ?x4xfloat32",
                     compiled, x.replace(features))  # fmt: skip


@check
def numbers_in_messages(device):
    points = torch.tensor([[0, 1, 2]], dtype=torch.int32, device=device)
    x = sct.SparseTensor(torch.ones((1, 1), device=device), points)
    expect(repr(x) == "SparseTensor(1 row, 1 channel, stride (1, 1))", repr(x))
    two = torch.ones((2, 1), device=device)
    expect_error(ArgumentError, "of 1 row, as", x.replace, two)
    expect_error(ArgumentError, "of 1 row, as", sct.SparseTensor, two, points)
    expect_error(ArgumentError, "of 1 bool, but", sct.prune, x, two[:, 0] > 0)
    expect_error(ArgumentError, "of 1 axis, but found 2", sct.SubMConv1d(1, 1, 3).to(device), x)
    expect_error(ArgumentError, "expects 2 channels, but found 1",
                 sct.SubMConv2d(2, 1, 3).to(device), x)  # fmt: skip
    wide = x.replace(two.T)
    expect_error(ArgumentError, "expects 1 channel, but found 2",
                 sct.SubMConv2d(1, 1, 3).to(device), wide)  # fmt: skip


@check
def options_of_compile(device):
    x, _ = make_tensor(3, 4, device)
    model = torch.nn.Sequential(sct.SubMConv3d(4, 8, 3)).to(device).eval()
    text = "an example and tuning_database, but found "
    for given, named, found in (((x,), {"target": "cpu"}, "target"), ((x, "cpu"), {}, "'cpu'")):
        expect_error(ArgumentError, text + found, sparseconv.compile, model, *given, **named)


if __name__ == "__main__":
    torch_checks.run()
