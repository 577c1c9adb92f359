# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters and tensors that change, or come back as copies, between two calls of a model."""

import copy
import pickle
import types

import models
import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import sparseconv.torch.torchsparse as torchsparse
import torch
import torch_checks
from sparseconv.torch import known
from torch import nn
from torch_checks import check, expect, expect_error, make_tensor


@check
def parameters_that_change_unseen(device):
    """Torch counts no change by a fused optimizer, through `.data`, of the statistics that a
    norm takes in training, or of tensors that come in the place of parameters."""
    torch.manual_seed(0)
    x, _ = make_tensor(3, 4, device)
    y = spconv.SparseConvTensor(x.features, x.coordinates, [16, 16, 16], 2)
    z = torchsparse.SparseTensor(x.features, x.coordinates)
    cases = (
        (sct.SubMConv3d(4, 4, 3), sct.SparseSequential, x),
        (spconv.SubMConv3d(4, 4, 3), spconv.SparseSequential, y),
        (torchsparse.nn.Conv3d(4, 4, 3), nn.Sequential, z),
    )
    for layer, sequence, x in cases:
        rest = [] if sequence is nn.Sequential else [nn.BatchNorm1d(4), nn.ReLU()]
        net = sequence(layer, *rest).to(device)
        name = next(name for name, _ in layer.named_parameters())

        def get(net):
            with torch.no_grad():
                found = net.eval()(x)
                return getattr(found, "features", getattr(found, "F", None))

        def train(net=net):
            net.train()
            optimizer = torch.optim.AdamW(net.parameters(), lr=0.1, fused=True)
            found = net(x)
            getattr(found, "features", getattr(found, "F", None)).square().sum().backward()
            optimizer.step()

        changes = [train, lambda: getattr(layer, name).data.mul_(2)]
        if rest:
            changes += [rest[0].running_mean.data.add_, rest[0].weight.data.mul_]
        for number, change in enumerate(changes):
            before = get(net)
            change(1.5) if number > 1 else change()
            after = get(net)
            expect(not torch.equal(after, before), f"{type(layer)}: change {number} is not seen")
            expect(torch.equal(after, get(copy.deepcopy(net))), f"{type(layer)}: {number}")
        weight = getattr(layer, name).detach()
        key = next(key for key, part in net.named_parameters() if part is getattr(layer, name))
        for factor in (1.0, 2.0, 3.0):
            with torch.no_grad():
                named = {key: weight * factor}
                found = torch.func.functional_call(net.eval(), named, (x,))
            found = getattr(found, "features", getattr(found, "F", None))
            copied = copy.deepcopy(net)
            with torch.no_grad():
                dict(copied.named_parameters())[key].mul_(factor)
            expect(torch.equal(found, get(copied)), f"{type(layer)} with other weights")


@check
def copies_of_tensors(device):
    """What a layer has seen can be copied and pickled, and still knows of changes."""
    x, _ = make_tensor(3, 4, device)
    layer = spconv.SubMConv3d(4, 4, 3).to(device)
    strided = spconv.SparseConv3d(4, 4, 2, 2).to(device)
    for make in (lambda x: x, layer, strided):
        with torch.no_grad():
            y = make(spconv.SparseConvTensor(x.features, x.coordinates, [16, 16, 16], 2))
            y.indices, layer(y)
            expected = layer(y).features
            copies = copy.deepcopy(y), pickle.loads(pickle.dumps(y))
        for copied in copies:
            expect(torch.equal(layer(copied).features, expected))
            copied.indices.add_(1)
            expect_error(sparseconv.ArgumentError, "changed in place", layer, copied)


@check
def coordinates_changed_in_place(device):
    """Those that a tensor shows are those of its set, whose maps are of what they were."""
    layer = sct.SubMConv3d(4, 4, 3).to(device)
    strided = sct.SparseConv3d(4, 4, 2, 2).to(device)
    users = layer, strided, sct.SparseMaxPool3d(2), sct.SparseGlobalSumPool(), sct.to_dense
    for make in (lambda x: x, layer, strided):
        for has_run in (False, True):
            x, _ = make_tensor(3, 4, device)
            with torch.no_grad():
                x = make(x)
                if has_run:
                    layer(x)
            copies = x, x.replace(x.features), copy.deepcopy(x)
            for tensor in copies:
                tensor.coordinates.mul_(1)
                for tensor in (tensor, pickle.loads(pickle.dumps(tensor)), copy.copy(tensor)):
                    for user in users:
                        expect_error(sparseconv.ArgumentError, "changed in place", user, tensor)
    # Rows in the order of points show a copy.
    x, _ = make_tensor(3, 4, device)
    x = sct.SparseTensor(x.features, x.coordinates.flip(0), [7, 7, 7], 2, rows="points")
    expected = layer(x).features
    x.coordinates.add_(1)
    expect(torch.equal(layer(x).features, expected))


