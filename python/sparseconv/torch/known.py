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
from .ops import allows_tf32, get_conv_key, has_many_rows
from .programs import find_function, get_stream


class KnownConv:
    """The convolution that `ops.conv_at_once` has run of the same arguments, on a GPU."""

    def __init__(self, x, w, layout, epilogue):
        self._kind = None if epilogue is None else epilogue[1]
        self._key = key = get_conv_key(x, w, layout, self._kind)
        _, self._volume, self._in_channels, self._out_channels, _, _, self._tf32, *_ = key
        self._dtype, self._shape, self._device = x.dtype, w.shape, x.device
        self._functions = {}

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
        is_many = has_many_rows(num_out)
        function = self._functions.get(is_many) or self._find_function(is_many)
        function.repeat(stream, tensors, pointers, views, made)
        return made

    def _find_function(self, is_many):
        """The function for many rows, or for few. A layer may meet both in turn."""
        key = is_many, *self._key
        found = self._functions[is_many] = find_function(ir.conv_by_tiles, key, self._device)
        return found
