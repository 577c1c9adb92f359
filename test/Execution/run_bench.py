#!/usr/bin/env python3
"""Times maps, convolutions, their gradients and the networks on a GPU.

usage: run_bench.py [--scene=FILE ...] [--channels=16,32,...] [--only=TEXT]
                    [--dtype=f16|bf16|f32|tf32] [--runs=N] [--check-networks]
                    [--voxel-size=METRES] [--bin-columns=N] [--target=cuda]
                    [--json=FILE]

A scene is a .npy of coordinates [N, 4] (batch, x, y, z), a .npz with such an array
`coords`, or a scan that sparseconv-run reads (.bin, .ply, .pcd, and a .npy or .npz
of points in metres), of which each voxel counts once; without one, a made-up sweep
is taken. With --target=cpu everything runs on the processor, as a test.

A layer's time is that of a function with several of them less that of a function
with one, as CUDA graphs in one stream, divided by how many more there are: launches
between kernels count, what layers share (maps, packed weights) does not. The time of
a map is that of packing, a map and a convolution, with the fewest channels, less
that of the other two: it is of all that a convolution takes from the map, which is
its table and, where its dataflow has them, masks of tiles and an order of rows. With
stride 2 the coarser set is made in that time, too: the halved coordinates or, as
`cover`, every output that an offset reaches. A network's time is from points to
features. Medians.

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
--dtype=f16, layers of some channels are timed in bf16 as well.
"""

import argparse
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import oracle
import run_checks
from bench_cases import (
    MAPS,
    MORE,
    POINTS,
    SUBMANIFOLD,
    Case,
    get_storage,
    make_convs,
    make_layers,
    make_maps,
    make_packs,
)

AXIS_BITS = (20, 20, 16)  # of the packing
BYTES_PER_US = 4264e3
FLOPS_PER_US = {"f16": 738e6, "bf16": 738e6, "tf32": 369e6, "f32": 67e6}
MORE_MAPS = 4  # sets with their maps beside the first
ALSO_BF16 = (64, 128)  # channels of layers in bf16 beside f16
CHECKED = 1 << 22  # entries of a table that are compared


def get_size(dtype):
    return 4 if get_storage(dtype) == "f32" else 2


def get_floor(dtype, moved, flops=0):
    """Microseconds that bytes and operations take at least."""
    return max(moved / BYTES_PER_US, flops / FLOPS_PER_US[dtype])


# What numpy says of sets and maps. Coordinates are [N, 4] in the order of a set.


def get_keys(coords):
    """A number a row, larger for a later row of a set."""
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


def read_time(printed):
    """The microseconds that sparseconv-run prints."""
    match = re.search(r"median ([\d.]+) (us|ms|s)", printed)
    return float(match[1]) * {"us": 1, "ms": 1e3, "s": 1e6}[match[2]]


