//===- SparseConvConvOps.td - convolution and its gradients --*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_CONV_OPS
#define SPARSECONV_CONV_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvOpBase.td"

class SparseConv_ComputeOp<string mnemonic, list<Trait> traits = []>
    : SparseConv_Op<mnemonic,
        !listconcat([NoMemoryEffect, SparseConv_Infer, SparseConv_Reify],
                    traits)>;

/// A convolution or one of its gradients.
class SparseConv_ImplicitGemm<string mnemonic, list<Trait> traits = []>
    : SparseConv_ComputeOp<mnemonic,
        !listconcat([SparseConv_ImplicitGemmOpInterface], traits)>;

def SparseConv_ConvOp : SparseConv_ImplicitGemm<"conv",
    [IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">,
     SparseConv_ArgumentNames]> {
  let summary = "sparse convolution over a kernel map";
  let description = [{
    ```mlir
    %y = sparseconv.conv %x, %w, %map
        : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
    ```

    y[r] = sum over k of x[in(r, k)] . w[k], accumulated in f32 and rounded once
    where it is stored. `x` [rows of the in set, C_in]; `w` [K, C_in, C_out], or
    [K, G, C_in/G, C_out/G] for G groups, in the element type of `x` (f32, f16
    or bf16); the result [rows of the out set, C_out] in the same type. A row
    without neighbours gives 0.

    An *epilogue* is a region that runs on the accumulator before it is stored:

    ```mlir
    %y = sparseconv.conv %x, %w, %map epilogue(%bias, %skip : tensor<64xf16>, tensor<?x64xf16>) {
    ^bb0(%acc: f32, %b: f16, %s: f16):
      %b32 = arith.extf %b : f16 to f32
      %s32 = arith.extf %s : f16 to f32
      %0 = arith.addf %acc, %b32 : f32
      %1 = arith.addf %0, %s32 : f32
      sparseconv.yield %1 : f32
    } : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
    ```

    Its arguments are the f32 accumulator and one scalar for each extra operand:
    a channel operand is [C_out], a row operand [rows of the out set, C_out].
    The body holds scalar `arith` and `math` operations and constants, and reads
    nothing but its arguments; the yielded f32 is rounded once to the result's
    element type.

    `tf32 = allowed` permits f32 features and weights to be rounded to tf32 (11
    significant bits) before they are multiplied, as tensor cores do; the sum
    stays f32. A target without them computes in f32.

    ```mlir
    %y = sparseconv.conv %x, %w, %map tf32 = allowed
        : tensor<?x32xf32>, tensor<27x32x64xf32>, !map -> tensor<?x64xf32>
    ```

    Two runs give the same bits. `nondeterministic = allowed` permits the f32
    additions of a row to happen in an order that changes from run to run, as
    atomic additions do; the bound of the error stays.

    ```mlir
    %y = sparseconv.conv %x, %w, %map nondeterministic = allowed
        {dataflow = #sparseconv.dataflow<fetch_on_demand>}
        : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
    ```

    `dataflow` and `tiling` hold decisions; without them the passes decide.
    `row_order` decides in which order tiles of rows take them (`gray`, `mask`,
    `space` or `density`), and needs a tiling that has tiles; without it the order
    is `gray`.

    ```mlir
    %y = sparseconv.conv %x, %w, %map {row_order = #sparseconv<row_order space>}
        : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
    ```

    Run-time errors: `x`, or a row operand, with another number of rows than its
    side of the map (both are named).
  }];
  let arguments = (ins
    SparseConv_Features:$x,
    SparseConv_Weights:$w,
    SparseConv_KernelMapType:$map,
    Variadic<AnyRankedTensor>:$extras,
    OptionalAttr<SparseConv_DataflowAttr>:$dataflow,
    OptionalAttr<SparseConv_AnyTilingAttr>:$tiling,
    OptionalAttr<SparseConv_RowOrderAttr>:$row_order,
    UnitAttr:$allow_tf32, UnitAttr:$allow_nondeterministic);
  let results = (outs SparseConv_Features:$y);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let builders = [OpBuilder<(ins "Value":$x, "Value":$w, "Value":$map)>];
  let assemblyFormat = [{
    $x `,` $w `,` $map (`tf32` `=` `allowed` $allow_tf32^)?
    (`nondeterministic` `=` `allowed` $allow_nondeterministic^)? ``
    custom<Epilogue>($extras, type($extras), $epilogue)
    attr-dict `:` type($x) `,` type($w) `,` type($map) `->` type($y)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getGroups();
    int64_t getInChannels();
    int64_t getOutChannels();
    bool hasEpilogue() { return !getEpilogue().empty(); }
  }];
}

