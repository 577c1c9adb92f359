# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of operators that add up: products of matrices, reductions, norms."""

import math

import torch

from .order import turn
from .reshape import reshape
from .scalars import Scalars, emit_elementwise, emit_generic, is_float
from .sparse import emit_row_product, emit_scatter
from .text import tensor_type
from .tracer import handles
from .values import Rows, Turned, is_traced

# Products of matrices -----------------------------------------------------------


def _emit_product(tracer, x, w, result):
    """Rows times weights: a convolution of one offset where the rows are those of a
    set, which has the faster kernels."""
    if not (x.dtype == w.dtype == result.dtype and x.dtype.is_floating_point):
        tracer.refuse("its element types differ")
    coords = tracer.find_set_of(x.shape[0])
    if coords and not is_traced(w):
        weight = tracer.weights.view(w, (1, *w.shape))
        return emit_row_product(tracer, x, weight, coords, result)
    wide = tensor_type(result.shape, "f32")
    out = tracer.emit_filled(result.shape, "f32", 0)
    product = tracer.text.emit_value(
        f"linalg.matmul ins({tracer.get_name(x)}, {tracer.get_name(w)} : "
        f"{tracer.get_type(x)}, {tracer.get_type(w)}) outs({out} : {wide}) -> {wide}"
    )
    return Rows(_round(tracer, product, result))


def _round(tracer, name, result):
    """A tensor of f32 in the element type of a result."""
    element = tracer.get_element(result)
    if element == "f32":
        return name
    wide = tensor_type(result.shape, "f32")
    return tracer.text.emit_value(f"arith.truncf {name} : {wide} to {tracer.get_type(result)}")


@handles("aten::mm")
def _mm(tracer, a, result):
    return _emit_product(tracer, a.self, a.mat2, result)


@handles("aten::addmm")
def _addmm(tracer, a, result):
    product = tracer.make_like(result)
    tracer.bind(product, _emit_product(tracer, a.mat1, a.mat2, result))

    def body(b, x, y):
        x = x if a.alpha == 1 else b.apply("mul", x, b.number(a.alpha))
        return b.apply("add", x, y if a.beta == 1 else b.apply("mul", y, b.number(a.beta)))

    return emit_elementwise(tracer, result, [product, a.self], body)


@handles("aten::index_add")
def _index_add(tracer, a, result):
    if a.dim not in (0, -a.self.dim()) or a.alpha != 1 or a.self.dim() != 2:
        tracer.refuse("the compiler adds rows of [rows, channels]")
    part = tracer.make_like(result)
    tracer.bind(part, emit_scatter(tracer, a.source, a.index, a.self.shape[0], result))
    return emit_elementwise(
        tracer, result, [a.self, part], lambda b, x, y: b.apply("add", x, y)
    )


# Reductions ---------------------------------------------------------------------


#: The combinations of a reduction: what they are called, and what they begin with in
#: floats; integers begin with their lowest or highest number.
_STARTS = {"add": 0, "largest": -math.inf, "smallest": math.inf}


def _emit_reduction(tracer, x, dims, kind):
    """A combination over some axes without these axes, as a stand-in: of floats in f32,
    of integers in their type."""
    value = tracer.get_value(x)
    order = value.order if isinstance(value, Turned) else ""
    x = value.rows if order else x
    kept = [axis for axis in range(x.dim()) if axis not in dims]
    shape = [x.shape[axis] for axis in kept]
    source, dtype = tracer.get_element(x), x.dtype
    start = _STARTS[kind]
    if is_float(source):
        dtype = torch.float32
    elif dtype == torch.bool:
        start = int(kind == "smallest")
    elif kind != "add":
        start = torch.iinfo(dtype).min if kind == "largest" else torch.iinfo(dtype).max
    out = tracer.make_like(x, dtype, shape)
    element = tracer.get_element(out)
    scalars = Scalars(element)
    value = scalars.convert("%in0", source, element)
    combine = {"largest": scalars.largest, "smallest": scalars.smallest}
    found = combine.get(kind, lambda *both: scalars.apply("add", *both))("%out", value)
    maps = [
        tracer.text.index_map(x.dim(), [f"d{axis}" for axis in axes])
        for axes in (range(x.dim()), kept)
    ]
    kinds = ["reduction" if axis in dims else "parallel" for axis in range(x.dim())]
    inputs = [(tracer.get_name(x), tracer.get_type(x), source)]
    target = tracer.emit_filled(shape, element, start), tensor_type(shape, element), element
    made = emit_generic(tracer.text, inputs, target, maps, kinds, scalars.lines, found)
    found = Rows(made)
    tracer.bind(out, turn(tracer, out, found, order) if order and 0 in kept else found)
    return out


