# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on features as operators of torch, `torch.ops.sparseconv.*`: with
shapes for tracing and with gradients, which are operators, too.

A kernel map is its neighbour table, [rows of the out set, offsets] in int32, where
-1 says that there is no neighbour. Weights are [offsets, in channels, out channels],
or [offsets, groups, in channels / groups, out channels / groups]."""

import torch
from torch import Tensor

from ..errors import ArgumentError, count
from . import grids_ir, ir
from .encodings import get_inverse, get_tiles, is_trusted, make_rows, mirrors
from .grids import MODES, check_rows, devoxelise, from_dense, to_dense, voxelise  # noqa: F401
from .programs import define_operator, find_device, get_dtype, repeat, run


def _check_same(first, second, what):
    if first.dtype != second.dtype:
        raise ArgumentError(
            f"{what}: expects one element type, but found {first.dtype} and {second.dtype}; "
            "torch.autocast converts them"
        )


def _get_weights(w, what):
    """Its offsets, in channels, out channels and groups."""
    shape = w.shape
    if len(shape) == 3:
        return (*shape, 1)
    if len(shape) == 4:
        volume, groups, in_channels, out_channels = shape
        return volume, groups * in_channels, groups * out_channels, groups
    raise ArgumentError(f"{what}: expects weights of 3 or 4 axes, but found {w.dim()}")


def allows_tf32(tensor):
    return tensor.is_cuda and torch.backends.cuda.matmul.allow_tf32


def _make_key(kind, weights, first, extras):
    """What the networks of a convolution or a gradient are written of."""
    dtype = get_dtype(first)
    return kind, *weights, dtype, dtype == "f32" and allows_tf32(first), *extras


def has_many_rows(num_out):
    """What `ir.conv_by_tiles` takes in front of a key."""
    return num_out >= ir.MANY_ROWS


def _run_conv(kind, weights, operands, table, num_in, shape, *extras):
    """`operands` are two tensors, and what the epilogue reads if there is one. `extras` are
    the epilogue and the layout of the weights, as for `ir.conv`."""
    first = operands[0]
    get_dtype(first)
    _check_same(first, operands[1], kind)
    if table.shape[1] != weights[0]:
        raise ArgumentError(
            f"{kind}: expects weights of {count(table.shape[1], 'offset')}, but found "
            f"{weights[0]}"
        )
    key = _make_key(kind, weights, first, extras)
    trusted = is_trusted(table, num_in)
    if trusted and table.is_cuda and kind != "weight_grad":
        device = find_device([*operands, table])
        given, rows = table, num_in
        if kind == "input_grad":
            given, rows = get_inverse(table, num_in), table.shape[0]
        key = has_many_rows(shape[0]), *key
        return repeat(ir.conv_by_tiles, key, device, operands, get_tiles(given, rows), shape)
    # No operand of this one has the rows of the in set.
    rows = [make_rows(num_in, first.device)] if kind == "input_grad" else []
    return run(ir.conv(*key), [*operands, table, *rows], [shape], trusted)[0]


def multiply_rows(x, matrix, bias=None):
    """What `conv` gives for weights of one offset, a `matrix` [in, out], and a table that
    has each row itself, and the bias behind it, as torch's product."""
    get_dtype(x)
    _check_same(x, matrix, "conv")
    if x.shape[1] != matrix.shape[0]:
        expected = count(matrix.shape[0], "channel")
        raise ArgumentError(f"conv: expects {expected}, but found {x.shape[1]}")
    return torch.mm(x, matrix) if bias is None else torch.addmm(bias.to(x.dtype), x, matrix)


# Convolution and its gradients ------------------------------------------------


def _run_forward(x, w, table, weights, operands=(), *extras):
    if x.dim() != 2:
        check_rows(x, x.shape[0], "conv")
    rows, channels = x.shape
    if channels != weights[1]:
        expected = count(weights[1], "channel")
        raise ArgumentError(f"conv: expects {expected}, but found {channels}")
    shape = (table.shape[0], weights[2])
    return _run_conv("conv", weights, [x, w, *operands], table, rows, shape, *extras)


@define_operator("conv")
def conv(x: Tensor, w: Tensor, table: Tensor) -> Tensor:
    return _run_forward(x, w, table, _get_weights(w, "conv"))


def conv_at_once(x, w, table, layout=None, epilogue=None):
    """A convolution whose weights another library has in its `layout`, and whose result an
    `epilogue` changes in f32 before it is rounded: the tensors that this reads, and what
    `ir.conv` takes. For who needs no gradients, where nobody watches."""
    operands, kind = ((), None) if epilogue is None else epilogue
    return _run_forward(x, w, table, _get_weights_in(layout, w), operands, kind, layout)


