//===- SparseConvCoordOps.td - points and coordinate sets --*- tablegen -*-===//
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

    Errors: `in_order` with `clip`.
    Run-time errors: a coordinate or batch index beyond the packing (axis,
    value and bound are reported); a coordinate that is not a multiple of the
    set's stride; more than 2^31-2 points.
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

#endif // SPARSECONV_COORD_OPS
