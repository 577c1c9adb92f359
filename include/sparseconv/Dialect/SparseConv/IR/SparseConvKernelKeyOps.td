//===- SparseConvKernelKeyOps.td - keys and sets -----------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_KEY_OPS
#define SPARSECONV_KERNEL_KEY_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelOpBase.td"

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

    The keys of all ones, which `encode` and `floor` give to what `clip` leaves
    out, come last in `sorted` [N]; count is the number of those before them. `fields` are
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
        {clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>, op_id = 1 : i64,
         set = !half}
    ```

    floored[i] = the key of floor(c / S) * S, for the coordinate c of keys[i]
    and the stride S of `set`; count = N. Both lists are [N] and have the same
    order, so duplicates may appear. The key of a result outside `clip` is all
    ones, as in `encode`.

    Run-time errors: a result beyond the packing, unless `clip` leaves it out. The
    count then becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_Status:$status,
    SparseConv_KeysLike:$floored, SparseConv_CountLike:$count,
    TypeAttrOf<SparseConv_CoordsType>:$set,
    OptionalAttr<SparseConv_RegionAttr>:$clip, I64Attr:$op_id);
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

def SparseConv_RescaleKernelOp : SparseConv_KernelOp<"rescale", "getScaled"> {
  let summary = "keys of coordinates times factors";
  let description = [{
    ```mlir
    sparseconv.kernel.rescale ins(%keys, %status : memref<?xi64>, memref<8xi64>)
        outs(%scaled, %count : memref<?xi64>, memref<1xindex>)
        {by = array<i64: 2, 2, 2>, op_id = 1 : i64, set = !half}
    ```

    scaled[i] = the key of c * `by`, for the coordinate c of keys[i]; count = N.
    Both lists are [N]. `set` is the set of `scaled`, whose packing both have.

    Run-time errors: a result beyond the packing. The count then becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_Status:$status,
    SparseConv_KeysLike:$scaled, SparseConv_CountLike:$count,
    DenseI64ArrayAttr:$by, TypeAttrOf<SparseConv_CoordsType>:$set,
    I64Attr:$op_id);
}

def SparseConv_SubdivideKernelOp
    : SparseConv_KernelOp<"subdivide", "getFine"> {
  let summary = "the cells of a sorted set, sorted";
  let description = [{
    ```mlir
    sparseconv.kernel.subdivide
        ins(%keys, %points_order, %points_row_of, %status
            : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<8xi64>)
        outs(%fine, %rows, %order, %row_of, %count
             : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<?xi32>,
               memref<1xindex>)
        {by = array<i64: 2, 2, 2>, capacity = 1000 : i64, cells = 4096 : i64,
         op_id = 1 : i64, reach = 8 : i64, set = !fine}
    ```

    fine = the keys of all c + S * d, ascending, for the coordinates c of `keys`,
    0 <= d < `by` and the stride S of `set`; count = N * V for V cells of a
    coordinate. `keys` is a set: [N], ascending and distinct, at the stride
    S * `by`. rows[r] = the row of `keys` of fine[r], and order[r] =
    points_order[rows[r]] * V + the cell. `points_row_of` is [P] and `row_of`
    [P * V]: row_of[i * V + cell] = the row of that cell of point i, or -1 where
    points_row_of[i] is no row of `keys`. `fine`, `rows` and `order` have room
    for N * V, or for 2^31-2; `row_of` for P * V, or for 2^31-2. `capacity`,
    `cells`, `reach` and `limit` are those of `kernel.unique`.

    Nothing is sorted: the row of a cell is a sum of numbers of coordinates, which
    lower bounds say.

    Run-time errors: another number of `points_order` than of `keys`; a cell
    beyond the packing; more than `capacity` cells of coordinates, or more than
    2^31-2 of points. The count then becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_RowsLike:$points_order,
    SparseConv_RowsLike:$points_row_of, SparseConv_Status:$status,
    Optional<Index>:$limit,
    SparseConv_KeysLike:$fine, SparseConv_RowsLike:$rows,
    SparseConv_RowsLike:$order, SparseConv_RowsLike:$row_of,
    SparseConv_CountLike:$count, DenseI64ArrayAttr:$by,
    I64Attr:$capacity, OptionalAttr<I64Attr>:$cells,
    OptionalAttr<I64Attr>:$reach, TypeAttrOf<SparseConv_CoordsType>:$set,
    I64Attr:$op_id);
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

#endif // SPARSECONV_KERNEL_KEY_OPS
