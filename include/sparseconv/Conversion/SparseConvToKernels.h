//===- SparseConvToKernels.h - to kernel operations, for hosts --*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pass `convert-sparseconv-to-kernels` is made of, for a host that
// converts our operations together with its own:
//
//   TypeConverter converter;
//   addSparseConvToKernelsConversions(converter);
//   // conversions of the host's
//   std::optional<NetworkPreparation> network =
//       NetworkPreparation::prepare(module, converter);
//   if (!network)
//     return failure();
//   RewritePatternSet patterns(context);
//   populateSparseConvToKernelsPatterns(converter, patterns);
//   ConversionTarget target(*context);
//   configureSparseConvToKernelsTarget(converter, target);
//   // patterns and rules of the host's
//   if (failed(applyPartialConversion(module, target, std::move(patterns))))
//     return failure();
//   network->finish(converter);
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_CONVERSION_SPARSECONVTOKERNELS_H
#define SPARSECONV_CONVERSION_SPARSECONVTOKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include <memory>
#include <optional>

namespace mlir::sparseconv {

class NetworkSignatures;

/// A set becomes its keys, a map its neighbour table and the number of rows of
/// its in set. All other types stay as they are, unless a conversion that is
/// added later says otherwise.
void addSparseConvToKernelsConversions(TypeConverter &converter);

/// Patterns for operations of the network level, in a module that has been
/// prepared, and for functions, calls, `scf` and `select` around them.
void populateSparseConvToKernelsPatterns(const TypeConverter &converter,
                                         RewritePatternSet &patterns);

/// Operations of the network level, and whatever has values of types that are
/// converted, are illegal.
void configureSparseConvToKernelsTarget(const TypeConverter &converter,
                                        ConversionTarget &target);

/// A module on its way. Patterns expect that its functions have a status record
/// and its operations numbers, and signatures change under the attributes of
/// their arguments.
class NetworkPreparation {
public:
  /// Reports what is undecided or cannot be converted; then nothing is changed
  /// and nothing returned. With `everyFunction`, functions that do not use the
  /// dialect get a status record as well.
  static std::optional<NetworkPreparation>
  prepare(ModuleOp module, const TypeConverter &converter,
          bool everyFunction = false);

  /// Gives arguments and results of the converted functions their attributes
  /// back.
  void finish(const TypeConverter &converter);

  NetworkPreparation(NetworkPreparation &&);
  NetworkPreparation &operator=(NetworkPreparation &&);
  ~NetworkPreparation();

private:
  explicit NetworkPreparation(std::unique_ptr<NetworkSignatures> signatures);

  std::unique_ptr<NetworkSignatures> signatures;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_CONVERSION_SPARSECONVTOKERNELS_H