def get_conv_key(x, w, layout, epilogue):
    """What the network is written of that `conv_at_once` runs on a GPU, as
    `ir.conv_by_tiles` takes it behind `has_many_rows`. `epilogue` is what `ir.conv` takes."""
    return _make_key("conv", _get_weights_in(layout, w), x, (epilogue, layout))


def _get_weights_in(layout, w):
    if layout is None:
        return _get_weights(w, "conv")
    if w.shape != layout.shape:
        raise ArgumentError(
            f"conv: expects weights of {layout.shape}, but found {tuple(w.shape)}"
        )
    return layout.weights


@conv.register_fake
def _(x, w, table):
    out_channels = w.shape[-1] * (w.shape[1] if w.dim() == 4 else 1)
    return x.new_empty((table.shape[0], out_channels))


@define_operator("input_grad")
def input_grad(dy: Tensor, w: Tensor, table: Tensor, num_in: int) -> Tensor:
    weights = _get_weights(w, "input_grad")
    check_rows(dy, table.shape[0], "input_grad")
    shape = (num_in, weights[1])
    if mirrors(table, num_in):
        # A convolution on the same map, which nothing has to turn round.
        volume, in_channels, out_channels, groups = weights
        turned = volume, out_channels, in_channels, groups
        operands = [dy, w.flip(0).transpose(-2, -1)]
        return _run_conv("conv", turned, operands, table, num_in, shape)
    return _run_conv("input_grad", weights, [dy, w], table, num_in, shape)


@input_grad.register_fake
def _(dy, w, table, num_in):
    in_channels = w.shape[-2] * (w.shape[1] if w.dim() == 4 else 1)
    return dy.new_empty((num_in, in_channels))


@define_operator("weight_grad")
def weight_grad(x: Tensor, dy: Tensor, table: Tensor, groups: int) -> Tensor:
    check_rows(dy, table.shape[0], "weight_grad")
    weights = table.shape[1], x.shape[1], dy.shape[1], groups
    shape = _weight_shape(*weights)
    return _run_conv("weight_grad", weights, [x, dy], table, x.shape[0], shape)


@weight_grad.register_fake
def _(x, dy, table, groups):
    return x.new_empty(_weight_shape(table.shape[1], x.shape[1], dy.shape[1], groups))


def _weight_shape(volume, in_channels, out_channels, groups):
    if groups == 1:
        return (volume, in_channels, out_channels)
    return (volume, groups, in_channels // groups, out_channels // groups)


def _get_groups(w):
    return w.shape[1] if w.dim() == 4 else 1


def _save_conv(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _conv_backward(ctx, dy):
    x, w, table = ctx.saved_tensors
    need_x, need_w, _ = ctx.needs_input_grad
    dx = input_grad(dy, w, table, x.shape[0]) if need_x else None
    dw = weight_grad(x, dy, table, _get_groups(w)) if need_w else None
    return dx, dw, None


def _save_input_grad(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:3])


def _input_grad_backward(ctx, g):
    dy, w, table = ctx.saved_tensors
    need_dy, need_w, *_ = ctx.needs_input_grad
    by_dy = conv(g, w, table) if need_dy else None
    by_w = weight_grad(g, dy, table, _get_groups(w)) if need_w else None
    return by_dy, by_w, None, None


def _weight_grad_backward(ctx, g):
    x, dy, table = ctx.saved_tensors
    need_x, need_dy, *_ = ctx.needs_input_grad
    by_x = input_grad(dy, g, table, x.shape[0]) if need_x else None
    by_dy = conv(x, g, table) if need_dy else None
    return by_x, by_dy, None, None


conv.register_autograd(_conv_backward, setup_context=_save_conv)
input_grad.register_autograd(_input_grad_backward, setup_context=_save_input_grad)
weight_grad.register_autograd(_weight_grad_backward, setup_context=_save_input_grad)


# Pooling ----------------------------------------------------------------------


@define_operator("pool")
def pool(x: Tensor, table: Tensor, kind: str, count_volume: bool) -> Tensor:
    check_rows(x, x.shape[0], "pool")
    text = ir.pool(kind, table.shape[1], x.shape[1], get_dtype(x), count_volume)
    shapes = [(table.shape[0], x.shape[1])]
    return run(text, [x, table], shapes, is_trusted(table, x.shape[0]))[0]


@pool.register_fake
def _(x, table, kind, count_volume):
    return x.new_empty((table.shape[0], x.shape[1]))


@define_operator("pool_grad")
def pool_grad(dy: Tensor, x: Tensor, table: Tensor, kind: str, count_volume: bool) -> Tensor:
    check_rows(dy, table.shape[0], "pool_grad")
    text = ir.pool_grad(kind, table.shape[1], x.shape[1], get_dtype(x), count_volume)
    tensors = [dy, x, table]
    if kind != "max":
        tensors = [dy, table, make_rows(x.shape[0], x.device)]
    return run(text, tensors, [tuple(x.shape)], is_trusted(table, x.shape[0]))[0]


@pool_grad.register_fake
def _(dy, x, table, kind, count_volume):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _save_pool(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:2])
    ctx.options = inputs[2:]


