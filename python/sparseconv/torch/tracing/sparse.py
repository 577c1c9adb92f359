# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of the operators of sets, maps and features, which are operations of the
dialect."""

from .. import ir
from .text import tensor_type
from .tracer import handles
from .values import Map, Rows, Set


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


@handles("sparseconv::pack")
def _pack(tracer, a, result):
    points = tracer.get_name(a.points), tracer.get_type(a.points)
    made, order, row_of = tracer.emit_pack(*points, a.stride)
    return made, Rows(order), Rows(row_of)


@handles("sparseconv::output_set")
def _output_set(tracer, a, result):
    source = tracer.get_set(a.coords, a.stride)
    stride = ir.get_out_stride(a.rule, tuple(a.stride), tuple(a.by))
    type = tracer.text.set_type(stride)
    text = ir.output_set_operation(
        a.rule, a.by, a.offsets, a.clip, source.name, source.type, type
    )
    return Set(tracer.text.emit_value(text, "set"), type, stride)


@handles("sparseconv::union")
def _union(tracer, a, result):
    left, right = (tracer.get_set(coords, a.stride) for coords in (a.lhs, a.rhs))
    number = tracer.text.make_name().removeprefix("%")
    names = [f"%set{number}", f"%left{number}", f"%right{number}"]
    line = f"sparseconv.union {left.name}, {right.name} : {left.type}"
    tracer.text.emit(f"{', '.join(names)} = {line}")
    return Set(names[0], left.type, left.stride), Rows(names[1]), Rows(names[2])


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
    return Map(tracer.text.emit_value(line, "map"), type, source.type, target.type, volume)


@handles("sparseconv::transpose_table")
def _transpose_table(tracer, a, result):
    map = _get_map(tracer, a.table)
    type = tracer.text.map_type(map.volume, map.target, map.source)
    line = f"sparseconv.transpose_map {map.name} : {map.type} -> {type}"
    return Map(tracer.text.emit_value(line, "map"), type, map.target, map.source, map.volume)


# Features ---------------------------------------------------------------------


def emit_conv(tracer, x, w, map, result_type):
    tf32 = x.is_cuda and tracer.allow_tf32 and tracer.get_element(x) == "f32"
    word = " tf32 = allowed" if tf32 else ""
    return _emit(
        tracer, f"sparseconv.conv {{}}, {{}}, {{}}{word}",
        [tracer.get_name(x), tracer.get_name(w), map.name],
        [tracer.get_type(x), tracer.get_type(w), map.type], result_type,
    )  # fmt: skip


@handles("sparseconv::conv")
def _conv(tracer, a, result):
    if a.x.dtype != a.w.dtype:
        tracer.refuse(f"it has features of {a.x.dtype} and weights of {a.w.dtype}")
    return emit_conv(tracer, a.x, a.w, _get_map(tracer, a.table), tracer.get_type(result))


@handles("sparseconv::pool")
def _pool(tracer, a, result):
    map, type = _get_map(tracer, a.table), tracer.get_type(a.x)
    word = " count(volume)" if a.count_volume else ""
    return _emit(
        tracer, f"sparseconv.pool {a.kind} {{}}, {{}}{word}",
        [tracer.get_name(a.x), map.name], [type, map.type], tracer.get_type(result),
    )  # fmt: skip


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
    name, element = tracer.get_name(rows), tracer.get_element(rows)
    if element == "i32":
        return name
    if element != "i64" or rows.dim() != 1:
        tracer.refuse("the compiler takes a list of row numbers")
    wide, narrow = (tensor_type(rows.shape, e) for e in ("i64", "i32"))
    return tracer.text.emit_value(f"arith.trunci {name} : {wide} to {narrow}")


def _emit_gather(tracer, x, rows, result):
    if x.dim() != 2:
        tracer.refuse("the compiler picks rows of [rows, channels]")
    numbers = _get_row_numbers(tracer, rows)
    types = [tracer.get_type(x), tensor_type(rows.shape, "i32")]
    return _emit(
        tracer, "sparseconv.gather {}, {}", [tracer.get_name(x), numbers], types,
        tracer.get_type(result),
    )  # fmt: skip


@handles("sparseconv::gather")
def _gather(tracer, a, result):
    return _emit_gather(tracer, a.x, a.rows, result)


@handles("aten::index_select")
def _index_select(tracer, a, result):
    if a.dim not in (0, -a.self.dim()):
        tracer.refuse("the compiler picks rows, not channels")
    return _emit_gather(tracer, a.self, a.index, result)


def emit_scatter(tracer, x, rows, count, result):
    numbers = _get_row_numbers(tracer, rows)
    types = [tracer.get_type(x), tensor_type(rows.shape, "i32")]
    size = tracer.emit_size(count)
    return _emit(
        tracer, "sparseconv.scatter {}, {} into {}", [tracer.get_name(x), numbers, size],
        types, tracer.get_type(result),
    )  # fmt: skip


@handles("sparseconv::scatter")
def _scatter(tracer, a, result):
    return emit_scatter(tracer, a.x, a.rows, a.count, result)
