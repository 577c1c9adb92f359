//===- SparseConvRowOps.td - moving rows between sets, points and grids --*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_ROW_OPS
#define SPARSECONV_ROW_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvOpBase.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvConvOps.td"

def SparseConv_GatherOp : SparseConv_ComputeOp<"gather"> {
  let summary = "picks rows by index";
  let description = [{
    ```mlir
    %y = sparseconv.gather %x, %rows : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
    ```

    y[i] = x[rows[i]]; a row index of -1 gives zeros. The adjoint of `scatter`.

    Run-time errors: a row index below -1, or not below the rows of `x`.
  }];
  let arguments = (ins SparseConv_Features:$x, SparseConv_Rows:$rows);
  let results = (outs SparseConv_Features:$y);
  let assemblyFormat = [{
    $x `,` $rows attr-dict `:` type($x) `,` type($rows) `->` type($y)
  }];
  let hasVerifier = 1;
}

def SparseConv_ScatterOp : SparseConv_Op<"scatter",
    [NoMemoryEffect, SparseConv_Infer, SparseConv_Reify]> {
  let summary = "combines rows by index";
  let description = [{
    ```mlir
    %y = sparseconv.scatter %x, %rows into %n : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
    %z = sparseconv.scatter avg %x, %rows into %n : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
    ```

    y has `n` rows; y[r] = sum over i with rows[i] = r of x[i], accumulated in
    f32 in ascending order of i and rounded once. A row index of -1 is skipped.
    The adjoint of `gather`. `avg` divides by the number of rows combined, and
    `max` takes the largest. A row that nothing reaches gives 0.

    Run-time errors: `x` and `rows` of different length; a row index below -1,
    or not below `n`; `n` negative or above 2^31-2.
  }];
  let arguments = (ins
    DefaultValuedAttr<SparseConv_PoolKindAttr,
                      "::mlir::sparseconv::PoolKind::Sum">:$kind,
    SparseConv_Features:$x, SparseConv_Rows:$rows, Index:$n);
  let results = (outs SparseConv_Features:$y);
  let assemblyFormat = [{
    `` custom<ScatterKind>($kind) $x `,` $rows `into` $n attr-dict
    `:` type($x) `,` type($rows) `->` type($y)
  }];
  let hasVerifier = 1;
}

def SparseConv_VoxeliseOp : SparseConv_ComputeOp<"voxelise"> {
  let summary = "combines point features into the voxels of a set";
  let description = [{
    ```mlir
    %y = sparseconv.voxelise nearest avg %x, %points, %coords
        : tensor<?x4xf32>, tensor<?x4xf32>, !set -> tensor<?x4xf32>
    ```

    `points` [P, 1 + D] holds (batch, x, y, ...) as real numbers in units of the
    finest grid, and `x` [P, C] their features. y[r] = sum over p of w(r, p) *
    x[p], in ascending order of p, where w(r, p) is the weight of point p at row
    r: for `nearest`, 1 at the voxel whose cell holds the point; for
    `trilinear`, see the attribute. `avg` divides by the sum of the weights. A
    row that no point reaches gives 0. With `sum` it is the adjoint of
    `devoxelise`.

    The weights are computed in f32. With q = p / S and t = q - floor(q), a
    weight is the product over the axes, first axis first, of 1 - t for the
    coordinate floor(q) * S, or of t for the next one. Points beyond the
    packing, and those whose batch index is not a whole number, reach no voxel.
    `max` takes `nearest` only.

    Run-time errors: `x` and `points` of different length; a coordinate that is
    not finite.
  }];
  let arguments = (ins
    SparseConv_InterpolationAttr:$interpolation,
    SparseConv_PoolKindAttr:$kind,
    SparseConv_Features:$x,
    SparseConv_RealPoints:$points,
    SparseConv_CoordsType:$coords);
  let results = (outs SparseConv_Features:$y);
  let assemblyFormat = [{
    `` $interpolation `` $kind $x `,` $points `,` $coords attr-dict
    `:` type($x) `,` type($points) `,` type($coords) `->` type($y)
  }];
  let hasVerifier = 1;
}

def SparseConv_DevoxeliseOp : SparseConv_ComputeOp<"devoxelise"> {
  let summary = "reads voxel features at points";
  let description = [{
    ```mlir
    %y = sparseconv.devoxelise trilinear %x, %points, %coords
        : tensor<?x64xf16>, tensor<?x4xf32>, !set -> tensor<?x64xf16>
    ```

    `x` has the rows of the set; y[p] = sum over r of w(r, p) * x[r], with the
    weights of `voxelise`. A point that no voxel reaches gives 0. The adjoint of
    `voxelise` with `sum`.

    Run-time errors: `x` with another number of rows than the set; a coordinate
    that is not finite.
  }];
  let arguments = (ins
    SparseConv_InterpolationAttr:$interpolation,
    SparseConv_Features:$x,
    SparseConv_RealPoints:$points,
    SparseConv_CoordsType:$coords);
  let results = (outs SparseConv_Features:$y);
  let assemblyFormat = [{
    `` $interpolation $x `,` $points `,` $coords attr-dict
    `:` type($x) `,` type($points) `,` type($coords) `->` type($y)
  }];
  let hasVerifier = 1;
}

def SparseConv_ToDenseOp : SparseConv_Op<"to_dense", [NoMemoryEffect]> {
  let summary = "writes rows into a dense grid";
  let description = [{
    ```mlir
    %d = sparseconv.to_dense %x, %coords origin [0, 0, 0]
        : tensor<?x64xf16>, !set -> tensor<2x32x32x8x64xf16>
    ```

    The result [batch, n_1, ..., n_D, C] holds at (b, i_1, ..) the row with the
    coordinate origin + i * S of batch item b, zeros where there is none. The
    adjoint of `from_dense`.

    Run-time errors: a coordinate or batch index outside the grid (axis, value
    and bound are reported); `x` with another number of rows than the set.
  }];
  let arguments = (ins
    SparseConv_Features:$x,
    SparseConv_CoordsType:$coords,
    DenseI64ArrayAttr:$origin);
  let results = (outs SparseConv_Dense:$dense);
  let assemblyFormat = [{
    $x `,` $coords `origin` $origin attr-dict
    `:` type($x) `,` type($coords) `->` type($dense)
  }];
  let hasVerifier = 1;
}

def SparseConv_FromDenseOp : SparseConv_ComputeOp<"from_dense"> {
  let summary = "reads the rows of a set from a dense grid";
  let description = [{
    ```mlir
    %x = sparseconv.from_dense %d, %coords origin [0, 0, 0]
        : tensor<2x32x32x8x64xf16>, !set -> tensor<?x64xf16>
    ```

    x[r] is the grid's value at the coordinate of row r; layout and run-time
    errors as for `to_dense`, whose adjoint this is.
  }];
  let arguments = (ins
    SparseConv_Dense:$dense,
    SparseConv_CoordsType:$coords,
    DenseI64ArrayAttr:$origin);
  let results = (outs SparseConv_Features:$x);
  let assemblyFormat = [{
    $dense `,` $coords `origin` $origin attr-dict
    `:` type($dense) `,` type($coords) `->` type($x)
  }];
  let hasVerifier = 1;
}

#endif // SPARSECONV_ROW_OPS
