//===- Fusion.td - passes that fuse operations -------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_FUSION_TD
#define SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_FUSION_TD

include "mlir/Pass/PassBase.td"

def SparseConvFuseConcatenations
    : Pass<"sparseconv-fuse-concatenations", "::mlir::func::FuncOp"> {
  let summary = "lets implicit GEMMs gather from both inputs of a concatenation";
  let description = [{
    A concatenation of channels, such as that of a decoder's features and a skip,
    goes where `sparseconv.kernel.tiled_gemm` alone reads it: rows are then
    gathered from both of its inputs. For example

    ```mlir
    %both = tensor.concat dim(1) %x, %skip : ... -> tensor<?x128xf16>
    %y:3 = sparseconv.kernel.tiled_gemm ins(%both, %image, ...) outs(...)
    ```

    becomes

    ```mlir
    %y:3 = sparseconv.kernel.tiled_gemm ins(%x, %image, ..., %skip) outs(...)
    ```

    The inputs have to have as many rows for sure, and channels that
    `tiled_gemm` takes from two tensors; other concatenations stay.
  }];
  let statistics = [Statistic<"numFused", "num-fused",
                              "Number of concatenations that went">];
}

def SparseConvFuseElementwise
    : Pass<"sparseconv-fuse-elementwise", "::mlir::ModuleOp"> {
  let summary = "computes elementwise operations where they are read";
  let description = [{
    A `linalg.generic` on parallel loops whose only use is another one becomes
    part of that, as upstream's `linalg-fuse-elementwise-ops` does it. That pass
    gives wrong results in two cases, which this one avoids:

    - A producer reads its init. In more loops it would read and write each
      element several times, so the init becomes an input before:

      ```mlir
      linalg.generic ins(%x : ...) outs(%a : ...) {  // %x + %a
      ```

      becomes

      ```mlir
      %new = tensor.empty(%n) : tensor<?x8xf32>
      linalg.generic ins(%x, %a : ...) outs(%new : ...) {
      ```

    - A reduction does not read its sum. Its init is the result where there is
      nothing to reduce, and stays unless loops of a static size surely turn.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SparseConvFuseEpilogues
    : Pass<"sparseconv-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "moves elementwise operations into the convolution before them";
  let description = [{
    A `linalg` operation that gives each element of features from those at the
    same place, such as a folded batch norm, an activation or the sum with a
    shortcut, becomes the end of the epilogue of a convolution that nothing else
    reads. For example

    ```mlir
    %y = sparseconv.conv %x, %w, %map : ... -> tensor<?x64xf16>
    %r = linalg.generic {...} ins(%y, %shift : tensor<?x64xf16>, tensor<64xf16>)
        outs(%init : tensor<?x64xf16>) {
    ^bb0(%a: f16, %b: f16, %out: f16):
      %0 = arith.addf %a, %b : f16
      linalg.yield %0 : f16
    } -> tensor<?x64xf16>
    ```

    becomes

    ```mlir
    %r = sparseconv.conv %x, %w, %map epilogue(%shift : tensor<64xf16>) {
    ^bb0(%acc: f32, %channel: f16):
      %0 = arith.truncf %acc : f32 to f16
      %1 = arith.addf %0, %channel : f16
      %2 = arith.extf %1 : f16 to f32
      sparseconv.yield %2 : f32
    } : ... -> tensor<?x64xf16>
    ```

    Where the body widens its argument, the f32 sum takes its place: a rounding
    goes, none is added.

    What it reads besides is features of the same rows, a number for each
    channel, or a constant. Broadcasts and fills are looked through. An
    operation whose operands might have different numbers of rows stays, and
    with it the error of a run in which they do. One stays that computes in
    f64 or gives another element type.

    Of two convolutions that meet, the one with more work takes the epilogue. It
    stays where it is unless it has to wait for an operand; one that may report
    an error of its own does not wait, for the first error counts.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::sparseconv::SparseConvDialect"];
  let statistics = [
    Statistic<"numFused", "fused", "elementwise operations that are fused">];
}

def SparseConvFuseGathers
    : Pass<"sparseconv-fuse-gathers", "::mlir::func::FuncOp"> {
  let summary = "lets a product read the rows that a gather behind it picks";
  let description = [{
    Features leave a network in the order of its points, by a gather behind the
    last convolution. Where that one has a single offset, 0, between a set and
    itself, it is a product of rows, which an implicit GEMM reads through a
    table anyway. With the numbers that the gather picks as its table

    ```mlir
    %y = sparseconv.conv %x, %w, %identity : ...
    %z = sparseconv.gather %y, %row_of : ...
    ```

    becomes

    ```mlir
    %table = tensor.expand_shape %row_of [[0, 1]] output_shape [%points, 1]
        : tensor<?xi32> into tensor<?x1xi32>
    %map = sparseconv.map_from_table %table, %rows to %points {sparseconv.trusted}
        : tensor<?x1xi32>, !sparseconv.kernel_map<1, !numbers to !numbers>
    %z = sparseconv.conv %x, %w, %map : ...
    ```

    `%rows` and `%points` are sets of the numbers of rows, which nobody reads.
    A convolution of 16-bit elements and up to 256 input channels fuses, without
    a shortcut in its epilogue, that nothing but the gather reads. The rows have
    to be those that a `pack` without a clip region, or a `subdivide`, gives for
    the points of the set: each of them is a row.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::sparseconv::SparseConvDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numFused", "fused", "gathers fused">];
}

def SparseConvFusePickedRows
    : Pass<"sparseconv-fuse-picked-rows", "::mlir::func::FuncOp"> {
  let summary = "lets epilogues of implicit GEMMs pick the rows that they read";
  let description = [{
    Where voxels are divided, a shortcut has the features of a voxel for each of
    its parts, and the epilogue of a convolution adds them. The gather between them
    goes:

    ```mlir
    %skip = sparseconv.kernel.gather_rows ins(%x, %rows, %status : ...) outs(%init : ...) {op_id = 3 : i64, trusted}
    %y:3 = sparseconv.kernel.tiled_gemm ins(%z, %image, ..., %skip : ...) outs(...)
    ```

    becomes

    ```mlir
    %y:3 = sparseconv.kernel.tiled_gemm ins(%z, %image, ..., %x, %rows : ...) outs(...)
    ```

    `%rows` are those of `sparseconv.kernel.subdivide`, each of which is a row of
    `%x` for sure, and nothing else reads `%skip`.
  }];
  let statistics = [Statistic<"numFused", "fused", "gathers fused">];
}

def SparseConvFuseSearchAndTiling
    : Pass<"sparseconv-fuse-search-and-tiling", "::mlir::func::FuncOp"> {
  let summary = "hands the hits of a search to the tiling of its rows";
  let description = [{
    Where `kernel.tile_rows` tiles the table of a `kernel.search` in the same
    block, hits take the table's place. A mask for each row and the first place
    of each column say as much in a third of the memory. The search becomes a
    `kernel.search_hits`, each tiling a `kernel.tile_hits`, and the table
    vanishes unless something else reads it. The first tiling whose sort is as
    long as the search expects also gets buffers that the search has cleared.

    This needs a table that is allocated in the function and that nothing else
    writes, at most 343 offsets, and at most 128 columns of at most 32 without
    gaps.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::mlir::sparseconv::SparseConvDialect"];
  let statistics = [
    Statistic<"numFused", "fused", "searches that hand over their hits">];
}

def SparseConvFuseTranspositions
    : Pass<"sparseconv-fuse-transpositions", "::mlir::func::FuncOp"> {
  let summary = "lets kernels read and write arrays in the order of axes that is "
                "asked for";
  let description = [{
    A network that ends in a dense grid for ordinary convolutions transposes the
    grid to [batch, channels, ...], as these take it. Where only the
    transposition reads the grid, `sparseconv.kernel.to_dense` writes it in that
    layout. For example

    ```mlir
    %grid = sparseconv.kernel.to_dense ins(%x, %keys, %status : ...)
        outs(%zeros : tensor<1x2x252x392x128xf16>) ...
    %y = linalg.transpose ins(%grid : tensor<1x2x252x392x128xf16>)
        outs(%empty : tensor<1x128x2x252x392xf16>)
        permutation = [0, 4, 1, 2, 3]
    ```

    becomes

    ```mlir
    %zeros = linalg.fill ins(%zero : f16)
        outs(%other_empty : tensor<1x128x2x252x392xf16>) -> ...
    %y = sparseconv.kernel.to_dense ins(%x, %keys, %status : ...)
        outs(%zeros : tensor<1x128x2x252x392xf16>) {channels_first, ...}
    ```

    Other permutations stay. So do grids that held something else than one number
    before, and shapes that are not static.

    Weights that another library left in its own order are packed from there. For
    example

    ```mlir
    %turned = linalg.transpose ins(%w : tensor<64x27x32xf16>)
        outs(%empty : tensor<27x32x64xf16>) permutation = [1, 2, 0]
    %image = sparseconv.kernel.pack_weights
        ins(%turned : tensor<27x32x64xf16>) outs(%room : tensor<110592xi8>)
        {tiling = ...}
    ```

    becomes

    ```mlir
    %image = sparseconv.kernel.pack_weights
        ins(%w : tensor<64x27x32xf16>) outs(%room : tensor<110592xi8>)
        {permutation = array<i64: 1, 2, 0>, tiling = ...}
    ```

    also where the axes in front of the channels are joined or split behind the
    transposition. Weights in groups stay.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numFused", "num-fused",
                              "Number of transpositions that went">];
}

#endif // SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_FUSION_TD
