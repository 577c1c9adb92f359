# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GPUs read of a kernel map in place of its table: made by the first layer that
wants it, and kept with the table, for all layers on the map.

Tables have to be trusted, so that nobody has written to them since."""

from . import ir
from .programs import get_stream, run, view_inputs
from .sets import invert, make_rows


def _keep(table, name, make):
    """Something made of a table, by work on the current stream: other streams do not
    wait for that, and have their own."""
    mark = table._sparseconv_mark, get_stream(table.device)
    known, kept = getattr(table, "_sparseconv_kept", (None, None))
    if known != mark:
        kept = {}
        table._sparseconv_kept = mark, kept
    if name not in kept:
        kept[name] = make()
    return kept[name]


def get_inverse(table, num_in):
    """The table of the map with its sides swapped."""
    return _keep(table, "inverse", lambda: invert(table, num_in))


def get_tiles(table, num_in):
    """The tiles of a map (`sparseconv.map_tiles`) and its table, as views that
    `programs.run` takes; they stay with the table."""
    return _keep(table, "tiles", lambda: _tile(table, num_in))[1]


def _tile(table, num_in):
    num_out, volume = table.shape
    slots = -(-num_out // 256) * 256
    shapes = [(volume, slots), (slots,), (slots // 16, -(-volume // 32)), (3,)]
    tiles = run(ir.tile_table(volume), [table, make_rows(num_in, table.device)], shapes, True)
    return tiles, view_inputs([*tiles, table])
