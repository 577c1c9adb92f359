# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks that make several sets, or several maps, at once (`ahead`), as text.

Sets have numbers: that of the points is 0, and each step makes the next one. As in
`ir`, the text depends on strides and offsets, and on the sizes of grids only where that
is asked for."""

import functools

from . import ir
from .ir import get_points_type, get_tile_types, refer, write_set

#: Stands for bounds that are an input.
INPUT = "input"
#: The type of numbers of rows.
_ROWS = "tensor<?xi32>"


@functools.cache
def sets(stride, packs, steps):
    """The sets that steps make one of another: (number of the source, rule, by, offsets,
    bounds), as for `ir.output_set`. Bounds are those of the region from 0 that the set
    stays in, none, or `INPUT`: a set in a region of the text is made faster. Where it
    `packs`, the points are in any order, and what `ir.pack` gives comes first."""
    dim = len(stride)
    points, strides = get_points_type(dim), [stride]
    word = "" if packs else " {in_order}"
    inputs, outputs = {"points": points}, {}
    body = f"  %set0, %order, %row_of = sparseconv.pack %points{word} : {points} -> !set0\n"
    if packs:
        body += f"  %coords0 = sparseconv.unpack %set0 : !set0 -> {points}\n"
        outputs = {"coords0": points, "order": _ROWS, "row_of": _ROWS}
    for number, (source, rule, by, offsets, bounds) in enumerate(steps, 1):
        strides.append(ir.get_out_stride(rule, strides[source], by))
        is_input = bounds == INPUT
        made, clip = (f"all{number}", ()) if is_input else (f"set{number}", bounds)
        operation = ir.output_set_operation(
            rule, by, offsets, clip, f"%set{source}", f"!set{source}", f"!set{number}"
        )
        body += f"  %{made} = {operation}\n"
        if is_input:
            inputs[f"bounds{number}"] = f"tensor<{dim + 1}xi32>"
            body += ir.write_kept(
                dim, made, f"set{number}", f"bounds{number}", f"!set{number}"
            )
        coords = f"coords{number}"
        body += f"  %{coords} = sparseconv.unpack %set{number} : !set{number} -> {points}\n"
        outputs[coords] = points
    types = "".join(write_set(f"set{i}", stride) for i, stride in enumerate(strides))
    return ir.write_packing(dim) + types + ir.write_function(inputs, outputs, body)


def _write_tiles(name, volume, map_name, map_type, outputs):
    """The tiles of a map, as results that begin with a name."""
    parts = {f"{name}_{part}": type for part, type in get_tile_types(volume).items()}
    outputs.update(parts)
    return f"  {refer(parts)} = sparseconv.map_tiles {map_name} : {map_type}\n"


def _write_table(name, volume, map_name, map_type, outputs):
    """The table of a map, as a result of a name."""
    outputs[name] = table = f"tensor<?x{volume}xi32>"
    return f"  %{name} = sparseconv.neighbour_table {map_name} : {map_type} -> {table}\n"


@functools.cache
def maps(strides, tables, backs, tiled):
    """The tables of some maps: (number of the in set, of the out set, offsets, volume,
    whether transposed), and of the transposed maps of some of them, by their places. The
    tiles of those that are `tiled`, by their names, come behind them. The inputs are the
    points of the sets that are read, in the order of their numbers."""
    points = get_points_type(len(strides[0]))
    numbers = sorted({number for table in tables for number in table[:2]})
    types = "".join(write_set(f"set{i}", strides[i]) for i in numbers)
    body = "".join(
        f"  %set{i}, %set{i}_order, %set{i}_row_of = sparseconv.pack %points{i} {{in_order}} "
        f": {points} -> !set{i}\n"
        for i in numbers
    )
    outputs, of_tiles = {}, {}

    def give(name, volume, map_name, map_type):
        nonlocal body
        body += _write_table(name, volume, map_name, map_type, outputs)
        if name in tiled:
            body += _write_tiles(name, volume, map_name, map_type, of_tiles)

    for j, (source, target, offsets, volume, transposed) in enumerate(tables):
        word = " transposed" if transposed else ""
        types += f"!map{j} = !sparseconv.kernel_map<{volume}, !set{source} to !set{target}>\n"
        body += (
            f"  %map{j} = sparseconv.kernel_map %set{source} to %set{target} "
            f"offsets({offsets}){word} : !map{j}\n"
        )
        give(f"table{j}", volume, f"%map{j}", f"!map{j}")
    for j in backs:
        source, target, _, volume, _ = tables[j]
        types += f"!back{j} = !sparseconv.kernel_map<{volume}, !set{target} to !set{source}>\n"
        body += f"  %turned{j} = sparseconv.transpose_map %map{j} : !map{j} -> !back{j}\n"
        give(f"back{j}", volume, f"%turned{j}", f"!back{j}")
    inputs = {f"points{i}": points for i in numbers}
    text = ir.write_packing(len(strides[0])) + types
    return text + ir.write_function(inputs, {**outputs, **of_tiles}, body)


@functools.cache
def moved_maps(dim, tables, backs, is_tiled):
    """What goes with tables whose rows are those of points, which are inputs: (number of
    the in set, of the out set, volume), those of the transposed maps of some of them, by
    their places, and where `is_tiled`, the tiles of the tables, and then of these. The
    further inputs have the rows of the sets, in the order of their numbers."""
    points = get_points_type(dim)
    numbers = sorted({number for table in tables for number in table[:2]})
    inputs = {f"table{j}": f"tensor<?x{table[2]}xi32>" for j, table in enumerate(tables)}
    inputs.update({f"points{i}": points for i in numbers})
    types, body = ir.ROWS, "  %axis = arith.constant 0 : index\n"
    body += "".join(ir.number_rows(f"set{i}", f"points{i}", points) for i in numbers)
    outputs, of_tiles = {}, {}
    for j, (source, target, volume) in enumerate(tables):
        types += f"!map{j} = !sparseconv.kernel_map<{volume}, !rows to !rows>\n"
        body += (
            f"  %map{j} = sparseconv.map_from_table %table{j}, %set{source} to %set{target} "
            f": {inputs[f'table{j}']}, !map{j}\n"
        )
        if is_tiled:
            body += _write_tiles(f"table{j}", volume, f"%map{j}", f"!map{j}", of_tiles)
    for j in backs:
        turned = f"back{j}", tables[j][2], f"%turned{j}", f"!map{j}"
        body += f"  %turned{j} = sparseconv.transpose_map %map{j} : !map{j} -> !map{j}\n"
        body += _write_table(*turned, outputs)
        if is_tiled:
            body += _write_tiles(*turned, of_tiles)
    return types + ir.write_function(inputs, {**outputs, **of_tiles}, body)
