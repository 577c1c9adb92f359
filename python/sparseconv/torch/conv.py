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
import re

import torch
from torch import nn

from ..errors import ArgumentError
from . import ahead, ir, ops
from .caches import Pair
from .known import KnownConv
from .operands_ir import Bias
from .programs import DTYPES, explain_transform, is_forward_mode, is_watched, read_parameter
from .tensor import check_input, read_integer, repeat

__all__ = [
    "SubMConv1d", "SubMConv2d", "SubMConv3d", "SubMConv4d",
    "SparseConv1d", "SparseConv2d", "SparseConv3d", "SparseConv4d",
    "SparseInverseConv1d", "SparseInverseConv2d", "SparseInverseConv3d", "SparseInverseConv4d",
    "SparseConvTranspose1d", "SparseConvTranspose2d",
    "SparseConvTranspose3d", "SparseConvTranspose4d",
]  # fmt: skip

#: The places of submanifold kernels that are at the output itself, by their sizes.
ANCHORS = {"middle": lambda k: k // 2, "centred": lambda k: (k - 1) // 2, "corner": lambda k: 0}


def cast_for_autocast(*tensors):
    """What autocast makes of the operands of a product: as of torch's, it leaves f64."""
    kind = "cuda" if tensors[0].is_cuda else "cpu"
    if not torch.is_autocast_enabled(kind):
        return tensors
    dtype = torch.get_autocast_dtype(kind)
    return tuple(t if t.dtype == torch.float64 else t.to(dtype) for t in tensors)


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
        rule, source = output, x.set
        if output == "cover" and max(self.stride) == 1:
            rule = "expand"
        elif x.get_shape() is None and self.tiles():
            rule = "floor"  # the same set, which is made faster and shared
        if rule == "floor":
            # The set does not depend on the kernel: layers share it. A grid has to have
            # room for one all the same.
            self.shrink(x.get_shape())
            target = x.cache.get_set(source, rule, self.stride, "")
        else:
            target = x.cache.get_set(source, rule, self.stride, self.offsets, (self.shrink,))
        return target, x.cache.get_table(source, target, self.offsets, self.volume)

    def __repr__(self):
        text = f"kernel_size={self.size}, stride={self.stride}"
        if any(self.padding):
            text += f", padding={self.padding}"
        return text + (f", dilation={self.dilation}" if max(self.dilation) > 1 else "")


def read_count(name, value, groups=1):
    """A number of channels, or of groups, as an integer."""
    number = read_integer(value)
    if number is None or number < 1:
        raise ArgumentError(f"{name}: expects an integer of at least 1, but found {value!r}")
    if number % groups:
        raise ArgumentError(f"{name}: expects a multiple of {groups} groups, but found {number}")
    return number


def is_plain(weight):
    """Whether weights are no tensor of a class of its own, which sees what is done with
    it."""
    return type(weight) in (nn.Parameter, torch.Tensor)


class Convolution(nn.Module):
    """What convolutions share: parameters, and what is done over a map. Layers under
    the names of other libraries have weights of their own shapes, and give them as
    layers here have them in `get_kernel`."""

    weight_name = "weight"

    def __init__(self, window, in_channels, out_channels, groups=1, bias=True,
                 indice_key=None, device=None, dtype=None):  # fmt: skip
        super().__init__()
        self.groups = read_count("groups", groups)
        self.in_channels = read_count("in_channels", in_channels, self.groups)
        self.out_channels = read_count("out_channels", out_channels, self.groups)
        self.window, self.indice_key = window, indice_key
        options = {"device": device, "dtype": dtype}
        weight = torch.empty(self.get_weight_shape(), **options)
        self.register_parameter(self.weight_name, nn.Parameter(weight))
        if bias:
            self.bias = nn.Parameter(torch.empty(self.out_channels, **options))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def get_weight_shape(self):
        shape = (self.in_channels // self.groups, self.out_channels // self.groups)
        groups = (self.groups,) if self.groups > 1 else ()
        return (self.window.volume, *groups, *shape)

    #: How the parameter has the weights, as for `ops.conv_at_once`.
    layout = None
    #: What the last call found, on a GPU.
    _known = None

    def get_kernel(self):
        """The weights as [offsets, in, out], or [offsets, groups, ...]."""
        return read_parameter(self, "weight")

    def is_product(self, features):
        """Whether the layer is one matrix product, which torch starts sooner on a GPU."""
        return False

    def get_matrix(self):
        """The weights of one offset as [in, out]."""
        return self.get_kernel()[0]

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
        """The layer, or with a `norm`, as for `ops.conv_at_once`, the layer and that
        behind it; the layer's bias is a part of it."""
        check_input(self, x, self.window.dim)
        features = x.features
        bias = read_parameter(self, "bias")
        if self.is_product(features):
            operands = features, self.get_matrix(), *(() if bias is None else (bias,))
            x.check_rows()
            return x.replace(ops.multiply_rows(*cast_for_autocast(*operands)))
        if x.cache.asked is None:
            ahead.begin(self, x)
        target, table = self.find_map(x)
        return x._make(self.multiply(features, table, bias, norm), target)

    def multiply(self, features, table, bias, norm):
        """The products over a map, and the bias or the norm behind them. Where nobody takes
        gradients or watches, weights are read as they lie: torch does not tell of all that
        changes a parameter, so that nothing that is computed of one can be kept."""
        layout, weight = self.layout, read_parameter(self, self.weight_name)
        if norm is None and (
            torch.is_grad_enabled()
            or is_forward_mode()
            or is_watched(features)
            or not is_plain(weight)
            or not self.can_fuse(bias)
        ):
            y = ops.conv(*cast_for_autocast(features, self.get_kernel()), table)
            return y if bias is None else y + bias.to(y.dtype)
        epilogue = norm
        if norm is None and bias is not None:
            epilogue = [bias], Bias(DTYPES[bias.dtype])
        if layout is None:
            weight = self.get_kernel()
        if torch.is_autocast_enabled("cuda" if features.is_cuda else "cpu"):
            features, weight = cast_for_autocast(features, weight)
        known = self._known
        try:
            y = None if known is None else known.run(features, weight, table, epilogue)
            if y is None:
                y = ops.conv_at_once(features, weight, table, layout, epilogue)
                self._known = KnownConv(features, weight, layout, epilogue) if y.is_cuda else None
        except RuntimeError as error:
            explain_transform("conv", error)
            raise
        return y

    def can_fuse(self, bias):
        """Whether a bias, if there is one, can be added before results are rounded."""
        if bias is None:
            return True
        return is_plain(bias) and bias.dtype in DTYPES and bias.shape == (self.out_channels,)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, {self.window!r}"
        text += f", groups={self.groups}" if self.groups > 1 else ""
        return text + (", bias=False" if self.bias is None else "")


class _SubMConv(Convolution):
    """A convolution whose outputs are at the coordinates of its inputs.

    in_channels   of the features that it takes, [rows, in_channels]
    out_channels  of the features that it gives, [rows, out_channels]
    kernel_size   the number of offsets on each axis: one for all axes or one for each
    stride        accepted, and changes nothing, as in spconv; so does `padding`
    dilation      the step between two offsets in cells: one for all axes or one for each
    groups        channels are convolved in this many groups; it divides both numbers
    bias          whether a number is added to each channel
    indice_key    accepted, and changes nothing: layers with equal windows share their map
    anchor        what of the kernel is at the output itself: its place size // 2 as in
                  spconv ("middle"), (size - 1) // 2 ("centred"), which differs where the
                  size is even, or 0 ("corner")
    device        where the parameters are made, as for layers of torch
    dtype         the type of the parameters: f32, f16 or bf16

    `weight` is [offsets, in_channels, out_channels], or with groups [offsets, groups,
    in_channels / groups, out_channels / groups], the last axis of the kernel fastest;
    `bias` is [out_channels]. It is called with a `SparseTensor` of as many axes and gives
    one. Arguments that are out of their range, and a tensor with other axes, are an
    `ArgumentError`.

        layer = sct.SubMConv3d(4, 32, kernel_size=3)
        y = layer(x)  # features [rows, 4] become [rows, 32]
    """

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
    """A convolution with outputs wherever its kernel meets an input.

    in_channels   of the features that it takes, [rows, in_channels]
    out_channels  of the features that it gives, [output rows, out_channels]
    kernel_size   the number of offsets on each axis: one for all axes or one for each
    stride        the cells between two outputs: one for all axes or one for each
    padding       the cells that the kernel may begin before the grid, likewise
    dilation      the step between two offsets in cells, likewise
    groups        channels are convolved in this many groups; it divides both numbers
    bias          whether a number is added to each channel
    indice_key    a name by which a `SparseInverseConv3d` finds the layer
    output        "cover" for outputs wherever the kernel meets an input, within the
                  `spatial_shape` if there is one; "floor" for outputs at the coordinates
                  of the inputs divided by the stride
    device        where the parameters are made, as for layers of torch
    dtype         the type of the parameters: f32, f16 or bf16

    The stride of the tensor that it gives is that of the input times `stride`;
    coordinates stay in units of the finest grid. Parameters have the shapes of those of
    `SubMConv3d`. Arguments that are out of their range, a tensor with other axes, and a
    grid with no room for the kernel are an `ArgumentError`.

        layer = sct.SparseConv3d(32, 64, kernel_size=2, stride=2)
        y = layer(x)  # y.stride is (2, 2, 2) where that of x is (1, 1, 1)
    """

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
        x.cache.add_pair(self.indice_key, Pair(x.set, target, table, self.window))
        return target, table


class _SparseInverseConv(Convolution):
    """A convolution that goes back over the map of another layer, to the coordinates
    that this had as input.

    in_channels   of the features that it takes, [rows, in_channels]
    out_channels  of the features that it gives, [output rows, out_channels]
    kernel_size   that of the other layer: one for all axes or one for each
    indice_key    that of the other layer, a strided or transposed convolution or a pooling
    bias          whether a number is added to each channel
    groups        channels are convolved in this many groups; it divides both numbers
    device        where the parameters are made, as for layers of torch
    dtype         the type of the parameters: f32, f16 or bf16

    Parameters have the shapes of those of `SubMConv3d`. An `indice_key` of no layer
    before this one, another size of the kernel, and a tensor at other coordinates than
    those that the layer gave are an `ArgumentError`.

        down = sct.SparseConv3d(32, 64, 2, stride=2, indice_key="down")
        up = sct.SparseInverseConv3d(64, 32, 2, indice_key="down")
        y = up(down(x))  # at the coordinates of x
    """

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
        if pair.target.name != x.set.name or pair.window.size != self.window.size:
            raise ArgumentError(
                f"{type(self).__name__}: the indice_key {self.indice_key!r} is that of a "
                f"layer with a kernel of {pair.window.size} and outputs at {pair.target.num_rows} "
                f"coordinates, but found a kernel of {self.window.size} and inputs at "
                f"{x.set.num_rows}"
            )
        return pair.source, x.cache.get_transposed(pair)


class _SparseConvTranspose(Convolution):
    """A transposed convolution, with outputs wherever the kernel of an input reaches:
    the input at i reaches i * stride - padding + j * dilation for each j below the kernel
    size.

    in_channels     of the features that it takes, [rows, in_channels]
    out_channels    of the features that it gives, [output rows, out_channels]
    kernel_size     the number of offsets on each axis: one for all axes or one for each
    stride          the cells between what two inputs reach first, likewise
    padding         the cells that the reach of an input begins before it, likewise
    output_padding  the cells by which the output's `spatial_shape` is larger, likewise
    dilation        the step between two offsets in cells, likewise
    groups          channels are convolved in this many groups; it divides both numbers
    bias            whether a number is added to each channel
    indice_key      a name by which a `SparseInverseConv3d` finds the layer
    device          where the parameters are made, as for layers of torch
    dtype           the type of the parameters: f32, f16 or bf16

    The stride of the tensor that it gives is that of the input divided by `stride`, so
    that this has to divide it. Parameters have the shapes of those of `SubMConv3d`.
    Arguments that are out of their range, and a tensor with other axes or another stride,
    are an `ArgumentError`.

        layer = sct.SparseConvTranspose3d(64, 32, kernel_size=2, stride=2)
        y = layer(x)  # y.stride is (1, 1, 1) where that of x is (2, 2, 2)
    """

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
        reshape = window.grow, tuple(self.output_padding)
        rule = "upsample" if max(window.stride) > 1 else "expand_transposed"
        target = x.cache.get_set(x.set, rule, window.stride, window.offsets, reshape)
        table = x.cache.get_table(x.set, target, window.offsets, window.volume, True)
        x.cache.add_pair(self.indice_key, Pair(x.set, target, table, window))
        return target, table


def define_dims(namespace):
    """The classes of layers for 1 to 4 axes that a module exports: SubMConv3d of
    _SubMConv, and so on."""
    for name in namespace["__all__"]:
        if found := re.fullmatch(r"(\w+)(\d)d", name):
            base = namespace[f"_{found[1]}"]
            body = {"dim": int(found[2]), "__doc__": base.__doc__, "__module__": base.__module__}
            namespace[name] = type(name, (base,), body)


define_dims(globals())
