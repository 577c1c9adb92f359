# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of runs as the C interface of the runtime takes them."""

import ctypes
import itertools
from array import array

from .structures import Tensor

#: Names of element types, by their numbers.
TYPES = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16",
         "bfloat16", "float32", "float64")  # fmt: skip
#: Words of 64 bits of a `Tensor`, of which the second has type and rank.
_WORDS = ctypes.sizeof(Tensor) // 8


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
        self._sizes = array("q", itertools.chain.from_iterable(self.shapes))
        place, words = self._sizes.buffer_info()[0], []
        for pointer, shape, nbytes, dtype in views:
            words += pointer, TYPES.index(dtype) | len(shape) << 32, place, nbytes
            place += 8 * len(shape)
        #: Those of a `Tensor` for each, which are good as long as this is there.
        self.words = array("Q", words)


class Repeated:
    """The arguments of runs of one instance, one after the other, with `Views` behind
    inputs that lie elsewhere each time."""

    def __init__(self, instance, num_first):
        number = len(instance.inputs)
        self._words = array("Q", bytes(ctypes.sizeof(Tensor) * (number + 1)))
        self.inputs = (Tensor * number).from_buffer(self._words)
        self.outputs = (Tensor * 1).from_buffer(self._words, ctypes.sizeof(self.inputs))
        #: As a run takes them.
        self.call = self.inputs, number, self.outputs, 1
        self._types = [value.type for value in instance.inputs[:num_first]]
        #: Of the first inputs, with the sizes that their words point to.
        self._shapes, self._sizes = [None] * num_first, [array("q")] * num_first
        self.outputs[0].type = instance.outputs[0].type
        # The words that are addresses of what lies elsewhere each time.
        self._places = range(0, num_first * _WORDS, _WORDS)
        self._output, self._mark = number * _WORDS, None

    def fill(self, mark, inputs, pointers, output):
        """`inputs`, whose `pointers` are given, and `output` are tensors of torch. A `mark`
        is a tuple that begins with the views; runs with the same one differ in nothing but
        in addresses."""
        words = self._words
        if mark is not self._mark:
            self._write(mark[0], inputs, output)
            self._mark = mark
        for place, pointer in zip(self._places, pointers):
            words[place] = pointer
        words[self._output] = output.data_ptr()

    def _write(self, views, inputs, output):
        for i, given in enumerate(inputs):
            shape = given.shape
            if shape == self._shapes[i]:
                continue
            self._shapes[i], sizes, place = shape, array("q", shape), i * _WORDS
            if len(sizes) == len(self._sizes[i]):
                self._sizes[i][:] = sizes  # they stay where they are
            else:
                self._sizes[i] = sizes
                self._words[place + 1] = self._types[i] | len(shape) << 32
                self._words[place + 2] = sizes.buffer_info()[0]
            self._words[place + 3] = given.nbytes
        self._words[len(inputs) * _WORDS : self._output] = views.words
        self.outputs[0].bytes = output.nbytes
