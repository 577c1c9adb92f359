# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers against torch's own on a grid, in float64."""

import inspect
import os
import tempfile
import types

import numpy as np
import sparseconv
import sparseconv.torch as sct
import torch
import torch_checks
from sparseconv import runtime
from sparseconv.torch import encodings, grids_ir, ir, ops, programs, sets
from sparseconv.torch.tracing import tracer
from torch import nn
from torch_checks import check, densify, expect, expect_close, expect_error, make_tensor

F = nn.functional
CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def get(stem, dim):
    return getattr(sct, f"{stem}{dim}d")


def compare(layer, x, expected, text):
    """That a result equals a grid at all its rows, and the grid is the layer's bias
    everywhere else."""
    y = layer(x)
    expect_close(densify(y.features, y), expected * is_there(y), text=text)
    bias = 0 if layer.bias is None else layer.bias.double()
    rest = (expected.movedim(1, -1) - bias).movedim(-1, 1) * ~is_there(y)
    expect(rest.abs().max() < 1e-6, f"{text}: an output is missing")
    return y


def is_there(y):
    return densify(torch.ones_like(y.features[:, :1]), y) > 0


@check
def submanifold(device):
    for dim in (1, 2, 3):
        for size, dilation in ((3, 1), (5, 1), (3, 2)):
            x, grid = make_tensor(dim, 4, device)
            layer = get("SubMConv", dim)(4, 6, size, dilation=dilation).to(device)
            padding = size // 2 * dilation
            expected = CONV[dim](
                grid, torch_checks.get_dense_weight(layer), layer.bias.double(),
                padding=padding, dilation=dilation,
            )  # fmt: skip
            y = layer(x)
            expect(y.set is x.set)
            expect_close(densify(y.features, y), expected * is_there(x), text=f"{dim} {size}")


@check
def even_submanifold_kernels_reach_down(device):
    # As in spconv: size // 2 is the middle, so that a kernel of 2 meets -1 and 0.
    points = torch.tensor([[0, 4], [0, 5]], dtype=torch.int32, device=device)
    x = sct.SparseTensor(torch.tensor([[1.0], [10.0]], device=device), points)
    layer = sct.SubMConv1d(1, 1, 2, bias=False).to(device)
    layer.weight.data[:, 0, 0] = torch.tensor([2.0, 3.0])
    expect(layer(x).features.flatten().tolist() == [3.0, 32.0])


@check
def places_of_even_kernels(device):
    # Which neighbours a kernel of 2 meets, and so the sums at 4 and at 5.
    points = torch.tensor([[0, 4], [0, 5]], dtype=torch.int32, device=device)
    x = sct.SparseTensor(torch.tensor([[1.0], [10.0]], device=device), points)
    for anchor, expected in (("middle", [3, 32]), ("centred", [32, 20]), ("corner", [32, 20])):
        layer = sct.SubMConv1d(1, 1, 2, bias=False, anchor=anchor).to(device)
        layer.weight.data[:, 0, 0] = torch.tensor([2.0, 3.0])
        expect(layer(x).features.flatten().tolist() == expected, anchor)
    expect_error(sparseconv.ArgumentError, "anchor", sct.SubMConv1d, 1, 1, 2, anchor="end")


