//===- SparseConvKernelRowOps.td - kernels that move rows --*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_ROW_OPS
#define SPARSECONV_KERNEL_ROW_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelOpBase.td"

def SparseConv_GuardRowsOp : SparseConv_Op<"kernel.guard_rows",
    [AllTypesMatch<["x", "result"]>]> {
  let summary = "features that have the rows of their set";
  let description = [{
    ```mlir
    %0 = sparseconv.kernel.guard_rows %x rows(%n)
        status(%status : memref<8xi64>)
        {op_id = 3 : i64, operand = 0 : i64, side = 0 : i64} : tensor<?x64xf32>
    ```

    `x` where it has `rows` rows. Otherwise the mismatch is reported and the
    result is `rows` rows of zeros, so that what follows stays in bounds.
    `operand` is the number of the operand of the network operation, and `side`
    says what it was compared with, as in the status record. With `length` the
    report says that operand `operand` has `rows` rows where `x` has another
    number.
  }];
  let arguments = (ins
    2DTensorOf<[F32, F16, BF16]>:$x, Index:$rows,
    Arg<SparseConv_Status, "", [MemRead, MemWrite]>:$status,
    I64Attr:$op_id, I64Attr:$operand, I64Attr:$side, UnitAttr:$length);
  let results = (outs 2DTensorOf<[F32, F16, BF16]>:$result);
  let assemblyFormat = [{
    $x `rows` `(` $rows `)` `status` `(` $status `:` type($status) `)` attr-dict
    `:` type($x)
  }];
  let hasVerifier = 1;
}

