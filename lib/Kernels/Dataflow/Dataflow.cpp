//===- Dataflow.cpp - the table of dataflows ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "Dataflows.h"

using namespace mlir;
using namespace mlir::sparseconv;

ArrayRef<const Dataflow *> Dataflow::getAll() {
  static const Dataflow *const all[] = {
#define DATAFLOW(name) &get##name##Dataflow(),
#include "Dataflows.def"
  };
  return all;
}

const Dataflow &mlir::sparseconv::chooseDataflow(const TargetInfo &target) {
  for (const Dataflow *dataflow : Dataflow::getAll())
    if (dataflow->isOn(target))
      return *dataflow;
  llvm_unreachable("a target without a dataflow");
}

void Dataflow::addCandidates(const ConvTask &task, const TargetInfo &target,
                             SmallVectorImpl<GemmDecision> &candidates) const {
  ConvTask decided = task;
  decided.dataflow = choose(task, target);
  candidates.push_back({decided.dataflow, chooseTiling(decided, target)});
}

LogicalResult mlir::sparseconv::verifyDecisions(ImplicitGemmOpInterface op) {
  Target target = getTarget(op);
  DataflowAttr attr = op.getDataflowAttr();
  if (!attr)
    return success();
  auto refuse = [&](Attribute decision, const Twine &problem) {
    return op->emitOpError("does not run on ")
           << target.chip << " with " << decision << ": " << problem;
  };
  const Dataflow *dataflow = Dataflow::find(attr.getName());
  if (!dataflow)
    return refuse(attr, Dataflow::describeUnknown("dataflow", attr.getName()));
  if (!dataflow->isOn(*target.info))
    return refuse(attr, "expected #sparseconv.dataflow<" +
                            chooseDataflow(*target.info).getName() + ">");
  if (!dataflow->groupsOffsets() && (attr.getEpsilon() || attr.getS()))
    return refuse(attr, "it does not group offsets by epsilon and s");
  if (dataflow->takesNorm() != attr.getNorm().has_value())
    return refuse(attr, dataflow->takesNorm() ? "expected a norm"
                                              : "it takes no norm");
  if (!dataflow->isDeterministic() && !op.getAllowNondeterministic())
    return refuse(attr, "the order of its additions changes from run to run, "
                        "which the operation does not allow "
                        "(nondeterministic = allowed)");
  if (!op.getTilingAttr())
    return success();
  if (std::string problem = dataflow->verify(op, *target.info);
      !problem.empty())
    return refuse(op.getTilingAttr(), problem);
  if (op.getRowOrderAttr() && !isa<GemmTilingAttr>(op.getTilingAttr()))
    return refuse(op.getRowOrderAttr(), "rows have an order in the tiles of "
                                        "#sparseconv.gemm_tiling alone");
  return success();
}
