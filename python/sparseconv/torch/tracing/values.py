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
    coordinates as a tensor."""

    name: str
    type: str
    stride: tuple
    coords: str = ""


@dataclasses.dataclass
class Map:
    """A neighbour table: the kernel map, and once it is asked for, the table."""

    name: str
    type: str
    source: str
    target: str
    volume: int
    table: str = ""


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
    name: str = ""
