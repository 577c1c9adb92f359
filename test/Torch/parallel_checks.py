# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch's DistributedDataParallel in two processes: their gradients equal those of one
process with the joined batch. With --device=cuda each process has a GPU of its own."""

import argparse
import os
import socket
import sys

import sparseconv.torch as sct
import torch
from torch import distributed, multiprocessing, nn
from torch_checks import expect, expect_close, make_tensor

WORLD = 2


def make_net():
    # Layer norms: a batch norm has statistics of a process, unless it is a SyncBatchNorm,
    # which torch has for GPUs alone.
    torch.manual_seed(7)
    return sct.SparseSequential(
        sct.SubMConv3d(4, 8, 3), nn.LayerNorm(8), nn.ReLU(),
        sct.SparseConv3d(8, 8, 3, 2, 1, indice_key="down"), nn.ReLU(),
        sct.SparseInverseConv3d(8, 8, 3, "down"), sct.SparseMaxPool3d(2),
        sct.SparseGlobalAvgPool(), nn.Linear(8, 3),
    )  # fmt: skip


def compute_loss(net, x):
    labels = torch.arange(x.batch_size, device=x.device) % 3
    return nn.functional.cross_entropy(net(x), labels)


def make_part(number, step):
    """The batch of a process: of a size of its own."""
    return make_tensor(3, 4, "cpu", rows=50 + 60 * number + step, seed=10 * step + number)[0]


def work(rank, device, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    backend = "nccl" if device == "cuda" else "gloo"
    distributed.init_process_group(backend, rank=rank, world_size=WORLD)
    here = torch.device(device, rank) if device == "cuda" else torch.device(device)
    if device == "cuda":
        torch.cuda.set_device(here)
    net = make_net().to(here)
    alone = make_net().to(here)
    parallel = nn.parallel.DistributedDataParallel(
        net, device_ids=[rank] if device == "cuda" else None
    )
    for step in range(3):
        for model in (net, alone):
            model.zero_grad(set_to_none=True)
        compute_loss(parallel, make_part(rank, step).to(here)).backward()
        parts = [make_part(number, step) for number in range(WORLD)]
        joined = sct.collate(parts).to(here)
        # The labels of a part begin at 0 in each, so its batch is a loss of its own.
        sizes = [part.batch_size for part in parts]
        labels = torch.cat([torch.arange(size) % 3 for size in sizes]).to(here)
        nn.functional.cross_entropy(alone(joined), labels).backward()
        for found, expected in zip(net.parameters(), alone.parameters(), strict=True):
            expect(expected.grad.abs().max() > 0)
            expect_close(found.grad, expected.grad, 1e-5, f"process {rank}, step {step}")
        with torch.no_grad():
            for model in (net, alone):
                for parameter in model.parameters():
                    parameter -= 0.1 * parameter.grad
    check_sparse_results(rank, here)
    distributed.destroy_process_group()


class Backbone(nn.Module):
    """Returns a sparse tensor, and may have a layer that does not run."""

    def __init__(self, has_unused):
        super().__init__()
        torch.manual_seed(7)
        self.stem, self.down = sct.SubMConv3d(4, 8, 3), sct.SparseConv3d(8, 8, 2, 2)
        self.unused = nn.Linear(3, 3) if has_unused else None

    def forward(self, x):
        return self.down(self.stem(x))


def check_sparse_results(rank, device):
    for options in ({}, {"static_graph": True}):
        net = Backbone(has_unused=bool(options)).to(device)
        parallel = nn.parallel.DistributedDataParallel(net, **options)
        for step in range(3):
            alone = []
            for number in range(WORLD):
                y = net(make_part(number, step).to(device))
                alone.append(torch.autograd.grad(y.features.square().sum(), net.stem.weight)[0])
            net.zero_grad()
            parallel(make_part(rank, step).to(device)).features.square().sum().backward()
            found = net.stem.weight.grad
            expect_close(found, sum(alone) / WORLD, 1e-5, f"{options}, step {step}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options = parser.parse_args()
    if options.device == "cuda" and torch.cuda.device_count() < WORLD:
        print(f"skipped: there are no {WORLD} GPUs")
        return 0
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    multiprocessing.spawn(work, (options.device, port), WORLD)
    print(f"passed: gradients of {WORLD} processes on {options.device}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
