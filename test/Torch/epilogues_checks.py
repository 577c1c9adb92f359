# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms and biases as epilogues of convolutions."""

import functools
from unittest import mock

import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import torch
import torch_checks
from sparseconv.torch import ops
from sparseconv.torch.operands_ir import Norm
from torch import nn
from torch.autograd import forward_ad
from torch_checks import check, expect, expect_close, expect_error, make_tensor

F = nn.functional


@check
def norms_behind_convolutions(device):
    """Without gradients they are part of the convolution: the same, rounded once."""
    runs, inner = [], ops.conv_at_once

    def run(*operands):
        epilogue = operands[-1]
        if epilogue is not None and isinstance(epilogue[1], Norm):
            runs.append(operands)
        return inner(*operands)

    ops.conv_at_once = run
    norm = nn.BatchNorm1d(6)
    with torch.no_grad():
        for tensor in (norm.running_mean, norm.running_var, norm.weight, norm.bias):
            tensor.uniform_(0.5, 1.5)
    plain = nn.BatchNorm1d(6, affine=False)
    plain.load_state_dict(norm.state_dict(), strict=False)
    layers = (
        sct.SubMConv3d(4, 6, 3), sct.SparseConv3d(4, 6, 2, 2, bias=False),
        sct.SparseConvTranspose3d(4, 6, 2, 2), spconv.SubMConv3d(4, 6, 3),
        sct.SubMConv3d(4, 6, 3, groups=2),
    )  # fmt: skip
    try:
        for layer in layers:
            for rest in ([norm, nn.ReLU()], [plain], [norm, nn.ReLU6()]):
                for dtype, bound in ((torch.float32, 1e-5), (torch.float16, 4e-3)):
                    x, _ = make_tensor(3, 4, device, dtype=dtype)
                    x = sct.SparseTensor(x.features, x.coordinates * 2, stride=2)
                    net = sct.SparseSequential(layer, *rest).to(device, dtype).eval()
                    runs.clear()
                    expected = net(x).features
                    expect(not runs, "somebody may want gradients")
                    with torch.no_grad():
                        expect_close(net(x).features, expected, bound, f"{net} in {dtype}")
                    expect(len(runs) == 1, f"{net} runs one by one")
        with torch.no_grad():
            net = sct.SparseSequential(layers[0], norm, nn.ReLU()).float().eval()
            x = x.replace(x.features.float())
            for change in (lambda: norm.running_mean.add_(1), lambda: norm.weight.mul_(2)):
                change()
                after = F.batch_norm(
                    layers[0](x).features, norm.running_mean, norm.running_var, norm.weight,
                    norm.bias, eps=norm.eps,
                ).relu()  # fmt: skip
                expect_close(net(x).features, after, 1e-5, "a norm that changed")
            runs.clear()
            seen = []
            handle = norm.register_forward_hook(lambda *a: seen.append(a))
            net(x)
            handle.remove()
            net.train()(x)
            expect(len(seen) == 1 and not runs, "what somebody looks at, and training")
    finally:
        ops.conv_at_once = inner


@check
def forwards_that_are_replaced(device):
    """They run, of a module and of its class, as offloading and quantisers replace them."""
    x, _ = make_tensor(3, 4, device)
    net = sct.SparseSequential(sct.SubMConv3d(4, 6, 3), nn.BatchNorm1d(6), nn.ReLU())
    net = net.to(device).eval()
    error = sparseconv.ArgumentError
    with torch.no_grad():
        for owner in (*net, *map(type, net)):
            for wrap in (functools.wraps(owner.forward), lambda run: run):
                seen, inner = [], owner.forward
                run = wrap(lambda *a, inner=inner, seen=seen: seen.append(a) or inner(*a))
                with mock.patch.object(owner, "forward", run):
                    net(x)
                expect(len(seen) == 1, f"the forward of {owner} is left out")
        expect_error(error, "expects a sparse tensor", net, x.features)


@check
def biases_of_convolutions(device):
    """Without gradients they are added before sums are rounded, which are of integers."""
    runs, inner = [], ops.conv_at_once
    ops.conv_at_once = lambda *a: runs.append(a[-1]) or inner(*a)
    layers = (
        sct.SubMConv3d(4, 6, 3), sct.SparseConv3d(4, 6, 2, 2), sct.SparseConvTranspose3d(4, 6, 2, 2),
        spconv.SubMConv3d(4, 6, 3), sct.SubMConv3d(4, 6, 3, groups=2),
    )  # fmt: skip

    class Own(torch.Tensor):
        pass

    try:
        for layer in layers:
            x, _ = make_tensor(3, 4, device)
            x = sct.SparseTensor((x.features * 20).round(), x.coordinates * 2, stride=2)
            layer = layer.to(device)
            with torch.no_grad():
                layer.weight.mul_(100).round_()
                layer.bias.copy_(torch.linspace(-900.25, 900.25, 6))
            expected = layer(x).features.detach()
            expect(not runs, "somebody may want gradients")
            with torch.no_grad():
                expect(torch.equal(layer(x).features, expected), f"another sum of {layer}")
                layer.bias.add_(2)
                expect(torch.equal(layer(x).features, expected + 2), "a bias that changed")
                layer.bias.sub_(2)
                expect(runs and None not in runs, f"{layer} runs one by one")
                for dtype in (torch.float16, torch.bfloat16):
                    with torch.autocast(device, dtype):
                        y = layer(x).features
                    expect(torch.equal(y, expected.to(dtype)), f"rounded twice to {dtype}")
                empty = sct.SparseTensor(x.features[:0], x.coordinates[:0], stride=2)
                expect(layer(empty).features.shape == (0, 6))
                runs.clear()
                bias = layer._parameters["bias"]
                with forward_ad.dual_level():
                    tangent = torch.linspace(1, 6, 6, device=device)
                    layer._parameters["bias"] = forward_ad.make_dual(bias.detach(), tangent)
                    found = forward_ad.unpack_dual(layer(x).features).tangent
                    expect(torch.equal(found, tangent.expand_as(found)), "a derivative by a bias")
                    dual = forward_ad.make_dual(x.features, torch.ones_like(x.features))
                    expect_error(
                        sparseconv.ArgumentError, "forward mode", layer, x.replace(dual)
                    )
                layer._parameters["bias"] = bias.detach().as_subclass(Own)
                expect(type(layer(x).features) is Own and not runs, "a bias of another class")
                net = sct.SparseSequential(layer, nn.BatchNorm1d(6)).to(device).eval()
                expect(type(net(x).features) is Own and not runs, "the same before a norm")
    finally:
        ops.conv_at_once = inner


if __name__ == "__main__":
    torch_checks.run()
