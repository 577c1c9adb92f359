# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small SparseResNet to tell shapes apart.

    python train_shapes.py                            # on the CPU
    python train_shapes.py --device=cuda --amp=f16
    torchrun --nproc-per-node=2 train_shapes.py --device=cuda

Each shape is the surface of a body as a cloud of points, with random proportions, a
random rotation and noise. The test shapes are drawn with another seed, so that the
network has seen none of them."""

import argparse
import contextlib
import math
import os
import sys
import time

# Torch's threads and those of the layers share the cores; this is read when torch starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import sparseconv.torch as sct  # noqa: E402
import torch  # noqa: E402
from torch import distributed, nn  # noqa: E402

NUM_POINTS = 256
VOXEL_SIZE = 0.14
AMP_TYPES = {"off": None, "f16": torch.float16, "bf16": torch.bfloat16}

# Shapes -----------------------------------------------------------------------


def uniform(count, low=0.0, high=1.0):
    return low + (high - low) * torch.rand(count)


def around(angle, radius, height):
    """Points from cylindrical coordinates."""
    return torch.stack([radius * angle.cos(), radius * angle.sin(), height], 1)


def sphere(count):
    points = torch.randn(count, 3)
    return points / points.norm(dim=1, keepdim=True)


def cube(count):
    points = uniform((count, 3), -0.8, 0.8)
    side = torch.randint(6, (count,))
    points[torch.arange(count), side // 2] = 1.6 * (side % 2) - 0.8
    return points


def torus(count):
    angle, turn = uniform(count, 0, 2 * math.pi), uniform(count, 0, 2 * math.pi)
    return around(angle, 0.75 + 0.3 * turn.cos(), 0.3 * turn.sin())


def cone(count):
    angle, height = uniform(count, 0, 2 * math.pi), uniform(count).sqrt()
    base = torch.arange(count) % 3 == 0
    radius = torch.where(base, uniform(count).sqrt(), height)
    return around(angle, 0.9 * radius, torch.where(base, 0.8, 0.8 - 1.6 * (1 - height)))


def cylinder(count):
    angle, height = uniform(count, 0, 2 * math.pi), uniform(count, -1, 1)
    lid = torch.arange(count) % 3 == 0
    radius = torch.where(lid, uniform(count).sqrt(), 1.0)
    return around(angle, 0.6 * radius, torch.where(lid, height.sign(), height))


def cross(count):
    """Three sticks through one centre."""
    points = 0.15 * torch.randn(count, 3)
    points[torch.arange(count), torch.randint(3, (count,))] = uniform(count, -1, 1)
    return points


def helix(count):
    turn = uniform(count, -1, 1)
    return around(2 * math.pi * turn, torch.full((count,), 0.7), turn)


def saddle(count):
    plane = uniform((count, 2), -0.9, 0.9)
    return torch.cat([plane, (plane[:, :1] ** 2 - plane[:, 1:] ** 2)], 1)


SHAPES = (sphere, cube, torus, cone, cylinder, cross, helix, saddle)


def make_shapes(count, seed):
    """Clouds [count, points, 3] and the numbers of their shapes [count]."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        labels = torch.randint(len(SHAPES), (count,))
        clouds = torch.stack([SHAPES[label](NUM_POINTS) for label in labels])
        clouds *= uniform((count, 1, 3), 0.8, 1.2)
        rotations = torch.linalg.qr(torch.randn(count, 3, 3)).Q
        clouds = clouds @ rotations + 0.02 * torch.randn(clouds.shape)
    return clouds, labels


def make_tensor(clouds):
    """A sparse tensor of a batch [batch, points, 3]. A voxel's features are 1 and the
    mean place of its points within it."""
    batch, count, _ = clouds.shape
    items = torch.arange(batch, device=clouds.device).repeat_interleave(count)
    places = clouds.reshape(-1, 3)
    within = torch.remainder(places / VOXEL_SIZE, 1) - 0.5
    features = torch.cat([torch.ones_like(within[:, :1]), within], 1)
    points = torch.cat([items[:, None].float(), places], 1)
    return sct.voxelise(features, points, VOXEL_SIZE, batch_size=batch)


# The network ------------------------------------------------------------------


