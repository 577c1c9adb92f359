//===- CompileToPlan.cpp - from a network to a plan -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Execution/CompileToPlan.h"
#include "CompileToCpuPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Execution/Signature.h"
#include "sparseconv/Pipelines/LowerToGpu.h"
#include "sparseconv/Support/TargetInfo.h"
#include "sparseconv/Support/VectorLevels.h"
#include "sparseconv/Target/PTX/ToPtx.h"
#include "sparseconv/Target/Plan/TranslateToPlan.h"

using namespace mlir;
using namespace mlir::sparseconv;
namespace plan = ::sparseconv::plan;

/// Lowers a network to kernels and steps.
static FailureOr<plan::Plan> compileToGpuPlan(ModuleOp module, StringRef target,
                                              const PlanOptions &options) {
  if (options.trustTables)
    trustTables(module);
  DialectRegistry translations;
  registerPtxTarget(translations);
  module.getContext()->appendDialectRegistry(translations);
  PassManager pm(module.getContext());
#ifdef NDEBUG
  pm.enableVerifier(false);
#endif
  LowerToGpuOptions pipeline;
  pipeline.target = target.str();
  pipeline.selection.set(options.selection);
  pipeline.comparedArguments = true;
  buildLowerToGpuPipeline(pm, pipeline);
  if (failed(pm.run(module)))
    return failure();
  return translateToPlan(module, /*chips=*/{}, options.maxStreams);
}

FailureOr<::sparseconv::plan::Plan>
mlir::sparseconv::compileToPlan(ModuleOp module, StringRef target,
                                const PlanOptions &options) {
  StringRef entry = options.entry;
  llvm::Expected<Target> known = parseTarget(target);
  if (!known)
    return module.emitError(llvm::toString(known.takeError()));
  if (!entry.empty()) {
    llvm::Expected<Signature> signature = getSignature(module, entry);
    if (!signature)
      return module.emitError(llvm::toString(signature.takeError()));
  }
  OwningOpRef<ModuleOp> lowered = module.clone();
  PassManager checks(module.getContext());
  checks.addPass(createSparseConvVerifyNetwork({options.allowKernels}));
  if (failed(checks.run(*lowered)))
    return failure();
  auto entries = getEntries(*lowered);
  if (!entry.empty())
    entries.remove_if(
        [&](const auto &candidate) { return candidate.first != entry; });
  for (auto function : lowered->getOps<func::FuncOp>())
    if (function.isPublic() && !entries.contains(function.getName()))
      function.setPrivate();
  if (entries.empty())
    return entry.empty()
               ? module.emitError("the module has no public function "
                                  "of tensors and scalars")
               : module.emitError("function '@") << entry << "' is private";

  if (known->info->isGpu)
    return compileToGpuPlan(*lowered, target, options);
  // All levels, unless one is named.
  SmallVector<StringRef> levels(std::begin(::sparseconv::kVectorLevels),
                                std::end(::sparseconv::kVectorLevels));
  if (target.contains(':'))
    levels = {StringRef(known->chip)};
  llvm::Expected<plan::Plan> result =
      compileToCpuPlan(*lowered, levels, options);
  if (!result)
    return module.emitError(llvm::toString(result.takeError()));
  if (std::optional<std::string> reason = plan::verify(*result))
    return module.emitError("the plan is not well formed: ") << *reason;
  return std::move(*result);
}
