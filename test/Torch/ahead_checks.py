# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets and maps that are made ahead of the layers: the same as those that are made one by
one, in fewer runs, from the third call of a model on."""

import concurrent.futures
import contextlib

import models
import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import torch
import torch_checks
from sparseconv.torch import ahead, ahead_ir, encodings, programs
from torch import nn
from torch_checks import check, expect, expect_error


@contextlib.contextmanager
def count_runs(found):
    """Adds the networks that run meanwhile, convolutions and pooling left out, to a list."""
    names = "_run_on_host", "_run_on_gpu"
    known = {name: getattr(programs, name) for name in names}

    def watch(call):
        def run(function, *rest, **named):
            if not any("result" == value.name for value in function.outputs):
                found.append(function)
            return call(function, *rest, **named)

        return run

    for name, call in known.items():
        setattr(programs, name, watch(call))
    try:
        yield
    finally:
        for name, call in known.items():
            setattr(programs, name, call)


@contextlib.contextmanager
def one_by_one():
    known = ahead._Model.foresee
    ahead._Model.foresee = lambda model: None
    try:
        yield
    finally:
        ahead._Model.foresee = known


def same(first, second):
    return first is second or (first is not None and torch.equal(first, second))


def expect_same_cache(found, expected):
    names = set(found.sets) ^ set(expected.sets)
    expect(not names, f"sets of one only: {names}")
    for name, other in expected.sets.items():
        mine = found.sets[name]
        parts = ("coords", "order", "row_of")
        expect(all(same(getattr(mine, p), getattr(other, p)) for p in parts), f"set {name}")
        expect((mine.stride, mine.shape) == (other.stride, other.shape), f"grid {name}")
    expect(set(found.tables) == set(expected.tables), "the keys of tables")
    for key, other in expected.tables.items():
        mine = found.tables[key]
        expect(torch.equal(mine, other), f"table {key}")
        marks = [(t._sparseconv_mark[0], t._sparseconv_mirrors) for t in (mine, other)]
        expect(marks[0] == marks[1], f"what is known of {key}: {marks}")


class Net(nn.Module):
    """Sets by each rule, and maps forward, transposed and back."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            sct.SubMConv3d(2, 3, 3),
            sct.SparseConv3d(3, 3, 2, stride=2, indice_key="down"),
            sct.SubMConv3d(3, 3, 3),
            sct.SparseConv3d(3, 4, 3, stride=2, padding=1, indice_key="wide"),
            sct.SparseMaxPool3d(2, output="floor"),
            sct.SparseConvTranspose3d(4, 4, 2, stride=2),
        ])  # fmt: skip
        self.back = nn.ModuleList([
            sct.SparseInverseConv3d(4, 3, 3, "wide"), sct.SparseInverseConv3d(3, 2, 2, "down"),
        ])  # fmt: skip

    def forward(self, x):
        kept = []
        for layer in self.layers:
            x = layer(x)
            kept.append(x)
        y = kept[3]
        for layer in self.back:
            y = layer(y)
        return [x.features, y.features], x.cache


def make_input(device, seed, borders=True, rows="set", count=300, side=20):
    points = models.make_points((side, side + seed, side), count, seed=seed).to(device)
    features = torch.randn(len(points), 2, generator=torch.Generator().manual_seed(seed))
    shape = (side, side + seed, side) if borders else None
    return sct.SparseTensor(features.to(device), points, shape, rows=rows)


@check
def sets_and_maps_are_the_same(device):
    torch.manual_seed(0)
    for borders in (True, False):
        for rows in ("set", "points"):
            net = Net().to(device)
            counts = []
            for seed in range(5):
                found = []
                with count_runs(found):
                    results, cache = net(make_input(device, seed, borders, rows))
                counts.append(len(found))
                with one_by_one():
                    expected, other = Net.forward(net, make_input(device, seed, borders, rows))
                # That was a call, too: it asked for the same.
                expect(all(map(torch.equal, results, expected)), f"results {seed}")
                expect_same_cache(cache, other)
            # The tensor's own set, the other sets, and maps.
            expect(counts[0] > 8 and counts[-1] == 3, f"{counts} runs with {borders}, {rows}")


