# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks compiled as a whole against themselves, layer by layer."""

import contextlib
import copy
import os
import pickle
import subprocess
import tempfile
from unittest import mock

import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import torch
import torch_checks
from sparseconv.compiler import find_program
from sparseconv.errors import ArgumentError, CompileError, Error
from sparseconv.torch import programs
from torch import nn
from torch.utils._pytree import tree_leaves
from torch_checks import Skip, check, expect, expect_close, expect_error, make_tensor

BOUNDS = {torch.float32: 2e-5, torch.float16: 5e-3, torch.bfloat16: 4e-2}


def make_block(layer, channels):
    return sct.SparseSequential(layer, nn.BatchNorm1d(channels), nn.ReLU(inplace=True))


class UNet(nn.Module):
    """Two levels, skips that are concatenated, and a linear head."""

    def __init__(self):
        super().__init__()
        self.stem = make_block(sct.SubMConv3d(4, 8, 3, bias=False), 8)
        self.down1 = make_block(sct.SparseConv3d(8, 16, 2, 2, indice_key="1"), 16)
        self.down2 = make_block(
            sct.SparseConv3d(16, 24, 3, 2, 1, bias=False, indice_key="2"), 24
        )
        self.deep = make_block(sct.SubMConv3d(24, 24, 3), 24)
        self.up2 = sct.SparseInverseConv3d(24, 16, 3, "2", bias=False)
        self.join2 = make_block(sct.SubMConv3d(32, 16, 3), 16)
        self.up1 = sct.SparseInverseConv3d(16, 8, 2, "1")
        self.join1 = make_block(sct.SubMConv3d(16, 8, 3), 8)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        fine = self.stem(x)
        half = self.down1(fine)
        coarse = self.deep(self.down2(half))
        half = self.join2(sct.cat([self.up2(coarse), half]))
        fine = self.join1(sct.cat([self.up1(half), fine]))
        return fine.replace_feature(self.head(fine.features))


class Classifier(nn.Module):
    """A residual block written with functions, pooling, and a head on whole items."""

    def __init__(self):
        super().__init__()
        self.first = sct.SubMConv3d(4, 8, 3)
        self.conv0, self.norm0 = sct.SubMConv3d(8, 8, 3), nn.BatchNorm1d(8)
        self.conv1, self.norm1 = sct.SubMConv3d(8, 8, 3), nn.LayerNorm(8)
        self.pool, self.whole = sct.SparseMaxPool3d(3, 2, 1), sct.SparseGlobalAvgPool()
        self.head = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Dropout(), nn.Linear(16, 3))

    def forward(self, x):
        x = self.first(x)
        y = self.conv0(x)
        y = y.replace_feature(nn.functional.leaky_relu(self.norm0(y.features), 0.1))
        y = self.conv1(y)
        y = y.replace_feature(torch.sigmoid(self.norm1(y.features)))
        return self.head(self.whole(self.pool(x + y)))


class Encoder(nn.Module):
    """A detector's middle encoder, from tensors to the map that is seen from above."""

    def __init__(self):
        super().__init__()
        self.layers = sct.SparseSequential(
            make_block(sct.SubMConv3d(4, 8, 3, bias=False), 8),
            make_block(sct.SparseConv3d(8, 16, 3, 2, 1, bias=False), 16),
            make_block(sct.SubMConv3d(16, 16, 3, bias=False), 16),
            make_block(sct.SparseConv3d(16, 16, (3, 1, 1), (2, 1, 1), bias=False), 16),
        )

    def forward(self, voxel_features, voxel_coords, batch_size):
        x = sct.SparseTensor(voxel_features, voxel_coords.int(), [16, 16, 16], batch_size)
        y = self.layers(x)
        grid = sct.to_dense(y)
        items, channels, depth, height, width = grid.shape
        return {"seen": grid.reshape(items, channels * depth, height, width), "voxels": y}


