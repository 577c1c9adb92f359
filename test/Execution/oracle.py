"""What the operations mean, in numpy and float64: sets are lists of coordinate
tuples with a dictionary to their rows. Nothing here is shared with the compiler
or with its reference interpreter."""

import itertools
import re

import numpy as np

# By how much of its size a product of two factors may be off that are rounded to
# tf32, 11 significant bits.
TF32_PRODUCT = (1 + 2.0**-11) ** 2 - 1

UNIT = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
SMALLEST = {"f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}


# Element types. A bf16 array is its bits; every other type is numpy's own.


def encode(values, dtype):
    """An array as a file holds it."""
    values = np.asarray(values, dtype=np.float32)
    if dtype == "bf16":
        bits = values.view(np.uint32).astype(np.uint64)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        nan = np.isnan(values)
        return np.where(nan, 0x7FC0, rounded).astype(np.uint16).view("V2")
    return values.astype({"f32": np.float32, "f16": np.float16}[dtype])


def decode(array):
    """The numbers of an array from a file, in float64 where they are reals."""
    if array.dtype.kind == "V":
        bits = array.view(np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64).reshape(array.shape)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


class Bounded:
    """Values in float64 and the sum of absolute products behind each."""

    # By how much of its size a product may be off.
    product_error = 0.0

    def __init__(self, value, absolute, products):
        self.value, self.absolute, self.products = value, absolute, products

    def get_bound(self, dtype):
        return (
            UNIT[dtype] * np.abs(self.value)
            + ((self.products + 2) * UNIT["f32"] + self.product_error) * self.absolute
            + SMALLEST[dtype] / 2
        )


# Sets


class CoordinateSet:
    def __init__(self, coordinates, stride):
        self.coordinates = sorted(set(coordinates))
        self.rows = {c: row for row, c in enumerate(self.coordinates)}
        self.stride = tuple(stride)

    def __len__(self):
        return len(self.coordinates)

    def array(self):
        width = 1 + len(self.stride)
        return np.array(self.coordinates, dtype=np.int32).reshape(-1, width)


def pack(points, stride, clip=""):
    """The set, and for each row the first point, for each point its row."""
    tuples = [tuple(p) for p in points.tolist()]
    kept = [t for t in tuples if not clip or (t[0] != -1 and inside(t, clip))]
    coords = CoordinateSet(kept, stride)
    row_of = np.array([coords.rows.get(t, -1) for t in tuples], dtype=np.int32)
    order = np.full(len(coords), -1, dtype=np.int32)
    for point in range(len(tuples) - 1, -1, -1):
        if row_of[point] >= 0:
            order[row_of[point]] = point
    return coords, order, row_of


def quantise(points, origin, size):
    """The coordinates of points in space, in f32 as the operation says."""
    dim = len(size)
    batch = points[:, 0] if points.shape[1] > dim else np.zeros(len(points), np.float32)
    with np.errstate(all="ignore"):
        distance = points[:, points.shape[1] - dim :] - np.float32(origin)
        voxels = np.floor(distance / np.float32(size))
        whole = np.concatenate([batch[:, None], voxels], axis=1)
        good = ((whole >= -(2.0**31)) & (whole < 2.0**31)).all(axis=1)
    good &= batch == np.floor(batch)
    result = np.zeros(whole.shape, np.int32)
    result[:, 0] = -1
    result[good] = whole[good].astype(np.int64)
    return result


def get_offsets(text):
    """The offsets that an offset set names, in their order."""
    numbers = lambda s: [int(n) for n in re.findall(r"-?\d+", s)]
    if text.startswith("list<"):
        return [tuple(numbers(part)) for part in re.findall(r"\[([^\]]*)\]", text)]
    sizes, _, dilation = text[len("box<") : -1].partition("dilation")
    axes = [part for part in sizes.split(",") if part.strip()]
    steps = numbers(dilation) or [1] * len(axes)
    ranges = []
    for axis, step in zip(axes, steps):
        size = numbers(axis)[0]
        first = 0 if "corner" in axis else -((size - 1) // 2)
        ranges.append([step * (first + i) for i in range(size)])
    return list(itertools.product(*ranges))


def inside(coordinate, clip):
    """Whether 'clip(<[lower] to [upper]>)' holds a coordinate; none does."""
    if not clip:
        return True
    lower, upper = re.findall(r"\[([^\]]*)\]", clip)
    bounds = zip(map(int, lower.split(",")), map(int, upper.split(",")))
    return all(low <= c < high for c, (low, high) in zip(coordinate[1:], bounds))


def floor(coords, stride, clip=""):
    def down(c):
        return (c[0], *(x // s * s for x, s in zip(c[1:], stride)))

    found = map(down, coords.coordinates)
    return CoordinateSet([c for c in found if inside(c, clip)], stride)


def cover(coords, stride, offsets, transposed=False, clip=""):
    """All outputs with a partner: forward out + fine * d = in, transposed
    in + fine * d = out, where fine is the finer of the two strides."""
    fine = stride if transposed else coords.stride
    sign = 1 if transposed else -1
    found = set()
    for c in coords.coordinates:
        for d in offsets:
            moved = [x + sign * s * o for x, s, o in zip(c[1:], fine, d)]
            out = (c[0], *moved)
            if all(x % s == 0 for x, s in zip(moved, stride)) and inside(out, clip):
                found.add(out)
    return CoordinateSet(found, stride)


def neighbours(ins, outs, offsets, transposed=False):
    """[rows of outs, offsets]: the row of ins, or -1."""
    fine = outs.stride if transposed else ins.stride
    sign = -1 if transposed else 1
    coordinates = outs.array().astype(np.int64)
    table = np.full((len(outs), len(offsets)), -1, dtype=np.int32)
    for k, d in enumerate(offsets):
        step = [0, *(sign * s * o for s, o in zip(fine, d))]
        table[:, k] = [ins.rows.get(tuple(c), -1) for c in (coordinates + step).tolist()]
    return table


def transpose(table, num_ins):
    """The table of the map with its sides swapped."""
    back = np.full((num_ins, table.shape[1]), -1, dtype=np.int32)
    for k in range(table.shape[1]):
        rows = np.flatnonzero(table[:, k] >= 0)
        back[table[rows, k], k] = rows
    return back


# Sums of products


def add_products(y, size, count, rows, x, w):
    """y[rows] += x @ w by group; w is [groups, in, out]."""
    groups, width_in, width_out = w.shape
    for g in range(groups):
        xs = x[:, g * width_in : (g + 1) * width_in]
        columns = slice(g * width_out, (g + 1) * width_out)
        y[rows, columns] += xs @ w[g]
        size[rows, columns] += np.abs(xs) @ np.abs(w[g])
    count[rows] += width_in


def by_group(w):
    return w if w.ndim == 4 else w[:, None]


def conv(x, w, table):
    w = by_group(w)
    out_channels = w.shape[1] * w.shape[3]
    y = np.zeros((len(table), out_channels))
    size, count = np.zeros_like(y), np.zeros((len(table), 1))
    for k in range(table.shape[1]):
        rows = np.flatnonzero(table[:, k] >= 0)
        add_products(y, size, count, rows, x[table[rows, k]], w[k])
    return Bounded(y, size, count)


def input_grad(dy, w, table, num_ins):
    turned = np.swapaxes(by_group(w), 2, 3)
    return conv(dy, turned, transpose(table, num_ins))


def weight_grad(x, dy, table, shape):
    """`shape` is that of the weights."""
    groups = shape[1] if len(shape) == 4 else 1
    value = np.zeros((shape[0], groups, x.shape[1] // groups, dy.shape[1] // groups))
    size, count = np.zeros_like(value), np.zeros((shape[0], 1, 1, 1))
    for k in range(shape[0]):
        rows = np.flatnonzero(table[:, k] >= 0)
        ins, outs = x[table[rows, k]], dy[rows]
        count[k] = len(rows)
        for g, (a, b) in enumerate(
            zip(np.split(ins, groups, 1), np.split(outs, groups, 1))
        ):
            value[k, g] = a.T @ b
            size[k, g] = np.abs(a).T @ np.abs(b)
    count = np.broadcast_to(count, value.shape)
    return Bounded(value.reshape(shape), size.reshape(shape), count.reshape(shape))


# Pooling


def divisors(table, count):
    if "volume" in count:
        return np.full((len(table), 1), float(table.shape[1]))
    return np.maximum((table >= 0).sum(1, keepdims=True), 1).astype(float)


def winners(x, table):
    """The offset that a maximum takes for each row and channel, -1 where no
    input is present: a NaN before any number, then the lowest offset."""
    best = np.full((len(table), x.shape[1]), -1)
    value = np.zeros((len(table), x.shape[1]))
    for k in range(table.shape[1]):
        rows = np.flatnonzero(table[:, k] >= 0)
        new, old = x[table[rows, k]], value[rows]
        better = (best[rows] < 0) | (~np.isnan(old) & (np.isnan(new) | (new > old)))
        best[rows] = np.where(better, k, best[rows])
        value[rows] = np.where(better, new, old)
    return best, value


def pool(kind, x, table, count=""):
    if kind == "max":
        value = winners(x, table)[1]
        return Bounded(value, np.zeros_like(value), 0)
    value = np.zeros((len(table), x.shape[1]))
    size = np.zeros_like(value)
    for k in range(table.shape[1]):
        rows = np.flatnonzero(table[:, k] >= 0)
        value[rows] += x[table[rows, k]]
        size[rows] += np.abs(x[table[rows, k]])
    divisor = divisors(table, count) if kind == "avg" else 1
    present = (table >= 0).sum(1, keepdims=True)
    return Bounded(value / divisor, size / divisor, present)


def pool_grad(kind, dy, table, num_ins, x=None, count=""):
    value = np.zeros((num_ins, dy.shape[1]))
    size, products = np.zeros_like(value), np.zeros((num_ins, 1))
    best = winners(x, table)[0] if kind == "max" else None
    shares = dy / divisors(table, count) if kind == "avg" else dy
    for k in range(table.shape[1]):
        rows = np.flatnonzero(table[:, k] >= 0)
        share = np.where(best[rows] == k, dy[rows], 0) if kind == "max" else shares[rows]
        ins = table[rows, k]
        value[ins] += share
        size[ins] += np.abs(share)
        products[ins] += 1
    return Bounded(value, size, products)


def batch_rows(coords, items):
    batch = coords.array()[:, 0]
    return [np.flatnonzero(batch == item) for item in range(items)]


def global_pool(kind, x, coords, items):
    value = np.zeros((items, x.shape[1]))
    size, products = np.zeros_like(value), np.zeros((items, 1))
    for item, rows in enumerate(batch_rows(coords, items)):
        if not len(rows):
            continue
        divisor = len(rows) if kind == "avg" else 1
        part = x[rows]
        value[item] = part.max(0) if kind == "max" else part.sum(0) / divisor
        if kind != "max":
            size[item] = np.abs(part).sum(0) / divisor
            products[item] = len(rows)
    return Bounded(value, size, products)


def global_pool_grad(kind, dy, coords, x=None):
    value = np.zeros((len(coords), dy.shape[1]))
    for item, rows in enumerate(batch_rows(coords, len(dy))):
        if not len(rows):
            continue
        if kind == "max":
            first = np.argmax(np.isnan(x[rows]) | (x[rows] == x[rows].max(0)), 0)
            value[rows[first], np.arange(dy.shape[1])] = dy[item]
        else:
            value[rows] = dy[item] / (len(rows) if kind == "avg" else 1)
    return Bounded(value, np.abs(value), 1)


# Rows, points and grids


def gather(x, rows):
    picked = x[np.maximum(rows, 0)] if len(x) else np.zeros((len(rows), x.shape[1]))
    return np.where((rows >= 0)[:, None], picked, 0)


def scatter(x, rows, n, kind=""):
    value = np.zeros((n, x.shape[1]))
    size, products = np.zeros_like(value), np.zeros((n, 1))
    kept = np.flatnonzero(rows >= 0)
    np.add.at(value, rows[kept], x[kept])
    np.add.at(size, rows[kept], np.abs(x[kept]))
    np.add.at(products, rows[kept], 1)
    if kind == "max":
        largest = np.full_like(value, -np.inf)
        np.maximum.at(largest, rows[kept], x[kept])
        return Bounded(np.where(products > 0, largest, 0), np.zeros_like(size), products)
    if kind == "avg":
        count = np.maximum(products, 1)
        value, size, products = value / count, size / count, products + 1
    return Bounded(value, size, products)


def corners(interpolation, points, coords):
    """(point, row, weight) for every voxel that a point reaches: none by a batch
    index that is not a whole number, and none of weight 0."""
    for number, (batch, *p) in enumerate(points.astype(np.float64).tolist()):
        if batch != int(batch):
            continue
        low = [int(x // s) * s for x, s in zip(p, coords.stride)]
        if interpolation == "nearest":
            row = coords.rows.get((int(batch), *low))
            if row is not None:
                yield number, row, 1.0
            continue
        for steps in itertools.product((0, 1), repeat=len(p)):
            at = [c + step * s for c, step, s in zip(low, steps, coords.stride)]
            weight = 1.0
            for x, c, s in zip(p, at, coords.stride):
                weight *= 1 - abs(x - c) / s
            row = coords.rows.get((int(batch), *at))
            if row is not None and weight != 0:
                yield number, row, weight


def interpolate(pairs, x, num_out, to_rows, kind="sum"):
    """Sums of weight * x over (point, row, weight)."""
    value = np.zeros((num_out, x.shape[1]))
    size, products = np.zeros_like(value), np.zeros((num_out, 1))
    weights, reached = np.zeros((num_out, 1)), np.zeros((num_out, 1), dtype=bool)
    for point, row, weight in pairs:
        source, target = (point, row) if to_rows else (row, point)
        if kind == "max":
            better = x[source] > value[target]
            value[target] = np.where(better | ~reached[target], x[source], value[target])
            reached[target] = True
            continue
        value[target] += weight * x[source]
        size[target] += abs(weight) * np.abs(x[source])
        products[target] += 1
        weights[target] += weight
    if kind == "avg":
        divisor = np.where(weights > 0, weights, 1)
        value, size = value / divisor, size / divisor
    # Weights are f32 products of up to four factors.
    return Bounded(value, size, products + 12)


def grid_index(coords, origin):
    c = coords.array().astype(np.int64)
    index = (c[:, 1:] - np.array(origin)) // np.array(coords.stride)
    return (c[:, 0], *index.T)


def to_dense(x, coords, origin, grid):
    dense = np.zeros((*grid, x.shape[1]))
    dense[grid_index(coords, origin)] = x
    return dense


def from_dense(dense, coords, origin):
    return dense[grid_index(coords, origin)]
