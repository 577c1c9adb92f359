//===- VerifyNetwork.cpp - checks that a module is a network --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "sparseconv/Dialect/SparseConv/IR/ElementBytes.h"
#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/Calls.h"
#include "sparseconv/Support/Memory.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVVERIFYNETWORK
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Most bytes that a constant may take in a compiled module.
static constexpr int64_t kMaxConstantBytes = int64_t(1) << 31;

/// Where linalg itself keeps the indexing maps of a named operation.
static constexpr StringRef kMemoizedMaps[] = {
    linalg::LinalgDialect::kMemoizedIndexingMapsAttrName};

static bool isNetworkOperation(Operation *op, bool allowKernels) {
  Dialect *dialect = op->getDialect();
  if (isa_and_nonnull<SparseConvDialect>(dialect))
    return allowKernels || !isKernelOp(op);
  // A call of a function value can reach what has no body here.
  if (isa<func::CallIndirectOp, func::ConstantOp>(op))
    return false;
  // Linalg's other operations, such as packing, have no loops of their own.
  return isa_and_nonnull<arith::ArithDialect, func::FuncDialect,
                         math::MathDialect>(dialect) ||
         isa<affine::AffineApplyOp, affine::AffineMaxOp, affine::AffineMinOp,
             linalg::IndexOp, linalg::LinalgOp, linalg::YieldOp,
             scf::ConditionOp, scf::ForOp, scf::IfOp, scf::WhileOp,
             scf::YieldOp, tensor::CastOp, tensor::CollapseShapeOp,
             tensor::ConcatOp, tensor::DimOp, tensor::EmptyOp,
             tensor::ExpandShapeOp, tensor::ExtractOp, tensor::ExtractSliceOp,
             tensor::FromElementsOp, tensor::InsertOp, tensor::InsertSliceOp,
             tensor::RankOp, tensor::SplatOp>(op);
}

/// Whether `op` may stand in the body of a `linalg` operation, which runs on
/// several threads: nothing that fails at run time.
static bool isBodyOperation(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) ||
         isa<affine::AffineApplyOp, affine::AffineMaxOp, affine::AffineMinOp,
             linalg::IndexOp, linalg::YieldOp, scf::ForOp, scf::IfOp,
             scf::YieldOp>(op);
}

static bool isNumber(Type type) {
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() <= 64);
}

static bool isNetworkType(Type type) {
  if (isa<CoordsType, KernelMapType>(type))
    return true;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return !tensor.getEncoding() && isNumber(tensor.getElementType());
  return isNumber(type);
}

/// Whether a tensor takes at most `limit` bytes, with 1 for its dynamic sizes.
static bool fitsMemory(RankedTensorType type, int64_t limit) {
  int64_t width = getElementBytes(type.getElementType());
  SmallVector<int64_t> shape(type.getShape());
  llvm::replace(shape, ShapedType::kDynamic, int64_t(1));
  std::optional<int64_t> bytes = ::sparseconv::getTensorBytes(shape, width);
  return bytes && *bytes <= limit;
}

static LogicalResult verifyType(Operation *op, Type type) {
  if (!isNetworkType(type))
    return op->emitOpError("has a value of type ")
           << type
           << "; the values of a network are numbers of at most 64 bits, "
              "ranked tensors of them, coordinate sets and kernel maps";
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && !fitsMemory(tensor, ::sparseconv::kMaxTensorBytes))
    return op->emitOpError("has a tensor that no memory can hold: ") << type;
  return success();
}

/// Attributes that are not part of an operation's definition are hints for
/// passes and code generators: none but ours come from outside.
static LogicalResult verifyAttributes(Operation *op, DictionaryAttr attributes,
                                      ArrayRef<StringRef> allowed) {
  if (!attributes)
    return success();
  for (NamedAttribute attribute : attributes)
    if (!llvm::is_contained(allowed, attribute.getName().getValue()))
      return op->emitOpError("has the attribute '")
             << attribute.getName().getValue()
             << "', which a network may not have";
  return success();
}

/// Names are texts that end with a zero byte where C reads them.
static LogicalResult verifyName(func::FuncOp function, StringRef name,
                                const Twine &whose) {
  if (name.contains('\0'))
    return function.emitOpError("expects the name of ")
           << whose << " to have no zero byte";
  return success();
}

static LogicalResult verifyName(func::FuncOp function,
                                DictionaryAttr attributes, const Twine &whose) {
  auto name = attributes ? attributes.getAs<StringAttr>(kNameAttr) : nullptr;
  return name ? verifyName(function, name.getValue(), whose) : success();
}

