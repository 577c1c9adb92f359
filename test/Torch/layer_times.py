# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times single calls of convolution layers on a GPU, in the way in which other libraries
are commonly timed.

    layer_times.py scene.npz [--channels=64,128] [--kernel-size=3] [--dtype=f16]
                   [--bound] [--row-order=gray] [--runs=30]

The scene is an .npz with `coords`, [voxels, 4] in int32 (batch, x, y, z). A layer is
SubMConv3d(C, C), and its tensor has its kernel map already. It runs eagerly, which packs its
weights in each call, or with --bound as a plan to which its weights are bound, on a map whose
rows --row-order puts in order. A time is that between two CUDA events around one call, all
kernels of it included. A kernel that waits is queued before the first event, for twice as
long as the host needs to queue the call and at least 0.2 ms, so that no kernel waits for the
host. What the call before it left in the L2 cache stays there.
For each layer it prints the median, the fastest and the slowest of the runs, in microseconds,
and the largest error of 256 rows against float64, relative to the largest magnitude there."""

import argparse
import statistics
import time

import numpy as np
import sparseconv.torch as sct
import torch
from sparseconv.torch import encodings, ir, ops, programs

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
WARM_UPS, CHECKED_ROWS = 3, 256
#: What a cycle of the kernel that waits takes at the GPU's highest clock, in seconds.
CYCLE = 1 / 1.98e9


def read_coords(path):
    coords = torch.from_numpy(np.load(path)["coords"].astype(np.int32)).cuda()
    coords[:, 1:] -= coords[:, 1:].amin(0)
    return coords


def time_host(run):
    """Seconds until `run` has queued its kernels: the least of three times."""
    times = []
    for _ in range(3):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def time_calls(run, runs):
    """Microseconds of each of `runs` calls on the GPU, and what the last one gives."""
    for _ in range(WARM_UPS):
        run()
    wait = int(min(max(2 * time_host(run), 2e-4), 4e-2) / CYCLE)
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for _ in range(runs):
        torch.cuda.synchronize()
        torch.cuda._sleep(wait)
        first.record()
        made = run()
        last.record()
        last.synchronize()
        times.append(first.elapsed_time(last) * 1e3)
    return times, made


def find_error(layer, x, y):
    """The largest error of some rows against float64, relative to the largest magnitude."""
    coords, features = x.coordinates, x.features  # in the order of rows of y
    rows = torch.randperm(len(coords), device="cuda")[:CHECKED_ROWS]
    size = layer.window.size[0]
    extent = coords.long().amax(0) + 2 * size
    # Keys are positions in a box with a margin, so that no neighbour wraps around.
    weigh = torch.tensor([extent[1:].prod(), extent[2:].prod(), extent[3], 1], device="cuda")

    def find_keys(points):
        return ((points.long() + size * (weigh != weigh[0])) * weigh).sum(-1)

    keys, order = find_keys(coords).sort()
    expected = torch.zeros(len(rows), y.shape[1], dtype=torch.float64, device="cuda")
    steps = torch.arange(size, device="cuda") - size // 2
    weights = layer.weight.detach().double()
    for at, step in enumerate(torch.cartesian_prod(steps, steps, steps)):
        wanted = find_keys(coords[rows] + torch.nn.functional.pad(step, (1, 0)))
        found = torch.searchsorted(keys, wanted).clamp_(max=len(keys) - 1)
        inputs = features[order[found]].double() * (keys[found] == wanted)[:, None]
        expected += inputs @ weights.reshape(-1, *weights.shape[-2:])[at]
    return float((y[rows] - expected).abs().max() / expected.abs().max())


def bind_layer(layer, x, row_order):
    """What `layer(x).features` gives, as a function with the weights bound."""
    (table,) = x.cache.tables.values()
    (num_out, volume), channels = table.shape, layer.in_channels
    dtype = programs.get_dtype(x.features)
    rows = encodings.make_rows(num_out, table.device)
    tiles = programs.run(ir.tile_table(volume, row_order), [table, rows], None, True)
    many = ops.has_many_rows(num_out)
    text = ir.conv_by_tiles(many, "conv", volume, channels, channels, 1, dtype)
    module = programs.load_program(text, table.device, trusted=True)
    module.main.bind(w=layer.weight.detach())

    def run():
        inputs = [x.features, *tiles, table]
        return programs.run_function(module.main, inputs, [(num_out, channels)])[0]

    return run


def report(coords, channels, options):
    dtype = DTYPES[options.dtype]
    layer = sct.SubMConv3d(channels, channels, options.kernel_size, bias=False).to("cuda", dtype)
    features = (torch.randn(len(coords), channels, device="cuda") / 4).to(dtype)
    tensor = sct.SparseTensor(features, coords)

    def run_eager():
        return layer(tensor).features

    run_eager()  # makes the map
    run = bind_layer(layer, tensor, options.row_order) if options.bound else run_eager
    times, y = time_calls(run, options.runs)
    print(
        f"C = {channels:4}  median {statistics.median(times):8.1f} us"
        f"  fastest {min(times):8.1f}  slowest {max(times):8.1f}"
        f"  error {find_error(layer, tensor, y):.1e}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("scene")
    parser.add_argument("--channels", default="64,96,128,256")
    parser.add_argument("--kernel-size", type=int, default=3)
    parser.add_argument("--dtype", choices=DTYPES, default="f16")
    parser.add_argument("--bound", action="store_true", help="weights are packed before")
    orders = "gray", "mask", "space", "density"
    parser.add_argument("--row-order", choices=orders, help="with --bound (default: gray)")
    parser.add_argument("--runs", type=int, default=30)
    options = parser.parse_args()
    if options.row_order and not options.bound:
        parser.error("--row-order needs --bound")
    coords = read_coords(options.scene)
    print(f"{len(coords)} voxels, {options.dtype}, {torch.cuda.get_device_name()}")
    with torch.no_grad():
        for channels in options.channels.split(","):
            report(coords, int(channels), options)
    sct.check()


if __name__ == "__main__":
    main()
