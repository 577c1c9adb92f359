"""Runs a raised encoder and the one of encoder.mlir on the CPU, and compares what
they give, bit by bit.

usage: compare_encoders.py RAISED.mlir WORK_FOLDER ARGUMENTS RESULTS [--padding=ROWS]

ARGUMENTS and RESULTS name those of encoder.mlir that the raised one has, in its
order. With --padding it gets as many points of batch index -1 behind the others,
and rows of zeros have to come out for them.
"""

import argparse
import os
import subprocess

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
POINTS = 120
RESULTS = ("coordinates", "y", "by_point", "mean")


def make_arguments():
    """Points of two batch items, some of which share a voxel."""
    random = np.random.default_rng(7)
    points = random.integers(-4, 5, (POINTS, 4)).astype(np.int32)
    points[:, 0] %= 2
    coarse = points.copy()
    coarse[:, 1:] = points[:, 1:] // 2 * 2
    shapes = {"x": (POINTS, 4), "w0": (27, 4, 8), "w1": (27, 8, 8), "w2": (8, 8, 16)}
    reals = {name: random.uniform(-1, 1, shape) for name, shape in shapes.items()}
    return {"points": points, "coarse": coarse} | {
        name: value.astype(np.float32) for name, value in reals.items()
    }


def pad(name, value, rows):
    if name not in ("points", "coarse", "x"):
        return value
    filling = np.full((rows, value.shape[1]), -1 if name != "x" else 5, value.dtype)
    return np.concatenate([value, filling])


def run(network, folder, arguments, results):
    os.makedirs(folder, exist_ok=True)
    command = ["sparseconv-run", network, "--check", "--quiet"]
    for name, value in arguments.items():
        path = os.path.join(folder, f"{name}.npy")
        np.save(path, value)
        command.append(f"--input={path}")
    outputs = [os.path.join(folder, f"result-{name}.npy") for name in results]
    subprocess.run(command + [f"--output={path}" for path in outputs], check=True)
    return {name: np.load(path) for name, path in zip(results, outputs)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("raised")
    parser.add_argument("folder")
    parser.add_argument("arguments")
    parser.add_argument("results")
    parser.add_argument("--padding", type=int, default=0)
    options = parser.parse_args()
    arguments = make_arguments()
    direct = os.path.join(HERE, "encoder.mlir")
    expected = run(direct, os.path.join(options.folder, "direct"), arguments, RESULTS)
    given = {
        name: pad(name, arguments[name], options.padding)
        for name in options.arguments.split(",")
    }
    found = run(
        options.raised,
        os.path.join(options.folder, "raised"),
        given,
        options.results.split(","),
    )
    for name, value in found.items():
        wanted = expected[name]
        if name == "by_point":
            zeros = np.zeros((options.padding, wanted.shape[1]), wanted.dtype)
            wanted = np.concatenate([wanted, zeros])
        same = value.shape == wanted.shape and value.tobytes() == wanted.tobytes()
        print(f"{name} {value.shape}: {'same' if same else 'different'}")


main()
