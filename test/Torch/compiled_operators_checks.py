# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and operators of torch in compiled modules, against torch itself."""

import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import torch
import torch.nn.functional as F
import torch_checks
from torch import nn
from torch_checks import check, expect, expect_close, make_tensor

BOUNDS = {torch.float32: 1e-5, torch.float16: 4e-3}


class Each(nn.Module):
    """What each of some functions makes of features that a layer has made."""

    def __init__(self, layer, functions):
        super().__init__()
        self.layer, self.functions = layer, functions

    def forward(self, x):
        features = self.layer(x).features
        return [function(features.clone()) for function in self.functions]


def make_points(device, **options):
    """The same tensor as `make_tensor` has, with rows in another order."""
    x, _ = make_tensor(2, 4, device, **options)
    points = x.coordinates.flip(0).contiguous()
    return spconv.SparseConvTensor(x.features, points, x.spatial_shape, x.batch_size)


def compare(device, functions, types=(torch.float32, torch.float16)):
    """With rows in set order, and with rows in the order of points, which convolutions have
    in set order inside."""
    for dtype in types:
        compare_rows(device, dtype, functions, sct, lambda *a, **o: make_tensor(2, 4, *a, **o)[0])
    compare_rows(device, torch.float32, functions, spconv, make_points)


def compare_rows(device, dtype, functions, package, make):
    torch.manual_seed(1)
    model = Each(package.SubMConv2d(4, 8, 3), functions).to(device, dtype).eval()
    compiled = sparseconv.compile(model, make(device, dtype=dtype))
    x = make(device, rows=90, seed=1, dtype=dtype)
    with torch.no_grad():
        expected = model(x)
    for number, (found, value) in enumerate(zip(compiled(x), expected, strict=True)):
        text = f"function {number}, {dtype}, {package.__name__}"
        expect(found.dtype == value.dtype, text)
        expect_close(found, value, BOUNDS[dtype], text)


@check
def activations(device):
    compare(device, [
        F.relu, F.gelu, lambda f: F.gelu(f, approximate="tanh"), F.silu, F.sigmoid, F.tanh,
        F.elu, F.selu, F.celu, F.hardtanh, F.relu6, F.softplus, F.hardswish, F.hardsigmoid,
        F.mish, F.relu_, lambda f: F.leaky_relu(f, 0.2), lambda f: F.threshold(f, 0.1, 2.0),
        lambda f: F.glu(f, 1), lambda f: F.dropout(f, 0.5, False),
        lambda f: F.prelu(f, f.new_full((8,), 0.3)),
    ])  # fmt: skip


@check
def arithmetic(device):
    compare(device, [
        lambda f: f * 2 + 1, lambda f: 1 - f, lambda f: 2 / (f * f + 1), lambda f: f**2 + f**3,
        lambda f: (f * f + 1) ** 0.3, lambda f: torch.maximum(f, -f), torch.square, torch.neg,
        lambda f: torch.where(f > 0, f, f * 0.5), lambda f: f.abs().sqrt(),
        lambda f: torch.exp(-f).log1p(), lambda f: f.clamp(-0.5, 0.5), lambda f: f.clamp(min=0.1),
        lambda f: f.add_(1).mul_(2), lambda f: f + f.new_tensor([[3.0]]),
        lambda f: f / torch.arange(2.0, 10.0, device=f.device).to(f.dtype),
        lambda f: f.lerp(f * 2, 0.5), lambda f: torch.addcmul(f, f, f, value=0.5),
        lambda f: f.masked_fill(f > 0, -1.0), lambda f: ((f > 0) & (f < 0.5)).to(f.dtype),
        lambda f: f.new_ones(f.shape[0], 1) * f, lambda f: torch.zeros_like(f) + 1,
        lambda f: torch.ones((f.shape[0], 2), device=f.device),
        lambda f: f.add(f[:, :1]).sub(f[0:, 1:2], alpha=2), lambda f: 2**f,
        lambda f: f.sigmoid() ** f, lambda f: (f * f + 1) ** f[:, :1],
    ])  # fmt: skip


@check
def conversions(device):
    compare(device, [
        lambda f: f.float(), lambda f: f.bfloat16().float(), lambda f: (f * 10).int(),
        lambda f: (f * 10).long() + 3, lambda f: f > 0, lambda f: (f * 4).int().bool(),
        lambda f: ((f * 4).int() - 1).to(f.dtype), lambda f: torch.floor(f * 3),
        lambda f: torch.full_like(f, 2.7).int().float(), lambda f: torch.full_like(f, 0.5).bool(),
        lambda f: f.float() + torch.full_like(f, 0.1).half().float(), lambda f: f.logical_and(f > 0),
    ])  # fmt: skip


