#!/usr/bin/env python3
"""Times calls of a network as a user of the Python package makes them.

usage: run_calls.py --scan=sweep.bin [--network=minkunet42] [--dtype=f16] [--calls=50]

Points and features lie on the GPU. The time of a call is the wall time from the call
to its results, on the host, which knows their sizes then; medians. Calls with all
arguments are compared with calls whose weights are bound, with calls whose points are
bound, too, with runs that are started without a wait, and with calls from eight threads.
Each kind of call has to give the same bits.
"""

import argparse
import statistics
import subprocess
import sys
import threading
import time

import numpy as np
import sparseconv


class Wrong(Exception):
    """A call that gives other results."""


def make_arguments(network, dtype, main, points):
    """Random weights, scaled so that activations stay of order 1."""
    random, inputs = np.random.default_rng(1), {}
    element = np.float16 if dtype == "f16" else np.float32
    for value in main.inputs:
        if value.name == "points":
            inputs[value.name] = points
        elif None in value.shape:
            shape = (len(points), *value.shape[1:])
            inputs[value.name] = random.standard_normal(shape).astype(element)
        else:
            scale = (value.shape[-2] * 4) ** -0.5 if len(value.shape) > 1 else 1
            inputs[value.name] = (random.standard_normal(value.shape) * scale).astype(element)
    return inputs


def take(function, calls):
    """The median of the wall times of calls, in microseconds, after a warm-up."""
    for _ in range(5):
        function()
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def take_threads(function, calls, number):
    """The wall time of a call where several threads make them, per call."""
    barrier = threading.Barrier(number + 1)

    def work():
        for _ in range(5):
            function()
        barrier.wait()
        for _ in range(calls):
            function()

    threads = [threading.Thread(target=work) for _ in range(number)]
    for thread in threads:
        thread.start()
    barrier.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return (time.perf_counter() - start) / (calls * number) * 1e6


def take_host(main, inputs, calls):
    """The median time until a run is enqueued."""
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        run = main.start(**inputs)
        times.append(time.perf_counter() - start)
        run.results()
    return statistics.median(times[5:]) * 1e6


def take_c(main, rows, others, calls):
    """Medians of the C call that enqueues a run, where its memory is that of the
    run before and where it is not, and of a run to its end."""
    instance, key = main._take([array.shape for array in rows.values()], main._bound, False)
    same, moved, ends = [], [], []
    for i in range(2 * calls):
        arrays = others if i % 4 < 2 else rows
        views = [(a.pointer, a.shape, a.nbytes) for a in map(arrays.get, main._bound.names)]
        outputs = [(None, 0)] * len(main.outputs)
        start = time.perf_counter()
        instance.enqueue(0, views, outputs)
        (same if i % 2 else moved).append(time.perf_counter() - start)
        instance.wait()
        if i % 2:
            ends.append(time.perf_counter() - start)
    main._give_back(key, instance)
    return [statistics.median(times[5:]) * 1e6 for times in (same, moved, ends)]


def take_started(main, rows, calls):
    """The time of a run where the next one is started before it ends: the device's."""
    run = main.start(**rows)
    for i in range(calls + 10):
        if i == 10:
            start = time.perf_counter()
        following = main.start(**rows)
        run.results()
        run = following
    run.results()
    return (time.perf_counter() - start) / (calls + 1) * 1e6


def read_points(path, voxel_size):
    """Distinct voxels of a scan of x, y, z, intensity."""
    scan = np.fromfile(path, np.float32).reshape(-1, 4)[:, :3]
    voxels = np.unique(np.floor(scan / voxel_size).astype(np.int32), axis=0)
    return np.pad(np.random.default_rng(2).permutation(voxels), ((0, 0), (1, 0)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, usage=__doc__.split("\n\n")[1])
    parser.add_argument("--scan", required=True)
    parser.add_argument("--voxel-size", type=float, default=0.05)
    parser.add_argument("--network", default="minkunet42")
    parser.add_argument("--dtype", default="f16", choices=("f16", "f32"))
    parser.add_argument("--calls", type=int, default=50)
    options = parser.parse_args()
    text = subprocess.run(
        [sys.executable, "-m", "sparseconv.networks", options.network, "--dtype", options.dtype],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    module = sparseconv.compile(text, target="cuda")
    main = module.functions[options.network]
    points = read_points(options.scan, options.voxel_size)
    inputs = make_arguments(options.network, options.dtype, main, points)
    held = {name: module.to_device(array) for name, array in inputs.items()}
    rows = {v.name: held.pop(v.name) for v in main.inputs if None in v.shape}
    expected = [np.asarray(y).tobytes() for y in main(**rows, **held)]

    def check(what, results):
        if [np.asarray(y).tobytes() for y in results] != expected:
            raise Wrong(f"{what}: other bits")

    print(f"{options.network} {options.dtype}, {len(points)} points, in us")
    print(f"all arguments in each call  {take(lambda: main(**rows, **held), options.calls):8.1f}")
    main.bind(**held)
    print(f"weights bound               {take(lambda: main(**rows), options.calls):8.1f}")
    check("bound", main(**rows))
    print(f"runs started ahead, per run {take_started(main, rows, options.calls):8.1f}")
    bound, features = main.copy(), dict(rows)
    bound.bind(points=features.pop("points"), **held)
    print(f"weights and points bound    {take(lambda: bound(**features), options.calls):8.1f}")
    print(f"runs started ahead, per run {take_started(bound, features, options.calls):8.1f}")
    check("bound to points", bound(**features))
    del bound
    print(f"until a run is enqueued     {take_host(main, rows, options.calls):8.1f}")
    others = {n: module.to_device(inputs[n]) for n in rows}
    same, moved, end = take_c(main, rows, others, options.calls)
    print(f"in C: enqueue, same memory  {same:8.1f}")
    print(f"      enqueue, other memory {moved:8.1f}")
    print(f"      to the end            {end:8.1f}")
    runs = [main.start(**rows) for _ in range(5)]
    for run in runs:
        check("started", run.results())
    threaded = take_threads(lambda: main(**rows), options.calls, 8)
    print(f"eight threads, per call     {threaded:8.1f}")
    check("after threads", main(**rows))


if __name__ == "__main__":
    try:
        main()
    except Wrong as error:
        sys.exit(f"run_calls.py: error: {error}")
