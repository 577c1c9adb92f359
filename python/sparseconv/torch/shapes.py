# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes of grids that stand in tensors."""

from collections.abc import Sequence

import torch

from ..errors import ArgumentError


class DeviceShape(Sequence):
    """The cells of a grid on each axis, of which some are tensors without axes, such as what
    a model computes of its coordinates. A GPU is waited for where somebody reads them, and
    layers that stay within their input's coordinates do not.

    In the names of sets all of them are alike: a tensor's first set is the only one of its
    name, and sets that layers make of it are named by the numbers that were read."""

    def __init__(self, cells):
        self.cells = tuple(cells)
        self._numbers, self._versions = None, self._get_versions()

    def _get_versions(self):
        if torch.compiler.is_compiling():
            return None
        tensors = (n for n in self.cells if isinstance(n, torch.Tensor))
        return [n._version for n in tensors if not n.is_inference()]

    def _read(self):
        if self._numbers is None:
            if self._get_versions() not in (None, self._versions):
                raise ArgumentError(
                    "spatial_shape: its tensors were changed in place after a sparse tensor was "
                    "made with them"
                )
            self._numbers = tuple(map(int, self.cells))
        return self._numbers

    def __getstate__(self):
        return self.cells, self._read()

    def __setstate__(self, state):
        self.cells, self._numbers = state

    def __len__(self):
        return len(self.cells)

    def __getitem__(self, axis):
        return self._read()[axis]

    def __eq__(self, other):
        if isinstance(other, DeviceShape) and len(self) == len(other):
            if all(mine is cell for mine, cell in zip(self.cells, other.cells)):
                return True
        return isinstance(other, (tuple, DeviceShape)) and self._read() == tuple(other)

    def __hash__(self):
        return hash(self._read())

    def __repr__(self):
        return "DeviceShape"  # which is what names of sets have of it

    def __str__(self):
        return str(self._read())


def read_shape(cells):
    """A shape as numbers, or where some of its cells are tensors as a `DeviceShape`."""
    cells = tuple(cells)
    if any(isinstance(n, torch.Tensor) for n in cells) and not torch.compiler.is_compiling():
        return DeviceShape(cells)
    return tuple(map(int, cells))


def read_count(count):
    """A number of cells or items as Python's, or the tensor that it stands in. Graphs of
    torch.compile have it at once."""
    if isinstance(count, torch.Tensor) and not torch.compiler.is_compiling():
        return count
    return int(count)


def is_same_shape(shape, other):
    """Whether two shapes are known to be equal, without a look at numbers in tensors."""
    return len(shape) == len(other) and all(
        mine is cell or type(mine) is type(cell) is int and mine == cell
        for mine, cell in zip(list_cells(shape), list_cells(other))
    )


def list_cells(shape):
    """A shape as a list: of numbers, or of what was given in tensors."""
    if isinstance(shape, DeviceShape):
        return list(shape.cells)
    return None if shape is None else list(shape)
