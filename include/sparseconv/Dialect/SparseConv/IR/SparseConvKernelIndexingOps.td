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

def SparseConv_QuantiseKernelOp
    : SparseConv_KernelOp<"quantise", "getCoordinates"> {
  let summary = "coordinates of points in space";
  let description = [{
    ```mlir
    sparseconv.kernel.quantise ins(%points : memref<?x3xf32>)
        outs(%coordinates : memref<?x4xi32>)
        {origin = array<f32: 0.0, 0.0, -2.0>,
         voxel_size = array<f32: 0.05, 0.05, 0.1>}
    ```

    See `sparseconv.quantise`. `points` is [N, D] or [N, 1 + D], `coordinates`
    [N, 1 + D].
  }];
  let arguments = (ins
    SparseConv_RealsLike:$points, SparseConv_PointsLike:$coordinates,
    DenseF32ArrayAttr:$origin, DenseF32ArrayAttr:$voxel_size);
}

def SparseConv_EncodeOp : SparseConv_KernelOp<"encode", "getKeys"> {
  let summary = "keys of points";
  let description = [{
    ```mlir
    sparseconv.kernel.encode
        ins(%points, %status : memref<?x4xi32>, memref<8xi64>)
        outs(%keys, %count : memref<?xi64>, memref<1xindex>)
        {op_id = 0 : i64, set = !set}
    ```

    keys[i] = the key of points[i], in the order of the points; count = N.
    `points` is [N, 1 + D], (batch, x, y, ...) in units of the finest grid, and
    `keys` is [N]. The packing of keys follows Spira (arXiv 2511.20834, section
    4.2).

    With `clip` the key of a point outside that region, or of batch index -1, is
    all ones, which no point inside has.

    With `origin` and `voxel_size` the points are reals, which are quantised
    first (`kernel.quantise`).

    Run-time errors: a coordinate or batch index beyond the packing of `set`; a
    coordinate that is not a multiple of its stride. The count then becomes 0.
  }];
  let arguments = (ins
    SparseConv_Shaped<[I32, F32], [2]>:$points,
    SparseConv_Status:$status,
    SparseConv_KeysLike:$keys, SparseConv_CountLike:$count,
    TypeAttrOf<SparseConv_CoordsType>:$set,
    OptionalAttr<SparseConv_RegionAttr>:$clip,
    OptionalAttr<DenseF32ArrayAttr>:$origin,
    OptionalAttr<DenseF32ArrayAttr>:$voxel_size, I64Attr:$op_id);
  let hasCanonicalizeMethod = 1;
}

