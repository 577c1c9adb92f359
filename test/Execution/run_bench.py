#!/usr/bin/env python3
"""Times maps, convolutions, their gradients and the networks on a GPU.

usage: run_bench.py [--scene=FILE ...] [--channels=16,32,...] [--only=PATTERN]
                    [--dtype=f16|bf16|f32|tf32] [--runs=N] [--check-networks]
                    [--voxel-size=METRES] [--bin-columns=N] [--target=cuda]
                    [--tiling="OPERATION SIZE SPLITS TILING" ...] [--alone]
                    [--rest=TIMES] [--json=FILE] [--table=FILE]

A scene is a .npy of coordinates [N, 4] (batch, x, y, z), a .npz with such an array
`coords`, or a scan that sparseconv-run reads (.bin, .ply, .pcd, and a .npy or .npz
of points in metres), of which each voxel counts once; without one, a made-up sweep
is taken. With --target=cpu everything runs on the processor, as a test.

A layer's time is that of a function with several of them less that of a function
with one, as CUDA graphs in one stream, divided by how many more there are: launches
between kernels count, what layers share (maps, packed weights) does not. After each
graph the GPU rests for four times as long as it took, as graphs that follow each other
may use so much power that it lowers its clock: with --rest=0 it never rests. With --alone
a layer's time is that of its kernels, by events around each, in runs of one layer between
which the GPU rests for longer. Events add about 3 us to each kernel. The time of
a map is that of packing, a map and a convolution, with the fewest channels, less
that of the other two: it is of all that a convolution takes from the map, which is
its table and, where its dataflow has them, masks of tiles and an order of rows. With
stride 2 the coarser set is made in that time, too: the halved coordinates or, as
`cover`, every output that an offset reaches. Rows with `search=` are of maps by a
search that is named, not chosen; `grid` takes scenes of at most 2^27 cells, in keys of
32 bits. Rows with `order=` are of layers, and of maps with what their layers take, whose
tiles take the rows in an order that is named; only a GPU has orders. Rows with
`main_loop=` are of layers with groups, in tiles that are named. Rows with
`dataflow=` are of layers, and of maps with what their layers take, by a dataflow that is
named; only a GPU has several, and they take no f32. Rows with `tiling=` are of what
--tiling names: "weight_grad 3 36 wgmma, tile_in = 64, .." is the gradient by weights of
3x3x3 offsets, with 36 splits and a tiling as in the IR. A network's time is from points
to features. Medians.

With --table only forward layers and maps are timed, and a file in Markdown sets beside
each other what is selected and what is named: a row for each scene, kernel size and
number of channels, a column for each search, order and dataflow.

The floor of a layer is the larger of its bytes / 4264 GB/s and its flops / 738
TFLOP/s, the measured limits of an H200 (tf32: half of that; f32: 67 TFLOP/s);
tf32 is f32 whose products may be rounded; bytes are features in and out once,
weights, and 4 for each pair. Of packing they are points (16), keys (8) and order (4)
of rows, and features in and out; of a map the keys of its sets and 4 for each pair.
A network's floor has the flops of its convolutions and the bytes of its arguments
alone, so it is below the sum of its layers' floors.

The error of a layer is the largest of 256 rows (of a gradient by the weights: of 8
x 8 channels of each offset) against float64, over the largest magnitude there. Of
packing and of a map it is the number of wrong entries, of rows and of up to 4
million entries of the table. Of a network, with --check-networks, it is the relative
L2 distance from the float64 reference, which takes minutes for a large scene. With
--dtype=f16, layers of some channels are timed in bf16 as well. All that is timed on
a GPU is compiled before, side by side; the file grows with each row. The exit status
is 1 where a row could not be measured, or has an error over its bound: at most three
times what was measured before (bench_expected.py, network_bounds.py), and no wrong entry.
"""

import argparse
import dataclasses
import functools
import json
import os
import re
import sys
import tempfile
from functools import partial
from typing import Callable

import numpy as np

import bench_table
import network_bounds
import oracle
import run_checks
from bench_cases import (
    DATAFLOWS,
    MAPS,
    MORE,
    ORDERED,
    PACKING,
    POINTS,
    SUBMANIFOLD,
    WIDE,
    Map,
    get_storage,
    get_weights_shape,
    make_checked_layer,
    make_checked_pack,
    make_convs,
    make_grouped_maps,
    make_layers,
    make_maps,
    make_network_tables,
    make_packs,
    make_searched_maps,
    make_table,
)
from bench_expected import (
    count_unequal,
    count_wrong,
    get_layer_bound,
    get_layer_error,
    make_out_set,
    make_set,
)
from bench_programs import Program, Programs, execute

