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
def norms_of_torch(device):
    """They take features; torch looks at the number of axes first."""
    x, _ = make_tensor(3, 4, device)
    expect(x.ndim == 3)
    text = "expects features, but found SparseTensor: put the module into a"
    for norm in (torch.nn.BatchNorm1d(4), torch.nn.InstanceNorm1d(4)):
        net = torch.nn.Sequential(sct.SubMConv3d(4, 4, 3), norm).to(device)
        expect_error(ArgumentError, text, net, x)


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
def sizes_of_batches(device):
    points = torch.tensor([[0, 1, 2], [1, 3, 4]], dtype=torch.int32, device=device)
    values = torch.ones((2, 4), device=device)
    for size in (-1, 1.5, "a"):
        expect_error(ArgumentError, f"batch_size: expects a number of items, but found {size!r}",
                     sct.SparseTensor, values, points, batch_size=size)  # fmt: skip
    x = sct.SparseTensor(values, points, batch_size=np.int64(3))
    joined = sct.collate([x, x])
    expect(joined.coordinates[:, 0].tolist() == [0, 1, 3, 4] and joined.batch_size == 6)
    # Its second item would become one of the next tensor.
    wrong = sct.SparseTensor(values, points, batch_size=1)
    expect_error(ArgumentError, "batch indices below 1, as the tensor says, but found 1",
                 sct.collate, [wrong, wrong])  # fmt: skip


@check
def coordinates_of_no_set(device):
    """A table has the rows of what is given, which therefore is a set."""
    points = torch.tensor([[0, 1, 1], [0, 2, 2], [0, 3, 3]], dtype=torch.int32, device=device)
    kernel_map, union = torch.ops.sparseconv.kernel_map, torch.ops.sparseconv.union
    options = [1, 1], [1, 1], "box<3, 3>", 9, False
    for wrong in (points[[0, 0, 1]], points[[1, 0, 2]]):
        text = "expects distinct coordinates in set order"
        for both in ((wrong, wrong), (wrong, points), (points, wrong)):
            expect_error(ArgumentError, text, kernel_map, *both, *options)
            expect_error(ArgumentError, text, union, *both, [1, 1])
    table = kernel_map(points, points.clone(), *options)
    expect(table.tolist() == kernel_map(points, points, *options).tolist())
    expect(table[:, [0, 4, 8]].tolist() == [[-1, 0, 1], [0, 1, 2], [1, 2, -1]])


@check
def features_of_f64(device):
    points = torch.tensor([[0, 1, 2], [0, 3, 4]], dtype=torch.int32, device=device)
    values = torch.ones((2, 4), dtype=torch.float64, device=device)
    layer = sct.SubMConv2d(4, 4, 3).to(device)
    text = "torch.bfloat16, but found torch.float64"
    for enabled in (False, True):
        with torch.autocast(torch.device(device).type, torch.bfloat16, enabled=enabled):
            expect_error(ArgumentError, text, layer, sct.SparseTensor(values, points))
    for kind in ("sum", "avg"):
        for wrong in (values, values.long()):
            expect_error(ArgumentError, "expects features of", sct.SparseTensor, wrong, points,
                         reduce=kind)  # fmt: skip


@check
def voxels_of_half_precision(device):
    """Points of f16 and bf16 are in the voxels of the same numbers in f32."""
    generator = torch.Generator().manual_seed(0)
    for dtype in (torch.float16, torch.bfloat16):
        places = (torch.rand((500, 3), generator=generator) * 100).to(device, dtype)
        points = torch.cat([torch.zeros_like(places[:, :1]), places], 1)
        ones = torch.ones((500, 1), device=device)
        found, expected = (sct.voxelise(ones, p, 0.1) for p in (points, points.float()))
        expect(torch.equal(found.coordinates, expected.coordinates), str(dtype))


@check
def places_of_arguments(device):
    """What a model's layer does not take is named with its line, where it is compiled."""

    class Points(torch.nn.Module):
        def forward(self, x):
            return x.to_points()

    x, _ = make_tensor(3, 4, device)
    expect_error(ArgumentError, "in Points at ", sparseconv.compile, Points().eval(), x)


@check
def options_of_compile(device):
    x, _ = make_tensor(3, 4, device)
    model = torch.nn.Sequential(sct.SubMConv3d(4, 8, 3)).to(device).eval()
    text = "an example and tuning_database, but found "
    for given, named, found in (((x,), {"target": "cpu"}, "target"), ((x, "cpu"), {}, "'cpu'")):
        expect_error(ArgumentError, text + found, sparseconv.compile, model, *given, **named)


if __name__ == "__main__":
    torch_checks.run()
