# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of runs as the C interface of the runtime takes them."""

import ctypes
import struct

from .structures import Tensor

#: Names of element types, by their numbers.
TYPES = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16",
         "bfloat16", "float32", "float64")  # fmt: skip
#: A `Tensor` as `struct` packs it.
_TENSOR = "PiiPQ"


def write(tensor, kind, pointer, shape, nbytes):
    """Fills a `Tensor`. It keeps the sizes alive, not what they are of."""
    tensor.data, tensor.bytes = pointer, nbytes
    tensor.type, tensor.rank = kind, len(shape)
    tensor.sizes = (ctypes.c_int64 * max(1, len(shape)))(*shape)


class Arguments:
    """The inputs and outputs of a run as the C interface takes them. What stays
    from run to run is written once: a network has hundreds of weights, which are
    bound, and few inputs that are not."""

    def __init__(self, instance):
        self.inputs = (Tensor * max(1, len(instance.inputs)))()
        self.outputs = (Tensor * max(1, len(instance.outputs)))()
        #: As a run takes them.
        self.call = self.inputs, len(instance.inputs), self.outputs, len(instance.outputs)
        # What is taken out of an array is an object, which is then written to.
        self._free = [(self.inputs[i], instance.inputs[i].type) for i in instance.free]
        self._views = [(None, None, None)] * len(self._free)  # that were filled in last
        self._results = [self.outputs[i] for i in range(len(instance.outputs))]
        for tensor, value in zip(self._results, instance.outputs):
            tensor.type = value.type

    def fill(self, inputs, outputs):
        for (tensor, kind), view, old in zip(self._free, inputs, self._views):
            if view is old:
                continue
            pointer, shape, nbytes = view
            if shape == old[1]:
                tensor.data, tensor.bytes = pointer, nbytes
            else:
                write(tensor, kind, pointer, shape, nbytes)
        self._views = list(inputs)
        for tensor, (pointer, nbytes) in zip(self._results, outputs):
            tensor.data, tensor.bytes = pointer, nbytes


class Views:
    """Inputs that many runs have in common, written once as the C interface takes them:
    of tuples of pointer, shape, bytes and the name of the element type."""

    def __init__(self, views):
        self.shapes = [shape for _, shape, _, _ in views]
        sizes = [size for shape in self.shapes for size in shape]
        self._sizes = (ctypes.c_int64 * len(sizes))(*sizes)
        place, words = ctypes.addressof(self._sizes), []
        for pointer, shape, nbytes, dtype in views:
            words += pointer, TYPES.index(dtype), len(shape), place, nbytes
            place += 8 * len(shape)
        self._tensors = struct.pack(_TENSOR * len(views), *words)

    def copy(self, tensors, first):
        """Writes them to an array of tensors from one of its places on, where they are as
        long as the views are there."""
        place = ctypes.addressof(tensors) + first * ctypes.sizeof(Tensor)
        ctypes.memmove(place, self._tensors, len(self._tensors))


class Repeated:
    """The arguments of runs of one instance, one after the other, with `Views` behind
    inputs that lie elsewhere each time."""

    def __init__(self, instance, num_first):
        self.inputs = (Tensor * len(instance.inputs))()
        self.outputs = (Tensor * 1)()
        self.call = self.inputs, len(self.inputs), self.outputs, 1
        self._first = [
            (self.inputs[i], value.type) for i, value in enumerate(instance.inputs[:num_first])
        ]
        self._shapes, self._views = [None] * num_first, None
        self._result = self.outputs[0]
        self._result.type = instance.outputs[0].type

    def fill(self, inputs, pointers, views, output):
        """`inputs`, whose `pointers` are given, and `output` are tensors of torch."""
        for i, given in enumerate(inputs):
            tensor, kind = self._first[i]
            shape = given.shape
            if shape == self._shapes[i]:
                tensor.data = pointers[i]
            else:
                write(tensor, kind, pointers[i], shape, given.nbytes)
                self._shapes[i] = shape
        if views is not self._views:
            views.copy(self.inputs, len(inputs))
            self._views = views
        self._result.data, self._result.bytes = output.data_ptr(), output.nbytes
