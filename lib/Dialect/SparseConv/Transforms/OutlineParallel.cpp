//===- OutlineParallel.cpp - parallel regions as functions ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVOUTLINEPARALLEL
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

/// What says for which processor, and how, LLVM compiles a function.
static constexpr StringLiteral kCodeAttrs[] = {"passthrough", "target_cpu",
                                               "target_features", "tune_cpu"};

/// Gives `function`, whose body was in `parent`, arguments in place of what it
/// uses of `parent`, and constants of its own. Returns what the arguments are
/// for.
static SmallVector<Value> isolate(LLVM::LLVMFuncOp function,
                                  LLVM::LLVMFuncOp parent) {
  Block &body = function.getBody().front();
  auto b = OpBuilder::atBlockBegin(&body);
  SmallVector<Value> taken;
  DenseMap<Value, Value> inside;
  auto find = [&](Value value) {
    Value &found = inside[value];
    if (found)
      return found;
    Operation *op = value.getDefiningOp();
    if (op && op->hasTrait<OpTrait::ConstantLike>())
      return found = b.clone(*op)->getResult(0);
    taken.push_back(value);
    return found = body.addArgument(value.getType(), value.getLoc());
  };
  // One walk, and not one over all uses of each value: those of constants are
  // in all regions.
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getParentRegion() == &parent.getBody())
        operand.set(find(operand.get()));
  });
  return taken;
}

/// A function without arguments that is compiled as `parent` is.
static LLVM::LLVMFuncOp createFunction(Location loc, const Twine &name,
                                       LLVM::LLVMFuncOp parent) {
  OpBuilder b(parent.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), ArrayRef<Type>());
  auto function = LLVM::LLVMFuncOp::create(b, loc, name.str(), type,
                                           LLVM::Linkage::Internal);
  SymbolTable::setSymbolVisibility(function, SymbolTable::Visibility::Private);
  function.setNoInline(true);
  for (StringRef attribute : kCodeAttrs)
    if (Attribute value = parent->getAttr(attribute))
      function->setAttr(attribute, value);
  return function;
}

/// Moves `region` from `parent` to `function`, and puts a call in its place.
static void outline(omp::ParallelOp region, LLVM::LLVMFuncOp parent,
                    LLVM::LLVMFuncOp function) {
  OpBuilder outside(region->getBlock(), std::next(region->getIterator()));
  auto inside = OpBuilder::atBlockBegin(function.addEntryBlock(outside));
  LLVM::ReturnOp::create(inside, region.getLoc(), ValueRange());
  region->moveBefore(&function.getBody().front().front());
  SmallVector<Value> taken = isolate(function, parent);
  function.setFunctionType(LLVM::LLVMFunctionType::get(
      function.getFunctionType().getReturnType(),
      llvm::to_vector(ValueRange(taken).getTypes())));
  LLVM::CallOp::create(outside, region.getLoc(), function, taken);
}

namespace {
struct OutlineParallel
    : mlir::sparseconv::impl::SparseConvOutlineParallelBase<OutlineParallel> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto parent :
         llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>())) {
      auto regions = llvm::to_vector(parent.getOps<omp::ParallelOp>());
      // LLVM looks at all around one alone once, wherever it is.
      if (regions.size() < 2)
        continue;
      auto behind = std::next(parent->getIterator());
      for (auto [number, region] : llvm::enumerate(regions)) {
        auto function = createFunction(
            region.getLoc(), parent.getName() + "_parallel_" + Twine(number),
            parent);
        // Where the name is taken, this gives it another.
        symbols.insert(function, behind);
        outline(region, parent, function);
      }
      numOutlined += regions.size();
    }
  }
};
} // namespace
