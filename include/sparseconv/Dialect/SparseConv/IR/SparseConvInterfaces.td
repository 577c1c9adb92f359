//===- SparseConvInterfaces.td - attribute interfaces -----*- tablegen -*--===//
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

#endif // SPARSECONV_INTERFACES
