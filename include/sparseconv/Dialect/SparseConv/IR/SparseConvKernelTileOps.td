//===- SparseConvKernelTileOps.td - tiles of rows ----------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_TILE_OPS
#define SPARSECONV_KERNEL_TILE_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelOpBase.td"

def SparseConv_TileRowsOp
    : SparseConv_KernelOp<"tile_rows", "getTiledTable"> {
  let summary = "a neighbour table by tiles of rows with alike offsets";
  let description = [{
    ```mlir
    sparseconv.kernel.tile_rows
        ins(%table, %in_rows : memref<?x27xi32>, index)
        outs(%tiled_table, %order, %masks, %sizes : memref<27x?xi32>,
             memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
    ```

    The rows of `table` [N, K] in an order in which rows side by side, which make
    a tile, have most offsets in common. P is N rounded up to a multiple of 256.

    | result        | shape                   | holds |
    |---------------|-------------------------|-------|
    | `order`       | [P]                     | the row of each slot, or -1 behind the last |
    | `masks`       | [P / 16, ceil(K/32)]    | bit k % 32 of word k / 32 is set where one of 16 rows has offset k |
    | `tiled_table` | [K, P]                  | table[order[p], k] or -1, at the offsets that some of the 128 slots around p have (from a multiple of 128 on) |
    | `sizes`       | [3]                     | `in_rows`, N and P |

    An entry that is not a row below `in_rows` counts as none.

    `row_order` says in which order; without it that is `gray`
    (`#sparseconv.row_order`). Masks of up to 18 bits (with `density` 9), and
    of up to 32 where the map has more than 2^20 pairs, are sorted as they are.
    All others, and those of `space`, are sorted by keys of few bits, which are
    codes of the masks: for each offset, the rarest first, a part of the interval
    that is left, as long as the offset (or its absence) is frequent in a sample
    (arithmetic coding). Such codes keep the order, and most bits of a mask cost
    next to nothing. Sorting rows by mask is the sorted implicit GEMM of
    TorchSparse++ (arXiv 2311.12862).
  }];
  let arguments = (ins
    SparseConv_TableLike:$table, Index:$in_rows,
    SparseConv_TableLike:$tiled_table, SparseConv_RowsLike:$order,
    SparseConv_TableLike:$masks, SparseConv_Shaped<[Index], [1]>:$sizes,
    OptionalAttr<SparseConv_RowOrderAttr>:$row_order);
  let hasCanonicalizeMethod = 1;
}

def SparseConv_UntileRowsOp
    : SparseConv_KernelOp<"untile_rows", "getTable"> {
  let summary = "the neighbour table of which there are tiles";
  let description = [{
    ```mlir
    sparseconv.kernel.untile_rows
        ins(%tiled_table, %order, %masks, %sizes : memref<27x?xi32>,
            memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
        outs(%table : memref<?x27xi32>)
    ```

    The `table` that `kernel.tile_rows` made the tiles of; an order without one
    of its rows leaves -1 there. Rows and slots that are not there are passed
    over.

    `trusted` says that the tiles are those of a table with as many rows: tiling
    that table again then gives them.
  }];
  let arguments = (ins
    SparseConv_TableLike:$tiled_table, SparseConv_RowsLike:$order,
    SparseConv_TableLike:$masks, SparseConv_Shaped<[Index], [1]>:$sizes,
    SparseConv_TableLike:$table, UnitAttr:$trusted);
}

def SparseConv_TileHitsOp
    : SparseConv_KernelOp<"tile_hits", "getTiledTable"> {
  let summary = "the hits of a search by tiles of rows with alike offsets";
  let description = [{
    ```mlir
    sparseconv.kernel.tile_hits
        ins(%hits, %records, %counts, %in_rows : memref<1x?xi32>,
            memref<?x4xi32>, memref<64x32xi32>, index)
        outs(%tiled_table, %order, %masks, %sizes, %totals : memref<3x?xi32>,
             memref<?xi32>, memref<?x1xi32>, memref<3xindex>, memref<2x512xi32>)
        {displacements = array<i64: 0, 0, -1, 0, 0, 0, 0, 0, 1>,
         packing = #packing, sample_rows = 256 : i64}
    ```

    What `tile_rows` makes of the neighbour table, from the results of
    `search_hits`: `hits` [W, N] are its masks. `records`, `counts` and all
    attributes but `row_order` must be those of the search. `totals`
    are zeros before, and are used up; without them the sort clears its own.
  }];
  let arguments = (ins
    SparseConv_TableLike:$hits, SparseConv_TableLike:$records,
    SparseConv_TableLike:$counts, Index:$in_rows,
    SparseConv_TableLike:$tiled_table, SparseConv_RowsLike:$order,
    SparseConv_TableLike:$masks, SparseConv_Shaped<[Index], [1]>:$sizes,
    Optional<SparseConv_TableLike>:$totals,
    DenseI64ArrayAttr:$displacements, SparseConv_PackingAttr:$packing,
    I64Attr:$sample_rows,
    OptionalAttr<SparseConv_RowOrderAttr>:$row_order);
}

#endif // SPARSECONV_KERNEL_TILE_OPS