def SparseConv_GatherRowsOp : SparseConv_KernelOp<"gather_rows", "getY"> {
  let summary = "rows by index";
  let description = [{
    ```mlir
    sparseconv.kernel.gather_rows
        ins(%x, %rows, %status : memref<?x64xf16>, memref<?xi32>, memref<8xi64>)
        outs(%y : memref<?x64xf16>) {op_id = 1 : i64}
    ```

    y[i] = x[rows[i]], or zeros where rows[i] is -1. `x` is [N, C], `rows` [M],
    `y` [M, C].

    Run-time errors: an index outside -1 .. N-1; its row is zeros. Where `rows`
    are `trusted`, there is none.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_RowsLike:$rows,
    SparseConv_Status:$status, SparseConv_FeaturesLike:$y, I64Attr:$op_id,
    UnitAttr:$trusted);
}

def SparseConv_Im2colOp : SparseConv_KernelOp<"im2col", "getColumns"> {
  let summary = "the rows that each output row meets, side by side";
  let description = [{
    ```mlir
    sparseconv.kernel.im2col
        ins(%x, %table : memref<?x64xf16>, memref<?x27xi32>)
        outs(%columns : memref<?x27x64xf16>)
    ```

    columns[r, k] = x[table[r, k]], or zeros where the entry is not a row of
    `x`. `x` is [N_in, C], `table` [N_out, K], `columns` [N_out, K, C]: with
    the axes of offsets and channels as one it is the matrix that an explicit
    GEMM multiplies by the weights [K * C, C_out] (Chellapilla et al., 2006, for
    dense images).
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_TableLike:$table,
    SparseConv_Shaped<[F32, F16, BF16], [3]>:$columns);
}

def SparseConv_InterpolateOp
    : SparseConv_KernelOp<"interpolate", "getRows"> {
  let summary = "rows and weights of the voxels around points";
  let description = [{
    ```mlir
    sparseconv.kernel.interpolate
        ins(%points, %keys, %status
            : memref<?x4xf32>, memref<?xi64>, memref<8xi64>)
        outs(%rows, %weights : memref<?x8xi32>, memref<?x8xf32>)
        {interpolation = #sparseconv<interpolation trilinear>, op_id = 2 : i64,
         set = !set}
    ```

    For each of P points the J rows of `keys` around it and their weights.
    `points` is [P, 1 + D], (batch, x, y, ...) in units of the finest grid;
    `rows` and `weights` are [P, J]. J is 1 for `nearest` and 2^D for
    `trilinear`, the last axis fastest. A row is -1 where there is no voxel, or
    where the weight is 0.

    With q = p / S in f32, base = floor(q) and t = q - base, a weight is the
    product over the axes, in order, of t or 1 - t. A point whose batch index is
    not a whole number reaches no voxel.

    Run-time errors: a coordinate that is not finite; the point's rows are -1
    and its weights 0.
  }];
  let arguments = (ins
    SparseConv_RealsLike:$points, SparseConv_KeysLike:$keys,
    SparseConv_Status:$status,
    SparseConv_TableLike:$rows, SparseConv_RealsLike:$weights,
    SparseConv_InterpolationAttr:$interpolation,
    TypeAttrOf<SparseConv_CoordsType>:$set, I64Attr:$op_id);
}

def SparseConv_WeightedGatherOp
    : SparseConv_KernelOp<"weighted_gather", "getY"> {
  let summary = "weighted sums of rows by index";
  let description = [{
    ```mlir
    sparseconv.kernel.weighted_gather
        ins(%x, %rows, %weights
            : memref<?x64xf16>, memref<?x8xi32>, memref<?x8xf32>)
        outs(%y : memref<?x64xf16>)
    ```

    y[p] = sum over j of weights[p, j] * x[rows[p, j]], in f32 in the order of
    j; rows of -1 are skipped. `x` is [N, C], `rows` and `weights` are [P, J],
    `y` is [P, C].
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_TableLike:$rows,
    SparseConv_RealsLike:$weights, SparseConv_FeaturesLike:$y);
}

def SparseConv_ScatterRowsOp
    : SparseConv_KernelOp<"scatter_rows", "getY"> {
  let summary = "weighted sums of rows to index";
  let description = [{
    ```mlir
    sparseconv.kernel.scatter_rows
        ins(%x, %rows, %weights, %status
            : memref<?x64xf16>, memref<?x8xi32>, memref<?x8xf32>, memref<8xi64>)
        outs(%y : memref<?x64xf16>)
        {kind = #sparseconv<pool_kind avg>, op_id = 2 : i64}
    ```

    y[r] = sum over (p, j) with rows[p, j] = r of weights[p, j] * x[p], in f32
    in ascending order of (p, j). `avg` divides by the sum of the weights; `max`
    takes the largest x[p]. A row that no pair names is 0, and rows of -1 are
    skipped. `x` is [P, C], `rows` and `weights` are [P, J], `y` is [M, C].

    Run-time errors: an index outside -1 .. M-1, which is skipped. The row of
    the error is the position of (p, j).
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_TableLike:$rows,
    SparseConv_RealsLike:$weights, SparseConv_Status:$status,
    SparseConv_FeaturesLike:$y, SparseConv_PoolKindAttr:$kind, I64Attr:$op_id);
}

def SparseConv_ToDenseKernelOp
    : SparseConv_KernelOp<"to_dense", "getDense"> {
  let summary = "rows into a dense grid";
  let description = [{
    ```mlir
    sparseconv.kernel.to_dense
        ins(%x, %keys, %status : memref<?x64xf16>, memref<?xi64>, memref<8xi64>)
        outs(%dense : memref<2x32x32x8x64xf16>)
        {op_id = 3 : i64, origin = array<i64: 0, 0, 0>, set = !set}
    ```

    dense[b, i_1, ..., i_D] = x[r] where keys[r] is the coordinate origin + i *
    S of batch item b. The grid holds zeros before; cells without a row keep
    them. `x` is [N, C], `keys` [N]; `origin` is in units of the finest grid.
    With `channels_first` the grid is [batch, C, n_1, ..., n_D].

    Run-time errors: a coordinate or batch index outside the grid; its row is
    skipped.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_KeysLike:$keys,
    SparseConv_Status:$status, SparseConv_DenseLike:$dense,
    DenseI64ArrayAttr:$origin, TypeAttrOf<SparseConv_CoordsType>:$set,
    I64Attr:$op_id, UnitAttr:$channels_first);
}

def SparseConv_FromDenseKernelOp
    : SparseConv_KernelOp<"from_dense", "getX"> {
  let summary = "rows from a dense grid";
  let description = [{
    ```mlir
    sparseconv.kernel.from_dense
        ins(%dense, %keys, %status
            : memref<2x32x32x8x64xf16>, memref<?xi64>, memref<8xi64>)
        outs(%x : memref<?x64xf16>)
        {op_id = 3 : i64, origin = array<i64: 0, 0, 0>, set = !set}
    ```

    x[r] = the cell of `dense` that `to_dense` writes for keys[r]. Shapes and
    units as there.

    Run-time errors: a coordinate or batch index outside the grid; its row is
    zeros.
  }];
  let arguments = (ins
    SparseConv_DenseLike:$dense, SparseConv_KeysLike:$keys,
    SparseConv_Status:$status, SparseConv_FeaturesLike:$x,
    DenseI64ArrayAttr:$origin, TypeAttrOf<SparseConv_CoordsType>:$set,
    I64Attr:$op_id);
}

#endif // SPARSECONV_KERNEL_ROW_OPS
