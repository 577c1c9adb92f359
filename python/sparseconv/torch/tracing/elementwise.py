# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of operators that compute each element from those at its place."""

import math

import torch

from .coordinates import follow_product, follow_sum
from .scalars import emit_conversion, emit_elementwise, is_float
from .text import TYPES
from .tracer import handles
from .values import Biased, Expanded, Fill, Late, is_traced, same_sizes


def _clamp(b, x, low, high):
    x = x if low is None else b.largest(x, b.number(low))
    return x if high is None else b.smallest(x, b.number(high))


def _sigmoid(b, x):
    one = b.number(1)
    falling = b.apply("math.exp", b.apply("arith.negf", x))
    return b.apply("div", one, b.apply("add", one, falling))


def _elu(b, x, alpha=1, scale=1, input_scale=1):
    low = b.apply("math.expm1", b.apply("mul", x, b.number(input_scale)))
    low = b.apply("mul", low, b.number(alpha * scale))
    high = b.apply("mul", x, b.number(scale))
    return b.select(b.compare("gt", x, b.number(0)), high, low)


def _gelu(b, x, approximate):
    if approximate == "tanh":
        cube = b.apply("mul", b.apply("mul", x, x), x)
        inner = b.apply("add", x, b.apply("mul", cube, b.number(0.044715)))
        wave = b.apply("math.tanh", b.apply("mul", inner, b.number(math.sqrt(2 / math.pi))))
    else:
        wave = b.apply("math.erf", b.apply("mul", x, b.number(math.sqrt(0.5))))
    half = b.apply("mul", x, b.number(0.5))
    return b.apply("mul", half, b.apply("add", wave, b.number(1)))


def _leaky_relu(b, x, slope):
    return b.select(b.compare("gt", x, b.number(0)), x, b.apply("mul", x, b.number(slope)))


def _softplus(b, x, beta, threshold):
    scaled = b.apply("mul", x, b.number(beta))
    soft = b.apply("div", b.apply("math.log1p", b.apply("math.exp", scaled)), b.number(beta))
    return b.select(b.compare("gt", scaled, b.number(threshold)), x, soft)


def _hard_sigmoid(b, x):
    return b.apply("div", _clamp(b, b.apply("add", x, b.number(3)), 0, 6), b.number(6))


def _mish(b, x):
    return b.apply("mul", x, b.apply("math.tanh", _softplus(b, x, 1, 20)))


#: Of one tensor, `self`: what gives the scalar, and the arguments that it takes.
_UNARY = {
    "relu": (lambda b, x: b.largest(x, b.number(0)), ()),
    "clamp": (_clamp, ("min", "max")),
    "clamp_min": (lambda b, x, low: _clamp(b, x, low, None), ("min",)),
    "clamp_max": (lambda b, x, high: _clamp(b, x, None, high), ("max",)),
    "hardtanh": (_clamp, ("min_val", "max_val")),
    "sigmoid": (_sigmoid, ()),
    "silu": (lambda b, x: b.apply("mul", x, _sigmoid(b, x)), ()),
    "elu": (_elu, ("alpha", "scale", "input_scale")),
    "gelu": (_gelu, ("approximate",)),
    "leaky_relu": (_leaky_relu, ("negative_slope",)),
    "softplus": (_softplus, ("beta", "threshold")),
    "hardsigmoid": (_hard_sigmoid, ()),
    "hardswish": (lambda b, x: b.apply("mul", x, _hard_sigmoid(b, x)), ()),
    "mish": (_mish, ()),
    "neg": (lambda b, x: b.apply("mul", x, b.number(-1)), ()),
    "reciprocal": (lambda b, x: b.apply("div", b.number(1), x), ()),
}
for _name, _function in (
    ("abs", "absf"), ("ceil", "ceil"), ("cos", "cos"), ("erf", "erf"), ("exp", "exp"),
    ("expm1", "expm1"), ("floor", "floor"), ("log", "log"), ("log1p", "log1p"),
    ("round", "roundeven"), ("rsqrt", "rsqrt"), ("sin", "sin"), ("sqrt", "sqrt"),
    ("tanh", "tanh"),
):  # fmt: skip
    _UNARY[_name] = (lambda b, x, f=_function: b.apply(f"math.{f}", x), ())


