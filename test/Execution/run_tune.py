#!/usr/bin/env python3
# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a tuning database as those that come with the project (lib/Tuning/Measured).

usage: run-tune --scene=FILE [--scene=FILE ...] [--network=NAME ...] [--dtype=TYPE ...]
                [--target=cuda:CHIP] [--note=TEXT] -o FILE.json

A scene is an .npz with `coords` [N, 4] or a .npy of them, in cells (batch, x, y, z); its
one batch item is centred, and its features are random. Each network is tuned in each
type on all scenes together by sparseconv-tune, which adds to the file what it measures.
The file's provenance names the commit of the programs.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import run_checks

NETWORKS = ("minkunet42", "resnet21d", "spconvbench")


def write_scan(path, folder):
    """The voxels of a scene as points in the middle of cells of a metre."""
    data = np.load(path)
    coords = data if isinstance(data, np.ndarray) else data["coords"]
    if coords.ndim != 2 or coords.shape[1] != 4 or coords[:, 0].any():
        raise ValueError(f"{path}: expects coordinates [N, 4] of one batch item")
    cells = coords[:, 1:].astype(np.int64)
    cells -= (cells.max(0) + cells.min(0)) // 2
    intensity = np.random.default_rng(1).random((len(cells), 1))
    scan = os.path.join(folder, os.path.splitext(os.path.basename(path))[0] + ".bin")
    np.concatenate([cells + 0.5, intensity], 1).astype(np.float32).tofile(scan)
    return scan


def tune(network, dtype, scans, options, folder):
    text = os.path.join(folder, f"{network}-{dtype}.mlir")
    weights = os.path.join(folder, "weights.npz")
    python = [sys.executable, "-m"]
    generate = [*python, "sparseconv.networks", network, "--dtype", dtype, "-o", text]
    subprocess.run(generate, check=True)
    subprocess.run([*python, "sparseconv.weights", text, "-o", weights], check=True)
    commit, *changes = run_checks.get_commit().split(" ")
    note = " ".join(["commit", commit[:7], *changes])
    note += f"; {options.note}" if options.note else ""
    command = ["sparseconv-tune", text, f"--weights={weights}", "--voxel-size=1"]
    command += [f"--scan={scan}" for scan in scans]
    command += [f"--target={options.target}", f"--note={note}", "-o", options.output]
    command += [f"--choices={options.choices}"] if options.choices else []
    return subprocess.run(command, check=False).returncode


def main():
    parser = argparse.ArgumentParser(prog="run-tune", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--scene", action="append", required=True, help="a file; repeatable")
    parser.add_argument("--network", action="append", choices=NETWORKS, help="default: minkunet42")
    parser.add_argument("--dtype", action="append", choices=("f16", "bf16", "f32", "tf32"),
                        help="default: f16; repeatable")  # fmt: skip
    parser.add_argument("--target", default="cuda", help="cuda, cuda:CHIP or cpu")
    parser.add_argument("--choices", type=int, help="the most of a class in one stage")
    parser.add_argument("--note", default="", help="words for the provenance")
    parser.add_argument("-o", dest="output", required=True, help="the database to write or add to")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            scans = [write_scan(path, folder) for path in options.scene]
        except (OSError, KeyError, ValueError) as error:
            parser.error(str(error))
        for network in options.network or ["minkunet42"]:
            for dtype in options.dtype or ["f16"]:
                if status := tune(network, dtype, scans, options, folder):
                    return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
