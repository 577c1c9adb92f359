"""Prints a graph of torch.export with operators of sparseconv, as torch-mlir's
importer writes it, in generic form.

usage: torch_encoder.py

The network: the points' set, two submanifold convolutions, and one to the coarser
set. Operators are declared with the operands and attributes of docs/custom-calls.md;
how many coordinates a set has is a symbol of its own.
"""

import torch
from iree.compiler import ir
from iree.compiler.extras import fx_importer
from torch import Tensor
from torch.library import custom_op, get_ctx


def new_rows(tensor, *columns, dtype=None):
    return tensor.new_empty(get_ctx().new_dynamic_size(), *columns, dtype=dtype)


@custom_op("sparseconv::pack", mutates_args=())
def pack(
    coordinates: Tensor, bits: list[int], guard: list[int], stride: list[int]
) -> tuple[Tensor, Tensor, Tensor]:
    raise NotImplementedError


@pack.register_fake
def _(coordinates, bits, guard, stride):
    rows = new_rows(coordinates, coordinates.shape[1])
    row_of = coordinates.new_empty(coordinates.shape[0])
    return rows, rows.new_empty(rows.shape[0]), row_of


@custom_op("sparseconv::gather", mutates_args=())
def gather(x: Tensor, rows: Tensor) -> Tensor:
    raise NotImplementedError


@gather.register_fake
def _(x, rows):
    return x.new_empty(rows.shape[0], x.shape[1])


@custom_op("sparseconv::downsample", mutates_args=())
def downsample(
    coordinates: Tensor, by: list[int], bits: list[int], guard: list[int]
) -> Tensor:
    raise NotImplementedError


@downsample.register_fake
def _(coordinates, by, bits, guard):
    return new_rows(coordinates, coordinates.shape[1])


@custom_op("sparseconv::conv", mutates_args=())
def conv(
    coordinates: Tensor,
    out_coordinates: Tensor,
    x: Tensor,
    w: Tensor,
    kernel_size: list[int],
    bits: list[int],
    guard: list[int],
    dilation: list[int],
    corner: bool,
    transposed: bool,
    stride: list[int],
    out_stride: list[int],
) -> Tensor:
    raise NotImplementedError


@conv.register_fake
def _(coordinates, out_coordinates, x, w, *attributes):
    return x.new_empty(out_coordinates.shape[0], w.shape[-1])


class Encoder(torch.nn.Module):
    def forward(self, points, x, w0, w1, w2):
        ops = torch.ops.sparseconv
        packing = [8, 20, 20, 16], [4]
        fine, order, row_of = ops.pack(points, *packing, [1])
        y = ops.gather(x, order)
        rest = [1], False, False, [1]
        y = ops.conv(fine, fine, y, w0, [3, 3, 3], *packing, *rest, [1])
        y = ops.conv(fine, fine, y, w1, [3], *packing, *rest, [1])
        coarse = ops.downsample(fine, [2], *packing)
        y = ops.conv(fine, coarse, y, w2, [2], *packing, *rest, [2])
        return coarse, y


def main():
    rows = torch.export.Dim("n")
    arguments = (
        torch.zeros(10, 4, dtype=torch.int32),
        torch.zeros(10, 4),
        torch.zeros(27, 4, 8),
        torch.zeros(27, 8, 8),
        torch.zeros(8, 8, 16),
    )
    graph = torch.export.export(
        Encoder(), arguments, dynamic_shapes=({0: rows}, {0: rows}, None, None, None)
    )
    importer = fx_importer.FxImporter(context=ir.Context())
    importer.import_program(graph)
    print(importer.module.operation.get_asm(print_generic_op_form=True))


main()