def make_model(kind, device, dtype=torch.float32):
    """A model with norms that do something, in eval mode."""
    torch.manual_seed(5)
    model = kind()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm1d):
            nn.init.uniform_(module.running_mean, -1, 1)
            nn.init.uniform_(module.running_var, 0.5, 2)
            nn.init.uniform_(module.weight, 0.5, 2)
            nn.init.uniform_(module.bias, -1, 1)
    return model.eval().to(device, dtype).requires_grad_(False)


def make_input(device, dtype=torch.float32, rows=300, seed=0):
    return make_tensor(3, 4, device, size=16, rows=rows, seed=seed, dtype=dtype)[0]


def get_types(device):
    return (torch.float32, torch.float16, torch.bfloat16) if device == "cuda" else BOUNDS


@check
def unet(device):
    for dtype in get_types(device):
        model = make_model(UNet, device, dtype)
        compiled = sparseconv.compile(model, make_input(device, dtype))
        for rows in (300, 1, 700, 0):
            x = make_input(device, dtype, rows, seed=rows)
            y, expected = compiled(x), model(x)
            expect(y.features.dtype == dtype and y.set is x.set)
            expect_close(y.features, expected.features, BOUNDS[dtype], f"{dtype}, {rows} rows")
            expect(y.has_set_of(x) and (y + expected).features.shape == y.features.shape)


@check
def classifier(device):
    for dtype in get_types(device):
        model = make_model(Classifier, device, dtype)
        compiled = sparseconv.compile(model, make_input(device, dtype))
        for rows in (300, 40):
            x = make_input(device, dtype, rows, seed=rows)
            expect_close(compiled(x), model(x), BOUNDS[dtype], f"{dtype}, {rows} rows")


@check
def encoder(device):
    for dtype in get_types(device):
        model = make_model(Encoder, device, dtype)
        compiled = None
        for rows in (300, 90):
            x = make_input(device, dtype, rows, seed=rows)
            order = torch.randperm(x.coordinates.shape[0], device=device)
            args = x.features[order], x.coordinates[order].long(), 2
            compiled = compiled or sparseconv.compile(model, args)
            found, expected = compiled(*args), model(*args)
            expect(found.keys() == expected.keys())
            expect_close(found["seen"], expected["seen"], BOUNDS[dtype], str(dtype))
            y, z = found["voxels"], expected["voxels"]
            expect(torch.equal(y.coordinates, z.coordinates))
            expect(y.stride == z.stride and y.spatial_shape == z.spatial_shape)
            expect(y.batch_size == 2)
            expect_close(y.features, z.features, BOUNDS[dtype], str(dtype))


