//===- Passes.td - passes that decide how things are done --*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SELECTION_PASSES
#define SPARSECONV_SELECTION_PASSES

include "mlir/Pass/PassBase.td"

def SparseConvSelectIndexing
    : Pass<"sparseconv-select-indexing", "::mlir::ModuleOp"> {
  let summary = "decides how kernel maps are searched for and coarser sets made";
  let description = [{
    Gives every `kernel_map` without one a `#sparseconv.search`, but for those of
    a set to itself by the offset 0 alone, which need none, and every `downsample`
    without one a `#sparseconv.coarsening`; what is written stays. All maps are
    searched for by `zdelta`, on a CPU and on a GPU.

    For `floor` a GPU merges cells of up to 4 columns, which factors of 2 on three
    axes make, where the sets allow it. It makes other sets from a bitmap, where
    they have a clip region that allows that, and sorts for the rest. A CPU sorts
    for all: its sort takes one pass for each digit whatever the order of the keys,
    but no launch.

    Where `tuning-database` names a file that knows the target and the shape
    class of an operation, and another choice than that of the rules was measured
    to be fastest, it is chosen instead. A choice that does not suit the operation
    is a warning, and the rules decide.
  }];
  let options = [
    Option<"tuningDatabase", "tuning-database", "std::string", /*default=*/"\"none\"",
           "a file with measured choices, which come before the rules; or 'none', or "
           "'default': those that come with the project">];
  let dependentDialects = ["::mlir::sparseconv::SparseConvDialect"];
  let statistics = [
    Statistic<"numSelected", "selected", "maps given a search">,
    Statistic<"numCoarsenings", "coarsenings", "sets given a coarsening">,
    Statistic<"numMeasured", "measured", "operations given a measured choice">];
}

def SparseConvSelectDataflow
    : Pass<"sparseconv-select-dataflow", "::mlir::ModuleOp"> {
  let summary = "decides how each convolution carries out its sum";
  let description = [{
    Gives every `conv`, `input_grad` and `weight_grad` without one a
    `#sparseconv.dataflow`; what is written stays. On the CPU the choice is
    `weight_stationary`: within a row block the pairs of one offset fill the
    registers, where a dense tile would multiply mostly zeros. On a GPU it is
    `output_stationary`. It has `split_k` where the main loop that is fast for
    the shape can divide the offsets of few rows among thread blocks; for
    gradients by weights, `split_k` is as many row blocks as fill the device.

    Where `tuning-database` names a file that knows the target and the shape
    class of an operation without decisions, and another choice than that of the
    rules was measured to be fastest, it is chosen instead: dataflow, tiling and
    order of rows together.
  }];
  let options = [
    Option<"tuningDatabase", "tuning-database", "std::string", /*default=*/"\"none\"",
           "a file with measured choices, which come before the rules; or 'none', or "
           "'default': those that come with the project">];
  let dependentDialects = ["::mlir::sparseconv::SparseConvDialect"];
  let statistics = [
    Statistic<"numSelected", "selected", "operations given a dataflow">,
    Statistic<"numMeasured", "measured", "operations given a measured choice">];
}

def SparseConvSelectTiling
    : Pass<"sparseconv-select-tiling", "::mlir::ModuleOp"> {
  let summary = "decides the sizes that each convolution is compiled for";
  let description = [{
    Gives every `conv`, `input_grad` and `weight_grad` without one a tiling; what
    is written stays. On the CPU that is a `#sparseconv.tiling`:

    - `row_block`: 512 output rows for every layer, so that layers on one map
      share its pair lists, and accumulators stay in the L2 cache;
    - `rows` x `columns`: the accumulators fill the vector registers but for the
      ones that hold weights and a broadcast input: 6 x 64 with 32 registers of
      512 bits, 6 x 16 with 16 of 256, 6 x 8 with 16 of 128; no wider than the
      output channels, padded to whole vectors.

    Where the module's target is a GPU:

    - a `conv` or `input_grad` gets a `#sparseconv.gemm_tiling` with the first of
      the main loops known to be fast for its shape that fits the chip, or a
      `#sparseconv.scalar_tiling` where no main loop takes it (groups, few
      channels in f32);
    - a `weight_grad` gets a `#sparseconv.weight_grad_tiling`.

    The order of rows in tiles stays `gray` unless one is written
    (`row_order`): it leaves the fewest offsets in a tile. Where all layers on a
    map between sets of one stride have up to 16 channels or 64, in 16 bits, it
    becomes `density`: what takes their time is where their rows lie. Tiles that
    are given and guaranteed keep their order.
  }];
  let dependentDialects = ["::mlir::sparseconv::SparseConvDialect"];
  let statistics = [
    Statistic<"numSelected", "selected", "operations given a tiling">];
}

def SparseConvVerifySelection
    : Pass<"sparseconv-verify-selection", "::mlir::ModuleOp"> {
  let summary = "checks searches, dataflows and tilings against the target";
  let description = [{
    Gives an error for every `conv`, `input_grad` and `weight_grad` whose
    dataflow and tiling cannot run on the module's target, and for a map whose
    search is not known or has no room for its sets. It checks names, shared memory, registers,
    instructions, and whether sums can be split. Whoever wrote them, a pass or a
    person, learns which limit it is.
  }];
}

def SparseConvExplainSelection
    : Pass<"sparseconv-explain-selection", "::mlir::ModuleOp"> {
  let summary = "prints what the passes that select will choose, and why";
  let description = [{
    Changes nothing. Prints to standard error the module's target and, for each
    layer (convolution, gradient, kernel map, floored set), its location, its
    shape class and what the passes `sparseconv-select-*` will choose with the
    same database:

    ```
    target cuda:sm_90a
    net.mlir:12:8: conv f16 27x64x64 1x1x1 to 1x1x1
      {dataflow = ..., tiling = ...}
      by database: 12.5 us; others 14.0 to 20.1 us; at least 8.1 us for 100000 rows
    ```

    The reason is `by hand` where something is written, `by database`, or `by
    rule`. Times in a database are of a layer together with the layers that make
    its map or read it, as a search can do a part of their work. The last number is predicted from the chip's nominal rates for
    `rows` rows: bytes and operations that the layer cannot do without, and a
    launch (`lib/Tuning/Predict.cpp`).
  }];
  let dependentDialects = ["::mlir::sparseconv::SparseConvDialect"];
  let options = [
    Option<"tuningDatabase", "tuning-database", "std::string", /*default=*/"\"none\"",
           "a file with measured choices, which come before the rules; or 'none', or "
           "'default': those that come with the project">,
    Option<"rows", "rows", "int64_t", /*default=*/"100000",
           "rows of a set, for the predicted time">];
}

#endif // SPARSECONV_SELECTION_PASSES
