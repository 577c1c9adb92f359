"""Compares the gradient of Inputs/dense.mlir with that of the same network in torch.

usage: dense_gradient.py GRADIENT.mlir WORK_FOLDER

The points are all voxels of a grid, in any order, so that torch's dense convolutions compute
the same. The reference runs in float64, as torch does. Writes WORK_FOLDER/dense.npz, the
arguments in f32.
"""

import os
import subprocess
import sys

import numpy as np
import torch
import torch.nn.functional as F

GRID = (2, 6, 4, 8)  # items and axes
SHAPES = {
    "w0": (27, 3, 4),
    "scale": (4,),
    "shift": (4,),
    "w1": (27, 4, 4),
    "w2": (8, 4, 5),
    "linear": (9, 6),
}


def convolve(x, w, size, **options):
    """x [items, C_in, axes], w [size^3, C_in, C_out]"""
    weight = w.reshape(size, size, size, *w.shape[1:]).permute(4, 3, 0, 1, 2)
    return F.conv3d(x, weight, **options)


def compute(values):
    grid = values["x"].reshape(*GRID, 3).permute(0, 4, 1, 2, 3)
    scale, shift = (values[name].reshape(1, 4, 1, 1, 1) for name in ("scale", "shift"))
    normal = torch.relu(convolve(grid, values["w0"], 3, padding=1) * scale + shift)
    both = torch.tanh(convolve(normal, values["w1"], 3, padding=1)) + normal
    coarse = convolve(both, values["w2"], 2, stride=2)
    joined = torch.cat([coarse, F.max_pool3d(both, 2)], 1)
    return joined.mean((2, 3, 4)) @ values["linear"]


def main(module, folder):
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(11)
    points = np.stack(np.meshgrid(*map(np.arange, GRID), indexing="ij"), -1).reshape(-1, 4)
    arrays = {"x": random.standard_normal((len(points), 3))}
    arrays |= {name: 0.5 * random.standard_normal(shape) for name, shape in SHAPES.items()}
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
    dy = random.standard_normal((2, 6)).astype(np.float32)

    values = {n: torch.tensor(a, dtype=torch.float64, requires_grad=True) for n, a in arrays.items()}
    y = compute(values)
    y.backward(torch.tensor(dy, dtype=torch.float64))
    expected = {f"{name}.gradient": value.grad.numpy() for name, value in values.items()}
    expected["y"] = y.detach().numpy()

    order = random.permutation(len(points))
    inputs = {**arrays, "points": points[order].astype(np.int32), "y.gradient": dy}
    inputs["x"] = arrays["x"][order]
    expected["x.gradient"] = expected["x.gradient"][order]
    np.savez(os.path.join(folder, "dense.npz"), **inputs)
    command = ["sparseconv-run", module, "--entry=dense_gradient", "--target=reference"]
    command += ["--precision=exact", "--quiet", f"--weights={os.path.join(folder, 'dense.npz')}"]
    paths = {name: os.path.join(folder, f"{name}.npy") for name in expected}
    subprocess.run(command + [f"--output={n}={p}" for n, p in paths.items()], check=True)
    for name, value in expected.items():
        error = np.linalg.norm(np.load(paths[name]) - value) / np.linalg.norm(value)
        print(f"{name}: {'same' if error < 1e-12 else f'differs by {error:.2g}'}")


main(*sys.argv[1:])
