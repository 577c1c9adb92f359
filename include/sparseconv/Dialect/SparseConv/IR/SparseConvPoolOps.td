//===- SparseConvPoolOps.td - pooling ----------------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_POOL_OPS
#define SPARSECONV_POOL_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvOpBase.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvConvOps.td"

def SparseConv_PoolOp : SparseConv_ComputeOp<"pool"> {
  let summary = "combines the neighbours of each output row";
  let description = [{
    ```mlir
    %largest = sparseconv.pool max %x, %map
        : tensor<?x64xf16>, !map -> tensor<?x64xf16>
    %mean = sparseconv.pool avg %x, %map count(volume)
        : tensor<?x64xf16>, !map -> tensor<?x64xf16>
    ```

    y[r] = max, average or sum over k of x[in(r, k)], by channel, over the
    neighbours that are present; none gives 0. `avg` divides by their number, or
    with `count(volume)` by the number of offsets. `max` propagates NaN, ties go
    to the lowest offset.

    Run-time errors: `x` with another number of rows than the in set.
  }];
  let arguments = (ins
    SparseConv_PoolKindAttr:$kind,
    SparseConv_Features:$x,
    SparseConv_KernelMapType:$map,
    DefaultValuedAttr<SparseConv_CountKindAttr,
                      "::mlir::sparseconv::CountKind::Present">:$count);
  let results = (outs SparseConv_Features:$y);
  let assemblyFormat = [{
    `` $kind $x `,` $map (`count` `(` custom<CountKind>($count)^ `)`)? attr-dict
    `:` type($x) `,` type($map) `->` type($y)
  }];
  let hasVerifier = 1;
}

def SparseConv_PoolGradOp : SparseConv_ComputeOp<"pool_grad"> {
  let summary = "gradient of pooling by its input";
  let description = [{
    ```mlir
    %dx = sparseconv.pool_grad max %dy, %map of %x
        : tensor<?x64xf16>, !map, tensor<?x64xf16> -> tensor<?x64xf16>
    %shares = sparseconv.pool_grad avg %dy, %map
        : tensor<?x64xf16>, !map -> tensor<?x64xf16>
    ```

    `max` sends dy[r] to the neighbour that `pool max` took, and needs its input
    `x`. Among equals that is the lowest offset; a NaN counts as larger than any
    number, and the first NaN wins. `avg` and `sum` send dy[r], divided as in
    `pool`, to every neighbour present.

    Run-time errors: `dy` or `x` with another number of rows than its side.
  }];
  let arguments = (ins
    SparseConv_PoolKindAttr:$kind,
    SparseConv_Features:$dy,
    SparseConv_KernelMapType:$map,
    Optional<SparseConv_Features>:$x,
    DefaultValuedAttr<SparseConv_CountKindAttr,
                      "::mlir::sparseconv::CountKind::Present">:$count);
  let results = (outs SparseConv_Features:$dx);
  let assemblyFormat = [{
    `` $kind $dy `,` $map (`of` $x^)? (`count` `(` custom<CountKind>($count)^
    `)`)? attr-dict `:` type($dy) `,` type($map) (`,` type($x)^)? `->` type($dx)
  }];
  let hasVerifier = 1;
}

def SparseConv_UnpoolOp : SparseConv_ComputeOp<"unpool"> {
  let summary = "hands pooled rows back to the rows they came from";
  let description = [{
    ```mlir
    %y = sparseconv.unpool %x, %map : tensor<?x64xf16>, !map -> tensor<?x64xf16>
    ```

    `map` is the map of a pooling. `x` has the rows of its out set, and the
    result those of its in set: y[i] = sum over (r, k) with in(r, k) = i of
    x[r]. With windows that do not overlap this is nearest-neighbour upsampling.
    It is the adjoint of `pool sum` over `map`, and equals `pool sum` over the
    transposed map.

    Run-time errors: `x` with another number of rows than the out set.
  }];
  let arguments = (ins SparseConv_Features:$x, SparseConv_KernelMapType:$map);
  let results = (outs SparseConv_Features:$y);
  let assemblyFormat = [{
    $x `,` $map attr-dict `:` type($x) `,` type($map) `->` type($y)
  }];
  let hasVerifier = 1;
}

def SparseConv_GlobalPoolOp : SparseConv_Op<"global_pool",
    [NoMemoryEffect, SparseConv_Reify]> {
  let summary = "combines all rows of each batch item";
  let description = [{
    ```mlir
    %largest = sparseconv.global_pool max %x, %coords
        : tensor<?x64xf16>, !set -> tensor<4x64xf16>
    %mean = sparseconv.global_pool avg %x, %coords batch(%b)
        : tensor<?x64xf16>, !set -> tensor<?x64xf16>
    ```

    Row b of the result combines the rows of batch item b; an empty item gives
    0. The number of items is the result's static first dimension, or `batch`
    where that is dynamic. Sums are accumulated in f32, in an order that the
    numbers of rows decide.

    Run-time errors: `x` with another number of rows than the set; a batch index
    not below the number of items.
  }];
  let arguments = (ins
    SparseConv_PoolKindAttr:$kind,
    SparseConv_Features:$x,
    SparseConv_CoordsType:$coords,
    Optional<Index>:$batch);
  let results = (outs SparseConv_Features:$y);
  let assemblyFormat = [{
    `` $kind $x `,` $coords (`batch` `(` $batch^ `)`)? attr-dict
    `:` type($x) `,` type($coords) `->` type($y)
  }];
  let hasVerifier = 1;
}

def SparseConv_GlobalPoolGradOp : SparseConv_Op<"global_pool_grad",
    [NoMemoryEffect, SparseConv_Infer, SparseConv_Reify]> {
  let summary = "gradient of global pooling by its input";
  let description = [{
    ```mlir
    %dx = sparseconv.global_pool_grad max %dy, %coords of %x
        : tensor<4x64xf16>, !set, tensor<?x64xf16> -> tensor<?x64xf16>
    ```

    `max` sends dy[b] to the lowest row of the item that holds the maximum, and
    needs `x`. `avg` and `sum` send it to every row of the item, for `avg`
    divided by their number.

    Run-time errors: as for `global_pool`.
  }];
  let arguments = (ins
    SparseConv_PoolKindAttr:$kind,
    SparseConv_Features:$dy,
    SparseConv_CoordsType:$coords,
    Optional<SparseConv_Features>:$x);
  let results = (outs SparseConv_Features:$dx);
  let assemblyFormat = [{
    `` $kind $dy `,` $coords (`of` $x^)? attr-dict
    `:` type($dy) `,` type($coords) (`,` type($x)^)? `->` type($dx)
  }];
  let hasVerifier = 1;
}

#endif // SPARSECONV_POOL_OPS
