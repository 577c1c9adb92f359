# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of the operators. They are multilinear or piecewise linear, so that
central differences with a large step are exact but for the rounding of f32, in which
the operators compute: gradcheck's bounds are that rounding, not a step's error."""

import warnings

import sparseconv
import sparseconv.torch as sct
import torch
import torch_checks
from sparseconv.torch import encodings, ops
from torch.autograd import gradcheck, gradgradcheck
from torch_checks import check, densify, expect, expect_close, expect_error, make_tensor

F = torch.nn.functional
EXACT = {"eps": 0.25, "atol": 2e-4, "rtol": 1e-4, "nondet_tol": 0.0}


def make_operands(device, groups=1):
    x, _ = make_tensor(2, 4, device, size=4, rows=12)
    y = sct.SparseMaxPool2d(3, 2, 1)(x)
    table = next(iter(x.cache.tables.values()))
    torch.manual_seed(1)
    shape = (9, 4, 2) if groups == 1 else (9, groups, 4 // groups, 6 // groups)
    w = torch.randn(shape, device=device, requires_grad=True)
    return x, y, x.features.clone().requires_grad_(), w, table


def check_gradients(function, *tensors, twice=False):
    with warnings.catch_warnings():
        # Of differences in f32, which are meant here.
        warnings.filterwarnings("ignore", message=".*not a double precision.*")
        gradcheck(function, tensors, **EXACT)
        if twice:
            gradgradcheck(function, tensors, **EXACT)


@check
def differences_of_convolution(device):
    for groups in (1, 2):
        x, y, features, w, table = make_operands(device, groups)
        check_gradients(lambda f, v: ops.conv(f, v, table), features, w, twice=True)


@check
def mirrored_maps(device):
    """Of a set to itself by offsets around 0: the gradient is a convolution on the map."""
    for layer, size in ((sct.SubMConv1d, 5), (sct.SubMConv2d, 3), (sct.SubMConv3d, (3, 1, 5)),
                        (sct.SubMConv2d, 2), (sct.SparseConv2d, 3)):  # fmt: skip
        for groups, rows in ((1, None), (2, "points")):
            dim = layer.dim
            x, _ = make_tensor(dim, 4, device)
            if rows is not None:
                x = sct.SparseTensor(x.features, x.coordinates.flip(0), rows=rows)
            conv = layer(4, 6, size, padding=1, dilation=2, groups=groups).to(device)
            conv(x)
            (table,), n = x.cache.tables.values(), len(x.features)
            is_symmetric = size != 2 and layer is not sct.SparseConv2d
            expect(encodings.mirrors(table, n) == is_symmetric, f"{conv}, {rows}")
            dy = torch.randn(table.shape[0], 6, device=device)
            found = ops.input_grad(dy, conv.weight.detach(), table, n)
            expected = ops.input_grad(dy, conv.weight.detach(), table.clone(), n)
            expect_close(found, expected.double(), text=f"{conv}, {rows}")


@check
def differences_of_pooling(device):
    x, y, features, w, table = make_operands(device)
    for kind, count_volume in (("avg", False), ("avg", True), ("sum", False)):
        check_gradients(lambda f: ops.pool(f, table, kind, count_volume), features)  # noqa: B023
        check_gradients(lambda f: ops.global_pool(f, x.coordinates, kind, 2), features)  # noqa: B023
    # The largest stays the largest within a step.
    spaced = torch.randperm(features.numel()).reshape(features.shape).float().to(device)
    spaced.requires_grad_()
    check_gradients(lambda f: ops.pool(f, table, "max", False), spaced)
    check_gradients(lambda f: ops.global_pool(f, x.coordinates, "max", 2), spaced)


@check
def differences_of_rows(device):
    x, y, features, w, table = make_operands(device)
    coords = x.coordinates
    points = torch.rand(6, 3, device=device) * 3
    points[:, 0] = torch.tensor([0, 0, 0, 1, 1, 1])
    for mode in ("nearest", "trilinear"):
        check_gradients(lambda f: sct.devoxelise(x.replace(f), points, mode), features)  # noqa: B023
        given = torch.randn(6, 3, device=device, requires_grad=True)
        check_gradients(lambda f: sct.splat(f, points, x, mode).features, given)  # noqa: B023
    check_gradients(lambda f: ops.to_dense(f, coords, [1, 1], [2, 4, 4]), features)
    grid = torch.randn(2, 4, 4, 3, device=device, requires_grad=True)
    check_gradients(lambda g: ops.from_dense(g, coords, [1, 1]), grid)
    rows = torch.tensor([0, 2, 2, 1, 0], dtype=torch.int32, device=device)
    given = torch.randn(5, 3, device=device, requires_grad=True)
    check_gradients(lambda f: ops.scatter(f, rows, 4), given, twice=True)
    check_gradients(lambda f: ops.gather(f, rows), given, twice=True)
    nowhere = torch.tensor([0, -1, 2, 1, -1], dtype=torch.int32, device=device)
    check_gradients(lambda f: ops.scatter(f, nowhere, 4), given, twice=True)
    given.grad = None
    ops.scatter(given, torch.full_like(rows, -1), 0).sum().backward()
    expect(not given.grad.any())


@check
def differences_of_tensors(device):
    x, y, features, w, table = make_operands(device)
    other = sct.SparseMaxPool2d(3, 1, 1)(x)
    check_gradients(lambda f: sct.union(x.replace(f), other).features, features)
    mask = torch.arange(len(features), device=device) % 2 == 0
    check_gradients(lambda f: sct.prune(x.replace(f), mask).features, features)
    twice = torch.cat([x.coordinates, x.coordinates])
    values = torch.randn(len(twice), 2, device=device, requires_grad=True)
    for reduce in ("first", "sum", "avg"):
        check_gradients(
            lambda f: sct.SparseTensor(f, twice, reduce=reduce).features, values  # noqa: B023
        )


@check
def differences_of_points(device):
    """Of what is interpolated at points, within cells of either size."""
    x, _, features, _, _ = make_operands(device)
    points = x.coordinates.float().repeat(2, 1)
    torch.manual_seed(4)
    points[:, 1:] += torch.rand_like(points[:, 1:]) * 0.4 + 0.3
    points.requires_grad_()
    given = torch.randn(len(points), 4, device=device)
    coarse = sct.SparseMaxPool2d(2)(x)
    exact = {**EXACT, "eps": 0.125}
    for y in (x, coarse):
        values = torch.randn(len(y.features), 4, device=device, requires_grad=True)

        def read(v, p):
            p = torch.cat([points[:, :1].detach(), p], 1)
            return sct.devoxelise(y.replace(v), p)  # noqa: B023

        def write(v, p):
            p = torch.cat([points[:, :1].detach(), p], 1)
            return sct.splat(v, p, y).features  # noqa: B023

        places = points[:, 1:].detach().requires_grad_()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*not a double precision.*")
            gradcheck(read, (values, places), **exact)
            gradgradcheck(read, (values, places), **exact)
            gradcheck(write, (given.clone().requires_grad_(), places), **exact)
    half = x.replace(x.features.half())
    found = [torch.autograd.grad(sct.devoxelise(y, points).sum(), points)[0] for y in (x, half)]
    expect(found[0].any() and not found[0][:, 0].any())
    expect_close(found[1], found[0], 1e-2)
    sct.devoxelise(x, points, "nearest").sum().backward()
    expect(points.grad.shape == points.shape and not points.grad.any())


@check
def gradients_of_gradients_of_pooling(device):
    x, y, features, w, table = make_operands(device)
    pools = {
        "pool": lambda f, kind: ops.pool(f, table, kind, False),
        "global_pool": lambda f, kind: ops.global_pool(f, x.coordinates, kind, 2),
    }
    for name, pool in pools.items():
        for kind in ("avg", "sum"):
            check_gradients(lambda f: pool(f, kind).square(), features, twice=True)  # noqa: B023
        loss = pool(features, "max").square().sum()
        (first,) = torch.autograd.grad(loss, features, create_graph=True)
        expect_error(sparseconv.ArgumentError, f"{name}_grad: a maximum has no gradients of",
                     torch.autograd.grad, first.sum(), features)  # fmt: skip


@check
def coordinates_in_any_order(device):
    """What operators give of coordinates that no operator made has the order of these."""
    x, _, features, _, _ = make_operands(device)
    coords = x.coordinates
    order = torch.randperm(len(coords), device=device)
    mixed, stride = coords[order], [1, 1]
    points = coords.float() + 0.3
    points[:, 0] = coords[:, 0]
    grid = torch.randn(2, 4, 4, 4, device=device)
    functions = (
        lambda f, c: ops.to_dense(f, c, stride, [2, 4, 4]),
        lambda f, c: ops.from_dense(grid, c, stride) * f,
        lambda f, c: ops.devoxelise(f, points, c, stride, "trilinear"),
        lambda f, c: ops.voxelise(features.detach(), points, c, stride, "trilinear") * f,
        *(lambda f, c, kind=kind: ops.global_pool(f, c, kind, 2) for kind in ("max", "avg")),
    )
    for number, function in enumerate(functions):
        results = []
        for rows, where in ((None, coords), (order, mixed)):
            given = features.detach() if rows is None else features.detach()[rows]
            given.requires_grad_()
            y = function(given, where)
            (dx,) = torch.autograd.grad(y.square().sum(), given)
            results.append((y.detach(), dx))
        (y, dx), (found, found_dx) = results
        by_rows = number in (1, 3)
        expect_close(found, y[order] if by_rows else y, 1e-6, str(number))
        expect_close(found_dx, dx[order], 1e-6, f"gradient of {number}")
    twice = torch.cat([mixed, mixed[:1]])
    many = torch.ones(len(twice), 1, device=device)

    def give_twice():
        ops.to_dense(many, twice, stride, [2, 4, 4])
        sct.check()  # a GPU says so late

    expect_error(sparseconv.Error, "rows, but the coordinate set has", give_twice)


@check
def against_dense_layers(device):
    x, grid = make_tensor(3, 4, device, size=8)
    features = x.features.clone().requires_grad_()
    down = sct.SparseConv3d(4, 5, 3, 2, 1, indice_key="down").to(device)
    up = sct.SparseInverseConv3d(5, 6, 3, "down").to(device)
    z = up(down(x.replace(features)))
    torch.manual_seed(2)
    dz = torch.randn_like(z.features)
    z.features.backward(dz)

    grid.requires_grad_()
    weights = [
        torch_checks.get_dense_weight(down).detach().requires_grad_(),
        torch_checks.get_dense_weight(up, True).detach().requires_grad_(),
    ]
    middle = down(x)
    there = densify(torch.ones_like(middle.features[:, :1]), middle)
    h = F.conv3d(grid, weights[0], down.bias.detach().double(), 2, 1) * there
    out = F.conv_transpose3d(h, weights[1], None, 2, 1, 1)
    out.backward(densify(dz, z))
    expect_close(down.weight.grad, weights[0].grad.permute(2, 3, 4, 1, 0).reshape(27, 4, 5))
    expect_close(up.weight.grad, weights[1].grad.permute(2, 3, 4, 0, 1).reshape(27, 5, 6))
    there = densify(torch.ones_like(features[:, :1]), x)
    expect_close(densify(features.grad, x), grid.grad * there)
    expect_close(up.bias.grad, dz.sum(0))


@check
def what_is_not_asked_for(device):
    x, y, features, w, table = make_operands(device)
    y = ops.conv(features.detach(), w, table)
    y.sum().backward()
    expect(w.grad is not None and features.grad is None)


@check
def operators(device):
    x, y, features, w, table = make_operands(device)
    coords, rows = x.coordinates, x.features.shape[0]
    dy = torch.randn(table.shape[0], 2, device=device, requires_grad=True)
    pooled = torch.randn(table.shape[0], 4, device=device)
    spread = torch.zeros(rows, dtype=torch.int32, device=device)
    points = coords.float()
    grid = torch.randn(2, 4, 4, 3, device=device, requires_grad=True)
    # Called from here they are the functions themselves.
    plain = torch.ops.sparseconv
    calls = [
        (plain.conv, (features, w, table)),
        (plain.input_grad, (dy, w, table, rows)),
        (plain.weight_grad, (features, dy, table, 1)),
        (plain.pool, (features, table, "max", False)),
        (plain.pool_grad, (pooled, features.detach(), table, "max", False)),
        (plain.global_pool, (features, coords, "avg", 2)),
        (plain.global_pool_grad, (pooled[:2].clone(), features.detach(), coords, "max")),
        (plain.scatter, (features, spread, 3)),
        (plain.gather, (features, spread)),
        (plain.voxelise, (features, points, coords, [1, 1], "nearest")),
        (plain.devoxelise, (features, points, coords, [1, 1], "trilinear")),
        (plain.to_dense, (features, coords, [1, 1], [2, 4, 4])),
        (plain.from_dense, (grid, coords, [1, 1])),
        (plain.pack, (coords, [1, 1])),
        (plain.pack_distinct, (coords.flip(0), [1, 1])),
        (plain.renumber, (table, spread[: table.shape[0]].clone(), spread)),
        (plain.output_set, (coords, "floor", [1, 1], [2, 2], "", [])),
        (plain.union, (coords, coords[2:].clone(), [1, 1])),
        (plain.kernel_map, (coords, coords, [1, 1], [1, 1], "box<3, 3>", 9, False)),
        (plain.transpose_table, (table, rows)),
    ]
    for operator, arguments in calls:
        torch.library.opcheck(getattr(operator, "default", operator), arguments)


if __name__ == "__main__":
    torch_checks.run()