def _spread(total, x, dims):
    """A reduction of `x` as an operand beside it: with the axes that it has kept."""
    return total, [axis for axis in range(x.dim()) if axis not in dims]


def _get_sizes(tracer, x, dims):
    """The sizes of axes whose elements are counted."""
    sizes = [x.shape[dim] for dim in dims]
    if not all(isinstance(size, int) for size in sizes):
        tracer.refuse("it divides by a number of rows; use a global pool")
    return sizes


def _list_dims(x, dims):
    if isinstance(dims, int):
        dims = [dims]
    dims = dims or range(x.dim())
    return sorted(dim % x.dim() for dim in dims)


def _finish_reduction(tracer, total, x, dims, result, scale=1.0):
    """A reduction in the type and shape of its result, which may keep the axes."""
    keeps = result.dim() == x.dim()

    def body(b, value):
        return value if scale == 1 else b.apply("mul", value, b.number(scale))

    operand = _spread(total, x, dims) if keeps else total
    return emit_elementwise(tracer, result, [operand], body)


def _register_reduction(name, kind):
    @handles(f"aten::{name}")
    def handle(tracer, a, result):
        x = a.self
        if kind == "add" and not x.dtype.is_floating_point:
            tracer.refuse("the compiler adds floats alone")
        dims = _list_dims(x, getattr(a, "dim", None))
        count = math.prod(_get_sizes(tracer, x, dims)) if name == "mean" else 1
        total = _emit_reduction(tracer, x, dims, kind)
        return _finish_reduction(tracer, total, x, dims, result, 1 / count)


for _name, _kind in (
    ("sum", "add"), ("mean", "add"), ("amax", "largest"), ("amin", "smallest"),
    ("any", "largest"), ("all", "smallest"),
):  # fmt: skip
    _register_reduction(_name, _kind)


def _emit_place(tracer, x, dims, extreme):
    """The first place along an axis that has the largest or smallest element, or NaN."""
    (dim,) = dims
    kept = [axis for axis in range(x.dim()) if axis != dim]
    shape = [x.shape[axis] for axis in kept]
    b = Scalars("f32")
    value = b.convert("%in0", tracer.get_element(x), "f32")
    both = b.compare("eq", value, "%in1"), b.compare("ne", value, value)
    found = b.write(f"arith.ori {both[0]}, {both[1]} : i1")
    place = b.write(
        f"arith.index_cast {b.write(f'linalg.index {dim} : index')} : index to i64"
    )
    place = b.write(f"arith.select {found}, {place}, %out : i64")
    place = b.write(f"arith.minsi {place}, %out : i64")
    inputs = [
        (tracer.get_name(t), tracer.get_type(t), tracer.get_element(t)) for t in (x, extreme)
    ]
    maps = [tracer.text.index_map(x.dim(), [f"d{axis}" for axis in axes])
            for axes in (range(x.dim()), kept, kept)]  # fmt: skip
    kinds = ["reduction" if axis == dim else "parallel" for axis in range(x.dim())]
    out = (
        tracer.emit_filled(shape, "i64", x.shape[dim] - 1),
        tensor_type(shape, "i64"),
        "i64",
    )
    return Rows(emit_generic(tracer.text, inputs, out, maps, kinds, b.lines, place))


def _register_place(word, kind):
    """argmax and argmin, and max and min along an axis, which give both."""

    def find(tracer, x, dim, keeps):
        if not isinstance(dim, int) or keeps or not isinstance(x.shape[dim], int):
            tracer.refuse("the compiler looks along one axis that is not that of the rows")
        if not x.dtype.is_floating_point:
            tracer.refuse("the compiler looks among floats alone")
        dims = _list_dims(x, dim)
        extreme = _emit_reduction(tracer, x, dims, kind)
        return extreme, _emit_place(tracer, x, dims, extreme)

    @handles(f"aten::arg{word}")
    def handle_place(tracer, a, result):
        return find(tracer, a.self, a.dim, a.keepdim)[1]

    @handles(f"aten::{word}")
    def handle(tracer, a, result):
        x, dim = a.self, getattr(a, "dim", None)
        dims = _list_dims(x, dim)
        if dim is None:
            return _finish_reduction(
                tracer, _emit_reduction(tracer, x, dims, kind), x, dims, result
            )
        if isinstance(x.shape[dim], int) and x.dtype.is_floating_point:
            extreme, place = find(tracer, x, dim, a.keepdim)
        else:
            extreme, place = _emit_reduction(tracer, x, dims, kind), None
        return _finish_reduction(tracer, extreme, x, dims, result[0]), place


_register_place("max", "largest")
_register_place("min", "smallest")


# Norms and what else needs more than one pass ------------------------------------