def SparseConv_YieldOp : SparseConv_Op<"yield",
    [Pure, ReturnLike, Terminator, ParentOneOf<["ConvOp", "GatherGemmScatterOp",
    "ImplicitGemmOp", "TiledGemmOp"]>]> {
  let summary = "ends an epilogue";
  let description = [{
    ```mlir
    %y = sparseconv.conv %x, %w, %map epilogue {
    ^bb0(%acc: f32):
      %zero = arith.constant 0.0 : f32
      %positive = arith.maximumf %acc, %zero : f32
      sparseconv.yield %positive : f32
    } : tensor<?x32xf32>, tensor<27x32x64xf32>, !map -> tensor<?x64xf32>
    ```

    Yields the f32 that is rounded and stored.
  }];
  let arguments = (ins Variadic<F32>:$values);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def SparseConv_InputGradOp : SparseConv_ImplicitGemm<"input_grad"> {
  let summary = "gradient of a convolution by its input";
  let description = [{
    ```mlir
    %dx = sparseconv.input_grad %dy, %w, %map
        : tensor<?x64xf16>, tensor<27x32x64xf16>, !map -> tensor<?x32xf16>
    ```

    The adjoint of `conv` in `x`: dx[i] = sum over (r, k) with in(r, k) = i of
    dy[r] . transpose(w[k]). `map` is the map of the convolution; `dy` has the
    rows of its out set, the result those of its in set. Accumulation, rounding,
    the two permissions, `row_order` and errors as for `conv`.
  }];
  let arguments = (ins
    SparseConv_Features:$dy,
    SparseConv_Weights:$w,
    SparseConv_KernelMapType:$map,
    OptionalAttr<SparseConv_DataflowAttr>:$dataflow,
    OptionalAttr<SparseConv_AnyTilingAttr>:$tiling,
    OptionalAttr<SparseConv_RowOrderAttr>:$row_order,
    UnitAttr:$allow_tf32, UnitAttr:$allow_nondeterministic);
  let results = (outs SparseConv_Features:$dx);
  let assemblyFormat = [{
    $dy `,` $w `,` $map (`tf32` `=` `allowed` $allow_tf32^)?
    (`nondeterministic` `=` `allowed` $allow_nondeterministic^)? attr-dict
    `:` type($dy) `,` type($w) `,` type($map) `->` type($dx)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    TypedValue<RankedTensorType> getFeatures() { return getDy(); }
    Gradient getGradient() { return Gradient::Input; }
  }];
}

def SparseConv_WeightGradOp : SparseConv_ImplicitGemm<"weight_grad"> {
  let summary = "gradient of a convolution by its weights";
  let description = [{
    ```mlir
    %dw = sparseconv.weight_grad %x, %dy, %map
        : tensor<?x32xf16>, tensor<?x64xf16>, !map -> tensor<27x32x64xf16>
    %grouped = sparseconv.weight_grad %x, %dy, %map groups(4)
        : tensor<?x32xf16>, tensor<?x64xf16>, !map -> tensor<27x4x8x16xf16>
    ```

    dw[k] = sum over the pairs (i, r) of offset k of transpose(x[i]) . dy[r], in
    a fixed order. Accumulation, rounding, `tf32 = allowed` and errors as for
    `conv`.
  }];
  let arguments = (ins
    SparseConv_Features:$x,
    SparseConv_Features:$dy,
    SparseConv_KernelMapType:$map,
    OptionalAttr<I64Attr>:$groups,
    OptionalAttr<SparseConv_DataflowAttr>:$dataflow,
    OptionalAttr<SparseConv_AnyTilingAttr>:$tiling,
    UnitAttr:$allow_tf32);
  let results = (outs SparseConv_Weights:$dw);
  let assemblyFormat = [{
    $x `,` $dy `,` $map (`groups` `(` $groups^ `)`)?
    (`tf32` `=` `allowed` $allow_tf32^)? attr-dict
    `:` type($x) `,` type($dy) `,` type($map) `->` type($dw)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    RankedTensorType getWeightsType() { return getDw().getType(); }
    Gradient getGradient() { return Gradient::Weights; }
  }];
}

#endif // SPARSECONV_CONV_OPS