class Scene:
    """Distinct points, and their set."""

    def __init__(self, name, points, path):
        self.name, self.points, self.path = name, points, path
        self.coords = make_set(points)
        self.size = len(self.coords)


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.rows = options, folder, []

    def get_path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, array):
        np.save(self.get_path(name), array)
        return self.get_path(name)

    def call(self, module, inputs, *more, target=None):
        """What sparseconv-run prints."""
        command = ["sparseconv-run", module, f"--target={target or self.options.target}"]
        command += [*[f"--input={i}" for i in inputs], *more]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = (done.stderr + done.stdout).strip().splitlines() or ["no output"]
            raise RuntimeError(next((n for n in lines if "FAILED" in n), lines[0]))
        return done.stdout

    def run(self, text, inputs, *more, target=None):
        module = self.get_path("bench.mlir")
        with open(module, "w", encoding="utf-8") as file:
            file.write(text)
        return self.call(module, inputs, *more, target=target)

    def compute(self, text, inputs, count, *more, target=None):
        """The first results: parts of files, until the next call."""
        paths = [self.get_path(f"result{i}.npy") for i in range(count)]
        outputs = [f"--output={path}" for path in paths]
        self.run(text, inputs, *outputs, "--quiet", *more, target=target)
        return [np.load(path, mmap_mode="r") for path in paths]

    def time(self, case, files):
        """Microseconds of a run, in one stream."""
        streams = [] if self.options.target == "cpu" else ["--streams=1"]
        runs = f"--time={self.options.runs}"
        return read_time(self.run(case.text(), case.bind(*files), runs, *streams))

    def difference(self, make, files, more=MORE):
        """Microseconds of one more of what `make` takes the number of."""
        few = self.time(make(1), files)
        return (self.time(make(1 + more), files) - few) / more

    def add(self, name, size, measure):
        if self.options.only not in name:
            return
        row = {"name": name, "size": size}
        try:
            row.update(measure())
            line = f"{row['median_us']:10.1f} us  floor {row['floor_us']:8.1f} us"
            if "max_error" in row:
                line += f"  error {row['max_error']:.1e}"
        except (RuntimeError, ValueError, IndexError, subprocess.CalledProcessError) as error:
            row["error"] = line = str(error)
        self.rows.append(row)
        print(f"{name:44} {line}", flush=True)

    def scene(self, name, points):
        scene = Scene(name, points, self.save("points.npy", points))
        options = self.options
        for channels in options.channels:
            dtypes = [options.dtype]
            if options.dtype == "f16" and channels in ALSO_BF16:
                dtypes.append("bf16")
            for dtype in dtypes:
                self.layers(scene, dtype, channels)
        # A map is what packing and a convolution leave of all three: small ones.
        few = options.dtype, min(options.channels)
        self.add(f"{name} pack and gather C={few[1]}", scene.size,
                 lambda: self.measure_pack(scene, *few))  # fmt: skip
        for kind in MAPS:
            self.add(f"{name} {kind.title}", scene.size,
                     lambda kind=kind: self.measure_map(scene, kind, *few))  # fmt: skip
        for network, channels in (("minkunet42", 4), ("resnet21d", 4), ("spconvbench", 3)):
            self.add(f"{name} network {network} {options.dtype}", scene.size,
                     lambda n=network, c=channels: self.measure_network(scene, n, c))  # fmt: skip

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
            elif extension == ".npy":  # as sparseconv-run reads points
                path = self.get_path("scan.npz")
                np.savez(path, points=array)
        if coords is None:
            text = f"func.func @main(%p: {POINTS}) -> {POINTS} {{\n  return %p : {POINTS}\n}}\n"
            size = f"--voxel-size={self.options.voxel_size}"
            columns = f"--bin-columns={self.options.bin_columns}"
            coords = self.compute(text, [path], 1, size, columns, target="reference")[0]
        first = np.unique(coords, axis=0, return_index=True)[1]
        return np.ascontiguousarray(coords[np.sort(first)])

    # What no row asks for is not made.

    @functools.lru_cache(maxsize=1)
    def make_arrays(self, scene, dtype, channels, volume):
        """Features and weights as they are stored, and the files of all inputs."""
        random = np.random.default_rng(channels)
        weights = random.standard_normal((volume, channels, channels))
        weights /= np.sqrt(8 * channels)
        features = random.standard_normal((len(scene.points), channels), np.float32)
        features /= 8  # f16 holds the sums of a million products
        arrays = [oracle.encode(array, get_storage(dtype)) for array in (features, weights)]
        return arrays, (scene.path, self.save("x.npy", arrays[0]), self.save("w.npy", arrays[1]))

    @functools.lru_cache(maxsize=1)
    def make_table(self, scene, kind):
        """The coordinates of a map's two sets, and its table."""
        columns = f"tensor<?x{kind.volume}xi32>"
        text = (
            kind.head + f"func.func @main(%p: {POINTS}) -> ({POINTS}, {POINTS}, {columns}) {{\n"
            f"  %c0, %o, %r = sparseconv.pack %p : {POINTS} -> !set\n  "
            + "\n  ".join(kind.make())
            + f"\n  %t = sparseconv.neighbour_table %m0 : !map -> {columns}\n"
            f"  %in = sparseconv.unpack %c0 : !set -> {POINTS}\n"
            f"  %out = sparseconv.unpack {kind.out}0 : !out -> {POINTS}\n"
            f"  return %in, %out, %t : {POINTS}, {POINTS}, {columns}\n}}\n"
        )  # fmt: skip
        return [np.array(a) for a in self.compute(text, [scene.path], 3)]

    @functools.lru_cache(maxsize=1)
    def time_pack(self, scene, dtype, channels):
        files = self.make_arrays(scene, dtype, channels, SUBMANIFOLD.volume)[1]
        return self.difference(functools.partial(make_packs, dtype, channels), files, MORE_MAPS)

    def measure_pack(self, scene, dtype, channels):
        median = self.time_pack(scene, dtype, channels)
        (features, _), files = self.make_arrays(scene, dtype, channels, SUBMANIFOLD.volume)
        case = make_packs(dtype, channels, 1)
        case.unpack("%c0", "!set", "%coords")
        case.results.append(("%o0", "tensor<?xi32>"))
        gathered, coords, order = self.compute(case.text(), case.bind(*files), 3)
        wrong = count_unequal(coords, scene.coords)
        wrong += count_unequal(scene.points[order], scene.coords)
        wrong += count_unequal(*[oracle.decode(a) for a in (gathered, features[order])])
        moved = 16 * len(scene.points) + (12 + 2 * channels * get_size(dtype)) * scene.size
        return {
            "median_us": median,
            "floor_us": get_floor(dtype, moved),
            "max_error": float(wrong),
        }

    def measure_map(self, scene, kind, dtype, channels):
        pack = self.time_pack(scene, dtype, channels)
        files = self.make_arrays(scene, dtype, channels, kind.volume)[1]
        whole = functools.partial(make_maps, dtype, channels, kind)
        conv = functools.partial(make_convs, dtype, channels, kind)
        median = self.difference(whole, files, MORE_MAPS) - pack - self.difference(conv, files)
        ins, outs, table = self.make_table(scene, kind)
        expected = make_out_set(scene.coords, kind)
        wrong = count_unequal(ins, scene.coords) + count_unequal(outs, expected)
        if not wrong:
            wrong = count_wrong(scene.coords, expected, table, kind)
        keys = scene.size + (len(outs) if kind.stride > 1 else 0)
        moved = 8 * keys + 4 * int((table >= 0).sum())
        return {
            "median_us": median,
            "floor_us": get_floor(dtype, moved),
            "max_error": float(wrong),
        }

    def layers(self, scene, dtype, channels):
        for op in ("forward", "input_grad", "weight_grad"):

            def measure(op=op):
                arrays, files = self.make_arrays(scene, dtype, channels, SUBMANIFOLD.volume)
                table = self.make_table(scene, SUBMANIFOLD)[2]
                pairs = int((table >= 0).sum())
                # The bytes of the features in and out are the same in all passes.
                moved = (2 * scene.size + 27 * channels) * channels * get_size(dtype) + 4 * pairs
                make = functools.partial(make_layers, op, dtype, channels)
                return {
                    "median_us": self.difference(make, files),
                    "floor_us": get_floor(dtype, moved, 2 * pairs * channels**2),
                    "max_error": self.error(op, dtype, files, table, *arrays),
                }

            self.add(f"{scene.name} {op} {dtype} C={channels}", scene.size, measure)

    def error(self, op, dtype, files, table, features, weights):
        """Of sampled rows or channels, against float64."""
        channels = features.shape[1]
        case = Case(dtype, channels)
        case.map()
        case.results = [("%result", case.rows), ("%o0", "tensor<?xi32>")]
        if op == "forward":
            case.conv("%x0", "%result")
        elif op == "input_grad":
            case.input_grad("%x0", "%result")
        else:
            case.conv("%x0", "%y")
            case.weight_grad("%y", "%x0", "%result")
            case.results = [("%result", case.weights), case.results[1], ("%y", case.rows)]
        found, order, *y = self.compute(case.text(), case.bind(*files), len(case.results))
        random = np.random.default_rng(2)
        if op == "weight_grad":
            some = [np.sort(random.choice(channels, min(8, channels), False)) for _ in range(2)]
            found = oracle.decode(found[:, some[0][:, None], some[1]])
            y, x = oracle.decode(y[0][:, some[0]]), oracle.decode(features[:, some[1]])[order]
            rows = [np.flatnonzero(table[:, k] >= 0) for k in range(27)]
            expected = np.array([y[table[r, k]].T @ x[r] for k, r in enumerate(rows)])
        else:
            sample = random.choice(len(table), min(256, len(table)), replace=False)
            found, w = oracle.decode(found[sample]), oracle.decode(weights)
            near = table[sample]
            if op == "input_grad":
                # What has a row as its input at an offset is its input at the opposite.
                near, w = near[:, ::-1], w.transpose(0, 2, 1)
            x = oracle.decode(features[order[near.clip(0)]])
            x[near < 0] = 0
            expected = np.einsum("rkc,kcd->rd", x, w, optimize=True)
        return float(np.abs(found - expected).max() / np.abs(expected).max())

    def measure_network(self, scene, network, channels):
        dtype, python = self.options.dtype, [sys.executable, "-m"]
        module, weights = self.get_path("net.mlir"), self.get_path("net.npz")
        subprocess.run([*python, "sparseconv.networks", network, "--dtype", dtype, "-o", module],
                       check=True)  # fmt: skip
        subprocess.run([*python, "sparseconv.weights", module, "-o", weights], check=True)
        features = np.random.default_rng(3).standard_normal((len(scene.points), channels))
        features = oracle.encode(features, get_storage(dtype))
        files = [f"points={scene.path}", f"features={self.save('f.npy', features)}"]
        printed = self.call(module, files, f"--weights={weights}", f"--time={self.options.runs}")
        with np.load(weights) as arrays:
            moved = sum(array.nbytes for array in arrays.values())
        moved += scene.points.nbytes + features.nbytes
        with open(module, encoding="utf-8") as file:
            flops = self.count_flops(file.read(), scene)
        row = {"median_us": read_time(printed), "floor_us": get_floor(dtype, moved, flops)}
        if self.options.check_networks:
            printed = self.call(module, files, f"--weights={weights}", "--check")
            errors = re.findall(r"relative L2 ([^;\s]+); bound", printed)
            row["max_error"] = max(float(e) for e in errors)
        return row

    def count_flops(self, text, scene):
        """Of a network's convolutions, by the pairs that its maps have."""
        made = r"^ *%.* = sparseconv\.(?:pack|downsample|kernel_map|transpose_map) .*$"
        lines = re.findall(r"^[#!].*$", text, re.M)
        body = [line.strip() for line in re.findall(made, text, re.M)]
        convs = re.findall(
            r"sparseconv\.conv \S+, \S+, (%\w+).*?, tensor<(\d+)x(\d+)x(\d+)x\w+>, (!\w+) ->", text
        )
        maps = {name: (type, f"tensor<?x{volume}xi32>") for name, volume, _, _, type in convs}
        for i, (name, (type, table)) in enumerate(maps.items()):
            body.append(f"%t{i} = sparseconv.neighbour_table {name} : {type} -> {table}")
        types = ", ".join(table for _, table in maps.values())
        names = ", ".join(f"%t{i}" for i in range(len(maps)))
        lines.append(f"func.func @main(%points: {POINTS}) -> ({types}) {{")
        lines += [*body, f"return {names} : {types}", "}"]
        tables = self.compute("\n".join(lines), [scene.path], len(maps))
        pairs = {name: int((table >= 0).sum()) for name, table in zip(maps, tables)}
        return sum(2 * pairs[name] * int(a) * int(b) for name, _, a, b, _ in convs)