@check
def rows_of_points(device):
    # All that reads rows gives the same whether they are in set order or the points'.
    points = torch.tensor([[1, 3, 0], [0, 2, 2], [0, 0, 1], [1, 0, 0]], dtype=torch.int32)
    points, features = points.to(device), torch.randn(4, 3).to(device)
    x = sct.SparseTensor(features, points, [4, 4], batch_size=2, rows="points")
    y = sct.SparseTensor(features, points, [4, 4], batch_size=2)
    expect(torch.equal(x.coordinates, points) and x.to_points() is features)
    layer = sct.SubMConv2d(3, 3, 3).to(device)
    expect_close(layer(x).features, layer(y).to_points(), 0)
    pool = sct.SparseMaxPool2d(2, indice_key="p")
    expect_close(pool(x).features, pool(y).features, 0)
    back = sct.SparseInverseConv2d(3, 2, 2, "p").to(device)
    expect_close(sct.to_dense(back(pool(x))), sct.to_dense(back(pool(y))), 0)
    for function in (sct.to_dense, sct.SparseGlobalMaxPool(), lambda t: sct.union(t, t).features):
        expect_close(function(x), function(y), 0)
    mask = features[:, 0] > features[:, 0].median()
    kept = sct.prune(x, mask)
    expect(set(map(tuple, kept.coordinates.tolist())) == set(map(tuple, points[mask].tolist())))
    at = torch.tensor([[0, 2.25, 2.5], [1, 0, 0]], device=device)
    expect_close(sct.devoxelise(x, at), sct.devoxelise(y, at), 0)
    spread = sct.splat(torch.ones(2, 3, device=device), at, x)
    expect_close(spread.features, sct.splat(torch.ones(2, 3, device=device), at, y).to_points(), 0)
    twice = torch.cat([points, points])
    expect_error(sparseconv.ArgumentError, "8 points have 4", sct.SparseTensor,
                 torch.cat([features, features]), twice, rows="points")  # fmt: skip


@check
def strided(device):
    for dim in (1, 2, 3):
        for size, stride, padding, dilation in ((3, 2, 1, 1), (2, 2, 0, 1), (3, 1, 1, 1),
                                                (3, 3, 0, 1), (3, 2, 0, 2)):  # fmt: skip
            x, grid = make_tensor(dim, 4, device)
            layer = get("SparseConv", dim)(4, 6, size, stride, padding, dilation).to(device)
            expected = CONV[dim](
                grid, torch_checks.get_dense_weight(layer), layer.bias.double(),
                stride, padding, dilation,
            )  # fmt: skip
            y = compare(layer, x, expected, f"{dim} axes, {layer}")
            expect(y.stride == (stride,) * dim and y.spatial_shape == expected.shape[2:])


@check
def uneven_windows(device):
    x, grid = make_tensor(3, 4, device)
    layer = sct.SparseConv3d(4, 6, (1, 3, 2), (1, 2, 2), (0, 1, 0)).to(device)
    weight = torch_checks.get_dense_weight(layer)
    expected = F.conv3d(grid, weight, layer.bias.double(), (1, 2, 2), (0, 1, 0))
    compare(layer, x, expected, "uneven")


@check
def grids_of_any_size(device):
    """A layer has one plan for all of them, and the set and map that are made ahead from its
    third call on have another one: it takes long to compile what a user who sizes the grid by
    the points needs once."""
    for size, stride, padding in ((2, 2, 0), (3, 2, 1), (3, 1, 0)):
        layer = sct.SparseConv3d(4, 6, size, stride, padding).to(device)
        weight, counts = torch_checks.get_dense_weight(layer), []
        for side in (6, 7, 8, 12, 9):
            x, grid = make_tensor(3, 4, device, size=side)
            expected = F.conv3d(grid, weight, layer.bias.double(), stride, padding)
            compare(layer, x, expected, f"{layer} on {side}")
            counts.append(len(programs._programs))
        expect(counts[0] == counts[1] and counts[2] == counts[-1], f"plans: {counts}")


