# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows in the order of points, and in set order.

Layers with the names of another library return rows in the order of their input's, and
convolutions have them in set order. What a model computes between two convolutions is
written for rows in set order, so that only what comes from elsewhere, or goes there, is
gathered. An order is named by the point of each row."""

import math

import torch

from .groups import emit_reshape
from .text import tensor_type
from .values import Fill, Repeated, Rows, Turned, is_traced, same_sizes


def sort(tracer, tensor, order):
    """A tensor in set order, from one in the order of points."""
    value = tracer.peek(tensor, Repeated)
    if isinstance(value, Fill):
        return tensor
    if isinstance(value, Turned) and value.order == order:
        return value.rows
    rows = tracer.make_like(tensor)
    if isinstance(value, Repeated):
        source, numbers = _find_voxels(tracer, tensor, value, order)
    else:
        source, numbers = tensor, order
    tracer.bind(rows, Rows(emit_gather(tracer, source, tracer.get_name(source), numbers, rows)))
    return rows


def _find_voxels(tracer, tensor, repeated, order):
    """What `tensor` repeats the rows of, and the number of the row of each in another order."""
    parts = tracer.parts.get(order)
    if parts is None or parts.times != repeated.times:
        return repeated.rows, _emit_quotient(tracer, tensor, order, repeated.times)
    rows = repeated.rows
    return sort(tracer, rows, parts.order) if parts.order else rows, parts.rows


def turn(tracer, tensor, value, order):
    """What stands for `tensor` where `value` is the same in set order."""
    rows = tracer.make_like(tensor)
    tracer.bind(rows, value)
    return Turned(rows, order)


def turn_back(tracer, tensor, value):
    """The name of what is in set order, in the order of points."""
    name = tracer.get_name(value.rows)
    return emit_gather(tracer, value.rows, name, tracer.row_of[value.order], tensor)


def find_order(tracer, operands, result):
    """The order of points that all operands with rows, and so the result, are in; or an
    empty text. Rows that are repeated are gathered in any order."""
    orders = set()
    for operand in operands:
        tensor, axis = _split(operand, result)
        if not _has_rows(tensor):
            continue
        value = tracer.peek(tensor, Repeated)
        if isinstance(value, Fill) or isinstance(value, Repeated) and is_gathered(tensor):
            continue
        is_first = list(axis) == [0] and _has_rows(result)
        is_first = is_first and same_sizes(tensor.shape[:1], result.shape[:1])
        value = tracer.get_value(tensor)
        orders.add(value.order if is_first and isinstance(value, Turned) else "")
    return orders.pop() if len(orders) == 1 and is_gathered(result) else ""


def is_gathered(tensor):
    """Whether its rows can be gathered: no operation gathers integers, so none are kept in set
    order for points."""
    return tensor.dtype.is_floating_point or tensor.dtype == torch.bool


def find_repeated(tracer, operands, result):
    """One of the operands, where all that have rows repeat equally many of them equally often,
    or None."""
    found = []
    for operand in operands:
        tensor, axis = _split(operand, result)
        if not _has_rows(tensor):
            is_beside = isinstance(tensor, torch.Tensor) and list(axis) == [0]
            if is_beside and tensor.shape[:1] != (1,):
                return None
            continue
        value = tracer.peek(tensor, Repeated)
        if isinstance(value, Fill):
            continue
        if not isinstance(value, Repeated) or list(axis) != [0] or result.dim() != 2:
            return None
        found.append(value)
    kinds = {(str(value.rows.shape[0]), value.times) for value in found}
    return found[0] if len(kinds) == 1 else None


def sort_operand(tracer, operand, order):
    tensor = operand[0] if isinstance(operand, tuple) else operand
    if not order or not _has_rows(tensor):
        return operand
    tensor = sort(tracer, tensor, order)
    return (tensor, operand[1]) if isinstance(operand, tuple) else tensor


def _split(operand, result):
    """A tensor, and the axis of the result that its first axis is."""
    if isinstance(operand, tuple):
        return operand[0], operand[1][:1]
    dim = operand.dim() if isinstance(operand, torch.Tensor) else 0
    return operand, [result.dim() - dim]


def _has_rows(tensor):
    return is_traced(tensor) and isinstance(tensor, torch.Tensor) and tensor.dim() > 0 and (
        not isinstance(tensor.shape[0], int)
    )  # fmt: skip


def emit_gather(tracer, source, name, numbers, result):
    """Rows of a tensor that has a name, by their numbers, in the shape of the result.
    `sparseconv.gather` takes floats on two axes; truths are gathered as floats."""
    element = tracer.get_element(source)
    if element == "i1":
        types = tracer.get_type(source), tensor_type(source.shape, "f32")
        name = tracer.text.emit_value(f"arith.uitofp {name} : {types[0]} to {types[1]}")
        element = "f32"
    elif element.startswith("i"):
        tracer.refuse("the compiler picks rows of floats")
    if not all(isinstance(size, int) for size in source.shape[1:]):
        tracer.refuse("the compiler picks rows of a known number of channels")
    channels = math.prod(source.shape[1:])
    if channels == 0:
        return tracer.emit_empty(result.shape, tracer.get_element(result))
    flat = [[tensor.shape[0], channels] for tensor in (source, result)]
    name = emit_reshape(tracer, name, list(source.shape), flat[0], element)
    types = [tensor_type(shape, element) for shape in flat]
    of_numbers = tensor_type(result.shape[:1], "i32")
    line = f"sparseconv.gather {name}, {numbers} : {types[0]}, {of_numbers} -> {types[1]}"
    name = tracer.text.emit_value(line)
    name = emit_reshape(tracer, name, flat[1], list(result.shape), element)
    if tracer.get_element(result) != "i1":
        return name
    types = tensor_type(result.shape, "f32"), tracer.get_type(result)
    return tracer.text.emit_value(f"arith.fptoui {name} : {types[0]} to {types[1]}")


def _emit_quotient(tracer, tensor, numbers, divisor):
    """The numbers of rows, of which `tensor` has as many, divided and rounded down."""
    type, shape = tensor_type([None], "i32"), tensor.shape[:1]
    by = tracer.emit_filled(shape, "i32", divisor)
    return tracer.text.emit_value(f"arith.divui {numbers}, {by} : {type}")
