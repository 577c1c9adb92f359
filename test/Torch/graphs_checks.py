# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs, types and bits."""

import warnings

import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import sparseconv.torch.torchsparse as torchsparse
import torch
import torch_checks
from torch import nn
from torch.utils import _pytree as pytree
from torch_checks import check, expect, expect_close, expect_error, make_tensor

BACKENDS = ("eager", "aot_eager")


def make_net(device):
    torch.manual_seed(3)
    return sct.SparseSequential(
        sct.SubMConv3d(4, 8, 3), nn.BatchNorm1d(8), nn.ReLU(),
        sct.SparseConv3d(8, 8, 3, 2, 1, indice_key="down"), nn.ReLU(),
        sct.SubMConv3d(8, 8, 3), sct.SparseInverseConv3d(8, 8, 3, "down"),
        sct.SparseMaxPool3d(2), sct.SparseGlobalAvgPool(), nn.Linear(8, 3),
    ).to(device)  # fmt: skip


def step(function, net, *arguments):
    """The output of a training step, and its gradients."""
    net.zero_grad()
    y = function(*arguments)
    (y * torch.arange(1.0, 4.0, device=y.device)).sum().backward()
    return [y.detach(), *(parameter.grad.clone() for parameter in net.parameters())]


@check
def whole_graphs(device):
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    x, _ = make_tensor(3, 4, device, size=8)
    points, features = x.coordinates.clone(), x.features.clone()
    for backend in BACKENDS:
        net = make_net(device)

        def forward(features, points):
            return net(sct.SparseTensor(features, points, [8, 8, 8], batch_size=2))  # noqa: B023

        expected = step(forward, net, features, points)
        net = make_net(device)
        torch._dynamo.reset()
        compiled = torch.compile(forward, backend=backend, fullgraph=True)
        for found, value in zip(step(compiled, net, features, points), expected, strict=True):
            expect_close(found, value, 1e-6, backend)


@check
def graphs_of_other_sizes(device):
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    torch._dynamo.reset()
    net = make_net(device).eval()
    compiled = torch.compile(
        lambda f, p: net(sct.SparseTensor(f, p, [8, 8, 8], batch_size=2)),
        backend="aot_eager", fullgraph=True, dynamic=True,
    )  # fmt: skip
    for rows in (40, 90):
        x, _ = make_tensor(3, 4, device, size=8, rows=rows)
        expected = net(x)
        expect_close(compiled(x.features, x.coordinates), expected, 1e-6)


@check
def models_of_other_libraries(device):
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    torch._dynamo.reset()
    net = spconv.SparseSequential(
        spconv.SubMConv3d(4, 8, 3), nn.BatchNorm1d(8), nn.ReLU(),
        spconv.SparseConv3d(8, 8, 2, 2, indice_key="a"), spconv.SubMConv3d(8, 4, 1),
        spconv.SparseInverseConv3d(4, 3, 2, "a"),
    ).to(device)  # fmt: skip
    x, _ = make_tensor(3, 4, device, size=8)
    points, features = x.coordinates.flip(0), x.features.clone()

    def forward(features, points):
        return net(spconv.SparseConvTensor(features, points, [8, 8, 8], 2)).features

    expected = step(forward, net, features, points)
    net.zero_grad()
    compiled = torch.compile(forward, backend="aot_eager", fullgraph=True)
    for found, value in zip(step(compiled, net, features, points), expected, strict=True):
        expect_close(found, value, 1e-6)


@check
def graphs_break_at_sets(device):
    # Without the setting there is a graph on each side of a layer that makes a set.
    torch._dynamo.config.capture_dynamic_output_shape_ops = False
    net = make_net(device)

    def forward(features, points):
        return net(sct.SparseTensor(features, points, [8, 8, 8]))

    for backend in BACKENDS:
        torch._dynamo.reset()
        compiled = torch.compile(forward, backend=backend)
        for rows in (40, 90, 150):
            x, _ = make_tensor(3, 4, device, size=8, rows=rows)
            arguments = x.features, x.coordinates
            expected = step(forward, net, *arguments)
            for found, value in zip(step(compiled, net, *arguments), expected, strict=True):
                expect_close(found, value, 1e-6, backend)


@check
def transforms_are_refused(device):
    x, _ = make_tensor(3, 4, device)
    layer = sct.SubMConv3d(4, 8, 3).to(device)

    def loss(features):
        return layer(x.replace(features)).features.sum()

    ones = torch.ones_like(x.features)
    transforms = (
        torch.func.grad(loss), torch.func.jacfwd(loss),
        lambda f: torch.func.jvp(loss, (f,), (ones,)),
        lambda f: torch.autograd.functional.jacobian(
            lambda f: layer(x.replace(f)).features.sum(0), f, vectorize=True
        ),
    )  # fmt: skip
    for _ in range(2):  # with maps that are still to be made, and with those
        for transform in transforms:
            expect_error(sparseconv.ArgumentError, "torch.func", transform, x.features)
    features = x.features.clone().requires_grad_()
    y = layer(x.replace(features)).features
    many = torch.ones(2, *y.shape, device=device)
    expect_error(sparseconv.ArgumentError, "is_grads_batched", lambda: torch.autograd.grad(
        y, features, many, is_grads_batched=True))  # fmt: skip
    y = spconv.SparseConvTensor(x.features, x.coordinates, [16, 16, 16], 2)
    for layer, x in ((layer, x), (spconv.SubMConv3d(4, 8, 3).to(device), y)):
        with torch.no_grad():
            layer(x)
            many = torch.func.vmap(lambda f: layer(x.replace(f)).features)  # noqa: B023
            expect_error(sparseconv.ArgumentError, "torch.func", many, x.features[None])


