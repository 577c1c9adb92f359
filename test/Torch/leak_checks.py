# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains for many steps on tensors of changing sizes: memory, objects of Python and open
files are no more at the end than after a fifth of the steps.

    leak_checks.py --steps=10000 --device=cuda

With --leak it keeps an array of each step, and has to fail."""

import argparse
import gc
import os
import sys
import time

import sparseconv.torch as sct
import torch
from torch import nn

#: What may come and go: pieces that the allocator of the C library keeps, in bytes.
ROOM = 4 << 20
SIZES = (0, 1, 7, 30, 100, 300, 64, 999, 512, 2000)


def make_net(device):
    torch.manual_seed(3)
    return sct.SparseSequential(
        sct.SubMConv3d(4, 8, 3), nn.LayerNorm(8), nn.ReLU(),
        sct.SparseConv3d(8, 8, 3, 2, 1, indice_key="down"), nn.ReLU(),
        sct.SparseInverseConv3d(8, 8, 3, "down"), sct.SparseMaxPool3d(2),
        sct.SparseGlobalAvgPool(), nn.Linear(8, 3),
    ).to(device)  # fmt: skip


def take_step(net, optimiser, rows, device):
    points = torch.randint(0, 24, (rows, 4), dtype=torch.int32, device=device)
    points[:, 0] %= 2
    x = sct.SparseTensor(torch.randn(rows, 4, device=device), points, batch_size=2)
    optimiser.zero_grad(set_to_none=True)
    y = net(x)
    y.square().sum().backward()
    optimiser.step()
    return y


def measure(device):
    """What there is of each kind just now."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    found = {
        "bytes of the host": pages * os.sysconf("SC_PAGE_SIZE"),
        "objects": len(gc.get_objects()),
        "files": len(os.listdir("/proc/self/fd")),
    }
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        free, total = torch.cuda.mem_get_info()
        found["bytes of tensors"] = torch.cuda.memory_allocated()
        found["bytes of the GPU"] = total - free
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--leak", action="store_true")
    options = parser.parse_args()
    net = make_net(options.device)
    optimiser = torch.optim.SGD(net.parameters(), lr=1e-3)
    kept, start = [], time.perf_counter()
    begin = None
    for step in range(options.steps):
        if step == options.steps // 5:
            begin = measure(options.device)
        y = take_step(net, optimiser, SIZES[step % len(SIZES)], options.device)
        if options.leak:
            kept.append((y, torch.ones(1 << 14)))
    end = measure(options.device)
    spent = time.perf_counter() - start
    print(f"{options.steps} steps in {spent:.1f} s on {options.device}")
    failed = False
    for what, before in begin.items():
        room = ROOM if "host" in what else 0 if "tensors" in what else 16
        room = ROOM if "GPU" in what else room
        grown = end[what] - before
        word = "FAILED" if grown > room else "passed"
        failed = failed or grown > room
        print(f"{word}: {what}: {before}, then {end[what]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