BYTES_PER_US = 4264e3
FLOPS_PER_US = {"f16": 738e6, "bf16": 738e6, "tf32": 369e6, "f32": 67e6}
MORE_MAPS = 4  # sets with their maps beside the first
ALSO_BF16 = (64, 128)  # channels of layers in bf16 beside f16
# Their input channels.
NETWORKS = {"minkunet42": 4, "resnet21d": 4, "second": 4, "centerpoint": 4, "spconvbench": 3}


def get_size(dtype):
    return 4 if get_storage(dtype) == "f32" else 2


def get_floor(dtype, moved, flops=0):
    """Microseconds that bytes and operations take at least."""
    return max(moved / BYTES_PER_US, flops / FLOPS_PER_US[dtype])


def make_both(make, more):
    """The programs with one and with `more` of what `make` takes the number of."""
    return [make(1).program(), make(1 + more).program()]


class Scene:
    """Distinct points, and their set."""

    def __init__(self, name, points, path):
        self.name, self.points, self.path = name, points, path
        self.coords = make_set(points)
        self.size = len(self.coords)


@dataclasses.dataclass
class Row:
    """What is timed: `measure` gives the figures, whose error has a bound."""

    name: str
    programs: list
    measure: Callable
    bound: float = 0.0  # of numbers of wrong entries
    cell: tuple = ()  # of rows that differ in a choice: table, scene, what is computed
    choice: str = ""  # what is named in place of what is selected