@check
def floor_rule(device):
    x, _ = make_tensor(2, 4, device)
    y = sct.SparseConv2d(4, 4, 3, 2, 1, output="floor").to(device)(x)
    expected = torch.unique(
        torch.cat([x.coordinates[:, :1], x.coordinates[:, 1:] // 2 * 2], 1), dim=0
    )
    expect(torch.equal(y.coordinates, expected))


@check
def transposed(device):
    for dim in (1, 2, 3):
        for size, stride, padding in ((2, 2, 0), (3, 2, 1), (3, 1, 1)):
            x, _ = make_tensor(dim, 4, device, size=8)
            y = get("SparseConv", dim)(4, 4, 2, 2).to(device)(x)
            layer = get("SparseConvTranspose", dim)(4, 6, size, stride, padding).to(device)
            weight = torch_checks.get_dense_weight(layer, transposed=True)
            expected = TRANSPOSED[dim](
                densify(y.features, y), weight, layer.bias.double(), stride, padding
            )
            compare(layer, y, expected, f"{dim} axes, {layer}")


@check
def inverse(device):
    x, _ = make_tensor(3, 4, device, size=8)
    down = sct.SparseConv3d(4, 5, 3, 2, 1, indice_key="down").to(device)
    up = sct.SparseInverseConv3d(5, 6, 3, "down").to(device)
    y = down(x)
    z = up(y)
    expect(z.set is x.set)
    expected = F.conv_transpose3d(
        densify(y.features, y), torch_checks.get_dense_weight(up, True), up.bias.double(),
        2, 1, 1,
    )  # fmt: skip
    expect_close(densify(z.features, z), expected * is_there(z))
    expect_error(sparseconv.ArgumentError, "'other'", sct.SparseInverseConv3d(4, 4, 3, "other"), x)
    expect_error(sparseconv.ArgumentError, "inputs at", up, x)


@check
def four_axes(device):
    # Two slices of time: a kernel of one step of time is a layer on each.
    x, _ = make_tensor(4, 4, device, size=4)
    layer = sct.SubMConv4d(4, 6, (1, 3, 3, 3)).to(device)
    y = layer(x)
    for time in range(4):
        rows = (x.coordinates[:, 1] == time).nonzero().squeeze(1)
        points = x.coordinates[rows][:, [0, 2, 3, 4]]
        flat = sct.SubMConv3d(4, 6, 3).to(device)
        flat.load_state_dict(layer.state_dict())
        part = flat(sct.SparseTensor(x.features[rows], points))
        expect_close(y.features[rows], part.features, 1e-6)


@check
def groups(device):
    x, grid = make_tensor(2, 8, device)
    layer = sct.SubMConv2d(8, 4, 3, groups=4, bias=False).to(device)
    weight = layer.weight.double().permute(1, 3, 2, 0).reshape(4, 2, 3, 3)
    y = layer(x)
    expected = F.conv2d(grid, weight, padding=1, groups=4) * is_there(x)
    expect_close(densify(y.features, y), expected)


@check
def pooling(device):
    x, grid = make_tensor(2, 4, device, size=8)
    there = is_there(x).double()
    lowest = grid.masked_fill(there == 0, -1e30)
    y = sct.SparseMaxPool2d(3, 2, 1).to(device)(x)
    expected = F.max_pool2d(lowest, 3, 2, 1)
    expect_close(densify(y.features, y), expected * is_there(y))
    total = F.avg_pool2d(grid, 2) * 4
    count = F.avg_pool2d(there, 2) * 4
    y = sct.SparseSumPool2d(2)(x)
    expect_close(densify(y.features, y), total)
    y = sct.SparseAvgPool2d(2)(x)
    expect_close(densify(y.features, y), total / count.clamp(min=1))
    y = sct.SparseAvgPool2d(2, count_volume=True)(x)
    expect_close(densify(y.features, y), total / 4)


@check
def global_pooling(device):
    x, grid = make_tensor(3, 4, device)
    there = is_there(x).double()
    flat = grid.flatten(2)
    expect_close(sct.SparseGlobalSumPool()(x), flat.sum(2))
    expect_close(sct.SparseGlobalAvgPool()(x), flat.sum(2) / there.flatten(2).sum(2))
    lowest = flat.masked_fill(there.flatten(2) == 0, -1e30)
    expect_close(sct.SparseGlobalMaxPool()(x), lowest.amax(2))


@check
def points_that_are_given_twice(device):
    points = torch.tensor([[0, 5], [0, 1], [0, 5], [1, -3]], dtype=torch.int32, device=device)
    values = torch.tensor([[1.0], [2.0], [4.0], [8.0]], device=device)

    def make(reduce):
        return sct.SparseTensor(values, points, reduce=reduce).features.flatten().tolist()

    expect(make("first") == [2, 1, 8])
    expect(make("sum") == [2, 5, 8])
    expect(make("avg") == [2, 2.5, 8])
    x = sct.SparseTensor(values, points, reduce="sum")
    expect(x.to_points().flatten().tolist() == [5, 2, 5, 8] and x.batch_size == 2)
    # Sums and counts beyond f16.
    for count, value in ((400, 255.0), (70000, 0.5)):
        points = torch.zeros((count, 4), dtype=torch.int32, device=device)
        many = torch.full((count, 1), value, dtype=torch.float16, device=device)
        y = sct.SparseTensor(many, points, reduce="avg").features
        expect(y.tolist() == [[value]] and y.dtype == torch.float16, f"{count}: {y}")
        expect(sct.voxelise(many, points.float(), 2.0).features.tolist() == [[value]])


@check
def points_behind_layers_that_go_back(device):
    points = torch.tensor([[0, 5], [0, 1], [0, 5], [0, 2]], dtype=torch.int32, device=device)
    x = sct.SparseTensor(torch.randn(4, 2, device=device), points, reduce="avg")
    y = sct.SparseConv1d(2, 2, 2, 2, indice_key="a").to(device)(x)
    expect_error(sparseconv.ArgumentError, "coordinates of points", y.to_points)
    y = sct.SparseInverseConv1d(2, 2, 2, "a").to(device)(y)
    for z in (y, x + y, y + x, sct.cat([x, y]), sct.cat([y, x]), y.detach(), sum([y, x])):
        expect(torch.equal(z.to_points(), z.features[[2, 0, 2, 1]]))
    expect_error(TypeError, "unsupported operand", lambda: x + 1)


@check
def joining(device):
    def make(points, values):
        points = torch.tensor(points, dtype=torch.int32, device=device)
        return sct.SparseTensor(torch.tensor(values, device=device)[:, None], points)

    a = make([[0, 0, 0], [0, 0, 1]], [1.0, 2.0])
    b = make([[0, 0, 1], [0, 1, 1]], [3.0, 4.0])
    y = sct.union(a, b)
    expect(y.features.flatten().tolist() == [1, 5, 4])
    expect(y.coordinates.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 1]])
    expect(sct.cat([a, a]).features.tolist() == [[1, 1], [2, 2]])
    expect((a + a).features.flatten().tolist() == [2, 4])
    expect_error(sparseconv.ArgumentError, "same set", sct.cat, [a, b])
    for lhs, rhs in ((a, b.half()), (a.half(), b), (a.half(), b.half())):
        y = sct.union(lhs, rhs)
        expect(y.features.flatten().tolist() == [1, 5, 4])
        expect(y.dtype == torch.promote_types(lhs.dtype, rhs.dtype))
    wide = b.replace(b.features.repeat(1, 2))
    expect_error(sparseconv.ArgumentError, "one number of channels", sct.union, a, wide)
    y = sct.union(a, b)
    kept = sct.prune(y, y.features[:, 0] > 2)
    expect(kept.coordinates.tolist() == [[0, 0, 1], [0, 1, 1]] and kept.batch_size == 1)
    layer = sct.SubMConv2d(1, 1, 1, bias=False).to(device)
    expect_close(layer(kept).features, kept.features * layer.weight[0])


