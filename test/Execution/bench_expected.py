"""What numpy says of what run_bench.py times. Coordinates are [N, 4] (batch, x, y, z)
in the order of a set."""

import numpy as np

import oracle

AXIS_BITS = (20, 20, 16)  # of the packing
CHECKED = 1 << 22  # entries of a table that are compared


def get_keys(coords):
    """One number per row, larger for a later row of a set."""
    keys = coords[:, 0].astype(np.uint64)
    for axis, bits in zip(coords.T[1:], AXIS_BITS):
        shifted = axis.astype(np.int64) + (1 << (bits - 1))
        keys = (keys << np.uint64(bits)) | shifted.astype(np.uint64)
    return keys


def make_set(coords):
    return coords[np.unique(get_keys(coords), return_index=True)[1]]


def make_out_set(coords, kind):
    if kind.stride == 1:
        return coords
    steps = oracle.get_offsets(kind.offsets) if kind.rule == "cover" else [(0, 0, 0)]
    parts = []
    for step in steps:
        part = coords - np.array([0, *step], np.int32)
        if kind.rule == "cover":
            part = part[(part[:, 1:] % kind.stride == 0).all(1)]
        part[:, 1:] -= part[:, 1:] % kind.stride
        parts.append(part)
    return make_set(np.concatenate(parts))


def count_wrong(coords, outs, table, kind):
    """Entries of a table that are not what they should be, of random rows."""
    keys, offsets = get_keys(coords), oracle.get_offsets(kind.offsets)
    size = min(len(outs), CHECKED // len(offsets))
    rows = np.sort(np.random.default_rng(1).choice(len(outs), size, False))
    wrong = 0
    for k, step in enumerate(offsets):
        wanted = get_keys(outs[rows] + np.array([0, *step], np.int32))
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        wrong += int((table[rows, k] != np.where(keys[place] == wanted, place, -1)).sum())
    return wrong


def count_unequal(found, expected):
    """Rows that differ; all where their numbers do."""
    if found.shape != expected.shape:
        return max(len(found), len(expected))
    return int((found != expected).any(1).sum())


# The largest error of a layer, over the largest magnitude, is that of rounding the
# result and that of the sums, which grows with the root of how many products there
# are. Measured on one sweep of 12 257 points, with 16 and 64 channels on a CPU with
# AVX-512; the 4.2e-4 of f16 with 16 to 256 channels on an H200, too. On a GPU tf32
# rounds both factors to the bits of f16.
ROUNDING = {"f32": 6e-8, "f16": 4.2e-4, "bf16": 3.2e-3, "tf32": 4.2e-4}
SUMMING = {"forward": 7.2e-9, "input_grad": 7.2e-9, "weight_grad": 2.4e-8}
ALLOWED = 3  # times what was measured


def get_layer_bound(op, dtype, on_cpu, products):
    """What get_layer_error may be, of sums of so many products."""
    if dtype == "tf32" and on_cpu:
        dtype = "f32"
    return ALLOWED * (ROUNDING[dtype] + SUMMING[op] * np.sqrt(products))


def join_groups(weights):
    """Weights [offsets, groups, in, out] as slices with zeros between groups."""
    if weights.ndim == 3:
        return weights
    volume, groups, inner, outer = weights.shape
    whole = np.zeros((volume, groups, inner, groups, outer), weights.dtype)
    every = np.arange(groups)
    whole[:, every, :, every] = weights.transpose(1, 0, 2, 3)
    return whole.reshape(volume, groups * inner, groups * outer)


def get_layer_error(op, results, table, features, weights):
    """The largest of sampled rows or channels against float64, over the largest
    magnitude there; `results` are those of `make_checked_layer`."""
    found, order, *y = results
    channels = features.shape[1]
    random = np.random.default_rng(2)
    if op == "weight_grad":
        some = [np.sort(random.choice(channels, min(8, channels), False)) for _ in range(2)]
        found = oracle.decode(found[:, some[0][:, None], some[1]])
        y, x = oracle.decode(y[0][:, some[0]]), oracle.decode(features[:, some[1]])[order]
        rows = [np.flatnonzero(table[:, k] >= 0) for k in range(table.shape[1])]
        expected = np.array([y[table[r, k]].T @ x[r] for k, r in enumerate(rows)])
    else:
        sample = random.choice(len(table), min(256, len(table)), replace=False)
        found, w = oracle.decode(found[sample]), join_groups(oracle.decode(weights))
        near = table[sample]
        if op == "input_grad":
            # What has a row as its input at an offset is its input at the opposite.
            near, w = near[:, ::-1], w.transpose(0, 2, 1)
        x = oracle.decode(features[order[near.clip(0)]])
        x[near < 0] = 0
        expected = np.einsum("rkc,kcd->rd", x, w, optimize=True)
    return float(np.abs(found - expected).max() / np.abs(expected).max())
