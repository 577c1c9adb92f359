# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands for the tensors of a model in the text of its network."""

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass
class Rows:
    """A tensor of the network."""

    name: str


@dataclasses.dataclass
class Set:
    """The coordinates of a set: the set itself, and once they are asked for, its
    coordinates as a tensor. Where it is made of points, `points` names them, and
    `row_of` the row of each."""

    name: str
    type: str
    stride: tuple
    coords: str = ""
    points: str = ""
    row_of: str = ""


@dataclasses.dataclass
class Map:
    """A neighbour table: the kernel map, and once it is asked for, the table. Where the
    table has the rows of points, `order` names the point of each row of the in set, and
    `row_of` the row of each point of the out set."""

    name: str
    type: str
    source: str
    target: str
    volume: int
    table: str = ""
    order: str = ""
    row_of: str = ""


@dataclasses.dataclass
class Fill:
    """The same number everywhere."""

    number: Any


@dataclasses.dataclass
class Biased:
    """Rows to which a weight is added: a norm behind it takes the bias into its own,
    and reads the rows. The sum is written where something else asks for it."""

    rows: Any
    bias: Any
    emit: Callable
    value: Any = None


@dataclasses.dataclass
class Turned:
    """Features in the order of points, as a stand-in for them in set order, `rows`, and
    the name of the point of each row. What is done to each element is done to `rows`,
    so that it stays beside the convolution that made them."""

    rows: Any
    order: str
    name: str = ""


@dataclasses.dataclass
class Chosen:
    """The numbers of the rows of a set where a mask is true, in i32, and the set of
    these rows."""

    name: str
    source: Set
    kept: Set
