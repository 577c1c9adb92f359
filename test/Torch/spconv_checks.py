# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users of spconv rely on: the order of rows, state dicts, tensors that are changed
and made anew, and errors for what is not there."""

import copy
import io
from collections import OrderedDict

import reference_spconv as reference
import sparseconv
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import torch
import torch_checks
from models import expect_same_rows, make_points
from sparseconv.torch.spconv.utils import (
    Point2VoxelCPU2d,
    PointToVoxel,
    gather_features_by_pc_voxel_id,
)
from torch import nn
from torch_checks import check, expect, expect_close, expect_error


def make_tensor(device, dim=3, size=8, channels=4, seed=0):
    points = make_points([size] * dim, 60, seed=seed)
    features = torch.randn(len(points), channels)
    x = spconv.SparseConvTensor(features.to(device), points.to(device), [size] * dim, 2)
    return x, reference.SparseConvTensor(features, points, [size] * dim, 2)


@check
def every_layer(device):
    for dim in (1, 2, 3):
        for stem, options in (
            ("SubMConv", {"kernel_size": 3}),
            ("SubMConv", {"kernel_size": 3, "dilation": 2, "bias": False}),
            ("SubMConv", {"kernel_size": 1}),
            ("SparseConv", {"kernel_size": 3, "stride": 2, "padding": 1}),
            ("SparseConv", {"kernel_size": 2, "stride": 2}),
            ("SparseConv", {"kernel_size": 1, "stride": 2}),
            ("SparseConv", {"kernel_size": 1, "algo": spconv.ConvAlgo.Native}),
            ("SparseConv", {"kernel_size": 3, "padding": 1}),
        ):
            x, there = make_tensor(device, dim)
            name = f"{stem}{dim}d"
            mine = getattr(spconv, name)(4, 6, **options).to(device)
            other = getattr(reference, name)(4, 6, **options)
            other.load_state_dict(mine.state_dict(), strict=True)
            expect_same_rows(mine(x), other(there), f"{name} {options}", 1e-5)


@check
def one_offset_is_read_as_it_lies(device):
    # out channel o of spconv's [out, 1, 1, 1, in] does not take weight[o] but, for each
    # input channel i, the number i * out + o of the memory.
    layer = spconv.SubMConv3d(2, 3, 1, bias=False).to(device)
    layer.weight.data.copy_(torch.arange(6.0).reshape(3, 1, 1, 1, 2))
    points = torch.zeros((1, 4), dtype=torch.int32, device=device)
    x = spconv.SparseConvTensor(torch.tensor([[1.0, 10.0]], device=device), points, [1] * 3, 1)
    expect(layer(x).features.tolist() == [[30.0, 41.0, 52.0]])


@check
def rows_keep_their_order(device):
    x, _ = make_tensor(device)
    y = spconv.SubMConv3d(4, 4, 3, indice_key="a").to(device)(x)
    expect(y.indices is x.indices, "a submanifold layer changes the indices")
    down = spconv.SparseConv3d(4, 5, 3, 2, 1, indice_key="down").to(device)(y)
    z = spconv.SparseInverseConv3d(5, 4, 3, "down").to(device)(down)
    expect(z.indices is x.indices, "an inverse layer changes the indices")
    joined = spconv.JoinTable()([y, z])
    expect(torch.equal(joined.features, torch.cat([y.features, z.features], 1)))
    ascending = torch.unique(down.indices, dim=0)
    expect(torch.equal(down.indices, ascending), "a strided layer's rows do not ascend")
    # The row of one point is the same whatever the order of the others.
    turned = torch.arange(len(x.indices) - 1, -1, -1, device=device)
    again = x.select_by_index(turned)
    net = spconv.SubMConv3d(4, 4, 3).to(device)
    expect(torch.equal(net(again).features, net(x).features[turned]))
    expect(torch.equal(again.dense(), x.dense()))


@check
def transposed(device):
    for size, stride, padding in ((2, 2, 0), (3, 2, 1), (3, 1, 1)):
        x, there = make_tensor(device, 2)
        layer = spconv.SparseConvTranspose2d(4, 6, size, stride, padding, bias=False).to(device)
        y = layer(x)
        weight = layer.weight.detach().cpu().double().permute(3, 0, 1, 2)
        expected = nn.functional.conv_transpose2d(
            there.dense(), weight, stride=stride, padding=padding
        )
        expect(y.spatial_shape == list(expected.shape[2:]), f"{y.spatial_shape}")
        expect_close(y.dense().cpu(), expected)


@check
def pooling(device):
    x, there = make_tensor(device, 2)
    lowest = torch.where(x.replace_feature(torch.ones_like(x.features)).dense() > 0,
                         x.dense(), -1e30)  # fmt: skip
    y = spconv.SparseMaxPool2d(2, 2, indice_key="pool")(x)
    expected = nn.functional.max_pool2d(lowest, 2)
    expect_close(y.dense(), torch.where(expected > -1e29, expected, 0))
    mean = spconv.SparseAvgPool2d(2)(x)
    count = nn.functional.avg_pool2d(there.replace_feature(torch.ones(len(there.features), 1))
                                     .dense(), 2)  # fmt: skip
    expected = nn.functional.avg_pool2d(there.dense(), 2) / count.clamp(min=0.25)
    expect_close(mean.dense().cpu(), expected)
    back = spconv.SparseInverseConv2d(4, 3, 2, "pool").to(device)(y)
    expect(back.indices is x.indices)
    expect(spconv.SparseGlobalMaxPool()(x).shape == (2, 4))


@check
def containers(device):
    x, _ = make_tensor(device)
    net = spconv.SparseSequential(
        OrderedDict(conv=spconv.SubMConv3d(4, 4, 3), norm=nn.BatchNorm1d(4))
    ).to(device)
    expect(list(net._modules) == ["conv", "norm"] and len(net) == 2)
    expect(isinstance(net[-1], nn.BatchNorm1d))
    named = spconv.SparseSequential(a=nn.ReLU(), b=spconv.ToDense())
    named.add(nn.Flatten(), "flat")
    expect(named(x).shape == (2, 4 * 512))
    table = spconv.ConcatTable().add(spconv.Identity()).add(spconv.SparseReLU())
    both = spconv.AddTable()(table(x))
    expect_close(both.features, x.features + x.features.relu())
    expect(all(isinstance(m, spconv.SparseModule) for m in (net, net[0], table)))
    expect(isinstance(net[0], spconv.conv.SparseConvolution) and isinstance(net[0], sct.SubMConv3d))
    none = x.select_by_index(torch.zeros(0, dtype=torch.long, device=device))
    expect(net.train()(none).features.shape == (0, 4), "a norm of no rows")
    mixed = spconv.SparseSequential(
        sct.SubMConv3d(4, 8, 3, groups=4), nn.ReLU(), sct.SparseMaxPool3d(2),
        sct.SparseSequential(sct.SubMConv3d(8, 4, 3)), sct.SparseGlobalMaxPool(),
    ).to(device)  # fmt: skip
    expect(mixed(x).shape == (2, 4), "layers of sparseconv.torch among those of spconv")


@check
def memory_of_a_call(device):
    net = spconv.SparseSequential(
        spconv.SubMConv3d(4, 4, 3, indice_key="fine"), nn.BatchNorm1d(4),
        spconv.SparseConv3d(4, 4, 2, 2, indice_key="down"), spconv.SubMConv3d(4, 4, 3),
        spconv.SparseInverseConv3d(4, 4, 2, "down"),
    ).to(device)  # fmt: skip

    def run():
        x, _ = make_tensor(device)
        y = net(x)
        y.features.sum().backward()
        expect(len(y.indices) == len(y.features) and y.spatial_shape == x.spatial_shape)
        net.zero_grad()

    torch_checks.expect_no_cycles(run)


@check
def tensors_made_anew(device):
    x, _ = make_tensor(device)
    y = spconv.SparseConv3d(4, 4, 2, 2, indice_key="down").to(device)(x)
    # With the dictionary of another tensor, its maps are known ...
    remade = spconv.SparseConvTensor(
        y.features, y.indices, y.spatial_shape, y.batch_size, indice_dict=y.indice_dict
    )
    up = spconv.SparseInverseConv3d(4, 4, 2, "down").to(device)
    expect_close(up(remade).features, up(y).features, 0)
    # ... also for equal indices, and only for these.
    equal = spconv.SparseConvTensor(
        y.features, y.indices.clone(), y.spatial_shape, 2, indice_dict=y.indice_dict
    )
    expect_close(up(equal).features, up(y).features, 0)
    other = spconv.SparseConvTensor(y.features, y.indices, y.spatial_shape, 2)
    expect_error(sparseconv.ArgumentError, "'down'", up, other)
    found = y.find_indice_pair("down")
    expect(found.indices is x.indices and found.out_indices is y.indices)
    expect(found.ksize == [2, 2, 2] and found.out_spatial_shape == [4, 4, 4])
    expect(found.pair_fwd.shape == (8, len(y.indices)) and not found.is_subm)
    offsets, outputs = (found.pair_fwd >= 0).nonzero().T
    back = torch.full((8, len(x.indices)), -1, dtype=torch.int32, device=device)
    back[offsets, found.pair_fwd[offsets, outputs].long()] = outputs.int()
    expect(torch.equal(found.pair_bwd, back))
    expect(y.find_indice_pair("none") is None and "down" in y.indice_dict)
    dense = spconv.SparseConvTensor.from_dense(x.dense(channels_first=False))
    expect_close(dense.dense(), x.dense(), 0)


class Unread(torch.Tensor):
    """A tensor that says so where its number is read."""

    def __int__(self):
        raise AssertionError("a cell of the shape was read")

    __index__ = __int__


@check
def shapes_in_tensors(device):
    # As `coords.max(0)[0] + 1` gives them: on the device, where they stay.
    x, _ = make_tensor(device)
    last = x.indices.max(0)[0] + 1
    unread = [cells.as_subclass(Unread) for cells in last]
    y = spconv.SparseConvTensor(x.features, x.indices, unread[1:], unread[0])
    layers = [
        spconv.SubMConv3d(4, 4, 3, indice_key="a"), nn.BatchNorm1d(4), spconv.SubMConv3d(4, 6, 1)
    ]  # fmt: skip
    net = spconv.SparseSequential(*layers).to(device).eval()
    found = net(y)
    expect(all(map(torch.Tensor.equal, found.spatial_shape, last[1:])))
    again = spconv.SparseConvTensor(
        found.features, found.indices, found.spatial_shape, found.batch_size,
        indice_dict=found.indice_dict,
    )  # fmt: skip
    again = net[0](again.replace_feature(x.features))
    expect_close(again.features, net[0](x).features, 1e-6)
    # A strided layer needs the numbers, which are then those of its result.
    down = spconv.SparseConv3d(6, 4, 3, 2, 1).to(device)
    expect_error(AssertionError, "was read", down, found)
    y = spconv.SparseConvTensor(x.features, x.indices, list(last[1:]), last[0])
    shape = list(map(int, last))
    other = spconv.SparseConvTensor(x.features, x.indices, shape[1:], shape[0])
    found, expected = down(net(y)), down(net(other))
    expect(found.spatial_shape == expected.spatial_shape == [-(-n // 2) for n in shape[1:]])
    expect(torch.equal(found.indices, expected.indices))
    expect_close(found.dense(), expected.dense(), 1e-6)
    expect(y.dense().shape == (shape[0], 4, *shape[1:]))
    count = last[1].clone()
    changed = spconv.SparseConvTensor(x.features, x.indices, [count, *last[2:]], 2)
    count += 1
    expect_error(sparseconv.ArgumentError, "changed in place", lambda: down(net(changed)))
    stored = io.BytesIO()
    torch.save(y, stored)
    stored.seek(0)
    expect_close(torch.load(stored, weights_only=False).dense(), x.dense()[
        :, :, : shape[1], : shape[2], : shape[3]], 0)  # fmt: skip
    error = sparseconv.ArgumentError
    expect_error(error, "3 axes", spconv.SparseConvTensor, x.features, x.indices, list(last), 2)


@check
def one_offset_leaves_nothing_under_its_key(device):
    for layer in (spconv.SubMConv3d(4, 4, 1, indice_key="one"),
                  spconv.SparseConv3d(4, 4, 1, indice_key="one")):  # fmt: skip
        x, _ = make_tensor(device)
        y = layer.to(device)(x)
        expect(y.find_indice_pair("one") is None and y.indices is x.indices)
        other = spconv.SubMConv3d(4, 4, 3, indice_key="one").to(device)(y)
        expect(other.find_indice_pair("one").ksize == [3, 3, 3])
        up = spconv.SparseInverseConv3d(4, 4, 3, "one").to(device)
        expect_error(sparseconv.ArgumentError, "'one'", up, layer(make_tensor(device)[0]))


@check
def changed_indices(device):
    x, _ = make_tensor(device)
    layer = spconv.SubMConv3d(4, 4, 3).to(device)
    expected = layer(x)
    # Features of more rows, then their indices.
    y = x.replace_feature(torch.cat([x.features, x.features]))
    for each in (layer, spconv.SubMConv3d(4, 4, 1).to(device)):
        expect_error(sparseconv.ArgumentError, "rows, as the coordinates", each, y)
    moved = x.indices.clone()
    moved[:, 0] += 2
    y.indices = torch.cat([x.indices, moved])
    expect_close(layer(y).features[: len(moved)], expected.features, 1e-6)
    y = spconv.SparseConv3d(4, 4, 2, 2).to(device)(x)
    y.indices[:, 1:] *= 2
    expect_error(sparseconv.ArgumentError, "changed in place", layer, y)
    y.indices = y.indices
    y.spatial_shape = [8, 8, 8]
    expect(layer(y).dense().shape == (2, 4, 8, 8, 8))
    # The same shape once more keeps the maps.
    x, _ = make_tensor(device)
    y = spconv.SparseConv3d(4, 4, 2, 2, indice_key="down").to(device)(x)
    y.spatial_shape = y.spatial_shape
    back = spconv.SparseInverseConv3d(4, 4, 2, "down").to(device)
    expect(back(y).indices is x.indices)
    y.spatial_shape = [4, 4, 5]
    expect_error(sparseconv.ArgumentError, "'down'", back, y)


@check
def additions(device):
    a, _ = make_tensor(device, seed=1)
    b, _ = make_tensor(device, seed=2)
    expect_close((a + a.features).features, (a + a).features, 0)
    expect_error(sparseconv.ArgumentError, "functional.sparse_add", spconv.AddTable(), [a, b])
    total = spconv.functional.sparse_add(a, b)
    expect_close(total.dense(), a.dense() + b.dense(), 1e-6)
    alike = spconv.SparseConvTensor(a.features, a.indices.clone(), a.spatial_shape, 2)
    expect_close((a + alike).features, 2 * a.features, 0)
    expect_close(sum([a, alike, a]).features, 3 * a.features, 1e-6)


@check
def recorded_counts(device):
    x, _ = make_tensor(device)
    layer = spconv.SparseConv3d(4, 4, 2, 2, record_voxel_count=True).to(device)
    y = layer(x)
    expect(layer.get_max_num_voxels().tolist() == [len(y.features)])
    expect("max_num_voxels_during_training" in layer.state_dict())
    pool = spconv.SparseMaxPool3d(2, record_voxel_count=True).to(device)
    expect(list(pool.state_dict()) == ["max_num_voxels_during_training"])
    # What was saved without a count, and what has no memory of its calls.
    pool.load_state_dict({})
    sparseconv.compile(pool.eval(), x)(x)
    expect(pool.get_max_num_voxels().tolist() == [0])
    expect(pool(x).features.shape[0] == pool.get_max_num_voxels() == len(y.features))
    expect(spconv.SparseMaxPool3d(2).get_max_num_voxels() is None)
    pool = spconv.SparseAvgPool2d((3, 2), padding=(1, 0))
    expect([pool.kernel_size, pool.stride, pool.padding, pool.dilation]
           == [[3, 2], [3, 2], [1, 0], [1, 1]])  # fmt: skip
    expect(pool.ndim == 2 and not pool.subm)


@check
def classes_for_any_number_of_axes(device):
    x, _ = make_tensor(device)
    make = spconv.SparseConvolution
    for layer, kind in (
        (make(3, 4, 8, 3, subm=True, indice_key="a"), spconv.SubMConv3d),
        (make(3, 4, 8, 2, 2, indice_key="b", record_voxel_count=True), spconv.SparseConv3d),
        (make(3, 4, 8, 2, 2, transposed=True, output_padding=1), spconv.SparseConvTranspose3d),
    ):
        expect(type(layer) is kind, f"{type(layer)}")
        twin = kind(4, 8, layer.kernel_size, layer.stride)
        twin.load_state_dict(layer.state_dict(), strict=False)
        y, other = (each.to(device)(x) for each in (layer, twin))
        expect_close(y.features, other.features, 0)
        expect(layer.weight_shape == list(layer.weight.shape))
        more = 1 if layer.transposed else 0
        expect(y.spatial_shape == [n + more for n in other.spatial_shape])
        expect(layer.is_inverseable() == (layer.indice_key == "b"))
    down = make(3, 4, 4, 2, 2, indice_key="b").to(device)(x)
    up = make(3, 4, 4, 2, inverse=True, indice_key="b", dtype=torch.float32, device=device)
    expect(up(down).indices is x.indices)
    for base in (spconv.pool.SparseMaxPool, spconv.pool.SparseAvgPool):
        twin = getattr(spconv, f"{base.__name__}3d")
        expect_close(base(3, 2, 2)(x).features, twin(2)(x).features, 0)
        expect(base(2).stride == [1, 1] and isinstance(base(2), spconv.modules.SparseModule))
    error = sparseconv.ArgumentError
    expect_error(error, "no SubMConv5d", make, 5, 4, 4, subm=True)
    expect_error(error, "subm=True", spconv.pool.SparseMaxPool, 3, subm=True)
    derived = type("Derived", (make,), {})
    expect_error(error, "Derived: expects SubMConv2d as its base", derived, 2, 4, 4, subm=True)


@check
def dictionaries_of_maps(device):
    """What models do with an indice_dict, which is one of Python in spconv."""
    x, _ = make_tensor(device)
    down = spconv.SparseConv3d(4, 4, 3, 2, 1, indice_key="down").to(device)
    up = spconv.SparseInverseConv3d(4, 4, 3, "down").to(device)
    y = down(x)
    expected = up(y).features
    found = y.indice_dict["down"]
    expect([found.stride, found.padding, found.dilation] == [[2] * 3, [1] * 3, [1] * 3])
    inputs, outputs = found.indice_pairs
    expect(found.indice_pairs.shape == (2, 27, len(x.indices)) and found.algo is None)
    for offset, count in enumerate(found.indice_pair_num.tolist()):
        rows, places = inputs[offset], outputs[offset]
        expect((rows[count:] == -1).all() and (places[count:] == -1).all())
        expect(torch.equal(found.pair_fwd[offset, places[:count].long()], rows[:count]))
    # An entry under another key, and one that is taken out.
    y.indice_dict["other"] = found
    y.indice_dict.update(third=found)
    for key in ("other", "third"):
        again = spconv.SparseInverseConv3d(4, 4, 3, key).to(device)
        again.load_state_dict(up.state_dict())
        expect_close(again(y).features, expected, 0)
    del y.indice_dict["other"]
    expect(y.indice_dict.pop("third").ksize == [3] * 3 and list(y.indice_dict) == ["down"])
    copied = y.indice_dict.copy()
    y.indice_dict.clear()
    error = sparseconv.ArgumentError
    expect_error(error, "'down'", up, y)
    expect_close(up(down(x)).features, expected, 0)
    # A dictionary in its place is that of this tensor alone.
    y = down(x)
    z = y.replace_feature(y.features)
    z.indice_dict = {}
    expect(not z.indice_dict and "down" in y.indice_dict)
    expect_error(error, "'down'", up, z)
    z.indice_dict = copied
    expect_close(up(z).features, expected, 0)
    remade = spconv.SparseConvTensor(y.features, y.indices, y.spatial_shape, 2, indice_dict=copied)
    expect_close(up(remade).features, expected, 0)
    apart = down(make_tensor(device)[0]).indice_dict["down"]
    for wrong in (5, {"down": 5}, {"a": found, "b": apart}):
        expect_error(error, "indice_dict", setattr, z, "indice_dict", wrong)
    # A new tensor takes entries where its indices are those of a layer's tensor.
    other = spconv.SparseConvTensor(y.features, y.indices.clone(), y.spatial_shape, 2)
    entries = other.indice_dict
    entries["down"] = y.indice_dict["down"]
    entries.update(more=y.indice_dict["down"])
    expect(list(other.indice_dict) == ["down", "more"] and list(y.indice_dict) == ["down"])
    expect_close(up(other).features, expected, 0)
    other = spconv.SparseConvTensor(y.features, y.indices + 1, y.spatial_shape, 2)
    expect_error(error, "another input's", other.indice_dict.update, y.indice_dict)


@check
def weights_that_change(device):
    x, _ = make_tensor(device)
    layer = spconv.SubMConv3d(4, 4, 3, bias=False).to(device)
    with torch.no_grad():
        before = layer(x).features
        layer.weight.mul_(2)
        expect_close(layer(x).features, 2 * before, 0)
        layer.load_state_dict({"weight": layer.weight / 4})
        expect_close(layer(x).features, before / 2, 0)
        layer.half()
        expect(layer(x.replace_feature(x.features.half())).features.dtype == torch.float16)
        twin = copy.deepcopy(layer)
        twin.weight.zero_()
        y = twin(x.replace_feature(x.features.half()))
        expect(not y.features.any(), "a copy has the weights of the other layer")
    with torch.inference_mode():
        expect_close(layer.float()(x).features, before / 2, 1e-3)


@check
def voxels_of_points(device):
    points = torch.tensor(
        [[0.5, 0.5, 1.0], [3.5, 1.5, 2.0], [0.6, 0.4, 3.0], [9.0, 0.0, 4.0], [0.1, 0.2, 5.0],
         [2.0, 2.0, 6.0]], device=device,
    )  # fmt: skip
    generate = PointToVoxel([1, 1], [0, 0, 4, 4], 3, 2, 2, device)
    voxels, indices, counts, voxel_of = generate.generate_voxel_with_id(points)
    expect(indices.tolist() == [[0, 0], [1, 3]] and counts.tolist() == [2, 1])
    expect(voxels[:, :, 2].tolist() == [[1, 3], [2, 0]] and generate.grid_size == [4, 4])
    expect(voxel_of.tolist() == [0, 1, 0, -1, 0, -1])
    expect(generate(points, empty_mean=True)[0][1, 1].tolist() == [3.5, 1.5, 2.0])
    values = gather_features_by_pc_voxel_id(torch.tensor([[7.0], [8.0]], device=device), voxel_of)
    expect(values.flatten().tolist() == [7, 8, 7, 0, 7, 0])
    expect(generate(points[:0])[0].shape == (0, 2, 3))
    on_host = Point2VoxelCPU2d([1, 1], [0, 0, 4, 4], 3, 2, 2)
    for given in (points.cpu(), points.cpu().numpy()):
        results = zip(on_host.point_to_voxel(given), (voxels, indices, counts))
        expect(all((mine.numpy() == other.cpu().numpy()).all() for mine, other in results))
    mean, *_ = on_host.point_to_voxel_empty_mean(points.cpu())
    expect(mean[1, 1].tolist() == [3.5, 1.5, 2.0] and on_host.grid_size == [4, 4])
    expect_error(sparseconv.ArgumentError, "2 numbers", Point2VoxelCPU2d, [1] * 3, [0] * 6, 3, 2, 2)
    # Places are found in the type of the points, and voxels are in f32.
    doubles, *_ = on_host.point_to_voxel(points.cpu().double())
    expect(doubles.dtype == torch.float32 and torch.equal(doubles, voxels.cpu()))
    generate = PointToVoxel([1, 2], [0, 2, 4, 8], 3, 20, 5)
    expect(generate.ndim == 2 and generate.device == torch.device("cpu"))
    expect(generate.vsize == [2, 1] and generate.coors_range == [2, 0, 8, 4])
    expect(generate.grid_size == [3, 4] and generate.num_point_features == 3)
    expect(generate.max_num_voxels == 20 and generate.max_num_points_per_voxel == 5)


@check
def what_models_ask_for(device):
    """Functions and attributes beside layers, as spconv's users call them."""
    x, _ = make_tensor(device)
    grid = spconv.core.scatter_nd(
        x.indices.long(), x.features, [x.batch_size, *x.spatial_shape, x.features.shape[1]]
    )
    expect(torch.equal(grid, x.dense(channels_first=False)))
    expect(spconv.core.expand_nd(3, 2) == [2, 2, 2] == spconv.core.expand_nd(3, (2, 2, 2)))
    expect_error(sparseconv.ArgumentError, "one integer or 3", spconv.core.expand_nd, 3, [1, 2])
    x.batch_size = x.batch_size + 2
    expect(x.dense().shape[0] == grid.shape[0] + 2 == x.batch_size)
    layers = spconv.SubMConv3d(4, 4, 3), spconv.SparseMaxPool3d(2), spconv.SparseReLU(), nn.ReLU()
    asked = spconv.modules.is_spconv_module, spconv.modules.is_sparse_conv
    expect([[f(layer) for f in asked] for layer in layers]
           == [[True, True], [True, False], [True, False], [False, False]])  # fmt: skip
    for name in ("Max", "Avg"):
        base = getattr(spconv.pool, f"Sparse{name}Pool")
        expect(isinstance(getattr(spconv, f"Sparse{name}Pool2d")(2), base))
        whole = getattr(spconv, f"SparseGlobal{name}Pool")()
        expect(isinstance(whole, spconv.SparseGlobalMaxOrAvgPool))
        either = spconv.SparseGlobalMaxOrAvgPool(is_mean=name == "Avg")
        expect(torch.equal(either(x), whole(x)))
    layer = spconv.SubMConv2d(4, 4, 3, algo=spconv.ConvAlgo.Native, fp32_accum=True)
    expect(layer.algo is spconv.ConvAlgo.Native and layer.fp32_accum)
    expect(layer.output_padding == [0, 0] and layers[0].algo is None)


