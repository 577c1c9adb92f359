# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models make of the coordinates of points, by products with numbers and sums with
tables: most of all, the parts of voxels that are divided."""

import dataclasses
import itertools
from typing import Any

import torch

from .values import Late, Rows, Set, is_traced, same_sizes

INTEGERS = (torch.int32, torch.int64)


@dataclasses.dataclass(frozen=True)
class Coordinates:
    """Integers [rows, columns] or [rows, parts, columns]: for each column a column of `points`
    and what it is multiplied by, and for each part what is added to its columns."""

    points: Any
    columns: tuple
    parts: tuple

    def pick(self, start, count):
        end = start + count
        parts = tuple(part[start:end] for part in self.parts)
        return Coordinates(self.points, self.columns[start:end], parts)

    def multiply(self, numbers):
        columns = tuple((column, n * m) for (column, n), m in zip(self.columns, numbers))
        parts = tuple(tuple(n * m for n, m in zip(part, numbers)) for part in self.parts)
        return Coordinates(self.points, columns, parts)

    def add(self, table):
        sums = [[n + m for n, m in zip(*rows)] for rows in itertools.product(self.parts, table)]
        return Coordinates(self.points, self.columns, tuple(map(tuple, sums)))


def follow(tracer, tensor):
    """The `Coordinates` that a tensor is known to have, or None. Those of which nothing is
    known are points themselves."""
    if not is_traced(tensor) or tensor.dtype not in INTEGERS or tensor.dim() not in (2, 3):
        return None
    value = tracer.peek(tensor, Late)
    is_known = value.coordinates is not None or tensor.dim() != 2
    if not is_known and isinstance(value, (Rows, Set)) and isinstance(tensor.shape[1], int):
        # A stand-in of its own: the model may change the other one in place.
        points, count = tracer.make_like(tensor), tensor.shape[1]
        tracer.bind(points, value)
        columns = tuple((column, 1) for column in range(count))
        value.coordinates = Coordinates(points, columns, ((0,) * count,))
    return value.coordinates


def follow_reshape(tracer, x, result, value):
    """Notes what is known of the same elements in another shape."""
    source, target = list(x.shape), list(result.shape)
    found = follow(tracer, x)
    if found is None or not same_sizes(source[-1:], target[-1:]):
        return
    if len(found.parts) > 1 and same_sizes(target[:-1], [source[0] * source[1]]):
        # The parts are points of their own, too.
        value.division = found
    elif len(target) in (2, 3) and same_sizes(source[:1], target[:1]):
        value.coordinates = found


def follow_product(tracer, operands, value):
    """Notes what is known of coordinates times numbers."""
    found, numbers = _find_numbers(tracer, operands)
    if found and len(numbers) == 1:
        value.coordinates = found.multiply(numbers[0])


def follow_sum(tracer, operands, value):
    """Notes what is known of coordinates and the numbers that are added to them."""
    found, table = _find_numbers(tracer, operands)
    if found and 1 in (len(table), len(found.parts)):
        value.coordinates = found.add(table)


def follow_columns(tracer, tensors, value):
    """Notes what is known of tensors [rows, columns] beside one another."""
    found = [follow(tracer, tensor) for tensor in tensors]
    if None in found or any(f.points is not found[0].points for f in found):
        return
    if all(len(f.parts) == 1 for f in found):
        columns = tuple(column for f in found for column in f.columns)
        part = tuple(number for f in found for number in f.parts[0])
        value.coordinates = Coordinates(found[0].points, columns, (part,))


def _find_numbers(tracer, operands):
    """The coordinates among two operands, and for each part the numbers of the other operand
    for its columns; or twice None."""
    for x, other in (operands, operands[::-1]):
        found = None if is_traced(other) else follow(tracer, x)
        if found is None:
            continue
        columns = len(found.columns)
        if isinstance(other, int):
            return found, ((other,) * columns,)
        if isinstance(other, torch.Tensor) and other.dtype in INTEGERS:
            shape = (1, 1, *other.shape)[-2:]
            is_table = other.dim() < 3 or other.dim() == x.dim() and other.shape[0] == 1
            if is_table and shape[-1:] in ((1,), (columns,)) and (x.dim() == 3 or shape[0] == 1):
                rows = tracer.weights.hold(other).cpu().reshape(shape).expand(-1, columns)
                return found, tuple(map(tuple, rows.tolist()))
    return None, None
