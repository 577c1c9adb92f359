# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of operators that move elements: slices, concatenations, other shapes."""

from .coordinates import follow_reshape
from .reshape import reshape
from .scalars import emit_conversion
from .tracer import handles
from .values import Rows, View, same_sizes
from .views import Cut, emit_concat, emit_cut

# Parts and wholes ---------------------------------------------------------------


def _get_axis(tracer, x, dim):
    """An axis whose elements can be chosen: one of known size."""
    dim %= x.dim()
    if not isinstance(x.shape[dim], int):
        tracer.refuse("it chooses rows by their place")
    return dim


@handles("aten::slice")
def _slice(tracer, a, result):
    if same_sizes(result.shape, a.self.shape):
        return View(a.self, None)
    dim = _get_axis(tracer, a.self, a.dim)
    size = a.self.shape[dim]
    start = min(max((a.start or 0) + (size if (a.start or 0) < 0 else 0), 0), size)
    cut = Cut(dim, start, result.shape[dim], a.step)
    if a.step == 1:
        return View(a.self, cut)
    return emit_cut(tracer, a.self, cut, tracer.get_type(result))


@handles("aten::select")
def _select(tracer, a, result):
    dim = _get_axis(tracer, a.self, a.dim)
    return View(a.self, Cut(dim, a.index % a.self.shape[dim], 1, keeps_axis=False))


@handles("aten::split", "aten::split_with_sizes")
def _split(tracer, a, result):
    dim = _get_axis(tracer, a.self, a.dim)
    parts, start = [], 0
    for part in result:
        parts.append(View(a.self, Cut(dim, start, part.shape[dim])))
        start += part.shape[dim]
    return parts


@handles("aten::cat")
def _cat(tracer, a, result):
    def convert(tensor):
        if tensor.dtype == result.dtype:
            return tensor
        same = tracer.make_like(tensor, result.dtype)
        tracer.bind(same, emit_conversion(tracer, tensor, same))
        return same

    dim = _get_axis(tracer, result, a.dim)
    return emit_concat(tracer, result, dim, list(map(convert, a.tensors)))


# Other shapes -------------------------------------------------------------------


@handles("aten::permute", "aten::transpose", "aten::t")
def _permute(tracer, a, result):
    order = list(range(a.self.dim()))
    if hasattr(a, "dims"):
        order = [dim % a.self.dim() for dim in a.dims]
    else:
        first, second = (
            getattr(a, name, i) % a.self.dim() for i, name in enumerate(("dim0", "dim1"))
        )
        order[first], order[second] = second, first
    empty, type = (
        tracer.emit_empty(result.shape, tracer.get_element(result)),
        tracer.get_type(result),
    )
    return Rows(tracer.text.emit_value(
        f"linalg.transpose ins({tracer.get_name(a.self)} : {tracer.get_type(a.self)}) "
        f"outs({empty} : {type}) permutation = {order}"
    ))  # fmt: skip


@handles(
    "aten::view", "aten::_unsafe_view", "aten::reshape", "aten::unsqueeze", "aten::squeeze"
)
def _reshape(tracer, a, result):
    made = reshape(tracer, a.self, result)
    follow_reshape(tracer, a.self, result, made)
    return made
