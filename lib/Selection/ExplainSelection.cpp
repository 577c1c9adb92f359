//===- ExplainSelection.cpp - prints decisions and their reasons ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecideByDatabase.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Selection/Passes.h"
#include "sparseconv/Tuning/Choices.h"
#include "llvm/Support/Format.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVEXPLAINSELECTION
#include "sparseconv/Selection/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

static void printLocation(llvm::raw_ostream &os, Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (file)
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn() << ": ";
}

/// "; others 14.0 to 20.1 us", of those that may be taken.
static void printOthers(llvm::raw_ostream &os, const TunedClass &entry,
                        const TunedChoice &best) {
  double least = HUGE_VAL, most = 0;
  for (const TunedChoice &choice : entry.choices)
    if (&choice != &best && choice.getProblem().empty()) {
      least = std::min(least, choice.getMicroseconds());
      most = std::max(most, choice.getMicroseconds());
    }
  if (most > 0)
    os << llvm::format("; others %.1f to %.1f us", least, most);
}

static void printReason(llvm::raw_ostream &os, const TunedClass *entry,
                        bool isWritten, DictionaryAttr choice) {
  if (isWritten) {
    os << "by hand";
    return;
  }
  const TunedChoice *best = entry ? entry->getBest() : nullptr;
  std::string text;
  llvm::raw_string_ostream(text) << choice;
  bool isMeasured = best && best->choice == text;
  os << (isMeasured && !best->isUntuned ? "by database" : "by rule");
  if (!isMeasured)
    return;
  os << llvm::format(": %.1f us", best->getMicroseconds());
  printOthers(os, *entry, *best);
}

namespace {
struct ExplainSelection
    : mlir::sparseconv::impl::SparseConvExplainSelectionBase<ExplainSelection> {
  using SparseConvExplainSelectionBase::SparseConvExplainSelectionBase;

  void runOnOperation() override {
    FailureOr<DatabaseDecider> database =
        DatabaseDecider::read(getOperation(), tuningDatabase);
    if (failed(database))
      return signalPassFailure();
    OwningOpRef<ModuleOp> decided(getOperation().clone());
    PassManager pm(&getContext());
    pm.addPass(createSparseConvSelectIndexing({tuningDatabase}));
    pm.addPass(createSparseConvSelectDataflow({tuningDatabase}));
    pm.addPass(createSparseConvSelectTiling());
    // What warns here warns again where it is decided.
    ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
    });
    if (failed(pm.run(*decided)))
      return signalPassFailure();
    // Printed at once, as other modules may be compiled at the same time.
    std::string text;
    llvm::raw_string_ostream os(text);
    SmallVector<Operation *> before = getLayers(getOperation());
    if (!before.empty())
      os << "target " << getTarget(getOperation()).str() << '\n';
    for (auto [layer, after] : llvm::zip_equal(before, getLayers(*decided)))
      explain(os, layer, after, *database);
    llvm::errs() << text;
    markAllAnalysesPreserved();
  }

private:
  static SmallVector<Operation *> getLayers(ModuleOp module) {
    SmallVector<Operation *> layers;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!getShapeClass(op).empty())
        layers.push_back(op);
    });
    return layers;
  }

  void explain(llvm::raw_ostream &os, Operation *layer, Operation *decided,
               const DatabaseDecider &database) const {
    DictionaryAttr choice = getChoice(decided);
    printLocation(os, layer->getLoc());
    os << getShapeClass(layer) << "\n  " << choice << "\n  ";
    printReason(os, database.find(layer), !getChoice(layer).empty(), choice);
    os << llvm::format("; at least %.1f us for ",
                       predictMicroseconds(decided, rows))
       << rows << " rows\n";
  }
};
} // namespace
