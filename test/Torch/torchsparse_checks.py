# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users of torchsparse rely on: which outputs a layer has, the order of rows, state
dicts, helpers, and errors for what is not there."""

import io

import numpy as np
import reference_torchsparse as reference
import sparseconv
import sparseconv.torch.torchsparse as torchsparse
import sparseconv.torch.torchsparse.nn as spnn
import torch
import torch_checks
from models import make_points, sort_rows
from sparseconv.torch.torchsparse.nn import functional as F
from sparseconv.torch.torchsparse.nn.functional.devoxelize import calc_ti_weights
from sparseconv.torch.torchsparse.nn.utils.kernel import get_kernel_offsets
from sparseconv.torch.torchsparse.utils import make_tensor as make_numbers
from sparseconv.torch.torchsparse.utils import to_dense
from sparseconv.torch.torchsparse.utils.collate import sparse_collate_fn
from sparseconv.torch.torchsparse.utils.quantize import sparse_quantize
from sparseconv.torch.torchsparse.utils.tensor_cache import TensorCache
from torch_checks import check, expect, expect_close, expect_error


def make_tensor(device, channels=4, seed=0, shape=(8, 7, 9), spatial_range=None):
    points = make_points(shape, 70, seed=seed)
    feats = torch.randn(len(points), channels)
    x = torchsparse.SparseTensor(feats.to(device), points.to(device), 1, spatial_range)
    return x, reference.SparseTensor(feats, points)


def expect_same_rows(found, expected, text):
    mine, feats = sort_rows(found.C.cpu(), found.F.cpu())
    other, values = sort_rows(expected.C, expected.F)
    expect(torch.equal(mine, other), f"{text}: coordinates differ")
    expect(found.s == expected.s, f"{text}: strides differ")
    expect_close(feats, values, 1e-5, text)


@check
def every_layer(device):
    for options in (
        {"kernel_size": 3}, {"kernel_size": 5, "bias": True}, {"kernel_size": 2},
        {"kernel_size": (3, 1, 2)}, {"kernel_size": 1}, {"kernel_size": 2, "stride": 2},
        {"kernel_size": 3, "stride": 2}, {"kernel_size": 3, "stride": 2, "padding": 1},
        {"kernel_size": (1, 3, 1), "stride": (1, 2, 1)}, {"kernel_size": 1, "stride": 2},
    ):  # fmt: skip
        x, there = make_tensor(device)
        mine = spnn.Conv3d(4, 6, **options).to(device)
        other = reference.Conv3d(4, 6, **options)
        other.load_state_dict(mine.state_dict(), strict=True)
        expect_same_rows(mine(x), other(there), f"{options}")


@check
def calls_of_one_model(device):
    # From the third one on its sets and maps are made ahead.
    net = torch.nn.Sequential(
        spnn.Conv3d(4, 8, 3), spnn.ReLU(True), spnn.Conv3d(8, 8, 2, stride=2)
    ).to(device)
    for _ in range(5):
        x, _ = make_tensor(device)
        y = net(x)
        expect(y.F.shape == (len(y.C), 8))


@check
def what_tensors_have(device):
    x, _ = make_tensor(device)
    for change, dtype in (
        (lambda t: t.to(torch.float16), torch.float16), (lambda t: t.bfloat16(), torch.bfloat16),
        (lambda t: t.float(), torch.float32), (lambda t: t.half(), torch.float16),
        (lambda t: t.to(device, torch.float32), torch.float32),
        (lambda t: t.to(device), torch.float32),
    ):  # fmt: skip
        y = change(x)
        expect(y.F.dtype == dtype and torch.equal(y.C, x.C))
        x.F = x.F.float()
    # What a model notes beside the maps, and other tensors that take over both.
    down, up = (spnn.Conv3d(4, 4, 2, stride=2, transposed=t).to(device) for t in (False, True))
    x, _ = make_tensor(device)
    y = down(x)
    for caches in (x, x._caches):
        expect(caches.cmaps.setdefault(x.s, x.C) is x.C and (1, 1, 1) in caches.cmaps)
        expect(not caches.kmaps and len(caches.cmaps) == 1)
    del x.cmaps[x.s]
    expect(list(y.cmaps) == [])
    for name in ("_caches", "cmaps", "kmaps"):
        z = torchsparse.SparseTensor(y.F, y.C, y.s)
        expect_error(sparseconv.ArgumentError, "whose map", up, z)
        setattr(z, name, getattr(y, name))
        expect_close(up(z).F, up(y).F, 0)


class Points(torchsparse.SparseTensor):
    """Points that keep what is found of them with the maps, as those of SPVNAS do."""

    def __init__(self, feats, coords):
        super().__init__(feats=feats, coords=coords)
        self._caches.rows = {}


@check
def what_models_keep_in_caches(device):
    x, _ = make_tensor(device)
    z = Points(torch.randn(5, 4, device=device), torch.rand(5, 4, device=device))
    caches = z._caches
    caches.rows[z.s] = 1
    expect(z._caches is caches, "another object at each call")
    z.C = z.C / 2
    z.s = 2
    z._caches.rows[z.s] = 2
    expect(z._caches.rows == {(1, 1, 1): 1, (2, 2, 2): 2} == caches.rows)
    other = Points(z.F, z.C)
    other._caches = z._caches
    other._caches.more = 3
    expect(z._caches.more == 3 and z._caches.rows is other._caches.rows)
    expect(not hasattr(Points(z.F, z.C)._caches, "more"), "tensors share what they should not")
    # Layers pass it on.
    x._caches.noted = 4
    y = spnn.Conv3d(4, 4, 2, stride=2).to(device)(x)
    expect(y._caches.noted == 4)
    y._caches.later = 5
    expect(x._caches.later == 5 and x.replace(x.F)._caches is x._caches)
    stored = io.BytesIO()
    torch.save(x, stored)
    stored.seek(0)
    again = torch.load(stored, weights_only=False)
    expect(again._caches.later == 5 and again._caches.__dict__ is again.cache.notes)
    fresh = TensorCache()
    fresh.noted = 6
    x._caches = fresh
    expect(x._caches.noted == 6 and not x._caches.kmaps)


@check
def functions_of_weights(device):
    x, _ = make_tensor(device)
    for options in ({"kernel_size": 3}, {"kernel_size": 2, "stride": 2}, {"kernel_size": 1}):
        layer = spnn.Conv3d(4, 6, **options, bias=True).to(device)
        weights = layer.kernel.detach().clone().requires_grad_()
        y = F.conv3d(x, weights, bias=layer.bias, **options)
        expect_close(y.F, layer(x).F, 0)
        y.F.sum().backward()
        expect(weights.grad.shape == layer.kernel.shape)


@check
def names_and_shapes_of_weights(device):
    shapes = {
        (3, 1): (27, 4, 6), (2, 2): (8, 4, 6), (1, 1): (4, 6), (1, 2): (1, 4, 6),
    }  # fmt: skip
    for (size, stride), shape in shapes.items():
        state = spnn.Conv3d(4, 6, size, stride).state_dict()
        expect(list(state) == ["kernel"] and state["kernel"].shape == shape, f"{size} {stride}")


@check
def rows_keep_their_order(device):
    x, _ = make_tensor(device)
    down = spnn.Conv3d(4, 4, 2, stride=2).to(device)
    up = spnn.Conv3d(4, 5, 2, stride=2, transposed=True).to(device)
    y = spnn.Conv3d(4, 4, 3).to(device)(x)
    z = up(down(y))
    expect(y.C is x.C and z.C is x.C and z.s == (1, 1, 1))
    expect(torch.equal(torchsparse.cat([y, z]).F, torch.cat([y.F, z.F], 1)))
    wrong = spnn.Conv3d(4, 4, 3, stride=2, transposed=True).to(device)
    expect_error(sparseconv.ArgumentError, "whose map a transposed one", wrong, down(y))


@check
def grids_with_borders(device):
    # The ends of a grid come from the coordinates, unless it has a range: the voxel at 4
    # has no window of two within 0 .. 4, and has one within 0 .. 5.
    points = torch.tensor([[0, 0, 0, 0], [0, 4, 0, 0]], dtype=torch.int32, device=device)
    feats = torch.tensor([[1.0], [10.0]], device=device)
    layer = spnn.Conv3d(1, 1, (2, 1, 1), (2, 1, 1)).to(device)
    layer.kernel.data[:, 0, 0] = torch.tensor([1.0, 3.0])
    y = layer(torchsparse.SparseTensor(feats, points))
    expect(y.C.tolist() == [[0, 0, 0, 0]] and y.spatial_range is None)
    x = torchsparse.SparseTensor(feats, points, spatial_range=(1, 6, 1, 1))
    y = layer(x)
    expect(y.C.tolist() == [[0, 0, 0, 0], [0, 2, 0, 0]] and y.spatial_range == (1, 3, 1, 1))
    expect(y.dense().flatten().tolist() == [1, 0, 10])
    feats = feats.clone().requires_grad_()
    grid = to_dense(feats, points, x.spatial_range)
    expect(torch.equal(grid, x.dense()))
    grid.sum().backward()
    expect(feats.grad.tolist() == [[1.0], [1.0]])
    # torchsparse reads four numbers.
    x = torchsparse.SparseTensor(feats, points, spatial_range=(1, 6, 1, 1, 7))
    expect(x.spatial_range == (1, 6, 1, 1, 7) == x.replace(x.F).spatial_range)
    expect(layer(x).spatial_range == (1, 3, 1, 1) and torch.equal(x.dense(), grid))
    for wrong in ((1, 6, 1), 6):
        expect_error(sparseconv.ArgumentError, "spatial_range: expects", torchsparse.SparseTensor,
                     feats, points, spatial_range=wrong)  # fmt: skip


@check
def other_modes(device):
    points = torch.tensor([[0, x, 0, 0] for x in (0, 3, 4)], dtype=torch.int32, device=device)
    feats = torch.tensor([[1.0], [10.0], [100.0]], device=device)
    layer = spnn.Conv3d(1, 1, (3, 1, 1), (2, 1, 1)).to(device)
    layer.kernel.data[:, 0, 0] = torch.tensor([2.0, 3.0, 5.0])
    try:
        F.set_kmap_mode("hashmap")
        F.set_downsample_mode("minkowski")
        # Output o at the places divided by 2 meets 2 o - 1, 2 o and 2 o + 1.
        y = layer(torchsparse.SparseTensor(feats, points))
        expect(y.C[:, 1].tolist() == [0, 1, 2] and y.F.flatten().tolist() == [3, 50, 320])
        config = F.conv_config.get_default_conv_config()
        config.downsample_mode = "spconv"
        layer.config = config
        # Outputs whose windows from 2 o to 2 o + 2 lie within 0 .. 4.
        y = layer(torchsparse.SparseTensor(feats, points))
        expect(y.C[:, 1].tolist() == [0, 1] and y.F.flatten().tolist() == [3, 50])
    finally:
        F.set_kmap_mode("hashmap_on_the_fly")
        F.set_downsample_mode("spconv")
    expect_error(sparseconv.ArgumentError, "hashmap_on_the_fly", F.set_kmap_mode, "grid")
    before = F.get_conv_mode()
    F.set_conv_mode(2)
    expect((before, F.get_conv_mode()) == (F.ConvMode.mode0, F.ConvMode.mode2) == (0, 2))
    F.set_conv_mode(before)
    expect_error(sparseconv.ArgumentError, "conv_mode", F.set_conv_mode, 3)
    config = F.get_default_conv_config(F.ConvMode.mode1).copy()
    config.dataflow = F.Dataflow.GatherScatter
    F.set_global_conv_config(config)
    expect(F.get_global_conv_config().dataflow is F.Dataflow.GatherScatter)
    F.clear_global_conv_config()
    expect(F.get_global_conv_config() is None)


@check
def modules(device):
    x, _ = make_tensor(device)
    expect_close(spnn.ReLU(True)(x.replace(x.F.clone())).F, x.F.relu(), 0)
    norm = spnn.BatchNorm(4).to(device)
    expect_close(norm(x).F, torch.nn.functional.batch_norm(x.F, None, None, training=True), 1e-5)
    means = [x.F[x.C[:, 0] == item].mean(0) for item in range(2)]
    expect_close(spnn.GlobalAvgPool()(x), torch.stack(means), 1e-5)
    grouped = spnn.GroupNorm(2, 4).to(device)(x)
    first = grouped.F[x.C[:, 0] == 0].reshape(-1, 2, 2)
    expect_close(first.mean((0, 2)), torch.zeros(2, device=device), 1e-5)
    layer = spnn.GroupNorm(2, 4).to(device)
    torch.nn.init.uniform_(layer.weight)
    torch.nn.init.uniform_(layer.bias)
    rows = x.C[:, 0] == 1
    expected = torch.nn.GroupNorm.forward(layer, x.F[rows].T[None])[0].T
    expect_close(layer(x).F[rows], expected, 1e-5)
    dense = torch.nn.InstanceNorm1d(len(x.F))
    expect_close(spnn.InstanceNorm(4)(x).F, dense(x.F), 1e-5)
    cropped = spnn.SparseCrop((1, 0, 0), (4, 9, 9))(x)
    expect(cropped.C[:, 1].unique().tolist() == [1, 2, 3])
    both = torchsparse.generative_add(x, cropped)
    inside = (both.C[:, 1] >= 1) & (both.C[:, 1] < 4)
    mine = sort_rows(x.C, x.F)[1].to(device)
    expect_close(both.F, torch.where(inside[:, None], 2 * mine, mine), 1e-6)
    expect((x + x).F.equal(2 * x.F))
    expect_error(sparseconv.ArgumentError, "generative_add", torchsparse.cat, [x, cropped])


@check
def memory_of_a_call(device):
    net = torch.nn.Sequential(
        spnn.Conv3d(4, 4, 3), spnn.BatchNorm(4), spnn.Conv3d(4, 4, 2, stride=2),
        spnn.Conv3d(4, 4, 2, stride=2, transposed=True),
    ).to(device)  # fmt: skip

    def run():
        x, _ = make_tensor(device)
        y = net(x)
        y.F.sum().backward()
        expect(len(y.C) == len(y.F))
        net.zero_grad()

    torch_checks.expect_no_cycles(run)


@check
def samples(device):
    points = np.array([[0.4, 0.1, 0.0], [1.2, 0.0, 0.0], [0.3, 0.3, 0.9], [-0.1, 0.0, 0.0]])
    voxels, index, inverse = sparse_quantize(points, 0.5, return_index=True, return_inverse=True)
    expect(voxels.tolist() == [[-1, 0, 0], [0, 0, 0], [0, 0, 1], [2, 0, 0]])
    expect(index.tolist() == [3, 0, 2, 1] and inverse.tolist() == [1, 3, 2, 0])
    sample = torchsparse.SparseTensor(coords=voxels, feats=np.ones((4, 2), np.float32))
    batch = sparse_collate_fn([{"input": sample, "name": n, "y": np.zeros(3)} for n in "ab"])
    expect(batch["name"] == ["a", "b"] and batch["y"].shape == (2, 3))
    x = batch["input"].to(device)
    expect(x.C.shape == (8, 4) and x.C[:, 0].tolist() == [0] * 4 + [1] * 4)
    y = spnn.Conv3d(2, 3, 3).to(device)(x)
    expect(torch.equal(y.F[:4], y.F[4:]), "items of a batch meet")
    expect(x.half().F.dtype == torch.float16)


@check
def hashes(device):
    rows = torch.tensor([[1, 2, 3, 0], [4, -5, 6, 1]], dtype=torch.int32, device=device)
    offsets = torch.tensor([[0, 0, 0], [3, -7, 3]], dtype=torch.int32, device=device)

    def compute(row):
        value = 14695981039346656037
        for number in row:
            value = (value ^ number % 2**32) * 1099511628211 % 2**64
        return value >> 60 ^ value % 2**60

    expect(F.sphash(rows).tolist() == [compute(row) for row in rows.tolist()])
    moved = F.sphash(rows, offsets)
    expect(moved.shape == (2, 2) and moved[1, 0] == compute([4, -5, 6, 0]))
    known = F.sphash(rows)
    expect(F.sphashquery(known.flip(0), known).tolist() == [1, 0])
    expect(F.sphashquery(moved, known).tolist() == [[0, 1], [-1, -1]])


@check
def points_and_voxels(device):
    feats = torch.tensor([[1.0], [3.0], [10.0]], device=device, requires_grad=True)
    voxel_of = torch.tensor([1, 1, 0], dtype=torch.int32, device=device)
    counts = F.spcount(voxel_of, 3)
    expect(counts.tolist() == [1, 2, 0])
    y = F.spvoxelize(feats, voxel_of, counts)
    expect(y.flatten().tolist() == [10, 2, 0])
    y.sum().backward()
    expect(feats.grad.flatten().tolist() == [0.5, 0.5, 1])
    # A point that is in no voxel has no gradient, and counts may be beyond f16.
    feats.grad = None
    F.spvoxelize(feats, voxel_of.new_tensor([1, -1, 0]), counts).sum().backward()
    expect(feats.grad.flatten().tolist() == [0.5, 0, 1])
    many = torch.full((70000, 1), 0.5, dtype=torch.float16, device=device)
    zeros = torch.zeros(70000, dtype=torch.int32, device=device)
    expect(F.spvoxelize(many, zeros, F.spcount(zeros, 1)).tolist() == [[0.5]])
    corners = torch.tensor([[0, -1, 1, -1, 2, -1, -1, -1]], device=device)
    weights = F.calc_ti_weights(torch.tensor([[0.5, 1.0, 4.0]], device=device), corners, scale=2)
    # The shares 0.25 and 0.5 of x and y: 3 / 8, 3 / 8 and 1 / 8 of the corners that are there.
    expect_close(weights[0, [0, 2, 4]].cpu(), torch.tensor([3, 3, 1]) / 7, 1e-6)
    expect_error(sparseconv.ArgumentError, "torchsparse 1.4", calc_ti_weights,
                 torch.zeros((3, 3), device=device), corners.expand(3, 8).T)  # fmt: skip
    found = F.spdevoxelize(feats.detach(), corners, weights)
    expect_close(found.cpu(), torch.tensor([[(3 * 1 + 3 * 3 + 10) / 7]]), 1e-6)


@check
def tables_of_coordinates(device):
    rows = torch.tensor([[1, 2, 3, 0], [1, 2, 4, 0], [2, 4, 6, 1]], device=device).int()
    size = make_numbers((2, 1, 2), dtype=torch.int32, device=device)
    ones = make_numbers((1, 1, 1), torch.int32, device)
    memory = [torch.zeros(6, dtype=dtype, device=device) for dtype in (torch.int64, torch.int32)]
    table = torchsparse.backend.GPUHashTable(*memory)
    table.insert_coords(rows)
    # The offsets (0, 0, 0), (0, 0, 1), (1, 0, 0) and (1, 0, 1) of a kernel of even size.
    found = table.lookup_coords(rows, size, ones, 4)
    expect(found.tolist() == [[1, 2, 0, 0], [2, 0, 0, 0], [3, 0, 0, 0]])
    halves = torch.tensor([[1, 2, 3, 1]], device=device).int()
    expect(table.lookup_coords(halves, (1, 1, 1), (2, 2, 2), 1).tolist() == [[3]])
    offsets = get_kernel_offsets(3, device=device)
    found = table.lookup_coords(rows[:1], (3, 3, 3), (1, 1, 1), 27)[0] - 1
    expect(offsets[found == 1].tolist() == [[0, 0, 1]] and found[13] == 0)
    table = torchsparse.backend.GPUHashTable(6)
    table.insert_vals(F.sphash(rows))
    expect(table.lookup_vals(F.sphash(rows.flip(0))).tolist() == [3, 2, 1])


@check
def what_layers_show(device):
    layer = spnn.Conv3d(4, 8, (3, 2, 1), padding=(0, 4, 0))
    expect(layer.padding == (1, 4, 0) and spnn.Conv3d(4, 8, 3, 2, 1).padding == (1, 1, 1))
    expect(layer.kernel_volume == 6 and layer.dilation == 1 and not layer.generative)
    layer._config = config = F.get_default_conv_config()
    expect(layer.config is config and layer._config is config)


@check
def offsets_of_kernels(device):
    odd = get_kernel_offsets((3, 1, 3), stride=2)
    expect(odd[:4].tolist() == [[-2, 0, -2], [0, 0, -2], [2, 0, -2], [-2, 0, 0]])
    even = get_kernel_offsets(2)
    expect(even[:3].tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]])


@check
def what_is_not_there(device):
    error = sparseconv.ArgumentError
    expect_error(error, "SparseConvTranspose3d", spnn.Conv3d, 4, 4, 2, 2, transposed=True,
                 generative=True)  # fmt: skip
    expect_error(error, "ignores it", spnn.Conv3d, 4, 4, 3, dilation=2)
    torchsparse.tensor.set_allow_negative_coordinates(False)
    expect(not torchsparse.tensor.get_allow_negative_coordinates())
    expect_error(error, "negative", torchsparse.tensor.set_allow_negative_coordinates, True)
    expect_error(AttributeError, "SparseTensor.dense()", lambda: spnn.ToDenseBEVConvolution)


if __name__ == "__main__":
    torch_checks.run()