@check
def points_in_space(device):
    points = torch.tensor(
        [[0, 0.1, 0.2], [0, 0.3, 0.4], [1, -0.6, 2.2]], device=device
    )
    values = torch.tensor([[2.0], [4.0], [5.0]], device=device)
    x = sct.voxelise(values, points, 0.5)
    expect(x.coordinates.tolist() == [[0, 0, 0], [1, -2, 4]])
    expect(x.features.flatten().tolist() == [3, 5])
    at = torch.tensor([[0, 0.25, 0.0], [0, 0.75, 0.5], [1, 9.0, 9.0]], device=device)
    expect(sct.devoxelise(x, at, "nearest").flatten().tolist() == [3, 3, 0])
    expect(sct.devoxelise(x, at).flatten().tolist() == [3 * 0.75, 3 * 0.25 * 0.5, 0])


@check
def dense(device):
    for dim in (1, 2, 3, 4):
        x, grid = make_tensor(dim, 4, device)
        expect_close(sct.to_dense(x), grid, 0)
    y = sct.SparseMaxPool4d(2)(x)
    expect_close(sct.to_dense(y), densify(y.features, y), 0)

    def leave_grid():
        sct.to_dense(x, [3, 7, 7, 7])
        sct.check()  # a GPU says so late

    expect_error(sparseconv.Error, "is outside 0 .. 2", leave_grid)


