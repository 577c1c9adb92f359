# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bodies of elementwise operations, on scalars."""

import torch

from .coordinates import INTEGERS, follow
from .groups import emit_reshape, emit_squeezed
from .order import find_order, find_repeated, sort_operand, turn
from .places import NotHandled
from .text import write_number
from .values import Fill, Late, Repeated, Rows

_WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
_HALVES = ("f16", "bf16")


def is_float(element):
    return element not in _WIDTHS


class Scalars:
    """Writes the lines of a body that computes in one element type, f32 for floats."""

    def __init__(self, type):
        self.type, self.lines, self._count = type, [], 0

    def write(self, text):
        name = f"%v{self._count}"
        self._count += 1
        self.lines.append(f"{name} = {text}")
        return name

    def number(self, number):
        return self.write(f"arith.constant {write_number(number, self.type)}")

    def apply(self, name, *operands):
        """An operation of one type; `name` without a dialect is one of arith that is
        called differently for floats and integers."""
        if (name.startswith("math.") or name == "arith.negf") and not is_float(self.type):
            raise NotHandled(name)
        if "." not in name:
            name = f"arith.{name}{'f' if is_float(self.type) else 'i'}"
        return self.write(f"{name} {', '.join(operands)} : {self.type}")

    def largest(self, *operands):
        return self.apply(self._choose("maximum", "maxs", "or"), *operands)

    def smallest(self, *operands):
        return self.apply(self._choose("minimum", "mins", "and"), *operands)

    def _choose(self, of_floats, of_integers, of_truths):
        of_others = of_truths if self.type == "i1" else of_integers
        return of_floats if is_float(self.type) else of_others

    def compare(self, predicate, left, right):
        kind = "f" if is_float(self.type) else "i"
        order = {"f": {"eq": "oeq", "ne": "une"}, "i": {"eq": "eq", "ne": "ne"}}[kind]
        prefix = "o" if kind == "f" else "s"
        predicate = order.get(predicate, prefix + predicate)
        return self.write(f"arith.cmp{kind} {predicate}, {left}, {right} : {self.type}")

    def select(self, condition, left, right):
        return self.write(f"arith.select {condition}, {left}, {right} : {self.type}")

    def convert(self, value, source, target):
        """A value of one element type in another."""
        if source == target:
            return value
        if target == "i1":
            zero = self.write(f"arith.constant {write_number(0, source)}")
            kind, predicate = ("f", "une") if is_float(source) else ("i", "ne")
            return self.write(f"arith.cmp{kind} {predicate}, {value}, {zero} : {source}")
        for operation in _find_conversion(source, target):
            value = self.write(operation.format(value))
        return value


def _find_conversion(source, target):
    if is_float(source) and is_float(target):
        if source in _HALVES and target in _HALVES:
            return [
                f"arith.extf {{}} : {source} to f32",
                f"arith.truncf {{}} : f32 to {target}",
            ]
        return [
            f"arith.{'truncf' if target in _HALVES else 'extf'} {{}} : {source} to {target}"
        ]
    if is_float(target):
        return [
            f"arith.{'uitofp' if source == 'i1' else 'sitofp'} {{}} : {source} to {target}"
        ]
    if is_float(source):
        return [f"arith.fptosi {{}} : {source} to {target}"]
    if _WIDTHS[source] < _WIDTHS[target]:
        return [f"arith.{'extui' if source == 'i1' else 'extsi'} {{}} : {source} to {target}"]
    return [f"arith.trunci {{}} : {source} to {target}"]


def emit_elementwise(tracer, result, operands, body, compute=None):
    """The value of a result of operands that are broadcast: stand-ins, weights, numbers, and tensors
    with the axes of the result that they have. `body` gives a scalar of theirs, or a
    scalar and its type. Operands are widened to the type that is computed in, and the
    result is rounded once."""
    repeated = find_repeated(tracer, operands, result)
    if repeated:
        few = [_get_few(tracer, operand) for operand in operands]
        rows = tracer.make_like(result, shape=[repeated.rows.shape[0], *result.shape[1:]])
        tracer.bind(rows, emit_elementwise(tracer, rows, few, body, compute))
        return repeat(tracer, rows, repeated.times, result)
    order = find_order(tracer, operands, result)
    operands = [sort_operand(tracer, operand, order) for operand in operands]
    name = _emit(tracer, result, operands, body, compute)
    return turn(tracer, result, Rows(name), order) if order else Rows(name)


