# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of operators that move elements: slices, concatenations, other shapes."""

from .groups import group_axes, multiply
from .scalars import emit_elementwise, find_order, sort_operand
from .text import tensor_type
from .tracer import handles
from .values import Chosen, Fill, Rows

# Parts and wholes ---------------------------------------------------------------


def _emit_slice(tracer, x, dim, start, step, sizes, result):
    """The elements of an axis from `start` on; `sizes` are those of the slice."""
    if isinstance(tracer.get_known(x), Fill):
        return tracer.get_known(x)
    starts = [start if axis == dim else 0 for axis in range(x.dim())]
    steps = [step if axis == dim else 1 for axis in range(x.dim())]
    numbers = [str(s) if isinstance(s, int) else tracer.emit_size(s) for s in sizes]
    line = (
        f"tensor.extract_slice {tracer.get_name(x)}{starts}[{', '.join(numbers)}]{steps} "
        f": {tracer.get_type(x)} to {tracer.get_type(result)}"
    )
    return Rows(tracer.text.emit_value(line))


def _get_axis(tracer, x, dim):
    """An axis whose elements can be chosen: one of known size."""
    dim %= x.dim()
    if not isinstance(x.shape[dim], int):
        tracer.refuse("it chooses rows by their place")
    return dim


@handles("aten::slice")
def _slice(tracer, a, result):
    if tuple(map(str, result.shape)) == tuple(map(str, a.self.shape)):
        return tracer.get_value(a.self)
    dim = _get_axis(tracer, a.self, a.dim)
    size = a.self.shape[dim]
    start = min(max((a.start or 0) + (size if (a.start or 0) < 0 else 0), 0), size)
    return _emit_slice(tracer, a.self, dim, start, a.step, result.shape, result)


@handles("aten::select")
def _select(tracer, a, result):
    dim = _get_axis(tracer, a.self, a.dim)
    sizes = [1 if axis == dim else size for axis, size in enumerate(a.self.shape)]
    return _emit_slice(tracer, a.self, dim, a.index % a.self.shape[dim], 1, sizes, result)


@handles("aten::split", "aten::split_with_sizes")
def _split(tracer, a, result):
    dim = _get_axis(tracer, a.self, a.dim)
    parts, start = [], 0
    for part in result:
        parts.append(_emit_slice(tracer, a.self, dim, start, 1, part.shape, part))
        start += part.shape[dim]
    return parts


@handles("aten::cat")
def _cat(tracer, a, result):
    dim = _get_axis(tracer, result, a.dim)
    order = find_order(tracer, a.tensors, result)
    parts = []
    for tensor in a.tensors:
        tensor = sort_operand(tracer, tensor, order)
        name, type = tracer.get_name(tensor), tracer.get_type(tensor)
        if tensor.dtype != result.dtype:
            same = tracer.make_like(tensor, result.dtype)
            tracer.bind(same, emit_elementwise(tracer, same, [tensor], lambda b, x: x))
            name, type = tracer.get_name(same), tracer.get_type(same)
        parts.append((name, type))
    names, types = (", ".join(part[i] for part in parts) for i in (0, 1))
    line = f"tensor.concat dim({dim}) {names} : ({types}) -> {tracer.get_type(result)}"
    made = Rows(tracer.text.emit_value(line))
    return tracer.turn(result, made, order) if order else made


# Other shapes -------------------------------------------------------------------


@handles("aten::permute", "aten::transpose", "aten::t")
def _permute(tracer, a, result):
    order = list(range(a.self.dim()))
    if hasattr(a, "dims"):
        order = [dim % a.self.dim() for dim in a.dims]
    else:
        first, second = (
            getattr(a, name, i) % a.self.dim() for i, name in enumerate(("dim0", "dim1"))
        )
        order[first], order[second] = second, first
    empty, type = (
        tracer.emit_empty(result.shape, tracer.get_element(result)),
        tracer.get_type(result),
    )
    return Rows(tracer.text.emit_value(
        f"linalg.transpose ins({tracer.get_name(a.self)} : {tracer.get_type(a.self)}) "
        f"outs({empty} : {type}) permutation = {order}"
    ))  # fmt: skip


@handles(
    "aten::view", "aten::_unsafe_view", "aten::reshape", "aten::unsqueeze", "aten::squeeze"
)
def _reshape(tracer, a, result):
    value = tracer.get_value(a.self)
    if isinstance(value, (Chosen, Fill)):
        return value
    source, target = list(a.self.shape), list(result.shape)
    if list(map(str, source)) == list(map(str, target)):
        return value
    if not source or not target:
        kind = "expand_shape" if target else "collapse_shape"
        sizes = f" output_shape {target}" if target else ""
        types = f"{tracer.get_type(a.self)} into {tracer.get_type(result)}"
        line = f"tensor.{kind} {tracer.get_name(a.self)} []{sizes} : {types}"
        return Rows(tracer.text.emit_value(line))
    groups = group_axes(source, target)
    if groups is None:
        tracer.refuse(f"it is from {tuple(source)} to {tuple(target)}")
    element, name = tracer.get_element(result), tracer.get_name(a.self)
    middle = [multiply([source[i] for i in group]) for group, _ in groups]
    name = _emit_collapse(tracer, name, source, middle, [g for g, _ in groups], element)
    return Rows(_emit_expand(tracer, name, middle, target, [g for _, g in groups], element))


def _emit_collapse(tracer, name, source, middle, groups, element):
    if len(source) == len(middle):
        return name
    types = tensor_type(source, element), tensor_type(middle, element)
    return tracer.text.emit_value(
        f"tensor.collapse_shape {name} {groups} : {types[0]} into {types[1]}"
    )


def _emit_expand(tracer, name, middle, target, groups, element):
    if len(target) == len(middle):
        return name
    sizes = ", ".join(str(s) if isinstance(s, int) else tracer.emit_size(s) for s in target)
    types = tensor_type(middle, element), tensor_type(target, element)
    return tracer.text.emit_value(
        f"tensor.expand_shape {name} {groups} output_shape [{sizes}] : {types[0]} into {types[1]}"
    )