class Block(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, channels):
        super().__init__()
        self.body = sct.SparseSequential(
            sct.SubMConv3d(channels, channels, 3, bias=False),
            nn.BatchNorm1d(channels),
            nn.ReLU(),
            sct.SubMConv3d(channels, channels, 3, bias=False),
            nn.BatchNorm1d(channels),
        )

    def forward(self, x):
        y = self.body(x) + x
        return y.replace(y.features.relu())


def make_net(channels=(16, 32, 64)):
    layers = [sct.SubMConv3d(4, channels[0], 3, bias=False), nn.BatchNorm1d(channels[0])]
    layers += [nn.ReLU(), Block(channels[0])]
    for before, after in zip(channels, channels[1:]):
        layers += [sct.SparseConv3d(before, after, 2, 2, bias=False), nn.BatchNorm1d(after)]
        layers += [nn.ReLU(), Block(after)]
    layers += [sct.SparseGlobalAvgPool(), nn.Linear(channels[-1], len(SHAPES))]
    return sct.SparseSequential(*layers)


# Training ---------------------------------------------------------------------


@contextlib.contextmanager
def join_processes(device):
    """The number of this process and of all, which torchrun says; (0, 1) without it."""
    if "RANK" not in os.environ:
        yield 0, 1
        return
    if device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("nccl" if device == "cuda" else "gloo")
    try:
        yield distributed.get_rank(), distributed.get_world_size()
    finally:
        distributed.destroy_process_group()


def train(net, clouds, labels, options, rank=0, world=1):
    """Each process takes its part of each batch."""
    torch.manual_seed(options.seed)  # all processes draw the same batches
    dtype = AMP_TYPES[options.amp]
    optimiser = torch.optim.AdamW(net.parameters(), lr=options.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, options.rate, total_steps=options.steps
    )
    scaler = torch.amp.GradScaler(options.device, enabled=dtype is torch.float16)
    net.train()
    start = time.perf_counter()
    for step in range(1, options.steps + 1):
        batch = torch.randint(len(clouds), (options.batch,))[rank::world]
        x, expected = make_tensor(clouds[batch]), labels[batch]
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast(options.device, dtype, enabled=dtype is not None):
            loss = nn.functional.cross_entropy(net(x), expected)
        scaler.scale(loss).backward()
        scaler.step(optimiser)
        scaler.update()
        schedule.step()
        if rank == 0 and (step % 20 == 0 or step == options.steps):
            spent = time.perf_counter() - start
            print(f"step {step}: loss {loss.item():.3f}, {spent:.1f} s", flush=True)


@torch.inference_mode()
def measure(net, clouds, labels, batch):
    """The share of shapes that the network names right."""
    net.eval()
    right = 0
    for first in range(0, len(clouds), batch):
        found = net(make_tensor(clouds[first : first + batch])).argmax(1)
        right += (found == labels[first : first + batch]).sum().item()
    return right / len(clouds)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--amp", choices=AMP_TYPES, default="off", help="mixed precision")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--batch", type=int, default=32, help="shapes in a batch")
    parser.add_argument("--train", type=int, default=2000, help="shapes to learn from")
    parser.add_argument("--test", type=int, default=400, help="shapes to be tested with")
    parser.add_argument("--rate", type=float, default=5e-3, help="largest learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--require", type=float, default=0.9, help="the accuracy below which it fails"
    )
    return parser.parse_args()


def main():
    options = parse_options()
    with join_processes(options.device) as (rank, world):
        torch.manual_seed(options.seed)
        net = make_net().to(options.device)
        model = net
        if world > 1:
            if options.device == "cuda":
                model = nn.SyncBatchNorm.convert_sync_batchnorm(net)
            model = nn.parallel.DistributedDataParallel(model)
        clouds, labels = (t.to(options.device) for t in make_shapes(options.train, seed=1))
        train(model, clouds, labels, options, rank, world)
        clouds, labels = (t.to(options.device) for t in make_shapes(options.test, seed=2))
        accuracy = measure(net, clouds, labels, options.batch)
        if rank == 0:
            print(f"accuracy on {options.test} shapes not seen: {100 * accuracy:.1f} %")
    return 0 if accuracy >= options.require else 1


if __name__ == "__main__":
    sys.exit(main())
