# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of outputs, as runs on a GPU ask for it."""

from types import SimpleNamespace

import torch
import torch_checks
from sparseconv.torch import rooms
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch_checks import check, expect

CPU = torch.device("cpu")
#: Outputs, the bytes of their capacities, and their shapes in the end.
OUTPUTS = [
    ("float16", (None, 16), 32 * 100, (60, 16)),
    ("int32", (None, 4), 16 * 100, (100, 4)),
    ("float32", (2, 3), 24, (2, 3)),
    ("float32", (None, None), 4 * 30, (5, 6)),
    ("float32", (None, 1 << 20), (1 << 22) * 5, (3, 1 << 20)),
]


def make_rooms():
    values = [SimpleNamespace(dtype=dtype, shape=shape) for dtype, shape, _, _ in OUTPUTS]
    sizes = [size for _, _, size, _ in OUTPUTS]
    instance = SimpleNamespace(get_rooms=lambda: sizes)
    return rooms.get_rooms(SimpleNamespace(outputs=values), instance, None)


def make(made, stream=7):
    outputs, memory, targets = made.make(CPU, stream)
    expect(memory is None and len(outputs) == len(targets) == len(OUTPUTS))
    for output, target, (_, _, size, _) in zip(outputs, targets, OUTPUTS):
        expect(target == (output.data_ptr(), size) and output.nbytes >= size)
    return outputs


@check
def outputs_are_cut(device):
    made = make_rooms()
    outputs = make(made)
    places = [output.data_ptr() for output in outputs]
    found = made.cut(outputs, [shape for *_, shape in OUTPUTS])
    for result, place, (dtype, _, _, shape) in zip(found, places, OUTPUTS):
        expect(result.shape == shape and result.dtype == getattr(torch, dtype))
        expect(result.data_ptr() == place and result.is_contiguous())


@check
def memory_is_asked_for_ahead(device):
    made = make_rooms()
    made.make_ahead(CPU, 7)
    ahead = made._ahead[1]
    outputs = make(made)
    expect(all(a is b for a, b in zip(ahead[:-1], outputs)))
    expect(ahead[-1] is None, "large outputs are not")
    again = make(made)
    expect(not any(a is b for a, b in zip(outputs, again)), "it is taken once")


@check
def it_is_for_one_stream_and_mode(device):
    made = make_rooms()
    made.make_ahead(CPU, 7)
    kept = made._ahead[1]
    expect(not any(a is b for a, b in zip(kept, make(made, stream=8))))
    with torch.inference_mode():
        made.make_ahead(CPU, 7)
    expect(not any(output.is_inference() for output in make(made)))


@check
def wrappers_are_not_kept(device):
    made = make_rooms()
    made.make_ahead(CPU, 7)

    def ask(x):
        made.make_ahead(CPU, 7)
        try:
            made.make(CPU, 7)  # fails, as these have no memory
        except RuntimeError:
            pass
        made.make_ahead(CPU, 7)
        return x.sum()

    torch.func.grad(ask)(torch.ones(3))
    make(made)
    with FakeTensorMode():
        made.make_ahead(CPU, 7)
    expect(not any(isinstance(output, FakeTensor) for output in make(made)))


@check
def without_memory_nothing_is_asked_for(device):
    made, asked = make_rooms(), []

    def refuse(device):
        asked.append(device)
        raise torch.cuda.OutOfMemoryError("none is left")

    made.rooms[0] = SimpleNamespace(nbytes=1, make=refuse)
    made.make_ahead(CPU, 7)
    made.make_ahead(CPU, 7)
    expect(len(asked) == 1 and made._ahead == (None, ()))


if __name__ == "__main__":
    torch_checks.run()
