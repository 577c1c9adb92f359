# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of eager operations, as text.

Each function writes one, for a shape class: element types, channels, offsets and
strides, not numbers of rows. The text is also the key of what is compiled from it.

A coordinate set is an array of its points, in set order (`in_order`, which saves
sorting them where they are trusted), and a kernel map is its neighbour table. An
operation on a table needs no coordinates, but a network's maps relate sets: there each
side is a set of row numbers."""

import functools
import math
import re

from .operands_ir import list_numbers, refer, write_layout

#: For each number of axes the bits of a coordinate and the largest offset (times
#: the stride) that fits.
_AXIS = {1: (32, 65536), 2: (27, 16384), 3: (18, 4096), 4: (14, 512)}
BATCH_BITS = 8

ROWS = """#rows = #sparseconv.packing<i64, batch = 0, bits = [32], guard = [1]>
!rows = !sparseconv.coords<1, stride = [1], #rows>
"""
#: From so many rows on a convolution on a GPU has kernels that need many.
MANY_ROWS = 30_000
#: The same sets for them: the compiler takes a set of several axes and a stride of 1 to have
#: many rows, and does not guess of one axis.
_MANY_ROWS = """#rows = #sparseconv.packing<i64, batch = 0, bits = [32, 3], guard = [1, 1]>
!rows = !sparseconv.coords<2, stride = [1, 1], #rows>
"""


def get_range(dim):
    """The lowest and highest coordinate on an axis."""
    bits, guard = _AXIS[dim]
    return -(1 << bits - 1) + guard, (1 << bits - 1) - 1 - guard


def packing(dim):
    """The packing of coordinates with a number of axes."""
    bits, guard = _AXIS[dim]
    return (
        f"#sparseconv.packing<i64, batch = {BATCH_BITS}, "
        f"bits = {list_numbers([bits] * dim)}, guard = {list_numbers([guard] * dim)}>"
    )


def write_packing(dim):
    return f"#packing = {packing(dim)}\n"


def write_set(name, stride):
    return f"!{name} = !sparseconv.coords<{len(stride)}, stride = {list_numbers(stride)}, #packing>\n"


def write_function(inputs, outputs, body):
    """`inputs` and `outputs` map names to types; the body gives `%NAME` to each."""
    arguments = ",\n    ".join(
        f'%{name}: {type} {{sparseconv.name = "{name}"}}' for name, type in inputs.items()
    )
    results = ", ".join(
        f'{type} {{sparseconv.name = "{name}"}}' for name, type in outputs.items()
    )
    names = ", ".join("%" + name for name in outputs)
    types = ", ".join(outputs.values())
    return (
        f"func.func @main(\n    {arguments}\n) -> ({results}) {{\n{body}"
        f"  return {names} : {types}\n}}\n"
    )


def get_points_type(dim):
    return f"tensor<?x{dim + 1}xi32>"


# Sets -------------------------------------------------------------------------


@functools.cache
def pack(stride):
    dim = len(stride)
    points = get_points_type(dim)
    body = (
        f"  %set, %order, %row_of = sparseconv.pack %points : {points} -> !set\n"
        f"  %coords = sparseconv.unpack %set : !set -> {points}\n"
    )
    outputs = {"coords": points, "order": "tensor<?xi32>", "row_of": "tensor<?xi32>"}
    types = write_packing(dim) + write_set("set", stride)
    return types + write_function({"points": points}, outputs, body)


def get_out_stride(rule, stride, by):
    """The stride of the set that a rule makes."""
    return tuple(s // b if rule == "upsample" else s * b for s, b in zip(stride, by))


def output_set_operation(rule, by, offsets, clip, source, source_type, target_type):
    """The operation that makes an output set: see `output_set`. `clip` has the upper
    bounds of a region from 0, or nothing."""
    region = f" clip(<{list_numbers([0] * len(by))} to {list_numbers(clip)}>)" if clip else ""
    how = f"offsets({offsets}){{}}{region}"
    types = f"{source_type} -> {target_type}"
    if rule == "floor":
        return f"sparseconv.downsample {source} by {list_numbers(by)} : {types}"
    if rule == "cover":
        how = how.format("")
        return f"sparseconv.downsample {source} by {list_numbers(by)} cover {how} : {types}"
    if rule == "upsample":
        return f"sparseconv.upsample {source} by {list_numbers(by)} {how.format('')} : {types}"
    word = " transposed" if rule == "expand_transposed" else ""
    return f"sparseconv.expand {source} {how.format(word)} : {source_type}"


def write_kept(dim, source, kept, bounds, set_type):
    """The set `%KEPT` of the coordinates of another one that are not below 0, and below the
    elements of an input. The batch index is the first one."""
    points = get_points_type(dim)
    return f"""  %{kept}_all = sparseconv.unpack %{source} : {set_type} -> {points}
  %{kept}_axis = arith.constant 0 : index
  %{kept}_true = arith.constant true
  %{kept}_size = tensor.dim %{kept}_all, %{kept}_axis : {points}
  %{kept}_empty = tensor.empty(%{kept}_size) : tensor<?xi1>
  %{kept}_init = linalg.fill ins(%{kept}_true : i1) outs(%{kept}_empty : tensor<?xi1>)
    -> tensor<?xi1>
  %{kept}_mask = linalg.generic {{
    indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>,
                     affine_map<(r, c) -> (r)>],
    iterator_types = ["parallel", "reduction"]
  }} ins(%{kept}_all, %{bounds} : {points}, tensor<{dim + 1}xi32>)
    outs(%{kept}_init : tensor<?xi1>) {{
  ^body(%at: i32, %bound: i32, %others: i1):
    %zero = arith.constant 0 : i32
    %positive = arith.cmpi sge, %at, %zero : i32
    %below = arith.cmpi slt, %at, %bound : i32
    %inside = arith.andi %positive, %below : i1
    %both = arith.andi %inside, %others : i1
    linalg.yield %both : i1
  }} -> tensor<?xi1>
  %{kept}, %{kept}_rows = sparseconv.prune %{source}, %{kept}_mask : {set_type}, tensor<?xi1>
