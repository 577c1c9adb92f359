//===- SparseConvInterfaces.td - interfaces ---------------*- tablegen -*--===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_INTERFACES
#define SPARSECONV_INTERFACES

include "mlir/IR/OpBase.td"

def SparseConv_OffsetSetInterface : AttrInterface<"OffsetSetInterface"> {
  let cppNamespace = "::mlir::sparseconv";
  let description = [{
    A finite, ordered set of distinct offsets: a box or a list. Offset k of the
    set goes with slice k of a weight tensor.
  }];
  let methods = [
    InterfaceMethod<"Number of axes D.", "unsigned", "getDim">,
    InterfaceMethod<"Number of offsets K.", "int64_t", "getVolume">,
    InterfaceMethod<
      "The offsets in order, in units of the finer set, as K groups of D "
      "numbers.",
      "::llvm::SmallVector<int64_t>", "getFlatOffsets">
  ];
  let extraSharedClassDeclaration = [{
    /// Smallest and largest offset along `axis`.
    std::pair<int64_t, int64_t> getExtent(unsigned axis) const;
  }];
}

def SparseConv_ImplicitGemmOpInterface : OpInterface<"ImplicitGemmOpInterface"> {
  let cppNamespace = "::mlir::sparseconv";
  let description = [{
    A convolution or one of its gradients: a matrix product for each offset of a
    kernel map, over the pairs of rows of that offset. Whatever decides how such
    a product is carried out, checks it or lowers it asks this interface, and
    names no operation.
  }];
  let methods = [
    InterfaceMethod<
      "The features that are multiplied: `x`, or `dy` where the gradient by the "
      "input is computed.",
      "::mlir::TypedValue<::mlir::RankedTensorType>", "getFeatures", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return $_op.getX();">,
    InterfaceMethod<
      "Type of the weights, [K, C_in, C_out] or [K, G, C_in/G, C_out/G]: an "
      "operand, or the result of the gradient by the weights.",
      "::mlir::RankedTensorType", "getWeightsType", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return $_op.getW().getType();">,
    InterfaceMethod<
      "What the result is the gradient by, if it is one.",
      "::mlir::sparseconv::Gradient", "getGradient", (ins),
      /*methodBody=*/"",
      /*defaultImplementation=*/"return ::mlir::sparseconv::Gradient::None;">,
    InterfaceMethod<"The kernel map of the convolution.",
      "::mlir::TypedValue<::mlir::sparseconv::KernelMapType>", "getMap">,
    InterfaceMethod<"Whether f32 may be rounded to tf32.",
      "bool", "getAllowTf32">,
    InterfaceMethod<
      "Whether the order of additions may change from run to run.",
      "bool", "getAllowNondeterministic", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"The dataflow that was decided, or null.",
      "::mlir::sparseconv::DataflowAttr", "getDataflowAttr">,
    InterfaceMethod<"Decides the dataflow.",
      "void", "setDataflowAttr",
      (ins "::mlir::sparseconv::DataflowAttr":$dataflow)>,
    InterfaceMethod<"The tiling that was decided, or null.",
      "::mlir::Attribute", "getTilingAttr">,
    InterfaceMethod<"Decides the tiling.",
      "void", "setTilingAttr", (ins "::mlir::Attribute":$tiling)>,
    InterfaceMethod<"The order of rows that was decided, or null.",
      "::mlir::sparseconv::RowOrderAttr", "getRowOrderAttr", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"Decides the order of rows, if the operation has one.",
      "void", "setRowOrderAttr",
      (ins "::mlir::sparseconv::RowOrderAttr":$order),
      /*methodBody=*/"", /*defaultImplementation=*/"(void)order;">
  ];
  let extraSharedClassDeclaration = [{
    /// Whether each slice of the weights is multiplied transposed.
    bool hasTransposedWeights() {
      return $_op.getGradient() == ::mlir::sparseconv::Gradient::Input;
    }
  }];
}

#endif // SPARSECONV_INTERFACES
