# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Neighbour tables and sets that are known to be right, and what GPUs read of a map
beside its table: made once, and kept with the table for all layers on the map."""

import functools

import torch

from ..arguments import Views
from . import ir
from .programs import get_name, get_stream, run, run_joined, view_inputs

# Trust ------------------------------------------------------------------------


def make_rows(count, device):
    """An array for networks that need its number of rows alone."""
    return torch.empty((count, 1), dtype=torch.int32, device=device)


def _get_mark(table, num_in):
    return num_in, None if table.is_inference() else table._version


def trust(table, num_in, mirrors=False):
    """Notes that a table is one of a map whose in set has so many rows, until somebody
    writes to it. Operators check other tables each time: an entry that is none of the
    rows would be an access outside of the features. Where it `mirrors`, row r meets row s
    by an offset k if s meets r by the offset that is as far from the last one."""
    table._sparseconv_mark = _get_mark(table, num_in)
    table._sparseconv_mirrors = mirrors
    return table


def get_trusted_rows(table):
    """The rows of the in set of a table that is trusted; None for others."""
    num_in, _ = mark = getattr(table, "_sparseconv_mark", (None, None))
    return num_in if mark == _get_mark(table, num_in) else None


def is_trusted(table, num_in):
    return get_trusted_rows(table) == num_in


def mirrors(table, num_in):
    """Whether a table is known to be that of its transposed map, offsets reversed."""
    return getattr(table, "_sparseconv_mirrors", False) and is_trusted(table, num_in)


def trust_copy(copy, table):
    """Trusts a copy of a table as the table is trusted."""
    if torch.compiler.is_compiling():
        return copy
    num_in = get_trusted_rows(table)
    return copy if num_in is None else trust(copy, num_in, table._sparseconv_mirrors)


def trust_set(coords):
    """Notes that some coordinates are those of a set, in its order, until somebody
    writes to them. Others are sorted, or looked at."""
    return trust(coords, "set")


# Tables and what is kept with them -----------------------------------------------


def make_table(write, inputs, rows, volume, trusted, tiled, mirrors=False):
    """The table of a map between sets of two numbers of rows, by the network that
    `write(by_tiles)` writes. Where it is `tiled`, the tiles are kept with it."""
    num_in, num_out = rows
    shapes = [(num_out, volume)]
    if not tiled:
        return trust(run(write(False), inputs, shapes, trusted)[0], num_in, mirrors)
    shapes += _get_tile_shapes(num_out, volume)
    (table,), *tiles = run_joined(write(True), inputs, shapes, 1, trusted)
    trust(table, num_in, mirrors)
    _get_kept(table)["tiles"] = _view_tiles(table, *tiles)
    return table


def make_tables(text, inputs, kinds, tiled):
    """The tables that a network gives, each of a kind: the numbers of rows of its in set
    and its out set, its offsets, and whether it mirrors. Where they are `tiled`, the tiles
    of all come behind them."""
    shapes = [(num_out, volume) for _, num_out, volume, _ in kinds]
    if tiled:
        for shape in list(shapes):
            shapes += _get_tile_shapes(*shape)
    return _run_tables(text, inputs, shapes, kinds, tiled, 0)[1]


def make_set_and_tables(text, inputs, kinds, tiled):
    """The same of a network that packs points first, and is waited for: what `ir.pack`
    gives, and the tables. They are right where the set has as many rows as the points."""
    return _run_tables(text, inputs, None, kinds, tiled, _NUM_PACKED)


def _run_tables(text, inputs, shapes, kinds, tiled, num_before):
    """The tensors before the tables, and these."""
    memory, views = None, ()
    if tiled:
        count = num_before + len(kinds)
        tensors, memory, views = run_joined(text, inputs, shapes, count, True)
    else:
        tensors = run(text, inputs, shapes, True)
    tables = tensors[num_before:]
    for i, (table, (num_in, _, _, is_mirror)) in enumerate(zip(tables, kinds)):
        trust(table, num_in, is_mirror)
        if tiled:
            own = views[i * _NUM_TILES : (i + 1) * _NUM_TILES]
            _get_kept(table)["tiles"] = _view_tiles(table, memory, own)
    return tensors[:num_before], tables


def invert(table, num_in):
    """The table of the map with its sides swapped."""
    trusted, volume = is_trusted(table, num_in), table.shape[1]
    return make_table(
        functools.partial(ir.transpose_table, volume), [table, make_rows(num_in, table.device)],
        (table.shape[0], num_in), volume, trusted, trusted and table.is_cuda,
    )  # fmt: skip


class _Kept(dict):
    """What is kept with a table, by name. Some of it says where in memory it lies, so a
    copy of the table begins with nothing."""

    def __reduce__(self):
        return _Kept, ()


def find_tiles(table, num_in, device, stream):
    """What `get_tiles` gives of a table that is trusted, on a device, if it is there
    already for a stream; None where it is not."""
    known, kept = getattr(table, "_sparseconv_kept", (None, None))
    if known != (_get_mark(table, num_in), stream) or table.device != device:
        return None
    tiles = kept.get("tiles")
    return None if tiles is None else tiles[1]


def _get_kept(table):
    """What is made of a trusted table by work on the current stream: other streams do not
    wait for that, and have their own."""
    mark = table._sparseconv_mark, get_stream(table.device)
    known, kept = getattr(table, "_sparseconv_kept", (None, None))
    if known != mark:
        kept = _Kept()
        table._sparseconv_kept = mark, kept
    return kept


def get_inverse(table, num_in):
    """The table of the map with its sides swapped, kept with this one."""
    kept = _get_kept(table)
    if "inverse" not in kept:
        kept["inverse"] = invert(table, num_in)
    return kept["inverse"]


def get_tiles(table, num_in):
    """The tiles of a map (`sparseconv.map_tiles`) and its table, as `Views` for
    `programs.repeat`; they stay with the table."""
    kept = _get_kept(table)
    if "tiles" not in kept:
        kept["tiles"] = _tile(table, num_in)
    return kept["tiles"][1]


#: Of the arrays that the tiles of a map are, and that a set is packed to.
_NUM_TILES, _NUM_PACKED = 4, 3


def _get_tile_shapes(num_out, volume):
    slots = -(-num_out // 256) * 256
    return [(volume, slots), (slots,), (slots // 16, -(-volume // 32)), (3,)]


def _view_tiles(table, memory, views):
    pointer, shape, nbytes = view_inputs([table])[0]
    return memory, Views([*views, (pointer, shape, nbytes, get_name(table.dtype))])


def _tile(table, num_in):
    num_out, volume = table.shape
    inputs = [table, make_rows(num_in, table.device)]
    shapes = _get_tile_shapes(num_out, volume)
    return _view_tiles(table, *run_joined(ir.tile_table(volume), inputs, shapes, 0, True)[1:])
