# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions as modules.

Arguments are called as in spconv. Output o of a strided convolution meets, for each
i below the kernel size, the input o * stride - padding + i * dilation, and there is
an output wherever it meets an input: what a dense convolution gives, where that is
not 0 by itself. `output="floor"` takes the coordinates divided by the stride instead,
as MinkowskiEngine does.

Weights are [offsets, in channels, out channels], or [offsets, groups, ...], the last
axis of the kernel fastest."""

import math

import torch
from torch import nn

from ..errors import ArgumentError
from . import ir, ops
from .programs import is_watched
from .tensor import Pair, repeat


#: The places of submanifold kernels that are at the output itself, by their sizes.
ANCHORS = {"middle": lambda k: k // 2, "centred": lambda k: (k - 1) // 2, "corner": lambda k: 0}


def cast_for_autocast(*tensors):
    """What autocast makes of the operands of a product."""
    kind = tensors[0].device.type
    if not torch.is_autocast_enabled(kind):
        return tensors
    dtype = torch.get_autocast_dtype(kind)
    return tuple(tensor.to(dtype) for tensor in tensors)


class Window:
    """The kernel of a layer: which inputs an output meets."""

    def __init__(self, dim, kernel_size, stride=1, padding=0, dilation=1):
        self.dim = dim
        self.size = repeat(kernel_size, dim, "kernel_size")
        self.stride = repeat(stride, dim, "stride")
        self.padding = repeat(padding, dim, "padding")
        self.dilation = repeat(dilation, dim, "dilation")
        for name, lowest in (("size", 1), ("stride", 1), ("padding", 0), ("dilation", 1)):
            if min(getattr(self, name)) < lowest:
                raise ArgumentError(
                    f"{name}: expects at least {lowest}, but found {getattr(self, name)}"
                )
        self.volume = math.prod(self.size)
        first = tuple(-p for p in self.padding)
        self.offsets = ir.box(self.size, first, self.dilation)

    def tiles(self):
        """Whether the windows of all outputs lie side by side, without gaps."""
        return self.size == self.stride and max(self.padding) == 0 and max(self.dilation) == 1

    def shrink(self, shape):
        """The cells that a strided layer has on each axis."""
        if shape is None:
            return None
        cells = zip(shape, self.size, self.stride, self.padding, self.dilation)
        found = tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in cells)
        if min(found) < 1:
            raise ArgumentError(f"a grid of {shape} has no room for a kernel of {self.size}")
        return found

    def grow(self, shape, output_padding):
        """The cells that a transposed layer has."""
        if shape is None:
            return None
        cells = zip(shape, self.size, self.stride, self.padding, self.dilation, output_padding)
        return tuple((n - 1) * s - 2 * p + d * (k - 1) + e + 1 for n, k, s, p, d, e in cells)

    def find_forward(self, x, output):
        """The out set of a strided layer, and the map."""
        shape = self.shrink(x.spatial_shape)
        rule = output
        if output == "cover" and max(self.stride) == 1:
            rule = "expand"
        elif shape is None and self.tiles():
            rule = "floor"  # the same set, which is made faster and shared
        if rule == "floor":
            # The set does not depend on the kernel: layers share it.
            target = x.cache.get_set(x.set, rule, self.stride, "", None)
        else:
            target = x.cache.get_set(x.set, rule, self.stride, self.offsets, shape)
        return target, x.cache.get_table(x.set, target, self.offsets, self.volume)

    def __repr__(self):
        text = f"kernel_size={self.size}, stride={self.stride}"
        if any(self.padding):
            text += f", padding={self.padding}"
        return text + (f", dilation={self.dilation}" if max(self.dilation) > 1 else "")


class Convolution(nn.Module):
    """What convolutions share: parameters, and what is done over a map. Layers under
    the names of other libraries have weights of their own shapes, and give them as
    layers here have them in `get_kernel`."""

    weight_name = "weight"

    def __init__(self, window, in_channels, out_channels, groups=1, bias=True,
                 indice_key=None, device=None, dtype=None):  # fmt: skip
        super().__init__()
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels < 1 or channels % groups:
                raise ArgumentError(
                    f"{name}: expects a multiple of {groups} groups, but found {channels}"
                )
        self.window, self.indice_key, self.groups = window, indice_key, groups
        self.in_channels, self.out_channels = in_channels, out_channels
        options = {"device": device, "dtype": dtype}
        weight = torch.empty(self.get_weight_shape(), **options)
        self.register_parameter(self.weight_name, nn.Parameter(weight))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_channels, **options))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def get_weight_shape(self):
        shape = (self.in_channels // self.groups, self.out_channels // self.groups)
        groups = (self.groups,) if self.groups > 1 else ()
        return (self.window.volume, *groups, *shape)

    def get_kernel(self):
        """The weights as [offsets, in, out], or [offsets, groups, ...]."""
        return self.weight

    def is_product(self, features):
        """Whether the layer is one matrix product, which torch starts sooner on a GPU."""
        return False

    def reset_parameters(self):
        """As torch's own convolutions do."""
        bound = 1 / math.sqrt(self.window.volume * self.in_channels // self.groups)
        nn.init.uniform_(getattr(self, self.weight_name), -bound, bound)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x):
        return self.run(x)

    def takes_norm(self):
        """Whether `run` with a norm is what the layer and the norm behind it give."""
        return True

    def run(self, x, norm=None):
        """The layer, or with a `norm` of a scale, a shift and the name of an activation
        the layer without its bias, and these behind it."""
        if x.dim != self.window.dim:
            raise ArgumentError(
                f"{type(self).__name__}: expects a tensor of {self.window.dim} axes, but "
                f"found {x.dim}"
            )
        features, weight = cast_for_autocast(x.features, self.get_kernel())
        if self.is_product(features):
            target, y = x.set, ops.multiply_rows(features, weight)
        else:
            target, table = self.find_map(x)
            if norm is not None:
                return x._make(ops.conv_and_norm(features, weight, table, *norm), target)
            y = ops.apply_conv(features, weight, table)
        if self.bias is not None:
            y = y + self.bias.to(y.dtype)
        return x._make(y, target)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, {self.window!r}"
        text += f", groups={self.groups}" if self.groups > 1 else ""
        return text + (", bias=False" if self.bias is None else "")


