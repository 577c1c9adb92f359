//===- SparseConvCoordOps.td - operations on coordinate sets --*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_COORD_OPS
#define SPARSECONV_COORD_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvOpBase.td"

def SparseConv_PackOp : SparseConv_Op<"pack",
    [NoMemoryEffect, SparseConv_Reify, SparseConv_ResultNames]> {
  let summary = "makes a coordinate set from points";
  let description = [{
    ```mlir
    %coords, %order, %row_of = sparseconv.pack %points
        : tensor<?x4xi32> -> !sparseconv.coords<3, stride = [1, 1, 1], #packing>
    ```

    `points` has one row (batch, x, y, ...) per point, in units of the finest
    grid; duplicates are legal. `order[r]` is the lowest index of the points
    with the coordinate of row r, and `row_of[i]` is the row of point i.
    Features come into set order by `gather %x, %order`, and results go back by
    `gather %y, %row_of`.

    Where `clip` gives a region, points outside it are left out, and so are
    those of batch index -1; their `row_of` is -1:

    ```mlir
    %coords, %order, %row_of = sparseconv.pack %points
        clip(<[0, -800, 0] to [1408, 800, 40]>) : tensor<?x4xi32> -> !set
    ```

    `in_order` says that the points are those of a set, in its order. It changes
    no result, but whoever compiles may vouch for it (`--trust-tables`), and
    then nothing is checked or sorted:

    ```mlir
    %coords, %order, %row_of = sparseconv.pack %points {in_order}
        : tensor<?x4xi32> -> !set
    ```

    Run-time errors: a coordinate or batch index beyond the packing (axis,
    value and bound are reported); a coordinate that is not a multiple of the
    set's stride; more than 2^31-2 points. Verification: `in_order` with `clip`.
  }];
  let arguments = (ins SparseConv_Points:$points,
                       OptionalAttr<SparseConv_RegionAttr>:$clip,
                       UnitAttr:$in_order);
  let results = (outs SparseConv_CoordsType:$coords, SparseConv_Rows:$order,
                      SparseConv_Rows:$row_of);
  let builders = [OpBuilder<(ins "CoordsType":$type, "Value":$points,
                                 CArg<"RegionAttr", "{}">:$clip)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def SparseConv_QuantiseOp : SparseConv_Op<"quantise",
    [Pure, SparseConv_Infer, SparseConv_Reify]> {
  let summary = "the coordinates of points in space";
  let description = [{
    ```mlir
    %coordinates = sparseconv.quantise %points
        origin [0.0, -40.0, -2.0] size [0.05, 0.05, 0.1]
        : tensor<?x3xf32> -> tensor<?x4xi32>
    ```

    `points` holds (x, y, ...), or (batch, x, y, ...), in any unit of length,
    such as metres, and `size` is that of a voxel. A row of the result is
    (batch, floor((x - origin) / size), ...), computed in f32; points without a
    batch index are of item 0.

    A point with a coordinate that is not finite or beyond i32, or a batch index
    that is not a whole number or beyond i32, becomes (-1, 0, 0, ...): `pack`
    with `clip` leaves it out, and without is an error of that operation.

    From points in space to the mean, largest or first features of each voxel:

    ```mlir
    %coords, %order, %row_of = sparseconv.pack %coordinates
        clip(<[0, 0, 0] to [1408, 1600, 40]>) : tensor<?x4xi32> -> !set
    %rows = sparseconv.size %coords : !set
    %mean = sparseconv.scatter avg %x, %row_of into %rows
        : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
    %first = sparseconv.gather %x, %order
        : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins SparseConv_RealPoints:$points,
                       DenseF32ArrayAttr:$origin, DenseF32ArrayAttr:$voxel_size);
  let results = (outs SparseConv_Points:$coordinates);
  let assemblyFormat = [{
    $points `origin` $origin `size` $voxel_size attr-dict
    `:` type($points) `->` type($coordinates)
  }];
  let hasVerifier = 1;
}

def SparseConv_UnpackOp : SparseConv_Op<"unpack",
    [Pure, SparseConv_Infer, SparseConv_Reify]> {
  let summary = "the coordinates of a set as integers";
  let description = [{
    ```mlir
    %points = sparseconv.unpack %coords : !set -> tensor<?x4xi32>
    ```

    One row (batch, x, y, ...) for each row of the set, in set order.
  }];
  let arguments = (ins SparseConv_CoordsType:$coords);
  let results = (outs SparseConv_Points:$points);
  let assemblyFormat =
      "$coords attr-dict `:` type($coords) `->` type($points)";
  let hasVerifier = 1;
}

def SparseConv_SizeOp : SparseConv_Op<"size", [Pure]> {
  let summary = "the number of rows of a set";
  let description = [{
    ```mlir
    %rows = sparseconv.size %coords : !set
    ```
  }];
  let arguments = (ins SparseConv_CoordsType:$coords);
  let results = (outs Index:$size);
  let assemblyFormat = "$coords attr-dict `:` type($coords)";
}

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
    indices may have 8 bits, an axis 30, and there may be 64 offsets.

    Errors: a `coarsening` that the rule or the sets do not allow.
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
  let extraClassDeclaration = [{
    /// The offsets written, or the box that stands for them.
    OffsetSetInterface getEffectiveOffsets();
  }];
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

#endif // SPARSECONV_COORD_OPS
