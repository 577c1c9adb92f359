# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of torch's allocator for what runs on a GPU give."""

import math

import torch

#: Where outputs that share a piece of memory begin, as torch's allocator has it.
_ALIGNMENT = 512
#: The most bytes of an output's capacity that are asked for before there is a run to write it.
_MOST_AHEAD = 1 << 24


class _Room:
    """How memory of torch's allocator is made for an output, with room for its
    capacity, whatever it holds in the end."""

    def __init__(self, value, nbytes):
        dtype = getattr(torch, value.dtype)
        self._dtype, self._static = dtype, None not in value.shape
        # Where the rows alone are unknown, the result is a part of a tensor of rows.
        inner = value.shape[1:]
        self._by_rows = not self._static and bool(value.shape) and None not in inner
        if not nbytes:
            self._static = self._by_rows = False
        if self._static:
            self._shape = value.shape
        elif self._by_rows:
            self._shape = (-(-nbytes // (math.prod(inner) * dtype.itemsize)), *inner)
        else:
            self._shape, self._dtype = (max(nbytes, 1),), torch.uint8
        self._final, self.nbytes = dtype, nbytes
        #: Whether the result is the tensor that was made, with other rows perhaps.
        self.keeps_tensor = self._static or self._by_rows

    def make(self, device):
        return torch.empty(self._shape, dtype=self._dtype, device=device)

    def cut(self, memory, shape):
        """The result of a shape, where it lies."""
        if self._static:
            return memory
        if self._by_rows:
            # Nobody else has this tensor; a part of it would be another one.
            return memory if shape[0] == self._shape[0] else memory.resize_(*shape)
        size = math.prod(shape) * self._final.itemsize
        return memory[:size].view(self._final).view(shape)


class _Rooms:
    """Those of all outputs of an instance."""

    _ahead, _asks_ahead = (None, ()), True

    def __init__(self, function, sizes, num_tensors):
        made = [_Room(value, size) for value, size in zip(function.outputs, sizes)]
        self.rooms, self._joined, self._places, self._nbytes = made[:num_tensors], [], [], 0
        for value, size in zip(function.outputs[num_tensors:], sizes[num_tensors:]):
            self._joined.append((value.dtype, getattr(torch, value.dtype).itemsize))
            self._places.append((self._nbytes, size))
            self._nbytes += -(-size // _ALIGNMENT) * _ALIGNMENT
        self.keep_tensors = all(room.keeps_tensor for room in made)

    def make_ahead(self, device, stream):
        """Asks for the memory of the next run on a stream, while a GPU is busy with this
        one: for each output the host takes as long as for a launch."""
        mark = self._get_mark(stream)
        if mark is None or not self._asks_ahead:
            return
        try:
            made = [
                room.make(device) if room.nbytes <= _MOST_AHEAD else None for room in self.rooms
            ]
            self._ahead = mark, made
        except torch.cuda.OutOfMemoryError:
            self._asks_ahead = False  # torch has waited for the GPU to look for some

    @staticmethod
    def _get_mark(stream):
        """What tensors are made for: those of inference mode are of a kind of their own. None
        where torch gives wrappers without memory, in torch.func or under a mode."""
        transform = torch._C._functorch.peek_interpreter_stack()
        if transform is not None or torch._C._len_torch_dispatch_stack() > 0:
            return None
        return stream, torch.is_inference_mode_enabled()

    def _take_outputs(self, device, stream):
        (known, made), self._ahead = self._ahead, (None, ())
        mark = self._get_mark(stream)
        if mark is None or mark != known:
            made = None  # gives its memory back before there is more
            return [room.make(device) for room in self.rooms]
        return [
            room.make(device) if output is None else output
            for room, output in zip(self.rooms, made)
        ]

    def make(self, device, stream):
        """The memory of the outputs, and of those that share theirs, with where they all
        lie."""
        outputs = self._take_outputs(device, stream)
        targets = [(o.data_ptr(), room.nbytes) for o, room in zip(outputs, self.rooms)]
        if not self._joined:
            return outputs, None, targets
        memory = torch.empty(self._nbytes, dtype=torch.uint8, device=device)
        first = memory.data_ptr()
        targets += [(first + offset, size) for offset, size in self._places]
        return outputs, memory, targets

    def cut(self, outputs, shapes):
        return [room.cut(o, shape) for room, o, shape in zip(self.rooms, outputs, shapes)]

    def view(self, targets, shapes):
        """Those that share their memory."""
        num_tensors = len(self.rooms)
        return [
            (pointer, shape, math.prod(shape) * width, dtype)
            for (pointer, _), shape, (dtype, width) in zip(
                targets[num_tensors:], shapes[num_tensors:], self._joined
            )
        ]


def get_rooms(function, instance, num_tensors):
    if num_tensors is None:
        num_tensors = len(function.outputs)
    mark = num_tensors, *instance.get_rooms()
    known, rooms = getattr(instance, "_torch_rooms", (None, None))
    if known != mark:
        rooms = _Rooms(function, mark[1:], num_tensors)
        instance._torch_rooms = mark, rooms
    return rooms
