//===- SparseConvSetOps.td - sets made of sets -------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SET_OPS
#define SPARSECONV_SET_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvOpBase.td"

def SparseConv_DownsampleOp : SparseConv_Op<"downsample",
    [NoMemoryEffect, SparseConv_Infer]> {
  let summary = "a set at a coarser stride";
  let description = [{
    ```mlir
    %half = sparseconv.downsample %fine by [2, 2, 2] : !fine -> !half
    %covering = sparseconv.downsample %fine by [2, 2, 2] cover
        offsets(box<3, 3, 3>) clip(<[0, 0, 0] to [64, 64, 64]>)
        : !fine -> !half
    ```

    The result's stride is S_out = S_in * `by`. With the `floor` rule (nothing
    written) the result is unique(floor(c / S_out) * S_out), so that nested
    floors compose. With `cover` it is every multiple o of S_out for which o +
    S_in * d is in the set for some offset d: the outputs of a dense strided
    convolution. Where `clip` gives a region, coordinates outside it are left
    out. `cover` with the cells of a coarse coordinate, a `corner` box of size
    `by`, is `floor`.

    `capacity` bounds the rows of a `cover` result; more are an error. Without it
    a GPU starts with memory for twice the rows of the first set and repeats a run
    that needs more, up to what geometry allows: the outputs that one coordinate
    can meet (two on an axis, for a window of 3 at stride 2) times the rows, or the
    cells of the packing or the clip region.

    `coarsening` says how a target makes the set; the result is the same. `merge`
    works for `floor` and cells of up to 16 columns along the last axis (the product
    of the other factors), where the lowest coordinate of the packing begins a cell:
    no result can be beyond it then. `bitmap` works for a `clip` region within the
    packing, on two axes and more, and looks at all of its cells, of which it takes
    2^28 and, on axis 0, 2^14; at the same place on the first two axes 2^18. Batch
    indices may have 8 bits, an axis 30, and there may be 64 offsets. For `floor`
    these are the cells of one coordinate, which the guard of the packing holds.

    Errors: offsets beyond the packing's guard, offsets or a capacity with `floor`,
    or none with `cover`; a `coarsening` that the rule or the sets do not allow.
    Run-time errors: a result beyond the packing; more than 2^31-2 rows; more
    rows than `capacity`.
  }];
  let arguments = (ins
    SparseConv_CoordsType:$coords,
    DenseI64ArrayAttr:$by,
    DefaultValuedAttr<SparseConv_OutputRuleAttr,
                      "::mlir::sparseconv::OutputRule::Floor">:$rule,
    OptionalAttr<SparseConv_OffsetSetInterface>:$offsets,
    OptionalAttr<SparseConv_RegionAttr>:$clip,
    OptionalAttr<I64Attr>:$capacity,
    OptionalAttr<SparseConv_CoarseningAttr>:$coarsening);
  let results = (outs SparseConv_CoordsType:$result);
  let assemblyFormat = [{
    $coords `by` $by `` custom<OutputRule>($rule)
    (`offsets` `(` custom<OffsetSet>($offsets)^ `)`)?
    (`clip` `(` $clip^ `)`)? (`capacity` `(` $capacity^ `)`)?
    attr-dict `:` type($coords) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// The offsets written, or the box that stands for `floor`.
    OffsetSetInterface getEffectiveOffsets();
    /// Why the set cannot be made in a way, or nothing.
    std::string describeProblem(Coarsening coarsening);
  }];
}