def emit_conversion(tracer, tensor, result):
    """The value of a result with the elements of a tensor in another type."""
    element = tracer.get_element(tensor)
    made = emit_elementwise(
        tracer, result, [tensor], lambda b, x: x, "f32" if is_float(element) else element
    )
    if result.dtype in INTEGERS:
        made.coordinates = follow(tracer, tensor)
        made.division = tracer.peek(tensor, Late).division
    return made


def _get_few(tracer, operand):
    """An operand without its repetitions."""
    if isinstance(operand, tuple):
        return _get_few(tracer, operand[0]), operand[1]
    value = tracer.peek(operand, Repeated) if isinstance(operand, torch.Tensor) else None
    return value.rows if isinstance(value, Repeated) else operand


def repeat(tracer, rows, times, result):
    """The value of a result that has each of some rows several times, one behind the other."""

    def emit():
        plain = tracer.make_like(rows)
        tracer.bind(plain, Rows(tracer.get_name(rows)))
        wide = tracer.make_like(rows, shape=[rows.shape[0], times, rows.shape[1]])
        name = _emit(tracer, wide, [(plain, [0, 2])], lambda b, x: x, None)
        shapes = list(wide.shape), list(result.shape)
        return Rows(emit_reshape(tracer, name, *shapes, tracer.get_element(result)))

    return Repeated(emit, rows, times)


def _emit(tracer, result, operands, body, compute):
    text, rank = tracer.text, result.dim()
    element = tracer.get_element(result)
    compute = compute or ("f32" if is_float(element) else element)
    scalars, inputs, maps, values = Scalars(compute), [], [], []
    for operand in operands:
        number = _get_number(tracer, operand)
        if number is not None:
            values.append(scalars.number(number))
            continue
        operand, axes = _place(operand, result)
        kept = [axis for axis, place in enumerate(axes) if place is not None]
        part = emit_squeezed(tracer, operand, kept)
        values.append(scalars.convert(f"%in{len(inputs)}", part[2], compute))
        inputs.append(part)
        maps.append(text.index_map(rank, [f"d{axes[axis]}" for axis in kept]))
    found = body(scalars, *values)
    found, type = found if isinstance(found, tuple) else (found, compute)
    found = scalars.convert(found, type, element)
    maps.append(text.index_map(rank, [f"d{i}" for i in range(rank)]))
    out = tracer.emit_empty(result.shape, element), tracer.get_type(result), element
    return emit_generic(text, inputs, out, maps, ["parallel"] * rank, scalars.lines, found)


def emit_generic(text, inputs, out, maps, kinds, lines, found):
    """A linalg.generic, as the name of its result. Inputs and what is written to are
    names, types and element types; the body calls them %in0, %in1, ... and %out."""
    kinds = ", ".join(f'"{kind}"' for kind in kinds)
    names, types = (", ".join(part[i] for part in inputs) for i in (0, 1))
    ins = f"ins({names} : {types}) " if inputs else ""
    arguments = [f"%in{i}: {part[2]}" for i, part in enumerate(inputs)]
    return text.emit_value(
        f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}",
        f"    {ins}outs({out[0]} : {out[1]}) {{",
        f"^bb0({', '.join([*arguments, f'%out: {out[2]}'])}):",
        *(f"  {line}" for line in [*lines, f"linalg.yield {found} : {out[2]}"]),
        f"}} -> {out[1]}",
    )


def _get_number(tracer, operand):
    if isinstance(operand, (bool, int, float)):
        return operand
    if isinstance(operand, tuple):
        return None
    value = tracer.get_known(operand)
    return value.number if isinstance(value, Fill) else None


def _place(operand, result):
    """A tensor, and for each of its axes the one of the result that it follows, or None
    where it has one element for many."""
    if isinstance(operand, tuple):
        return operand
    first = result.dim() - operand.dim()
    sizes = zip(operand.shape, result.shape[first:])
    return operand, [
        None if str(size) == "1" and str(whole) != "1" else first + axis
        for axis, (size, whole) in enumerate(sizes)
    ]