@check
def traces_are_refused(device):
    """torch.jit.trace would note nothing but the memory that results are put into."""
    users = (
        sct.SubMConv3d(4, 4, 3), sct.SparseMaxPool3d(2), sct.SparseGlobalSumPool(),
        sct.SparseSequential(sct.SubMConv3d(4, 4, 3), nn.BatchNorm1d(4), nn.ReLU()),
        sct.to_dense, lambda x: sct.SparseTensor(x.features, x.coordinates),
    )  # fmt: skip
    x, _ = make_tensor(3, 4, device)
    for user in users:
        user = user.to(device).eval() if isinstance(user, nn.Module) else user

        def run(features):
            y = user(x.replace(features))  # noqa: B023
            return getattr(y, "features", y)

        for takes_gradients in (True, False):
            with torch.set_grad_enabled(takes_gradients), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                run(x.features)
                expect_error(sparseconv.ArgumentError, "sparseconv.compile", torch.jit.trace,
                             run, x.features, check_trace=False)  # fmt: skip


@check
def trees_of_features(device):
    """Torch's functions of nested containers find the features, and torch.export, which
    would keep an example's coordinates, says so."""
    x, _ = make_tensor(3, 4, device)
    points = x.coordinates
    tensors = (
        x, spconv.SparseConvTensor(x.features, points, [16, 16, 16], 2),
        torchsparse.SparseTensor(x.features, points),
    )  # fmt: skip
    for tensor in tensors:
        found = pytree.tree_map(lambda leaf: leaf * 2, {"a": [tensor]})["a"][0]
        expect(type(found) is type(tensor) and found.set is tensor.set)
        expect(torch.equal(found.features, 2 * x.features))
    net = sct.SparseSequential(sct.SubMConv3d(4, 4, 3), sct.SparseGlobalAvgPool()).to(device)
    expect_error(sparseconv.ArgumentError, "keep the coordinates", torch.export.export, net, (x,))
    expect(type(net(x)) is torch.Tensor)


@check
def submanifold_graphs_need_no_setting(device):
    torch._dynamo.config.capture_dynamic_output_shape_ops = False
    torch._dynamo.reset()
    net = sct.SparseSequential(sct.SubMConv3d(4, 8, 3), nn.ReLU(), sct.SubMConv3d(8, 8, 3))
    net = net.to(device)
    x, _ = make_tensor(3, 4, device)
    expected = net(x).features
    x, _ = make_tensor(3, 4, device)
    compiled = torch.compile(lambda x: net(x).features, backend="aot_eager", fullgraph=True)
    expect_close(compiled(x), expected, 1e-6)


@check
def autocast(device):
    x, _ = make_tensor(3, 8, device)
    layer = sct.SubMConv3d(8, 8, 3).to(device)
    exact = layer(x).features
    types = ((torch.bfloat16, 3e-2), (torch.float16, 4e-3))
    for dtype, bound in types:
        layer.zero_grad()
        with torch.autocast(device, dtype=dtype):
            y = layer(x).features
        expect(y.dtype == dtype)
        expect_close(y.float(), exact, bound, str(dtype))
        y.float().sum().backward()
        expect(layer.weight.grad.dtype == torch.float32)
        # Each row counts once for each neighbour: whole numbers, rounded once.
        found = layer.bias.grad
        expect_close(found, torch.full_like(found, y.shape[0]), bound)


@check
def half_types(device):
    for dtype, bound in ((torch.bfloat16, 1e-2), (torch.float16, 1e-3)):
        x, _ = make_tensor(3, 8, device, dtype=dtype)
        layer = sct.SubMConv3d(8, 8, 3, bias=False, dtype=dtype, device=device)
        y = layer(x).features
        expect(y.dtype == dtype)
        exact = sct.SubMConv3d(8, 8, 3, bias=False, device=device)
        exact.weight.data = layer.weight.data.float()
        expect_close(y.float(), exact(x.replace(x.features.float())).features, bound, str(dtype))


@check
def equal_bits(device):
    results = []
    for _ in range(2):
        x, _ = make_tensor(3, 4, device, size=8, rows=200)
        net = make_net(device)
        results.append(step(net, net, x))
    for first, second in zip(*results):
        expect(torch.equal(first, second))


if __name__ == "__main__":
    torch_checks.run()