@check
def programs_of_grids(device):
    """Each size of a grid has programs of its own, of which the last ones stay."""
    x, _ = make_tensor(1, 1, device, size=2)
    most, before = programs.MOST_SIZES, len(programs._programs)
    for size in range(2, most + 4):
        grid = sct.to_dense(x, [size])
        expect_close(grid[..., :2], sct.to_dense(x), 0)
    expect(programs._load_for_a_size.cache_info().currsize <= most)
    expect(grids_ir.dense.cache_info().currsize <= most)
    expect(len(programs._programs) == before)


@check
def sequences(device):
    x, _ = make_tensor(3, 4, device)
    net = sct.SparseSequential(
        sct.SubMConv3d(4, 8, 3), nn.BatchNorm1d(8), nn.ReLU(),
        sct.SparseSequential(sct.SparseConv3d(8, 8, 2, 2), nn.LayerNorm(8)),
        sct.SparseGlobalAvgPool(), nn.Linear(8, 3),
    ).to(device)  # fmt: skip
    expect(net(x).shape == (2, 3))

    class Activation(nn.ReLU):
        """A user's own, which does what torch's does."""

    class Block(nn.Sequential):
        """A user's own, which takes sparse tensors."""

        def forward(self, x):
            return x.replace(super().forward(x.features))

    layer, norm = sct.SubMConv3d(4, 4, 3).to(device), nn.BatchNorm1d(4).to(device)
    expected = torch.relu(norm(layer(x).features))
    modules = (
        nn.Sequential(norm, nn.ReLU()), nn.Sequential(nn.Sequential(norm), Activation()),
        Block(norm, Activation()), torch.compile(nn.Sequential(norm, nn.ReLU()), backend="eager"),
    )  # fmt: skip
    for module in modules:
        found = sct.SparseSequential(layer, module)(x).features
        expect(torch.equal(found, expected), str(module))
    expect(torch.equal(sct.SparseSequential(layer, nn.Sequential())(x).features, layer(x).features))
    inner = nn.Sequential(sct.SparseMaxPool3d(2), sct.SparseGlobalAvgPool())
    expect(sct.SparseSequential(layer, inner)(x).shape == (2, 4))


@check
def nothing(device):
    points = torch.zeros((0, 4), dtype=torch.int32, device=device)
    features = torch.zeros((0, 4), device=device, requires_grad=True)
    x = sct.SparseTensor(features, points, [8, 8, 8], batch_size=2)
    y = sct.SparseConv3d(4, 6, 3, 2, 1).to(device)(sct.SubMConv3d(4, 4, 3).to(device)(x))
    expect(y.features.shape == (0, 6))
    z = sct.SparseGlobalMaxPool()(y)
    expect(z.tolist() == [[0.0] * 6] * 2)
    z.sum().backward()
    expect(features.grad.shape == (0, 4))


@check
def maps_are_made_once(device):
    x, _ = make_tensor(3, 4, device)
    net = sct.SparseSequential(
        sct.SubMConv3d(4, 4, 3), sct.SubMConv3d(4, 4, 3), sct.SparseConv3d(4, 4, 2, 2),
        sct.SubMConv3d(4, 4, 3), sct.SubMConv3d(4, 4, 3),
    ).to(device)  # fmt: skip
    net(x)
    net(x)
    expect(len(x.cache.tables) == 3 and len(x.cache.sets) == 2)


@check
def plans_stay_in_files(device):
    text, target = ir.transpose_table(5, False), "cpu:sse2"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SPARSECONV_CACHE"], before = folder, os.environ.get("SPARSECONV_CACHE")
        try:
            plan = programs.get_plan(text, target)
            (name,) = os.listdir(folder)
            path = os.path.join(folder, name)
            mark = os.stat(path).st_mtime_ns
            expect(programs.get_plan(text, target) == plan)
            expect(os.stat(path).st_mtime_ns == mark, "the file was written again")
            with open(path, "wb") as file:
                file.write(plan[:100])
            again = programs.get_plan(text, target)
            expect(runtime.Plan(again).functions == ["main"])
            with open(path, "rb") as file:
                expect(file.read() == again, "a file that is no plan stays")
        finally:
            if before is None:
                del os.environ["SPARSECONV_CACHE"]
            else:
                os.environ["SPARSECONV_CACHE"] = before


