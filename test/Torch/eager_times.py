# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says where the time of eager layers goes: of one convolution and of a U-net of 42.

    eager_times.py [scene.npz] [--device=cuda] [--dtype=f16] [--training] [--profile]

The scene is an .npz with `coords`, [voxels, 4] in int32 (batch, x, y, z); without one
it is a small random scene, with which a CPU shows what the host does alone. For each case
it prints

    wall      milliseconds of a call that is waited for
    host      milliseconds until a call returns, while nothing is waited for
    device    milliseconds in which the GPU works, and how many kernels and copies it runs

and with --profile what of Python the host's time goes to, which functions of the driver take
how long, and which kernels the device's time goes to."""

import argparse
import cProfile
import pstats
import statistics
import time

import models
import numpy as np
import sparseconv.torch as sct
import sparseconv.torch.spconv as spconv
import torch

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
#: Calls whose host time is taken together, and calls that are profiled.
TOGETHER, PROFILED = 10, 5


def read_coords(path, device):
    if path is None:
        return models.make_points((40, 40, 40), 400, batch=1).to(device)
    coords = torch.from_numpy(np.load(path)["coords"].astype(np.int32))
    coords[:, 1:] -= coords[:, 1:].amin(0)
    order = torch.randperm(len(coords), generator=torch.Generator().manual_seed(0))
    return coords[order].to(device)


def make_unet(device):
    torch.manual_seed(0)
    module = models.load("spunet")
    return module.SparseUNet(4, 19, (32, 32, 64, 128, 256), (256, 128, 96, 96), 2, stem=3).to(device)


# Cases: functions of nothing ---------------------------------------------------


def make_layer(coords, dtype, grad):
    """A convolution on a tensor that has its map, and its backward pass where `grad`."""
    layer = sct.SubMConv3d(64, 64, 3, bias=False).to(coords.device, dtype)
    features = torch.randn(len(coords), 64, device=coords.device, dtype=dtype)
    x = sct.SparseTensor(features.requires_grad_(grad), coords)
    x = x.replace(x.features.detach().requires_grad_(grad))
    ones = torch.ones_like(x.features)

    def run():
        y = layer(x).features
        if grad:
            y.backward(ones)

    return run


def make_forward(coords, dtype, keeps_maps):
    model = make_unet(coords.device).to(dtype).eval()
    features = torch.randn(len(coords), 4, device=coords.device, dtype=dtype)
    if not keeps_maps:
        return lambda: model(coords[:, 1:], features, coords[:, 0])
    shape = [int(n) + 8 for n in coords[:, 1:].amax(0)]
    x = spconv.SparseConvTensor(features, coords, shape, 1)
    return lambda: model.segment(x)


def make_step(coords, dtype):
    """A training step under autocast, with the optimiser."""
    model = make_unet(coords.device).train()
    features = torch.randn(len(coords), 4, device=coords.device)
    labels = torch.randint(0, 19, (len(coords),), device=coords.device)
    optimiser = torch.optim.AdamW(model.parameters(), 1e-3)
    scaler = torch.amp.GradScaler(coords.device.type, enabled=dtype == torch.float16)

    def run():
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast(coords.device.type, dtype, enabled=dtype != torch.float32):
            scores = model(coords[:, 1:], features, coords[:, 0])
        loss = torch.nn.functional.cross_entropy(scores.float(), labels)
        scaler.scale(loss).backward()
        scaler.step(optimiser)
        scaler.update()

    return run


# Times -------------------------------------------------------------------------


def wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def time_wall(run, device, runs):
    times = []
    for _ in range(runs):
        wait(device)
        start = time.perf_counter()
        run()
        wait(device)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def time_host(run, device, runs):
    times = []
    for _ in range(max(3, runs // TOGETHER)):
        wait(device)
        start = time.perf_counter()
        for _ in range(TOGETHER):
            run()
        times.append((time.perf_counter() - start) / TOGETHER)
    wait(device)
    return statistics.median(times) * 1e3


def count_events(run):
    """The kernels and copies of a call, and the calls of the driver that enqueue them or
    wait: two lists of name, number and milliseconds."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as found:
        for _ in range(PROFILED):
            run()
        torch.cuda.synchronize()
    of_device, of_host = {}, {}
    for event in found.events():
        is_device = event.device_type == torch.autograd.DeviceType.CUDA
        rows = of_device if is_device else of_host
        spent = event.device_time_total if is_device else event.cpu_time_total
        number, total = rows.get(event.name, (0, 0.0))
        rows[event.name] = number + 1, total + spent / 1e3
    return [
        sorted(
            ((name, n / PROFILED, ms / PROFILED) for name, (n, ms) in rows.items()),
            key=lambda row: -row[2],
        )
        for rows in (of_device, of_host)
    ]


def print_profile(run, device, *lists):
    profiler = cProfile.Profile()
    wait(device)
    profiler.enable()
    for _ in range(PROFILED):
        run()
    profiler.disable()
    wait(device)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    for rows in lists:
        for name, number, spent in rows[:25]:
            print(f"{number:8.1f} {spent:9.3f} ms  {name[:90]}")


def report(title, run, device, options):
    for _ in range(5):
        run()
    wall, host = (f(run, device, options.runs) for f in (time_wall, time_host))
    text, kernels, calls = f"{title:34} wall {wall:8.3f}  host {host:8.3f}", [], []
    if device.type == "cuda":
        kernels, calls = count_events(run)
        number, spent = sum(k[1] for k in kernels), sum(k[2] for k in kernels)
        text += f"  device {spent:8.3f} in {number:.0f}"
    print(text, flush=True)
    if options.profile:
        print_profile(run, device, calls, kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("scene", nargs="?")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", choices=DTYPES, default="f16")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--training", action="store_true", help="also a training step")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    device, dtype = torch.device(options.device), DTYPES[options.dtype]
    coords = read_coords(options.scene, device)
    print(f"{len(coords)} voxels, {options.dtype}, {device.type}, torch {torch.__version__}")
    with torch.no_grad():
        report("SubMConv3d 64 -> 64", make_layer(coords, dtype, False), device, options)
        for title, keeps in (("U-net, maps included", False), ("U-net, kept maps", True)):
            report(title, make_forward(coords, dtype, keeps), device, options)
    report("SubMConv3d, forward and backward", make_layer(coords, dtype, True), device, options)
    if options.training:
        report("U-net, training step", make_step(coords, dtype), device, options)
    sct.check()


if __name__ == "__main__":
    main()
