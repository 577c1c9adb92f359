//===- ReportErrors.cpp - errors in a way of the host's -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "sparseconv/Conversion/Passes.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/StatusArgument.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVREPORTERRORS
#include "sparseconv/Conversion/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct ReportErrors
    : mlir::sparseconv::impl::SparseConvReportErrorsBase<ReportErrors> {
  using SparseConvReportErrorsBase::SparseConvReportErrorsBase;

  void runOnOperation() override;

private:
  LogicalResult checkOptions();
  void changeCalls(const llvm::SmallPtrSetImpl<Operation *> &changed);
  void change(FunctionOpInterface function);
  void reportAtEnd(Operation *end, Value status);
  void declareSymbol();
  void defineNames();

  MemRefType statusType, namesType;
  /// Holds the names of operations, for calls.
  memref::GlobalOp names;
};
} // namespace

LogicalResult ReportErrors::checkOptions() {
  if (by != "trap" && by != "call")
    return getOperation()->emitError("expects by=trap or by=call, but found "
                                     "by=")
           << by;
  Operation *known = SymbolTable::lookupSymbolIn(getOperation(), symbol);
  if (by == "trap" || !known)
    return success();
  auto function = dyn_cast<func::FuncOp>(known);
  auto type = FunctionType::get(&getContext(), {statusType, namesType}, {});
  if (function && function.getFunctionType() == type)
    return success();
  return known->emitError("expects '@")
         << symbol << "' to take " << statusType << " and " << namesType
         << " and to return nothing";
}

void ReportErrors::reportAtEnd(Operation *end, Value status) {
  LoopBuilder b(end->getLoc(), end);
  Value code = b.load(status, b.index(0));
  if (by == "trap") {
    cf::AssertOp::create(b, b.equal(code, b.i64(0)),
                         "an operation of a sparse network failed");
    return;
  }
  b.ifThen(b.notEqual(code, b.i64(0)), [&] {
    Value text =
        memref::GetGlobalOp::create(b, names.getType(), names.getSymName());
    text = memref::CastOp::create(b, namesType, text);
    func::CallOp::create(b, symbol, TypeRange(), ValueRange{status, text});
  });
}

/// A function that has only passed the record on needs none.
void ReportErrors::change(FunctionOpInterface function) {
  Block &entry = function.getFunctionBody().front();
  BlockArgument argument = getStatusArgument(function);
  Value status;
  if (!argument.use_empty()) {
    LoopBuilder b(function.getLoc(), &entry.front());
    status = memref::AllocaOp::create(b, statusType);
    for (int64_t word = 0; word < ::sparseconv::kStatusWords; ++word)
      b.store(b.i64(0), status, b.index(word));
    argument.replaceAllUsesWith(status);
  }
  [[maybe_unused]] LogicalResult result =
      function.eraseArgument(argument.getArgNumber());
  assert(succeeded(result) && "the conversion has added it");
  if (!status)
    return;
  for (Block &block : function.getFunctionBody())
    if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
      reportAtEnd(block.getTerminator(), status);
}

void ReportErrors::changeCalls(
    const llvm::SmallPtrSetImpl<Operation *> &changed) {
  SymbolTableCollection symbols;
  getOperation().walk([&](CallOpInterface call) {
    Operation *callee = call.resolveCallableInTable(&symbols);
    if (!changed.contains(callee))
      return;
    auto function = cast<FunctionOpInterface>(callee);
    call.getArgOperandsMutable().erase(
        getStatusArgument(function).getArgNumber());
  });
}

/// A constant with name and place of each operation, by number. Each ends in a
/// zero, as does all of it.
void ReportErrors::defineNames() {
  std::string text;
  for (const OpPlace &op : readOpPlaces(getOperation()))
    text += op.name + '\0' + op.place + '\0';
  text += '\0';
  OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
  auto type =
      MemRefType::get({static_cast<int64_t>(text.size())}, b.getI8Type());
  auto value = DenseElementsAttr::get(
      RankedTensorType::get(type.getShape(), type.getElementType()),
      ArrayRef(text.data(), text.size()));
  names = memref::GlobalOp::create(
      b, getOperation().getLoc(), "sparseconv_operations",
      b.getStringAttr("private"), type, value, /*constant=*/true,
      /*alignment=*/IntegerAttr());
  // Takes another name if there is one already.
  SymbolTable(getOperation()).insert(names);
}

void ReportErrors::declareSymbol() {
  if (SymbolTable::lookupSymbolIn(getOperation(), symbol))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
  auto function = func::FuncOp::create(
      b, getOperation().getLoc(), symbol,
      b.getFunctionType({statusType, namesType}, TypeRange()));
  function.setPrivate();
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    b.getUnitAttr());
}

void ReportErrors::runOnOperation() {
  statusType = getStatusType(&getContext());
  namesType = MemRefType::get({ShapedType::kDynamic},
                              IntegerType::get(&getContext(), 8));
  if (failed(checkOptions()))
    return signalPassFailure();
  llvm::SmallPtrSet<Operation *, 8> changed;
  getOperation().walk([&](FunctionOpInterface function) {
    if (function.isPublic() && getStatusArgument(function))
      changed.insert(function);
  });
  if (changed.empty())
    return;
  if (by == "call")
    defineNames();
  changeCalls(changed);
  getOperation().walk([&](FunctionOpInterface function) {
    if (changed.contains(function))
      change(function);
  });
  if (by == "call")
    declareSymbol();
}
