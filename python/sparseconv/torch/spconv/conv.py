# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's convolutions. Weights are [out, k0, k1, ..., in]: state dicts are spconv's."""

from ...errors import ArgumentError
from .. import conv, weights
from ..programs import is_watched, read_parameter
from ..rows import KeepsLayout
from ..tensor import check_input
from .core import expand_nd
from .modules import SparseModule
from .windows import HasWindow, become

__all__ = [
    "SparseConvolution",
    "SubMConv1d", "SubMConv2d", "SubMConv3d", "SubMConv4d",
    "SparseConv1d", "SparseConv2d", "SparseConv3d", "SparseConv4d",
    "SparseConvTranspose1d", "SparseConvTranspose2d", "SparseConvTranspose3d", "SparseConvTranspose4d",
    "SparseInverseConv1d", "SparseInverseConv2d", "SparseInverseConv3d", "SparseInverseConv4d",
]  # fmt: skip


class SparseConvolution(HasWindow, KeepsLayout, SparseModule):
    """What all convolutions share. `algo`, `fp32_accum` and `large_kernel_fast_algo` are
    accepted and change nothing: sums are in f32, and the compiler chooses how.

    Made as it is, it becomes the layer of one of the classes below:

        SparseConvolution(3, 4, 8, 3, subm=True)  # SubMConv3d(4, 8, 3)
    """

    inverse = transposed = False
    #: What the layer was given, for scripts that read or set it.
    algo = fp32_accum = None
    #: Whether a product with one matrix is all that the layer does.
    conv1x1 = False

    def __init__(self, ndim, in_channels, out_channels, kernel_size=3, stride=1, padding=0,
                 dilation=1, groups=1, bias=True, subm=False, output_padding=0,
                 transposed=False, inverse=False, indice_key=None, algo=None, fp32_accum=None,
                 record_voxel_count=False, act_type=None, act_alpha=0, act_beta=0,
                 large_kernel_fast_algo=False, name=None, device=None, dtype=None):  # fmt: skip
        if act_type is not None:
            raise ArgumentError("act_type: is not there; put the activation behind the layer")
        kind = "SparseConvTranspose" if transposed else "SparseConv"
        kind = "SubMConv" if subm else "SparseInverseConv" if inverse else kind
        become(self, SparseConvolution, f"{kind}{ndim}d", globals())
        options = dict(
            bias=bias, indice_key=indice_key, algo=algo, fp32_accum=fp32_accum, name=name
        )
        if not inverse or subm:
            options |= dict(stride=stride, padding=padding, dilation=dilation, groups=groups)
        if not inverse and not subm:
            options["record_voxel_count"] = record_voxel_count
        self.__init__(in_channels, out_channels, kernel_size, **options)
        self.output_padding = expand_nd(ndim, output_padding)
        self.to(device=device, dtype=dtype)

    def _finish(self, groups, algo, fp32_accum, record_voxel_count=False, name=None):
        if groups != 1:
            raise ArgumentError(
                f"{type(self).__name__}: spconv has no groups; the layers of sparseconv.torch "
                "have them"
            )
        self.algo, self.fp32_accum = algo, fp32_accum
        self.output_padding = [0] * self.dim
        self.name = name
        self.conv1x1 = weights.is_spconv_pointwise(self)
        self._record_counts(record_voxel_count)

    @property
    def weight_shape(self):
        return list(self.get_weight_shape())

    def is_inverseable(self):
        return self.indice_key is not None and not self.subm

    def get_weight_shape(self):
        return (self.out_channels, *self.window.size, self.in_channels)

    def convert_weight(self, weight):
        return weights.from_library("spconv", weight, self.window.size, self.conv1x1)

    def is_product(self, features):
        # What traces a model sees the convolution.
        return self.conv1x1 and features.is_cuda and not is_watched(features)

    def get_matrix(self):
        weight = read_parameter(self, self.weight_name)
        if not self.conv1x1 or weight.shape != self.layout.shape:
            return super().get_matrix()
        return weight.reshape(self.in_channels, self.out_channels)

    def find_layout(self):
        shape = self.get_weight_shape()
        # Those of one offset lie as [in, out].
        axes = None if self.conv1x1 else (*range(1, len(shape)), 0)
        return self.make_layout(shape, axes)

    def takes_norm(self):
        return not (self.record_voxel_count or self.transposed)

    def forward(self, input, add_input=None):
        y = self.run(input)
        if self.record_voxel_count:
            self._count(y)
        return y if add_input is None else y + add_input


class _SubMConv:
    subm = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, indice_key=None, algo=None, fp32_accum=None,
                 large_kernel_fast_algo=False, name=None):  # fmt: skip
        self.layer.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, dilation, 1, bias,
            indice_key,
        )  # fmt: skip
        self._finish(groups, algo, fp32_accum, name=name)

    def find_map(self, x):
        found, cache, window = x.set, x.cache, self.window
        table = cache.get_table(found, found, window.offsets, window.volume)
        # As in spconv, a layer of one offset leaves nothing under its key.
        if self.indice_key is not None and not self.conv1x1:
            cache.add_own_pair(self.indice_key, found, table, window)
        return found, table


class _SparseConv:
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, indice_key=None, algo=None, fp32_accum=None,
                 record_voxel_count=False, large_kernel_fast_algo=False,
                 name=None):  # fmt: skip
        self.layer.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, dilation=dilation,
            bias=bias, indice_key=indice_key,
        )  # fmt: skip
        self._finish(groups, algo, fp32_accum, record_voxel_count, name)
        if self.window.volume == 1 and max(self.stride) == 1 and max(self.padding):
            raise ArgumentError(
                f"{type(self).__name__}: expects no padding for a kernel of size 1 and stride 1"
            )

    def find_map(self, x):
        if not self.conv1x1:
            return super().find_map(x)
        # spconv multiplies the rows as they are.
        found = x.set
        return found, x.cache.get_table(found, found, self.window.offsets, self.window.volume)


class _SparseConvTranspose(_SparseConv):
    transposed = True

    def forward(self, input, add_input=None):
        check_input(self, input, self.window.dim)
        if any(s % f for s, f in zip(input.stride, self.window.stride)):
            input = input.refine(self.window.stride)
        return super().forward(input, add_input)


class _SparseInverseConv:
    inverse = True

    def __init__(self, in_channels, out_channels, kernel_size, indice_key, bias=True, algo=None,
                 fp32_accum=None, large_kernel_fast_algo=False, name=None):  # fmt: skip
        self.layer.__init__(self, in_channels, out_channels, kernel_size, indice_key, bias)
        self._finish(1, algo, fp32_accum, name=name)
        if self.window.volume == 1:
            raise ArgumentError(
                "SparseInverseConv: with a kernel of size 1, spconv's does not go back but stays "
                "at its input's indices; say SubMConv for that"
            )


def _define():
    """The classes of each kind for 1 to 4 axes."""
    for name in __all__[1:]:
        kind, layer = globals()[f"_{name[:-2]}"], getattr(conv, name)
        doc = f"spconv's {name}: sparseconv.torch.{name} with spconv's arguments and weights."
        body = {"layer": layer, "__doc__": doc, "__module__": __name__}
        globals()[name] = type(name, (kind, SparseConvolution, layer), body)


_define()
