//===- SparseConvKernelMapOps.td - encodings of kernel maps *- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_MAP_OPS
#define SPARSECONV_KERNEL_MAP_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelOpBase.td"

def SparseConv_SearchOp : SparseConv_KernelOp<"search", "getTable"> {
  let summary = "a neighbour table";
  let description = [{
    ```mlir
    sparseconv.kernel.search
        ins(%in_keys, %out_keys : memref<?xi64>, memref<?xi64>)
        outs(%table : memref<?x3xi32>)
        {displacements = array<i64: 0, 0, -1, 0, 0, 0, 0, 0, 1>,
         packing = #packing, search = #sparseconv.search<zdelta>}
    ```

    table[r, k] = the position in `in_keys` [N_in] of the coordinate of
    out_keys[r] plus displacement k, or -1. `out_keys` is [N] and `table` [N,
    K]. `displacements` holds D numbers for each displacement, in units of the
    finest grid. `#sparseconv.search` describes the algorithms; all give the
    same table. `in_stride` says what the coordinates of `in_keys` are multiples
    of, and `out_stride` those of `out_keys`; without it that is 1 on each axis.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$in_keys, SparseConv_KeysLike:$out_keys,
    SparseConv_TableLike:$table,
    DenseI64ArrayAttr:$displacements,
    OptionalAttr<DenseI64ArrayAttr>:$in_stride,
    OptionalAttr<DenseI64ArrayAttr>:$out_stride, SparseConv_PackingAttr:$packing,
    SparseConv_SearchAttr:$search);
}

def SparseConv_SearchHitsOp
    : SparseConv_KernelOp<"search_hits", "getMasks"> {
  let summary = "the hits of a search by column, for the tiling of rows";
  let description = [{
    ```mlir
    sparseconv.kernel.search_hits
        ins(%in_keys, %out_keys : memref<?xi64>, memref<?xi64>)
        outs(%masks, %records, %counts, %totals : memref<1x?xi32>,
             memref<?x4xi32>, memref<64x32xi32>, memref<2x512xi32>)
        {displacements = array<i64: 0, 0, -1, 0, 0, 0, 0, 0, 1>,
         packing = #packing, sample_rows = 256 : i64,
         search = #sparseconv.search<zdelta>}
    ```

    What `search` finds, in a form that says as much as the table in a third of
    its memory. Displacements that differ on the last axis only form one of C
    columns. The hits of a column lie next to each other among the keys, so the
    place of the first and one bit for each displacement tell all of them.

    | result    | shape               | holds |
    |-----------|---------------------|-------|
    | `masks`   | [W, N]              | bit k % 32 of masks[k / 32, r]: row r has offset k. W is ceil(K/32) |
    | `records` | [N, R]              | records[r, c] = the position in `in_keys` of the first hit in column c, or any number where the column has none; records[r, C + w] = masks[w, r]; 0 behind them. R is C + W rounded up to a multiple of 4 |
    | `counts`  | [64, 32 W]          | how many rows of a sample have each offset (below) |
    | `totals`  | [P + 1, 512]        | zeros, to which the P passes of the sort of the rows add: clearing them here saves a kernel. P is ceil(K/9) where K is at most 32, else 3 |
    | `table`   | [N, K]              | the table of `search`, where something else reads that too (optional) |

    The sample is up to 64 runs of `sample_rows` rows. Run s starts at row
    s * 2^j * `sample_rows`, with the least j for which 64 runs reach the last
    row; counts[s, k] is the number of its rows that have offset k.

    Displacements within a column must be distinct neighbours: they are
    multiples of the number by which they differ, and so are the last
    coordinates of both sets. K is at most 343, and C at most 128. `sample_rows`
    is 64, 128 or 256, and shared memory has to have room for as many records. No
    search with `half` leaves hits. The operation is made by
    `sparseconv-fuse-search-and-tiling`.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$in_keys, SparseConv_KeysLike:$out_keys,
    SparseConv_TableLike:$masks, SparseConv_TableLike:$records,
    SparseConv_TableLike:$counts, SparseConv_TableLike:$totals,
    Optional<SparseConv_TableLike>:$table,
    DenseI64ArrayAttr:$displacements,
    OptionalAttr<DenseI64ArrayAttr>:$in_stride,
    OptionalAttr<DenseI64ArrayAttr>:$out_stride, SparseConv_PackingAttr:$packing,
    SparseConv_SearchAttr:$search, I64Attr:$sample_rows);
}

def SparseConv_TableFromPairsOp
    : SparseConv_KernelOp<"table_from_pairs", "getTable"> {
  let summary = "a neighbour table from pairs of rows";
  let description = [{
    ```mlir
    sparseconv.kernel.table_from_pairs
        ins(%pairs, %in_rows, %status : memref<?x3xi32>, index, memref<8xi64>)
        outs(%table : memref<?x5xi32>) {op_id = 2 : i64}
    ```

    table[r, k] = i for every pair (i, r, k) of `pairs` [P, 3]; all other
    elements of `table` [N_out, K] are -1.

    Run-time errors: an input row that is not below `in_rows`; an output row or
    an offset that is not there; two pairs with one offset and one row of either
    side; more than 2^31-2 pairs. All elements are -1 then.
  }];
  let arguments = (ins
    SparseConv_TableLike:$pairs, Index:$in_rows, SparseConv_Status:$status,
    SparseConv_TableLike:$table, I64Attr:$op_id);
}

def SparseConv_CheckTableOp
    : SparseConv_KernelOp<"check_table", "getTable"> {
  let summary = "a given neighbour table, if it is one";
  let description = [{
    ```mlir
    sparseconv.kernel.check_table
        ins(%given, %in_rows, %status : memref<?x5xi32>, index, memref<8xi64>)
        outs(%table : memref<?x5xi32>) {op_id = 2 : i64}
    ```

    `table` [N_out, K] is `given`.

    Run-time errors: `given` has other than N_out rows; an entry outside -1 ..
    `in_rows`-1; two rows with the same entry for an offset. All elements are -1
    then.
  }];
  let arguments = (ins
    SparseConv_TableLike:$given, Index:$in_rows, SparseConv_Status:$status,
    SparseConv_TableLike:$table, I64Attr:$op_id);
}

def SparseConv_InvertTableOp
    : SparseConv_KernelOp<"invert_table", "getInverse"> {
  let summary = "the neighbour table of the transposed map";
  let description = [{
    ```mlir
    sparseconv.kernel.invert_table
        ins(%table : memref<?x27xi32>) outs(%inverse : memref<?x27xi32>)
    ```

    inverse[table[r, k], k] = r for every entry of `table` [N_out, K] that is
    not -1; all other elements of `inverse` [N_in, K] are -1.
  }];
  let arguments = (ins
    SparseConv_TableLike:$table, SparseConv_TableLike:$inverse);
}

def SparseConv_RenumberTableKernelOp
    : SparseConv_KernelOp<"renumber_table", "getRenumbered"> {
  let summary = "a neighbour table for rows in another order";
  let description = [{
    ```mlir
    sparseconv.kernel.renumber_table
        ins(%table, %rows, %status : memref<?x27xi32>, memref<?xi32>, memref<8xi64>)
        outs(%renumbered : memref<?x27xi32>) {op_id = 3 : i64, side = #sparseconv<map_side out>}
    ```

    Of the `out` side, renumbered[i, k] = table[rows[i], k], or -1 where rows[i]
    is -1; `rows` is [N_out]. Of the `in` side, renumbered[r, k] =
    rows[table[r, k]], or -1 where table[r, k] is -1; `rows` is [N_in].

    Run-time errors: an index outside -1 .. the rows of `table` - 1; an entry
    outside -1 .. N_in-1. What comes of it is -1. `trusted` says that there is
    none, and nothing looks.
  }];
  let arguments = (ins
    SparseConv_TableLike:$table, SparseConv_RowsLike:$rows,
    SparseConv_Status:$status, SparseConv_TableLike:$renumbered,
    SparseConv_MapSideAttr:$side, UnitAttr:$trusted, I64Attr:$op_id);
}

def SparseConv_KeepOffsetsOp
    : SparseConv_KernelOp<"keep_offsets", "getKept"> {
  let summary = "a neighbour table without the pairs of some offsets";
  let description = [{
    ```mlir
    sparseconv.kernel.keep_offsets
        ins(%table : memref<?x27xi32>) outs(%kept : memref<?x27xi32>)
        {offsets = array<i64: 4, 13, 22>}
    ```

    kept[r, k] = table[r, k] where `offsets` has k, otherwise -1. The numbers
    ascend.
  }];
  let arguments = (ins
    SparseConv_TableLike:$table, SparseConv_TableLike:$kept,
    DenseI64ArrayAttr:$offsets);
}

def SparseConv_PairListsOp
    : SparseConv_KernelOp<"pair_lists", "getInRows"> {
  let summary = "pairs of rows by row block and offset";
  let description = [{
    ```mlir
    sparseconv.kernel.pair_lists ins(%table : memref<?x27xi32>)
        outs(%in_rows, %out_rows, %segments
             : memref<?xi32>, memref<?xi32>, memref<?x28xi64>)
        {row_block = 512 : i64}
    ```

    The entries of a neighbour table [N, K] as pairs (in_rows[p], out_rows[p]).
    They are ordered by row block (`row_block` output rows), then by offset, then by
    output row; between row blocks there may be gaps. The pairs of row block b and
    offset k are segments[b, k] up to, but not including, segments[b, k + 1]. `in_rows`
    and `out_rows` have room for N * K pairs, `segments` is [ceil(N / row_block), K + 1].
  }];
  let arguments = (ins
    SparseConv_TableLike:$table,
    SparseConv_RowsLike:$in_rows, SparseConv_RowsLike:$out_rows,
    SparseConv_SegmentsLike:$segments, I64Attr:$row_block);
}

def SparseConv_OffsetListsOp
    : SparseConv_KernelOp<"offset_lists", "getInRows"> {
  let summary = "a list of pairs for each offset";
  let description = [{
    ```mlir
    sparseconv.kernel.offset_lists ins(%table : memref<?x27xi32>)
        outs(%in_rows, %out_rows, %counts
             : memref<?xi32>, memref<?xi32>, memref<27xi32>)
    ```

    The entries of a neighbour table [N, K] as pairs: offset k has counts[k] of
    them, by output row, and pair p is (in_rows[k * N + p], out_rows[k * N + p]).
    `in_rows` and `out_rows` have room for N * K pairs. For a GPU.
  }];
  let arguments = (ins
    SparseConv_TableLike:$table,
    SparseConv_RowsLike:$in_rows, SparseConv_RowsLike:$out_rows,
    SparseConv_RowsLike:$counts);
}

def SparseConv_GroupPairsOp
    : SparseConv_KernelOp<"group_pairs", "getRows"> {
  let summary = "a place for each pair, by offset";
  let description = [{
    ```mlir
    sparseconv.kernel.group_pairs
        ins(%table, %status : memref<?x27xi32>, memref<8xi64>)
        outs(%rows, %places, %segments, %count
             : memref<?xi32>, memref<?x27xi32>, memref<?x28xi64>, memref<1xindex>)
        {epsilon = 25 : i64, op_id = 1 : i64, row_block = 128 : i64, s = 20000 : i64}
    ```

    Gives each pair of a neighbour table [N, K] a place of its own: rows[p] is
    the input row of the pair at place p, or -1, and places[r, k] the place of
    the pair of output row r and offset k, or -1. The pairs of one offset lie
    together, by output row, from a multiple of `row_block` on. The places of row
    block b and offset k are segments[b, k] up to, but not including, segments[b,
    k + 1], as in `pair_lists`. `count` is a multiple of `row_block`.

    Offsets come in the order of their numbers of pairs, largest first. A new
    group begins where an offset has less than the largest n of its group by more
    than `epsilon` per cent. Where n is below `s`, all offsets of the group have
    n places, as in one batched product; else each has its own number, as in
    products apart (adaptive grouping: TorchSparse, arXiv 2204.10319, section
    4.2). Special cases: no padding with `s = 0`; symmetric grouping, where
    offsets of equal size meet, with `epsilon = 0` and a large `s`; one dense
    batch of all offsets with `epsilon = 100` and a large `s`; fixed grouping where
    an `epsilon` between tells the centre, the faces and the rest apart.

    `rows` has room for K * N places, N rounded up to `row_block`.

    Run-time errors: room for more than 2^31-2 places; there are none then.
  }];
  let arguments = (ins
    SparseConv_TableLike:$table, SparseConv_Status:$status,
    SparseConv_RowsLike:$rows, SparseConv_TableLike:$places,
    SparseConv_SegmentsLike:$segments, SparseConv_CountLike:$count,
    I64Attr:$row_block, I64Attr:$epsilon, I64Attr:$s, I64Attr:$op_id);
}

#endif // SPARSECONV_KERNEL_MAP_OPS
