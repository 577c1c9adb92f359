# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axes of two shapes with the same elements."""

import math

from .text import tensor_type
from .values import is_traced, same_sizes


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
            is_less = _is_less(_size(source, first), _size(target, second))
            if is_less and i < len(left):
                first.append(left[i])
                i += 1
            elif is_less is False and j < len(right):
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
    return math.prod([shape[axis] for axis in axes])


def _is_less(a, b):
    """Whether one size is below another one; where one of them is not known, whether the
    other one is a multiple of it; None where neither is a multiple of the other."""
    if isinstance(a, int) and isinstance(b, int):
        return a < b
    a, b = (size if isinstance(size, int) else size.node.expr for size in (a, b))
    return True if (b / a).is_integer else False if (a / b).is_integer else None


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


def emit_reshape(tracer, name, source, target, element):
    """A tensor with the same elements in another shape, or None where both have no axes of
    equally many elements."""
    if same_sizes(source, target):
        return name
    if not source or not target:
        return _emit_point(tracer, name, source, target, element)
    groups = group_axes(source, target)
    if groups is None:
        return None
    middle = [_size(source, group) for group, _ in groups]
    name = _emit_collapse(tracer, name, source, middle, [g for g, _ in groups], element)
    return _emit_expand(tracer, name, middle, target, [g for _, g in groups], element)


def _emit_point(tracer, name, source, target, element):
    """From or to a tensor without axes."""
    kind = "expand_shape" if target else "collapse_shape"
    sizes = f" output_shape {target}" if target else ""
    types = tensor_type(source, element), tensor_type(target, element)
    return tracer.text.emit_value(f"tensor.{kind} {name} []{sizes} : {types[0]} into {types[1]}")


def _emit_collapse(tracer, name, source, middle, groups, element):
    if len(source) == len(middle):
        return name
    types = tensor_type(source, element), tensor_type(middle, element)
    return tracer.text.emit_value(
        f"tensor.collapse_shape {name} {groups} : {types[0]} into {types[1]}"
    )


def _emit_expand(tracer, name, middle, target, groups, element):
    if len(target) == len(middle):
        return name
    sizes = ", ".join(str(s) if isinstance(s, int) else tracer.emit_size(s) for s in target)
    types = tensor_type(middle, element), tensor_type(target, element)
    return tracer.text.emit_value(
        f"tensor.expand_shape {name} {groups} output_shape [{sizes}] : {types[0]} into {types[1]}"
    )
