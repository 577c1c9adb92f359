# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of the operators of sets, maps and features, which are operations of the
dialect."""

import dataclasses
import math

import torch

from .. import ir
from .coordinates import INTEGERS
from .divisions import emit_parts, emit_voxels, find_kernel
from .order import emit_gather, find_order, sort, sort_operand, turn
from .scalars import repeat
from .text import tensor_type
from .tracer import handles
from .values import Chosen, Map, Repeated, Rows, Set, Turned, is_traced
from .views import Cut, emit_concat, emit_cut


def _emit(tracer, operation, operands, types, result_type):
    """An operation with its operands and types, as a value."""
    line = f"{operation.format(*operands)} : {', '.join(types)} -> {result_type}"
    return Rows(tracer.text.emit_value(line))


def _get_map(tracer, table):
    value = tracer.get_value(table)
    if not isinstance(value, Map):
        tracer.refuse("it is given as a table, not made by a layer")
    return value


# Sets -------------------------------------------------------------------------


def _emit_pack(tracer, a, are_distinct):
    results = emit_parts(tracer, a.points, a.stride, are_distinct)
    if results is None:
        points = tracer.get_name(a.points), tracer.get_type(a.points)
        results = tracer.emit_pack(*points, a.stride)
    made, order, row_of = results
    made.division = tracer.get_value(a.points).division
    return made, Rows(order), Rows(row_of)


@handles("sparseconv::pack")
def _pack(tracer, a, result):
    return _emit_pack(tracer, a, are_distinct=False)


@handles("sparseconv::pack_distinct")
def _pack_distinct(tracer, a, result):
    made, order, row_of = _emit_pack(tracer, a, are_distinct=True)
    tracer.row_of[order.name], tracer.order[row_of.name] = row_of.name, order.name
    tracer.packed[made.points] = made
    return made, order, row_of


@handles("sparseconv::output_set")
def _output_set(tracer, a, result):
    source = tracer.get_set(a.coords, a.stride)
    stride = ir.get_out_stride(a.rule, tuple(a.stride), tuple(a.by))
    type = tracer.text.set_type(stride)
    text = ir.output_set_operation(
        a.rule, a.by, a.offsets, a.clip, source.name, source.type, type
    )
    return Set(tracer.text.emit_value(text, stem="set"), type, stride)


@handles("sparseconv::union")
def _union(tracer, a, result):
    left, right = (tracer.get_set(coords, a.stride) for coords in (a.lhs, a.rhs))
    line = f"sparseconv.union {left.name}, {right.name} : {left.type}"
    names = tracer.text.emit_values(line, stems=("set", "left", "right"))
    return Set(names[0], left.type, left.stride), Rows(names[1]), Rows(names[2])


def _emit_prune(tracer, source, mask):
    """The coordinates of a set where a mask is true, and the rows that they come from."""
    line = f"sparseconv.prune {source.name}, {tracer.get_name(mask)} : {source.type}"
    kept, rows = tracer.text.emit_values(
        f"{line}, {tracer.get_type(mask)}", stems=("set", "rows")
    )
    return Set(kept, source.type, source.stride), rows


@handles("aten::nonzero")
def _nonzero(tracer, a, result):
    """The rows where a mask of a set is true, as `prune` asks for them."""
    source = tracer.find_set_of(a.self.shape[0]) if a.self.dim() == 1 else None
    if source is None or a.self.dtype != torch.bool:
        tracer.refuse()
    kept, rows = _emit_prune(tracer, source, a.self)
    return Chosen(rows, source, kept)


# Maps -------------------------------------------------------------------------


@handles("sparseconv::kernel_map")
def _kernel_map(tracer, a, result):
    source = tracer.get_set(a.in_coords, a.in_stride)
    target = tracer.get_set(a.out_coords, a.out_stride)
    return emit_map(tracer, source, target, a.offsets, a.volume, a.transposed)


def emit_map(tracer, source, target, offsets, volume, transposed=False):
    type = tracer.text.map_type(volume, source.type, target.type)
    word = " transposed" if transposed else ""
    line = f"sparseconv.kernel_map {source.name} to {target.name} offsets({offsets}){word} : {type}"
    name = tracer.text.emit_value(line, stem="map")
    # Transposed, the offsets lead the other way.
    is_own = source.name == target.name and (not transposed or volume == 1)
    coords = source if is_own else None
    return Map(name, type, source.type, target.type, volume, offsets, coords)


@handles("sparseconv::transpose_table")
def _transpose_table(tracer, a, result):
    map = _get_map(tracer, a.table)
    type = tracer.text.map_type(map.volume, map.target, map.source)
    line = f"sparseconv.transpose_map {map.name} : {map.type} -> {type}"
    made = Map(tracer.text.emit_value(line, stem="map"), type, map.target, map.source, map.volume)
    made.order = tracer.order.get(map.row_of, "")
    made.row_of = tracer.row_of.get(map.order, "")
    return made


@handles("sparseconv::renumber")
def _renumber(tracer, a, result):
    names = ["" if rows is None else tracer.get_name(rows) for rows in (a.order, a.row_of)]
    return dataclasses.replace(_get_map(tracer, a.table), order=names[0], row_of=names[1])


# Features ---------------------------------------------------------------------


def emit_conv(tracer, x, w, map, result_type):
    tf32 = x.is_cuda and tracer.allow_tf32 and tracer.get_element(x) == "f32"
    word = " tf32 = allowed" if tf32 else ""
    return _emit(
        tracer, f"sparseconv.conv {{}}, {{}}, {{}}{word}",
        [tracer.get_name(x), tracer.get_name(w), map.name],
        [tracer.get_type(x), tracer.get_type(w), map.type], result_type,
    )  # fmt: skip


def emit_row_product(tracer, x, w, coords, result):
    """The rows of a set times a weight [1, in, out], as a convolution of one offset."""
    map = emit_map(tracer, coords, coords, coords.write_one(), 1)
    order = find_order(tracer, [x], result)
    x = sort_operand(tracer, x, order)
    made = emit_conv(tracer, x, w, map, tracer.get_type(result))
    return turn(tracer, result, made, order) if order else made


@handles("sparseconv::conv")
def _conv(tracer, a, result):
    if a.x.dtype != a.w.dtype:
        tracer.refuse(f"it has features of {a.x.dtype} and weights of {a.w.dtype}")
    map = _get_map(tracer, a.table)
    repeated = tracer.peek(a.x, Repeated)
    if isinstance(repeated, Repeated) and not is_traced(a.w):
        made = _convolve_repeated(tracer, repeated, a.w, map, result)
        if made:
            return made
    x = _sort(tracer, a.x, map)
    return _turn(tracer, result, emit_conv(tracer, x, a.w, map, tracer.get_type(result)), map)


def _convolve_repeated(tracer, repeated, w, near, result):
    """A convolution of rows that are repeated, by way of each of them once; or None."""
    if near.is_identity and bool(near.order) == bool(near.row_of):
        coords = tracer.find_set_of(repeated.rows.shape[0])
        if coords:
            rows = tracer.make_like(result, shape=[repeated.rows.shape[0], result.shape[1]])
            tracer.bind(rows, emit_row_product(tracer, repeated.rows, w, coords, rows))
            return repeat(tracer, rows, repeated.times, result)
    kernel = find_kernel(tracer, near, repeated, w)
    if kernel is None:
        return None
    voxels = emit_voxels(tracer, near.coords.division.points, kernel.steps, are_distinct=True)
    x = sort(tracer, repeated.rows, voxels.order) if voxels.order else repeated.rows
    box = f"box<{', '.join(map(str, kernel.sizes))}>"
    from_voxels = emit_map(tracer, voxels.set, near.coords, box, math.prod(kernel.sizes), True)
    w = tracer.weights.derive(w, ("divided", kernel), kernel.sum_weights)
    made = emit_conv(tracer, x, w, from_voxels, tracer.get_type(result))
    return _turn(tracer, result, made, near)


def _sort(tracer, x, map):
    """Features in the order of a map's in set."""
    return sort(tracer, x, map.order) if map.order else x