def _register_unary(name, body, extra):
    @handles(f"aten::{name}")
    def handle(tracer, a, result):
        extras = [getattr(a, word) for word in extra]
        return emit_elementwise(tracer, result, [a.self], lambda b, x: body(b, x, *extras))


for _name, (_body, _extra) in _UNARY.items():
    _register_unary(_name, _body, _extra)


def _is_one(number):
    return isinstance(number, (int, float)) and number == 1


def _scaled(b, y, alpha):
    return y if _is_one(alpha) else b.apply("mul", y, b.number(alpha))


@handles("aten::add")
def _add(tracer, a, result):
    def body(b, x, y):
        return b.apply("add", x, _scaled(b, y, a.alpha))

    if not _is_bias(tracer, a, result):
        made = emit_elementwise(tracer, result, [a.self, a.other], body)
        if _is_one(a.alpha):
            follow_sum(tracer, [a.self, a.other], made)
        return made
    # A stand-in of its own: the model may change the other one in place.
    rows = tracer.make_like(a.self)
    tracer.bind(rows, tracer.peek(a.self, Late))
    bias = tracer.weights.hold(a.other)
    return Biased(lambda: emit_elementwise(tracer, result, [rows, bias], body), rows, bias)


def _is_bias(tracer, a, result):
    return (
        isinstance(a.self, torch.Tensor) and isinstance(a.other, torch.Tensor)
        and is_traced(a.self) and not is_traced(a.other)
        and a.other.dim() == 1 and a.self.dim() == 2 and _is_one(a.alpha)
        and a.self.dtype == result.dtype
    )  # fmt: skip


@handles("aten::sub")
def _sub(tracer, a, result):
    def body(b, x, y):
        return b.apply("sub", x, _scaled(b, y, a.alpha))

    return emit_elementwise(tracer, result, [a.self, a.other], body)


@handles("aten::rsub")
def _rsub(tracer, a, result):
    def body(b, x, y):
        return b.apply("sub", y, _scaled(b, x, a.alpha))

    return emit_elementwise(tracer, result, [a.self, a.other], body)


def _register_binary(name, body):
    @handles(f"aten::{name}")
    def handle(tracer, a, result):
        return emit_elementwise(tracer, result, [a.self, a.other], body)


@handles("aten::mul")
def _mul(tracer, a, result):
    made = emit_elementwise(
        tracer, result, [a.self, a.other], lambda b, x, y: b.apply("mul", x, y)
    )
    follow_product(tracer, [a.self, a.other], made)
    return made


_register_binary("maximum", lambda b, x, y: b.largest(x, y))
_register_binary("minimum", lambda b, x, y: b.smallest(x, y))


@handles("aten::div")
def _div(tracer, a, result):
    return _divide(tracer, a, result, getattr(a, "rounding_mode", None))


@handles("aten::floor_divide")
def _floor_divide(tracer, a, result):
    return _divide(tracer, a, result, "floor")


def _divide(tracer, a, result, mode):
    if mode not in (None, "floor"):
        tracer.refuse("the compiler rounds quotients down, or not at all")

    def body(b, x, y):
        if not is_float(b.type):
            return b.apply("arith.floordivsi", x, y)
        quotient = b.apply("div", x, y)
        return b.apply("math.floor", quotient) if mode else quotient

    return emit_elementwise(tracer, result, [a.self, a.other], body)


@handles("aten::pow")
def _pow(tracer, a, result):
    power = a.exponent
    if isinstance(power, (int, float)) and power in (2, 3):

        def body(b, x):
            square = b.apply("mul", x, x)
            return square if power == 2 else b.apply("mul", square, x)

        return emit_elementwise(tracer, result, [a.self], body)
    return emit_elementwise(
        tracer, result, [a.self, power], lambda b, x, y: b.apply("math.powf", x, y)
    )


@handles("aten::_prelu_kernel")
def _prelu(tracer, a, result):
    def body(b, x, slope):
        return b.select(b.compare("gt", x, b.number(0)), x, b.apply("mul", x, slope))

    return emit_elementwise(tracer, result, [a.self, a.weight], body)


