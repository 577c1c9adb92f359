//===- SparseConvKernelOps.td - kernel operations ----------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second level of the dialect: sets are sorted keys, kernel maps are
// neighbour tables and pair lists, and each operation is one kernel, or one
// named group of kernels, of a target. All are in destination-passing style, on
// tensors before bufferization and on buffers after it.
//
// Lengths below: N, P, M rows; K offsets; D axes; C channels. `keys` holds
// packed coordinates in ascending order unless said otherwise. Each operation
// that can fail takes the `status` record as its last input and the number of
// the network operation that it came from (`op_id`).
//
// A destination holds nothing that is read, and what belongs to the result is
// written whole, with three exceptions: `unique` leaves `row_of` as it is where
// no key came from, `to_dense` leaves a grid as it is where no row is, and
// `tile_rows` leaves out offsets that no row nearby has. The first `count`
// elements of a destination with a count belong to the result.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_OPS
#define SPARSECONV_KERNEL_OPS

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvOpBase.td"

//===----------------------------------------------------------------------===//
// Operand types: a tensor or a buffer
//===----------------------------------------------------------------------===//

class SparseConv_Shaped<list<Type> elements, list<int> ranks>
    : AnyTypeOf<[TensorRankOf<elements, ranks>, MemRefRankOf<elements, ranks>]>;

class HasStaticSizes<list<int> sizes>
    : CPred<"::llvm::cast<::mlir::ShapedType>($_self).getShape() == "
            "::llvm::ArrayRef<int64_t>({" # !interleave(sizes, ", ") # "})">;

def SparseConv_KeysLike : SparseConv_Shaped<[I32, I64], [1]>;
def SparseConv_RowsLike : SparseConv_Shaped<[I32], [1]>;
def SparseConv_TableLike : SparseConv_Shaped<[I32], [2]>;
def SparseConv_PointsLike : SparseConv_Shaped<[I32], [2]>;
def SparseConv_RealsLike : SparseConv_Shaped<[F32], [2]>;
def SparseConv_SegmentsLike : SparseConv_Shaped<[I64], [2]>;
def SparseConv_MaskLike : SparseConv_Shaped<[I1], [1]>;
def SparseConv_CountLike
    : Type<And<[SparseConv_Shaped<[Index], [1]>.predicate,
                HasStaticSizes<[1]>]>, "one index, as a tensor or a buffer">;
def SparseConv_FeaturesLike : SparseConv_Shaped<[F32, F16, BF16], [2]>;
def SparseConv_WeightsLike : SparseConv_Shaped<[F32, F16, BF16], [3, 4]>;
def SparseConv_DenseLike : SparseConv_Shaped<[F32, F16, BF16], [3, 4, 5, 6]>;
def SparseConv_ExtraLike : SparseConv_Shaped<[F32, F16, BF16], [1, 2]>;

/// The status record of the compiled function: eight 64-bit integers.
def SparseConv_Status
    : Type<And<[StaticShapeMemRefOf<[I64]>.predicate, HasStaticSizes<[8]>]>,
           "the status record, a buffer of eight i64">;

//===----------------------------------------------------------------------===//
// Base
//===----------------------------------------------------------------------===//

