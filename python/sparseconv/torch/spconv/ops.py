# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spconv's functions of shapes."""

from ..conv import Window
from .core import ConvAlgo, expand_nd

__all__ = ["ConvAlgo", "get_conv_output_size", "get_deconv_output_size"]


def get_conv_output_size(input_size, kernel_size, stride, padding, dilation):
    """The `spatial_shape` of what a strided layer gives, as a list."""
    window = Window(len(input_size), kernel_size, stride, padding, dilation)
    return list(window.shrink(input_size))


def get_deconv_output_size(input_size, kernel_size, stride, padding, dilation, output_padding):
    """The `spatial_shape` of what a transposed layer gives, as a list."""
    dim = len(input_size)
    window = Window(dim, kernel_size, stride, padding, dilation)
    return list(window.grow(input_size, expand_nd(dim, output_padding)))