def _turn(tracer, result, value, map):
    """Features of a map's out set in the order that the result has."""
    return turn(tracer, result, value, tracer.order[map.row_of]) if map.row_of else value


@handles("sparseconv::pool")
def _pool(tracer, a, result):
    map, type = _get_map(tracer, a.table), tracer.get_type(a.x)
    word = " count(volume)" if a.count_volume else ""
    made = _emit(
        tracer, f"sparseconv.pool {a.kind} {{}}, {{}}{word}",
        [tracer.get_name(_sort(tracer, a.x, map)), map.name], [type, map.type],
        tracer.get_type(result),
    )  # fmt: skip
    return _turn(tracer, result, made, map)


@handles("sparseconv::global_pool")
def _global_pool(tracer, a, result):
    coords = _find_any_set(tracer, a.coords)
    return _emit(
        tracer, f"sparseconv.global_pool {a.kind} {{}}, {{}}",
        [tracer.get_name(a.x), coords.name], [tracer.get_type(a.x), coords.type],
        tracer.get_type(result),
    )  # fmt: skip


def _find_any_set(tracer, coords):
    """The set of some coordinates, whatever its stride."""
    value = tracer.get_value(coords)
    return (
        value
        if isinstance(value, Set)
        else tracer.get_set(coords, (1,) * (coords.shape[1] - 1))
    )


@handles("sparseconv::to_dense", "sparseconv::from_dense")
def _dense(tracer, a, result):
    source = getattr(a, "x", None)
    name, source = ("to_dense", source) if source is not None else ("from_dense", a.grid)
    coords = tracer.get_set(a.coords, a.stride)
    origin = ", ".join(["0"] * len(a.stride))
    return _emit(
        tracer, f"sparseconv.{name} {{}}, {{}} origin [{origin}]",
        [tracer.get_name(source), coords.name], [tracer.get_type(source), coords.type],
        tracer.get_type(result),
    )  # fmt: skip


