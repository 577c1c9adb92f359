//===- SparseConvKernelOps.td - kernels on features --------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_OPS
#define SPARSECONV_KERNEL_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelIndexingOps.td"

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

def SparseConv_GuardRowsOp : SparseConv_Op<"kernel.guard_rows",
    [AllTypesMatch<["x", "result"]>]> {
  let summary = "features that have the rows of their set";
  let description = [{
    ```mlir
    %0 = sparseconv.kernel.guard_rows %x rows(%n) status(%status)
        {op_id = 3 : i64, operand = 0 : i64, side = 0 : i64} : tensor<?x64xf32>
    ```

    `x` where it has `rows` rows; otherwise the mismatch is reported and the
    result is `rows` rows of zeros, so that what follows stays in bounds.
    `operand` is the number of the operand of the network operation, `side` what
    it was compared with (as in the status record). With `length` the report is
    that operand `operand` has `rows` rows where `x` has another number.
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
    y[r] = sum over the pairs (i, r) of offset k of x[i] . w[k], in f32, then the
    epilogue, then one rounding. Weights [K, C_in, C_out] or
    [K, G, C_in/G, C_out/G]; with `transpose_weights` each slice is transposed
    (the gradient by the input). The additions of one row happen in the order of
    the offsets. Pair lists must have the tiling's `block`.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_WeightsLike:$w,
    SparseConv_RowsLike:$in_rows, SparseConv_RowsLike:$out_rows,
    SparseConv_SegmentsLike:$segments, Variadic<SparseConv_ExtraLike>:$extras,
    SparseConv_FeaturesLike:$y,
    SparseConv_TilingAttr:$tiling, UnitAttr:$transpose_weights);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasRegionVerifier = 1;
}

def SparseConv_ImplicitGemmOp
    : SparseConv_KernelOp<"implicit_gemm", "getY"> {
  let summary = "implicit GEMM over a neighbour table, with an epilogue";
  let description = [{
    y[r] = sum over k with table[r, k] = i >= 0 of x[i] . w[k], in f32, then the
    epilogue, then one rounding. Weights and `transpose_weights` as in
    `gather_gemm_scatter`. An entry that is no row of x counts as none.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_WeightsLike:$w,
    SparseConv_TableLike:$table, Variadic<SparseConv_ExtraLike>:$extras,
    SparseConv_FeaturesLike:$y,
    UnitAttr:$transpose_weights);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasRegionVerifier = 1;
}

def SparseConv_PackWeightsOp
    : SparseConv_KernelOp<"pack_weights", "getImage"> {
  let summary = "weights as an implicit GEMM by tiles takes them";
  let description = [{
    The image of `w` in the layout of the main loop that `tiling` names.
    `transpose_weights` as in `gather_gemm_scatter`.
  }];
  let arguments = (ins
    SparseConv_WeightsLike:$w, SparseConv_Shaped<[I8], [1]>:$image,
    SparseConv_GemmTilingAttr:$tiling, UnitAttr:$transpose_weights);
}

def SparseConv_TiledGemmOp
    : SparseConv_KernelOp<"tiled_gemm", "getY"> {
  let summary = "implicit GEMM by tiles of rows, with an epilogue";
  let description = [{
    As `implicit_gemm`, over the results of `tile_rows` and `pack_weights`. The
    weights were [offsets, channels of x, channels of y]. On tensor cores, f32 is
    rounded to tf32 before it is multiplied.

    Where the rows do not fill the device, the offsets of a block of tiles are
    divided among up to `split_k` thread blocks. Each leaves its
    split of the sums in `scratch`; the last one to arrive, which `counters` tell,
    adds the splits in their order. `counters` are zero before and after.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_Shaped<[I8], [1]>:$image,
    SparseConv_TableLike:$tiled_table, SparseConv_RowsLike:$order,
    SparseConv_TableLike:$masks, SparseConv_Shaped<[Index], [1]>:$sizes,
    Variadic<SparseConv_ExtraLike>:$extras,
    SparseConv_FeaturesLike:$y, SparseConv_Shaped<[F32], [1]>:$scratch,
    SparseConv_Shaped<[I32], [1]>:$counters,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$split_k,
    SparseConv_GemmTilingAttr:$tiling);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasRegionVerifier = 1;
}

def SparseConv_WeightGradKernelOp
    : SparseConv_KernelOp<"weight_grad", "getDw"> {
  let summary = "gather-gather-GEMM over pair lists";
  let description = [{
    dw[k] = sum over the pairs (i, r) of offset k of transpose(x[i]) . dy[r], in
    f32 in the order of the pairs, then one rounding. `dw` is [K, C_in, C_out]
    or [K, G, C_in/G, C_out/G].
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_FeaturesLike:$dy,
    SparseConv_RowsLike:$in_rows, SparseConv_RowsLike:$out_rows,
    SparseConv_SegmentsLike:$segments, SparseConv_WeightsLike:$dw,
    SparseConv_TilingAttr:$tiling);
}

def SparseConv_ImplicitWeightGradOp
    : SparseConv_KernelOp<"implicit_weight_grad", "getDw"> {
  let summary = "gather-gather-GEMM over a neighbour table";
  let description = [{
    dw[k] = sum over r with table[r, k] = i >= 0 of transpose(x[i]) . dy[r], in
    f32 in an order that depends on the number of rows alone, then one rounding.
    `dw` as in `weight_grad`. An entry that is no row of x counts as none. The
    rows are cut into `split_k` chunks, whose sums are added in their order. On
    tensor cores, f32 is rounded to tf32 before it is multiplied.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_FeaturesLike:$dy,
    SparseConv_TableLike:$table, SparseConv_WeightsLike:$dw,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$split_k,
    SparseConv_WeightGradTilingAttr:$tiling);
}

def SparseConv_PoolKernelOp : SparseConv_KernelOp<"pool", "getY"> {
  let summary = "pooling over a neighbour table";
  let description = [{
    y[r] = max, average or sum over k of x[table[r, k]], in f32 in the order of
    k, rows of -1 left out; none gives 0. For `max` a NaN is above every
    number, and the first of equals stays.
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
    `table` [N_out, K] and its `inverse` [N_in, K]; `x` is read by `max` alone
    (the others are given `dy` again).
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
    y[b] combines the rows of x whose key has batch index b, in f32; none gives 0.
    The CPU adds them up in their order, a GPU in parts that the numbers of rows
    decide. A batch index not below the rows of y is reported and its row left out.
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
    `x` is read by `max` alone (the others are given `dy` again).
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
    y[i] = x[rows[i]], zeros for -1. An index outside -1 .. N-1 is reported and
    its row is zeros.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_RowsLike:$rows,
    SparseConv_Status:$status, SparseConv_FeaturesLike:$y, I64Attr:$op_id);
}

def SparseConv_InterpolateOp
    : SparseConv_KernelOp<"interpolate", "getRows"> {
  let summary = "rows and weights of the voxels around points";
  let description = [{
    For each point, J = 1 (`nearest`) or 2^D (`trilinear`, last axis fastest)
    rows of `keys` and their f32 weights; -1 where there is no voxel, or where
    the weight is 0. With q = p / S in f32: base = floor(q), t = q - base, and a
    weight is the product over the axes, in order, of t or 1 - t. A point whose
    batch index is no whole number reaches no voxel. A coordinate that is not
    finite is reported; the point's rows are -1 and its weights 0.
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
    y[p] = sum over j of weights[p, j] * x[rows[p, j]], in f32 in the order of
    j; rows of -1 are skipped.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_TableLike:$rows,
    SparseConv_RealsLike:$weights, SparseConv_FeaturesLike:$y);
}

def SparseConv_ScatterRowsOp
    : SparseConv_KernelOp<"scatter_rows", "getY"> {
  let summary = "weighted sums of rows to index";
  let description = [{
    y[r] = sum over (p, j) with rows[p, j] = r of weights[p, j] * x[p], in f32 in
    ascending order of (p, j); `avg` divides by the sum of the weights, `max`
    takes the largest x[p]; a row that no pair names is 0. Rows of -1 are
    skipped; an index outside -1 .. M-1 of the M rows of y is reported (its row
    is the position of (p, j)) and skipped.
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
    Writes each row of x to its cell [batch, i_1, ..., i_D] of a grid that holds
    zeros, where the coordinate is origin + i * S. A coordinate or batch index
    outside is reported and its row skipped.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_KeysLike:$keys,
    SparseConv_Status:$status, SparseConv_DenseLike:$dense,
    DenseI64ArrayAttr:$origin, TypeAttrOf<SparseConv_CoordsType>:$set,
    I64Attr:$op_id);
}

def SparseConv_FromDenseKernelOp
    : SparseConv_KernelOp<"from_dense", "getX"> {
  let summary = "rows from a dense grid";
  let description = [{
    Reads each row of x from its cell, as `to_dense` writes it; a row outside is
    reported and is zeros.
  }];
  let arguments = (ins
    SparseConv_DenseLike:$dense, SparseConv_KeysLike:$keys,
    SparseConv_Status:$status, SparseConv_FeaturesLike:$x,
    DenseI64ArrayAttr:$origin, TypeAttrOf<SparseConv_CoordsType>:$set,
    I64Attr:$op_id);
}

//===----------------------------------------------------------------------===//
// Numbers that the device knows
//===----------------------------------------------------------------------===//

def SparseConv_NumberBuffer
    : ConfinedType<MemRefRankOf<[AnySignlessInteger, Index, AnyFloat], [1]>,
                   [CPred<"::llvm::cast<MemRefType>($_self).getDimSize(0) == 1">],
                   "a buffer of one number">;

def SparseConv_DeviceScalarOp : SparseConv_Op<"kernel.device_scalar", [
    TypesMatchWith<"result has the element type of the buffer", "buffer",
                   "result", "::llvm::cast<MemRefType>($_self).getElementType()">]> {
  let summary = "a number in a buffer of the device";
  let description = [{
    ```mlir
    %n = sparseconv.kernel.device_scalar %count at_most %bound : memref<1xindex>
    ```

    The number in a buffer of one element, which is written once, before. The
    host does not read it: kernels that need it load it, and where the host needs
    a size it takes `bound`, which the number does not exceed.
  }];
  let arguments = (ins
    Arg<SparseConv_NumberBuffer, "", [MemRead]>:$buffer,
    Optional<Index>:$bound);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $buffer (`at_most` $bound^)? attr-dict `:` type($buffer)
  }];
}

#endif // SPARSECONV_KERNEL_OPS
