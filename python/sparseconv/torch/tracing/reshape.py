# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same elements in another shape."""

from .groups import emit_reshape
from .order import turn
from .scalars import repeat
from .values import Chosen, Expanded, Fill, Late, Rows, Turned, same_sizes


def reshape(tracer, x, result):
    """The value of a result with the elements of `x` in another shape."""
    value = tracer.peek(x, Expanded)
    if isinstance(value, (Chosen, Fill)):
        return value
    source, target = list(x.shape), list(result.shape)
    if same_sizes(source, target):
        return tracer.peek(x, Late)
    keeps_rows = target and same_sizes(source[:1], target[:1])
    if isinstance(value, Expanded) and same_sizes(target, [source[0] * source[1], source[2]]):
        rows = tracer.make_like(value.rows, shape=[source[0], source[2]])
        tracer.bind(rows, reshape(tracer, value.rows, rows))
        return repeat(tracer, rows, value.times, result)
    if isinstance(value, Turned) and keeps_rows:
        return turn(tracer, result, _emit_reshape(tracer, value.rows, result), value.order)
    return _emit_reshape(tracer, x, result)


def _emit_reshape(tracer, x, result):
    shapes = list(x.shape), list(result.shape)
    name = emit_reshape(tracer, tracer.get_name(x), *shapes, tracer.get_element(result))
    if name is None:
        tracer.refuse(f"it is from {tuple(x.shape)} to {tuple(result.shape)}")
    return Rows(name)
