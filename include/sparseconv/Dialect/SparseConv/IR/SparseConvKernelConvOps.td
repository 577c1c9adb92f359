//===- SparseConvKernelConvOps.td - kernels of convolutions *- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_CONV_OPS
#define SPARSECONV_KERNEL_CONV_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelOpBase.td"

def SparseConv_GatherGemmScatterOp
    : SparseConv_KernelOp<"gather_gemm_scatter", "getY", [IsolatedFromAbove]> {
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
    : SparseConv_KernelOp<"implicit_gemm", "getY", [IsolatedFromAbove]> {
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

    The weight image: the weights in the layout of the main loop that `tiling`
    names, as bytes. The main loop decides how many there are, since it may pad.

    The last two axes of `w` are the channels, [C_in/G, C_out/G]. Those in front
    count the K offsets and the `groups` G of each; G is 1 where nothing is said.
    Where there is a `permutation`, that is so for axes `permutation[0]`,
    `permutation[1]`, .. of `w`, as in `linalg.transpose`. So weights are read as
    another library has them (`sparseconv-fuse-transpositions`), or as the
    transposed ones of a gradient. With `groups` only the channels may change
    places:

    ```mlir
    sparseconv.kernel.pack_weights
        ins(%w : memref<64x3x3x3x32xf16>) outs(%image : memref<110592xi8>)
        {permutation = array<i64: 1, 2, 3, 4, 0>,
         tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 32,
                                          tile_n = 64>}
    ```
  }];
  let arguments = (ins
    SparseConv_StoredWeightsLike:$w, SparseConv_Shaped<[I8], [1]>:$image,
    OptionalAttr<DenseI64ArrayAttr>:$permutation,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$groups,
    SparseConv_GemmTilingAttr:$tiling);
  let extraClassDeclaration = inits # [{
    /// Which axis of `w` comes at each place.
    SmallVector<int64_t> getOrder();
    /// Whether only the channels change places.
    bool keepsSlices();
    /// The sizes of `w` in that order.
    SmallVector<int64_t> getOrderedShape();
    /// The type [K, G, C_in/G, C_out/G] of the same weights.
    MemRefType getWeightsType();
  }];
}

def SparseConv_TiledGemmOp
    : SparseConv_KernelOp<"tiled_gemm", "getY", [IsolatedFromAbove]> {
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

#endif // SPARSECONV_KERNEL_CONV_OPS