@check
def late_errors(device):
    """What only a GPU sees is raised where it is waited for, or by a later call."""
    x, _ = make_tensor(2, 3, device)
    far = x.coordinates.clone()
    far[1, 2] = 7

    def scatter(coords):
        return sct.ops.to_dense(x.features, coords, [1, 1], [2, 7, 7])

    def wait():
        scatter(far)
        sct.check()

    def call_again():
        scatter(far)
        if device != "cpu":
            torch.cuda.synchronize()
        scatter(x.coordinates)

    def make_set():
        scatter(far)
        sct.SparseTensor(x.features, x.coordinates)

    for late in (wait, call_again, make_set):
        expect_error(sparseconv.Error, "coordinate 7 on axis 1 is outside 0 .. 6", late)
        sct.check()  # once


@check
def sets_are_looked_at_unless_trusted(device):
    x, _ = make_tensor(3, 4, device)
    coords, stride, offsets = x.set.coords, [1, 1, 1], ir.box((3, 3, 3), (-1, -1, -1), (1, 1, 1))
    table = sets.kernel_map(coords, coords, stride, stride, offsets, 27, False)
    expect(encodings.is_trusted(coords, "set") and not encodings.is_trusted(coords.clone(), "set"))
    copy = coords.clone()
    expect(torch.equal(table, sets.kernel_map(copy, coords, stride, stride, offsets, 27, False)))
    kept = coords.clone()
    coords.copy_(coords.flip(0))
    expect(not encodings.is_trusted(coords, "set"), "somebody has written to the set")
    expect_error(sparseconv.ArgumentError, "in set order", sets.kernel_map, coords, coords,
                 stride, stride, offsets, 27, False)  # fmt: skip
    coords.copy_(kept)