def _emit_squares(tracer, x, dims):
    """The sum over some axes, and that of the squares of what is around the mean; and
    the body that takes the mean off a scalar."""
    share = 1 / math.prod(_get_sizes(tracer, x, dims))
    total = _spread(_emit_reduction(tracer, x, dims, "add"), x, dims)
    square = tracer.make_like(x, torch.float32)

    def centre(b, value, total):
        return b.apply("sub", value, b.apply("mul", total, b.number(share)))

    def squared(b, value, total):
        centred = centre(b, value, total)
        return b.apply("mul", centred, centred)

    tracer.bind(square, emit_elementwise(tracer, square, [x, total], squared))
    return total, _emit_reduction(tracer, square, dims, "add"), centre


def _emit_norm(tracer, x, dims, eps, weight, bias, result):
    """Elements without their mean over some axes, by their deviation there, times a weight
    and plus a bias that broadcast."""
    share = 1 / math.prod(_get_sizes(tracer, x, dims))
    total, squares, centre = _emit_squares(tracer, x, dims)

    def norm(b, value, total, squares, *affine):
        variance = b.apply("mul", squares, b.number(share))
        factor = b.apply("math.rsqrt", b.apply("add", variance, b.number(eps)))
        found = b.apply("mul", centre(b, value, total), factor)
        for operation, operand in zip(names, affine):
            found = b.apply(operation, found, operand)
        return found

    names = [n for n, w in (("mul", weight), ("add", bias)) if w is not None]
    affine = [w for w in (weight, bias) if w is not None]
    operands = [x, total, _spread(squares, x, dims), *affine]
    return emit_elementwise(tracer, result, operands, norm)


@handles("aten::native_layer_norm")
def _layer_norm(tracer, a, result):
    x = a.input
    dims = list(range(x.dim() - len(a.normalized_shape), x.dim()))
    return _emit_norm(tracer, x, dims, a.eps, a.weight, a.bias, result[0]), None, None


def _view(tracer, x, shape):
    """A weight or stand-in in another shape."""
    if not is_traced(x):
        return tracer.weights.view(x, shape)
    made = tracer.make_like(x, shape=shape)
    tracer.bind(made, reshape(tracer, x, made))
    return made


@handles("aten::native_group_norm")
def _group_norm(tracer, a, result):
    """Channels in groups are an axis of groups and one within them."""
    channels, places = a.C // a.group, list(a.input.shape[2:])
    split = [a.input.shape[0], a.group, channels, *places]
    x, y = _view(tracer, a.input, split), tracer.make_like(result[0], shape=split)
    shape = [a.group, channels, *[1] * len(places)]
    affine = [w if w is None else _view(tracer, w, shape) for w in (a.weight, a.bias)]
    dims = list(range(2, x.dim()))
    tracer.bind(y, _emit_norm(tracer, x, dims, a.eps, *affine, y))
    return reshape(tracer, y, result[0]), None, None


def _emit_variance(tracer, a, result):
    x, dims = a.self, _list_dims(a.self, getattr(a, "dim", None))
    correction = a.unbiased if hasattr(a, "unbiased") else a.correction
    correction = 1 if correction is None else int(correction)
    total, squares, _ = _emit_squares(tracer, x, dims)
    count = math.prod(_get_sizes(tracer, x, dims))
    scale = 1 / (count - correction) if count > correction else math.inf
    return total[0], _finish_reduction(tracer, squares, x, dims, result, scale), 1 / count


@handles("aten::var")
def _var(tracer, a, result):
    return _emit_variance(tracer, a, result)[1]


@handles("aten::var_mean")
def _var_mean(tracer, a, result):
    total, variance, share = _emit_variance(tracer, a, result[0])
    dims = _list_dims(a.self, getattr(a, "dim", None))
    return variance, _finish_reduction(tracer, total, a.self, dims, result[1], share)


def _emit_softmax(tracer, a, result, is_log):
    x, dims = a.self, [a.dim % a.self.dim()]
    largest = _spread(_emit_reduction(tracer, x, dims, "largest"), x, dims)
    powers = tracer.make_like(x, torch.float32)

    def power(b, value, most):
        return b.apply("math.exp", b.apply("sub", value, most))

    def logarithm(b, value, most, total):
        return b.apply("sub", b.apply("sub", value, most), b.apply("math.log", total))

    tracer.bind(powers, emit_elementwise(tracer, powers, [x, largest], power))
    total = _spread(_emit_reduction(tracer, powers, dims, "add"), x, dims)
    if is_log:
        return emit_elementwise(tracer, result, [x, largest, total], logarithm)
    share = [powers, total]
    return emit_elementwise(tracer, result, share, lambda b, p, t: b.apply("div", p, t))


@handles("aten::_softmax")
def _softmax(tracer, a, result):
    return _emit_softmax(tracer, a, result, False)


@handles("aten::_log_softmax")
def _log_softmax(tracer, a, result):
    return _emit_softmax(tracer, a, result, True)