@check
def products_of_rows(device):
    """spconv keeps the rows where a kernel has one offset and no stride."""
    points = torch.tensor([[0, 5, 5, 5], [0, 1, 1, 1], [0, 3, 3, 3]], dtype=torch.int32)
    features = torch.tensor([[1.0], [10.0], [100.0]], device=device)
    x = spconv.SparseConvTensor(features, points.to(device), [8, 8, 8], 1)
    for kind in (spconv.SubMConv3d, spconv.SparseConv3d, spconv.SparseConvTranspose3d):
        layer = kind(1, 1, 1, bias=False, indice_key="same").to(device)
        with torch.no_grad():
            layer.weight.fill_(2)
            y = layer(x)
        expect(y.indices is x.indices and torch.equal(y.features, 2 * features), str(kind))


@check
def calls_unlike_the_last(device):
    """A layer that has run before looks at what may be another one: the results are those of
    a copy, which has not run."""
    torch.manual_seed(0)

    def give_to_spconv(points, features):
        return spconv.SparseConvTensor(features, points, [16, 16, 16], 1)

    def give(points, features):
        return sct.SparseTensor(features, points, [16, 16, 16], rows="points")

    norm = nn.BatchNorm1d(8)
    layer = spconv.SubMConv3d(8, 8, 3, bias=False)
    compare_calls(device, spconv.SparseSequential(layer, norm, nn.ReLU()), give_to_spconv, norm)
    for size in (3, 1):  # the second is a product of matrices
        compare_calls(device, spconv.SubMConv3d(8, 8, size), give_to_spconv)
    compare_calls(device, sct.SubMConv3d(8, 8, 3, groups=2), give)


def compare_calls(device, net, give, norm=None):
    net = net.to(device).eval()

    def make(count, dtype=torch.float32):
        points = models.make_points((16, 16, 16), count, seed=count).to(device)
        return points, torch.randn(len(points), 8).to(device, dtype)

    def run(net, *arguments):
        with torch.no_grad():
            return net(give(*arguments)).features

    def compare(points, features, text):
        for _ in range(2):
            found = run(net, points, features)
        expect(torch.equal(found, run(copy.deepcopy(net), points, features)), text)

    points, features = make(200)
    compare(points, features, "as ever")
    compare(*make(300), "other rows")
    compare(points, features.T.contiguous().T, "other strides")
    wide = torch.randn(features.numel() + 1, device=device)
    compare(points, wide[1:].view_as(features), "another alignment")
    expect_error(sparseconv.ArgumentError, "8 channels", run, net, points, features[:, :7])
    expect_error(sparseconv.ArgumentError, "one element type", run, net, points, features.half())
    if norm is not None:
        norm.eps = 0.5
        compare(points, features, "another eps")
        norm.weight = nn.Parameter(torch.rand(8, device=device))
        compare(points, features, "another weight")
    if device != "cpu":
        torch.backends.cuda.matmul.allow_tf32 = True
        compare(points, features, "tf32")
        torch.backends.cuda.matmul.allow_tf32 = False
        compare(points, features, "no tf32")
        with torch.cuda.stream(torch.cuda.Stream()):
            compare(points, features, "another stream")
        with torch.autocast("cuda", torch.float16):
            compare(points, features, "autocast")
    net.half()
    compare(*make(250, torch.float16), "another type")