/// `ins(...) outs(...)`: `firstInit` is the getter of the first operand of outs,
/// `numInits` their number.
class SparseConv_KernelOp<string mnemonic, string firstInit, int numInits,
                          list<Trait> traits = []>
    : SparseConv_Op<"kernel." # mnemonic,
        !listconcat([DestinationStyleOpInterface,
                     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>],
                    traits)> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MutableOperandRange getDpsInitsMutable() {
      unsigned first = }] # firstInit # [{Mutable().getOperandNumber();
      return MutableOperandRange(getOperation(), first, }] # numInits # [{);
    }
  }];
  let extraClassDefinition = [{
    ParseResult $cppClass::parse(OpAsmParser &parser, OperationState &result) {
      return parseKernelOp(parser, result);
    }
    void $cppClass::print(OpAsmPrinter &printer) {
      printKernelOp(printer, *this);
    }
    void $cppClass::getEffects(
        SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
            &effects) {
      getKernelEffects(*this, effects);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

def SparseConv_EncodeOp : SparseConv_KernelOp<"encode", "getKeys", 2> {
  let summary = "keys of points";
  let description = [{
    keys[i] = key of points[i], unsorted; count = N. A coordinate beyond the
    packing, or no multiple of the stride, is reported and count becomes 0.
  }];
  let arguments = (ins
    SparseConv_PointsLike:$points, SparseConv_Status:$status,
    SparseConv_KeysLike:$keys, SparseConv_CountLike:$count,
    TypeAttrOf<SparseConv_CoordsType>:$set, I64Attr:$op_id);
}

def SparseConv_DecodeOp : SparseConv_KernelOp<"decode", "getPoints", 1> {
  let summary = "points of keys";
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_PointsLike:$points,
    TypeAttrOf<SparseConv_CoordsType>:$set);
}

def SparseConv_SortOp : SparseConv_KernelOp<"sort", "getSorted", 2> {
  let summary = "sorts keys, stably";
  let description = [{
    sorted[i] = keys[permutation[i]], ascending as unsigned numbers; equal keys
    stay in the order of their positions. `fields` are the widths of the bit
    fields of a key, the highest first; bits above them are 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys,
    SparseConv_KeysLike:$sorted, SparseConv_RowsLike:$permutation,
    DenseI64ArrayAttr:$fields);
}

def SparseConv_UniqueOp : SparseConv_KernelOp<"unique", "getKeys", 4> {
  let summary = "the distinct keys of a sorted list";
  let description = [{
    From N sorted keys and the permutation that sorted them: the distinct keys,
    `order` (for each, permutation at its first occurrence), `row_of` (for each
    unsorted position, the row of its key), and how many are distinct. More than
    `capacity` distinct keys are reported and count becomes 0. `row_of` may be
    longer than the list; elements that no key names keep their values, all of
    them after an error.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$sorted, SparseConv_RowsLike:$permutation,
    SparseConv_Status:$status,
    SparseConv_KeysLike:$keys, SparseConv_RowsLike:$order,
    SparseConv_RowsLike:$row_of, SparseConv_CountLike:$count,
    I64Attr:$capacity, I64Attr:$op_id);
}

def SparseConv_FloorOp : SparseConv_KernelOp<"floor", "getFloored", 2> {
  let summary = "keys floored to a stride";
  let description = [{
    floored[i] = key of floor(c / S) * S for the coordinate c of keys[i] and the
    stride S of `set`; in the order of keys, with duplicates. A result beyond the
    packing is reported and count becomes 0, else it is N.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_Status:$status,
    SparseConv_KeysLike:$floored, SparseConv_CountLike:$count,
    TypeAttrOf<SparseConv_CoordsType>:$set, I64Attr:$op_id);
}

def SparseConv_SpreadOp : SparseConv_KernelOp<"spread", "getCandidates", 2> {
  let summary = "keys displaced by every offset";
  let description = [{
    All c + d for a coordinate c of keys and one of K displacements d (in units
    of the finest grid) that are multiples of the stride of `set` and inside
    `clip`, in the order of keys, displacements fastest; count says how many. One
    beyond the packing is reported and count becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_Status:$status,
    SparseConv_KeysLike:$candidates, SparseConv_CountLike:$count,
    DenseI64ArrayAttr:$displacements, OptionalAttr<SparseConv_RegionAttr>:$clip,
    TypeAttrOf<SparseConv_CoordsType>:$set, I64Attr:$op_id);
}

def SparseConv_SelectOp : SparseConv_KernelOp<"select", "getKept", 3> {
  let summary = "the keys where a mask is true";
  let description = [{
    kept[r] = keys[rows[r]] for the rows with a true mask, ascending; count says
    how many. A mask of another length is reported and count becomes 0.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$keys, SparseConv_MaskLike:$mask,
    SparseConv_Status:$status,
    SparseConv_KeysLike:$kept, SparseConv_RowsLike:$rows,
    SparseConv_CountLike:$count, I64Attr:$op_id);
}

def SparseConv_IntersectOp : SparseConv_KernelOp<"intersect", "getKeys", 4> {
  let summary = "the keys of both lists";
  let description = [{
    keys[r] = lhs[lhs_rows[r]] = rhs[rhs_rows[r]], ascending; count says how
    many.
  }];
  let arguments = (ins
    SparseConv_KeysLike:$lhs, SparseConv_KeysLike:$rhs,
    SparseConv_KeysLike:$keys, SparseConv_RowsLike:$lhs_rows,
    SparseConv_RowsLike:$rhs_rows, SparseConv_CountLike:$count);
}

//===----------------------------------------------------------------------===//
// Encodings of a kernel map
//===----------------------------------------------------------------------===//

def SparseConv_SearchOp : SparseConv_KernelOp<"search", "getTable", 1> {
  let summary = "a neighbour table, by z-delta search";
  let description = [{
    table[r, k] = position in `in_keys` of the coordinate of out_keys[r] plus
    displacement k (finest units), or -1.

    Displacements that differ on the last axis only form a column; for one
    output the inputs of a column lie close together, so one lower bound and a
    short walk find them all (Spira, arXiv 2511.20834, section 4.1).
  }];
  let arguments = (ins
    SparseConv_KeysLike:$in_keys, SparseConv_KeysLike:$out_keys,
    SparseConv_TableLike:$table,
    DenseI64ArrayAttr:$displacements, SparseConv_PackingAttr:$packing);
}

def SparseConv_InvertTableOp
    : SparseConv_KernelOp<"invert_table", "getInverse", 1> {
  let summary = "the neighbour table of the transposed map";
  let description = [{
    inverse[table[r, k], k] = r for every entry, -1 elsewhere.
  }];
  let arguments = (ins
    SparseConv_TableLike:$table, SparseConv_TableLike:$inverse);
}

def SparseConv_PairListsOp
    : SparseConv_KernelOp<"pair_lists", "getInRows", 3> {
  let summary = "pairs of rows by block of output rows and offset";
  let description = [{
    The entries of a neighbour table [N, K] as pairs (in_rows[p], out_rows[p]),
    ordered by block of `block` output rows, then offset, then output row.
    segments[b, k] .. segments[b, k + 1] are the pairs of block b and offset k.
    `in_rows` and `out_rows` have room for N * K pairs, `segments` is
    [ceil(N / block), K + 1].
  }];
  let arguments = (ins
    SparseConv_TableLike:$table,
    SparseConv_RowsLike:$in_rows, SparseConv_RowsLike:$out_rows,
    SparseConv_SegmentsLike:$segments, I64Attr:$block);
}

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

def SparseConv_GatherGemmOp
    : SparseConv_KernelOp<"gather_gemm", "getY", 1> {
  let summary = "gather-GEMM over pair lists, with an epilogue";
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
    SparseConv_DataflowAttr:$dataflow, SparseConv_TilingAttr:$tiling,
    UnitAttr:$transpose_weights);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasRegionVerifier = 1;
}

def SparseConv_ImplicitGemmOp
    : SparseConv_KernelOp<"implicit_gemm", "getY", 1> {
  let summary = "implicit GEMM over a neighbour table, with an epilogue";
  let description = [{
    y[r] = sum over k with table[r, k] = i >= 0 of x[i] . w[k], in f32, then the
    epilogue, then one rounding. Weights and `transpose_weights` as in
    `gather_gemm`. An entry that is no row of x counts as none.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_WeightsLike:$w,
    SparseConv_TableLike:$table, Variadic<SparseConv_ExtraLike>:$extras,
    SparseConv_FeaturesLike:$y,
    SparseConv_DataflowAttr:$dataflow, UnitAttr:$transpose_weights);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasRegionVerifier = 1;
}

def SparseConv_TileRowsOp
    : SparseConv_KernelOp<"tile_rows", "getTiledTable", 4> {
  let summary = "a neighbour table by tiles of rows with alike offsets";
  let description = [{
    The rows of `table` [N, K] in an order in which neighbours in a tile of `rows`
    rows have most offsets in common: `order` [P] is the row of each slot, or -1
    behind the last; `masks` [P / rows, ceil(K / 32)] has bit k % 32 of word k / 32
    set where a row of the tile has offset k; `tiled_table` [K, P] is
    table[order[p], k], or -1, at the offsets that some of the 128 slots around p
    have (from a multiple of 128 on). P is N rounded up to a multiple of 256.
    `sizes` is `in_rows`, N and P.

    With up to 32 offsets the rows are sorted by the rank in the Gray code of
    their mask, the offset that fewest rows of a sample have as the highest bit;
    with more they stay as they are.
  }];
  let arguments = (ins
    SparseConv_TableLike:$table, Index:$in_rows,
    SparseConv_TableLike:$tiled_table, SparseConv_RowsLike:$order,
    SparseConv_TableLike:$masks, SparseConv_Shaped<[Index], [1]>:$sizes,
    I64Attr:$rows);
}

def SparseConv_PackWeightsOp
    : SparseConv_KernelOp<"pack_weights", "getImage", 1> {
  let summary = "weights as an implicit GEMM by tiles takes them";
  let description = [{
    The image of `w` in the layout of the mainloop that `tiling` names.
    `transpose_weights` as in `gather_gemm`.
  }];
  let arguments = (ins
    SparseConv_WeightsLike:$w, SparseConv_Shaped<[I8], [1]>:$image,
    SparseConv_GemmTilingAttr:$tiling, UnitAttr:$transpose_weights);
}

def SparseConv_TiledGemmOp
    : SparseConv_KernelOp<"tiled_gemm", "getY", 3> {
  let summary = "implicit GEMM by tiles of rows, with an epilogue";
  let description = [{
    As `implicit_gemm`, over the results of `tile_rows` and `pack_weights`. The
    weights were [offsets, channels of x, channels of y]. On tensor cores, f32 is
    rounded to tf32 before it is multiplied.

    Where the rows do not fill the device, the offsets of a block of tiles are
    divided among up to `split_k` thread blocks (of `dataflow`). Each leaves its
    part of the sums in `scratch`; the last one to arrive, which `counters` tell,
    adds the parts in their order. `counters` are zero before and after.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_Shaped<[I8], [1]>:$image,
    SparseConv_TableLike:$tiled_table, SparseConv_RowsLike:$order,
    SparseConv_TableLike:$masks, SparseConv_Shaped<[Index], [1]>:$sizes,
    Variadic<SparseConv_ExtraLike>:$extras,
    SparseConv_FeaturesLike:$y, SparseConv_Shaped<[F32], [1]>:$scratch,
    SparseConv_Shaped<[I32], [1]>:$counters,
    SparseConv_DataflowAttr:$dataflow, SparseConv_GemmTilingAttr:$tiling);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let hasRegionVerifier = 1;
}

def SparseConv_WeightGradKernelOp
    : SparseConv_KernelOp<"weight_grad", "getDw", 1> {
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
    : SparseConv_KernelOp<"implicit_weight_grad", "getDw", 1> {
  let summary = "gather-gather-GEMM over a neighbour table";
  let description = [{
    dw[k] = sum over r with table[r, k] = i >= 0 of transpose(x[i]) . dy[r], in
    f32 in an order that depends on the number of rows alone, then one rounding.
    `dw` as in `weight_grad`. An entry that is no row of x counts as none. With
    `allow_tf32`, f32 may be rounded to tf32 before it is multiplied.
  }];
  let arguments = (ins
    SparseConv_FeaturesLike:$x, SparseConv_FeaturesLike:$dy,
    SparseConv_TableLike:$table, SparseConv_WeightsLike:$dw,
    UnitAttr:$allow_tf32);
}

def SparseConv_PoolKernelOp : SparseConv_KernelOp<"pool", "getY", 1> {
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
    : SparseConv_KernelOp<"pool_grad", "getDx", 1> {
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
    : SparseConv_KernelOp<"global_pool", "getY", 1> {
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
    : SparseConv_KernelOp<"global_pool_grad", "getDx", 1> {
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

def SparseConv_GatherRowsOp : SparseConv_KernelOp<"gather_rows", "getY", 1> {
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
    : SparseConv_KernelOp<"interpolate", "getRows", 2> {
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
    : SparseConv_KernelOp<"weighted_gather", "getY", 1> {
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
    : SparseConv_KernelOp<"scatter_rows", "getY", 1> {
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
    : SparseConv_KernelOp<"to_dense", "getDense", 1> {
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
    : SparseConv_KernelOp<"from_dense", "getX", 1> {
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