"""


@functools.cache
def output_set(rule, stride, by, offsets, is_bounded):
    """`rule` is floor, cover, upsample, expand or expand_transposed; `by` the factor
    between the strides. Where it `is_bounded`, the set has no coordinates below 0, or from
    the elements of a second input on, `bounds`, the first of which is for batch indices: a
    grid whose size depends on the points has the same network as others."""
    dim = len(stride)
    points = get_points_type(dim)
    out_stride = get_out_stride(rule, stride, by)
    inputs, made = {"points": points}, "%out"
    body = (
        f"  %in, %order, %row_of = sparseconv.pack %points {{in_order}} : {points} -> !in\n"
        f"  %out = {output_set_operation(rule, by, offsets, (), '%in', '!in', '!out')}\n"
    )
    if is_bounded:
        inputs["bounds"], made = f"tensor<{dim + 1}xi32>", "%kept"
        body += write_kept(dim, "out", "kept", "bounds", "!out")
    body += f"  %coords = sparseconv.unpack {made} : !out -> {points}\n"
    types = write_packing(dim) + write_set("in", stride) + write_set("out", out_stride)
    return types + write_function(inputs, {"coords": points}, body)


@functools.cache
def union(stride):
    dim = len(stride)
    points = get_points_type(dim)
    body = (
        f"  %a, %a_order, %a_row_of = sparseconv.pack %lhs {{in_order}} : {points} -> !set\n"
        f"  %b, %b_order, %b_row_of = sparseconv.pack %rhs {{in_order}} : {points} -> !set\n"
        "  %set, %lhs_rows, %rhs_rows = sparseconv.union %a, %b : !set\n"
        f"  %coords = sparseconv.unpack %set : !set -> {points}\n"
    )
    outputs = {"coords": points, "lhs_rows": "tensor<?xi32>", "rhs_rows": "tensor<?xi32>"}
    inputs = {"lhs": points, "rhs": points}
    return write_packing(dim) + write_set("set", stride) + write_function(inputs, outputs, body)


# Maps -------------------------------------------------------------------------


@functools.cache
def kernel_map(in_stride, out_stride, offsets, volume, transposed, from_itself, by_tiles):
    """`from_itself` says that both sets are one, which is given once. With `by_tiles`
    the results are the table and the tiles."""
    dim = len(in_stride)
    points, table = get_points_type(dim), f"tensor<?x{volume}xi32>"
    sides = ("in",) if from_itself else ("in", "out")
    body = "".join(
        f"  %{side}, %{side}_order, %{side}_row_of = sparseconv.pack %{side}_points {{in_order}} "
        f": {points} -> !{side}\n"
        for side in sides
    )
    word = " transposed" if transposed else ""
    body += (
        f"  %map = sparseconv.kernel_map %in to %{sides[-1]} offsets({offsets}){word} : !map\n"
        f"  %table = sparseconv.neighbour_table %map : !map -> {table}\n"
    )
    types = write_packing(dim) + write_set("in", in_stride) + write_set("out", out_stride)
    types += f"!map = !sparseconv.kernel_map<{volume}, !in to !{sides[-1]}>\n"
    inputs = {f"{side}_points": points for side in sides}
    outputs = {"table": table}
    if by_tiles:
        outputs.update(get_tile_types(volume))
        body += _write_tiles(volume, "%map")
    return types + write_function(inputs, outputs, body)


def write_renumbered(name, table, volume, row_of, order):
    """The table `%NAME` of another one: see `renumber`. The arrays are named, or None."""
    sides = [("out", row_of), ("in", order)]
    sides = [(side, rows) for side, rows in sides if rows is not None]
    type, body, last = f"tensor<?x{volume}xi32>", "", table
    for number, (side, rows) in enumerate(sides, 1):
        made = name if number == len(sides) else f"{name}_{side}"
        body += (
            f"  %{made} = sparseconv.renumber_table {side} %{last}, %{rows} "
            f": {type}, tensor<?xi32> -> {type}\n"
        )
        last = made
    return body


@functools.cache
def renumber(volume, has_row_of, has_order):
    """A table with the rows of points for those of sets: `row_of` has the row of each point
    of the out set, `order` the point of each row of the in set."""
    table, rows = f"tensor<?x{volume}xi32>", "tensor<?xi32>"
    row_of = "row_of" if has_row_of else None
    order = "order" if has_order else None
    inputs = {"table": table, **{name: rows for name in (row_of, order) if name}}
    body = write_renumbered("renumbered", "table", volume, row_of, order)
    return write_function(inputs, {"renumbered": table}, body)


def number_rows(side, tensor, type):
    """The set `%SIDE` of the numbers of a tensor's rows, which the compiler knows to
    be sorted: each element of its points is the row times the column."""
    product = "    %product = arith.muli %row, %column : index\n"
    return _number_rows(side, tensor, type, "tensor<?x2xi32>", product)


def _number_many_rows(side, tensor, type):
    """The same with a second axis, whose coordinates are zeros."""
    product = """    %one = arith.constant 1 : index
    %is_first = arith.andi %column, %one : index
    %product = arith.muli %row, %is_first : index