def SparseConv_CountKeysOp : SparseConv_KernelOp<"count_keys", "getCount"> {
  let summary = "how many of the sorted keys are those of points";
  let description = [{
    ```mlir
    sparseconv.kernel.count_keys ins(%sorted : memref<?xi64>)
        outs(%count : memref<1xindex>) {fields = array<i64: 8, 20, 20, 16>}
    ```

    The keys of all ones, which `encode` gives to points that are left out, come
    last in `sorted` [N]; count is the number of those before them. `fields` are
    the widths of the bit fields of a key.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$sorted, SparseConv_CountLike:$count,
    DenseI64ArrayAttr:$fields);
}

def SparseConv_DecodeOp : SparseConv_KernelOp<"decode", "getPoints"> {
  let summary = "points of keys";
  let description = [{
    ```mlir
    sparseconv.kernel.decode
        ins(%keys : memref<?xi64>) outs(%points : memref<?x4xi32>) {set = !set}
    ```

    points[i] = (batch, x, y, ...) of keys[i], in units of the finest grid: the
    inverse of `encode`. `keys` is [N], `points` [N, 1 + D].
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_PointsLike:$points,
    TypeAttrOf<SparseConv_CoordsType>:$set);
}

def SparseConv_SortOp : SparseConv_KernelOp<"sort", "getSorted"> {
  let summary = "sorts keys, stably";
  let description = [{
    ```mlir
    sparseconv.kernel.sort ins(%keys : memref<?xi64>)
        outs(%sorted, %permutation : memref<?xi64>, memref<?xi32>)
        {fields = array<i64: 8, 20, 20, 16>}
    ```

    sorted[i] = keys[permutation[i]], ascending as unsigned numbers. All three
    are [N]. Equal keys keep the order of their positions. `fields` are the
    widths of the bit fields of a key, the highest first; bits above them are 0.

    On a GPU it is a radix sort with one pass per digit (Adinets and Merrill,
    "Onesweep", arXiv 2206.01784). Passes over bits that no key uses do nothing.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys,
    SparseConv_KeysLike:$sorted, SparseConv_RowsLike:$permutation,
    DenseI64ArrayAttr:$fields);
}

def SparseConv_UniqueOp : SparseConv_KernelOp<"unique", "getKeys"> {
  let summary = "the distinct keys of a sorted list";
  let description = [{
    ```mlir
    sparseconv.kernel.unique
        ins(%sorted, %permutation, %status
            : memref<?xi64>, memref<?xi32>, memref<8xi64>)
        outs(%keys, %order, %row_of, %count
             : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
        {capacity = 1000 : i64, cells = 4096 : i64, op_id = 0 : i64,
         reach = 8 : i64}
    ```

    Takes N sorted keys and the permutation that sorted them.

    | result   | shape   | holds |
    |----------|---------|-------|
    | `keys`   | [count] | the distinct keys, ascending |
    | `order`  | [count] | for each of them, the permutation at its first occurrence |
    | `row_of` | [N]     | for each unsorted position, the row of its key |
    | `count`  | [1]     | how many keys are distinct |

    `row_of` may be longer than N. Elements that no key names keep their values;
    after an error that is all of them.

    Two attributes are for targets that reserve memory before they know the count.
    There are at most `cells` distinct keys, whatever N is. With `reach` the list
    has up to that many keys for each row of the set that it was made from, most
    of them equal as a rule: memory for the distinct ones may then start small and
    grow (`kernel.growable_capacity`). A last input `limit`, an index, is the
    number of keys that there is memory for; it takes the place of `capacity`.

    Run-time errors: more than `capacity` distinct keys. The count then becomes
    0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$sorted, SparseConv_RowsLike:$permutation,
    SparseConv_Status:$status, Optional<Index>:$limit,
    SparseConv_KeysLike:$keys, SparseConv_RowsLike:$order,
    SparseConv_RowsLike:$row_of, SparseConv_CountLike:$count,
    I64Attr:$capacity, OptionalAttr<I64Attr>:$cells,
    OptionalAttr<I64Attr>:$reach, I64Attr:$op_id);
}

def SparseConv_FloorOp : SparseConv_KernelOp<"floor", "getFloored"> {
  let summary = "keys floored to a stride";
  let description = [{
    ```mlir
    sparseconv.kernel.floor ins(%keys, %status : memref<?xi64>, memref<8xi64>)
        outs(%floored, %count : memref<?xi64>, memref<1xindex>)
        {op_id = 1 : i64, set = !half}
    ```

    floored[i] = the key of floor(c / S) * S, for the coordinate c of keys[i]
    and the stride S of `set`; count = N. Both lists are [N] and have the same
    order, so duplicates may appear.

    Run-time errors: a result beyond the packing. The count then becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_Status:$status,
    SparseConv_KeysLike:$floored, SparseConv_CountLike:$count,
    TypeAttrOf<SparseConv_CoordsType>:$set, I64Attr:$op_id);
}

def SparseConv_CoarsenOp : SparseConv_KernelOp<"coarsen", "getCoarse"> {
  let summary = "the cells of a set at a coarser stride";
  let description = [{
    ```mlir
    sparseconv.kernel.coarsen ins(%keys : memref<?xi64>)
        outs(%coarse, %count : memref<?xi64>, memref<1xindex>)
        {by = array<i64: 2, 2, 2>,
         clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>, set = !half}
    ```

    coarse = the distinct keys of floor(c / S) * S, ascending, for the coordinates
    c of `keys` and the stride S of `set`, without those outside `clip`; count says
    how many. `keys` is a set:
    [N], ascending and distinct, at the stride S / `by`. `coarse` has room for N.

    Nothing is sorted. A cell is made of columns along the last axis, each of
    which lies together in `keys` (4 where all factors are 2). A coordinate is the
    first of its cell if no column before its own has one of the cell, which
    lower bounds say. Those that are first are counted in the order of `keys`. How
    many cells come before a cell is then a sum of such counts: up to its place
    in each of its columns, without what belongs to cells of other columns.

    The lowest coordinate of the packing has to begin a cell. Then no cell is
    beyond it, and there is no run-time error.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys,
    SparseConv_KeysLike:$coarse, SparseConv_CountLike:$count,
    DenseI64ArrayAttr:$by, OptionalAttr<SparseConv_RegionAttr>:$clip,
    TypeAttrOf<SparseConv_CoordsType>:$set);
}

def SparseConv_SpreadOp : SparseConv_KernelOp<"spread", "getCandidates"> {
  let summary = "keys displaced by every offset";
  let description = [{
    ```mlir
    sparseconv.kernel.spread ins(%keys, %status : memref<?xi64>, memref<8xi64>)
        outs(%candidates, %count : memref<?xi64>, memref<1xindex>)
        {clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>,
         displacements = array<i64: 0, 0, 0, 0, 0, -1>, op_id = 1 : i64,
         set = !half}
    ```

    The candidates for a larger set: every c + d, for a coordinate c of `keys`
    [N] and one of K displacements d, that is a multiple of the stride of `set`
    and inside `clip`. They stand in the order of the keys, displacements
    fastest, duplicates included. `displacements` holds D numbers for each
    displacement, in units of the finest grid. `candidates` has room for N * R
    keys, or for 2^31-2; count says how many there are. R is the reach of a key,
    the largest number of displacements that agree modulo the stride: here 1.

    Run-time errors: a candidate beyond the packing; more than 2^31-2 of them. The
    count then becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_Status:$status,
    SparseConv_KeysLike:$candidates, SparseConv_CountLike:$count,
    DenseI64ArrayAttr:$displacements, OptionalAttr<SparseConv_RegionAttr>:$clip,
    TypeAttrOf<SparseConv_CoordsType>:$set, I64Attr:$op_id);
}

def SparseConv_CoverOp : SparseConv_KernelOp<"cover", "getCoarse"> {
  let summary = "the cells of a region that a set reaches";
  let description = [{
    ```mlir
    sparseconv.kernel.cover ins(%keys, %status : memref<?xi64>, memref<8xi64>)
        outs(%coarse, %count : memref<?xi64>, memref<1xindex>)
        {capacity = 1000 : i64, cells = 4096 : i64,
         clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>,
         displacements = array<i64: 0, 0, 0, 0, 0, -1>, op_id = 1 : i64,
         reach = 8 : i64, set = !half}
    ```

    coarse = the distinct keys of all c + d that are multiples of the stride of
    `set` and inside `clip`, ascending, for a coordinate c of `keys` and one of K
    displacements d; count says how many. `keys` is a set: [N], ascending and
    distinct. `coarse` has room for N * R keys, or for 2^31-2, where R is the reach
    of a key: the largest number of displacements that agree modulo the stride.
    `displacements` holds D numbers for each displacement, in units of the finest
    grid. `capacity`, `cells`, `reach` and `limit` are those of `kernel.unique`.

    Nothing is sorted. The cells of `clip` are cut into slices: some places on
    axis 1 at one place on axis 0. A slice is a bitmap in fast memory, in the order
    of keys. Keys that can reach it are a piece of the list for each displacement
    on axis 0, found by lower bounds; they set bits. The bits of all slices are
    counted first, then the cells written.

    Run-time errors: more than `capacity` cells. The count then becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_Status:$status,
    Optional<Index>:$limit,
    SparseConv_KeysLike:$coarse, SparseConv_CountLike:$count,
    DenseI64ArrayAttr:$displacements, SparseConv_RegionAttr:$clip,
    I64Attr:$capacity, OptionalAttr<I64Attr>:$cells,
    OptionalAttr<I64Attr>:$reach, TypeAttrOf<SparseConv_CoordsType>:$set,
    I64Attr:$op_id);
}

def SparseConv_SelectOp : SparseConv_KernelOp<"select", "getKept"> {
  let summary = "the keys where a mask is true";
  let description = [{
    ```mlir
    sparseconv.kernel.select
        ins(%keys, %mask, %status : memref<?xi64>, memref<?xi1>, memref<8xi64>)
        outs(%kept, %rows, %count
             : memref<?xi64>, memref<?xi32>, memref<1xindex>)
        {op_id = 1 : i64}
    ```

    kept[r] = keys[rows[r]] for the rows whose mask is true, ascending; count
    says how many. `keys` and `mask` are [N], `kept` and `rows` have room for N.

    Run-time errors: a mask of another length. The count then becomes 0.
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
    ```mlir
    sparseconv.kernel.intersect ins(%lhs, %rhs : memref<?xi64>, memref<?xi64>)
        outs(%keys, %lhs_rows, %rhs_rows, %count
             : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
    ```

    keys[r] = lhs[lhs_rows[r]] = rhs[rhs_rows[r]], ascending; count says how
    many. `lhs` [N] and `rhs` [M] hold distinct keys; each result has room for
    the keys of the shorter list.
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
    coordinates of both sets. K is at most 125. `sample_rows` is 64, 128 or 256,
    and shared memory has to have room for as many records. No search with
    `half` leaves hits. The operation is made by
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

#endif // SPARSECONV_KERNEL_INDEXING_OPS
