//===- SparseConvKernelPoolOps.td - kernels of pooling -----*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_POOL_OPS
#define SPARSECONV_KERNEL_POOL_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelOpBase.td"

def SparseConv_PoolKernelOp : SparseConv_KernelOp<"pool", "getY"> {
  let summary = "pooling over a neighbour table";
  let description = [{
    ```mlir
    sparseconv.kernel.pool
        ins(%x, %table : memref<?x64xf16>, memref<?x27xi32>)
        outs(%y : memref<?x64xf16>)
        {count_kind = #sparseconv<count_kind present>,
         kind = #sparseconv<pool_kind avg>}
    ```

    y[r] = the maximum, the average or the sum over k of x[table[r, k]], in f32
    in the order of k. Entries of -1 are left out, and a row without others is
    0. For `max` a NaN is above every number, and the first of equals stays.
    `avg` divides by the number of entries or, with `count_kind` `volume`, by K.
    `x` is [N_in, C], `table` [N_out, K], `y` [N_out, C].
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_TableLike:$table,
    SparseConv_FeaturesLike:$y,
    SparseConv_PoolKindAttr:$kind, SparseConv_CountKindAttr:$count_kind);
}

def SparseConv_PoolGradKernelOp
    : SparseConv_KernelOp<"pool_grad", "getDx"> {
  let summary = "gradient of pooling over a neighbour table";
  let description = [{
    ```mlir
    sparseconv.kernel.pool_grad
        ins(%dy, %table, %inverse, %x
            : memref<?x64xf16>, memref<?x27xi32>, memref<?x27xi32>,
              memref<?x64xf16>)
        outs(%dx : memref<?x64xf16>)
        {count_kind = #sparseconv<count_kind present>,
         kind = #sparseconv<pool_kind max>}
    ```

    dx[i] = sum over k with inverse[i, k] = r >= 0 of the share of dy[r] that
    `sparseconv.pool_grad` gives to i, in f32. `dy` is [N_out, C], `table`
    [N_out, K], its `inverse` [N_in, K], `dx` [N_in, C]. Only `max` reads `x`
    [N_in, C]; the others are given `dy` in its place.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$dy, SparseConv_TableLike:$table,
    SparseConv_TableLike:$inverse, SparseConv_FeaturesLike:$x,
    SparseConv_FeaturesLike:$dx,
    SparseConv_PoolKindAttr:$kind, SparseConv_CountKindAttr:$count_kind);
}

def SparseConv_GlobalPoolKernelOp
    : SparseConv_KernelOp<"global_pool", "getY"> {
  let summary = "pooling over the rows of each batch item";
  let description = [{
    ```mlir
    sparseconv.kernel.global_pool
        ins(%x, %keys, %status : memref<?x64xf16>, memref<?xi64>, memref<8xi64>)
        outs(%y : memref<4x64xf16>)
        {kind = #sparseconv<pool_kind avg>, op_id = 5 : i64, packing = #packing}
    ```

    y[b] combines the rows of `x` [N, C] whose key in `keys` [N] has batch index
    b, in f32; none gives 0. `y` is [B, C]. The CPU adds rows in their order. A
    GPU adds them in shares that the numbers of rows decide.

    Run-time errors: a batch index that is not below B; its row is left out.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_KeysLike:$keys,
    SparseConv_Status:$status, SparseConv_FeaturesLike:$y,
    SparseConv_PoolKindAttr:$kind, SparseConv_PackingAttr:$packing,
    I64Attr:$op_id);
}

def SparseConv_GlobalPoolGradKernelOp
    : SparseConv_KernelOp<"global_pool_grad", "getDx"> {
  let summary = "gradient of global pooling";
  let description = [{
    ```mlir
    sparseconv.kernel.global_pool_grad
        ins(%dy, %keys, %x, %status
            : memref<4x64xf16>, memref<?xi64>, memref<?x64xf16>, memref<8xi64>)
        outs(%dx : memref<?x64xf16>)
        {kind = #sparseconv<pool_kind max>, op_id = 5 : i64, packing = #packing}
    ```

    dx[i] = the share of dy[b] that `sparseconv.global_pool_grad` gives to row
    i, where b is the batch index of keys[i]. `dy` is [B, C], `keys` [N], `dx`
    [N, C]. Only `max` reads `x` [N, C]; the others are given `dy` in its place.

    Run-time errors: a batch index that is not below B; its row is 0.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$dy, SparseConv_KeysLike:$keys,
    SparseConv_FeaturesLike:$x, SparseConv_Status:$status,
    SparseConv_FeaturesLike:$dx,
    SparseConv_PoolKindAttr:$kind, SparseConv_PackingAttr:$packing,
    I64Attr:$op_id);
}

#endif // SPARSECONV_KERNEL_POOL_OPS
