//===- RaiseCustomCalls.cpp - custom calls as operations of ours ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallRaiser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "llvm/Support/Threading.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVRAISECUSTOMCALLS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// The values that the call is replaced by, of its own types; none after an
/// error. A size that only the run knows cannot become a static one.
static SmallVector<Value> convertResults(const CustomCall &call,
                                         SmallVector<Value> values) {
  OpBuilder builder(call.op);
  for (auto [i, value] : llvm::enumerate(values)) {
    Type type = call.op->getResult(i).getType();
    RankedTensorType wanted = getCalledType(type);
    auto found = cast<RankedTensorType>(value.getType());
    bool fits = found.getRank() == wanted.getRank() &&
                found.getElementType() == wanted.getElementType() &&
                llvm::all_of_zip(found.getShape(), wanted.getShape(),
                                 [](int64_t size, int64_t wantedSize) {
                                   return ShapedType::isDynamic(wantedSize) ||
                                          size == wantedSize;
                                 });
    if (!fits) {
      call.op->emitError("'") << call.rule->results[i] << "' is " << type
                              << ", where the operands give " << found;
      return {};
    }
    if (found != wanted)
      value = tensor::CastOp::create(builder, call.op->getLoc(), wanted, value);
    value = bridge(builder, value, type);
  }
  return values;
}

/// Builds what `op`, a call of `name`, stands for in front of it, and returns
/// what its results are replaced by; none after an error.
static SmallVector<Value> buildCall(Operation *op, StringRef name) {
  ArrayRef<CallRule> rules = getCallRules();
  const CallRule *rule = llvm::find_if(
      rules, [&](const CallRule &rule) { return rule.name == name; });
  if (rule == rules.end()) {
    InFlightDiagnostic error = op->emitError("there is no 'sparseconv.")
                               << name << "', but ";
    llvm::interleaveComma(rules, error,
                          [&](const CallRule &rule) { error << rule.name; });
    return {};
  }
  FailureOr<CustomCall> call = readCall(op, *rule);
  if (failed(call))
    return {};
  CallRaiser raiser(*call);
  SmallVector<Value> values = rule->raise(raiser);
  return raiser.hasFailed() ? SmallVector<Value>()
                            : convertResults(*call, std::move(values));
}

/// Replaces `op`, a call of `name`. If anything is wrong with it, or with what
/// was built for it, that goes again and a remark says what.
static bool raise(Operation *op, StringRef name) {
  std::string reason;
  SmallVector<Value> values;
  Operation *last = op->getPrevNode();
  auto eachNew = [&](function_ref<void(Operation *)> visit) {
    for (Operation *it = op->getPrevNode(); it != last;) {
      Operation *current = std::exchange(it, it->getPrevNode());
      visit(current);
    }
  };
  {
    uint64_t thread = llvm::get_threadid();
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &error) {
      if (llvm::get_threadid() != thread)
        return failure();
      if (reason.empty())
        reason = error.str();
      return success();
    });
    values = buildCall(op, name);
    eachNew([](Operation *built) { (void)verify(built); });
  }
  if (reason.empty()) {
    op->replaceAllUsesWith(values);
    op->erase();
    return true;
  }
  eachNew([](Operation *built) { built->erase(); });
  op->emitRemark("left as it is: ") << reason;
  return false;
}

namespace {
struct RaiseCustomCalls
    : mlir::sparseconv::impl::SparseConvRaiseCustomCallsBase<RaiseCustomCalls> {
  void runOnOperation() override {
    SmallVector<std::pair<Operation *, StringRef>> calls;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (std::optional<StringRef> name = getCalledName(op))
        calls.emplace_back(op, *name);
    });
    bool changed = false;
    for (auto [op, name] : calls) {
      if (!raise(op, name))
        continue;
      changed = true;
      ++numRaised;
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
