//===- SparseConvMapOps.td - operations on kernel maps -----*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_MAP_OPS
#define SPARSECONV_MAP_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvOpBase.td"

def SparseConv_KernelMapOp : SparseConv_Op<"kernel_map",
    [Pure, SparseConv_Infer,
     TypesMatchWith<"the in set has the type that the map names",
                    "map", "in", "cast<KernelMapType>($_self).getIn()">,
     TypesMatchWith<"the out set has the type that the map names",
                    "map", "out", "cast<KernelMapType>($_self).getOut()">]> {
  let summary = "relates two sets by an offset set";
  let description = [{
    ```mlir
    %map = sparseconv.kernel_map %fine to %half offsets(box<3, 3, 3>)
        : !sparseconv.kernel_map<27, !fine to !half>
    %up = sparseconv.kernel_map %half to %fine offsets(box<2, 2, 2>) transposed
        : !sparseconv.kernel_map<8, !half to !fine>
    ```

    Forward (S_out a multiple of S_in): output o and offset k meet the input
    o + S_in * d_k. `transposed` (S_in a multiple of S_out): the input i with
    o = i + S_out * d_k. Inputs of the same batch index only. `search` says how
    the pairs are found, once that is decided. A map of a set to itself by the
    offset 0 alone, as a kernel of one cell has, needs none: its pairs are the rows.

    Errors: strides that are not multiples in that direction; offsets of another
    dimension; an offset times the finer stride beyond the packing's guard
    (named with axis, offset and guard); a search with `half` for two sets, or
    for offsets that are not symmetric about 0.
  }];
  let arguments = (ins
    SparseConv_CoordsType:$in,
    SparseConv_CoordsType:$out,
    SparseConv_OffsetSetInterface:$offsets,
    UnitAttr:$transposed,
    OptionalAttr<SparseConv_SearchAttr>:$search);
  let results = (outs SparseConv_KernelMapType:$map);
  let assemblyFormat = [{
    $in `to` $out `offsets` `(` custom<OffsetSet>($offsets) `)`
    (`transposed` $transposed^)? attr-dict `:` type($map)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether each row of a set meets itself, and nothing else.
    bool isIdentity();
  }];
}

/// The numbers of input rows, output rows and slots of tiles.
def SparseConv_TileSizes
    : Type<And<[RankedTensorOf<[Index]>.predicate,
                CPred<"::llvm::cast<::mlir::ShapedType>($_self).getShape() == "
                      "::llvm::ArrayRef<int64_t>({3})">]>,
           "a tensor of three indices", "::mlir::RankedTensorType">;

/// A map that the caller gives: its pairs are checked when it is made.
class SparseConv_GivenMapOp<string mnemonic> : SparseConv_Op<mnemonic,
    [NoMemoryEffect,
     TypesMatchWith<"the in set has the type that the map names",
                    "map", "in", "cast<KernelMapType>($_self).getIn()">,
     TypesMatchWith<"the out set has the type that the map names",
                    "map", "out", "cast<KernelMapType>($_self).getOut()">]> {
  let results = (outs SparseConv_KernelMapType:$map);
  let hasVerifier = 1;
}

def SparseConv_MapFromPairsOp : SparseConv_GivenMapOp<"map_from_pairs"> {
  let summary = "a kernel map from pairs of rows";
  let description = [{
    ```mlir
    %map = sparseconv.map_from_pairs %pairs, %fine to %half
        : tensor<?x3xi32>, !sparseconv.kernel_map<5, !fine to !half>
    ```

    Each row of `pairs` is (input row, output row, offset), in any order. The
    offsets 0 .. K-1 are numbers alone: what they mean, and which strides the
    two sets have, is up to the caller.

    A kernel map can be transposed, so an offset relates a row of either set to
    at most one row of the other.

    Run-time errors: an input row, an output row or an offset that is not there;
    a pair whose output row or input row has its offset in an earlier pair; more
    than 2^31-2 pairs.
  }];
  let arguments = (ins SparseConv_Points:$pairs, SparseConv_CoordsType:$in,
                       SparseConv_CoordsType:$out);
  let assemblyFormat = [{
    $pairs `,` $in `to` $out attr-dict `:` type($pairs) `,` type($map)
  }];
}

def SparseConv_MapFromTableOp : SparseConv_GivenMapOp<"map_from_table"> {
  let summary = "a kernel map from a neighbour table";
  let description = [{
    ```mlir
    %map = sparseconv.map_from_table %table, %fine to %half
        : tensor<?x5xi32>, !sparseconv.kernel_map<5, !fine to !half>
    ```

    `table[r, k]` is the input row that output row r meets by offset k, or -1:
    what `neighbour_table` gives. Offsets are as for `map_from_pairs`.

    Run-time errors: a table with another number of rows than `out`; an entry
    below -1, or not below the rows of `in`; an input row that has an offset in
    an earlier row of the table, too.
  }];
  let arguments = (ins SparseConv_Points:$table, SparseConv_CoordsType:$in,
                       SparseConv_CoordsType:$out);
  let assemblyFormat = [{
    $table `,` $in `to` $out attr-dict `:` type($table) `,` type($map)
  }];
  let hasFolder = 1;
}

