"""Tables for row-order.mlir, and checks of what it makes of them.

usage: row_order.py make FOLDER BOX ROWS
       row_order.py check FOLDER ORDER

A scene is a rolling ground with walls of which a part is missing, and voxels strewn
over it. BOX is the size of a kernel, such as 3x3x3."""

import itertools
import os
import sys

import numpy as np

TILE = 16
# How far the offsets of tiles may be from those of whole masks sorted. Codes, and ranks
# from a sample, make 1.5 % here, and rows that are in no order 4 to 300 %. Offsets that
# are ranked wrongly can make less, as tiles are small, but then 3 % and more.
LIMIT = 0.02


def make_scene(rows):
    """Keys of voxels, ascending."""
    rng = np.random.default_rng(5)
    side = max(2, int(rows**0.5 * 0.9))
    x, y = (a.ravel() for a in np.meshgrid(np.arange(side), np.arange(side)))
    ground = (3 * np.sin(x / 9.0) + 3 * np.cos(y / 11.0)).astype(np.int64) + 20
    walls = [(x[keep], y[keep], ground[keep] + h)
             for h in range(1, 9) for keep in [(x % 37 == 5) & (rng.random(len(x)) < 0.7)]]  # fmt: skip
    parts = [(x, y, ground)] + walls
    x, y, z = (np.concatenate(axis) for axis in zip(*parts))
    far = rng.integers(0, [side, side, 60], (rows, 3)).T
    x, y, z = (np.concatenate(axis) for axis in ((x, far[0]), (y, far[1]), (z, far[2])))
    keys = np.unique(((x + 8) * 4096 + y + 8) * 4096 + z + 8)
    return np.sort(rng.permutation(keys)[:rows])


def make(folder, box, rows):
    keys = make_scene(rows)
    reaches = [range(-(size // 2), (size + 1) // 2) for size in map(int, box.split("x"))]
    columns = []
    for x, y, z in itertools.product(*reaches):
        query = keys + ((x * 4096) + y) * 4096 + z
        place = np.searchsorted(keys, query)
        place[place == len(keys)] = 0
        is_there = keys[place] == query if rows else np.zeros(0, bool)
        columns.append(np.where(is_there, place, -1))
    table = np.stack(columns, 1).astype(np.int32)
    assert len(table) == rows, f"{len(table)} rows"
    np.save(os.path.join(folder, "table.npy"), table)


def tile(has):
    """The offsets of each tile, for rows in the order of a tile's slots."""
    padded = np.zeros((-(-len(has) // TILE) * TILE, has.shape[1]), bool)
    padded[: len(has)] = has
    return padded.reshape(-1, TILE, has.shape[1]).any(1)


def sort_by_masks(has, order):
    """The rows by their whole masks, the rarest offset first, or by what these are
    the Gray code of."""
    bits = has[:, np.argsort(has.sum(0), kind="stable")]
    if order == "gray":
        bits = np.logical_xor.accumulate(bits, axis=1)
    return np.lexsort(bits.T[::-1])


def check(folder, order):
    read = lambda name: np.load(os.path.join(folder, f"{name}.npy"))  # noqa: E731
    has = read("table") >= 0
    slots, masks = read("order"), read("masks")
    rows = len(has)
    assert (slots[rows:] == -1).all(), "slots behind the last row"
    assert (np.sort(slots[:rows]) == np.arange(rows)).all(), "each row once"
    bits = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little").astype(bool)
    found = tile(has[slots[:rows]])
    assert (bits[:, : has.shape[1]] == found).all(), "masks of tiles"
    assert not bits[:, has.shape[1] :].any(), "bits behind the last offset"
    if order in ("gray", "mask"):
        best = tile(has[sort_by_masks(has, order)]).sum()
        far = abs(int(found.sum()) - int(best))
        assert far <= LIMIT * best + 8, f"{found.sum()} offsets in tiles, not {best}"


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        check(sys.argv[2], sys.argv[3])