class Bench:
    def __init__(self, options, programs):
        self.options, self.programs, self.results = options, programs, []

    def difference(self, make, files, more=MORE):
        """Microseconds of one more of what `make` takes the number of."""
        few, many = [
            self.programs.time(case.program(), case.bind(*files), self.options.runs,
                               f"--rest={self.options.rest}")  # fmt: skip
            for case in (make(1), make(1 + more))
        ]
        return (many - few) / more

    def measure(self, scene):
        """Times and prints the rows that are asked for."""
        rows = [row for row in self.make_rows(scene) if self.options.only.search(row.name)]
        if self.options.table:
            rows = [row for row in rows if row.cell]
        self.programs.prepare(program for row in rows for program in row.programs)
        for row in rows:
            result = {"name": row.name, "size": scene.size}
            try:
                result.update(row.measure())
                line = f"{result['median_us']:10.1f} us  floor {result['floor_us']:8.1f} us"
                if "max_error" in result:
                    line += f"  error {result['max_error']:.1e}"
                    # A NaN is over any bound.
                    if not result["max_error"] <= row.bound:
                        result["error"] = f"over the bound of {row.bound:.1e}"
                        line += f", WRONG: {result['error']}"
            except (RuntimeError, ValueError, IndexError) as error:
                result["error"] = line = str(error)
            if row.cell:
                result.update(cell=row.cell, choice=row.choice)
            self.results.append(result)
            self.save()
            print(f"{row.name:44} {line}", flush=True)

    @property
    def report(self):
        return {
            "commit": run_checks.get_commit(),
            "target": self.options.target,
            "chip": self.options.chip,
            "rows": self.results,
        }

    def save(self):
        with open(self.options.json, "w", encoding="utf-8") as file:
            json.dump(self.report, file, indent=1)
            file.write("\n")

    def make_rows(self, scene):
        for channels in self.options.channels:
            dtypes = [self.options.dtype]
            if self.options.dtype == "f16" and channels in ALSO_BF16:
                dtypes.append("bf16")
            for dtype in dtypes:
                for op in ("forward", "input_grad", "weight_grad"):
                    yield self.make_layer_row(scene, op, dtype, channels)
                for tiling in self.options.tiling:
                    op, size, rest = tiling.split(maxsplit=2)
                    kind = Map("", int(size), tiling=rest)
                    yield self.make_layer_row(scene, op, dtype, channels, kind,
                                              f" {size}x{size}x{size} tiling={rest}")  # fmt: skip
                yield self.make_layer_row(scene, "forward", dtype, channels, WIDE, " 5x5x5")
                for kind in self.named:
                    yield self.make_layer_row(scene, "forward", dtype, channels, kind,
                                              " " + kind.title)  # fmt: skip
                for kind in make_grouped_maps(dtype, channels, self.options.target != "cpu"):
                    for op in ("forward", "input_grad"):
                        yield self.make_layer_row(scene, op, dtype, channels, kind,
                                                  " " + kind.title)  # fmt: skip
        yield self.make_pack_row(scene)
        for kind in (*MAPS, *make_searched_maps(scene.coords), *self.named):
            yield self.make_map_row(scene, kind)
        for network, channels in NETWORKS.items():
            yield self.make_network_row(scene, network, channels)

    def read_scene(self, path):
        """The distinct voxels of a file, in its order."""
        coords, extension = None, os.path.splitext(path)[1].lower()
        if extension in (".npy", ".npz"):
            data = np.load(path)
            array = data if extension == ".npy" else data["coords"] if "coords" in data else None
            if array is not None and array.dtype.kind in "iu":
                if array.ndim != 2 or array.shape[1] != 4:
                    raise RuntimeError(f"{path}: expected [N, 4], found {list(array.shape)}")
                coords = array.astype(np.int32)
        if coords is None:
            module, result = [self.programs.get_path(f"scan.{end}") for end in ("mlir", "npy")]
            with open(module, "w", encoding="utf-8") as file:
                file.write(f"func.func @main(%p: {POINTS}) -> {POINTS} {{ return %p : {POINTS} }}")
            options = [f"--voxel-size={self.options.voxel_size}", "--quiet"]
            if extension == ".bin":
                options.append(f"--bin-columns={self.options.bin_columns}")
            self.programs.run_file(module, [path], f"--output={result}", *options,
                                   target="reference")  # fmt: skip
            coords = np.load(result)
        first = np.unique(coords, axis=0, return_index=True)[1]
        return np.ascontiguousarray(coords[np.sort(first)])

    # What several rows need, and none makes before it is measured.

    @functools.lru_cache(maxsize=1)
    def make_arrays(self, scene, dtype, channels, shape):
        """Features and weights as they are stored, and the files of all inputs."""
        random = np.random.default_rng(channels)
        weights = random.standard_normal(shape)
        weights /= np.sqrt(8 * shape[0] / 27 * shape[-1])
        features = random.standard_normal((len(scene.points), channels), np.float32)
        features /= 8  # f16 holds the sums of a million products
        arrays = [oracle.encode(array, get_storage(dtype)) for array in (features, weights)]
        names = [self.programs.save(*file) for file in zip(("x.npy", "w.npy"), arrays)]
        return arrays, (scene.path, *names)

    @functools.lru_cache(maxsize=1)
    def compute_table(self, scene, kind):
        """The coordinates of a map's two sets, and its table."""
        return [np.array(a) for a in self.programs.compute(make_table(kind), [scene.path], 3)]

    @property
    def named(self):
        """Maps whose layers do not take what is chosen. The processor has no tiles whose
        rows have an order, and one dataflow; f32 on a GPU, too, has one."""
        if self.options.target == "cpu":
            return []
        return ORDERED + (DATAFLOWS if self.options.dtype != "f32" else [])

    # A map is what packing and a convolution leave of all three: small ones.

    @property
    def small(self):
        return self.options.dtype, min(self.options.channels)

    def make_small_arrays(self, scene, kind):
        dtype, channels = self.small
        return self.make_arrays(scene, dtype, channels, get_weights_shape(kind, channels))

    @functools.lru_cache(maxsize=1)
    def time_pack(self, scene, packing):
        files = self.make_small_arrays(scene, SUBMANIFOLD)[1]
        make = partial(make_packs, *self.small, packing=packing)
        return self.difference(make, files, MORE_MAPS)

    def make_pack_row(self, scene):
        dtype, channels = self.small
        check = make_checked_pack(dtype, channels)

        def measure():
            median = self.time_pack(scene, PACKING)
            (features, _), files = self.make_small_arrays(scene, SUBMANIFOLD)
            gathered, coords, order = self.programs.compute(check.program(), check.bind(*files), 3)
            wrong = count_unequal(coords, scene.coords)
            wrong += count_unequal(scene.points[order], scene.coords)
            wrong += count_unequal(*[oracle.decode(a) for a in (gathered, features[order])])
            moved = 16 * len(scene.points) + (12 + 2 * channels * get_size(dtype)) * scene.size
            return {
                "median_us": median,
                "floor_us": get_floor(dtype, moved),
                "max_error": float(wrong),
            }

        programs = [*make_both(partial(make_packs, dtype, channels), MORE_MAPS), check.program()]
        return Row(f"{scene.name} pack and gather C={channels}", programs, measure)

    def make_map_row(self, scene, kind):
        whole = partial(make_maps, *self.small, kind)
        conv = partial(make_convs, *self.small, kind)

        def measure():
            pack = self.time_pack(scene, kind.packing)
            files = self.make_small_arrays(scene, kind)[1]
            median = self.difference(whole, files, MORE_MAPS) - pack
            median -= self.difference(conv, files)
            ins, outs, table = self.compute_table(scene, kind)
            expected = make_out_set(scene.coords, kind)
            wrong = count_unequal(ins, scene.coords) + count_unequal(outs, expected)
            if not wrong:
                wrong = count_wrong(scene.coords, expected, table, kind)
            keys = scene.size + (len(outs) if kind.stride > 1 else 0)
            moved = kind.key_bytes * keys + 4 * int((table >= 0).sum())
            return {
                "median_us": median,
                "floor_us": get_floor(self.options.dtype, moved),
                "max_error": float(wrong),
            }

        programs = [*make_both(whole, MORE_MAPS), *make_both(conv, MORE), make_table(kind)]
        programs += make_both(partial(make_packs, *self.small, packing=kind.packing), MORE_MAPS)
        cell = ("maps", scene.name, kind.form)
        return Row(f"{scene.name} {kind.title}", programs, measure, cell=cell, choice=kind.choice)

    def make_layer_row(self, scene, op, dtype, channels, kind=SUBMANIFOLD, title=""):
        make = partial(make_layers, op, dtype, channels, kind)
        check = make_checked_layer(op, dtype, channels, kind)
        both = make_both(make, 1 if self.options.alone else MORE)
        # Its table is the same whatever is chosen for its layers.
        plain = dataclasses.replace(
            kind, title="", order="", dataflow="", tiling="", group=0, main_loop=""
        )  # fmt: skip
        inner = kind.group or channels

        def measure():
            shape = get_weights_shape(kind, channels)
            arrays, files = self.make_arrays(scene, dtype, channels, shape)
            table = self.compute_table(scene, plain)[2]
            pairs = int((table >= 0).sum())
            # The bytes of the features in and out are the same in all passes.
            elements = (2 * scene.size + kind.volume * inner) * channels
            moved = elements * get_size(dtype) + 4 * pairs
            if self.options.alone:
                median = self.programs.time_alone(*both, make(1).bind(*files), self.options.runs)
            else:
                median = self.difference(make, files)
            count = len(check.results)
            results = self.programs.compute(check.program(), check.bind(*files), count)
            return {
                "median_us": median,
                "floor_us": get_floor(dtype, moved, 2 * pairs * inner * channels),
                "max_error": get_layer_error(op, results, table, *arrays),
            }

        programs = [*both, check.program(), make_table(plain)]
        products = scene.size if op == "weight_grad" else kind.volume * inner
        bound = get_layer_bound(op, dtype, self.options.target == "cpu", products)
        name = f"{scene.name} {op} {dtype} C={channels}{title}"
        cell = ()
        if op == "forward":
            cell = ("layers", scene.name, f"{kind.box} {dtype} C={channels}{kind.groups}")
        return Row(name, programs, measure, bound, cell, kind.choice)

    def make_network_row(self, scene, network, channels):
        dtype, run = self.options.dtype, self.programs
        module = run.get_path(f"{network}.mlir")
        if not os.path.exists(module):
            execute(sys.executable, "-m", "sparseconv.networks", network, "--dtype", dtype,
                    "-o", module)  # fmt: skip
        with open(module, encoding="utf-8") as file:
            program = Program(file.read(), streams=None)
        tables, products = make_network_tables(program.text)

        def measure():
            weights = run.get_path("net.npz")
            execute(sys.executable, "-m", "sparseconv.weights", module, "-o", weights)
            features = np.random.default_rng(3).standard_normal((len(scene.points), channels))
            features = oracle.encode(features, get_storage(dtype))
            files = [f"points={scene.path}", f"features={run.save('f.npy', features)}"]
            median = run.time(program, files, self.options.runs, f"--weights={weights}")
            with np.load(weights) as arrays:
                moved = sum(array.nbytes for array in arrays.values())
            moved += scene.points.nbytes + features.nbytes
            # The products of its convolutions, by the pairs that its maps have.
            found = run.compute(tables, [scene.path], len(products))
            flops = sum(2 * int((t >= 0).sum()) * count for t, count in zip(found, products))
            result = {"median_us": median, "floor_us": get_floor(dtype, moved, flops)}
            if self.options.check_networks:
                printed = run.run_file(module, files, f"--weights={weights}", "--check")
                errors = re.findall(r"relative L2 ([^;\s]+); bound", printed)
                result["max_error"] = max(float(e) for e in errors)
            return result

        bound = network_bounds.get_bound(self.options.target, network, dtype)
        return Row(f"{scene.name} network {network} {dtype}", [program, tables], measure, bound)