def SparseConv_UpsampleOp : SparseConv_Op<"upsample",
    [NoMemoryEffect, SparseConv_Infer]> {
  let summary = "a set at a finer stride";
  let description = [{
    ```mlir
    %fine = sparseconv.upsample %half by [2, 2, 2] : !half -> !fine
    %wider = sparseconv.upsample %half by [2, 2, 2] offsets(box<3, 3, 3>)
        : !half -> !fine
    ```

    The transposed `cover`: every c + S_out * d for a coordinate c of the set
    and an offset d, where S_out = S_in / `by`. Where `clip` gives a region,
    coordinates outside it are left out. The offsets default to all cells of the
    coarse coordinate: a `corner` box of size `by`.

    Errors: `by` that does not divide the stride; offsets beyond the packing's
    guard, or more than 2^20 cells; a capacity beyond 2^31-2.
    Run-time errors: as for `downsample` with `cover`.
  }];
  let arguments = (ins
    SparseConv_CoordsType:$coords,
    DenseI64ArrayAttr:$by,
    OptionalAttr<SparseConv_OffsetSetInterface>:$offsets,
    OptionalAttr<SparseConv_RegionAttr>:$clip,
    OptionalAttr<I64Attr>:$capacity);
  let results = (outs SparseConv_CoordsType:$result);
  let assemblyFormat = [{
    $coords `by` $by (`offsets` `(` custom<OffsetSet>($offsets)^ `)`)?
    (`clip` `(` $clip^ `)`)? (`capacity` `(` $capacity^ `)`)?
    attr-dict `:` type($coords) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// The offsets written, or the box that stands for them.
    OffsetSetInterface getEffectiveOffsets();
    /// Whether the result has all cells of each coordinate, and no others.
    bool makesAllCells();
  }];
}

def SparseConv_SubdivideOp : SparseConv_Op<"subdivide",
    [NoMemoryEffect, AttrSizedOperandSegments, SparseConv_Infer,
     SparseConv_Reify, SparseConv_ResultNames]> {
  let summary = "all cells of each coordinate, and whose cells they are";
  let description = [{
    ```mlir
    %fine, %rows, %order, %row_of = sparseconv.subdivide %half by [2, 2, 2] : !half
    ```

    The set `upsample` makes of all cells: every c + S_out * d for a coordinate
    c of the set and 0 <= d < `by`, where S_out = S_in / `by`. With V cells for
    each coordinate, numbered with the last axis fastest, the set of N
    coordinates becomes one of N * V. `rows[r]` is the row of `coords` of which
    row r of the result is a cell, `order[r]` = rows[r] * V + cell, and `row_of`
    says the row of each cell: row_of[order[r]] = r.

    Where `points` gives the `order` and `row_of` of the `pack` that made the
    coordinates, the cells are numbered by points: `order` and `row_of` are
    those of a `pack` of the cells of all P points, cells fastest:

    ```mlir
    %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !half
    %fine, %rows, %cell_order, %cell_row_of = sparseconv.subdivide %coords
        by [2, 2, 2] points(%order, %row_of : tensor<?xi32>, tensor<?xi32>) : !half
    ```

    Then `order[r]` is the number of the point of row rows[r], times V, plus the
    cell. The cells of a point whose `row_of` is no row of the set have row -1.

    Errors: `by` does not divide the stride; more than 2^20 cells.
    Run-time errors: a result beyond the packing; more than 2^31-2 rows, or
    cells of points; an `order` with another number of rows than the set.
  }];
  let arguments = (ins
    SparseConv_CoordsType:$coords, DenseI64ArrayAttr:$by,
    Optional<SparseConv_Rows>:$points_order,
    Optional<SparseConv_Rows>:$points_row_of);
  let results = (outs SparseConv_CoordsType:$fine, SparseConv_Rows:$rows,
                      SparseConv_Rows:$order, SparseConv_Rows:$row_of);
  let assemblyFormat = [{
    $coords `by` $by
    (`points` `(` $points_order^ `,` $points_row_of `:` type($points_order) `,`
     type($points_row_of) `)`)?
    attr-dict `:` type($coords)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many cells a coordinate has.
    int64_t getNumCells();
  }];
}