def main():
    parser = argparse.ArgumentParser(prog="run-bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--scene", action="append", default=[], help="a file; repeatable")
    parser.add_argument("--voxel-size", type=float, default=0.05, help="of scans, in metres")
    parser.add_argument("--bin-columns", type=int, default=4, help="floats in a row of a .bin")
    parser.add_argument("--channels", default="16,32,64,96,128,256")
    parser.add_argument("--dtype", default="f16", choices=list(FLOPS_PER_US))
    parser.add_argument("--only", default="", help="rows with this text in their name")
    parser.add_argument("--runs", type=int, default=30, help="of which the median is taken")
    parser.add_argument("--check-networks", action="store_true", help="give networks their error")
    parser.add_argument("--target", default="cuda", help="cuda, cuda:CHIP or cpu")
    parser.add_argument("--json", default="bench.json", help="file for the results")
    options = parser.parse_args()
    options.channels = [int(c) for c in options.channels.split(",")]
    chip = run_checks.get_processor()
    if options.target != "cpu":
        try:
            chip = run_checks.get_cuda_chip()
        except OSError as error:
            sys.exit(f"run-bench: error: no GPU: {error}")
    with tempfile.TemporaryDirectory(prefix="sparseconv-bench-") as folder:
        bench = Bench(options, folder)
        if not options.scene:
            options.scene = [os.path.join(folder, "sweep.bin")]
            command = ["sparseconv-sweep", "-o", *options.scene]
            subprocess.run(command, check=True, capture_output=True)
        for path in options.scene:
            try:
                points = bench.read_scene(path)
            except (OSError, ValueError, RuntimeError) as error:
                sys.exit(f"run-bench: error: {error}")
            bench.scene(os.path.splitext(os.path.basename(path))[0], points)
    report = {
        "commit": run_checks.get_commit(),
        "target": options.target,
        "chip": chip,
        "rows": bench.rows,
    }
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
        file.write("\n")
    return 1 if any("error" in row for row in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
