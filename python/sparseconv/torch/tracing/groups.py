# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axes of two shapes with the same elements."""

import math

from .text import tensor_type
from .tracer import is_traced


def multiply(sizes):
    """The product of a group, in which an unknown size has only ones beside it."""
    unknown = [size for size in sizes if not isinstance(size, int)]
    return unknown[0] if unknown else math.prod(sizes)


def group_axes(source, target):
    """The axes of both shapes in groups of as many elements each, or None. Axes of one
    element belong to the group before them, or to the first one."""
    left, right = (
        [i for i, size in enumerate(s) if str(size) != "1"] for s in (source, target)
    )
    groups, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        first, second = [left[i]], [right[j]]
        i, j = i + 1, j + 1
        while str(_size(source, first)) != str(_size(target, second)):
            a, b = _size(source, first), _size(target, second)
            if not (isinstance(a, int) and isinstance(b, int)):
                return None
            if a < b and i < len(left):
                first.append(left[i])
                i += 1
            elif a > b and j < len(right):
                second.append(right[j])
                j += 1
            else:
                return None
        groups.append((first, second))
    if i < len(left) or j < len(right):
        return None
    groups = groups or [([0], [0])]
    return list(zip(*(_fill([g[side] for g in groups], len(shape))
                      for side, shape in enumerate((source, target)))))  # fmt: skip


def _fill(groups, rank):
    """Groups of axes with those between them."""
    starts = [0, *(group[0] for group in groups[1:]), rank]
    return [list(range(*pair)) for pair in zip(starts, starts[1:])]


def _size(shape, axes):
    return multiply([shape[axis] for axis in axes])


def emit_squeezed(tracer, x, kept):
    """A tensor without axes of one element that are not kept: its name, type and
    element type."""
    element, shape = tracer.get_element(x), [x.shape[axis] for axis in kept]
    if len(kept) == x.dim():
        return tracer.get_name(x), tracer.get_type(x), element
    if not is_traced(x):
        x = tracer.weights.view(x, shape)
        return tracer.get_name(x), tracer.get_type(x), element
    groups = _fill([[axis] for axis in kept], x.dim()) if kept else []
    type = tensor_type(shape, element)
    line = f"tensor.collapse_shape {tracer.get_name(x)} {groups} : {tracer.get_type(x)} into {type}"
    return tracer.text.emit_value(line), type, element
