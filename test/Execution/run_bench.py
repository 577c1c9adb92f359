#!/usr/bin/env python3
"""Times maps, convolutions, their gradients and the networks on a GPU.

usage: run_bench.py [--scene=FILE ...] [--channels=16,32,...] [--only=TEXT]
                    [--dtype=f16|bf16|f32|tf32] [--runs=N] [--json=FILE]

A scene is a .npy of coordinates [N, 4] int32 (batch, x, y, z), or a .npz with
such an array `coords`; without one, a made-up sweep is taken. A layer's time is
that of a function with several of them less that of a function with one, as CUDA
graphs in one stream, divided by how many more there are: launches between
kernels count, what layers share (maps, packed weights) does not. The time of a
map is that of packing, a map and a convolution, with the fewest channels, less
that of the other two. Medians.

The floor of a layer is the larger of its bytes / 4264 GB/s and its flops / 738
TFLOP/s, the measured limits of an H200 (tf32: half of that; f32: 67 TFLOP/s);
tf32 is f32 whose products may be rounded; bytes are features in and out once,
weights, and 4 for each pair. The error is the largest of 256 rows (of a gradient
by the weights: of 16 x 16 channels of each offset) against float64, over the
largest magnitude there. With --dtype=f16, layers of some channels are timed in
bf16 as well.
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

PACKING = "<i64, batch = 8, bits = [20, 20, 16], guard = [64, 64, 64]>"
HEAD = f"""#packing = #sparseconv.packing{PACKING}
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
"""
BYTES_PER_US = 4264e3
FLOPS_PER_US = {"f16": 738e6, "bf16": 738e6, "tf32": 369e6, "f32": 67e6}
MORE = 10  # layers beside the first
ALSO_BF16 = (64, 128)  # channels of layers in bf16 beside f16


def get_storage(dtype):
    """How arrays are stored; tf32 is how they are multiplied."""
    return "f32" if dtype == "tf32" else dtype


class Case:
    """A function of the points, features [N, C], gradients and weights."""

    def __init__(self, dtype, channels, packs=1):
        self.permission = " tf32 = allowed" if dtype == "tf32" else ""
        dtype = get_storage(dtype)
        self.rows = f"tensor<?x{channels}x{dtype}>"
        self.weights = f"tensor<27x{channels}x{channels}x{dtype}>"
        self.body, self.results = [], []
        self.packs = packs
        for i in range(packs):
            self.body.append(
                f"%c{i}, %o{i}, %r{i} = sparseconv.pack %points{i} : tensor<?x4xi32> -> !set"
            )
            self.body.append(
                f"%x{i} = sparseconv.gather %features, %o{i} : {self.rows}, tensor<?xi32> "
                f"-> {self.rows}"
            )

    def map(self, i=0):
        self.body.append(
            f"%m{i} = sparseconv.kernel_map %c{i} to %c{i} offsets(box<3, 3, 3>) : !map"
        )

    def conv(self, x, y, i=0):
        self.body.append(
            f"{y} = sparseconv.conv {x}, %w, %m{i}{self.permission} : {self.rows}, "
            f"{self.weights}, !map -> {self.rows}"
        )

    def input_grad(self, dy, dx):
        self.body.append(
            f"{dx} = sparseconv.input_grad {dy}, %w, %m0{self.permission} : {self.rows}, "
            f"{self.weights}, !map -> {self.rows}"
        )

    def weight_grad(self, x, dy, dw):
        self.body.append(
            f"{dw} = sparseconv.weight_grad {x}, {dy}, %m0{self.permission} : {self.rows}, "
            f"{self.rows}, !map -> {self.weights}"
        )

    def text(self):
        points = ", ".join(
            f'%points{i}: tensor<?x4xi32> {{sparseconv.name = "points{i}"}}'
            for i in range(self.packs)
        )
        types = ", ".join(t for _, t in self.results)
        names = ", ".join(n for n, _ in self.results)
        return (
            HEAD + f"func.func @main({points},\n"
            f'    %features: {self.rows} {{sparseconv.name = "features"}},\n'
            f'    %w: {self.weights} {{sparseconv.name = "w"}}) -> ({types}) {{\n  '
            + "\n  ".join(self.body)
            + f"\n  return {names} : {types}\n}}\n"
        )


def make_layers(kind, dtype, channels, count):
    """A function with `count` layers of a kind."""
    case = Case(dtype, channels, packs=count if kind in ("map", "pack") else 1)
    if kind == "pack":
        case.results = [(f"%x{i}", case.rows) for i in range(count)]
        return case.text()
    if kind == "map":
        for i in range(count):
            case.map(i)
            case.conv(f"%x{i}", f"%y{i}", i)
        case.results = [(f"%y{i}", case.rows) for i in range(count)]
        return case.text()
    case.map()
    if kind == "forward":
        for i in range(count):
            case.conv(f"%x{i}" if i == 0 else f"%y{i - 1}", f"%y{i}")
        case.results = [(f"%y{count - 1}", case.rows)]
    elif kind == "input_grad":
        for i in range(count):
            case.input_grad(f"%x{i}" if i == 0 else f"%d{i - 1}", f"%d{i}")
        case.results = [(f"%d{count - 1}", case.rows)]
    else:  # weight_grad, of features that differ: equal ones would be shared
        for i in range(MORE + 1):
            case.conv(f"%x{i}" if i == 0 else f"%x_{i - 1}", f"%x_{i}")
        for i in range(count):
            case.weight_grad(f"%x_{i}", "%x0", f"%w{i}")
        case.results = [(f"%w{i}", case.weights) for i in range(count)]
        case.results.append((f"%x_{MORE}", case.rows))
    return case.text()


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.rows = options, folder, []

    def run(self, text, inputs, *more, streams=1):
        """What sparseconv-run prints."""
        module = os.path.join(self.folder, "bench.mlir")
        with open(module, "w", encoding="utf-8") as file:
            file.write(text)
        command = ["sparseconv-run", module, "--target=cuda", f"--streams={streams}"]
        done = subprocess.run(
            command + [f"--input={i}" for i in inputs] + list(more),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[0])
        return done.stdout

    def time(self, text, inputs, streams=1):
        """Microseconds of a run."""
        out = self.run(text, inputs, f"--time={self.options.runs}", streams=streams)
        match = re.search(r"median ([\d.]+) (us|ms|s)", out)
        return float(match[1]) * {"us": 1, "ms": 1e3, "s": 1e6}[match[2]]

    def add(self, name, size, measure):
        if self.options.only not in name:
            return
        row = {"name": name, "size": size}
        try:
            row.update(measure())
            line = f"{row['median_us']:10.1f} us"
            if "floor_us" in row:
                line += f"  floor {row['floor_us']:8.1f} us"
            if "max_error" in row:
                line += f"  error {row['max_error']:.1e}"
        except RuntimeError as error:
            row["error"] = line = str(error)
        self.rows.append(row)
        print(f"{name:44} {line}", flush=True)

    def save(self, name, array):
        path = os.path.join(self.folder, name)
        np.save(path, array)
        return path

    def scene(self, name, coords):
        options, rows = self.options, len(coords)
        points = self.save("points.npy", coords)

        # What no row asks for is not made.
        @functools.lru_cache(maxsize=1)
        def make(dtype, channels):
            """Features and weights as they are stored, and the inputs with them."""
            random = np.random.default_rng(channels)
            weights = random.standard_normal((27, channels, channels))
            weights /= np.sqrt(8 * channels)
            features = random.standard_normal((rows, channels))
            stored = [oracle.encode(array, get_storage(dtype)) for array in (features, weights)]
            x, w = self.save("x.npy", stored[0]), self.save("w.npy", stored[1])
            return stored, [f"points0={points}", f"features={x}", f"w={w}"]

        @functools.lru_cache(maxsize=1)
        def make_table():
            return self.table(points)

        for channels in options.channels:
            dtypes = [options.dtype]
            if options.dtype == "f16" and channels in ALSO_BF16:
                dtypes.append("bf16")
            for dtype in dtypes:
                self.layers(name, dtype, channels, rows, make, make_table)
        # A map is what packing and a convolution leave of all three: small ones.
        dtype, channels = options.dtype, min(options.channels)

        def of(kind):
            few = make(dtype, channels)[1]
            many = few + [f"points{i}={points}" for i in range(1, 5)]
            first = self.time(make_layers(kind, dtype, channels, 1), few)
            return (self.time(make_layers(kind, dtype, channels, 5), many) - first) / 4

        self.add(f"{name} pack and gather C={channels}", rows, lambda: {"median_us": of("pack")})
        # Table, masks and order; packing and the convolution taken off.
        self.add(
            f"{name} map 3x3x3 with masks and order", rows,
            lambda: {
                "median_us": of("map") - of("pack")
                - self.difference("forward", dtype, channels, make(dtype, channels)[1])
            },
        )  # fmt: skip
        self.networks(name, points, rows)

    def difference(self, kind, dtype, channels, inputs):
        """Microseconds of a layer."""
        few = self.time(make_layers(kind, dtype, channels, 1), inputs)
        return (self.time(make_layers(kind, dtype, channels, MORE + 1), inputs) - few) / MORE

    def layers(self, name, dtype, channels, rows, make, make_table):
        for kind in ("forward", "input_grad", "weight_grad"):

            def measure(kind=kind):
                (stored, inputs), table = make(dtype, channels), make_table()
                pairs, size = int((table >= 0).sum()), 4 if get_storage(dtype) == "f32" else 2
                # The bytes of the features in and out are the same in all passes.
                moved = (2 * rows * channels + 27 * channels * channels) * size + 4 * pairs
                flops = 2 * pairs * channels**2
                return {
                    "median_us": self.difference(kind, dtype, channels, inputs),
                    "floor_us": max(moved / BYTES_PER_US, flops / FLOPS_PER_US[dtype]),
                    "max_error": self.error(kind, dtype, inputs, table, *stored),
                }

            self.add(f"{name} {kind} {dtype} C={channels}", rows, measure)

    def table(self, points):
        text = HEAD + (
            "func.func @main(%p: tensor<?x4xi32>) -> tensor<?x27xi32> {\n"
            "  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set\n"
            "  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map\n"
            "  %t = sparseconv.neighbour_table %m : !map -> tensor<?x27xi32>\n"
            "  return %t : tensor<?x27xi32>\n}\n"
        )
        path = os.path.join(self.folder, "table.npy")
        self.run(text, [points], f"--output={path}", "--quiet")
        return np.load(path)

    def error(self, kind, dtype, inputs, table, features, weights):
        """Of sampled rows or channels, against float64."""
        channels = features.shape[1]
        case = Case(dtype, channels)
        case.map()
        case.conv("%x0", "%y")
        result = ("%y", case.rows)
        if kind == "input_grad":
            case.input_grad("%x0", "%dx")
            result = ("%dx", case.rows)
        if kind == "weight_grad":
            case.weight_grad("%y", "%x0", "%dw")
            result = ("%dw", case.weights)
        case.results = [result, ("%y", case.rows), ("%o0", "tensor<?xi32>")]
        found, y, order = (
            os.path.join(self.folder, n) for n in ("found.npy", "y.npy", "order.npy")
        )
        self.run(
            case.text(), inputs, f"--output={found}", f"--output={y}", f"--output={order}",
            "--quiet",
        )  # fmt: skip
        found = oracle.decode(np.load(found))
        x = oracle.decode(features)[np.load(order)]
        w, random = oracle.decode(weights), np.random.default_rng(2)
        if kind == "weight_grad":
            y = oracle.decode(np.load(y))
            some = [np.sort(random.choice(channels, min(16, channels), False)) for _ in range(2)]
            found, expected = found[:, some[0][:, None], some[1]], []
            for k in range(27):
                rows = np.flatnonzero(table[:, k] >= 0)
                taken = y[table[rows, k]][:, some[0]]
                expected.append(taken.T @ x[rows][:, some[1]])
        else:
            sample = random.choice(len(table), min(256, len(table)), replace=False)
            found, expected = found[sample], np.zeros((len(sample), channels))
            place = np.full(len(table), -1)
            place[sample] = np.arange(len(sample))
            for k in range(27):
                # Pairs (in, out) of the offset, and their places in the sample.
                out_rows = np.flatnonzero(table[:, k] >= 0)
                in_rows, slices = table[out_rows, k], w[k]
                if kind == "forward":
                    gathered, to = in_rows, place[out_rows]
                else:
                    gathered, to, slices = out_rows, place[in_rows], w[k].T
                is_taken = to >= 0
                np.add.at(expected, to[is_taken], x[gathered[is_taken]] @ slices)
        expected = np.asarray(expected)
        return float(np.abs(found - expected).max() / np.abs(expected).max())

    def networks(self, name, points, rows):
        python = [sys.executable, "-m"]
        for network, channels in (("minkunet42", 4), ("resnet21d", 4), ("spconvbench", 3)):
            title = f"{name} network {network} {self.options.dtype}"

            def measure(network=network, channels=channels):
                module = os.path.join(self.folder, "net.mlir")
                weights = os.path.join(self.folder, "net.npz")
                subprocess.run([*python, "sparseconv.networks", network, "--dtype",
                                self.options.dtype, "-o", module], check=True)  # fmt: skip
                subprocess.run([*python, "sparseconv.weights", module, "-o", weights], check=True)
                random = np.random.default_rng(3)
                features = random.standard_normal((rows, channels))
                features = oracle.encode(features, get_storage(self.options.dtype))
                features = self.save("f.npy", features)
                inputs = [f"points={points}", f"features={features}"]
                done = subprocess.run(
                    ["sparseconv-run", module, "--target=cuda", f"--weights={weights}",
                     f"--time={self.options.runs}", *[f"--input={i}" for i in inputs]],
                    capture_output=True, text=True, check=False,
                )  # fmt: skip
                if done.returncode:
                    raise RuntimeError(done.stderr.strip().splitlines()[0])
                match = re.search(r"median ([\d.]+) ms", done.stdout)
                return {"median_us": float(match[1]) * 1e3}

            self.add(title, rows, measure)


def read_scene(path):
    data = np.load(path)
    coords = data if isinstance(data, np.ndarray) else data["coords"]
    if coords.ndim != 2 or coords.shape[1] != 4:
        sys.exit(f"run-bench: error: {path}: expected coordinates [N, 4], found {coords.shape}")
    return np.ascontiguousarray(coords, dtype=np.int32)


def make_scene(folder):
    """The voxels of a made-up sweep, at 0.05 m."""
    path = os.path.join(folder, "sweep.bin")
    subprocess.run(["sparseconv-sweep", "-o", path], check=True, capture_output=True)
    points = np.fromfile(path, np.float32).reshape(-1, 4)[:, :3]
    cells = np.floor(points / 0.05).astype(np.int32)
    coords = np.zeros((len(cells), 4), np.int32)
    coords[:, 1:] = cells
    return np.unique(coords, axis=0)


def main():
    parser = argparse.ArgumentParser(prog="run-bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--scene", action="append", default=[], help=".npy or .npz; repeatable")
    parser.add_argument("--channels", default="16,32,64,96,128,256")
    parser.add_argument("--dtype", default="f16", choices=list(FLOPS_PER_US))
    parser.add_argument("--only", default="", help="rows with this text in their name")
    parser.add_argument("--runs", type=int, default=30, help="of which the median is taken")
    parser.add_argument("--json", default="bench.json", help="file for the results")
    options = parser.parse_args()
    options.channels = [int(c) for c in options.channels.split(",")]
    try:
        chip = run_checks.get_cuda_chip()
    except OSError as error:
        sys.exit(f"run-bench: error: no GPU: {error}")
    with tempfile.TemporaryDirectory(prefix="sparseconv-bench-") as folder:
        bench = Bench(options, folder)
        if not options.scene:
            bench.scene("sweep", make_scene(folder))
        for path in options.scene:
            name = os.path.splitext(os.path.basename(path))[0]
            bench.scene(name, read_scene(path))
    report = {"commit": run_checks.get_commit(), "chip": chip, "rows": bench.rows}
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
        file.write("\n")
    return 1 if any("error" in row for row in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
