# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of other libraries, on numbers computed by hand."""

import sparseconv
import sparseconv.torch as sct
import torch
import torch_checks
from torch import nn
from torch_checks import check, expect, expect_close, expect_error


@check
def orders(device):
    # Offset (a, b, c) of a kernel of 2 x 3 x 1 has the number 10 a + b.
    here = torch.tensor([0.0, 1, 2, 10, 11, 12])[:, None, None]
    size = (2, 3, 1)
    first = torch.tensor([0.0, 10, 1, 11, 2, 12])[:, None, None]
    cases = {
        "spconv": here.reshape(1, 2, 3, 1, 1), "flexgemm": here.reshape(1, 2, 3, 1, 1),
        "warpconvnet": here, "minkowski": first, "torchsparse": here,
    }  # fmt: skip
    for library, there in cases.items():
        expect(torch.equal(sct.weights.from_library(library, there, size), here), library)
        expect(torch.equal(sct.weights.to_library(library, here, size), there), library)
    odd = torch.arange(3.0)[:, None] * 10 + torch.arange(3.0)
    turned = odd.T.reshape(9, 1, 1)
    odd = odd.reshape(9, 1, 1)
    expect(torch.equal(sct.weights.from_library("torchsparse", turned, (3, 3)), odd))


@check
def channels(device):
    # [out, k, in]: out channel 1 of offset 2 takes 3 times in channel 0.
    there = torch.zeros(2, 3, 4)
    there[1, 2, 0] = 3
    here = sct.weights.from_library("spconv", there, (3,))
    expect(here.shape == (3, 4, 2) and here[2, 0, 1] == 3 and here.sum() == 3)


@check
def there_and_back(device):
    for library in sct.weights.LIBRARIES:
        for size in ((1, 1, 1), (3, 3, 3), (2, 2, 2), (1, 3, 2), (5,), (2, 3)):
            here = torch.randn(torch.Size(size).numel(), 4, 6)
            there = sct.weights.to_library(library, here, size)
            expect(torch.equal(sct.weights.from_library(library, there, size), here), library)
    expect(sct.weights.to_library("minkowski", torch.randn(1, 4, 6), (1, 1)).shape == (4, 6))
    expect_error(
        sparseconv.ArgumentError, "27x..., but found 8x4x6", sct.weights.from_library,
        "minkowski", torch.randn(8, 4, 6), (3, 3, 3),
    )  # fmt: skip
    expect_error(
        sparseconv.ArgumentError, "one of", sct.weights.to_library, "other",
        torch.randn(8, 4, 6), (2, 2, 2),
    )  # fmt: skip
    expect_error(
        sparseconv.ArgumentError, "such as (3, 3, 3), but found 3", sct.weights.from_library,
        "minkowski", torch.randn(27, 4, 6), 3,
    )  # fmt: skip


@check
def minkowski_by_hand(device):
    # The sums of MinkowskiEngine's two-dimensional example, whose first axis is fastest.
    points = torch.tensor([[0, 0, 0], [0, 1, 1], [0, 2, 1]], dtype=torch.int32, device=device)
    features = torch.tensor([[0.0, 1], [1, 0], [1, 1]], device=device)
    taps = torch.tensor(
        [[[1.0, 2], [2, 1]], [[0, 1], [1, 0]], [[0, 1], [1, 1]], [[1, 1], [1, 0]]],
        device=device,
    )
    layer = sct.SparseConv2d(2, 2, 2, 2, bias=False, output="floor").to(device)
    x = sct.SparseTensor(features, points)
    layer.weight.data = sct.weights.from_library("minkowski", taps, (2, 2))
    y = layer(x)
    expect(y.coordinates.tolist() == [[0, 0, 0], [0, 2, 0]])
    expect_close(y.features, torch.tensor([[3.0, 2], [1, 2]], device=device), 0)
    layer.weight.data = sct.weights.from_library("warpconvnet", taps, (2, 2))
    expect_close(layer(x).features, torch.tensor([[3.0, 2], [1, 1]], device=device), 0)