@check
def shapes(device):
    compare(device, [
        lambda f: f[:, 2:6], lambda f: f[:, -1:], lambda f: f[:, 3], lambda f: f[:, ::3],
        lambda f: f[:, [3, 2, -1, 3]], lambda f: f.view(-1, 2, 4)[..., [2, 0]],
        lambda f: (f * 9).int()[:, torch.tensor([5], device=f.device)],
        lambda f: f.index_select(1, torch.arange(6, 2, -1, device=f.device)),
        lambda f: torch.cat([f[:, :3], f[:, 3:] * 2], 1),
        lambda f: torch.cat(f.chunk(2, 1)[::-1], 1), lambda f: f.split([3, 5], 1)[1],
        lambda f: torch.stack([f, f * 2], 1), lambda f: f.view(-1, 2, 4),
        lambda f: f.reshape(-1, 4, 2).permute(0, 2, 1).reshape(-1, 8),
        lambda f: f.unsqueeze(1).expand(-1, 3, -1).flatten(1), lambda f: f[:, None, :, None],
        lambda f: f.index_select(0, torch.arange(3, device=f.device)),
        lambda f: f.index_select(0, (f[:, 0] > 0).nonzero().squeeze(1)) * 2,
        lambda f: f.new_zeros(2, 8).index_add_(0, (f[:, 0] > 0).long(), f),
        lambda f: ((f[:, :1] - f[:, 0]).relu() * torch.ones_like(f[:, 0])[None]).sum(1),
        lambda f: f.sum().view(1, 1) * f, lambda f: f.amax(0, keepdim=True)[:, :1].squeeze(),
    ])  # fmt: skip


def change(function):
    """What a tensor becomes that a function changes in place."""

    def apply(f):
        function(f)
        return f

    return apply


def change_twice(f):
    middle, end = f[:, 1:6], f[:, 5:]
    middle[:, 1:4].add_(1)
    end.mul_(middle[:, :3])
    middle.mul_(f[:, :1])


def change_channels(f):
    f[:, 7].add_(f[:, 0])
    f[:, 1:2] *= 2
    f[:, 1].sub_(1)
    f[:, 3] = f[:, 2]


@check
def changes_of_parts(device):
    compare(device, [change(function) for function in (
        lambda f: f[:, 1:3].mul_(2), lambda f: f[:, :4].copy_(f[:, 4:]),
        lambda f: f[:, 2:4].fill_(0.5), lambda f: f[:, 2:5].zero_(), change_twice, change_channels,
        lambda f: f[:, 3].fill_(f.max()), lambda f: f[:, -2:].relu_().add_(f[:, 2:4]),
        fill_all, lambda f: f[:, :0].add_(1), lambda f: f[:].neg_(), lambda f: f.copy_(f.sum(1, keepdim=True)),
    )])  # fmt: skip


def fill_all(f):
    f.fill_(2)
    return f + 1


def repeat_and_change(f):
    y = f.unsqueeze(1).expand(-1, 2, -1).flatten(0, 1)
    f.mul_(2)
    return y + f.repeat_interleave(2, 0)


@check
def rows_that_are_repeated(device):
    compare(device, [
        repeat_and_change,
        lambda f: f.unsqueeze(1).expand(-1, 3, -1).flatten(0, 1),
        lambda f: f.repeat_interleave(2, 0) * 2, lambda f: f[:, None].expand(-1, 1, 8) + 1,
        lambda f: f.unsqueeze(1).expand(-1, 3, -1).reshape(-1, 24),
        lambda f: f[:, :1].unsqueeze(1).expand(-1, 2, 5).flatten(0, 1).sum(1),
        lambda f: f[:, :1].repeat_interleave(2, 0) * 2,
        lambda f: (f.repeat_interleave(2, 0) + torch.arange(8.0, device=f.device)).sum(1),
        lambda f: ((f * 9).int().repeat_interleave(2, 0) + f.repeat_interleave(2, 0)).sum(1),
    ])  # fmt: skip


def sums_of_two(f):
    """The later sum is read first, and what the earlier one reads is freed between them."""
    a = f.sigmoid()
    first, b = a.sum(1), a.exp()
    return b / b.sum(1).unsqueeze(1) - first.unsqueeze(1)