def _emit_points(tracer, operation, a, result):
    coords = tracer.get_set(a.coords, a.stride)
    operands = [tracer.get_name(a.x), tracer.get_name(a.points), coords.name]
    types = [tracer.get_type(a.x), tracer.get_type(a.points), coords.type]
    return _emit(tracer, operation + " {}, {}, {}", operands, types, tracer.get_type(result))


@handles("sparseconv::voxelise")
def _voxelise(tracer, a, result):
    return _emit_points(tracer, f"sparseconv.voxelise {a.interpolation} sum", a, result)


@handles("sparseconv::devoxelise")
def _devoxelise(tracer, a, result):
    return _emit_points(tracer, f"sparseconv.devoxelise {a.interpolation}", a, result)


# Rows -------------------------------------------------------------------------


def _get_row_numbers(tracer, rows):
    """Row numbers in i32, which is what the dialect's operations take."""
    if isinstance(tracer.get_known(rows), Chosen):
        return tracer.get_known(rows).name
    name, element = tracer.get_name(rows), tracer.get_element(rows)
    if element == "i32":
        return name
    if element != "i64" or rows.dim() != 1:
        tracer.refuse("the compiler takes a list of row numbers")
    wide, narrow = (tensor_type(rows.shape, e) for e in ("i64", "i32"))
    return tracer.text.emit_value(f"arith.trunci {name} : {wide} to {narrow}")


def _pick_rows(tracer, x, rows, result):
    if x.dim() == 0:
        tracer.refuse("the compiler picks rows of [rows, ...]")
    numbers = _get_row_numbers(tracer, rows)
    value = tracer.get_value(x)
    if isinstance(value, Turned) and value.order == numbers:
        return tracer.get_value(value.rows)
    chosen = tracer.get_known(rows)
    if isinstance(chosen, Chosen) and value is chosen.source:
        return chosen.kept
    if isinstance(value, Set) and value.row_of == numbers:
        return Rows(value.points)
    return Rows(emit_gather(tracer, x, tracer.get_name(x), numbers, result))


@handles("sparseconv::gather")
def _gather(tracer, a, result):
    return _pick_rows(tracer, a.x, a.rows, result)


@handles("aten::index_select")
def _index_select(tracer, a, result):
    if a.dim in (0, -a.self.dim()):
        return _pick_rows(tracer, a.self, a.index, result)
    return _pick_columns(tracer, a.self, a.dim % a.self.dim(), a.index, result)


def _pick_columns(tracer, x, dim, numbers, result):
    """The columns of some numbers, which are constants, one after the other."""
    if is_traced(numbers) or not isinstance(x.shape[dim], int):
        tracer.refuse("the compiler picks columns by numbers that no input changes")
    if numbers.dim() != 1 or numbers.dtype not in INTEGERS or not len(numbers):
        tracer.refuse("the compiler picks columns by a list of numbers")
    columns = []
    for number in tracer.weights.hold(numbers).tolist():
        cut = Cut(dim, number % x.shape[dim], 1)
        column = tracer.make_like(x, shape=cut.shape(x.shape))
        tracer.bind(column, emit_cut(tracer, x, cut, tracer.get_type(column)))
        columns.append(column)
    return emit_concat(tracer, result, dim, columns)


@handles("aten::index")
def _index(tracer, a, result):
    """Coordinates, and no other rows, where a mask is true; and columns."""
    places = [axis for axis, index in enumerate(a.indices) if index is not None]
    if is_traced(a.self) and len(places) == 1 and places[0] > 0:
        return _pick_columns(tracer, a.self, places[0], a.indices[places[0]], result)
    mask, *others = a.indices
    source = tracer.get_known(a.self)
    is_mask = not others and mask is not None and mask.dtype == torch.bool and mask.dim() == 1
    if not is_mask or not isinstance(source, Set):
        tracer.refuse()
    return _emit_prune(tracer, source, mask)[0]


def emit_scatter(tracer, x, rows, count, result):
    numbers = _get_row_numbers(tracer, rows)
    types = [tracer.get_type(x), tensor_type(rows.shape, "i32")]
    size = tracer.emit_size(count)
    made = tensor_type([None, *result.shape[1:]], tracer.get_element(result))
    value = _emit(
        tracer, "sparseconv.scatter {}, {} into {}", [tracer.get_name(x), numbers, size],
        types, made,
    )  # fmt: skip
    if made == tracer.get_type(result):
        return value
    line = f"tensor.cast {value.name} : {made} to {tracer.get_type(result)}"
    return Rows(tracer.text.emit_value(line))


@handles("sparseconv::scatter")
def _scatter(tracer, a, result):
    return emit_scatter(tracer, a.x, a.rows, a.count, result)
