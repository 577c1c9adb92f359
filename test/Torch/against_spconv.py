# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares layers and models under spconv's names with spconv itself, in one process on one
GPU, and times both. It needs spconv 2.3 and a scene: an .npz with `coords`, [voxels, 4] in
int32 (batch, x, y, z).

    against_spconv.py scene.npz [--without-layers] [--without-times] [--only NAME]

Prints a line for each comparison, a table of times, and how many comparisons failed."""

import argparse
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from typing import NamedTuple

import models
import numpy as np
import sparseconv
import sparseconv.torch.spconv as ours
import spconv.pytorch as theirs
import torch

LAYERS = [
    ("SubMConv3d", {"kernel_size": 3}),
    ("SubMConv3d", {"kernel_size": 3, "dilation": 2}),
    ("SubMConv3d", {"kernel_size": 5}),
    ("SubMConv3d", {"kernel_size": 1}),
    ("SubMConv3d", {"kernel_size": (1, 3, 3)}),
    ("SparseConv3d", {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("SparseConv3d", {"kernel_size": 3, "stride": 2, "padding": (0, 1, 1)}),
    ("SparseConv3d", {"kernel_size": 2, "stride": 2}),
    ("SparseConv3d", {"kernel_size": 3, "padding": 1}),
    ("SparseConv3d", {"kernel_size": (3, 1, 1), "stride": (2, 1, 1)}),
    ("SparseConv3d", {"kernel_size": 1, "stride": 2}),
    ("SparseConv3d", {"kernel_size": 1}),
    ("SparseConvTranspose3d", {"kernel_size": 2, "stride": 2}),
    ("SparseConvTranspose3d", {"kernel_size": 3, "stride": 2, "padding": 1}),
]
POOLS = [
    ("SparseMaxPool3d", {"kernel_size": 2}),
    ("SparseMaxPool3d", {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("SparseAvgPool3d", {"kernel_size": 2}),
]
failed = 0


def report(name, function):
    global failed
    try:
        text = function()
        print(f"equal: {name}: {text}", flush=True)
    except Exception as error:
        failed += 1
        print(f"FAILED: {name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
        traceback.print_exc(limit=-3)


def measure(found, expected, bound):
    """The distance of two tensors over the length of the second, which may be `bound`."""
    if found.shape != expected.shape:
        raise AssertionError(f"the shape {tuple(found.shape)}, not {tuple(expected.shape)}")
    found, expected = found.double(), expected.double()
    distance = ((found - expected).norm() / expected.norm().clamp(min=1e-30)).item()
    if not distance <= bound:
        raise AssertionError(f"relative distance {distance:.2e}, more than {bound:.0e}")
    return f"{distance:.1e}"


def measure_tensors(found, expected, bound):
    """Of two sparse tensors, row by row in ascending order of indices."""
    mine, features = models.sort_rows(found.indices, found.features)
    other, values = models.sort_rows(expected.indices, expected.features)
    if not torch.equal(mine, other):
        raise AssertionError(f"{len(mine)} rows at other indices than the {len(other)} of spconv")
    shape = [int(cells) for cells in expected.spatial_shape]
    if list(found.spatial_shape) != shape:
        raise AssertionError(f"{found.spatial_shape}, not {shape}")
    return f"{len(mine)} rows, " + measure(features, values, bound)


# Layers -----------------------------------------------------------------------


def make_inputs(seed=0):
    points = models.make_points((20, 24, 28), 4000, seed=seed).cuda()
    features = torch.randn(len(points), 16, device="cuda")
    made = []
    for library in (ours, theirs):
        x = features.clone().requires_grad_()
        made.append((x, library.SparseConvTensor(x, points, [20, 24, 28], 2)))
    return made


def compare_layer(name, options):
    (x, mine), (y, other) = make_inputs()
    layer = getattr(ours, name)(16, 24, **options).cuda()
    peer = getattr(theirs, name)(16, 24, **options).cuda()
    peer.load_state_dict(layer.state_dict(), strict=True)
    layer.load_state_dict(peer.state_dict(), strict=True)
    found, expected = layer(mine), peer(other)
    text = measure_tensors(found, expected, 1e-5)
    found.features.square().sum().backward()
    expected.features.square().sum().backward()
    text += ", gradients " + measure(x.grad, y.grad, 1e-5)
    return f"{text}, {measure(layer.weight.grad, peer.weight.grad, 1e-5)}"


def compare_pool(name, options):
    # The maximum of spconv 2.3.8 begins at 0, so it gives nothing below.
    mine, other = (y.replace_feature(y.features.detach().abs()) for _, y in make_inputs())
    return measure_tensors(
        getattr(ours, name)(**options)(mine), getattr(theirs, name)(**options)(other), 1e-6
    )


def compare_inverse(size, stride, padding):
    (_, mine), (_, other) = make_inputs()
    nets = []
    for library in (ours, theirs):
        down = library.SparseConv3d(16, 24, size, stride, padding, indice_key="a")
        nets.append(
            library.SparseSequential(down, library.SparseInverseConv3d(24, 8, size, "a")).cuda()
        )
    nets[1].load_state_dict(nets[0].state_dict(), strict=True)
    found, expected = nets[0](mine), nets[1](other)
    if not torch.equal(found.indices, expected.indices):
        raise AssertionError("the rows have another order than spconv's")
    return measure(found.features, expected.features, 1e-5)


def compare_additions():
    (_, mine), (_, other) = make_inputs(0)
    (_, more), (_, another) = make_inputs(1)
    found = ours.functional.sparse_add(mine, more)
    return measure_tensors(found, theirs.functional.sparse_add(other, another), 1e-6)


def compare_layers():
    for name, options in LAYERS:
        report(f"{name} {options}", lambda: compare_layer(name, options))  # noqa: B023
    for name, options in POOLS:
        report(f"{name} {options}", lambda: compare_pool(name, options))  # noqa: B023
    for window in ((3, 2, 1), (2, 2, 0)):
        report(f"SparseInverseConv3d {window}", lambda: compare_inverse(*window))  # noqa: B023
    report("functional.sparse_add", compare_additions)


# Models -----------------------------------------------------------------------


def read_scene(path):
    """Coordinates from 0, in an order that is random but the same on each run."""
    coords = torch.from_numpy(np.load(path)["coords"].astype(np.int32))
    coords[:, 1:] -= coords[:, 1:].amin(0)
    order = torch.randperm(len(coords), generator=torch.Generator().manual_seed(0))
    return coords[order].cuda()


class Case(NamedTuple):
    """A model: how it is made, the features that it is called with, what else, and the tensor
    of its result that is compared."""

    title: str
    name: str
    make: Callable
    features: torch.Tensor
    give: Callable
    take: Callable = lambda y: y


def make_cases(coords):
    flipped = coords[:, [0, 3, 2, 1]].contiguous()
    depth, height, width = (-(-(int(n) + 1) // 16) * 16 for n in flipped[:, 1:].amax(0))
    # The encoders' grids are 41 cells deep, which the scan has to fit into.
    kept = flipped.clone()
    kept[:, 1] = kept[:, 1] * 41 // depth
    kept = torch.unique(kept, dim=0).contiguous()
    features = torch.randn(len(coords), 4, device="cuda")
    few = features[: len(kept)]
    shape = (width, height, 40)
    # A decoder of shapes begins with the cells of a grid of 64 x 64 x 64.
    places = coords[:, 1:]
    coarse = coords.clone()
    coarse[:, 1:] = places * 64 // (places.amax(0) + 1)
    coarse = torch.unique(coarse, dim=0).contiguous()
    latents = torch.randn(len(coarse), 8, device="cuda")

    def second(m):
        return m.SecondEncoder(4, shape)

    def centerpoint(m):
        return m.CenterPointEncoder(4, [41, height, width])

    def unet(m):
        return m.SparseUNet(4, 19, (32, 32, 64, 128, 256), (256, 128, 96, 96), 2, stem=3)

    def trellis(m):
        return m.SparseDecoder(768, 101, 64)

    def give_batch(x):
        return ({"voxel_features": x, "voxel_coords": kept, "batch_size": 1},)

    return [
        Case("SECOND's encoder", "second", second, few, give_batch, lambda y: y["encoded"]),
        Case("CenterPoint's encoder", "centerpoint", centerpoint, few, lambda x: (x, kept, 1)),
        Case("U-net of 42 convolutions", "spunet", unet, features,
             lambda x: (coords[:, 1:], x, coords[:, 0])),
        Case("TRELLIS's decoder", "trellis", trellis, latents, lambda x: (x, coarse),
             lambda y: y.data),
    ]  # fmt: skip


def make_models(name, make):
    torch.manual_seed(0)
    mine, other = make(models.load(name)), make(models.load(name, "spconv"))
    for module in mine.modules():
        if isinstance(module, torch.nn.BatchNorm1d):
            torch.nn.init.uniform_(module.running_mean, -0.1, 0.1)
            torch.nn.init.uniform_(module.running_var, 0.5, 1.5)
    other.load_state_dict(mine.state_dict(), strict=True)
    mine.load_state_dict(other.state_dict(), strict=True)
    return mine.cuda().eval(), other.cuda().eval()


def compare_results(found, expected, bound):
    if isinstance(found, torch.Tensor):
        return measure(found, expected, bound)
    return measure_tensors(found, expected, bound)


def compare_model(case):
    mine, other = make_models(case.name, case.make)
    texts = []
    for dtype, bound in ((torch.float32, 1e-4), (torch.float16, 1e-2)):
        x = case.features.to(dtype)
        found, expected = (case.take(net.to(dtype)(*case.give(x))) for net in (mine, other))
        texts.append(f"{dtype} {compare_results(found, expected, bound)}")
    return "; ".join(texts)


def time_wall(function):
    """The milliseconds of a call, with all that it waits for."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    function()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) * 1e3


