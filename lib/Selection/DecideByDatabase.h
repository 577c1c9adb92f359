//===- DecideByDatabase.h - decisions that were measured --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_SELECTION_DECIDEBYDATABASE_H
#define SPARSECONV_LIB_SELECTION_DECIDEBYDATABASE_H

#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Tuning/TuningDatabase.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::sparseconv {

/// Decides layers by a tuning database.
class DatabaseDecider {
public:
  /// Reads the file at `path`, or takes what comes with the project where that
  /// is "default", or nothing where it is "none" or empty. Reports what is
  /// wrong with the file on `module`.
  static FailureOr<DatabaseDecider> read(ModuleOp module, StringRef path);

  /// What was measured for layers like this, or null.
  const TunedClass *find(Operation *layer) const;
  /// Decides `layer` where nothing is written on it, and the database knows its
  /// class. A choice that the layer or the target does not take is a warning,
  /// one for each class.
  bool decide(Operation *layer);

private:
  TuningDatabase database;
  std::string target;
  llvm::StringSet<> refused;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_SELECTION_DECIDEBYDATABASE_H