def _pool_backward(ctx, dy):
    x, table = ctx.saved_tensors
    return pool_grad(dy, x, table, *ctx.options), None, None, None


def _refuse_max(kind, what):
    if kind == "max":
        raise ArgumentError(
            f"{what}: a maximum has no gradients of gradients; averages and sums have them"
        )


def _save_pool_grad(ctx, inputs, output):
    ctx.save_for_backward(inputs[2])
    ctx.options, ctx.num_items = inputs[3:], inputs[0].shape[0]


def _pool_grad_backward(ctx, g):
    _refuse_max(ctx.options[0], "pool_grad")
    return pool(g, *ctx.saved_tensors, *ctx.options), None, None, None, None


pool.register_autograd(_pool_backward, setup_context=_save_pool)
pool_grad.register_autograd(_pool_grad_backward, setup_context=_save_pool_grad)


@define_operator("global_pool")
def global_pool(x: Tensor, coords: Tensor, kind: str, batch_size: int) -> Tensor:
    check_rows(x, coords.shape[0], "global_pool")
    dim, in_order = coords.shape[1] - 1, is_trusted(coords, "set")
    text = grids_ir.global_pool(kind, dim, x.shape[1], get_dtype(x), in_order)
    items = torch.zeros((batch_size, 2), dtype=torch.int32, device=x.device)
    return run(text, [x, coords, items], [(batch_size, x.shape[1])])[0]


@global_pool.register_fake
def _(x, coords, kind, batch_size):
    return x.new_empty((batch_size, x.shape[1]))


@define_operator("global_pool_grad")
def global_pool_grad(dy: Tensor, x: Tensor, coords: Tensor, kind: str) -> Tensor:
    dim, in_order = coords.shape[1] - 1, is_trusted(coords, "set")
    text = grids_ir.global_pool_grad(kind, dim, x.shape[1], get_dtype(x), in_order)
    tensors = [dy, coords, x] if kind == "max" else [dy, coords]
    return run(text, tensors, [tuple(x.shape)])[0]


@global_pool_grad.register_fake
def _(dy, x, coords, kind):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _global_pool_backward(ctx, dy):
    x, coords = ctx.saved_tensors
    return global_pool_grad(dy, x, coords, ctx.options[0]), None, None, None


def _global_pool_grad_backward(ctx, g):
    (kind,) = ctx.options
    _refuse_max(kind, "global_pool_grad")
    return global_pool(g, *ctx.saved_tensors, kind, ctx.num_items), None, None, None


global_pool.register_autograd(_global_pool_backward, setup_context=_save_pool)
global_pool_grad.register_autograd(_global_pool_grad_backward, setup_context=_save_pool_grad)


# Rows: each operator is the adjoint of the other ------------------------------


@define_operator("scatter")
def scatter(x: Tensor, rows: Tensor, count: int) -> Tensor:
    items = torch.zeros((count, 2), dtype=torch.int32, device=x.device)
    text = ir.scatter(x.shape[1], get_dtype(x))
    return run(text, [x, rows, items], [(count, x.shape[1])])[0]


@scatter.register_fake
def _(x, rows, count):
    return x.new_empty((count, x.shape[1]))


@define_operator("gather")
def gather(x: Tensor, rows: Tensor) -> Tensor:
    """What index_select does; its gradient is a sum in a fixed order, too."""
    return x.index_select(0, rows)


@gather.register_fake
def _(x, rows):
    return x.new_empty((rows.shape[0], x.shape[1]))


def _save_rows(ctx, inputs, output):
    ctx.save_for_backward(inputs[1])
    ctx.num_rows = inputs[0].shape[0]


def _scatter_backward(ctx, dy):
    """A row of -1 has gone nowhere, and its gradient is 0."""
    (rows,) = ctx.saved_tensors
    if not dy.shape[0]:
        return dy.new_zeros((rows.shape[0], dy.shape[1])), None, None
    found = gather(dy, rows.clamp(min=0))
    return found.masked_fill((rows < 0)[:, None], 0), None, None


def _gather_backward(ctx, dy):
    return scatter(dy, ctx.saved_tensors[0], ctx.num_rows), None


scatter.register_autograd(_scatter_backward, setup_context=_save_rows)
gather.register_autograd(_gather_backward, setup_context=_save_rows)