def time_in_turn(functions, rounds=40):
    """The median of each function's times. They are called in turn, as the speed of a host
    that others use, too, changes from second to second."""
    for function in functions:
        for _ in range(5):
            function()
    times = [[time_wall(function) for function in functions] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times)]


class Segment(torch.nn.Module):
    """The part of the U-net behind what it reads from its coordinates."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net.segment(x).features


class Taken(torch.nn.Module):
    """A model that returns a tensor of a class of its own, with what is in it."""

    def __init__(self, net, take):
        super().__init__()
        self.net, self.take = net, take

    def forward(self, *arguments):
        return self.take(self.net(*arguments))


def compile_model(case, model, arguments):
    """Functions that call the model as one plan, and as one that is bound to the scene, which
    keeps its maps. What the first takes is made at each call."""
    if case.name == "trellis":
        model = Taken(model, case.take).eval()
    if case.name != "spunet":
        compiled = sparseconv.compile(model, arguments)
        bound = compiled.bind(*arguments)
        return lambda: compiled(*arguments), lambda: bound(*arguments)
    places, features, batch = arguments
    indices = torch.cat([batch[:, None], places], 1)
    shape = [int(n) + 8 for n in places.amax(0)]

    def make_tensor():
        return ours.SparseConvTensor(features, indices, shape, 1)

    x = make_tensor()
    compiled = sparseconv.compile(Segment(model).eval(), x)
    bound = compiled.bind(x)
    return lambda: compiled(make_tensor()), lambda: bound(x)


def print_times(cases):
    print("\n| f16, batch 1, maps included | spconv ms | ours eager | faster | compiled | faster "
          "| bound to the scene |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for case in cases:
        mine, other = (net.half() for net in make_models(case.name, case.make))
        arguments = case.give(case.features.half())
        eager = [lambda net=net: net(*arguments) for net in (other, mine)]  # noqa: B023
        calls = [*eager, *compile_model(case, mine, arguments)]
        first, second, third, fourth = time_in_turn(calls)
        print(
            f"| {case.title} | {first:.2f} | {second:.2f} | {first / second:.2f} | {third:.2f} "
            f"| {first / third:.2f} | {fourth:.2f} |", flush=True,
        )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("scene")
    parser.add_argument("--without-layers", action="store_true")
    parser.add_argument("--without-times", action="store_true")
    parser.add_argument("--only", default="", metavar="NAME", help="one of the models")
    options = parser.parse_args()
    if not options.without_layers:
        compare_layers()
    cases = make_cases(read_scene(options.scene))
    cases = [case for case in cases if options.only in case.name]
    with torch.no_grad():
        for case in cases:
            report(case.title, lambda: compare_model(case))  # noqa: B023
        if not options.without_times:
            print_times(cases)
    print(f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