@check
def one_network_with_folded_norms(device):
    compiled = sparseconv.compile(make_model(UNet, device), make_input(device))
    names = [value.name for value in compiled._program.main.inputs]
    expect(names[:2] == ["points", "features"] and "stem.1.scale" in names, str(names))
    expect("stem.1.running_var" not in names and "down1.0.bias" not in names, str(names))
    text = compiled.mlir()
    expect(text.count("sparseconv.kernel_map %") == 6, text)
    expect(text.count("sparseconv.conv ") == 9, text)
    expect([v.name for v in compiled.inputs] == ["points", "features"])
    expect([v.name for v in compiled.outputs] == ["features", "coordinates"])
    # What a norm, a bias and an activation do is done where convolutions store rows.
    passes = "canonicalize,cse,func.func(sparseconv-fuse-epilogues)"
    fused = subprocess.run(
        [find_program("sparseconv-opt"), f"--pass-pipeline=builtin.module({passes})"],
        input=text, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    expect(fused.count(" epilogue(") == 8 and "linalg.generic" not in fused, fused)


@check
def saved_plans(device):
    model, x = make_model(UNet, device), make_input(device)
    compiled = sparseconv.compile(model, x)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.plan")
        compiled.save(path, "cuda:sm_80")
        expect(sparseconv.load(path).target == "cuda")
        compiled.save(path, "cpu:sse2")
        expect(sparseconv.load(path).target == "cpu")
        compiled.save(path)
        plan = sparseconv.load(path)
    expect([v.name for v in plan.main.inputs] == ["points", "features"])
    # Points come in any order; rows are in set order.
    order = torch.randperm(x.coordinates.shape[0], device=device)
    points, features = x.coordinates[order].cpu().numpy(), x.features[order].cpu().numpy()
    found, coordinates = plan.main(points=points, features=features)
    expect((coordinates == x.coordinates.cpu().numpy()).all())
    expect_close(torch.from_numpy(found), model(x).features.cpu(), 2e-5)
    expect_error(Error, "the plan was not written", compiled.save, "/nowhere/net.plan")
    for copied in (copy.deepcopy, pickle.dumps):
        expect_error(Error, "write a plan with save", copied, compiled)
    expect_error(ArgumentError, "'cuda:sm_80'", compiled.save, "net.plan", "cuda")


@check
def weights_are_copied(device):
    model, x = make_model(UNet, device), make_input(device)
    compiled = sparseconv.compile(model, x)
    before, program = compiled(x).features, compiled._program
    model.stem[0].weight.mul_(0.5)
    model.stem[1].running_var.mul_(2)
    model.head.bias.add_(1)
    expect(torch.equal(compiled(x).features, before))
    compiled.update()
    expect(compiled._program is program)
    expect_close(compiled(x).features, model(x).features, 2e-5)
    expect((compiled(x).features - before).abs().max() > 0.1)


@check
def bound_to_a_scene(device):
    """Calls with other features at the same coordinates give the bits of ordinary calls."""

    def give_tensor(x, features):
        return (x.replace(features),)

    def give_arrays(x, features):
        return features, x.set.coords, 2

    for kind, give, take in (
        (UNet, give_tensor, lambda y: y.features), (Classifier, give_tensor, lambda y: y),
        (Encoder, give_arrays, lambda y: y["seen"]),
        (Encoder, give_arrays, lambda y: y["voxels"].features),
    ):  # fmt: skip
        model, x = make_model(kind, device), make_input(device, seed=1)
        compiled = sparseconv.compile(model, give(x, x.features))
        for seed, rows in ((2, 300), (3, 31), (4, 1700)):
            x = make_input(device, rows=rows, seed=seed)
            bound = compiled.bind(*give(x, x.features))
            for scale in (1, 2, -1, 0.5):
                arguments = give(x, x.features * scale)
                found, expected = take(bound(*arguments)), take(compiled(*arguments))
                expect(torch.equal(found, expected), f"{kind.__name__} of {rows} points")
    # The set of a result is the same in each call, and is one to go on with.
    other = sct.SparseConv3d(4, 8, 3, 2, 1).to(device).requires_grad_(False)
    x = make_input(device, seed=5)
    bound = sparseconv.compile(other.eval(), x).bind(x)
    found, expected = bound(x), other(x)
    expect(torch.equal(found.coordinates, expected.coordinates))
    expect_close(found.features, expected.features, BOUNDS[torch.float32])


class BesideRows(nn.Module):
    """A convolution, beside rows of a number of their own."""

    def __init__(self):
        super().__init__()
        self.conv, self.linear = sct.SubMConv3d(4, 8, 3), nn.Linear(4, 8)

    def forward(self, x, rows):
        return self.conv(x).features, self.linear(rows)


@check
def bound_beside_other_rows(device):
    model, x = make_model(BesideRows, device), make_input(device)
    rows = torch.randn(11, 4, device=device)
    bound = sparseconv.compile(model, (x, rows)).bind(x, rows[:7])
    for count in (7, 3, 11, 7, 1):
        found, expected = bound(x, rows[:count]), model(x, rows[:count])
        for one, other in zip(found, expected):
            expect_close(one, other, BOUNDS[torch.float32])


@check
def bound_to_one_scene_alone(device):
    model, x = make_model(UNet, device), make_input(device)
    compiled = sparseconv.compile(model, x)
    bound = compiled.bind(x)
    other = make_input(device, seed=1)
    expect_error(ArgumentError, "expects the coordinates that are bound", bound, other)
    expected = compiled(x).features
    coords = x.set.coords.clone()
    x.set.coords += 1
    expect_error(ArgumentError, "unchanged", bound, x)
    x.set.coords.copy_(coords)
    bound = compiled.bind(x)
    # What has happened to them since is seen by no run.
    expect(torch.equal(bound(x).features, expected))
    net = nn.Sequential(nn.Linear(4, 4)).to(device).eval()
    rows = torch.ones(3, 4, device=device)
    expect_error(ArgumentError, "coordinates or other integers",
                 sparseconv.compile(net, rows).bind, rows)  # fmt: skip


@check
def what_is_compiled_changes(device):
    model, x = make_model(Classifier, device), make_input(device)
    compiled = sparseconv.compile(model, x)
    before = compiled._program
    model.head[1] = nn.ReLU().eval()
    compiled.update()
    expect(compiled._program is not before)
    expect_close(compiled(x), model(x), 2e-5)


@check
def autocast(device):
    model, x = make_model(UNet, device), make_input(device)
    with torch.autocast(device, dtype=torch.bfloat16):
        compiled, expected = sparseconv.compile(model, x), model(x)
    expect(compiled(x).features.dtype == expected.features.dtype)
    expect_close(compiled(x).features, expected.features, 4e-2)


@check
def equal_bits(device):
    model, x = make_model(Encoder, device), make_input(device)
    args = x.features, x.coordinates, 2
    compiled = sparseconv.compile(model, args)
    first = compiled(*args)["seen"]
    for _ in range(5):
        expect(torch.equal(compiled(*args)["seen"], first))


@check
def tensors_have_equal_rows(device):
    model, x = make_model(Encoder, device), make_input(device)
    compiled = sparseconv.compile(model, (x.features, x.coordinates, 2))
    rows, few = len(x.features), x.features[:-1]
    text = f"'voxel_coords' has {rows} rows, but 'voxel_features' has {rows - 1}: both need"
    expect_error(ArgumentError, text, compiled, few, x.coordinates, 2)
    # Whoever runs the plan learns the same.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.plan")
        compiled.save(path)
        net = sparseconv.load(path)
        names = [value.name for value in net.main.inputs]
        tensors = {"voxel_features": few, "voxel_coords": x.coordinates}
        arrays = [tensors[n] if device == "cuda" else tensors[n].numpy() for n in names]
        expect_error(ArgumentError, "both need the same number", net, *arrays)


@check
def on_another_stream(device):
    if device != "cuda":
        raise Skip("streams are a GPU's")
    model, x = make_model(UNet, device), make_input(device)
    compiled, expected = sparseconv.compile(model, x), model(x).features
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    for _ in range(5):
        with torch.cuda.stream(stream):
            late = x.replace(x.features + 0)
            found = compiled(late).features
        torch.cuda.current_stream().wait_stream(stream)
        expect_close(found, expected, 2e-5)


class Pair(nn.Module):
    def forward(self, x, others):
        return [x + others["y"], others["y"].features.sum(1)]


@check
def several_inputs(device):
    x = make_input(device)
    compiled = sparseconv.compile(Pair().eval(), (x, {"y": x.replace(2 * x.features)}))
    expect(
        [v.name for v in compiled.inputs] == ["x.points", "x.features", "others.y.features"]
    )
    expect([v.name for v in compiled.outputs] == ["0.features", "0.coordinates", "1"])
    x = make_input(device, rows=90)
    total, sums = compiled(x, {"y": x.replace(x.features - 1)})
    expect_close(total.features, 2 * x.features - 1)
    expect_close(sums, x.features.sum(1) - 4)
    other = make_input(device, rows=90)
    text = "others.y: expects the coordinates of x"
    expect_error(ArgumentError, text, compiled, x, {"y": other})


@contextlib.contextmanager
def unfinished_results():
    """What a call returns is made of results that get their rows later, as those of a GPU do
    while the host waits for it."""
    run = programs.run_function

    def run_early(function, tensors, wrap, **named):
        results, early = run(function, tensors, **named), []
        for value, result in zip(function.outputs, results):
            if value.shape[:1] == (None,):
                result = result.new_empty(result.shape[0] + 7, *result.shape[1:])
            early.append(result)
        made = wrap(early)
        for tensor, result in zip(early, results):
            if tensor is not result:
                tensor.resize_(result.shape).data.copy_(result)
        return made

    with mock.patch.object(programs, "run_function", run_early):
        yield


def make_two_layers():
    return spconv.SparseSequential(spconv.SubMConv3d(4, 8, 3), spconv.SparseConv3d(8, 8, 2, 2))


@check
def results_are_wrapped_before_they_are_there(device):
    x, y = make_input(device), make_input(device, rows=90)
    points = spconv.SparseConvTensor(x.features, x.coordinates, [16] * 3, 2)
    encoded = [(z.features, z.coordinates, 2) for z in (x, y)]
    for kind, example, given in (
        (UNet, (x,), (y,)), (Pair, (x, {"y": x}), (y, {"y": y})),
        (Encoder, *encoded), (make_two_layers, (points,), (points,)),
    ):  # fmt: skip
        compiled = sparseconv.compile(make_model(kind, device), example)
        expected = tree_leaves([compiled(*given)])
        with unfinished_results():
            found = tree_leaves([compiled(*given)])
        for one, other in zip(found, expected, strict=True):
            if isinstance(one, sct.SparseTensor):
                expect(torch.equal(one.coordinates, other.coordinates))
                one, other = one.features, other.features
            expect(torch.equal(one, other))


@check
def structure_is_checked(device):
    x = make_input(device)
    compiled = sparseconv.compile(make_model(Classifier, device), x)
    points, features = x.coordinates, x.features

    def refuse(text, *args):
        expect_error(ArgumentError, text, compiled, *args)

    refuse("the spatial_shape (16, 16, 16)", sct.SparseTensor(features, points, [20] * 3))
    refuse("the stride (1, 1, 1)", sct.SparseTensor(features, 2 * points, [16] * 3, stride=2))
    refuse("the batch size 2", sct.SparseTensor(features, points, [16] * 3, batch_size=3))
    refuse("features: ?x4xfloat32", x.replace(features[:, :3]))
    refuse("features: ?x4xfloat32", x.replace(features.half()))
    refuse("1 in all", x, x)
    refuse("expects a SparseTensor", features)
    if device == "cuda":
        refuse("expects tensors on cuda", make_input("cpu"))
    # The batch size is the example's where the model has read it, and nowhere else.
    more = points.clone()
    more[:, 0] += 1
    more = sct.SparseTensor(features, more, [16] * 3)
    expect_error(Error, "(SparseGlobalAvgPool): sparseconv.global_pool: row", compiled, more)
    scale = Applied(lambda x: x.features * x.batch_size).eval()
    two, three = (spconv.SparseConvTensor(features, points, [16] * 3, n) for n in (2, 3))
    compiled = sparseconv.compile(scale, two)
    expect_close(compiled(two), 2 * features, 0)
    refuse("the batch size 2", three)
    segment = sparseconv.compile(make_model(UNet, device), x)
    expect_close(segment(more).features, segment(x).features, 0)


class Odd(nn.Module):
    """A model whose forward is what a check says."""

    def __init__(self, function):
        super().__init__()
        self.layer, self.function = sct.SubMConv3d(4, 4, 3), function

    def forward(self, x):
        return self.function(self.layer(x))


class Applied(nn.Module):
    """A function of an input as a model."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def sort(x):
    return torch.sort(x.features, 0)


def choose(x):
    return x.features if x.features.shape[0] > 9 else -x.features


def read(x):
    return x.features * x.features.max().item()


def change(x):
    x.features.t().add_(1)
    return x


def change_constant(x):
    ones = torch.ones(4, device=x.features.device)
    return (x.features + ones) * ones.add_(1)


def move(x):
    x.indices[:, 1:] += 1
    return x.replace_feature(x.features * 2)


class Counting(nn.Module):
    """A model that counts its calls in a buffer."""

    def __init__(self, count):
        super().__init__()
        self.layer, self.count = sct.SubMConv3d(4, 4, 3), count
        self.register_buffer("calls", torch.zeros(2))

    def forward(self, x):
        self.count(self)
        return self.layer(x)


@check
def weights_stay(device):
    """A compiled model would leave alone what its forward changes."""

    def replace(model):
        model.calls = model.calls + 1

    def replace_weights(model):
        model.layer.weight = nn.Parameter(model.layer.weight + 1)

    x = make_input(device)
    for count, text in (
        (lambda m: m.calls.add_(1), "torch's add_ cannot be compiled: it changes 'calls'"),
        (lambda m: m.calls[:1].zero_(), "torch's zero_ cannot be compiled: it changes 'calls'"),
        (lambda m: m.calls.copy_(m.calls + 1), "copy_ cannot be compiled: it changes 'calls'"),
        (replace, "the model replaces 'calls'"),
        (replace_weights, "the model replaces 'layer.weight'"),
        (
            lambda m: torch._foreach_add_([m.calls], 1),
            "_foreach_add_ cannot be compiled: it changes 'calls'",
        ),
    ):
        model = Counting(count).to(device).eval()
        weight = model.layer.weight
        expect_error(CompileError, text, sparseconv.compile, model, x)
        expect(not model.calls.any(), "the buffer has changed")
        expect(model.layer.weight is weight, "the parameter has changed")
    model = Counting(lambda m: m.calls + 1).to(device).eval()
    sparseconv.compile(model, x)


@check
def what_cannot_be_compiled_is_named(device):
    x = make_input(device)
    for function, text in (
        (sort, "torch's sort cannot be compiled"),
        (choose, "the model decides by a number of rows"),
        (read, "it reads a number from a device"),
        (change, "torch's add_ cannot be compiled: it changes a view in place"),
        (lambda x: x.features * torch.rand(1, device=device), "it makes random numbers"),
        (lambda x: x.coordinates.abs(), "torch's abs cannot be compiled"),
        (lambda x: x.features.double(), "it has a tensor of torch.float64"),
        (lambda x: x.features.fill_(x.features.shape[0]), "with a number that is computed"),
        (change_constant, "add_ cannot be compiled: it changes 'constant'"),
    ):
        model = Odd(function).to(device).eval()
        line = function.__code__.co_firstlineno
        try:
            sparseconv.compile(model, x)
        except CompileError as error:
            message = str(error)
        else:
            raise AssertionError(f"expected an error with {text!r}")
        expect(text in message, message)
        places = [f"compiled_checks.py:{line + i}" for i in range(3)]
        expect(any(place in message for place in places), message)
        expect(message.count("\n") == 1, message)
    expect_error(ArgumentError, "call model.eval()", sparseconv.compile, UNet().to(device), x)
    expect_error(ArgumentError, "an example", sparseconv.compile, make_model(UNet, device))
    points = torch.zeros((1, 3), dtype=torch.int32, device=device)
    given = spconv.SparseConvTensor(torch.ones(1, 4, device=device), points, [4, 4], 1)
    text = "add_ cannot be compiled: it changes the coordinates of an input"
    expect_error(CompileError, text, sparseconv.compile, Applied(move).eval(), given)
    constant = Odd(lambda x: 3).to(device).eval()
    expect_error(ArgumentError, "returns nothing", sparseconv.compile, constant, x)


if __name__ == "__main__":
    torch_checks.run()
