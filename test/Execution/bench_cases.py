"""The functions that run_bench.py times and checks, as IR: sets of points, maps from
them, and layers on the maps."""

import re
from dataclasses import dataclass, replace

from bench_programs import Program

PACKING = "<i64, batch = 8, bits = [20, 20, 16], guard = [64, 64, 64]>"
POINTS = "tensor<?x4xi32>"
MORE = 10  # layers beside the first


def get_storage(dtype):
    """How arrays are stored; tf32 is how they are multiplied."""
    return "f32" if dtype == "tf32" else dtype


@dataclass(frozen=True)
class Map:
    """A kind of map from the set of the points, to itself or to a coarser one."""

    title: str
    size: int
    stride: int = 1
    rule: str = "floor"
    search: str = ""  # what is chosen, unless it is given
    coarsening: str = ""  # likewise
    packing: str = PACKING
    order: str = ""  # of the rows in tiles of its layers; the same
    tiling: str = ""  # of its layers, behind their splits; the same
    dataflow: str = ""  # of its layers; the same
    group: int = 0  # channels of a group of its layers, which have one group unless it is given
    main_loop: str = ""  # of its layers; what is chosen, unless it is given

    @property
    def box(self):
        return f"{self.size}x{self.size}x{self.size}"

    @property
    def form(self):
        """What is made, whatever is chosen."""
        if self.stride == 1:
            return f"map {self.box}"
        cover = " cover" if self.rule == "cover" else ""
        return f"set and map {self.box} stride {self.stride}{cover}"

    @property
    def choice(self):
        """What is named, or an empty string."""
        names = ("search", "coarsening", "order", "dataflow", "main_loop", "tiling")
        return " ".join(f"{name}={getattr(self, name)}" for name in names if getattr(self, name))

    @property
    def groups(self):
        """What its layers have groups of."""
        if not self.group:
            return ""
        return " depthwise" if self.group == 1 else f" groups of {self.group}"

    @property
    def offsets(self):
        return f"box<{self.size}, {self.size}, {self.size}>"

    @property
    def out(self):
        return "%c" if self.stride == 1 else "%d"

    @property
    def volume(self):
        return self.size**3

    @property
    def key_bytes(self):
        return 4 if self.packing.startswith("<i32") else 8

    @property
    def head(self):
        return (
            f"#packing = #sparseconv.packing{self.packing}\n"
            "!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>\n"
            f"!out = !sparseconv.coords<3, stride = {[self.stride] * 3}, #packing>\n"
            f"!map = !sparseconv.kernel_map<{self.volume}, !set to !out>\n"
        )

    def make(self, i=0):
        """The lines for map %m of set %c, and for the coarser set %d."""
        out, rule, lines = f"{self.out}{i}", "", []
        if self.rule == "cover":
            rule = f" cover offsets({self.offsets})"
        if self.stride > 1:
            by = f"by {[self.stride] * 3}{rule}"
            if self.coarsening:
                by += f" {{coarsening = #sparseconv.coarsening<{self.coarsening}>}}"
            lines.append(f"{out} = sparseconv.downsample %c{i} {by} : !set -> !out")
        map = f"sparseconv.kernel_map %c{i} to {out} offsets({self.offsets})"
        if self.search:
            map += f" {{search = #sparseconv.search<{self.search}>}}"
        return [*lines, f"%m{i} = {map} : !map"]