static LogicalResult verifyFunction(func::FuncOp function) {
  if (function.getName().empty())
    return function.emitOpError("expects a name");
  if (failed(verifyName(function, function.getName(), "the function")))
    return failure();
  if (function.isExternal())
    return function.emitOpError("'@")
           << function.getName()
           << "' has no body; a network calls only what is in its module";
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (failed(verifyAttributes(function, function.getArgAttrDict(i),
                                {kNameAttr, kRowsAttr})) ||
        failed(verifyName(function, function.getArgAttrDict(i),
                          "argument " + Twine(i))))
      return failure();
    if (function.getArgAttr(i, kRowsAttr) && !getEqualRows(function, i))
      return function.emitOpError("expects '")
             << kRowsAttr << "' of argument '" << getArgumentName(function, i)
             << "' to name an argument before it, both with a dynamic number "
                "of rows";
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (failed(verifyAttributes(function, function.getResultAttrDict(i),
                                {kNameAttr})) ||
        failed(verifyName(function, function.getResultAttrDict(i),
                          "result " + Twine(i))))
      return failure();
  return success();
}

/// An error for a parallel loop that the place of a result does not depend on:
/// threads would write there at the same time.
static LogicalResult verifyResultLoops(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (auto [loop, iterator] : llvm::enumerate(iterators))
      if (iterator == utils::IteratorType::parallel &&
          !map.isFunctionOfDim(loop))
        return op->emitOpError("has the parallel loop ")
               << loop << ", on which the indexing map "
               << AffineMapAttr::get(map)
               << " of a result does not depend; such a loop is a reduction";
  }
  return success();
}

/// Errors for accesses that nothing compares with their tensor at run time.
static LogicalResult verifyAccesses(Operation *op) {
  if (auto structured = op->getParentOfType<linalg::LinalgOp>();
      structured && !isBodyOperation(op))
    return op->emitOpError("may not stand in the body of '")
           << structured->getName() << "'";
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    bool isStatic = llvm::all_of(op->getOperandTypes(), [](Type type) {
      auto tensor = dyn_cast<ShapedType>(type);
      return !tensor || tensor.hasStaticShape();
    });
    for (AffineMap map : structured.getIndexingMapsArray())
      if (!isStatic && !map.isProjectedPermutation())
        return op->emitOpError("has tensors of dynamic sizes and the indexing "
                               "map ")
               << AffineMapAttr::get(map) << ", whose results are not loops";
    if (failed(verifyResultLoops(structured)))
      return failure();
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> axis = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (!axis || !type || *axis < 0 || *axis >= type.getRank())
      return op->emitOpError("expects a constant that is an axis of ")
             << dim.getSource().getType();
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto [size, given] : llvm::zip_equal(expand.getResultType().getShape(),
                                              expand.getStaticOutputShape()))
      if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(given) &&
          size != given)
        return op->emitOpError("expects the sizes of its result, but found ")
               << given << " in place of " << size;
    for (ArrayRef<int64_t> group : expand.getReassociationIndices())
      if (llvm::count_if(group, [&](int64_t axis) {
            return expand.getResultType().isDynamicDim(axis);
          }) > 1)
        return op->emitOpError("makes several dynamic sizes of one");
  }
  return success();
}

static LogicalResult verifyOperation(Operation *op, bool allowKernels) {
  if (!isNetworkOperation(op, allowKernels))
    return op->emitOpError(
        "is not an operation of a network, which are those of sparseconv "
        "above the kernel level, of func, arith, math and linalg, and some of "
        "tensor and scf");
  if (failed(verifyAccesses(op)))
    return failure();
  ArrayRef<StringRef> allowed;
  if (isa<linalg::LinalgOp>(op))
    allowed = kMemoizedMaps;
  if (failed(verifyAttributes(op, op->getDiscardableAttrDictionary(), allowed)))
    return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(verifyType(op, type)))
          return failure();
  if (auto function = dyn_cast<func::FuncOp>(op))
    return verifyFunction(function);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    if (type && !fitsMemory(type, kMaxConstantBytes))
      return op->emitOpError("has more than ")
             << kMaxConstantBytes << " bytes: " << type;
  }
  return success();
}

namespace {
struct VerifyNetwork
    : mlir::sparseconv::impl::SparseConvVerifyNetworkBase<VerifyNetwork> {
  using SparseConvVerifyNetworkBase::SparseConvVerifyNetworkBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyAttributes(module, module->getDiscardableAttrDictionary(),
                                {SparseConvDialect::kTargetAttrName})))
      return signalPassFailure();
    WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == module)
        return WalkResult::advance();
      return WalkResult(verifyOperation(op, allowKernels));
    });
    if (result.wasInterrupted() || failed(verifyCalls(module)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