class _SubMConv(Convolution):
    """Outputs at the coordinates of the inputs. What of the kernel is at the output
    itself: its place size // 2 as in spconv ("middle"), (size - 1) // 2 ("centred"),
    which differs where the size is even, or 0 ("corner"). `stride` and `padding`
    change nothing, as in spconv."""

    dim = None

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, indice_key=None, *, anchor="middle", device=None,
                 dtype=None):  # fmt: skip
        if anchor not in ANCHORS:
            raise ArgumentError(f"anchor: expects one of {', '.join(ANCHORS)}, not {anchor!r}")
        size = repeat(kernel_size, self.dim, "kernel_size")
        steps = repeat(dilation, self.dim, "dilation")
        first = tuple(ANCHORS[anchor](k) * d for k, d in zip(size, steps))
        window = Window(self.dim, size, 1, first, steps)
        super().__init__(
            window, in_channels, out_channels, groups, bias, indice_key, device, dtype
        )
        self.anchor = anchor

    def is_product(self, features):
        # What traces a model sees the convolution, and so does who goes back over it.
        is_point = self.window.volume == 1 and self.groups == 1 and self.indice_key is None
        return is_point and features.is_cuda and not is_watched(features)

    def find_map(self, x):
        found = x.set
        return found, x.cache.get_table(found, found, self.window.offsets, self.window.volume)


class _SparseConv(Convolution):
    """Outputs wherever the kernel meets an input, or with `output="floor"` at the
    coordinates of the inputs divided by the stride."""

    dim = None

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, indice_key=None, *, output="cover", device=None,
                 dtype=None):  # fmt: skip
        if output not in ("cover", "floor"):
            raise ArgumentError(f"output: expects 'cover' or 'floor', but found {output!r}")
        window = Window(self.dim, kernel_size, stride, padding, dilation)
        super().__init__(
            window, in_channels, out_channels, groups, bias, indice_key, device, dtype
        )
        self.output = output

    def find_map(self, x):
        target, table = self.window.find_forward(x, self.output)
        x.cache.add_pair(self.indice_key, Pair(x.set, target, table, self.window.size))
        return target, table


class _SparseInverseConv(Convolution):
    """Goes back over the map of the layer with the same `indice_key`, to the
    coordinates that this had as input."""

    dim = None

    def __init__(self, in_channels, out_channels, kernel_size, indice_key, bias=True, *,
                 groups=1, device=None, dtype=None):  # fmt: skip
        window = Window(self.dim, kernel_size)
        super().__init__(
            window, in_channels, out_channels, groups, bias, indice_key, device, dtype
        )

    def find_map(self, x):
        pair = x.cache.find_pair(self.indice_key, x.set)
        if pair is None:
            raise ArgumentError(
                f"{type(self).__name__}: no layer before this one has the indice_key "
                f"{self.indice_key!r}"
            )
        if pair.target.name != x.set.name or pair.size != self.window.size:
            raise ArgumentError(
                f"{type(self).__name__}: the indice_key {self.indice_key!r} is that of a "
                f"layer with a kernel of {pair.size} and outputs at {pair.target.num_rows} "
                f"coordinates, but found a kernel of {self.window.size} and inputs at "
                f"{x.set.num_rows}"
            )
        return pair.source, x.cache.get_transposed(self.indice_key, pair)


class _SparseConvTranspose(Convolution):
    """Outputs wherever the kernel of an input reaches: the input at i reaches
    i * stride - padding + j * dilation for each j below the kernel size."""

    dim = None

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0,
                 output_padding=0, dilation=1, groups=1, bias=True, indice_key=None, *,
                 device=None, dtype=None):  # fmt: skip
        window = Window(self.dim, kernel_size, stride, padding, dilation)
        super().__init__(
            window, in_channels, out_channels, groups, bias, indice_key, device, dtype
        )
        self.output_padding = repeat(output_padding, self.dim, "output_padding")

    def find_map(self, x):
        window = self.window
        if any(s % b for s, b in zip(x.stride, window.stride)):
            raise ArgumentError(
                f"{type(self).__name__}: expects a tensor whose stride is a multiple of "
                f"{window.stride}, but found {x.stride}; make the first tensor with "
                "SparseTensor(..., stride=...)"
            )
        shape = window.grow(x.spatial_shape, self.output_padding)
        rule = "upsample" if max(window.stride) > 1 else "expand_transposed"
        target = x.cache.get_set(x.set, rule, window.stride, window.offsets, shape)
        table = x.cache.get_table(x.set, target, window.offsets, window.volume, True)
        x.cache.add_pair(self.indice_key, Pair(x.set, target, table, window.size))
        return target, table


def _define(base, stem):
    """The classes of a kind for 1 to 4 axes."""
    for dim in range(1, 5):
        name = f"{stem}{dim}d"
        body = {"dim": dim, "__doc__": base.__doc__, "__module__": __name__}
        globals()[name] = type(name, (base,), body)
        __all__.append(name)


__all__ = []
_define(_SubMConv, "SubMConv")
_define(_SparseConv, "SparseConv")
_define(_SparseInverseConv, "SparseInverseConv")
_define(_SparseConvTranspose, "SparseConvTranspose")