def SparseConv_MapTilesOp : SparseConv_Op<"map_tiles",
    [Pure, SparseConv_Infer, SparseConv_ResultNames]> {
  let summary = "a kernel map by tiles of output rows";
  let description = [{
    ```mlir
    %table, %row, %masks, %sizes = sparseconv.map_tiles %map
        : !sparseconv.kernel_map<27, !fine to !half>
    ```

    What the implicit GEMM of a GPU reads of a map, for networks that share it:
    it is made once, and each of them has a map again by `map_from_tiles`. N is
    the number of output rows, K that of offsets, P is N rounded up to a
    multiple of 256. Which rows make a tile is up to the target, which follows
    `row_order` as for the layers of `conv`; without it the order is `gray`.

    | result   | type                      | holds |
    |----------|---------------------------|-------|
    | `%table` | tensor<K x ? x i32>       | [K, P]: the input row of the slot's row by offset k, or -1; anything where the mask of the slot lacks k |
    | `%row`   | tensor<? x i32>           | [P]: the output row of each slot, or -1 behind the last |
    | `%masks` | tensor<? x ceil(K/32) x i32> | [P / 16, ceil(K/32)]: bit k % 32 of word k / 32 is set where one of 16 rows has offset k |
    | `%sizes` | tensor<3 x index>         | the number of input rows, N and P |
  }];
  let arguments = (ins SparseConv_KernelMapType:$map,
                       OptionalAttr<SparseConv_RowOrderAttr>:$row_order);
  let results = (outs SparseConv_Points:$table, SparseConv_Rows:$row,
                      SparseConv_Points:$masks, SparseConv_TileSizes:$sizes);
  let assemblyFormat = "$map attr-dict `:` type($map)";
}

def SparseConv_MapFromTilesOp : SparseConv_GivenMapOp<"map_from_tiles"> {
  let summary = "a kernel map from its tiles";
  let description = [{
    ```mlir
    %map = sparseconv.map_from_tiles %table, %row, %masks, %sizes, %fine to %half
        : tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>,
          !sparseconv.kernel_map<27, !fine to !half>
    ```

    The map whose `map_tiles` are given: of two sets with as many rows as then.
    Where they are guaranteed (`--trust-tables`), layers on the map take rows in
    the order of these tiles, unless a layer's `row_order` names one.

    Run-time errors: those of `map_from_table`, for the table that the tiles are
    of. An output row that no slot has meets nothing.
  }];
  let arguments = (ins SparseConv_Points:$table, SparseConv_Rows:$row,
                       SparseConv_Points:$masks, SparseConv_TileSizes:$sizes,
                       SparseConv_CoordsType:$in, SparseConv_CoordsType:$out);
  let assemblyFormat = [{
    $table `,` $row `,` $masks `,` $sizes `,` $in `to` $out attr-dict
    `:` type($table) `,` type($row) `,` type($masks) `,` type($sizes) `,` type($map)
  }];
}

def SparseConv_TransposeMapOp : SparseConv_Op<"transpose_map",
    [Pure, SparseConv_Infer]> {
  let summary = "a kernel map with its sides swapped";
  let description = [{
    ```mlir
    %back = sparseconv.transpose_map %map : !map -> !back
    ```

    Offset k of the result relates the same pairs of rows as offset k of `map`.
  }];
  let arguments = (ins SparseConv_KernelMapType:$map);
  let results = (outs SparseConv_KernelMapType:$result);
  let assemblyFormat = "$map attr-dict `:` type($map) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def SparseConv_MapSizeOp : SparseConv_Op<"map_size", [Pure]> {
  let summary = "the number of rows of a side of a kernel map";
  let description = [{
    ```mlir
    %rows = sparseconv.map_size out %map : !map
    ```
  }];
  let arguments = (ins SparseConv_MapSideAttr:$side,
                       SparseConv_KernelMapType:$map);
  let results = (outs Index:$size);
  let assemblyFormat = "`` $side $map attr-dict `:` type($map)";
  let hasCanonicalizeMethod = 1;
}

def SparseConv_NeighbourTableOp : SparseConv_Op<"neighbour_table",
    [Pure, SparseConv_Infer, SparseConv_Reify]> {
  let summary = "a kernel map as a table of rows";
  let description = [{
    ```mlir
    %table = sparseconv.neighbour_table %map : !map -> tensor<?x27xi32>
    ```

    `table[r, k]` is the input row that output row r meets by offset k, or -1.
  }];
  let arguments = (ins SparseConv_KernelMapType:$map);
  let results = (outs SparseConv_Points:$table);
  let assemblyFormat = "$map attr-dict `:` type($map) `->` type($table)";
  let hasVerifier = 1;
}

def SparseConv_RenumberTableOp : SparseConv_Op<"renumber_table",
    [NoMemoryEffect, SparseConv_Infer, SparseConv_Reify]> {
  let summary = "a neighbour table for rows in another order";
  let description = [{
    ```mlir
    %by_point = sparseconv.renumber_table out %table, %row_of
        : tensor<?x27xi32>, tensor<?xi32> -> tensor<?x27xi32>
    %moved = sparseconv.renumber_table in %by_point, %order
        : tensor<?x27xi32>, tensor<?xi32> -> tensor<?x27xi32>
    ```

    For features that are not in the order of a set: `row_of` and `order` here
    are those of its `pack`, and `%moved` relates points in their own order.

    | side  | result |
    |-------|--------|
    | `out` | row i is row `rows[i]` of the table; it is all -1 where `rows[i]` is -1 |
    | `in`  | an entry r is `rows[r]`; an entry of -1 stays |

    Run-time errors: `out`: an index below -1, or not below the rows of the
    table. `in`: an entry below -1, or not below the length of `rows`.
  }];
  let arguments = (ins SparseConv_MapSideAttr:$side, SparseConv_Points:$table,
                       SparseConv_Rows:$rows);
  let results = (outs SparseConv_Points:$result);
  let assemblyFormat = [{
    `` $side $table `,` $rows attr-dict `:` type($table) `,` type($rows) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // SPARSECONV_MAP_OPS
