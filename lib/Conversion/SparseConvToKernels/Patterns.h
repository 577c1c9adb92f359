//===- Patterns.h - network operations as kernels ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_PATTERNS_H
#define SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_PATTERNS_H

#include "mlir/Transforms/DialectConversion.h"
#include "sparseconv/Kernels/Builders/KernelWriter.h"

namespace mlir::sparseconv {

/// A pattern that hands a network operation, its converted operands and a
/// writer to a function, which returns what replaces each result (several
/// values for a map).
template <typename OpTy>
class KernelPattern : public OpConversionPattern<OpTy> {
public:
  using Adaptor = typename OpConversionPattern<OpTy>::OneToNOpAdaptor;
  using Lower = FailureOr<SmallVector<SmallVector<Value>>> (*)(KernelWriter &,
                                                               OpTy, Adaptor);
  KernelPattern(const TypeConverter &converter, MLIRContext *context,
                Lower lower)
      : OpConversionPattern<OpTy>(converter, context), lower(lower) {}

  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    KernelWriter writer(rewriter, op);
    auto replacements = lower(writer, op, adaptor);
    if (failed(replacements))
      return failure();
    rewriter.replaceOpWithMultiple(op, std::move(*replacements));
    return success();
  }

private:
  Lower lower;
};

template <typename OpTy>
using AdaptorOf = typename KernelPattern<OpTy>::Adaptor;

/// What a lowering returns: the values for each result.
using Replacements = FailureOr<SmallVector<SmallVector<Value>>>;

inline MapValue getMap(ValueRange values) { return {values[0], values[1]}; }

/// Offsets times stride, negated where they lead from inputs to outputs.
SmallVector<int64_t> getDisplacements(OffsetSetInterface offsets,
                                      ArrayRef<int64_t> stride, bool negate);

void populateCoordsToKernelsPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns);
void populateMapsToKernelsPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
void populateConvToKernelsPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
void populatePoolToKernelsPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
void populateRowsToKernelsPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_PATTERNS_H