def sums_by_both_axes(f):
    a = torch.cat([f, f], 1).view(-1, 4, 4)
    sums = a.sum(2)
    return (a * sums.unsqueeze(2) * sums.unsqueeze(1)).view(-1, 16)


@check
def reductions(device):
    compare(device, [
        lambda f: f.mean(1), lambda f: f.sum(1, keepdim=True) * f, lambda f: f.amax(1),
        lambda f: f.amin((0, 1)), lambda f: f.sum(), lambda f: f.sum(0), lambda f: f.max(),
        lambda f: f.max(1)[0], lambda f: f.max(1)[1], lambda f: f.argmin(1), lambda f: f.std(1),
        lambda f: f.var(1, unbiased=False), lambda f: F.normalize(f, dim=1),
        lambda f: f.softmax(1), lambda f: F.log_softmax(f, dim=-1),
        lambda f: F.softmax(f.view(-1, 2, 4), -1).flatten(1), lambda f: f.max(0)[0],
        lambda f: (f * 9).int().amax(0), lambda f: (f * 9).int().min(1)[0] // 2,
        lambda f: (f > -0.5).all(1), lambda f: (f > 0.5).any(), sums_of_two, sums_by_both_axes,
        lambda f: f[:, :7] - f[:, :7].sum(1, keepdim=True), lambda f: f.sum() * 2,
    ], (torch.float32, torch.float16))  # fmt: skip


@check
def norms_and_products(device):
    compare(device, [
        lambda f: F.layer_norm(f, (8,)), lambda f: F.group_norm(f, 2),
        lambda f: F.group_norm(f, 2, f.new_full((8,), 2.0), f.new_ones(8)),
        lambda f: F.group_norm(f, 2, f.new_full((8,), -1.5)), lambda f: F.group_norm(f[..., None], 2),
        lambda f: F.group_norm(f.view(-1, 4, 2), 2, f.new_ones(4)), lambda f: F.rms_norm(f, (8,)),
        lambda f: F.layer_norm(f, (8,), f.new_full((8,), 2.0), f.new_ones(8)),
        lambda f: f @ f.new_full((8, 3), 0.5),
        lambda f: F.linear(f, f.new_full((3, 8), 0.2), f.new_ones(3)),
        lambda f: torch.addmm(f.new_ones(3), f, f.new_ones((8, 3)), beta=2, alpha=0.5),
    ])  # fmt: skip


class Layers(nn.Module):
    """A model of one layer, or of several that are applied to the same input."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        return [layer(x) for layer in self.layers]


def compare_layers(device, x, model):
    torch.manual_seed(2)
    model = model.to(device).eval().requires_grad_(False)
    compiled = sparseconv.compile(model, x)
    for found, value in zip(compiled(x), model(x), strict=True):
        text = f"{tuple(value.features.shape)} at stride {value.stride}"
        expect(torch.equal(found.coordinates, value.coordinates), text)
        expect(found.stride == value.stride and found.spatial_shape == value.spatial_shape)
        expect_close(found.features, value.features, 1e-5, text)


@check
def layers(device):
    for dim in (2, 3):

        def get(stem, dim=dim):
            return getattr(sct, f"{stem}{dim}d")

        x, _ = make_tensor(dim, 4, device)
        compare_layers(device, x, Layers(
            get("SubMConv")(4, 6, 3), get("SubMConv")(4, 6, 2, dilation=2, groups=2),
            get("SparseConv")(4, 6, 3, 2, 1), get("SparseConv")(4, 6, 3, 1, 1, bias=False),
            get("SparseConv")(4, 6, 3, 2, 1, output="floor"),
            get("SparseMaxPool")(3, 2, 1), get("SparseAvgPool")(2),
            get("SparseAvgPool")(2, count_volume=True), get("SparseSumPool")(2, output="floor"),
            get("SparseConvTranspose")(4, 6, 3, padding=1),
        ))  # fmt: skip
        points = x.coordinates.clone()
        points[:, 1:] *= 2
        coarse = sct.SparseTensor(x.features, points, batch_size=2, stride=2)
        compare_layers(device, coarse, Layers(
            get("SparseConvTranspose")(4, 6, 3, 2, 1), get("SparseConvTranspose")(4, 6, 2, 2),
            sct.SparseSequential(get("SparseConvTranspose")(4, 6, 2, 2, indice_key="up"),
                                 get("SparseInverseConv")(6, 4, 2, "up")),
        ))  # fmt: skip


@check
def global_pools(device):
    class Pools(nn.Module):
        def forward(self, x):
            kinds = (sct.SparseGlobalMaxPool, sct.SparseGlobalAvgPool, sct.SparseGlobalSumPool)
            return torch.cat([kind()(x) for kind in kinds], 1)

    x, _ = make_tensor(3, 4, device)
    expect_close(sparseconv.compile(Pools().eval(), x)(x), Pools()(x))


class Grid(nn.Module):
    """What follows on the dense grid: a norm over its channels, and means."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm3d(4)

    def forward(self, x):
        grid = self.norm(sct.to_dense(x))
        return grid, grid.mean((2, 3)).argmax(0), torch.relu(sct.to_dense(x, [9, 9, 9]))


