# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are parts of others, and what happens where one of them is changed.

A network has values, which nothing changes. Where a model changes a part of a tensor in
place, the tensor gets a new value, of the new part and of what lies before and behind it,
and all other parts of the tensor are cut from that."""

import dataclasses

from .coordinates import follow, follow_columns
from .order import find_order, sort_operand, turn
from .reshape import reshape
from .values import Fill, Rows, Turned, View


@dataclasses.dataclass(frozen=True)
class Cut:
    """The elements from `start` on along one axis of a tensor, `count` of them, each `step`
    behind the one before. One element may lose the axis."""

    dim: int
    start: int
    count: int
    step: int = 1
    keeps_axis: bool = True

    def shape(self, whole):
        """The shape of a part of a tensor, with all axes."""
        return [self.count if axis == self.dim else n for axis, n in enumerate(whole)]


def emit_cut(tracer, x, cut, type):
    """A part of a tensor as a value."""
    value = tracer.get_value(x)
    if isinstance(value, Fill):
        return value
    if cut in value.parts:
        return value.parts[cut]
    if isinstance(value, Turned):
        shape = cut.shape(x.shape)
        if not cut.keeps_axis:
            del shape[cut.dim]
        part = tracer.make_like(x, shape=shape)
        return turn(tracer, part, emit_cut(tracer, value.rows, cut, type), value.order)
    starts = [cut.start if axis == cut.dim else 0 for axis in range(x.dim())]
    steps = [cut.step if axis == cut.dim else 1 for axis in range(x.dim())]
    sizes = ", ".join(
        str(n) if isinstance(n, int) else tracer.emit_size(n) for n in cut.shape(x.shape)
    )
    line = (
        f"tensor.extract_slice {tracer.get_name(x)}{starts}[{sizes}]{steps} "
        f": {tracer.get_type(x)} to {type}"
    )
    made, found = Rows(tracer.text.emit_value(line)), follow(tracer, x)
    if found and cut.dim == x.dim() - 1 and cut.step == 1 and cut.keeps_axis:
        made.coordinates = found.pick(cut.start, cut.count)
    return made


def resolve(tracer, tensor, view):
    """The value that a view has now."""
    if view.cut is None:
        return tracer.get_value(view.base)
    return emit_cut(tracer, view.base, view.cut, tracer.get_type(tensor))


def find_root(tracer, tensor):
    """The tensor that a view is a part of, over others that are parts."""
    while isinstance(view := tracer.get_binding(tensor), View):
        tensor = view.base
    return tensor


def assign(tracer, tensor, value):
    """Gives a tensor that is changed in place another value, and what it is a part of."""
    view = tracer.get_binding(tensor)
    if not isinstance(view, View):
        tracer.bind(tensor, value)
    elif view.cut is None:
        assign(tracer, view.base, value)
    elif value is not tracer.get_value(tensor):
        assign(tracer, view.base, _join(tracer, view, tensor, value))


def _join(tracer, view, tensor, value):
    """The value of a whole of which a part has a new value."""
    base, cut = view.base, view.cut
    end = cut.start + cut.count
    own = tracer.make_like(tensor)
    tracer.bind(own, value)
    part = tracer.make_like(tensor, shape=cut.shape(base.shape))
    tracer.bind(part, reshape(tracer, own, part))
    pieces = [
        *_get_rest(tracer, base, Cut(cut.dim, 0, cut.start)),
        part,
        *_get_rest(tracer, base, Cut(cut.dim, end, base.shape[cut.dim] - end)),
    ]
    whole = emit_concat(tracer, base, cut.dim, pieces)
    whole.parts[cut] = value
    return whole


def _get_rest(tracer, base, cut):
    """What lies before or behind a part, as a list that may be empty."""
    if cut.count == 0:
        return []
    rest = tracer.make_like(base, shape=cut.shape(base.shape))
    tracer.bind(rest, emit_cut(tracer, base, cut, tracer.get_type(rest)))
    return [rest]


def emit_concat(tracer, result, dim, tensors):
    """The value of a result of tensors that follow one another along an axis."""
    order = find_order(tracer, tensors, result)
    tensors = [sort_operand(tracer, tensor, order) for tensor in tensors]
    names = ", ".join(map(tracer.get_name, tensors))
    types = ", ".join(map(tracer.get_type, tensors))
    line = f"tensor.concat dim({dim}) {names} : ({types}) -> {tracer.get_type(result)}"
    made = Rows(tracer.text.emit_value(line))
    if dim == 1 and result.dim() == 2:
        follow_columns(tracer, tensors, made)
    return turn(tracer, result, made, order) if order else made