@check
def tiles_are_as_good_as_tables(device):
    """What layers run on a GPU, as networks, which run on a CPU as well."""
    x, _ = make_tensor(3, 8, device, rows=300)
    y = sct.SparseConv3d(8, 12, 2, 2, groups=2).to(device)(x)
    (table,) = x.cache.tables.values()
    num_in, num_out = len(x.features), len(y.features)
    expect((num_in, num_out) != (num_out, num_in) and table.shape == (num_out, 8))
    inverse = sets.transpose_table(table, num_in)
    w = torch.randn(8, 2, 4, 6, device=device)
    dy = torch.randn(num_out, 12, device=device)
    cases = (
        ("conv", x.features, table, num_in, ops.conv(x.features, w, table)),
        ("input_grad", dy, inverse, num_out, ops.input_grad(dy, w, table, num_in)),
    )
    for kind, features, given, rows, expected in cases:
        slots = -(-len(given) // 256) * 256
        shapes = [(8, slots), (slots,), (slots // 16, 1), (3,)]
        count = encodings.make_rows(rows, table.device)
        for trusted in (True, False):
            tiles = programs.run(ir.tile_table(8), [given, count], shapes, trusted)
            expect(tiles[3].tolist() == [rows, len(given), slots], f"sizes of {kind}")
            tensors = [features, w, *tiles, given]
            for has_many_rows in (False, True):
                text = ir.conv_by_tiles(has_many_rows, kind, 8, 8, 12, 2, "f32")
                found = programs.run(text, tensors, [tuple(expected.shape)], trusted)[0]
                note = f"{kind}, trusted: {trusted}, many rows: {has_many_rows}"
                expect_close(found, expected, 1e-6, note)


@check
def tables_are_checked(device):
    # A table that no operator made, and one that somebody writes to.
    x, _ = make_tensor(1, 4, device)
    layer = sct.SubMConv1d(4, 4, 3).to(device)
    y = layer(x).features
    (table,) = x.cache.tables.values()
    rows = len(x.features)
    expect(encodings.is_trusted(table, rows) and not encodings.is_trusted(table, rows - 1))
    expect(not encodings.is_trusted(table.clone(), rows))
    weight = layer.weight.detach()
    again = ops.conv(x.features, weight, table.clone()) + layer.bias
    expect_close(again, y, 1e-6)
    table[0, 0] = rows
    expect(not encodings.is_trusted(table, rows))
    if device == "cpu":
        expect_error(sparseconv.Error, f"input row {rows}", ops.conv, x.features, weight, table)
        expect_error(sparseconv.Error, "input row", ops.conv, x.features[1:], weight, table)


@check
def mistakes(device):
    error = sparseconv.ArgumentError
    x, _ = make_tensor(3, 4, device)
    points = x.coordinates
    for size in (3.0, "3", None, (3, 3), (3.0, 3, 3), torch.tensor(3.0)):
        expect_error(error, "one integer or 3", sct.SubMConv3d, 4, 4, size)
    for channels in (4.0, "4", None, 0, -4):
        expect_error(error, "in_channels", sct.SubMConv3d, channels, 4, 3)
    for size in (np.int64(3), torch.tensor(3), (np.int32(3),) * 3):
        expect(sct.SubMConv3d(np.int64(4), 4, size).weight.shape == (27, 4, 4))
    expect_error(error, "int32", sct.SparseTensor, x.features, points.long())
    expect_error(error, "rows", sct.SparseTensor, x.features[1:], points)
    expect_error(error, "4 channels", sct.SubMConv3d(4, 4, 3).to(device),
                 x.replace(x.features[:, :3].contiguous()))  # fmt: skip
    expect_error(error, "2 axes", sct.SubMConv2d(4, 4, 3).to(device), x)
    expect_error(error, "float64", sct.SubMConv3d(4, 4, 3).double().to(device),
                 x.replace(x.features.double()))  # fmt: skip
    expect_error(error, "autocast", sct.SubMConv3d(4, 4, 3).bfloat16().to(device), x)
    with torch.no_grad():
        expect_error(error, "on one device", sct.SubMConv3d(4, 4, 3).to("meta"),
                     x.replace(x.features.to("meta")))  # fmt: skip
    expect_error(error, "multiple", sct.SparseConvTranspose3d(4, 4, 2, 2).to(device), x)
    expect_error(error, "rows", x.replace, x.features[1:])
    users = sct.SubMConv3d(4, 4, 3), sct.SparseConv3d(4, 4, 2, 2), sct.SparseMaxPool3d(2)
    y, rows = x.replace(x.features), len(x.features)
    for features in (x.features[1:], torch.cat([x.features, x.features])):
        y.features = features
        for user in (*users, sct.SparseGlobalAvgPool(), sct.to_dense, sct.SparseTensor.float):
            user = user.to(device) if isinstance(user, nn.Module) else user
            expect_error(error, f"features of {rows} rows", user, y)
    for layer in (sct.SparseMaxPool3d(2), sct.SparseGlobalAvgPool()):
        expect_error(error, "expects a sparse tensor, but found Tensor", layer, x.features)
    for function in (sct.devoxelise, lambda x, *rest: sct.splat(x.features, rest[0], x, rest[1])):
        expect_error(error, "'nearest' or 'trilinear'", function, x, points.float(), "bilinear")
    expect_error(error, "kernel_size", sct.SubMConv3d, 4, 4, (3, 3))
    expect_error(error, "groups", sct.SubMConv3d, 4, 6, 3, groups=4)
    far = points.clone()
    far[0, 1] = 1 << 25
    expect_error(sparseconv.Error, "on axis 0 is outside", sct.SparseTensor, x.features, far)


@check
def signatures_of_operators(device):
    """Torch 2.4 reads annotations of `typing` alone."""
    owners = ops, sets, tracer
    operators = [getattr(owner, name) for owner in owners for name in vars(owner)]
    signatures = [
        inspect.signature(getattr(call, "_init_fn", call))
        for call in operators if hasattr(call, "register_fake")
    ]
    expect(len(signatures) > 10)
    for signature in signatures:
        for parameter in signature.parameters.values():
            expect(not isinstance(parameter.annotation, types.GenericAlias), str(parameter))


if __name__ == "__main__":
    torch_checks.run()
