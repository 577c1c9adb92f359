# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What trainers do with networks and tensors, and a curve of losses beside that of
dense layers."""

import copy
import functools
import io
import pickle
import threading

import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import sparseconv.torch.torchsparse as torchsparse
import torch
import torch.utils.checkpoint
import torch_checks
from sparseconv.torch import encodings
from torch import nn
from torch.utils.data import DataLoader
from torch_checks import Skip, check, densify, expect, expect_close, expect_error, make_tensor

F = nn.functional
SIZE = 8


def make_net(device, seed=3):
    torch.manual_seed(seed)
    return sct.SparseSequential(
        sct.SubMConv3d(4, 8, 3), nn.BatchNorm1d(8), nn.ReLU(),
        sct.SparseConv3d(8, 8, 3, 2, 1, indice_key="down"), nn.ReLU(),
        sct.SubMConv3d(8, 8, 3), sct.SparseInverseConv3d(8, 8, 3, "down"),
        sct.SparseMaxPool3d(2), sct.SparseGlobalAvgPool(), nn.Linear(8, 3),
    ).to(device)  # fmt: skip


def make_input(device, seed=0, rows=60):
    return make_tensor(3, 4, device, size=SIZE, seed=seed, rows=rows)[0]


def train(net, inputs):
    """The losses of a step on each of the inputs."""
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-2)
    losses = []
    for x in inputs:
        optimiser.zero_grad(set_to_none=True)
        labels = torch.tensor([0, 2], device=x.device)
        loss = F.cross_entropy(net(x), labels)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses


# Curves -----------------------------------------------------------------------


class DenseToy(nn.Module):
    """`make_toy` on a grid: a submanifold layer is a dense one whose output is
    masked, and so is a strided one, by the cells that meet an input."""

    def __init__(self, net):
        super().__init__()
        convolutions = [module for module in net if hasattr(module, "window")]
        self.weights = nn.ParameterList(
            torch_checks.get_dense_weight(module).detach() for module in convolutions
        )
        self.biases = nn.ParameterList(
            module.bias.detach().double() for module in convolutions
        )
        self.linear = copy.deepcopy(net[-1]).double()

    def forward(self, grid, mask):
        w, b = self.weights, self.biases
        y = F.relu(F.conv3d(grid, w[0], b[0], padding=1) * mask)
        y = F.relu(F.conv3d(y, w[1], b[1], padding=1) * mask)
        mask = F.max_pool3d(mask, 3, 2, 1)
        y = F.relu(F.conv3d(y, w[2], b[2], 2, 1) * mask)
        rows = mask.flatten(2).sum(2)
        return self.linear(y.flatten(2).sum(2) / rows)


def make_toy(device):
    torch.manual_seed(5)
    return sct.SparseSequential(
        sct.SubMConv3d(4, 8, 3), nn.ReLU(), sct.SubMConv3d(8, 8, 3), nn.ReLU(),
        sct.SparseConv3d(8, 16, 3, 2, 1), nn.ReLU(), sct.SparseGlobalAvgPool(),
        nn.Linear(16, 3),
    ).to(device)  # fmt: skip


@check
def curve_of_dense_layers(device):
    net = make_toy(device)
    dense = DenseToy(net).to(device)
    optimisers = [
        torch.optim.Adam(m.parameters(), lr=0.01) for m in (net, dense)
    ]
    labels = torch.tensor([0, 1, 2, 1], device=device)
    scales = torch.tensor([0.5, 1.0, 2.0, 1.0], device=device)
    curve = []
    for step in range(40):
        x, grid = make_tensor(3, 4, device, SIZE, rows=300, batch=4, seed=step % 2)
        # Items differ in how large their features are.
        x = x.replace(x.features * scales[x.coordinates[:, 0].long(), None])
        grid = grid * scales[:, None, None, None, None]
        mask = densify(torch.ones_like(x.features[:, :1]), x)
        losses = []
        for function, optimiser in zip(
            (lambda: net(x), lambda: dense(grid, mask)), optimisers  # noqa: B023
        ):
            optimiser.zero_grad()
            losses.append(F.cross_entropy(function(), labels))
            losses[-1].backward()
            optimiser.step()
        curve.append(tuple(loss.item() for loss in losses))
    for step, (found, expected) in enumerate(curve):
        expect(abs(found - expected) < 1e-5, f"step {step}: {found} and {expected}")
    expect(curve[-1][0] < 0.5 * curve[0][0], f"nothing was learnt: {curve[-1][0]}")


# What trainers do -------------------------------------------------------------


@check
def accumulated_gradients(device):
    # Without norms, whose statistics are those of a batch.
    net = make_toy(device)
    parts = [make_input(device, seed) for seed in (0, 1)]
    labels = torch.tensor([0, 1], device=device)
    for part in parts:
        (F.cross_entropy(net(part), labels) / 2).backward()
    sums = [parameter.grad.clone() for parameter in net.parameters()]
    net.zero_grad(set_to_none=True)
    expect(all(parameter.grad is None for parameter in net.parameters()))
    F.cross_entropy(net(sct.collate(parts)), labels.repeat(2)).backward()
    for parameter, found in zip(net.parameters(), sums):
        expect_close(found, parameter.grad, 1e-5)


@check
def states(device):
    net = make_net(device)
    optimiser = torch.optim.AdamW(net.parameters())
    net(make_input(device)).sum().backward()
    optimiser.step()
    file = io.BytesIO()
    torch.save({"net": net.state_dict(), "optimiser": optimiser.state_dict()}, file)
    file.seek(0)
    state = torch.load(file, map_location=device)
    other = make_net(device, seed=4)
    other.load_state_dict(state["net"])
    torch.optim.AdamW(other.parameters()).load_state_dict(state["optimiser"])
    x = make_input(device)
    expect(torch.equal(net.eval()(x), other.eval()(x)))


@check
def copies(device):
    net, x = make_net(device).eval(), make_input(device)
    expected = net(x)
    for copied in (copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        expect(torch.equal(copied(net)(x), expected))
        expect(torch.equal(net(copied(x)), expected))
    y = copy.deepcopy(x)
    expect(torch.equal(y.to_points(), x.to_points()) and y.batch_size == x.batch_size)


@check
def checkpoints(device):
    """Gradients of blocks that run again in the backward pass."""
    layers = [sct.SubMConv3d(4, 4, 3).to(device) for _ in range(3)]
    x, results = make_input(device), []
    for wrap in (lambda block, x: block(x),
                 functools.partial(torch.utils.checkpoint.checkpoint, use_reentrant=False)):
        y = layers[2](wrap(sct.SparseSequential(layers[1], nn.ReLU()), layers[0](x)))
        weights = [layer.weight for layer in layers]
        results.append(torch.autograd.grad(y.features.square().sum(), weights))
    for found, expected in zip(*results):
        expect(expected.any() and torch.equal(found, expected))


@check
def steps_behind_inference(device):
    """Sets and maps that are made in inference mode serve steps that take gradients."""
    sizes = [SIZE] * 3
    libraries = (
        (sct, sct.SparseSequential, lambda f, p: sct.SparseTensor(f, p, sizes, 2)),
        (spconv, spconv.SparseSequential, lambda f, p: spconv.SparseConvTensor(f, p, sizes, 2)),
        (torchsparse, nn.Sequential, lambda f, p: torchsparse.SparseTensor(f, p)),
    )
    for library, sequence, make in libraries:
        if library is torchsparse:
            kind = torchsparse.nn.Conv3d
            layers = kind(4, 4, 3), kind(4, 4, 2, 2), kind(4, 4, 2, 2, transposed=True)
        else:
            down = library.SparseConv3d(4, 4, 2, 2, indice_key="down")
            up = library.SparseInverseConv3d(4, 4, 2, "down")
            layers = library.SubMConv3d(4, 4, 3), down, up
        net = sequence(*layers).to(device)
        for _ in range(4):  # from the third one on, maps are made ahead
            points = make_input(device)
            with torch.inference_mode():
                x = make(points.features, points.coordinates)
                expected = net(x).features
            x.features = points.features
            net.zero_grad()
            found = net(x).features
            found.sum().backward()
            expect(torch.equal(found, expected), str(library))
            expect(all(part.grad is not None for part in net.parameters()))


@check
def element_types(device):
    x = make_input(device)
    for net in (make_net(device).bfloat16(), make_net(device).to(torch.float16)):
        dtype = net[0].weight.dtype
        y = net(x.to(dtype))
        expect(y.dtype == dtype)
        y.sum().backward()
        expect(net[0].weight.grad.dtype == dtype)
    expect(x.half().dtype == torch.float16 and x.bfloat16().float().dtype == torch.float32)
    expect(not x.replace(x.features.clone().requires_grad_()).detach().features.requires_grad)


@check
def places(device):
    # Back over the map of a layer that ran on the other device.
    net = make_net("cpu").eval()
    x = make_input("cpu")
    expected = net(x)
    middle = net[:4](x).to(device)
    expect(middle.device.type == device and middle.coordinates.device.type == device)
    found = copy.deepcopy(net).to(device)[4:](middle)
    expect_close(found.cpu(), expected, 1e-5)
    expect(net[:2](x).to(device).has_set_of(x.to(device)))
    expect_close(x.to(device).to_points().cpu(), x.to_points(), 0)
    expect(x.to(device).cpu().has_set_of(x))
    tables = x.cache.map(torch.clone).tables
    rows = {encodings.get_trusted_rows(table) for table in tables.values()}
    expect(rows == {encodings.get_trusted_rows(table) for table in x.cache.tables.values()})
    expect(rows and None not in rows)


@check
def pinned_memory(device):
    if not torch.cuda.is_available():
        raise Skip("there is no GPU")
    x = make_input("cpu").pin_memory()
    expect(x.features.is_pinned() and x.coordinates.is_pinned())
    expect_close(x.cuda().features.cpu(), x.features, 0)


@check
def batches(device):
    parts = [make_input(device, seed) for seed in (0, 1, 2)]
    x = sct.collate(parts)
    expect(x.batch_size == 6)
    rows = len(parts[0].features)
    expect(torch.equal(x.coordinates[:rows], parts[0].coordinates))
    again = sct.SparseTensor(x.features, x.coordinates, x.spatial_shape, 6)
    expect(torch.equal(again.coordinates, x.coordinates), "rows are not in set order")
    net = make_toy(device)
    expect_close(net(x), torch.cat([net(part) for part in parts]), 1e-5)
    expect_close(x.to_points(), torch.cat([part.to_points() for part in parts]), 0)
    error = sparseconv.ArgumentError
    expect_error(error, "at least one", sct.collate, [])
    half = parts[1].half()
    expect_error(error, "float16", sct.collate, [parts[0], half])


@check
def rows_of_points(device):
    # Tensors whose rows stay in the order of their points move and are joined, too.
    x = make_input(device)
    order = torch.randperm(len(x.features), generator=torch.Generator().manual_seed(1)).to(device)
    points, features = x.coordinates[order], x.features[order]
    y = sct.SparseTensor(features, points, [SIZE] * 3, 2, rows="points")
    net = make_net(device).eval()
    expected = net(x)
    net(y)
    moved = y._map(y.features, torch.clone)
    expect(torch.equal(moved.coordinates, points) and torch.equal(moved.to_points(), features))
    expect_close(net(moved), expected, 1e-5)
    both = sct.collate([y, x])
    expect(torch.equal(both.coordinates[: len(points)], x.coordinates))
    expect(torch.equal(both.features[: len(points)], x.features))
    expect(torch.equal(both.to_points()[: len(points)], features))
    expect_close(net(both), torch.cat([expected, expected]), 1e-5)


class Scans(torch.utils.data.Dataset):
    """Tensors of one item; the last one has no voxels."""

    def __len__(self):
        return 4

    def __getitem__(self, number):
        torch.manual_seed(number)
        rows = 30 if number < 3 else 0
        points = torch.randint(0, SIZE, (rows, 4), dtype=torch.int32)
        points[:, 0] = 0
        return sct.SparseTensor(torch.randn(rows, 4), points, [SIZE] * 3, batch_size=1)


@check
def workers(device):
    net = make_net(device).eval()
    expected = net(sct.collate([Scans()[number] for number in range(4)]).to(device))
    for start in ("fork", "spawn"):
        loader = DataLoader(
            Scans(), 2, collate_fn=sct.collate, num_workers=2, multiprocessing_context=start
        )
        found = [net(x.to(device)) for x in loader]
        expect_close(torch.cat(found), expected, 1e-5, start)


@check
def few_rows(device):
    shape, net = [SIZE] * 3, make_net(device)
    for rows in (0, 1, 2):
        # All voxels are in the second of three items.
        points = torch.arange(rows, dtype=torch.int32, device=device)
        points = torch.stack([torch.ones_like(points), points, points, points], 1)
        features = torch.randn(rows, 4, device=device, requires_grad=True)
        x = sct.SparseTensor(features, points, shape, batch_size=3)
        net.train(rows != 1)  # torch's norm refuses a batch of one row
        net.zero_grad()
        y = net(x)
        expect(y.shape == (3, 3) and torch.equal(y[0], y[2]))
        y.sum().backward()
        expect(features.grad.shape == (rows, 4))
        for parameter in (*net.parameters(), *net.buffers()):
            expect(parameter.isfinite().all())
        for parameter in net.parameters():
            expect(parameter.grad.isfinite().all())


@check
def threads(device):
    def prepare(seed):
        inputs = [make_input(device, seed + i, 40 + 9 * (seed + i)) for i in range(4)]
        return make_net(device, seed), inputs

    expected = [train(*prepare(seed)) for seed in (0, 1)]
    prepared = [prepare(seed) for seed in (0, 1)]
    found = [None, None]
    start = threading.Barrier(2)

    def work(number):
        start.wait()
        found[number] = train(*prepared[number])

    workers = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    expect(found == expected, f"{found} and {expected}")


if __name__ == "__main__":
    torch_checks.run()