def make_model(output, anchor):
    """Layers with all that state dicts have: an even kernel, one offset, a norm, a bias."""
    return nn.ModuleDict(
        {
            "stem": sct.SubMConv2d(1, 2, (3, 2), anchor=anchor, bias=True),
            "norm": nn.BatchNorm1d(2),
            "point": sct.SubMConv2d(2, 3, 1, bias=False),
            "down": sct.SparseConv2d(3, 1, 2, 2, bias=False, output=output, indice_key="d"),
            "up": sct.SparseInverseConv2d(1, 1, 2, "d", bias=False),
            "head": nn.Linear(1, 1),
        }
    )


# The stem's weights in the order of each library: the number of offset (a, b) of a kernel of
# 3 x 2 is 10 a + b, and half more for the second output.
STEM = torch.tensor([0.0, 1, 10, 11, 20, 21])
FIRST_AXIS_FASTEST = torch.tensor([0.0, 10, 20, 1, 11, 21])
POINT = torch.tensor([[1.0, 2, 3], [4, 5, 6]])  # [in, out]


def give_state(library):
    """What the library would save for `make_model`, written by hand."""
    stem = FIRST_AXIS_FASTEST if library == "minkowski" else STEM
    stem = torch.stack([stem, stem + 0.5], 1)[:, None]
    down = torch.arange(12.0).reshape(4, 3, 1)  # the offsets (0, 0), (0, 1), (1, 0), (1, 1)
    up = torch.tensor([1.0, 2, 3, 4]).reshape(4, 1, 1)
    if library == "minkowski":
        down, up = down[[0, 2, 1, 3]], up[[0, 2, 1, 3]]
    point = POINT if library in ("minkowski", "torchsparse") else POINT[None]
    if library in ("spconv", "flexgemm"):
        stem = stem[:, 0].T.reshape(2, 3, 2, 1)
        down, up = down[:, :, 0].reshape(1, 2, 2, 3), up.reshape(1, 2, 2, 1)
        # spconv has the six numbers in memory as [in, out], though the shape says else.
        point = (POINT if library == "spconv" else POINT.T).reshape(3, 1, 1, 2)
    weight = "kernel" if library in ("minkowski", "torchsparse") else "weight"
    norm = {"minkowski": "norm.bn", "warpconvnet": "norm.norm"}.get(library, "norm")
    head = "head.linear" if library == "minkowski" else "head"
    bias = torch.tensor([7.0, 8])
    return {
        f"stem.{weight}": stem, "stem.bias": bias[None] if library == "minkowski" else bias,
        f"{norm}.weight": torch.tensor([1.0, 2]), f"{norm}.bias": torch.tensor([3.0, 4]),
        f"{norm}.running_mean": torch.tensor([5.0, 6]),
        f"{norm}.running_var": torch.tensor([7.0, 8]),
        f"{norm}.num_batches_tracked": torch.tensor(9), f"point.{weight}": point,
        f"down.{weight}": down, f"up.{weight}": up,
        f"{head}.weight": torch.tensor([[2.0]]), f"{head}.bias": torch.tensor([1.0]),
    }  # fmt: skip


@check
def state_dicts(device):
    for library in sct.weights.LIBRARIES:
        floors = library in ("minkowski", "warpconvnet")
        output = "floor" if floors else "cover"
        anchor = "corner" if library == "torchsparse" else "centred" if floors else "middle"
        model = make_model(output, anchor)
        state = give_state(library)
        model.load_state_dict(sct.weights.from_state_dict(library, state, model), strict=True)
        stem = torch.stack([STEM, STEM + 0.5], 1)[:, None]
        expect(torch.equal(model["stem"].weight, stem), library)
        expect(torch.equal(model["point"].weight, POINT[None]), library)
        expect(model["down"].weight.flatten().tolist() == list(range(12)), library)
        expect(model["up"].weight.flatten().tolist() == [1, 2, 3, 4], library)
        expect(model["norm"].running_var.tolist() == [7, 8], library)
        expect(model["norm"].num_batches_tracked == 9 and model["head"].bias == 1, library)
        back = sct.weights.to_state_dict(library, model)
        expect(sorted(back) == sorted(state), f"{library}: {sorted(back)}")
        expect(all(torch.equal(back[name], state[name]) for name in state), library)


