//===- SparseConvKernelIndexingOps.td - keys and maps ------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_INDEXING_OPS
#define SPARSECONV_KERNEL_INDEXING_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelOpBase.td"

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

def SparseConv_EncodeOp : SparseConv_KernelOp<"encode", "getKeys"> {
  let summary = "keys of points";
  let description = [{
    keys[i] = key of points[i], unsorted; count = N. A coordinate beyond the
    packing, or no multiple of the stride, is reported and count becomes 0.
  }];
  let arguments = (ins
    SparseConv_PointsLike:$points, SparseConv_Status:$status,
    SparseConv_KeysLike:$keys, SparseConv_CountLike:$count,
    TypeAttrOf<SparseConv_CoordsType>:$set, I64Attr:$op_id);
}

def SparseConv_DecodeOp : SparseConv_KernelOp<"decode", "getPoints"> {
  let summary = "points of keys";
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_PointsLike:$points,
    TypeAttrOf<SparseConv_CoordsType>:$set);
}

def SparseConv_SortOp : SparseConv_KernelOp<"sort", "getSorted"> {
  let summary = "sorts keys, stably";
  let description = [{
    sorted[i] = keys[permutation[i]], ascending as unsigned numbers; equal keys
    stay in the order of their positions. `fields` are the widths of the bit
    fields of a key, the highest first; bits above them are 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys,
    SparseConv_KeysLike:$sorted, SparseConv_RowsLike:$permutation,
    DenseI64ArrayAttr:$fields);
}

def SparseConv_UniqueOp : SparseConv_KernelOp<"unique", "getKeys"> {
  let summary = "the distinct keys of a sorted list";
  let description = [{
    From N sorted keys and the permutation that sorted them: the distinct keys,
    `order` (for each, permutation at its first occurrence), `row_of` (for each
    unsorted position, the row of its key), and how many are distinct. More than
    `capacity` distinct keys are reported and count becomes 0. `row_of` may be
    longer than the list; elements that no key names keep their values, all of
    them after an error.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$sorted, SparseConv_RowsLike:$permutation,
    SparseConv_Status:$status,
    SparseConv_KeysLike:$keys, SparseConv_RowsLike:$order,
    SparseConv_RowsLike:$row_of, SparseConv_CountLike:$count,
    I64Attr:$capacity, I64Attr:$op_id);
}

def SparseConv_FloorOp : SparseConv_KernelOp<"floor", "getFloored"> {
  let summary = "keys floored to a stride";
  let description = [{
    floored[i] = key of floor(c / S) * S for the coordinate c of keys[i] and the
    stride S of `set`; in the order of keys, with duplicates. A result beyond the
    packing is reported and count becomes 0, else it is N.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_Status:$status,
    SparseConv_KeysLike:$floored, SparseConv_CountLike:$count,
    TypeAttrOf<SparseConv_CoordsType>:$set, I64Attr:$op_id);
}

def SparseConv_SpreadOp : SparseConv_KernelOp<"spread", "getCandidates"> {
  let summary = "keys displaced by every offset";
  let description = [{
    All c + d for a coordinate c of keys and one of K displacements d (in units
    of the finest grid) that are multiples of the stride of `set` and inside
    `clip`, in the order of keys, displacements fastest; count says how many. One
    beyond the packing is reported and count becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_Status:$status,
    SparseConv_KeysLike:$candidates, SparseConv_CountLike:$count,
    DenseI64ArrayAttr:$displacements, OptionalAttr<SparseConv_RegionAttr>:$clip,
    TypeAttrOf<SparseConv_CoordsType>:$set, I64Attr:$op_id);
}

def SparseConv_SelectOp : SparseConv_KernelOp<"select", "getKept"> {
  let summary = "the keys where a mask is true";
  let description = [{
    kept[r] = keys[rows[r]] for the rows with a true mask, ascending; count says
    how many. A mask of another length is reported and count becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_MaskLike:$mask,
    SparseConv_Status:$status,
    SparseConv_KeysLike:$kept, SparseConv_RowsLike:$rows,
    SparseConv_CountLike:$count, I64Attr:$op_id);
}

def SparseConv_IntersectOp : SparseConv_KernelOp<"intersect", "getKeys"> {
  let summary = "the keys of both lists";
  let description = [{
    keys[r] = lhs[lhs_rows[r]] = rhs[rhs_rows[r]], ascending; count says how
    many.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$lhs, SparseConv_KeysLike:$rhs,
    SparseConv_KeysLike:$keys, SparseConv_RowsLike:$lhs_rows,
    SparseConv_RowsLike:$rhs_rows, SparseConv_CountLike:$count);
}

//===----------------------------------------------------------------------===//
// Encodings of a kernel map
//===----------------------------------------------------------------------===//

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

    table[r, k] = position in `in_keys` [N_in] of the coordinate of out_keys[r]
    plus displacement k (finest units), or -1. `out_keys` is [N], `table` [N, K],
    `displacements` holds one number for each of D axes, K times.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$in_keys, SparseConv_KeysLike:$out_keys,
    SparseConv_TableLike:$table,
    DenseI64ArrayAttr:$displacements, SparseConv_PackingAttr:$packing,
    SparseConv_SearchAttr:$search);
}

def SparseConv_SearchHitsOp
    : SparseConv_KernelOp<"search_hits", "getMasks"> {
  let summary = "the hits of a search by column, for the tiling of rows";
  let description = [{
    ```mlir
    sparseconv.kernel.search_hits
        ins(%in_keys, %out_keys : memref<?xi64>, memref<?xi64>)
        outs(%masks, %records, %counts, %totals : memref<?xi32>,
             memref<?x4xi32>, memref<64x32xi32>, memref<2x512xi32>)
        {displacements = array<i64: 0, 0, -1, 0, 0, 0, 0, 0, 1>,
         packing = #packing, sample_rows = 256 : i64,
         search = #sparseconv.search<zdelta>}
    ```

    What `search` finds, in a form that says as much as the table in a third of
    its memory. Displacements that differ on the last axis only form one of C
    columns. Its hits lie next to each other among the keys, so the place of the
    first and a bit for each displacement tell all of them.

    | result    | shape               | holds |
    |-----------|---------------------|-------|
    | `masks`   | [N]                 | bit k of masks[r]: row r has offset k |
    | `records` | [N, R]              | records[r, c] = the first position in `in_keys` whose key is not below out_keys[r] plus the first displacement of column c; records[r, C] = masks[r]; 0 behind it. R is C + 1 rounded up to a multiple of 4 |
    | `counts`  | [64, 32]            | counts[s, k] = the rows with offset k among the `sample_rows` rows from s * 2^j * `sample_rows` on, with the least j for which 64 such runs reach the last row |
    | `totals`  | [ceil(K/9)+1, 512]  | zeros, to which the sort of the masks adds: to clear them here saves a kernel |
    | `table`   | [N, K]              | the table of `search`, where something else reads that too (optional) |

    Displacements within a column must be neighbours (they differ by 1) and
    distinct, and K at most 32. `sample_rows` is 64, 128 or 256. Made by
    `sparseconv-fuse-search-and-tiling`.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$in_keys, SparseConv_KeysLike:$out_keys,
    SparseConv_RowsLike:$masks, SparseConv_TableLike:$records,
    SparseConv_TableLike:$counts, SparseConv_TableLike:$totals,
    Optional<SparseConv_TableLike>:$table,
    DenseI64ArrayAttr:$displacements, SparseConv_PackingAttr:$packing,
    SparseConv_SearchAttr:$search, I64Attr:$sample_rows);
}

def SparseConv_InvertTableOp
    : SparseConv_KernelOp<"invert_table", "getInverse"> {
  let summary = "the neighbour table of the transposed map";
  let description = [{
    inverse[table[r, k], k] = r for every entry, -1 elsewhere.
  }];
  let arguments = (ins
    SparseConv_TableLike:$table, SparseConv_TableLike:$inverse);
}

def SparseConv_PairListsOp
    : SparseConv_KernelOp<"pair_lists", "getInRows"> {
  let summary = "pairs of rows by block of output rows and offset";
  let description = [{
    The entries of a neighbour table [N, K] as pairs (in_rows[p], out_rows[p]),
    ordered by block of `block` output rows, then offset, then output row.
    segments[b, k] .. segments[b, k + 1] are the pairs of block b and offset k.
    `in_rows` and `out_rows` have room for N * K pairs, `segments` is
    [ceil(N / block), K + 1].
  }];
  let arguments = (ins
    SparseConv_TableLike:$table,
    SparseConv_RowsLike:$in_rows, SparseConv_RowsLike:$out_rows,
    SparseConv_SegmentsLike:$segments, I64Attr:$block);
}

def SparseConv_TileRowsOp
    : SparseConv_KernelOp<"tile_rows", "getTiledTable"> {
  let summary = "a neighbour table by tiles of rows with alike offsets";
  let description = [{
    ```mlir
    sparseconv.kernel.tile_rows
        ins(%table, %in_rows : memref<?x27xi32>, index)
        outs(%tiled_table, %order, %masks, %sizes : memref<27x?xi32>,
             memref<?xi32>, memref<?x1xi32>, memref<3xindex>) {rows = 64 : i64}
    ```

    The rows of `table` [N, K] in an order in which neighbours in a tile of `rows`
    (16 or 64) rows have most offsets in common: `order` [P] is the row of each
    slot, or -1 behind the last; `masks` [P / rows, ceil(K / 32)] has bit k % 32 of
    word k / 32 set where a row of the tile has offset k; `tiled_table` [K, P] is
    table[order[p], k], or -1, at the offsets that some of the 128 slots around p
    have (from a multiple of 128 on). P is N rounded up to a multiple of 256.
    `sizes` is `in_rows`, N and P. An entry that is no row below `in_rows` counts
    as none.

    With up to 32 offsets the rows are sorted by the rank in the Gray code of
    their mask, the offset that fewest rows of a sample have as the highest bit;
    with more they stay as they are.
  }];
  let arguments = (ins
    SparseConv_TableLike:$table, Index:$in_rows,
    SparseConv_TableLike:$tiled_table, SparseConv_RowsLike:$order,
    SparseConv_TableLike:$masks, SparseConv_Shaped<[Index], [1]>:$sizes,
    I64Attr:$rows);
}

def SparseConv_TileHitsOp
    : SparseConv_KernelOp<"tile_hits", "getTiledTable"> {
  let summary = "the hits of a search by tiles of rows with alike offsets";
  let description = [{
    ```mlir
    sparseconv.kernel.tile_hits
        ins(%hits, %records, %counts, %in_rows : memref<?xi32>,
            memref<?x4xi32>, memref<64x32xi32>, index)
        outs(%tiled_table, %order, %masks, %sizes, %totals : memref<3x?xi32>,
             memref<?xi32>, memref<?x1xi32>, memref<3xindex>, memref<2x512xi32>)
        {displacements = array<i64: 0, 0, -1, 0, 0, 0, 0, 0, 1>,
         packing = #packing, rows = 64 : i64, sample_rows = 256 : i64}
    ```

    What `tile_rows` makes of the neighbour table, from the results of
    `search_hits`: `hits` [N] are its masks; `records`, `counts` and the attributes
    but for `rows` must be those of the search. `totals` are zeros before, and used
    up; without them the sort clears its own.
  }];
  let arguments = (ins
    SparseConv_RowsLike:$hits, SparseConv_TableLike:$records,
    SparseConv_TableLike:$counts, Index:$in_rows,
    SparseConv_TableLike:$tiled_table, SparseConv_RowsLike:$order,
    SparseConv_TableLike:$masks, SparseConv_Shaped<[Index], [1]>:$sizes,
    Optional<SparseConv_TableLike>:$totals,
    DenseI64ArrayAttr:$displacements, SparseConv_PackingAttr:$packing,
    I64Attr:$rows, I64Attr:$sample_rows);
}

#endif // SPARSECONV_KERNEL_INDEXING_OPS
