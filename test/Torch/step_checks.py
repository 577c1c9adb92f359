# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps as one plan: the losses and weights of some steps equal those of layers
with torch's autograd and SGD."""

import functools

import sparseconv
import sparseconv.torch as sct
import torch
from sparseconv import networks, training, weights
from torch import nn
from torch_checks import check, expect, expect_close, expect_error, make_tensor, run

RATE = 0.1


@functools.cache
def make_text():
    net = networks.Network("tiny", "A stem, a strided layer and a block.", "f32", 4, "batch")
    x = net.conv_norm_relu(net.input, 8, "stem")
    x = net.conv_norm_relu(x, 16, "down", (2, 2, 2), net.downsample((2, 2, 2)))
    return net.finish(net.residual(x, 16, "block"))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv0, self.norm0 = sct.SubMConv3d(16, 16, 3, bias=False), nn.BatchNorm1d(16)
        self.conv1, self.norm1 = sct.SubMConv3d(16, 16, 3, bias=False), nn.BatchNorm1d(16)

    def forward(self, x):
        y = self.conv0(x)
        y = self.conv1(y.replace(self.norm0(y.features).relu()))
        return y.replace((self.norm1(y.features) + x.features).relu())


def make_layers(values):
    """The same network, and its weights by the names that the text has."""
    net = sct.SparseSequential(
        sct.SubMConv3d(4, 8, 3, bias=False), nn.BatchNorm1d(8), nn.ReLU(),
        sct.SparseConv3d(8, 16, 2, 2, bias=False, output="floor"), nn.BatchNorm1d(16), nn.ReLU(),
        Block(),
    )  # fmt: skip
    block = net[6]
    parts = {
        "stem": (net[0], net[1]), "down": (net[3], net[4]),
        "block.conv0": (block.conv0, block.norm0), "block.conv1": (block.conv1, block.norm1),
    }  # fmt: skip
    named = {}
    for name, (conv, norm) in parts.items():
        named[f"{name}.weight"] = conv.weight
        named[f"{name}.scale"], named[f"{name}.shift"] = norm.weight, norm.bias
    with torch.no_grad():
        for name, parameter in named.items():
            parameter.copy_(torch.from_numpy(values[name]).reshape(parameter.shape))
    return net, named


@check
def steps(device):
    values = weights.make_weights(make_text())
    net, named = make_layers(values)
    module = sparseconv.compile(training.make_step(make_text()), "cpu", in_process=True)
    expect(list(module.functions) == ["step"])
    optimiser = torch.optim.SGD(net.parameters(), lr=RATE)
    losses = []
    for step in range(5):
        # Of other sizes from step to step.
        x, _ = make_tensor(3, 4, "cpu", rows=60 + 20 * step, seed=step)
        x = sct.SparseTensor(x.features, x.coordinates)
        y = net(x).features
        target = torch.linspace(-1, 1, y.numel()).reshape(y.shape)
        optimiser.zero_grad()
        loss = nn.functional.mse_loss(y, target)
        loss.backward()
        optimiser.step()
        found, *new = module.step(
            points=x.coordinates.numpy(), features=x.features.numpy(), target=target.numpy(),
            rate=RATE, **values,
        )  # fmt: skip
        names = [value.name.removesuffix(".new") for value in module.step.outputs[1:]]
        values = dict(zip(names, new, strict=True))
        losses.append(loss.item())
        expect(abs(found.item() - loss.item()) < 1e-5 * max(1, loss.item()), f"step {step}")
        for name, parameter in named.items():
            expect_close(
                torch.from_numpy(values[name]).reshape(parameter.shape), parameter.detach(),
                2e-5, f"step {step}, {name}",
            )  # fmt: skip
    expect(losses[-1] < losses[0], f"nothing was learnt: {losses}")


@check
def mistakes(device):
    error = sparseconv.ArgumentError
    expect_error(error, "found 0", training.make_step, "module {\n}\n")
    for name in ("step", "loss", "loss_gradient"):
        expect_error(error, "expects another name than step, loss, loss_gradient",
                     training.make_step, make_text().replace("@tiny", f"@{name}"))  # fmt: skip
    half = make_text().replace("f32", "f16")
    expect_error(error, "expects rows in f32", training.make_step, half)
    expect_error(sparseconv.CompileError, "error:", training.make_step, "module {\n  wrong\n}\n")
    expect_error(
        sparseconv.CompileError, "no argument y", training.differentiate, make_text(), ["tiny"], ["y"]
    )


if __name__ == "__main__":
    run()
