# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of operations that read the coordinates of a set beside features, as text.

Points that are `in_order` are those of a set, in its order. Others are in any order, and
the rows of features with them."""

import functools

from .ir import get_points_type, list_numbers, write_function, write_packing, write_set
from .programs import MOST_SIZES


def _write(dim, stride, inputs, outputs, body):
    types = write_packing(dim) + write_set("set", stride)
    return types + write_function(inputs, outputs, body)


def _pack(points, type):
    return f"  %set, %order, %row_of = sparseconv.pack %{points} : {type} -> !set\n"


def _sort(x, type, in_order):
    """The rows of features in the order of the set `%set`, as `%sorted`. They stay as many:
    points at one coordinate are fewer rows of a set, which the operation on both reports."""
    if in_order:
        return "", f"%{x}"
    body = (
        "  %first = arith.constant 0 : index\n"
        f"  %count = tensor.dim %{x}, %first : {type}\n"
        f"  %sorted = sparseconv.scatter %{x}, %row_of into %count "
        f": {type}, tensor<?xi32> -> {type}\n"
    )
    return body, "%sorted"


def _give_back(operation, type, in_order):
    """The rows that an operation gives for a set as `%result`, in the order of the points."""
    if in_order:
        return f"  %result = {operation} -> {type}\n"
    return (
        f"  %of_set = {operation} -> {type}\n"
        f"  %result = sparseconv.gather %of_set, %row_of : {type}, tensor<?xi32> -> {type}\n"
    )


@functools.cache
def global_pool(kind, dim, channels, dtype, in_order):
    x, points = f"tensor<?x{channels}x{dtype}>", get_points_type(dim)
    sort, rows = _sort("x", x, in_order)
    body = (
        f"{_pack('points', points)}{sort}"
        "  %axis = arith.constant 0 : index\n"
        "  %number = tensor.dim %items, %axis : tensor<?x2xi32>\n"
        f"  %result = sparseconv.global_pool {kind} {rows}, %set batch(%number) "
        f": {x}, !set -> {x}\n"
    )
    inputs = {"x": x, "points": points, "items": "tensor<?x2xi32>"}
    return _write(dim, (1,) * dim, inputs, {"result": x}, body)


@functools.cache
def global_pool_grad(kind, dim, channels, dtype, in_order):
    x, points = f"tensor<?x{channels}x{dtype}>", get_points_type(dim)
    inputs = {"dy": x, "points": points}
    sort = of = of_type = ""
    if kind == "max":
        inputs["x"] = x
        sort, rows = _sort("x", x, in_order)
        of, of_type = f" of {rows}", f", {x}"
    operation = f"sparseconv.global_pool_grad {kind} %dy, %set{of} : {x}, !set{of_type}"
    body = _pack("points", points) + sort + _give_back(operation, x, in_order)
    return _write(dim, (1,) * dim, inputs, {"result": x}, body)


@functools.cache
def points_and_set(kind, interpolation, stride, channels, dtype, in_order):
    """`kind` is voxelise (a weighted sum) or devoxelise."""
    dim = len(stride)
    x, points = f"tensor<?x{channels}x{dtype}>", get_points_type(dim)
    real = f"tensor<?x{dim + 1}xf32>"
    body = _pack("coords", points)
    if kind == "voxelise":
        how = f"{interpolation} sum"
        operation = f"sparseconv.voxelise {how} %x, %points, %set : {x}, {real}, !set"
        body += _give_back(operation, x, in_order)
    else:
        sort, rows = _sort("x", x, in_order)
        body += sort + (
            f"  %result = sparseconv.devoxelise {interpolation} {rows}, %points, %set "
            f": {x}, {real}, !set -> {x}\n"
        )
    inputs = {"x": x, "points": real, "coords": points}
    return _write(dim, stride, inputs, {"result": x}, body)


@functools.lru_cache(maxsize=MOST_SIZES)
def dense(kind, stride, shape, channels, dtype, in_order):
    """`kind` is to_dense or from_dense; `shape` the batch size and the cells."""
    dim = len(stride)
    x, points = f"tensor<?x{channels}x{dtype}>", get_points_type(dim)
    grid = f"tensor<{'x'.join(map(str, shape))}x{channels}x{dtype}>"
    origin = f"origin {list_numbers([0] * dim)}"
    body = _pack("coords", points)
    if kind == "to_dense":
        source, result = x, grid
        sort, rows = _sort("x", x, in_order)
        body += sort + (
            f"  %result = sparseconv.to_dense {rows}, %set {origin} : {x}, !set -> {grid}\n"
        )
    else:
        source, result = grid, x
        operation = f"sparseconv.from_dense %x, %set {origin} : {grid}, !set"
        body += _give_back(operation, x, in_order)
    inputs = {"x": source, "coords": points}
    return _write(dim, stride, inputs, {"result": result}, body)
