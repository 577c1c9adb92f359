//===- TargetAttr.cpp - what a module is compiled for ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"

using namespace mlir;
using namespace mlir::sparseconv;

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  StringRef backend;
  std::string chip;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&backend))
    return {};
  bool namesChip = succeeded(parser.parseOptionalComma());
  if (namesChip && (parser.parseKeyword("chip") || parser.parseEqual() ||
                    parser.parseString(&chip)))
    return {};
  if (parser.parseGreater())
    return {};
  llvm::Expected<Target> target =
      namesChip ? findTarget(backend, StringRef(chip)) : findTarget(backend);
  if (!target)
    return parser.emitError(loc, llvm::toString(target.takeError())),
           Attribute();
  return get(parser.getContext(), backend, target->chip);
}

void TargetAttr::print(AsmPrinter &printer) const {
  printer << "<" << getBackend() << ", chip = \"" << getChip() << "\">";
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef backend, StringRef chip) {
  llvm::Expected<Target> target = findTarget(backend, chip);
  if (!target)
    return emitError() << llvm::toString(target.takeError());
  return success();
}

Target TargetAttr::getTarget() const {
  return llvm::cantFail(findTarget(getBackend(), getChip()));
}

Target mlir::sparseconv::getTarget(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  TargetAttr target;
  if (module)
    target =
        module->getAttrOfType<TargetAttr>(SparseConvDialect::kTargetAttrName);
  return target ? target.getTarget() : Target::getDefault();
}