"""
    return _number_rows(side, tensor, type, "tensor<?x3xi32>", product, " {in_order}")


def _number_rows(side, tensor, type, points, product, word=""):
    return f"""  %{side}_size = tensor.dim %{tensor}, %axis : {type}
  %{side}_init = tensor.empty(%{side}_size) : {points}
  %{side}_points = linalg.generic {{
    indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]
  }} outs(%{side}_init : {points}) {{
  ^body(%old: i32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
{product}    %number = arith.index_cast %product : index to i32
    linalg.yield %number : i32
  }} -> {points}
  %{side}, %{side}_order, %{side}_row_of = sparseconv.pack %{side}_points{word} : {points} -> !rows
"""


def _on_table(volume, inputs, outputs, operation, rows_of=None, out_rows_of="table"):
    """A network on a given table: the operation reads `%map`. The in set has the rows
    of an input, or of one more, `in_rows`, whose elements nobody reads; the out set
    those of another input."""
    table = f"tensor<?x{volume}xi32>"
    inputs = {**inputs, "table": table}
    if rows_of is None:
        rows_of = "in_rows"
        inputs[rows_of] = "tensor<?x1xi32>"
    body = (
        "  %axis = arith.constant 0 : index\n"
        + number_rows("in", rows_of, inputs[rows_of])
        + number_rows("out", out_rows_of, inputs[out_rows_of])
        + f"  %map = sparseconv.map_from_table %table, %in to %out : {table}, !map\n"
        + operation
    )
    types = ROWS + f"!map = !sparseconv.kernel_map<{volume}, !rows to !rows>\n"
    return types + write_function(inputs, outputs, body)


@functools.cache
def transpose_table(volume, by_tiles):
    table = f"tensor<?x{volume}xi32>"
    outputs = {"back": table}
    operation = (
        "  %turned = sparseconv.transpose_map %map : !map -> !map\n"
        f"  %back = sparseconv.neighbour_table %turned : !map -> {table}\n"
    )
    if by_tiles:
        outputs.update(get_tile_types(volume))
        operation += _write_tiles(volume, "%turned")
    return _on_table(volume, {}, outputs, operation)


def get_tile_types(volume):
    """The tensors that a GPU reads of a map: see `sparseconv.map_tiles`."""
    return {
        "tiles": f"tensor<{volume}x?xi32>",
        "order": "tensor<?xi32>",
        "masks": f"tensor<?x{-(-volume // 32)}xi32>",
        "sizes": "tensor<3xindex>",
    }


def _write_tiles(volume, name, row_order=None):
    word = f" {{row_order = #sparseconv<row_order {row_order}>}}" if row_order else ""
    return f"  {refer(get_tile_types(volume))} = sparseconv.map_tiles {name}{word} : !map\n"


@functools.cache
def tile_table(volume, row_order=None):
    """The tiles of a table's map, in the order of rows that `sparseconv.conv` describes."""
    tiles = _write_tiles(volume, "%map", row_order)
    return _on_table(volume, {}, get_tile_types(volume), tiles)


# Features ---------------------------------------------------------------------


def _weights(volume, in_channels, out_channels, groups, dtype):
    if groups == 1:
        return f"tensor<{volume}x{in_channels}x{out_channels}x{dtype}>"
    shape = f"{volume}x{groups}x{in_channels // groups}x{out_channels // groups}"
    return f"tensor<{shape}x{dtype}>"


@functools.cache
def conv(kind, volume, in_channels, out_channels, groups, dtype, tf32=False, epilogue=None,
         layout=None):  # fmt: skip
    """`kind` is conv, input_grad or weight_grad. An `epilogue` of conv is a `Bias` or a `Norm`
    of `operands_ir`; with a `layout` its weights are another library's."""
    x, dy = f"tensor<?x{in_channels}x{dtype}>", f"tensor<?x{out_channels}x{dtype}>"
    w = _weights(volume, in_channels, out_channels, groups, dtype)
    inputs, result, names = {
        "conv": ({"x": x, "w": w}, dy, "%x, %w"),
        "input_grad": ({"dy": dy, "w": w}, x, "%dy, %w"),
        "weight_grad": ({"x": x, "dy": dy}, w, "%x, %dy"),
    }[kind]
    word = f" groups({groups})" if kind == "weight_grad" and groups > 1 else ""
    word += " tf32 = allowed" if tf32 and dtype == "f32" else ""
    types, extras, prelude = ", ".join(inputs.values()), {}, ""
    if layout is not None:
        prelude, inputs["w"] = write_layout(layout, dtype)
        names = "%x, %kernel"
    if epilogue is not None:
        extras, text, region = epilogue.write(out_channels)
        prelude, word = prelude + text, word + region
    operation = prelude + (
        f"  %result = sparseconv.{kind} {names}, %map{word} : {types}, !map -> {result}\n"
    )
    rows_of = None if kind == "input_grad" else "x"
    out_rows_of = "table" if kind == "conv" else "dy"
    inputs = {**inputs, **extras}
    return _on_table(volume, inputs, {"result": result}, operation, rows_of, out_rows_of)


@functools.cache
def conv_by_tiles(has_many_rows, kind, volume, in_channels, out_channels, groups, dtype,
                  tf32=False, epilogue=None, layout=None):  # fmt: skip
    """conv on the tiles of a map, or input_grad on those of its transposed map. The
    result has the rows of one more input, `table`, whose elements nobody reads; whether
    they are `MANY_ROWS` makes the kernels faster or slower, and is no promise."""
    tiles, table = get_tile_types(volume), f"tensor<?x{volume}xi32>"
    w = _weights(volume, in_channels, out_channels, groups, dtype)
    sides = [f"tensor<?x{in_channels}x{dtype}>", f"tensor<?x{out_channels}x{dtype}>"]
    x, result = sides if kind == "conv" else reversed(sides)
    word = " tf32 = allowed" if tf32 and dtype == "f32" else ""
    extras, prelude, given, kernel = {}, "", w, "%w"
    rows, number = (_MANY_ROWS, _number_many_rows) if has_many_rows else (ROWS, number_rows)
    if layout is not None:
        prelude, given = write_layout(layout, dtype)
        kernel = "%kernel"
    if epilogue is not None:
        extras, text, region = epilogue.write(out_channels)
        prelude, word = prelude + text, word + region
    body = (
        "  %axis = arith.constant 0 : index\n"
        + prelude
        + number("in", "x", x)
        + number("out", "table", table)
        + f"  %given = sparseconv.map_from_tiles {refer(tiles)}, %in to %out "
        f": {', '.join(tiles.values())}, !map\n"
    )
    name = "%given"
    if kind == "input_grad":
        name = "%map"
        body += f"  {name} = sparseconv.transpose_map %given : !map -> !map\n"
    body += (
        f"  %result = sparseconv.{kind} %x, {kernel}, {name}{word} : {x}, {w}, !map -> {result}\n"
    )
    types = rows + f"!map = !sparseconv.kernel_map<{volume}, !rows to !rows>\n"
    inputs = {"x": x, "w": given, **extras, **tiles, "table": table}
    return types + write_function(inputs, {"result": result}, body)


@functools.cache
def pool(kind, volume, channels, dtype, count_volume):
    x = f"tensor<?x{channels}x{dtype}>"
    word = " count(volume)" if count_volume else ""
    operation = f"  %result = sparseconv.pool {kind} %x, %map{word} : {x}, !map -> {x}\n"
    return _on_table(volume, {"x": x}, {"result": x}, operation, "x")


@functools.cache
def pool_grad(kind, volume, channels, dtype, count_volume):
    x = f"tensor<?x{channels}x{dtype}>"
    word = " count(volume)" if count_volume else ""
    of, of_type = (" of %x", f", {x}") if kind == "max" else ("", "")
    operation = (
        f"  %result = sparseconv.pool_grad {kind} %dy, %map{of}{word} "
        f": {x}, !map{of_type} -> {x}\n"
    )
    if kind == "max":
        return _on_table(volume, {"dy": x, "x": x}, {"result": x}, operation, "x")
    return _on_table(volume, {"dy": x}, {"result": x}, operation)


@functools.cache
def scatter(channels, dtype):
    x = f"tensor<?x{channels}x{dtype}>"
    body = (
        "  %axis = arith.constant 0 : index\n"
        "  %number = tensor.dim %items, %axis : tensor<?x2xi32>\n"
        f"  %result = sparseconv.scatter %x, %rows into %number : {x}, tensor<?xi32> -> {x}\n"
    )
    inputs = {"x": x, "rows": "tensor<?xi32>", "items": "tensor<?x2xi32>"}
    return write_function(inputs, {"result": x}, body)


# Offsets ----------------------------------------------------------------------


@functools.cache
def is_symmetric(offsets):
    """Whether the text of some offsets is that of a box around 0, whose offsets reversed
    are their negatives."""
    size = get_box_size(re.sub(", dilation.*", ">", offsets))
    return size is not None and all(k % 2 for k in size)


def get_box_size(offsets):
    """The sizes of a centred box without dilation by its text, or None."""
    found = re.fullmatch(r"box<(\d+(?:, \d+)*)>", offsets)
    return tuple(map(int, found[1].split(", "))) if found else None


@functools.cache
def box(size, first, dilation):
    """The offsets first + i * dilation for i = 0 .. size - 1 on each axis, last axis
    fastest, as text: a box where one says it, which has faster searches."""
    words = []
    for k, low, step in zip(size, first, dilation):
        if low == -((k - 1) // 2) * step:
            words.append(str(k))
        elif low == 0:
            words.append(f"corner {k}")
        else:
            return _offset_list(size, first, dilation)
    text = ", ".join(words)
    if any(step != 1 for step in dilation):
        text += f", dilation = {list_numbers(dilation)}"
    return f"box<{text}>"


def _offset_list(size, first, dilation):
    offsets = []
    for number in range(math.prod(size)):
        offset = []
        for k, low, step in zip(reversed(size), reversed(first), reversed(dilation)):
            number, digit = divmod(number, k)
            offset.append(low + digit * step)
        offsets.append(list_numbers(reversed(offset)))
    return f"list<{', '.join(offsets)}>"