@check
def grids(device):
    model = Grid().to(device).eval().requires_grad_(False)
    nn.init.uniform_(model.norm.running_mean, -1, 1)
    x, _ = make_tensor(3, 4, device)
    with torch.inference_mode():
        compiled = sparseconv.compile(model, x)
        for found, value in zip(compiled(x), model(x), strict=True):
            expect_close(found, value, 1e-5)


class Points(nn.Module):
    """From points in space to voxels and back, and the union of two sets."""

    def __init__(self):
        super().__init__()
        self.conv = sct.SubMConv3d(3, 4, 3)
        self.down, self.up = sct.SparseConv3d(4, 4, 2, 2), sct.SparseConv3d(4, 4, 3, 1, 1)

    def forward(self, features, points, places):
        x = self.conv(sct.voxelise(features, points, (0.5, 0.5, 1.0), batch_size=2))
        wide = sct.union(self.up(x), x)
        read = sct.devoxelise(x, places)
        spread = sct.splat(features, places, x, "nearest")
        return x.to_points(), wide, read, spread.features


@check
def points_and_unions(device):
    torch.manual_seed(4)
    model = Points().to(device).eval().requires_grad_(False)

    def make(count):
        points = torch.cat([torch.randint(0, 2, (count, 1)), 4 * torch.rand(count, 3)], 1)
        return [t.to(device) for t in (torch.randn(count, 3), points, points * 1.7 - 1)]

    compiled = sparseconv.compile(model, tuple(make(80)))
    args = make(50)
    args[2][:, 0] = args[1][:, 0]
    found, expected = compiled(*args), model(*args)
    expect(torch.equal(found[1].coordinates, expected[1].coordinates))
    for y, z in zip(found, expected, strict=True):
        pair = [getattr(t, "features", t) for t in (y, z)]
        expect_close(*pair, 1e-5)


class Pruned(nn.Module):
    """Rows that a mask keeps, and layers behind them."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = sct.SubMConv3d(4, 8, 3), nn.BatchNorm1d(8)
        self.down = sct.SparseConv3d(8, 4, 3, 2, 1)

    def forward(self, x):
        y = self.conv(x)
        y = sct.prune(y, y.features[:, 0] > 0)
        y = y.replace(self.norm(y.features))
        return [y, self.down(y)]


@check
def pruned(device):
    for rows in (60, 0):
        x, _ = make_tensor(3, 4, device, rows=rows)
        compare_layers(device, x, Pruned())


class Shared(nn.Module):
    """A weight in two places, and features that are changed in place under a sum."""

    def __init__(self):
        super().__init__()
        self.conv = sct.SubMConv3d(4, 4, 3)
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("shift", torch.full((4,), 0.5))

    def forward(self, x):
        y = self.conv(self.conv(x))
        bare = sct.SubMConv3d.forward(self.conv, x)
        moved = bare.features + self.shift
        bare.features.relu_()
        normed = self.norm(moved)
        return y.replace(normed + bare.features + y.features)


@check
def values_and_names(device):
    torch.manual_seed(6)
    model = Shared().to(device).eval().requires_grad_(False)
    model.norm.running_mean.uniform_(-1, 1)
    x, _ = make_tensor(3, 4, device)
    compiled = sparseconv.compile(model, x)
    expect_close(compiled(x).features, model(x).features, 1e-5)
    names = [value.name for value in compiled._program.main.inputs]
    expect(names.count("conv.weight") == 1 and len(set(names)) == len(names), str(names))


if __name__ == "__main__":
    torch_checks.run()
