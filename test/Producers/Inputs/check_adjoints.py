"""Runs the raised calls of adjoints.mlir at points of which many share a voxel, and
compares <f(x), dy> with <x, f*(dy)> for each call f and its adjoint f*.

usage: check_adjoints.py RAISED.mlir WORK_FOLDER
"""

import os
import subprocess
import sys

import numpy as np

RESULTS = ("y", "dx", "dw", "pooled", "dpooled", "mean", "dmean")


def main(network, folder):
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(3)
    points = random.integers(-3, 4, (300, 4)).astype(np.int32)
    points[:, 0] %= 2
    coarse = np.concatenate([points[:200], points[:50]])
    coarse[:, 1:] = coarse[:, 1:] // 2 * 2
    shapes = {"x": (300, 4), "w": (8, 4, 6), "dy": (250, 6), "dp": (250, 4)}
    shapes["dm"] = (2, 4)
    values = {"points": points, "coarse": coarse}
    for name, shape in shapes.items():
        values[name] = random.uniform(-1, 1, shape).astype(np.float32)
    command = ["sparseconv-run", network, "--quiet"]
    for name, value in values.items():
        path = os.path.join(folder, f"{name}.npy")
        np.save(path, value)
        command.append(f"--input={path}")
    for name in RESULTS:
        command.append(f"--output={os.path.join(folder, name + '.result.npy')}")
    subprocess.run(command, check=True)
    for name in RESULTS:
        values[name] = np.load(os.path.join(folder, f"{name}.result.npy"))

    def product(a, b):
        return np.sum(values[a].astype(np.float64) * values[b])

    equations = {
        "input_grad": (product("y", "dy"), product("x", "dx")),
        "weight_grad": (product("y", "dy"), product("w", "dw")),
        "pool_grad": (product("pooled", "dp"), product("x", "dpooled")),
        "global_pool_grad": (product("mean", "dm"), product("x", "dmean")),
    }
    for name, (left, right) in equations.items():
        equal = abs(left - right) < 1e-4 * max(1, abs(left))
        print(f"{name}: {'adjoint' if equal else f'{left} is not {right}'}")


main(*sys.argv[1:])