@check
def shapes_of_grids(device):
    ops = spconv.ops
    expect(ops.ConvAlgo is spconv.ConvAlgo)
    x, _ = make_tensor(device, 2)
    for size, stride, padding, dilation in ((3, 2, 1, 1), (2, 2, 0, 1), (3, 1, 0, 2)):
        window = [[n, n] for n in (size, stride, padding, dilation)]
        y = spconv.SparseConv2d(4, 4, *window).to(device)(x)
        expect(ops.get_conv_output_size(x.spatial_shape, *window) == y.spatial_shape)
        y = spconv.SparseConvTranspose2d(4, 4, *window).to(device)(x)
        expect(ops.get_deconv_output_size(x.spatial_shape, *window, [0, 0]) == y.spatial_shape)
    expect(ops.get_deconv_output_size([4], [3], [2], [1], [1], [1]) == [8])
    same = spconv.identity.Identity()
    expect(same(x) is x and same.input_spatial_size([1]) == [1] and spconv.Identity is type(same))


class Traced(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = spconv.SubMConv3d(4, 8, 3), nn.BatchNorm1d(8)

    def forward(self, features, indices, batch_size):
        x = self.conv(spconv.SparseConvTensor(features, indices, [8, 8, 8], batch_size))
        return x.replace_feature(self.norm(x.features)).dense()


class SparseTracer(torch.fx.Tracer):
    def is_leaf_module(self, module, name):
        return isinstance(module, spconv.SparseModule) or super().is_leaf_module(module, name)


@check
def traced_by_fx(device):
    x, _ = make_tensor(device)
    model = Traced().to(device).eval()
    graph = SparseTracer().trace(model)
    expect([node.target for node in graph.nodes if node.op == "call_module"] == ["conv", "norm"])
    again = torch.fx.GraphModule(model, graph)
    expect(torch.equal(again(x.features, x.indices, 2), model(x.features, x.indices, 2)))


@check
def what_is_not_there(device):
    error = sparseconv.ArgumentError
    points = torch.zeros((1, 4), dtype=torch.int32)
    features = torch.zeros(1, 4)
    expect_error(error, "int32", spconv.SparseConvTensor, features, points.long(), [1] * 3, 1)
    expect_error(error, "3 axes", spconv.SparseConvTensor, features, points, [1, 1], 1)
    twice = spconv.SparseConvTensor(torch.zeros(2, 4), torch.zeros(2, 4).int(), [1] * 3, 1)
    expect_error(error, "2 points have 1", spconv.SubMConv3d(4, 4, 3), twice)
    expect_error(error, "groups", spconv.SubMConv3d, 4, 4, 3, groups=2)
    expect_error(error, "SubMConv", spconv.SparseInverseConv3d, 4, 4, 1, "a")
    expect_error(error, "padding", spconv.SparseConv3d, 4, 4, 1, padding=1)


if __name__ == "__main__":
    torch_checks.run()
