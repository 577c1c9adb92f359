# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What networks of convolutions compute of their operands first, as text (`ir`): weights
that another library has in its layout, and the epilogue of their results: a bias, or the
scale and the shift of a norm. It is done in each run. Torch does not tell of all that
changes a parameter, so that nothing that is computed of one can be kept."""

import math
from typing import NamedTuple


def list_numbers(numbers):
    return "[" + ", ".join(map(str, numbers)) + "]"


def refer(names):
    return ", ".join("%" + name for name in names)


class Layout(NamedTuple):
    """How another library has the weights of a layer: as a tensor of a shape, whose axes
    are those of `grid`, put into the order `axes`, or as they are where that is None. Here
    they are [offsets, in channels, out channels]: `weights`, and 1 for the groups."""

    shape: tuple
    grid: tuple
    axes: tuple
    weights: tuple


def _reshape(name, shape, made, target, dtype):
    """`%MADE`, a tensor of another shape, by way of one axis."""

    def join(shape):
        return "[[" + ", ".join(map(str, range(len(shape)))) + "]]"

    flat = f"tensor<{math.prod(shape)}x{dtype}>"
    return (
        f"  %{made}_flat = tensor.collapse_shape %{name} {join(shape)} : "
        f"{_tensor(shape, dtype)} into {flat}\n"
        f"  %{made} = tensor.expand_shape %{made}_flat {join(target)} output_shape "
        f"{list_numbers(target)} : {flat} into {_tensor(target, dtype)}\n"
    )


def _tensor(shape, dtype):
    return f"tensor<{'x'.join(map(str, shape))}x{dtype}>"


def write_layout(layout, dtype):
    """`%kernel`, the weights as they are here, of `%w`, and the type of that."""
    name, shape, body = "w", layout.shape, ""
    if layout.axes is not None:
        if layout.grid != shape:
            body, name = _reshape("w", shape, "grid", layout.grid, dtype), "grid"
        shape = tuple(layout.grid[axis] for axis in layout.axes)
        grid, turned = _tensor(layout.grid, dtype), _tensor(shape, dtype)
        body += (
            f"  %room = tensor.empty() : {turned}\n"
            f"  %turned = linalg.transpose ins(%{name} : {grid}) outs(%room : {turned}) "
            f"permutation = {list_numbers(layout.axes)}\n"
        )
        name = "turned"
    return body + _reshape(name, shape, "kernel", layout.weights[:3], dtype), _tensor(layout.shape, dtype)


#: What a batch norm in eval mode and the bias of the layer before it are made of.
NORM_PARTS = "mean", "variance", "weight", "bias", "layer_bias"


class Bias(NamedTuple):
    """A number that is added to each channel, of an element type."""

    dtype: str

    def write(self, channels):
        """The inputs of the epilogue, what is computed of them first, and the epilogue."""
        inputs = {"bias": f"tensor<{channels}x{self.dtype}>"}
        term, cast = "%term", ""
        if self.dtype != "f32":
            term = "%term_f32"
            cast = f"    {term} = arith.extf %term : {self.dtype} to f32\n"
        return inputs, "", f""" epilogue(%bias : {inputs["bias"]}) {{
  ^body(%sum: f32, %term: {self.dtype}):
{cast}    %moved = arith.addf %sum, {term} : f32
    sparseconv.yield %moved : f32
  }}"""


class Norm(NamedTuple):
    """A batch norm in eval mode: the activation behind it, "relu" or nothing, its epsilon,
    and pairs of names and types of its parts, of which the first two are always there."""

    activation: str
    eps: float
    parts: tuple

    def write(self, channels):
        """As for `Bias`: each channel is scaled and moved."""
        return _write_norm(channels, self)


def _write_norm(channels, norm):
    activation, eps, parts = norm
    inputs = {name: f"tensor<{channels}x{dtype}>" for name, dtype in parts}
    vector, map_of = f"tensor<{channels}xf32>", "affine_map<(c) -> (c)>"
    maps = ", ".join([map_of] * (len(parts) + 2))
    elements = ", ".join(f"%{name}_in: {dtype}" for name, dtype in parts)
    prelude = f"""  %channels = tensor.empty() : {vector}
  %scale, %shift = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
    ins({refer(inputs)} : {", ".join(inputs.values())})
    outs(%channels, %channels : {vector}, {vector}) {{
  ^body({elements}, %old_scale: f32, %old_shift: f32):
"""
    f32 = {}
    for name, dtype in parts:
        f32[name] = f"%{name}_in"
        if dtype != "f32":
            f32[name] = f"%{name}_f32"
            prelude += f"    {f32[name]} = arith.extf %{name}_in : {dtype} to f32\n"
    prelude += f"""    %eps = arith.constant {eps:.17e} : f32
    %spread = arith.addf {f32["variance"]}, %eps : f32
    %root = math.rsqrt %spread : f32
"""
    scale, mean = "%root", f32["mean"]
    if "weight" in f32:
        prelude += f"    %weighted = arith.mulf %root, {f32['weight']} : f32\n"
        scale = "%weighted"
    if "layer_bias" in f32:
        prelude += f"    %moved_mean = arith.subf {mean}, {f32['layer_bias']} : f32\n"
        mean = "%moved_mean"
    start = f32.get("bias", "%none")
    prelude += f"""    %none = arith.constant 0.0 : f32
    %product = arith.mulf {mean}, {scale} : f32
    %term = arith.subf {start}, %product : f32
    linalg.yield {scale}, %term : f32, f32
  }} -> ({vector}, {vector})
"""
    last, rectified = "%moved", ""
    if activation == "relu":
        last = "%rectified"
        rectified = """    %zero = arith.constant 0.0 : f32
    %rectified = arith.maximumf %moved, %zero : f32
"""
    return inputs, prelude, f""" epilogue(%scale, %shift : {vector}, {vector}) {{
  ^body(%sum: f32, %factor: f32, %term: f32):
    %scaled = arith.mulf %sum, %factor : f32
    %moved = arith.addf %scaled, %term : f32
{rectified}    sparseconv.yield {last} : f32
  }}"""