class Branches(nn.Module):
    """Layers that go down from the points' own set, and others that go back, those that
    went down last first."""

    def __init__(self, sizes):
        super().__init__()
        self.stem = sct.SubMConv3d(2, 2, 3)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        for size, stride in zip(sizes, (2, 4, 3)):
            key = f"by {stride}"
            self.down.append(sct.SparseConv3d(2, 2, size, stride=stride, indice_key=key))
            self.up.append(sct.SparseInverseConv3d(2, 2, size, key))

    def forward(self, x):
        x = self.stem(x)
        coarse = [layer(x) for layer in self.down]
        pairs = reversed(list(zip(self.up, coarse)))
        return [layer(y).features for layer, y in pairs], x.cache


@check
def maps_back_to_points(device):
    torch.manual_seed(0)
    for sizes in ((2, 2, 2), (2, 3, 2)):
        net = Branches(sizes).to(device)
        for seed in range(5):
            results, cache = net(make_input(device, seed, rows="points"))
            with one_by_one():
                expected, other = Branches.forward(net, make_input(device, seed, rows="points"))
            expect(all(map(torch.equal, results, expected)), f"results {seed} of {sizes}")
            expect_same_cache(cache, other)


@check
def models_of_spconv_users(device):
    torch.manual_seed(0)
    net = models.load("spunet").SparseUNet(4, 5, (8, 8, 16), (16, 8), 1, stem=3).to(device).eval()
    counts = []
    with torch.no_grad():
        for seed in range(5):
            points = models.make_points((30, 30, 30 + seed), 500, batch=2, seed=seed).to(device)
            x = torch.randn(len(points), 4, generator=torch.Generator().manual_seed(seed))
            arguments = points[:, 1:], x.to(device), points[:, 0]
            found = []
            with count_runs(found):
                y = net(*arguments)
            counts.append(len(found))
            with one_by_one():
                expect(torch.equal(y, net(*arguments)), f"results {seed}")
    # What was done one by one for comparison was a call, too.
    expect(counts[0] > 8 and counts[1] == counts[-1] == 2, f"{counts} runs")


@check
def one_map_of_unordered_points(device):
    # One run brings the points into set order, and makes the map and what goes with it.
    net = spconv.SubMConv3d(4, 4, 3).to(device)
    counts = []
    for seed in range(4):
        points = models.make_points((20, 20, 20 + seed), 300, seed=seed).to(device)
        x = torch.randn(len(points), 4, generator=torch.Generator().manual_seed(seed))
        x, other = (
            spconv.SparseConvTensor(x.to(device), points, (20, 20, 20 + seed), 2) for _ in "ab"
        )
        found = []
        with count_runs(found):
            y = net(x)
        counts.append(len(found))
        with one_by_one():
            expect(torch.equal(y.features, net(other).features), f"results {seed}")
    expect(counts[0] > 2 and counts[-1] == 1, f"{counts} runs")
    twice = torch.cat([points, points[:1]])
    for indices in (points[:1], points[:0], twice):
        x = torch.randn(len(indices), 4, device=device)
        x, other = (spconv.SparseConvTensor(x, indices, (20, 20, 23), 2) for _ in "ab")
        if indices is twice:
            expect_error(sparseconv.ArgumentError, "distinct", net, x)
            continue
        with one_by_one():
            expected = net(other).features
        expect(torch.equal(net(x).features, expected), f"{len(indices)} rows")


@check
def shapes_in_tensors(device):
    # They have one name, and are told apart by their numbers.
    net = nn.Sequential(spconv.SparseConv3d(2, 2, 3, 2, 1), spconv.SparseConv3d(2, 2, 3, 2, 1))
    net.to(device)
    for side in (10, 10, 10, 10, 40, 20, 10):
        points = models.make_points((side, side, side), 90).to(device)
        x = torch.randn(len(points), 2, generator=torch.Generator().manual_seed(side))
        shape = torch.tensor([side] * 3, device=device)
        y = net(spconv.SparseConvTensor(x.to(device), points, shape, 2))
        with one_by_one():
            z = net(spconv.SparseConvTensor(x.to(device), points, [side] * 3, 2))
        expect(y.spatial_shape == z.spatial_shape and torch.equal(y.indices, z.indices))
        expect(torch.equal(y.features, z.features), f"results of a side of {side}")


@check
def grids_of_other_sizes_have_the_same_networks(device):
    net = Net().to(device)
    known = None
    for seed in range(6):
        net(make_input(device, seed))
        if seed == 3:
            known = len(programs._programs)
    expect(len(programs._programs) == known, "a network for each size of grid")