def _register_comparison(predicate):
    @handles(f"aten::{predicate}")
    def handle(tracer, a, result):
        tensors = [t for t in (a.self, a.other) if isinstance(t, torch.Tensor)]
        dtype = torch.result_type(a.self, a.other) if len(tensors) == 2 else tensors[0].dtype
        compute = "f32" if dtype.is_floating_point else TYPES[dtype]

        def body(b, x, y):
            return b.compare(predicate, x, y), "i1"

        return emit_elementwise(tracer, result, [a.self, a.other], body, compute)


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _register_comparison(_name)


def _register_logic(name, operator, compute):
    @handles(f"aten::{name}_{operator}")
    def handle(tracer, a, result):
        return emit_elementwise(
            tracer, result, [a.self, a.other],
            lambda b, x, y: b.write(f"arith.{operator}i {x}, {y} : {b.type}"), compute,
        )  # fmt: skip


for _name in ("and", "or", "xor"):
    _register_logic("bitwise", _name, None)
    _register_logic("logical", _name, "i1")


@handles("aten::where")
def _where(tracer, a, result):
    def body(b, condition, x, y):
        return b.select(b.compare("ne", condition, b.number(0)), x, y)

    return emit_elementwise(tracer, result, [a.condition, a.self, a.other], body)


@handles("sparseconv::scale_and_shift")
def _scale_and_shift(tracer, a, result):
    x, shift = a.x, a.shift
    value = tracer.peek(x, Biased)
    if isinstance(value, Biased):
        x = value.rows
        shift = tracer.weights.add_bias(a.scale, shift, value.bias)

    def body(b, x, scale, shift):
        return b.apply("add", b.apply("mul", x, scale), shift)

    return emit_elementwise(tracer, result, [x, (a.scale, [1]), (shift, [1])], body)


# What keeps every element, or makes all alike -----------------------------------


@handles("aten::_to_copy", "aten::clone", "aten::alias", "aten::detach", "aten::lift_fresh",
         "aten::contiguous")  # fmt: skip
def _copy(tracer, a, result):
    if result.device != a.self.device:
        tracer.refuse(f"it moves a tensor from {a.self.device} to {result.device}")
    value = tracer.peek(a.self, Late)
    if result.dtype == a.self.dtype:
        return value
    if isinstance(value, Fill):
        return _make_fill(tracer, value.number, result.dtype)
    return emit_conversion(tracer, a.self, result)


@handles("aten::copy")
def _assign(tracer, a, result):
    """What a tensor becomes that is changed in place."""
    if a.src.dtype == result.dtype and same_sizes(a.src.shape, result.shape):
        return tracer.get_value(a.src)
    return emit_elementwise(tracer, result, [a.src], lambda b, x: x)


@handles("aten::expand")
def _expand(tracer, a, result):
    def emit():
        return emit_elementwise(tracer, like, [rows], lambda b, x: x)

    # Stand-ins of its own, as in sums: the model may drop these two, which are one tensor,
    # and change what they are a view of.
    rows, like = tracer.make_like(a.self), tracer.make_like(result)
    tracer.bind(rows, tracer.peek(a.self, Late))
    is_row = a.self.dim() == 3 and isinstance(result.shape[1], int) and (
        same_sizes(a.self.shape, [result.shape[0], 1, result.shape[2]])
    )  # fmt: skip
    return Expanded(emit, rows, result.shape[1]) if is_row else emit()


@handles("aten::fill", "aten::zero")
def _fill(tracer, a, result):
    """What a tensor becomes that is filled in place."""
    value = getattr(a, "value", 0)
    if isinstance(value, torch.Tensor):
        return emit_elementwise(tracer, result, [value], lambda b, x: x)
    return _make_fill(tracer, value, result.dtype)


def _make_fill(tracer, number, dtype):
    if not isinstance(number, (bool, int, float)):
        tracer.refuse("it fills a tensor with a number that is computed")
    return Fill(torch.tensor(number).to(dtype).item())


def _register_fill(name, number):
    @handles(f"aten::{name}", f"aten::new_{name}", f"aten::{name}_like")
    def handle(tracer, a, result):
        value = a.fill_value if number is None else number
        return _make_fill(tracer, value, result.dtype)


_register_fill("zeros", 0)
_register_fill("ones", 1)
_register_fill("full", None)