def SparseConv_RescaleOp : SparseConv_Op<"rescale",
    [NoMemoryEffect, SparseConv_Infer]> {
  let summary = "the same set on a finer grid";
  let description = [{
    ```mlir
    %half = sparseconv.rescale %coords by [2, 2, 2] : !set -> !half
    ```

    Coordinates and stride times `by`, in the same rows: what was counted in
    units of a grid is now counted in those of one that is `by` times as fine,
    on which `subdivide` makes the cells of each coordinate.

    Run-time errors: a result beyond the packing.
  }];
  let arguments = (ins SparseConv_CoordsType:$coords, DenseI64ArrayAttr:$by);
  let results = (outs SparseConv_CoordsType:$result);
  let assemblyFormat = [{
    $coords `by` $by attr-dict `:` type($coords) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def SparseConv_ExpandOp : SparseConv_Op<"expand",
    [NoMemoryEffect, SameOperandsAndResultType]> {
  let summary = "generative expansion: a set grown by offsets";
  let description = [{
    ```mlir
    %grown = sparseconv.expand %coords offsets(box<3, 3, 3>) : !set
    ```

    `cover` at equal strides: every multiple o of the stride S for which
    o + S * d is in the set for some offset d. With `transposed`, every
    c + S * d. The two agree for offset sets symmetric about 0.

    Errors: offsets beyond the packing's guard; a capacity beyond 2^31-2.
    Run-time errors: as for `downsample` with `cover`.
  }];
  let arguments = (ins
    SparseConv_CoordsType:$coords,
    SparseConv_OffsetSetInterface:$offsets,
    UnitAttr:$transposed,
    OptionalAttr<SparseConv_RegionAttr>:$clip,
    OptionalAttr<I64Attr>:$capacity);
  let results = (outs SparseConv_CoordsType:$result);
  let assemblyFormat = [{
    $coords `offsets` `(` custom<OffsetSet>($offsets) `)`
    (`transposed` $transposed^)?
    (`clip` `(` $clip^ `)`)? (`capacity` `(` $capacity^ `)`)?
    attr-dict `:` type($coords)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

class SparseConv_MergeOp<string mnemonic> : SparseConv_Op<mnemonic,
    [NoMemoryEffect, SparseConv_Infer, SparseConv_Reify,
     SparseConv_ResultNames, AllTypesMatch<["lhs", "rhs"]>]> {
  let arguments = (ins SparseConv_CoordsType:$lhs, SparseConv_CoordsType:$rhs);
  let results = (outs SparseConv_CoordsType:$coords,
                      SparseConv_Rows:$lhs_rows, SparseConv_Rows:$rhs_rows);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
  let hasCanonicalizeMethod = 1;
}

def SparseConv_UnionOp : SparseConv_MergeOp<"union"> {
  let summary = "the coordinates of either set";
  let description = [{
    ```mlir
    %coords, %lhs_rows, %rhs_rows = sparseconv.union %a, %b : !set
    ```

    `lhs_rows[i]` is the row of the union that row i of `a` became, likewise
    `rhs_rows`: features are added by a `scatter` of each side.

    Run-time errors: more than 2^31-2 rows.
  }];
}

def SparseConv_IntersectionOp : SparseConv_MergeOp<"intersection"> {
  let summary = "the coordinates of both sets";
  let description = [{
    ```mlir
    %coords, %lhs_rows, %rhs_rows = sparseconv.intersection %a, %b : !set
    ```

    `lhs_rows[r]` is the row of `a` that row r of the result came from, likewise
    `rhs_rows`: features follow by a `gather` of each side.
  }];
}

def SparseConv_PruneOp : SparseConv_Op<"prune",
    [NoMemoryEffect, SparseConv_Infer, SparseConv_Reify,
     SparseConv_ResultNames]> {
  let summary = "the coordinates where a mask is true";
  let description = [{
    ```mlir
    %kept, %rows = sparseconv.prune %coords, %mask : !set, tensor<?xi1>
    ```

    `mask` has one element for each row of the set; `rows[r]` is the row of
    `coords` that row r of the result came from.

    Run-time errors: a mask of another number of rows.
  }];
  let arguments = (ins SparseConv_CoordsType:$coords, SparseConv_Mask:$mask);
  let results = (outs SparseConv_CoordsType:$result, SparseConv_Rows:$rows);
  let assemblyFormat =
      "$coords `,` $mask attr-dict `:` type($coords) `,` type($mask)";
}

#endif // SPARSECONV_SET_OPS
