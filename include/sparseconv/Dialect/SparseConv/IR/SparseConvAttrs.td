//===- SparseConvAttrs.td - attributes --------------------*- tablegen -*--===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_ATTRS
#define SPARSECONV_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvEnums.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvInterfaces.td"

class SparseConv_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<SparseConv_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def SparseConv_PackingAttr : SparseConv_Attr<"Packing", "packing"> {
  let summary = "how a coordinate becomes an integer key";
  let description = [{
    ```mlir
    #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
    ```

    The batch index takes the most significant field, the last axis the least
    significant; keys are 32 or 64 bits wide, the fields take their low bits,
    and keys compare unsigned. A field of b bits stores its coordinate with bias
    2^(b-1) and holds the coordinates -2^(b-1)+guard .. 2^(b-1)-1-guard; the
    batch field of b bits holds 0 .. 2^b - 1.

    The guard keeps the sum of a key and a packed offset inside each field: an
    offset times its stride may not exceed the guard of its axis. It is at least
    1, which also leaves the all-ones key free as a sentinel.

    Packed keys follow Spira (arXiv 2511.20834, section 4.2); the guard and the
    batch field are ours.

    Errors: key width other than 32 or 64; 1 to 4 axes; a field without values
    (2^b <= 2*guard); fields that together exceed the key.
  }];
  let parameters = (ins
    "unsigned":$keyWidth,
    "unsigned":$batch,
    ArrayRefParameter<"int64_t">:$bits,
    ArrayRefParameter<"int64_t">:$guard);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getDim() const { return getBits().size(); }
    IntegerType getKeyType() const;
    /// Bits in use: the batch field and all axes.
    unsigned getUsedBits() const;
    /// Widths of the fields, the highest (the batch) first.
    llvm::SmallVector<int64_t> getFields() const;
    /// Position of the lowest bit of the field of `axis`, or of the batch.
    unsigned getShift(unsigned axis) const;
    unsigned getBatchShift() const;
    /// What is added to a coordinate before it is stored: 2^(bits-1).
    int64_t getBias(unsigned axis) const;
    /// Inclusive bounds of the coordinates that `axis` holds.
    int64_t getMin(unsigned axis) const;
    int64_t getMax(unsigned axis) const;
    int64_t getMaxBatch() const;
    /// Key of a coordinate (`point` = batch, then D coordinates) in range.
    uint64_t pack(ArrayRef<int64_t> point) const;
    /// The coordinate of a key: batch, then D coordinates.
    SmallVector<int64_t, 5> unpack(uint64_t key) const;
    /// What adding `offset` (finest units) does to a key, modulo 2^keyWidth.
    int64_t packOffset(ArrayRef<int64_t> offset) const;
  }];
}