SUBMANIFOLD = Map("map 3x3x3", 3)
WIDE = Map("map 5x5x5", 5)
MAPS = (
    SUBMANIFOLD,
    WIDE,
    Map("set and map 2x2x2 stride 2", 2, 2),
    Map("set and map 2x2x2 stride 2 coarsening=sort", 2, 2, coarsening="sort"),
    Map("set and map 4x4x4 stride 4", 4, 4),
    Map("set and map 4x4x4 stride 4 coarsening=merge", 4, 4, coarsening="merge"),
    Map("set and map 3x3x3 stride 2", 3, 2),
    Map("set and map 3x3x3 stride 2 cover", 3, 2, "cover"),
)
# Orders of rows that are not chosen.
ORDERED = [
    Map(f"{size}x{size}x{size} order={order}", size, order=order)
    for size in (3, 5)
    for order in ("gray", "mask", "space", "density")
]
# Dataflows that are not chosen.
DATAFLOWS = [
    Map(f"{size}x{size}x{size} dataflow={dataflow}", size, dataflow=dataflow)
    for dataflow in ("weight_stationary", "explicit", "grouped", "hybrid, norm = 2", "hybrid, norm = 3")
    for size in (3, 5)
]
GROUPS = (1, 16)  # channels of a group
# How tiles are written that hold groups of 16 channels.
GROUP_TILINGS = {
    "warp16": "warps = 16, tile_k = 16, tile_n = 16, resident = true",
    "fma16": "tile_k = 16, tile_n = 32, stages = 2",
}


def make_grouped_maps(dtype, channels, has_tiles):
    """Maps whose layers have groups: as is chosen, and in tiles, which are not."""
    for group in GROUPS:
        if channels % group or channels == group:
            continue
        loops = [""]
        if has_tiles:
            wide = "fma16" if dtype == "f32" else "warp16"
            loops.append("depthwise" if group == 1 else wide)
        for loop in loops:
            kind = Map("", 3, group=group, main_loop=loop)
            yield replace(kind, title=f"{kind.box}{kind.groups} {kind.choice}".strip())


def make_tiling(kind, channels):
    """How tiles are written that a main loop for groups takes."""
    if kind.main_loop != "depthwise":
        return f"#sparseconv.gemm_tiling<{kind.main_loop}, {GROUP_TILINGS[kind.main_loop]}>"
    widest = next(width for width in (64, 32, 16, 8) if channels % width == 0 or width == 8)
    return f"#sparseconv.gemm_tiling<depthwise, blocks = 4, tile_n = {widest}>"


SEARCHES = ("binary", "hash", "zdelta, half", "binary, half", "hash, half")
GRIDS = ("grid", "grid, half")
GRID_BITS, GRID_BATCH, GRID_GUARD = 27, 1, 4  # of all cells; of batch indices; of each axis


def make_searched_maps(coords):
    """Maps of a set to itself by every search that is not chosen: a grid, with a packing
    of its own, where the coordinates have few enough cells."""
    searches = [(search, PACKING) for search in SEARCHES]
    # The axes hold -2^(b-1) + guard .. 2^(b-1) - 1 - guard.
    largest = [int(max(axis.max(), -axis.min() - 1)) for axis in coords.T[1:]]
    bits = [(most + GRID_GUARD).bit_length() + 1 for most in largest]
    if coords[:, 0].max() < 2**GRID_BATCH and sum(bits) + GRID_BATCH <= GRID_BITS:
        guard = [GRID_GUARD] * 3
        packing = f"<i32, batch = {GRID_BATCH}, bits = {bits}, guard = {guard}>"
        searches += [(search, packing) for search in GRIDS]
    for search, packing in searches:
        for size in (3, 5):
            title = f"{size}x{size}x{size} search={search}"
            yield Map(title, size, search=search, packing=packing)


def get_weights_shape(kind, channels):
    if kind.group:
        return kind.volume, channels // kind.group, kind.group, kind.group
    return kind.volume, channels, channels


