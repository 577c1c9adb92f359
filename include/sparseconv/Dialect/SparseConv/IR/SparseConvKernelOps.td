//===- SparseConvKernelOps.td - kernels on features --------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_OPS
#define SPARSECONV_KERNEL_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelKeyOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelMapOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelTileOps.td"

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

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
    2DTensorOf<[F32, F16, BF16]>:$x, Index:$rows, SparseConv_Status:$status,
    I64Attr:$op_id, I64Attr:$operand, I64Attr:$side, UnitAttr:$length);
  let results = (outs 2DTensorOf<[F32, F16, BF16]>:$result);
  let assemblyFormat = [{
    $x `rows` `(` $rows `)` `status` `(` $status `:` type($status) `)` attr-dict
    `:` type($x)
  }];
  let hasVerifier = 1;
}

def SparseConv_GatherGemmScatterOp
    : SparseConv_KernelOp<"gather_gemm_scatter", "getY"> {
  let summary = "gather-GEMM-scatter over pair lists, with an epilogue";
  let description = [{
    ```mlir
    sparseconv.kernel.gather_gemm_scatter
        ins(%x, %w, %in_rows, %out_rows, %segments
            : memref<?x32xf16>, memref<27x32x64xf16>, memref<?xi32>,
              memref<?xi32>, memref<?x28xi64>)
        outs(%y : memref<?x64xf16>)
        {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>}
    ```

    y[r] = sum over the pairs (i, r) of offset k of x[i] . w[k], in f32; then
    the epilogue, then one rounding. The additions to one row happen in the
    order of the offsets. The pair lists come from `pair_lists` with the
    `row_block` of the tiling. On a GPU tensor cores multiply where the tiling
    has `lanes = 8`, and f32 becomes tf32; with `lanes = 4` threads multiply f32.

    With `atomic` a GPU adds the products to `y` in memory, in any order. Then
    `y` is of f32, and there is no epilogue.

    `x` is [N_in, C_in], `y` [N_out, C_out], and `w` [K, C_in, C_out] or
    [K, G, C_in/G, C_out/G]. With `transpose_weights` each slice of `w` is
    transposed: that is the gradient by the input.

    The epilogue is the region of `sparseconv.conv`: it takes the sum and one
    scalar of each further input.

    ```mlir
    sparseconv.kernel.gather_gemm_scatter
        ins(%x, %w, %in_rows, %out_rows, %segments, %bias
            : memref<?x32xf32>, memref<27x32x64xf32>, memref<?xi32>,
              memref<?xi32>, memref<?x28xi64>, memref<64xf32>)
        outs(%y : memref<?x64xf32>)
        {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>} epilogue {
    ^bb0(%acc: f32, %b: f32):
      %sum = arith.addf %acc, %b : f32
      sparseconv.yield %sum : f32
    }
    ```
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_WeightsLike:$w,
    SparseConv_RowsLike:$in_rows, SparseConv_RowsLike:$out_rows,
    SparseConv_SegmentsLike:$segments, Variadic<SparseConv_ExtraLike>:$extras,
    SparseConv_FeaturesLike:$y,
    SparseConv_TilingAttr:$tiling, UnitAttr:$transpose_weights,
    UnitAttr:$atomic);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
}

def SparseConv_ImplicitGemmOp
    : SparseConv_KernelOp<"implicit_gemm", "getY"> {
  let summary = "implicit GEMM over a neighbour table, with an epilogue";
  let description = [{
    ```mlir
    sparseconv.kernel.implicit_gemm
        ins(%x, %w, %table
            : memref<?x6xf16>, memref<27x2x3x4xf16>, memref<?x27xi32>)
        outs(%y : memref<?x8xf16>)
    ```

    y[r] = sum over k with table[r, k] = i >= 0 of x[i] . w[k], in f32; then the
    epilogue, then one rounding. `table` is [N_out, K]; an entry that is not a
    row of `x` counts as none. Features, weights, `transpose_weights` and the
    epilogue are those of `gather_gemm_scatter`.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_WeightsLike:$w,
    SparseConv_TableLike:$table, Variadic<SparseConv_ExtraLike>:$extras,
    SparseConv_FeaturesLike:$y,
    UnitAttr:$transpose_weights);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
}

def SparseConv_PackWeightsOp
    : SparseConv_KernelOp<"pack_weights", "getImage"> {
  let summary = "weights as an implicit GEMM by tiles takes them";
  let description = [{
    ```mlir
    sparseconv.kernel.pack_weights
        ins(%w : memref<27x64x64xf16>) outs(%image : memref<221184xi8>)
        {tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64,
                                          tile_n = 64>}
    ```

    The weight image: `w` in the layout of the main loop that `tiling` names, as
    bytes. The main loop decides how many there are, since it may pad. `w` is
    [K, C_in, C_out] or [K, G, C_in/G, C_out/G], as in `gather_gemm_scatter`,
    and so is `transpose_weights`.
  }];
  let arguments = (ins
    SparseConv_WeightsLike:$w, SparseConv_Shaped<[I8], [1]>:$image,
    SparseConv_GemmTilingAttr:$tiling, UnitAttr:$transpose_weights);
}

def SparseConv_TiledGemmOp
    : SparseConv_KernelOp<"tiled_gemm", "getY"> {
  let summary = "implicit GEMM by tiles of rows, with an epilogue";
  let description = [{
    ```mlir
    sparseconv.kernel.tiled_gemm
        ins(%x, %image, %tiled_table, %order, %masks, %sizes
            : memref<?x64xf16>, memref<221184xi8>, memref<27x?xi32>,
              memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
        outs(%y, %scratch, %counters
             : memref<?x64xf16>, memref<0xf32>, memref<0xi32>)
        {tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64,
                                          tile_n = 64>}
    ```

    Computes what `implicit_gemm` computes, from the results of `tile_rows` and
    `pack_weights`. On tensor cores, f32 is rounded to tf32 before it is
    multiplied. The order by masks is that of sorted implicit GEMM
    (TorchSparse++, arXiv 2311.12862). Channels are in `groups` groups; 1 where
    nothing is said.

    Where the rows do not fill the device, the offsets of a block of tiles are
    divided among up to `split_k` thread blocks. Each leaves its split of the
    sums in `scratch`. The last one to arrive, which `counters` tell, adds the
    splits in their order. `counters` are zero before and after.

    The input channels may come from two tensors with as many rows: those of `x`,
    then those of `beside`, the one operand behind `sizes` that is not the
    epilogue's. Nothing then has to put the two side by side in memory
    (`sparseconv-fuse-concatenations`):

    ```mlir
    sparseconv.kernel.tiled_gemm
        ins(%x, %image, %tiled_table, %order, %masks, %sizes, %skip, %bias
            : memref<?x96xf16>, memref<663552xi8>, memref<27x?xi32>,
              memref<?xi32>, memref<?x1xi32>, memref<3xindex>,
              memref<?x32xf16>, memref<96xf16>)
        outs(%y, %scratch, %counters
             : memref<?x96xf16>, memref<0xf32>, memref<0xi32>)
        {tiling = #sparseconv.gemm_tiling<ring64, warps = 12, tile_k = 128,
                                          tile_n = 96, stages = 6>} epilogue {
    ^bb0(%acc: f32, %b: f16):
      %wide = arith.extf %b : f16 to f32
      %sum = arith.addf %acc, %wide : f32
      sparseconv.yield %sum : f32
    }
    ```

    Rows are gathered in pieces of 64 bytes, each from one of the tensors: both
    are of f16 or bf16, and the channels of `x` and `tile_k` are multiples of 32.
    They have no groups.

    An operand of the epilogue that has a row for each row of `y` may instead be
    followed by row numbers, which pick its row for each row of `y`
    (`sparseconv-fuse-picked-rows`). They are not checked: each has to be a row. In
    the example `%skip, %rows, %bias` of types `memref<?x96xf16>, memref<?xi32>,
    memref<96xf16>` would then stand behind `%sizes`.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_Shaped<[I8], [1]>:$image,
    SparseConv_TableLike:$tiled_table, SparseConv_RowsLike:$order,
    SparseConv_TableLike:$masks, SparseConv_Shaped<[Index], [1]>:$sizes,
    Variadic<AnyTypeOf<[SparseConv_ExtraLike, SparseConv_RowsLike]>>:$others,
    SparseConv_FeaturesLike:$y, SparseConv_Shaped<[F32], [1]>:$scratch,
    SparseConv_Shaped<[I32], [1]>:$counters,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$split_k,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$groups,
    SparseConv_GemmTilingAttr:$tiling);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = inits # [{
    /// The input channels behind those of `x`, or null.
    Value getBeside();
    /// An operand of the epilogue, and the numbers of its rows, or null.
    struct Extra {
      Value values, numbers;
    };
    SmallVector<Extra> getExtrasWithNumbers();
    /// The operands of the epilogue alone.
    SmallVector<Value> getExtras();
    /// The operands of the epilogue and the numbers, in their order.
    OperandRange getEpilogueOperands();
    /// Whether a row can be gathered from two tensors of these types.
    bool canReadBeside(ShapedType x, ShapedType beside);
  }];
}

def SparseConv_WeightGradKernelOp
    : SparseConv_KernelOp<"weight_grad", "getDw"> {
  let summary = "gather-gather-GEMM over pair lists";
  let description = [{
    ```mlir
    sparseconv.kernel.weight_grad
        ins(%x, %dy, %in_rows, %out_rows, %segments
            : memref<?x32xf16>, memref<?x64xf16>, memref<?xi32>,
              memref<?xi32>, memref<?x28xi64>)
        outs(%dw : memref<27x32x64xf16>)
        {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>}
    ```

    dw[k] = sum over the pairs (i, r) of offset k of transpose(x[i]) . dy[r], in
    f32 in the order of the pairs, then one rounding. `x` is [N_in, C_in], `dy`
    [N_out, C_out], and `dw` [K, C_in, C_out] or [K, G, C_in/G, C_out/G]. The
    pair lists come from `pair_lists` with the `row_block` of the tiling.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_FeaturesLike:$dy,
    SparseConv_RowsLike:$in_rows, SparseConv_RowsLike:$out_rows,
    SparseConv_SegmentsLike:$segments, SparseConv_WeightsLike:$dw,
    SparseConv_TilingAttr:$tiling);
}

def SparseConv_TiledWeightGradOp
    : SparseConv_KernelOp<"tiled_weight_grad", "getDw"> {
  let summary = "gather-gather-GEMM over a list of pairs for each offset";
  let description = [{
    ```mlir
    sparseconv.kernel.tiled_weight_grad
        ins(%x, %dy, %in_rows, %out_rows, %counts
            : memref<?x64xf16>, memref<?x64xf16>, memref<?xi32>, memref<?xi32>,
              memref<27xi32>)
        outs(%dw : memref<27x64x64xf16>)
        {split_k = 528 : i64, tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 64,
             tile_out = 64, piece_in = 64, piece_out = 64, pairs = 32, stages = 4, blocks = 4>}
    ```

    dw[k] = sum over the pairs (i, r) of offset k of transpose(x[i]) . dy[r], in
    f32, then one rounding. The lists come from `offset_lists`; a pair whose `i`
    is not a row of `x` counts as none. `split_k` thread blocks share the pairs
    of all offsets, or as many as there are offsets if that is more. The order
    of the additions depends on the numbers of pairs alone: the thread blocks of
    an offset take its pairs in turn, and their sums are added in their order.
    The other shapes are those of `weight_grad`. On tensor cores, f32 is rounded
    to tf32 before it is multiplied.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_FeaturesLike:$dy,
    SparseConv_RowsLike:$in_rows, SparseConv_RowsLike:$out_rows,
    SparseConv_RowsLike:$counts, SparseConv_WeightsLike:$dw,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$split_k,
    SparseConv_WeightGradTilingAttr:$tiling);
}

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

#endif // SPARSECONV_KERNEL_OPS