def numbers(text):
    """Of channels, as an option has them."""
    values = [int(word) for word in text.split(",")]
    if min(values) < 1:
        raise ValueError
    return values


def main():
    parser = argparse.ArgumentParser(prog="run-bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--scene", action="append", default=[], help="a file; repeatable")
    parser.add_argument("--voxel-size", type=float, default=0.05, help="of scans, in metres")
    parser.add_argument("--bin-columns", type=int, default=4, help="floats in a row of a .bin")
    parser.add_argument("--channels", type=numbers, default="16,32,64,96,128,256")
    parser.add_argument("--tiling", action="append", default=[],
                        metavar="OPERATION SIZE SPLITS TILING",
                        help='"forward 5 8 ring64, warps = 8, ..": to time besides; repeatable')  # fmt: skip
    parser.add_argument("--dtype", default="f16", choices=list(FLOPS_PER_US))
    parser.add_argument("--only", default=re.compile(""), type=re.compile,
                        help="rows in whose name this regular expression finds something")  # fmt: skip
    parser.add_argument("--runs", type=int, default=30, help="of which the median is taken")
    parser.add_argument("--check-networks", action="store_true", help="give networks their error")
    parser.add_argument("--target", default="cuda", help="cuda, cuda:CHIP or cpu")
    parser.add_argument("--json", default="bench.json", help="file for the results")
    parser.add_argument("--alone", action="store_true",
                        help="layers one at a time, on a GPU that rests in between")  # fmt: skip
    parser.add_argument("--rest", type=int, metavar="TIMES",
                        help="of a GPU after each graph of layers or maps, as a multiple of "
                        "the graph's time (default: 4)")  # fmt: skip
    parser.add_argument("--table", help="file for tables of what can be chosen; times only that")
    options = parser.parse_args()
    if not re.fullmatch(r"cpu|cuda(:\w+)?", options.target):
        parser.error(f"--target={options.target}: expected cuda, cuda:CHIP or cpu")
    if options.alone and options.target == "cpu":
        parser.error("--alone needs a GPU")
    if options.rest is None:
        options.rest = 0 if options.target == "cpu" else 4
    options.chip = run_checks.get_processor()
    if options.target != "cpu":
        try:
            options.chip = run_checks.get_cuda_chip()
        except OSError as error:
            sys.exit(f"run-bench: error: no GPU: {error}")
    with tempfile.TemporaryDirectory(prefix="sparseconv-bench-") as folder:
        programs = Programs(options.target, folder)
        bench = Bench(options, programs)
        if not options.scene:
            options.scene = [os.path.join(folder, "sweep.bin")]
            execute("sparseconv-sweep", "-o", *options.scene)
        for path in options.scene:
            try:
                points = bench.read_scene(path)
            except (OSError, ValueError, RuntimeError) as error:
                sys.exit(f"run-bench: error: {error}")
            name = os.path.splitext(os.path.basename(path))[0]
            bench.measure(Scene(name, points, programs.save("points.npy", points)))
    if not bench.results:
        row = "row of a choice" if options.table else "row"
        sys.exit(f"run-bench: error: '{options.only.pattern}' finds no {row}")
    if options.table:
        print("\n".join(bench_table.write(options.table, bench.report)))
    return 1 if any("error" in row for row in bench.results) else 0


if __name__ == "__main__":
    sys.exit(main())