@check
def known_convolutions(device):
    """What a layer keeps for its next call on a GPU refuses operands that are unlike those of
    its last one, one change at a time, and starts nothing then. Streams, tiles and the
    compiled function are stand-ins, so that no GPU is needed."""
    calls, found = [], []
    function = types.SimpleNamespace(repeat=lambda *arguments: calls.append(arguments))
    stand_ins = {
        "find_function": lambda _, key, *__: found.append(key[0]) or function,
        "get_stream": lambda _: 7,
        "find_tiles": lambda table, rows, *_: "tiles" if rows == 16 else None,
    }
    before = {name: getattr(known, name) for name in stand_ins}
    x, w = torch.randn(16, 8), torch.randn(27, 8, 8)
    table = torch.zeros((16, 27), dtype=torch.int32)
    wide = torch.randn(16 * 8 + 1)
    norm = [torch.ones(8)], ("relu", 1e-3, (("weight", "f32"),))
    changes = {
        "type": (x.half(), w, table, None),
        "type of weights": (x, w.half(), table, None),
        "channels": (x[:, :7].contiguous(), w, table, None),
        "axes": (x[None], w, table, None),
        "weights": (x, w[:, :, :7].contiguous(), table, None),
        "offsets": (x, w, table[:, :26].contiguous(), None),
        "rows of the map": (x[:15], w, table, None),
        "strides": (x.T.contiguous().T, w, table, None),
        "strides of weights": (x, w.transpose(1, 2), table, None),
        "alignment": (wide[1:].view(16, 8), w, table, None),
        "device": (x, w.to("meta"), table, None),
        "norm": (x, w, table, norm),
    }
    try:
        vars(known).update(stand_ins)
        conv = known.KnownConv(x, w, None, None)
        for text, operands in changes.items():
            expect(conv.run(*operands) is None and not calls, f"another {text}")
        y = conv.run(x, w, table, None)
        expect(y.shape == (16, 8) and len(calls) == 1)
        stream, tensors, pointers, views, made = calls[0]
        expect((stream, views) == (7, "tiles") and tensors == (x, w) and made is y)
        expect(pointers == [x.data_ptr(), w.data_ptr()])
        # Many rows have a function of their own, and so many may come in turn with few.
        many = table.new_zeros((30_000, 27))
        for operands in ((x, w, many, None), (x, w, table, None)) * 2:
            expect(conv.run(*operands).shape == (len(operands[2]), 8))
        expect(found == [False, True], found)
        del calls[1:]
        normed = known.KnownConv(x, w, None, norm)
        expect(normed.run(x, w, table, norm) is not None)
        expect(calls[1][1] == (x, w, *norm[0]))
        others = norm[0], ("relu", 1e-5, (("weight", "f32"),))
        expect(normed.run(x, w, table, others) is normed.run(x, w, table, None) is None)
        expect(copy.deepcopy(conv) is None)
    finally:
        vars(known).update(before)


@check
def graphs_of_models_that_infer(device):
    """torch.compile takes layers with norms behind them where nobody takes gradients."""
    x, _ = make_tensor(3, 4, device)
    for kind, sequence in (
        (sct.SubMConv3d, sct.SparseSequential), (spconv.SubMConv3d, spconv.SparseSequential),
    ):  # fmt: skip
        net = sequence(kind(4, 4, 3), nn.BatchNorm1d(4), nn.ReLU()).to(device).eval()

        def run(features):
            return net(x.replace(features)).features

        if kind is spconv.SubMConv3d:
            x = spconv.SparseConvTensor(x.features, x.coordinates, [16, 16, 16], 2)
        graph = torch.compile(run, backend="eager", fullgraph=True)
        with torch.no_grad():
            found, expected = graph(x.features), run(x.features)
        expect(torch.allclose(found, expected, atol=1e-5), str(kind))


@check
def what_is_no_sparse_tensor(device):
    for layer in (sct.SubMConv3d(4, 4, 3), spconv.SparseConvTranspose3d(4, 4, 2, 2)):
        for x, name in ((torch.zeros(3, 4), "Tensor"), (None, "NoneType")):
            expect_error(sparseconv.ArgumentError, f"but found {name}", layer, x)
    points = torch.zeros((1, 3), dtype=torch.int32, device=device)
    plane = spconv.SparseConvTensor(torch.zeros(1, 4, device=device), points, [4, 4], 1)
    layer = spconv.SparseConvTranspose3d(4, 4, 2, 2).to(device)
    expect_error(sparseconv.ArgumentError, "3 axes, but found 2", layer, plane)
    # A layer that torch has made another class of is still one of ours.
    layer = torch.nn.utils.parametrizations.weight_norm(sct.SubMConv3d(4, 4, 3)).to(device)
    x, _ = make_tensor(3, 4, device)
    expect(torch.equal(sct.SparseSequential(layer)(x).features, layer(x).features))


if __name__ == "__main__":
    torch_checks.run()
