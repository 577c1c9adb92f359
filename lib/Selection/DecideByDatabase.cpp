//===- DecideByDatabase.cpp - decisions that were measured ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecideByDatabase.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Tuning/Choices.h"

using namespace mlir;
using namespace mlir::sparseconv;

FailureOr<DatabaseDecider> DatabaseDecider::read(ModuleOp module,
                                                 StringRef path) {
  DatabaseDecider decider;
  decider.target = getTarget(module).str();
  if (path.empty() || path == "none")
    return decider;
  if (path == "default") {
    decider.database = TuningDatabase::getDefault();
    return decider;
  }
  llvm::Expected<TuningDatabase> database = TuningDatabase::read(path);
  if (!database)
    return module.emitError("the tuning database ")
           << llvm::toString(database.takeError());
  decider.database = std::move(*database);
  return decider;
}

const TunedClass *DatabaseDecider::find(Operation *layer) const {
  return database.find(target, getShapeClass(layer));
}

bool DatabaseDecider::decide(Operation *layer) {
  if (!getChoice(layer).empty())
    return false;
  const TunedClass *entry = find(layer);
  const TunedChoice *best = entry ? entry->getBest() : nullptr;
  // The rules may know better since it was measured.
  if (!best || best->isUntuned)
    return false;
  std::string problem = mlir::sparseconv::decide(layer, best->choice);
  if (problem.empty())
    return true;
  if (refused.insert(entry->shapeClass).second)
    layer->emitWarning("the tuning database has for '")
        << entry->shapeClass << "' a choice that does not suit ("
        << ::sparseconv::shorten(problem) << "); the rules decide";
  return false;
}
