# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions that a layer has run before.

On a GPU the host's part of an eager convolution takes longer than the kernel, and most of
it finds out what it found out at the layer's last call: a layer meets other tensors each
time, but of one element type, with as many channels, on one device. A `KnownConv` has what
was found, and looks at what may have changed alone."""

import torch

from . import ir
from .encodings import find_tiles
from .ops import allows_tf32, get_conv_key
from .programs import find_function, get_stream


class KnownConv:
    """The convolution that `ops.conv_at_once` has run of the same arguments, on a GPU."""

    def __init__(self, x, w, table, layout, epilogue):
        self._kind = None if epilogue is None else epilogue[1]
        key = get_conv_key(x, w, table.shape[0], layout, self._kind)
        self._has_many_rows, _, *sizes, _, _, self._tf32 = key[:8]
        self._volume, self._in_channels, self._out_channels = sizes
        self._dtype, self._shape, self._device = x.dtype, w.shape, x.device
        self._function = find_function(ir.conv_by_tiles, key, x.device)

    def __reduce__(self):
        """A copy of the layer has none."""
        return type(None), ()

    def run(self, x, w, table, epilogue):
        """The result, or None where something is not as it was: nothing has been done then."""
        device, dtype = self._device, self._dtype
        operands, kind = ((), None) if epilogue is None else epilogue
        shape, (num_out, volume) = x.shape, table.shape
        if (
            len(shape) != 2
            or shape[1] != self._in_channels
            or volume != self._volume
            or (num_out >= ir.MANY_ROWS) != self._has_many_rows
            or w.shape != self._shape
            or x.dtype is not dtype
            or w.dtype is not dtype
            or kind != self._kind
            or (dtype is torch.float32 and allows_tf32(x) != self._tf32)
        ):
            return None
        stream = get_stream(device)
        views = find_tiles(table, shape[0], device, stream)
        if views is None:
            return None
        tensors, pointers = (x, w, *operands), []
        for tensor in tensors:
            pointer = tensor.data_ptr()
            if pointer % 16 or tensor.device != device or not tensor.is_contiguous():
                return None
            pointers.append(pointer)
        made = x.new_empty((num_out, self._out_channels))
        self._function.repeat(stream, tensors, pointers, views, made)
        return made
