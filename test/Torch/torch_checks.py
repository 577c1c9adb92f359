# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checks of the layers for torch share."""

import argparse
import gc
import sys
import traceback

import sparseconv.torch as sct
import torch

CHECKS = []


class Skip(Exception):
    pass


def check(function):
    CHECKS.append(function)
    return function


def expect(condition, text="a condition does not hold"):
    if not condition:
        raise AssertionError(text)


def expect_close(found, expected, bound=1e-5, text=""):
    expect(found.shape == expected.shape, f"{text}: {found.shape} and {expected.shape}")
    worst = (found.double() - expected.double()).abs().max().item() if found.numel() else 0.0
    scale = max(1.0, expected.double().abs().max().item() if expected.numel() else 0.0)
    expect(worst <= bound * scale, f"{text}: off by {worst}, largest {scale}")


def expect_no_cycles(run):
    """That all tensors of a call are freed as soon as nobody has them: what waits until
    Python looks for cycles, such as the maps of a scan, soon fills a GPU."""

    def count():
        return sum(issubclass(type(known), torch.Tensor) for known in gc.get_objects())

    run()  # what it makes to keep
    gc.collect()
    gc.disable()
    try:
        before = count()
        run()
        left = count() - before
    finally:
        gc.enable()
    expect(left == 0, f"{left} tensors wait for the search for cycles")


def expect_error(kind, text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        expect(text in str(error), f"expected an error with {text!r}, found {error}")
        return
    raise AssertionError(f"expected an error with {text!r}, found none")


def make_tensor(dim, channels, device, size=7, rows=60, batch=2, seed=0, dtype=torch.float32):
    """A tensor of random points in a grid, and the same as a dense grid in f64."""
    torch.manual_seed(seed)
    ranges = [batch] + [size] * dim
    points = torch.stack([torch.randint(0, n, (rows,)) for n in ranges], 1)
    points = torch.unique(points, dim=0).int()
    points = points[torch.randperm(len(points))]
    features = torch.randn(len(points), channels).to(dtype)
    grid = torch.zeros((batch, *[size] * dim, channels), dtype=torch.float64)
    grid[tuple(points.long().T)] = features.double()
    x = sct.SparseTensor(
        features.to(device), points.to(device), [size] * dim, batch_size=batch
    )
    return x, grid.movedim(-1, 1).to(device)


def densify(features, x):
    """Rows as a grid of what they have at their coordinates, in f64: the check's own."""
    shape = (x.batch_size, *x.spatial_shape, features.shape[1])
    grid = torch.zeros(shape, dtype=torch.float64, device=features.device)
    stride = torch.tensor((1, *x.stride), device=features.device)
    places = (x.coordinates // stride).long()
    return grid.index_put(tuple(places.T), features.double()).movedim(-1, 1)


def get_dense_weight(layer, transposed=False):
    """A layer's weights as torch's dense layers have them, in f64."""
    weight = layer.weight.double().reshape(*layer.window.size, *layer.weight.shape[-2:])
    dim = layer.window.dim
    order = (dim, dim + 1) if transposed else (dim + 1, dim)
    return weight.permute(*order, *range(dim))


def run():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    failed = 0
    for function in CHECKS:
        if options.names and function.__name__ not in options.names:
            continue
        try:
            function(options.device)
            print(f"passed: {function.__name__}", flush=True)
        except Skip as reason:
            print(f"skipped: {function.__name__}: {reason}")
        except Exception as error:
            failed += 1
            print(f"FAILED: {function.__name__}: {type(error).__name__}: {error}")
            traceback.print_exc(limit=-4)
    sys.exit(1 if failed else 0)