class Case:
    """A function of points, features [N, C] and weights. It has `packs` sets %c, or
    one set and `arrays` features %x in its order; both count from 0."""

    def __init__(self, dtype, channels, kind=SUBMANIFOLD, packs=1, arrays=1):
        self.details = " tf32 = allowed" if dtype == "tf32" else ""
        if kind.order:
            self.details += f" {{row_order = #sparseconv<row_order {kind.order}>}}"
        if kind.dataflow:
            self.details += f" {{dataflow = #sparseconv.dataflow<{kind.dataflow}>}}"
        if kind.main_loop:
            self.details += f" {{tiling = {make_tiling(kind, channels)}}}"
        self.kind, self.packs, self.arrays = kind, packs, arrays
        self.rows = f"tensor<?x{channels}x{get_storage(dtype)}>"
        slices = "x".join(map(str, get_weights_shape(kind, channels)))
        self.weights = f"tensor<{slices}x{get_storage(dtype)}>"
        self.body, self.results = [], []
        for i in range(packs):
            self.body.append(f"%c{i}, %o{i}, %r{i} = sparseconv.pack %points{i} : {POINTS} -> !set")
        for i in range(max(packs, arrays)):
            self.body.append(
                f"%x{i} = sparseconv.gather %features{i % arrays}, %o{i % packs} : "
                f"{self.rows}, tensor<?xi32> -> {self.rows}"
            )

    def map(self, i=0):
        self.body += self.kind.make(i)

    def get_details(self, tiling="gemm_tiling"):
        """What is chosen for a layer; `tiling` is the attribute that its tiling is."""
        if not self.kind.tiling:
            return self.details
        splits, sizes = self.kind.tiling.split(maxsplit=1)
        return self.details + (
            f" {{dataflow = #sparseconv.dataflow<output_stationary, split_k = {splits}>, "
            f"tiling = #sparseconv.{tiling}<{sizes}>}}"
        )

    def conv(self, x, y, i=0, details=None):
        details = self.get_details() if details is None else details
        self.body.append(
            f"{y} = sparseconv.conv {x}, %w, %m{i}{details} : {self.rows}, "
            f"{self.weights}, !map -> {self.rows}"
        )

    def input_grad(self, dy, dx):
        self.body.append(
            f"{dx} = sparseconv.input_grad {dy}, %w, %m0{self.get_details()} : {self.rows}, "
            f"{self.weights}, !map -> {self.rows}"
        )

    def weight_grad(self, x, dy, dw):
        details = self.get_details("weight_grad_tiling")
        self.body.append(
            f"{dw} = sparseconv.weight_grad {x}, {dy}, %m0{details} : {self.rows}, "
            f"{self.rows}, !map -> {self.weights}"
        )

    def unpack(self, coords, type, result):
        self.body.append(f"{result} = sparseconv.unpack {coords} : {type} -> {POINTS}")
        self.results.append((result, POINTS))

    def returns(self, name, count=1):
        self.results += [(f"{name}{i}", self.rows) for i in range(count)]

    def program(self):
        arguments = [(f"points{i}", POINTS) for i in range(self.packs)]
        arguments += [(f"features{i}", self.rows) for i in range(self.arrays)]
        arguments.append(("w", self.weights))
        names = [f'%{name}: {type} {{sparseconv.name = "{name}"}}' for name, type in arguments]
        types = ", ".join(t for _, t in self.results)
        return Program(
            self.kind.head + f"func.func @main({', '.join(names)}) -> ({types}) {{\n  "
            + "\n  ".join(self.body)
            + f"\n  return {', '.join(n for n, _ in self.results)} : {types}\n}}\n"
        )  # fmt: skip

    def bind(self, points, features, weights):
        """Files for the arguments."""
        inputs = [f"points{i}={points}" for i in range(self.packs)]
        inputs += [f"features{i}={features}" for i in range(self.arrays)]
        return [*inputs, f"w={weights}"]


def make_packs(dtype, channels, count, packing=PACKING):
    case = Case(dtype, channels, Map("no map", 3, packing=packing), packs=count)
    case.returns("%x", count)
    return case


def make_maps(dtype, channels, kind, count):
    """Each with a set and a convolution of its own."""
    case = Case(dtype, channels, kind, packs=count)
    for i in range(count):
        case.map(i)
        case.conv(f"%x{i}", f"%y{i}", i)
    case.returns("%y", count)
    return case


def make_convs(dtype, channels, kind, count):
    """On one map and, since the sizes of its sides may differ, on features that are
    all there however many of them are used: equal convolutions would be shared."""
    case = Case(dtype, channels, kind, arrays=MORE + 1)
    case.map()
    for i in range(count):
        case.conv(f"%x{i}", f"%y{i}")
    case.returns("%y", count)
    case.returns("%x", MORE + 1)
    return case


