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

/// The name of a choice, written as a keyword. The tables of what can be chosen
/// are beyond the dialect: `sparseconv-verify-selection` knows them.
class SparseConv_Name<string desc> : StringRefParameter<desc> {
  let parser = [{[&]() -> FailureOr<std::string> {
    StringRef name;
    if (failed($_parser.parseKeyword(&name)))
      return failure();
    return name.str();
  }()}];
  let printer = "$_printer << $_self";
}

def SparseConv_PackingAttr : SparseConv_Attr<"Packing", "packing"> {
  let summary = "how a coordinate becomes an integer key";
  let description = [{
    ```mlir
    #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
    ```

    The batch index takes the most significant field, the last axis the least
    significant. Keys are 32 or 64 bits wide, the fields take their low bits,
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
    #sparseconv.dataflow<output_stationary, split_k = 8>
    #sparseconv.dataflow<grouped, epsilon = 25, s = 20000>
    #sparseconv.dataflow<hybrid, norm = 2>
    ```

    | dataflow | how | on |
    |---|---|---|
    | `output_stationary` | a tile of output rows is summed over all offsets of a neighbour table before it is stored (implicit GEMM) | GPUs |
    | `weight_stationary` | pair lists by offset: within a row block the weights of one offset at a time meet all its pairs, and sums stay in the accumulators of the row block, so the order of additions is fixed | CPUs; on GPUs convolutions and gradients by the input, on tensor cores |
    | `explicit` | the input rows of all offsets are written side by side (im2col), zeros for those that are not there, then multiplied by the weights of all offsets as one matrix | everywhere, without groups |
    | `grouped` | all rows are gathered by offset, then all products are computed and written in f32, then summed by output row in the order of the offsets (TorchSparse, arXiv 2204.10319) | CPUs; on GPUs convolutions and gradients by the input without groups, on tensor cores |
    | `hybrid` | offsets of an L1 norm below `norm` as by `output_stationary`, all others as by `weight_stationary`; sums of both are added in f32 and rounded once (Spira, arXiv 2511.20834) | as `weight_stationary`, without groups and gradients by the weights |
    | `fetch_on_demand` | for each offset, rows are gathered while they are multiplied, and products are added atomically to the result, or to an f32 buffer (TorchSparse, arXiv 2204.10319); the operation has to say `nondeterministic = allowed` | GPUs, as `weight_stationary`; on CPUs it is `weight_stationary` |

    The sum is computed in `split_k` splits, which are added in a fixed order; of
    `hybrid` these are splits of its output-stationary part.
    `epsilon` and `s` belong to `grouped` alone: offsets of similar size are a
    group, and those of a group may be padded to equal size (`kernel.group_pairs`).
    `norm` belongs to `hybrid` alone, which needs it. It is compared with
    |x| + |y| + |z| of an offset as the map writes it, dilation included, in steps of
    the finer set's stride: of `box<3, 3, 3>`, `norm = 2` takes 7 of the 27 offsets,
    the centre and its six neighbours.
    The decision is made by `sparseconv-select-dataflow`, or by hand, and checked
    against the target by `sparseconv-verify-selection`.
  }];
  let parameters = (ins
    SparseConv_Name<"the dataflow">:$name,
    DefaultValuedParameter<"int64_t", "1">:$split_k,
    DefaultValuedParameter<"int64_t", "0", "in per cent">:$epsilon,
    DefaultValuedParameter<"int64_t", "0">:$s,
    OptionalParameter<"std::optional<int64_t>">:$norm);
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name, "int64_t":$split_k),
                "return $_get($_ctxt, name, split_k, /*epsilon=*/0, /*s=*/0, "
                "/*norm=*/std::nullopt);">];
  let assemblyFormat =
      "`<` $name (`,` struct($split_k, $epsilon, $s, $norm)^)? `>`";
  let genVerifyDecl = 1;
}

def SparseConv_SearchAttr : SparseConv_Attr<"Search", "search"> {
  let summary = "how a kernel map is searched for";
  let description = [{
    ```mlir
    #sparseconv.search<zdelta>
    #sparseconv.search<hash, half>
    ```

    | search | how |
    |---|---|
    | `zdelta` | Displacements that differ on the last axis only form a column. For one output row the inputs of a column lie close together among the sorted keys, so one lower bound and a short walk find them all (Spira, arXiv 2511.20834, section 4.1). |
    | `binary` | One lower bound (a binary search) for each output row and offset. |
    | `hash` | A hash table of the input keys, in which each output row looks up every offset: open addressing with linear probing, and at least twice as many slots as keys. |
    | `grid` | A table with the row of each cell of the packing at the stride of the input set, or -1. The packing must have at most 2^27 cells, its guards included. |

    With `half` only one of the offsets d and -d is searched for: where input s
    meets output r by d, input r meets output s by -d, and both entries are
    written. The two sets of the map have to be the same value, and the offsets
    symmetric about 0. Such a search fills a table; it leaves no hits by row
    (`kernel.search_hits`).

    The names are those of the table in `lib/Kernels/Indexing/Searches.def`. The
    decision is made by `sparseconv-select-indexing`, or by hand, and checked by
    `sparseconv-verify-selection`.
  }];
  let parameters = (ins StringRefParameter<"the name of a search">:$name,
                        DefaultValuedParameter<"bool", "false">:$half);
  let builders = [
    AttrBuilder<(ins "StringRef":$name), "return $_get($_ctxt, name, false);">];
  let assemblyFormat = "`<` custom<Search>($name, $half) `>`";
}

def SparseConv_TilingAttr : SparseConv_Attr<"Tiling", "tiling"> {
  let summary = "the sizes that a kernel is made for";
  let description = [{
    ```mlir
    #sparseconv.tiling<row_block = 1024, rows = 6, columns = 64, lanes = 16>
    ```

    `row_block`: output rows of one piece of work; `rows` x `columns`: sums in registers;
    `lanes`: elements of a vector, which divide `columns`; on a GPU 8 where mma.sync
    multiplies, of which they are the columns, and 4 where threads do. Sizes are 1 to
    65536, with at most 64 lanes, 1024 vectors of sums, of which a CPU takes 64, and 2^24
    sums in a piece of work.
    The decision is made by `sparseconv-select-tiling`, or by hand.
  }];
  let parameters = (ins "int64_t":$row_block, "int64_t":$rows,
                        "int64_t":$columns, "int64_t":$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def SparseConv_GemmTilingAttr : SparseConv_Attr<"GemmTiling", "gemm_tiling"> {
  let summary = "the main loop and the sizes of an implicit GEMM on a GPU";
  let description = [{
    ```mlir
    #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 256, stages = 6>
    ```

    | main loop | tile | multiplies by | weights |
    |---|---|---|---|
    | `depthwise` | 16 rows per warp | fused multiply-adds in f32, channel by channel | read through the L1 cache |
    | `fma16` | 16 rows per warp | fused multiply-adds in f32 | with the rows in a ring of `stages` stages of shared memory |
    | `warp16` | 16 rows per warp, those of `stages` offsets on their way | mma.sync | in shared memory (`resident`), or read through the L1 cache |
    | `group64` | 64 rows per warpgroup | wgmma | in shared memory |
    | `ring64` | 64 rows per warpgroup | wgmma | in a ring of `stages` stages of shared memory |
    | `producer64` | 64 rows per warpgroup but the last, which copies | wgmma | with the rows in a ring of `stages` stages of shared memory |

    The last four multiply on tensor cores, where f32 becomes tf32; the operation
    has to allow it. In groups, each column tile belongs to one group; `depthwise`
    alone takes groups of one channel (in and out), of which a column tile has
    many.

    `warps` of a thread block, of which a multiprocessor holds `blocks`; `tile_k`
    input channels per step; `tile_n` output channels per thread block. Offsets
    that no row of a tile has are skipped (the masks of `kernel.tile_rows`). The
    decision is made by `sparseconv-select-tiling`, or by hand, and checked
    against a chip by `sparseconv-verify-selection`.
  }];
  let parameters = (ins
    SparseConv_Name<"the main loop">:$main_loop,
    DefaultValuedParameter<"int64_t", "4">:$warps,
    DefaultValuedParameter<"int64_t", "1">:$blocks,
    DefaultValuedParameter<"int64_t", "16">:$tile_k,
    DefaultValuedParameter<"int64_t", "8">:$tile_n,
    DefaultValuedParameter<"int64_t", "1">:$stages,
    DefaultValuedParameter<"bool", "false">:$resident);
  let assemblyFormat = [{
    `<` $main_loop
    (`,` struct($warps, $blocks, $tile_k, $tile_n, $stages, $resident)^)? `>`
  }];
  let genVerifyDecl = 1;
}

def SparseConv_ScalarTilingAttr
    : SparseConv_Attr<"ScalarTiling", "scalar_tiling"> {
  let summary = "an implicit GEMM without tiles on a GPU";
  let description = [{
    ```mlir
    #sparseconv.scalar_tiling
    ```

    Each thread computes up to four output channels of one row, in f32, straight
    from the neighbour table (`kernel.implicit_gemm`). It takes every shape:
    groups, depthwise, few channels. The decision is made by
    `sparseconv-select-tiling`, or by hand.
  }];
}

def SparseConv_WeightGradTilingAttr
    : SparseConv_Attr<"WeightGradTiling", "weight_grad_tiling"> {
  let summary = "the main loop and the sizes of a gradient by weights on a GPU";
  let description = [{
    ```mlir
    #sparseconv.weight_grad_tiling<wgmma, tile_in = 128, tile_out = 128, piece_in = 64, piece_out = 128, pairs = 32, stages = 4, blocks = 2>
    #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, pairs = 32, stages = 4, blocks = 4>
    #sparseconv.weight_grad_tiling<fma, tile_in = 32, tile_out = 64, piece_in = 4, piece_out = 4, slices = 2, pairs = 32, blocks = 2>
    ```

    | main loop | multiplies by | a piece belongs to | takes |
    |---|---|---|---|
    | `wgmma` | wgmma, on chips that have it | a warpgroup | f16 and bf16 with whole pieces of 16 bytes, no groups |
    | `mma` | mma.sync; f32 in tf32, which the operation has to allow | a warp | groups of whole pieces of 16 bytes, one group in a tile |
    | `fma` | fused multiply-adds in f32 | a thread | every shape |

    A thread block owns, of the gradient of an offset, `tile_in` x `tile_out`
    channels of each of `tile_groups` groups, cut into pieces of `piece_in` x
    `piece_out`. Each piece belongs to `slices` warps or threads, which take the
    pairs of a step in turn (sliced K). A step has `pairs` pairs of rows, and
    `stages` steps are in shared memory at a time. Registers are shared out so
    that a multiprocessor can hold `blocks` thread blocks.

    The pairs of all offsets are shared out to as many thread blocks as the
    dataflow has `split_k`; each adds up a split of the gradient of one offset.
    The decision is made by
    `sparseconv-select-tiling`, or by hand, and checked against a chip by
    `sparseconv-verify-selection`.
  }];
  let parameters = (ins
    SparseConv_Name<"the main loop">:$main_loop,
    DefaultValuedParameter<"int64_t", "1">:$tile_groups,
    DefaultValuedParameter<"int64_t", "16">:$tile_in,
    DefaultValuedParameter<"int64_t", "16">:$tile_out,
    DefaultValuedParameter<"int64_t", "1">:$piece_in,
    DefaultValuedParameter<"int64_t", "1">:$piece_out,
    DefaultValuedParameter<"int64_t", "1">:$slices,
    DefaultValuedParameter<"int64_t", "16">:$pairs,
    DefaultValuedParameter<"int64_t", "1">:$stages,
    DefaultValuedParameter<"int64_t", "1">:$blocks);
  let assemblyFormat = [{
    `<` $main_loop
    (`,` struct($tile_groups, $tile_in, $tile_out, $piece_in, $piece_out,
                $slices, $pairs, $stages, $blocks)^)? `>`
  }];
  let genVerifyDecl = 1;
}

/// The sizes of a kernel, as the target counts them.
def SparseConv_AnyTilingAttr
    : AnyAttrOf<[SparseConv_TilingAttr, SparseConv_GemmTilingAttr,
                 SparseConv_ScalarTilingAttr, SparseConv_WeightGradTilingAttr],
                "the sizes that a kernel is made for">;

def SparseConv_TargetAttr : SparseConv_Attr<"Target", "target"> {
  let summary = "what a module is compiled for";
  let description = [{
    ```mlir
    module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">}
    module attributes {sparseconv.target = #sparseconv.target<cpu, chip = "avx2">}
    ```

    A backend and one of its chips; of a CPU that is the level of its vector
    instructions. A chip that is left out is the backend's default, which is
    then printed. Passes read what the chip has from the table of its backend
    (`getTargetInfo`). On the module, `sparseconv-set-target` writes it; where
    there is none, the target is the CPU with the default level.

    Errors: a backend or a chip that is not known. A chip that is known and has
    no row in the table is taken as the one that stands for it, of which
    `sparseconv-set-target` leaves a remark.
  }];
  let parameters = (ins StringRefParameter<>:$backend, StringRefParameter<>:$chip);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What the tables know of the target.
    Target getTarget() const;
    const TargetInfo &getInfo() const { return *getTarget().info; }
  }];
}

#endif // SPARSECONV_ATTRS
