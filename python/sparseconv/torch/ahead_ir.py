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
def maps(strides, tables, backs, is_tiled, keeps_points, packs=False):
    """The tables of some maps: (number of the in set, of the out set, offsets, volume,
    whether transposed), and of the transposed maps of some of them, by their places. Where
    it `is_tiled`, the tiles of all come behind all tables. The inputs are the points of the
    sets that are read, in the order of their numbers. With `keeps_points`, tables have the
    rows of points for those of set 0, and `order` and `row_of`, as for `ir.renumber`, are
    inputs behind these. Where it also `packs`, the points of set 0 are in any order, at
    distinct coordinates: `order` and `row_of` are no inputs then, and what `ir.pack` gives
    is returned before all tables."""
    points = get_points_type(len(strides[0]))
    numbers = sorted({number for table in tables for number in table[:2]})
    inputs = {f"points{i}": points for i in numbers}
    types = "".join(write_set(f"set{i}", strides[i]) for i in numbers)
    outputs, of_tiles, names, body = {}, {}, {}, ""
    for i in numbers:
        results, word = f"%set{i}, %set{i}_order, %set{i}_row_of", " {in_order}"
        if packs and i == 0:
            results, word = "%set0, %order, %row_of", ""
        body += f"  {results} = sparseconv.pack %points{i}{word} : {points} -> !set{i}\n"
    if packs:
        body += f"  %coords0 = sparseconv.unpack %set0 : !set0 -> {points}\n"
        outputs = {"coords0": points, "order": _ROWS, "row_of": _ROWS}
    elif keeps_points:
        inputs.update(order=_ROWS, row_of=_ROWS)
    if keeps_points:
        types += ir.ROWS
        body += "  %axis = arith.constant 0 : index\n"
        body += "".join(ir.number_rows(f"rows{i}", f"points{i}", points) for i in numbers)

    def give(name, volume, map_name, map_type):
        nonlocal body
        body += _write_table(name, volume, map_name, map_type, outputs)
        if is_tiled:
            body += _write_tiles(name, volume, map_name, map_type, of_tiles)

    for j, (source, target, offsets, volume, transposed) in enumerate(tables):
        word = " transposed" if transposed else ""
        types += f"!map{j} = !sparseconv.kernel_map<{volume}, !set{source} to !set{target}>\n"
        body += (
            f"  %map{j} = sparseconv.kernel_map %set{source} to %set{target} "
            f"offsets({offsets}){word} : !map{j}\n"
        )
        names[j] = "map"
        if keeps_points and 0 in (source, target):
            names[j] = "moved"
            types += f"!moved{j} = !sparseconv.kernel_map<{volume}, !rows to !rows>\n"
            body += _write_moved(j, source, target, volume)
        give(f"table{j}", volume, f"%{names[j]}{j}", f"!{names[j]}{j}")
    for j in backs:
        source, target, _, volume, _ = tables[j]
        back = "rows to !rows" if names[j] == "moved" else f"set{target} to !set{source}"
        types += f"!back{j} = !sparseconv.kernel_map<{volume}, !{back}>\n"
        body += (
            f"  %turned{j} = sparseconv.transpose_map %{names[j]}{j} "
            f": !{names[j]}{j} -> !back{j}\n"
        )
        give(f"back{j}", volume, f"%turned{j}", f"!back{j}")
    text = ir.write_packing(len(strides[0])) + types
    return text + ir.write_function(inputs, {**outputs, **of_tiles}, body)


def _write_moved(j, source, target, volume):
    """The map `%moved` of a map whose rows of set 0 become those of points."""
    table = f"tensor<?x{volume}xi32>"
    body = f"  %own{j} = sparseconv.neighbour_table %map{j} : !map{j} -> {table}\n"
    row_of = "row_of" if target == 0 else None
    order = "order" if source == 0 else None
    body += ir.write_renumbered(f"by_point{j}", f"own{j}", volume, row_of, order)
    return body + (
        f"  %moved{j} = sparseconv.map_from_table %by_point{j}, %rows{source} to %rows{target} "
        f": {table}, !moved{j}\n"
    )