@check
def state_dicts_that_do_not_fit(device):
    error, read = sparseconv.ArgumentError, sct.weights.from_state_dict
    model = make_model("cover", "middle")
    state = give_state("spconv")
    expect_error(error, "stem.weight: the kernel of torchsparse with the size (3, 2) begins "
                 "elsewhere; make the layer with anchor='corner'", read, "torchsparse",
                 give_state("torchsparse"), model)  # fmt: skip
    expect_error(error, "output='floor'", read, "minkowski", give_state("minkowski"),
                 make_model("cover", "centred"))  # fmt: skip
    wrong = sct.SparseConv2d(1, 1, 3, 2, output="floor")
    expect_error(error, "padding=(1, 1)", read, "minkowski", {}, wrong)
    # Kernels of these libraries are centred also where outputs are made.
    for library in ("minkowski", "warpconvnet"):
        for wrong in (sct.SparseConvTranspose2d(1, 1, 3, 2), sct.SparseConv2d(1, 1, 3, 1, 2)):
            expect_error(error, "make the layer with padding=(1, 1)", sct.weights.to_state_dict,
                         library, wrong)  # fmt: skip
        sct.weights.to_state_dict(library, sct.SparseConvTranspose2d(1, 1, 3, 2, 1))
    expect_error(error, "one of", read, "other", state, model)
    more = {**state, "left.weight": torch.zeros(1)}
    expect_error(error, "has, but the model has not, left.weight", read, "spconv", more, model)
    expect("left.weight" not in read("spconv", more, model, strict=False))
    del state["up.weight"]
    expect_error(error, "has no up.weight", read, "spconv", state, model)
    expect_error(error, "2x3x2", read, "spconv", {**state, "stem.weight": torch.zeros(2, 3, 1, 1)},
                 model)  # fmt: skip
    state["norm.weight"] = torch.zeros(3)
    expect_error(error, "norm.weight: expects the shape (2,), but found (3,)", read, "spconv",
                 state, model)  # fmt: skip


@check
def what_torch_puts_over_a_weight(device):
    model = sct.SparseSequential(sct.SubMConv2d(2, 3, 3, bias=False))
    torch.nn.utils.parametrizations.weight_norm(model[0])
    for library in sct.weights.LIBRARIES:
        for function in (
            lambda: sct.weights.to_state_dict(library, model),  # noqa: B023
            lambda: sct.weights.from_state_dict(library, {}, model),  # noqa: B023
        ):
            expect_error(sparseconv.ArgumentError, "0.weight: expects a layer with a weight and a "
                         "bias, but found parametrizations", function)  # fmt: skip


class Counted(torch.nn.Linear):
    def get_extra_state(self):
        return {"count": 3}

    def set_extra_state(self, state):
        pass


@check
def what_is_no_tensor(device):
    """A module's own state is none of another library's."""
    model = torch.nn.Sequential(sct.SubMConv2d(1, 1, 3), Counted(1, 1))
    state = sct.weights.to_state_dict("spconv", model)
    expect(sorted(state) == ["0.bias", "0.weight", "1.bias", "1.weight"], str(sorted(state)))
    back = sct.weights.from_state_dict("spconv", state, model)
    expect(torch.equal(back["0.weight"], model[0].weight))


if __name__ == "__main__":
    torch_checks.run()
