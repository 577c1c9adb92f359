#!/usr/bin/env python3
"""Replays the graph of a network over scenes of changing size.

usage: run_replays.py [--network=resnet21d] [--dtype=f16] [--replays=10000]

Seven sweeps of 0 to 60 000 voxels share one instance and one graph. Every replay
must end well with the bits of the first one of its size, and no more memory of
the device may be in use at the end than after the first round.
"""

import argparse
import ctypes
import subprocess
import sys

import numpy as np
import sparseconv
from sparseconv import runtime

SIZES = (60_000, 1, 31_337, 129, 0, 45_001, 4_999)


class Wrong(Exception):
    """What a replay did that it may not."""


def get_used_bytes():
    """Of the device, by all who use it."""
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    # The context that the runtime uses, too.
    for code in (
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
        driver.cuCtxSetCurrent(context),
        driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)),
        driver.cuDevicePrimaryCtxRelease_v2(0),
    ):
        if code != 0:
            raise OSError(f"the driver does not tell its free memory: error {code}")
    return total.value - free.value


def make_points(size):
    """Distinct voxels on a wavy surface, shuffled, in 2 items."""
    side = np.arange(max(size, 1)) % 300, np.arange(max(size, 1)) // 300
    points = np.zeros((size, 4), np.int32)
    points[:, 1], points[:, 2] = side[0][:size] - 150, side[1][:size]
    points[:, 3] = (8 * np.sin(points[:, 1] / 20.0)).astype(np.int32)
    points[:, 0] = points[:, 1] % 2
    return np.random.default_rng(size).permutation(points)


def make_tensors(values, held):
    """The arguments of a call, and what has to live as long."""
    tensors, kept = (runtime.Tensor * len(values))(), []
    for tensor, value in zip(tensors, values):
        array = held[value.name]
        sizes = (ctypes.c_int64 * max(1, len(array.shape)))(*array.shape)
        kept.append(sizes)
        tensor.data = array.pointer if array.nbytes else None
        tensor.type, tensor.rank, tensor.sizes = value.type, len(array.shape), sizes
        tensor.bytes = array.nbytes
    return tensors, kept


def replay(network, dtype, replays, get_used_bytes=get_used_bytes):
    """Says what was replayed, or raises `Wrong`."""
    if replays < 2 * len(SIZES):
        raise Wrong(f"{replays} replays are fewer than two rounds of {len(SIZES)} sizes")
    text = subprocess.run(
        [sys.executable, "-m", "sparseconv.networks", network, "--dtype", dtype],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    module = sparseconv.compile(text, target="cuda")
    program, random = module._get_program(), np.random.default_rng(1)
    values, _ = program.signature(network)
    element = np.float16 if dtype == "f16" else np.float32

    def make_array(*shape):
        return random.standard_normal(shape).astype(element)

    weights = {
        value.name: module.to_device(make_array(*value.shape) * element(0.1))
        for value in values
        if None not in value.shape
    }
    channels = next(v.shape[1] for v in values if v.name == "features")
    calls = []
    for size in SIZES:
        features = make_array(size, channels)
        held = dict(weights, points=module.to_device(make_points(size)),
                    features=module.to_device(features))  # fmt: skip
        calls.append((held, *make_tensors(values, held)))

    capacities = [max(SIZES) for v in values for s in v.shape if s is None]
    instance = program.instance(network, capacities)
    number = ctypes.c_int64(len(values))
    runtime._call("instance_capture", instance.handle, None, ctypes.c_int64(0), None,
                  ctypes.c_int64(0))  # fmt: skip

    expected, used = [], None
    for count in range(replays):
        which = count % len(calls)
        runtime._call("instance_replay", instance.handle, None, calls[which][1], number)
        instance.wait()
        found = instance.read_all()
        if count < len(calls):
            expected.append(found)
        for value, ours, first in zip(instance.outputs, found, expected[which]):
            where = f"replay {count}, {SIZES[which]} voxels: '{value.name}'"
            if ours.shape != first.shape:
                raise Wrong(f"{where} has the shape {ours.shape}, the first time {first.shape}")
            # As integers: a NaN is equal to itself.
            if not np.array_equal(ours.view(np.uint8), first.view(np.uint8)):
                raise Wrong(f"{where} has other bits than the first time")
        if count == len(calls):
            used = get_used_bytes()
    grown = get_used_bytes() - used
    rows = [results[0].shape[0] for results in expected]
    if grown > 0 or rows[0] == 0:
        raise Wrong(f"{grown} bytes of the device are gone; rows {rows}")
    return f"{replays} replays, rows {rows}, no byte of the device lost"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--network", default="resnet21d")
    parser.add_argument("--dtype", default="f16", choices=["f16", "f32"])
    parser.add_argument("--replays", type=int, default=10_000)
    options = parser.parse_args()
    try:
        print(replay(options.network, options.dtype, options.replays))
    except Wrong as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