@check
def grids_of_one_size_have_networks_of_their_own(device):
    # Their regions are in the text, so that bitmaps can make sets. There are few of them.
    net, texts, known = Net().to(device), [], ahead_ir.sets

    def write(*arguments):
        texts.append(known(*arguments))
        return texts[-1]

    ahead_ir.sets = write
    try:
        for seed in (0, 0, 0, 0, 1, 1, 1, 0, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5):
            results, cache = net(make_input(device, seed, rows="points"))
            with one_by_one():
                x = make_input(device, seed, rows="points")
                expected, other = Net.forward(net, x)
            expect(all(map(torch.equal, results, expected)), f"results {seed}")
            expect_same_cache(cache, other)
    finally:
        ahead_ir.sets = known
    own = {text for text in texts if "bounds" not in text}
    expect(all("clip(<[0, 0, 0] to [" in text for text in own), "no region in the text")
    # What is left of 20 and 21 cells by strides of 2 is the same.
    expect(len(own) == 2, f"{len(own)} networks for 4 sizes")
    expect(len(set(texts) - own) == 1, "more than one network for all sizes")
    grids = ahead._models[net.layers[0]].grids
    expect(grids == [(20, 20 + seed, 20) for seed in range(4)], f"grids {grids}")


@check
def gradients(device):
    torch.manual_seed(0)
    net = Net().to(device)
    taken = []
    for kind in (contextlib.nullcontext, one_by_one):
        for _ in range(3):
            x = make_input(device, 1, rows="points")
            x.features.requires_grad_()
            with kind():
                results, _ = net(x)
            sum(y.square().sum() for y in results).backward()
        taken.append([x.features.grad, *(p.grad.clone() for p in net.parameters())])
        net.zero_grad()
    expect(all(map(torch.equal, *taken)), "gradients differ")


class Changing(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = sct.SubMConv3d(2, 2, 3)
        self.others = nn.ModuleList(sct.SparseConv3d(2, 2, k, stride=2) for k in (2, 3, 4, 5, 6))

    def forward(self, x, number):
        return self.others[number](self.first(x)).features


@check
def models_that_ask_for_something_else(device):
    # What was foreseen is wrong, or there are too many kinds of calls to foresee.
    net = Changing().to(device)
    for number in (0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4):
        x = make_input(device, number)
        with one_by_one():
            expected = net(make_input(device, number), number)
        expect(torch.equal(net(x, number), expected), f"layer {number}")
    kinds = ahead._models[net.first].kinds
    expect(len(kinds) <= ahead._MOST_KINDS, f"{len(kinds)} kinds")


class Sharing(nn.Module):
    """Two models with one first layer, whose further ones have one key and sets of one
    name, but not one map."""

    def __init__(self):
        super().__init__()
        self.stem = sct.SubMConv3d(2, 2, 3)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        for options in ({}, {"padding": 1}, {"kernel_size": 3}):
            options = {"kernel_size": 2, "stride": 2, "output": "floor", **options}
            self.down.append(sct.SparseConv3d(2, 2, indice_key="down", **options))
            self.up.append(sct.SparseInverseConv3d(2, 2, options["kernel_size"], "down"))

    def forward(self, x, number):
        return self.up[number](self.down[number](self.stem(x))).features


@check
def models_that_share_a_layer_and_a_key(device):
    torch.manual_seed(0)
    net = Sharing().to(device)
    for numbers in ((0, 0, 0, 1, 2), (1, 1, 1, 2, 0), (2, 2, 2, 0, 1)):
        for number in numbers:
            with one_by_one():
                expected = net(make_input(device, 0, borders=False), number)
            y = net(make_input(device, 0, borders=False), number)
            expect(torch.equal(y, expected), f"model {number} of {numbers}")
    # On one tensor, too.
    x = make_input(device, 0, borders=False)
    for number in (0, 1, 2):
        expected = net(make_input(device, 0, borders=False), number)
        expect(torch.equal(net(x, number), expected), f"model {number} on one tensor")


def count_foreseen(work):
    """How often something was foreseen, and how often somebody asked."""
    known, found = ahead._Model.foresee, []

    def foresee(model):
        found.append(known(model))
        return found[-1]

    ahead._Model.foresee = foresee
    try:
        work()
    finally:
        ahead._Model.foresee = known
    return sum(steps is not None for steps in found), len(found)


@check
def calls_side_by_side(device):
    # Of two tensors layer by layer, and in several threads.
    net = Net().to(device)

    def call_two():
        for seed in range(6):
            first, second = make_input(device, seed), make_input(device, seed + 1)
            for layer in net.layers:
                first, second = layer(first), layer(second)

    foreseen, asked = count_foreseen(call_two)
    expect((foreseen, asked) == (10, 12), f"{foreseen} of {asked}, layer by layer")
    net = Net().to(device)

    def call(thread):
        for seed in range(4):
            net(make_input(device, seed))

    def call_threads():
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(call, range(4), timeout=600))

    count_foreseen(call_threads)
    kinds = ahead._models[net.layers[0]].kinds
    expect(len(kinds) == 1, f"kinds of {list(map(len, kinds))} steps")


