"""For each example of test/oracle: values for its arguments, and the results
that the oracle expects from them."""

import itertools

import numpy as np

import oracle


class Case:
    """One example at one size: its parameters, random inputs, results."""

    def __init__(self, operation, values, size, batches, special, seed):
        self.operation, self.values, self.size = operation, values, size
        self.batches, self.special = batches, special
        self.random = np.random.default_rng(seed)
        self.inputs, self.expected = {}, {}
        self.dtype = values.get("dtype", "f32")

    def get_list(self, name):
        return [int(n) for n in self.values[name].strip("[]").split(",")]

    def get_int(self, name):
        return int(self.values[name])

    # Inputs; each returns the numbers that the operation sees.

    def add(self, name, array):
        self.inputs[name] = array
        return array

    def add_reals(self, name, *shape):
        """Reals of the element type; a few equal ones, so that maxima tie."""
        reals = self.random.uniform(-1, 1, shape)
        if self.special == "ties":
            reals = np.round(reals * 2) / 2
        if self.special == "nan" and reals.size:
            flat = reals.reshape(-1)
            flat[self.random.integers(0, flat.size, 1 + flat.size // 16)] = np.nan
        return oracle.decode(self.add(name, oracle.encode(reals, self.dtype)))

    def get_extent(self):
        """Coordinates are in -extent .. extent - 1, in units of the stride."""
        dim = self.get_int("dim")
        items = 1 if self.batches == 1 else 2
        return max(1, int(np.ceil((2.5 * self.size / items) ** (1 / dim) / 2)))

    def make_points(self, stride, size=None, extent=None):
        """Multiples of the stride; with 3 batch items the middle one is empty.
        Some points fall into one coordinate."""
        size = self.size if size is None else size
        extent = self.get_extent() if extent is None else extent
        if self.special == "scattered":
            # 250 points of each of many batch items, in some 20 planes.
            extent = np.array([size // 250, 10] + [1000] * (len(stride) - 1))
        if self.special == "terraces":
            extent = np.array([1, 16] + [64] * (len(stride) - 1))
        points = self.random.integers(-extent, extent, (size, 1 + len(stride)))
        if self.special == "terraces":
            # Planes of three layers, each at a height of its own.
            heights = self.random.integers(-200, 200, 2 * extent[1])
            points[:, -1] = heights[points[:, 1] + extent[1]] + points[:, -1] % 3
        points[:, 1:] *= np.array(stride)
        points[:, 0] = 0 if self.batches == 1 else 2 * (points[:, 0] % 2)
        if self.special == "scattered":
            # Items are not neighbours. Points come in pairs that are near each
            # other, and to no others.
            points[:, 0] = 5 * self.random.integers(0, extent[0], size)
            near = self.random.integers(-2, 3, points[1::2].shape) * [0, *stride]
            points[1::2] = points[: size - 1 : 2] + near
        if self.special == "last":
            points[-1:] = self.get_last_coordinate()
        return points.astype(np.int32)

    def get_last_coordinate(self):
        """The batch index and the coordinate of the highest key of the packing."""
        bounds = zip(self.get_list("bits"), self.get_list("guard"))
        highest = [2 ** (bits - 1) - 1 - guard for bits, guard in bounds]
        return [2 ** self.get_int("batch_bits") - 1, *highest]

    def make_set(self, stride_name, argument="points"):
        points = self.add(argument, self.make_points(self.get_list(stride_name)))
        return oracle.pack(points, self.get_list(stride_name))

    # Results

    def expect(self, **results):
        self.expected.update(results)

    def expect_set(self, name, coords):
        self.expected[name] = coords.array()


class Relation:
    """The two sets of a kernel map and its table, from the parameters."""

    def __init__(self, case):
        values, self.case = case.values, case
        self.ins, self.order, _ = case.make_set("stride_in")
        self.offsets = oracle.get_offsets(values["offsets"])
        stride, clip = case.get_list("stride_out"), values["clip"]
        transposed = values["transposed"] == "transposed"
        kind = values["relation"]
        if kind == "same":
            self.outs = self.ins
        elif kind == "floor":
            self.outs = oracle.floor(self.ins, stride)
        elif kind == "given":
            extent = case.get_extent() * max(case.get_list("stride_in"))
            extent = -(-extent // min(stride))
            points = case.make_points(stride, case.size // 2 + 1, extent)
            self.outs = oracle.pack(case.add("out_points", points), stride)[0]
        else:
            self.outs = oracle.cover(self.ins, stride, self.offsets, transposed, clip)
        self.table = oracle.neighbours(self.ins, self.outs, self.offsets, transposed)

    def add_features(self):
        case = self.case
        features = case.add_reals("features", case.size, case.get_int("channels"))
        return features[self.order]

    def add_weights(self):
        shape = [int(n) for n in self.case.values["weight_shape"].split("x")]
        return self.case.add_reals("weights", *shape)

    def add_out_rows(self, name, channels="channels"):
        return self.case.add_reals(name, len(self.outs), self.case.get_int(channels))


# Convolution


def permit(case, sums):
    if case.values["tf32"] == "allowed":
        sums.product_error = oracle.TF32_PRODUCT
    return sums


def conv(case):
    r = Relation(case)
    y = oracle.conv(r.add_features(), r.add_weights(), r.table)
    case.expect(y=permit(case, y))
    case.expect_set("coords_out", r.outs)


def yield_(case):
    r = Relation(case)
    y = oracle.conv(r.add_features(), r.add_weights(), r.table)
    channels = case.get_int("out_channels")
    bias = case.add("bias", case.random.uniform(-1, 1, channels).astype(np.float32))
    skip = case.random.uniform(-1, 1, y.value.shape).astype(np.float32)
    case.add("skip", skip)
    y.absolute = y.absolute + np.abs(bias) + np.abs(skip)
    y.products = y.products + 3
    y.value = y.value + bias + skip
    slope = float(case.values["slope"])
    y.value = np.where(y.value > 0, y.value, slope * y.value)
    case.expect(y=y)
    case.expect_set("coords_out", r.outs)


def input_grad(case):
    r = Relation(case)
    dy = r.add_out_rows("dy", "out_channels")
    dx = oracle.input_grad(dy, r.add_weights(), r.table, len(r.ins))
    case.expect(dx=permit(case, dx))
    case.expect_set("coords_in", r.ins)
    case.expect_set("coords_out", r.outs)


def weight_grad(case):
    r = Relation(case)
    x, dy = r.add_features(), r.add_out_rows("dy", "out_channels")
    shape = [int(n) for n in case.values["weight_shape"].split("x")]
    case.expect(dw=permit(case, oracle.weight_grad(x, dy, r.table, shape)))
    case.expect_set("coords_out", r.outs)


# Pooling


def pool(case):
    r = Relation(case)
    kind, count = case.values["kind"], case.values["count"]
    case.expect(y=oracle.pool(kind, r.add_features(), r.table, count))
    case.expect_set("coords_out", r.outs)


def pool_grad(case):
    r = Relation(case)
    kind, count = case.values["kind"], case.values["count"]
    x, special = r.add_features(), case.special
    case.special = ""
    dy = r.add_out_rows("dy")
    case.special = special
    case.expect(dx=oracle.pool_grad(kind, dy, r.table, len(r.ins), x, count))
    case.expect_set("coords_in", r.ins)
    case.expect_set("coords_out", r.outs)


def unpool(case):
    r = Relation(case)
    back = oracle.transpose(r.table, len(r.ins))
    case.expect(y=oracle.pool("sum", r.add_out_rows("pooled"), back))
    case.expect_set("coords_in", r.ins)
    case.expect_set("coords_out", r.outs)


def add_set_features(case):
    """The set of the points and the features of its rows."""
    coords, order, _ = case.make_set("stride")
    features = case.add_reals("features", case.size, case.get_int("channels"))
    return coords, features[order]


def get_items(case):
    return 4 if case.values["items"] == "?" else case.get_int("items")


def global_pool(case):
    coords, x = add_set_features(case)
    items = get_items(case)
    if case.values["items"] == "?":
        case.add("items", np.array(items, dtype=np.int64))
    case.expect(y=oracle.global_pool(case.values["kind"], x, coords, items))


def global_pool_grad(case):
    coords, x = add_set_features(case)
    dy = case.add_reals("dy", get_items(case), case.get_int("channels"))
    case.expect(dx=oracle.global_pool_grad(case.values["kind"], dy, coords, x))
    case.expect_set("coords", coords)


# Maps


def neighbour_table(case):
    case.expect(table=Relation(case).table)


def kernel_map(case):
    r = Relation(case)
    case.expect(table=r.table)
    case.expect_set("coords_in", r.ins)
    case.expect_set("coords_out", r.outs)


def transpose_map(case):
    r = Relation(case)
    case.expect(table=oracle.transpose(r.table, len(r.ins)))
    case.expect_set("coords_in", r.ins)
    case.expect_set("coords_out", r.outs)


def get_pairs(case, r):
    """All pairs of a relation, in any order, and half of them."""
    rows, offsets = np.nonzero(r.table >= 0)
    pairs = np.stack([r.table[rows, offsets], rows, offsets], axis=1)
    return case.random.permutation(pairs)[: (len(pairs) + 1) // 2].astype(np.int32)


def map_from_pairs(case):
    r = Relation(case)
    pairs = case.add("pairs", get_pairs(case, r))
    table = np.full_like(r.table, -1)
    table[pairs[:, 1], pairs[:, 2]] = pairs[:, 0]
    case.expect(table=table, back=oracle.transpose(table, len(r.ins)))
    case.expect_set("coords_in", r.ins)
    case.expect_set("coords_out", r.outs)


def map_from_table(case):
    """Columns in another order: offsets mean what the caller wants."""
    r = Relation(case)
    table = r.table[:, case.random.permutation(r.table.shape[1])].astype(np.int32)
    case.add("table", table)
    case.expect(same=table, back=oracle.transpose(table, len(r.ins)))
    case.expect_set("coords_in", r.ins)
    case.expect_set("coords_out", r.outs)


def map_tiles(case):
    r = Relation(case)
    case.expect(table=r.table, back=oracle.transpose(r.table, len(r.ins)))
    case.expect_set("coords_in", r.ins)
    case.expect_set("coords_out", r.outs)


def renumber_table(case):
    """Some rows twice and some not at all, and a row of nothing."""
    is_out, volume = case.values["side"] == "out", case.get_int("volume")
    limit = case.size if is_out else 2 * case.size
    table = case.random.integers(-1, max(limit, 0), (case.size, volume)).astype(np.int32)
    table = case.add("table", table)
    count = 2 * case.size + 3 if is_out else limit
    rows = case.random.integers(-1, max(limit, 0), count).astype(np.int32)
    rows = case.add("rows", rows)
    padded = np.vstack([table, np.full((1, volume), -1)]) if is_out else np.append(rows, -1)
    case.expect(renumbered=padded[rows if is_out else table])


def map_size(case):
    r = Relation(case)
    side = r.ins if case.values["side"] == "in" else r.outs
    case.expect(size=np.array(len(side)))


# Sets


def pack(case):
    stride, clip = case.get_list("stride"), case.values["clip"]
    points = case.make_points(stride)
    if clip:
        points[3::5, 0] = -1  # of no item
    coords, order, row_of = oracle.pack(case.add("points", points), stride, clip)
    case.expect(order=order, row_of=row_of)
    case.expect_set("coords", coords)


def quantise(case):
    """Points in and around a region, two of each hundred far away or nowhere."""
    dim, clip = case.get_int("dim"), case.values["clip"]
    origin, size = (
        np.array([float(n) for n in case.values[name].strip("[]").split(",")])
        for name in ("origin", "voxel_size")
    )
    extent = case.get_extent() + 2
    points = origin + case.random.uniform(-extent, extent, (case.size, dim)) * size
    points[7::100, -1] = np.nan
    points[11::100, 0] = np.inf
    points[13::100, 0] = -1e30
    if case.values["batch"] == "yes":
        items = case.random.integers(0, case.batches, (case.size, 1)).astype(float)
        items[5::50] += 0.5
        points = np.concatenate([items, points], axis=1)
    points = case.add("real_points", points.astype(np.float32))
    coordinates = oracle.quantise(points, origin, size)
    coords, order, row_of = oracle.pack(coordinates, [1] * dim, clip)
    case.expect(coordinates=coordinates, order=order, row_of=row_of)
    case.expect_set("coords", coords)


def unpack(case):
    case.expect_set("coords", case.make_set("stride")[0])


def size(case):
    case.expect(size=np.array(len(case.make_set("stride")[0])))


def downsample(case):
    ins, stride = case.make_set("stride_in")[0], case.get_list("stride_out")
    if case.values["rule"] == "floor":
        outs = oracle.floor(ins, stride, case.values["clip"])
    else:
        offsets = oracle.get_offsets(case.values["offsets"])
        outs = oracle.cover(ins, stride, offsets, clip=case.values["clip"])
    case.expect_set("coords_out", outs)


def upsample(case):
    ins, stride = case.make_set("stride_in")[0], case.get_list("stride_out")
    text = case.values["offsets_text"][len("offsets(") : -1]
    corner = ", ".join(f"corner {n}" for n in case.get_list("by"))
    offsets = oracle.get_offsets(text or f"box<{corner}>")
    outs = oracle.cover(ins, stride, offsets, True, case.values["clip"])
    case.expect_set("coords_out", outs)


def subdivide(case):
    coords, order, row_of = case.make_set("stride_in")
    by, stride = case.get_list("by"), np.array(case.get_list("stride_out"))
    offsets = list(itertools.product(*map(range, by)))
    cells = [
        (batch, *(int(n) for n in np.array(c) + stride * offset))
        for batch, *c in coords.coordinates
        for offset in offsets
    ]
    fine = oracle.CoordinateSet(cells, list(stride))
    numbers = find_rows(cells, fine).reshape(len(coords), len(offsets))
    if not case.values["points_text"]:
        order = row_of = np.arange(len(coords), dtype=np.int32)
    # Of all cells only those of the points that stand for a row have a number.
    rows = np.repeat(np.arange(len(coords)), len(offsets))
    by_points = (order[:, None] * len(offsets) + np.arange(len(offsets))).ravel()
    places = np.argsort(numbers.ravel())
    case.expect_set("coords_out", fine)
    case.expect(rows=rows[places].astype(np.int32))
    case.expect(order=by_points[places].astype(np.int32))
    case.expect(row_of=numbers[row_of].ravel())


def rescale(case):
    ins, by = case.make_set("stride_in")[0], case.get_list("by")
    scaled = [(batch, *(n * f for n, f in zip(c, by))) for batch, *c in ins.coordinates]
    stride = case.get_list("stride_out")
    case.expect_set("coords_out", oracle.CoordinateSet(scaled, stride))


def expand(case):
    ins, stride = case.make_set("stride")[0], case.get_list("stride")
    offsets = oracle.get_offsets(case.values["offsets"])
    transposed = case.values["transposed"] == "transposed"
    outs = oracle.cover(ins, stride, offsets, transposed, case.values["clip"])
    case.expect_set("coords_out", outs)


def make_two_sets(case):
    stride = case.get_list("stride")
    lhs = case.make_set("stride")[0]
    other = case.make_points(stride, 2 * case.size // 3 + (case.size == 1))
    rhs = oracle.pack(case.add("other_points", other), stride)[0]
    return lhs, rhs, stride


def find_rows(coords, of):
    return np.array([of.rows[c] for c in coords], dtype=np.int32)


def union(case):
    lhs, rhs, stride = make_two_sets(case)
    both = oracle.CoordinateSet(lhs.coordinates + rhs.coordinates, stride)
    case.expect_set("coords", both)
    case.expect(lhs_rows=find_rows(lhs.coordinates, both))
    case.expect(rhs_rows=find_rows(rhs.coordinates, both))


def intersection(case):
    lhs, rhs, stride = make_two_sets(case)
    common = [c for c in lhs.coordinates if c in rhs.rows]
    both = oracle.CoordinateSet(common, stride)
    case.expect_set("coords", both)
    case.expect(lhs_rows=find_rows(both.coordinates, lhs))
    case.expect(rhs_rows=find_rows(both.coordinates, rhs))


def prune(case):
    coords = case.make_set("stride")[0]
    chance = {"none": 0, "all": 1}.get(case.special, 0.4)
    mask = case.add("mask", case.random.random(len(coords)) < chance)
    rows = np.flatnonzero(mask).astype(np.int32)
    case.expect(coords=coords.array()[rows], rows=rows)


# Rows, points and grids


def gather(case):
    features = case.add_reals("features", case.size, case.get_int("channels"))
    rows = case.random.integers(-1, max(case.size, 0), 2 * case.size + 3)
    rows = case.add("rows", rows.astype(np.int32))
    case.expect(y=oracle.gather(features, rows))


def scatter(case):
    features = case.add_reals("features", case.size, case.get_int("channels"))
    n = case.size // 3 + 2
    rows = case.random.integers(-1, n, case.size).astype(np.int32)
    case.add("rows", rows)
    case.add("n", np.array(n, dtype=np.int64))
    case.expect(y=oracle.scatter(features, rows, n, case.values["kind"]))


def make_real_points(case, size):
    """Points in eighths of a cell, which f32 holds: most inside the set's
    extent, some where no voxel is, a few between two batch items."""
    stride = np.array(case.get_list("stride"))
    extent = case.get_extent() + 1
    points = np.zeros((size, 1 + len(stride)), dtype=np.float32)
    cells = case.random.integers(-8 * extent, 8 * extent, (size, len(stride)))
    points[:, 1:] = cells / 8 * stride
    if case.batches > 1:
        points[:, 0] = 2 * case.random.integers(0, 2, size)
    points[5::7, 0] += 0.5
    return case.add("real_points", points)


def voxelise(case):
    coords = case.make_set("stride")[0]
    points = make_real_points(case, case.size + 3)
    x = case.add_reals("features", case.size + 3, case.get_int("channels"))
    pairs = oracle.corners(case.values["interpolation"], points, coords)
    y = oracle.interpolate(pairs, x, len(coords), True, case.values["kind"])
    case.expect(y=y)
    case.expect_set("coords", coords)


def devoxelise(case):
    coords, x = add_set_features(case)
    points = make_real_points(case, case.size + 3)
    pairs = oracle.corners(case.values["interpolation"], points, coords)
    case.expect(y=oracle.interpolate(pairs, x, len(points), False))


def get_grid(case):
    return [int(n) for n in case.values["grid"].split("x")]


def to_dense(case):
    coords, x = add_set_features(case)
    origin = case.get_list("origin")
    case.expect(dense=oracle.to_dense(x, coords, origin, get_grid(case)))


def from_dense(case):
    coords = case.make_set("stride")[0]
    dense = case.add_reals("dense", *get_grid(case), case.get_int("channels"))
    case.expect(x=oracle.from_dense(dense, coords, case.get_list("origin")))
    case.expect_set("coords", coords)


def make(operation, *arguments):
    """The case with its inputs and expected results."""
    case = Case(operation, *arguments)
    globals()["yield_" if operation == "yield" else operation](case)
    return case
