# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands for the tensors of a model in the text of its network."""

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor


def _noted(**kwargs):
    return dataclasses.field(init=False, repr=False, compare=False, **kwargs)


@dataclasses.dataclass
class Value:
    """What stands for a tensor. `parts` has the values of its parts that are known, by where
    these are. Of integers, `coordinates` says what they are of the coordinates of points;
    and `division` of which points they are the parts."""

    parts: dict = _noted(default_factory=dict)
    coordinates: Any = _noted(default=None)
    division: Any = _noted(default=None)


@dataclasses.dataclass
class View(Value):
    """A part of the tensor `base`, as a `views.Cut`, or all of it where that is None. It has
    the value that this part has where it is read: others may change it until then."""

    base: Any
    cut: Any


@dataclasses.dataclass
class Rows(Value):
    """A tensor of the network."""

    name: str


@dataclasses.dataclass
class Set(Value):
    """The coordinates of a set. Where it is made of points, `points` names them, and `row_of`
    the row of each."""

    name: str
    type: str
    stride: tuple
    points: str = ""
    row_of: str = ""

    def write_one(self):
        """The offsets of a kernel of size 1."""
        return f"box<{', '.join(['1'] * len(self.stride))}>"


@dataclasses.dataclass
class Map(Value):
    """A neighbour table, as the kernel map. `coords` is the set of a map from a set to itself.
    Where the table has the rows of points, `order` names the point of each row of the in set,
    and `row_of` the row of each point of the out set."""

    name: str
    type: str
    source: str
    target: str
    volume: int
    offsets: str = ""
    coords: Any = None
    order: str = ""
    row_of: str = ""

    @property
    def is_identity(self):
        """Whether each row is its only neighbour."""
        return self.coords is not None and self.offsets == self.coords.write_one()


@dataclasses.dataclass(frozen=True)
class Voxels:
    """The set of voxels that are divided, and the names of the point of each of its rows and
    of the row of each point: empty texts for points that are in set order."""

    set: Any
    order: str
    row_of: str


@dataclasses.dataclass(frozen=True)
class Parts:
    """Of a set of parts: the name of the row of its voxel for each row, the name of the point of
    each voxel's row, or an empty text, and how many parts a voxel has."""

    rows: str
    order: str
    times: int


@dataclasses.dataclass
class Fill(Value):
    """The same number everywhere."""

    number: Any


@dataclasses.dataclass
class Late(Value):
    """What is written, by `emit`, where something asks for it that needs it whole."""

    emit: Callable
    value: Any = dataclasses.field(init=False, default=None)


@dataclasses.dataclass
class Biased(Late):
    """Rows to which a weight is added: a norm behind it takes the bias into its own,
    and reads the rows."""

    rows: Any
    bias: Any


@dataclasses.dataclass
class Expanded(Late):
    """[rows, times, channels] of [rows, 1, channels]."""

    rows: Any
    times: int


@dataclasses.dataclass
class Repeated(Late):
    """[rows * times, channels], of rows that stand there several times each. What gathers
    of them gathers of `rows`, and what is done to each of them is done once."""

    rows: Any
    times: int


@dataclasses.dataclass
class Turned(Value):
    """Rows in the order of points, as a stand-in for them in set order, `rows`, and
    the name of the point of each row. What is done to each element is done to `rows`,
    so that it stays beside the convolution that made them."""

    rows: Any
    order: str


@dataclasses.dataclass
class Chosen(Value):
    """The numbers of the rows of a set where a mask is true, in i32, and the set of
    these rows."""

    name: str
    source: Set
    kept: Set


def same_sizes(shape, other):
    """Whether shapes are equal, without a question for the number that a symbol stands for."""
    return list(map(str, shape)) == list(map(str, other))


def is_traced(value):
    """Whether something is a stand-in, or computed of one."""
    return isinstance(value, (FakeTensor, torch.SymInt, torch.SymFloat, torch.SymBool))