def make_layers(op, dtype, channels, kind, count):
    """A function with `count` layers on one map, one behind the other."""
    case = Case(dtype, channels, kind)
    case.map()
    if op == "forward":
        for i in range(count):
            case.conv("%x0" if i == 0 else f"%y{i - 1}", f"%y{i}")
        case.results = [(f"%y{count - 1}", case.rows)]
    elif op == "input_grad":
        for i in range(count):
            case.input_grad("%x0" if i == 0 else f"%d{i - 1}", f"%d{i}")
        case.results = [(f"%d{count - 1}", case.rows)]
    else:  # weight_grad, of features that differ: equal ones would be shared
        for i in range(MORE + 1):
            # A tiling that is named is the gradient's.
            case.conv("%x0" if i == 0 else f"%x_{i - 1}", f"%x_{i}", details=case.details)
        for i in range(count):
            case.weight_grad(f"%x_{i}", "%x0", f"%w{i}")
        case.results = [(f"%w{i}", case.weights) for i in range(count)]
        case.results.append((f"%x_{MORE}", case.rows))
    return case


# What is checked.


def make_checked_pack(dtype, channels):
    """The gathered rows, the set's coordinates, and the order."""
    case = make_packs(dtype, channels, 1)
    case.unpack("%c0", "!set", "%coords")
    case.results.append(("%o0", "tensor<?xi32>"))
    return case


def make_checked_layer(op, dtype, channels, kind):
    """The layer's result, the order and, of weight_grad, the rows it is from."""
    case = Case(dtype, channels, kind)
    case.map()
    case.results = [("%result", case.rows), ("%o0", "tensor<?xi32>")]
    if op == "forward":
        case.conv("%x0", "%result")
    elif op == "input_grad":
        case.input_grad("%x0", "%result")
    else:
        case.conv("%x0", "%y", details=case.details)
        case.weight_grad("%y", "%x0", "%result")
        case.results = [("%result", case.weights), case.results[1], ("%y", case.rows)]
    return case


def make_table(kind):
    """The coordinates of a map's two sets, and its table, from points."""
    columns = f"tensor<?x{kind.volume}xi32>"
    return Program(
        kind.head + f"func.func @main(%p: {POINTS}) -> ({POINTS}, {POINTS}, {columns}) {{\n"
        f"  %c0, %o, %r = sparseconv.pack %p : {POINTS} -> !set\n  "
        + "\n  ".join(kind.make())
        + f"\n  %t = sparseconv.neighbour_table %m0 : !map -> {columns}\n"
        f"  %in = sparseconv.unpack %c0 : !set -> {POINTS}\n"
        f"  %out = sparseconv.unpack {kind.out}0 : !out -> {POINTS}\n"
        f"  return %in, %out, %t : {POINTS}, {POINTS}, {columns}\n}}\n"
    )  # fmt: skip


def make_network_tables(text):
    """The tables of a network's maps, from its points, and for each of them the
    number of products a pair takes in the network's convolutions."""
    made = r"^ *%.* = sparseconv\.(?:pack|downsample|kernel_map|transpose_map) .*$"
    lines = re.findall(r"^[#!].*$", text, re.M)
    body = [line.strip() for line in re.findall(made, text, re.M)]
    maps, products = {}, {}
    conv = r"sparseconv\.conv \S+, \S+, (%\w+).*?, tensor<(\d+)x(\d+)x(\d+)x\w+>, (!\w+) ->"
    for name, volume, c_in, c_out, type in re.findall(conv, text):
        maps[name] = (type, f"tensor<?x{volume}xi32>")
        products[name] = products.get(name, 0) + int(c_in) * int(c_out)
    for i, (name, (type, table)) in enumerate(maps.items()):
        body.append(f"%t{i} = sparseconv.neighbour_table {name} : {type} -> {table}")
    types = ", ".join(table for _, table in maps.values())
    names = ", ".join(f"%t{i}" for i in range(len(maps)))
    lines.append(f"func.func @main(%points: {POINTS}) -> ({types}) {{")
    lines += [*body, f"return {names} : {types}", "}"]
    return Program("\n".join(lines)), list(products.values())