def SparseConv_BoxAttr
    : SparseConv_Attr<"Box", "box",
        [DeclareAttrInterfaceMethods<SparseConv_OffsetSetInterface>]> {
  let summary = "a box of offsets";
  let description = [{
    ```mlir
    #sparseconv.box<3, 3, 3>                          // 27 offsets, -1 .. 1
    #sparseconv.box<corner 3, 3, dilation = [1, 2]>   // {0,1,2} x {-2,0,2}
    ```

    Per axis k offsets: -floor((k-1)/2) .. floor(k/2) (centred, so k = 2 is
    {0, 1}), or with `corner` 0 .. k-1; each times the dilation of its axis. The
    last axis is fastest.

    Errors: 1 to 4 axes; sizes and dilations below 1; more than 2^20 offsets.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$size,
    ArrayRefParameter<"bool">:$corner,
    ArrayRefParameter<"int64_t">:$dilation);
  let builders = [
    AttrBuilder<(ins "ArrayRef<int64_t>":$size)>,
    AttrBuilder<(ins "ArrayRef<int64_t>":$size, "bool":$corner)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SparseConv_OffsetListAttr
    : SparseConv_Attr<"OffsetList", "list",
        [DeclareAttrInterfaceMethods<SparseConv_OffsetSetInterface>]> {
  let summary = "a list of offsets";
  let description = [{
    ```mlir
    #sparseconv.list<[0, 0, 0], [0, 0, 1], [1, 0, 0]>
    ```

    Any distinct offsets, in the order written. Errors: no offsets; rows of
    different lengths; 1 to 4 axes; an offset written twice.
  }];
  let parameters = (ins
    "unsigned":$dim,
    ArrayRefParameter<"int64_t">:$offsets);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SparseConv_RegionAttr : SparseConv_Attr<"Region", "region"> {
  let summary = "a box of coordinates";
  let description = [{
    ```mlir
    #sparseconv.region<[0, 0, 0] to [1408, 1600, 40]>
    ```

    The coordinates c with lower <= c < upper on every axis, in units of the
    finest grid. Errors: bounds of different lengths; upper < lower.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$lower,
    ArrayRefParameter<"int64_t">:$upper);
  let assemblyFormat = "`<` `[` $lower `]` `to` ` ` `[` $upper `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getDim() const { return getLower().size(); }
  }];
}

def SparseConv_DataflowAttr : SparseConv_Attr<"Dataflow", "dataflow"> {
  let summary = "how the sum over offsets is carried out";
  let description = [{
    ```mlir
    #sparseconv.dataflow<output_stationary>
    #sparseconv.dataflow<hybrid, threshold = 3>
    ```

    - `output_stationary`: a tile of output rows is summed over all offsets
      before it is stored (implicit GEMM).
    - `weight_stationary`: pair lists by offset; within a block of output rows
      one slice of the weights at a time meets all its pairs, and partial sums
      stay in the block's accumulator, so the order of additions is fixed.
    - `hybrid`: offsets of L1 norm below `threshold` the first way, the rest the
      second (Spira, arXiv 2511.20834, section 4.4).
    - `explicit`: gathers all inputs into a matrix, then one GEMM.

    `split_k` parts of the sum are computed apart and added in a fixed order.
    The decision is made by `sparseconv-select-dataflow`, or by hand.
  }];
  let parameters = (ins
    EnumParameter<SparseConv_DataflowKind>:$kind,
    DefaultValuedParameter<"int64_t", "0">:$threshold,
    DefaultValuedParameter<"int64_t", "1">:$split_k);
  let assemblyFormat = "`<` $kind (`,` struct($threshold, $split_k)^)? `>`";
  let genVerifyDecl = 1;
}

def SparseConv_TilingAttr : SparseConv_Attr<"Tiling", "tiling"> {
  let summary = "the sizes that a kernel is made for";
  let description = [{
    ```mlir
    #sparseconv.tiling<block = 1024, rows = 6, columns = 64, lanes = 16>
    ```

    `block`: output rows of one work item; `rows` x `columns`: the accumulators
    that stay in registers; `lanes`: elements of one vector, which divide
    `columns`. The decision is made by `sparseconv-select-tiling`, or by hand.
  }];
  let parameters = (ins "int64_t":$block, "int64_t":$rows, "int64_t":$columns,
                        "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def SparseConv_GemmStrategy : I32EnumAttr<"GemmStrategy",
    "the mainloop of an implicit GEMM on a GPU", [
  I32EnumAttrCase<"Fma", 0, "fma">,
  I32EnumAttrCase<"Warp16", 1, "warp16">,
  I32EnumAttrCase<"Group64", 2, "group64">,
  I32EnumAttrCase<"Ring64", 3, "ring64">,
  I32EnumAttrCase<"Fma16", 4, "fma16">]> {
  let cppNamespace = "::mlir::sparseconv";
  let genSpecializedAttr = 0;
}

def SparseConv_GemmTilingAttr : SparseConv_Attr<"GemmTiling", "gemm_tiling"> {
  let summary = "the mainloop and the sizes of an implicit GEMM on a GPU";
  let description = [{
    ```mlir
    #sparseconv.gemm_tiling<fma>
    #sparseconv.gemm_tiling<ring64, warps = 8, depth = 64, width = 256, stages = 6>
    ```

    - `fma`: threads multiply and add; every type, groups, depthwise.
    - `fma16`: the same for f32 without groups: a warp owns a tile of 16 rows;
      rows and weights pass through `stages` stages of shared memory.
    - `warp16`: a warp owns a tile of 16 rows; mma.sync, with the weights in
      shared memory (`resident`) or read through the L1 cache.
    - `group64`: a warpgroup owns a tile of 64 rows; wgmma, weights resident.
    - `ring64`: the same with the weights in a ring of `stages` stages.

    The last three multiply on tensor cores: f32 in tf32, which the operation has
    to allow.

    `warps` of a thread block, of which a multiprocessor holds `blocks`; `depth`
    input channels a step; `width` output channels of a block. Offsets that no
    row of a tile has are skipped (the masks of `kernel.tile_rows`). The decision
    is made by `sparseconv-select-tiling`, or by hand, and checked against a chip
    by `sparseconv-verify-selection`.
  }];
  let parameters = (ins
    EnumParameter<SparseConv_GemmStrategy>:$strategy,
    DefaultValuedParameter<"int64_t", "4">:$warps,
    DefaultValuedParameter<"int64_t", "1">:$blocks,
    DefaultValuedParameter<"int64_t", "16">:$depth,
    DefaultValuedParameter<"int64_t", "8">:$width,
    DefaultValuedParameter<"int64_t", "1">:$stages,
    DefaultValuedParameter<"bool", "false">:$resident);
  let assemblyFormat = [{
    `<` $strategy
    (`,` struct($warps, $blocks, $depth, $width, $stages, $resident)^)? `>`
  }];
  let genVerifyDecl = 1;
}

/// The sizes of a kernel, as the target counts them.
def SparseConv_AnyTilingAttr
    : AnyAttrOf<[SparseConv_TilingAttr, SparseConv_GemmTilingAttr],
                "the sizes that a kernel is made for">;

#endif // SPARSECONV_ATTRS