@check
def late_errors_are_told(device):
    # What an earlier run reports comes up where maps are made ahead, and once.
    class Reporting:
        def check(self, wait):
            programs._unread._instances.pop(self)
            raise sparseconv.Error("a run before", "SPARSECONV_PROGRAM_ERROR")

    net, known = Net().to(device), programs.run_function
    for seed in range(4):
        net(make_input(device, seed))

    def run(function, *rest):
        programs._unread.look()  # as runs on a GPU do
        return known(function, *rest)

    x = make_input(device, 4)
    programs.run_function = run
    try:
        programs._unread.add(Reporting())
        expect_error(sparseconv.Error, "a run before", net, x)
        net(make_input(device, 4))
    finally:
        programs.run_function = known


@check
def networks_that_the_compiler_refuses(device):
    # They are tried once, and what they would give is made one by one. Two tables are
    # renumbered in runs of their own, and a GPU makes the tiles of these in others.
    known, moved = encodings.make_tables, 2 if device == "cpu" else 4
    for rows, number in (("set", 10), ("points", 10 + moved)):
        net, texts = Net().to(device), []

        def refuse(text, *rest):
            texts.append(text + "no operation")
            return known(texts[-1], *rest)

        encodings.make_tables = refuse
        try:
            for seed in range(6):
                found = []
                with count_runs(found):
                    results, _ = net(make_input(device, seed, rows=rows))
                with one_by_one():
                    expected, _ = net(make_input(device, seed, rows=rows))
                expect(all(map(torch.equal, results, expected)), f"results {seed}")
        finally:
            encodings.make_tables = known
        expect(len(texts) == 1, f"compiled {len(texts)} times")
        expect(len(found) == number, f"{len(found)} runs of {rows}")


@check
def errors_are_those_of_the_layers(device):
    if device != "cpu":
        raise torch_checks.Skip("a GPU reports them later")
    net = Net()
    for seed in range(4):
        net(make_input(device, seed, rows="points"))
    far = torch.tensor([[0, 1 << 20, 0, 0], [0, 0, 0, 0]], dtype=torch.int32)
    spunet = models.load("spunet").SparseUNet(4, 5, (8, 8), (8,), 1, stem=3).eval()
    with torch.no_grad():
        for seed in range(4):
            points = models.make_points((9, 9, 9), 100, batch=1, seed=seed)
            spunet(points[:, 1:], torch.randn(len(points), 4), points[:, 0])
        message = "is outside"
        expect_error(sparseconv.Error, message, spunet, far[:, 1:], torch.randn(2, 4), far[:, 0])
        twice = torch.zeros((2, 4), dtype=torch.int32)
        arguments = twice[:, 1:], torch.randn(2, 4), twice[:, 0]
        expect_error(sparseconv.ArgumentError, "distinct coordinates", spunet, *arguments)
    narrow = make_input(device, 0, side=2, count=8)
    expect_error(sparseconv.ArgumentError, "no room", sct.SparseConv3d(2, 2, 7), narrow)


@check
def nothing_is_kept(device):
    net = Net().to(device)
    for seed in range(3):
        net(make_input(device, seed))
    x = make_input(device, 3)

    def call():
        with torch.no_grad():
            net(x.replace(x.features))

    torch_checks.expect_no_cycles(call)
    models_before = len(ahead._models)
    del net
    expect(len(ahead._models) < models_before, "a model that nobody has is kept")


@check
def empty_sets(device):
    net = Net().to(device)
    for seed in range(4):
        net(make_input(device, seed))
    none = sct.SparseTensor(
        torch.zeros(0, 2, device=device), torch.zeros((0, 4), dtype=torch.int32, device=device),
        (20, 20, 20), batch_size=1,
    )  # fmt: skip
    results, _ = net(none)
    expect(all(len(y) == 0 for y in results))


if __name__ == "__main__":
    torch_checks.run()
