//===- Comparison.cpp - a result against the reference --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

/// Relative L2 error that results of this type are held against, if they are
/// from numbers rounded to `roundedTo`: three times, or a little less, the
/// largest of what the networks of test/Networks show on three scans, on a CPU
/// and on a GPU, by `run-checks --scan`: 1.2e-6 in f32, 7.5e-4 in f16, 8.0e-4
/// in tf32, 5.8e-3 in bf16.
static double getTolerance(ElementKind kind,
                           std::optional<ElementKind> roundedTo,
                           bool allowsTf32) {
  if (roundedTo == ElementKind::BF16)
    kind = ElementKind::BF16;
  if (roundedTo == ElementKind::F16 && kind != ElementKind::BF16)
    kind = ElementKind::F16;
  // Tf32 has as many significant bits as f16.
  if (allowsTf32 && kind == ElementKind::F32)
    kind = ElementKind::F16;
  switch (kind) {
  case ElementKind::F16:
    return 2.2e-3;
  case ElementKind::BF16:
    return 1.7e-2;
  default:
    return 3.5e-6;
  }
}

/// "[12, 3]" for the element at a flat position.
static std::string getPosition(const HostTensor &tensor, int64_t flat) {
  SmallVector<int64_t> index;
  for (int64_t size : llvm::reverse(tensor.getShape())) {
    index.push_back(flat % size);
    flat /= size;
  }
  std::string text = "[";
  for (auto [i, part] : llvm::enumerate(llvm::reverse(index)))
    text += (i ? ", " : "") + std::to_string(part);
  return text + "]";
}

bool mlir::sparseconv::compareWithReference(StringRef name,
                                            const HostTensor &found,
                                            const BoundedResult &expected,
                                            bool allowsTf32,
                                            llvm::raw_ostream &os) {
  const HostTensor &reference = expected.value;
  os << "check '" << name << "': ";
  if (found.getShape() != reference.getShape()) {
    os << "FAILED: shape " << found.getTypeString() << ", but the reference "
       << "has " << reference.getTypeString() << '\n';
    return false;
  }
  bool isFloat = ::sparseconv::isFloat(found.getKind());
  double squaredError = 0, squaredNorm = 0, worst = -1, worstError = 0;
  int64_t where = 0;
  for (int64_t i = 0, e = found.getNumElements(); i < e; ++i) {
    double value = found.getDouble(i), truth = reference.getDouble(i);
    double bound = isFloat && expected.bound ? expected.bound->getDouble(i) : 0;
    // Equal covers infinities; two NaNs agree; a number beyond the largest of
    // the element type is stored as an infinity.
    bool agree =
        value == truth || (std::isnan(value) && std::isnan(truth)) ||
        (isFloat && std::isinf(value) &&
         ::sparseconv::roundTo(found.getKind(),
                               truth + std::copysign(bound, value)) == value);
    double error = agree ? 0 : std::abs(value - truth);
    if (std::isnan(error))
      error = INFINITY;
    squaredError += error * error;
    squaredNorm += agree && !std::isfinite(value) ? 0 : truth * truth;
    // What is largest: the error in units of its bound, or the error itself.
    double weight = error;
    if (isFloat && expected.bound && error != 0) {
      weight = error / bound;
      // A bound that is NaN, of a reference that is NaN, allows nothing.
      if (std::isnan(weight))
        weight = INFINITY;
    }
    if (weight > worst) {
      worst = weight;
      worstError = error;
      where = i;
    }
  }
  if (found.getNumElements() == 0) {
    os << "ok: no elements\n";
    return true;
  }
  double relative =
      squaredError == 0 ? 0 : std::sqrt(squaredError / squaredNorm);
  bool ok;
  std::string bound;
  llvm::raw_string_ostream boundText(bound);
  if (!isFloat) {
    ok = squaredError == 0;
    boundText << "must be equal";
  } else if (expected.bound) {
    ok = worst <= 1;
    boundText << llvm::format("%.3g", expected.bound->getDouble(where))
              << " for that element";
  } else {
    double tolerance =
        getTolerance(found.getKind(), expected.roundedTo, allowsTf32);
    ok = relative <= tolerance;
    boundText << llvm::format("relative L2 %.2g", tolerance);
  }
  os << (ok ? "ok" : "FAILED") << ": largest error "
     << llvm::format("%.3g", worstError) << " at " << getPosition(found, where)
     << " ("
     << llvm::format("%.9g, reference %.9g", found.getDouble(where),
                     reference.getDouble(where))
     << "), relative L2 " << llvm::format("%.3g", relative)
     << "; bound: " << bound << '\n';
  return ok;
}

bool mlir::sparseconv::compareAll(ModuleOp module, const Signature &signature,
                                  ArrayRef<HostTensor> results,
                                  ArrayRef<BoundedResult> expected,
                                  llvm::raw_ostream &os) {
  bool allowsTf32 = false;
  module.walk(
      [&](ImplicitGemmOpInterface op) { allowsTf32 |= op.getAllowTf32(); });
  bool ok = true;
  for (auto [parameter, found, reference] :
       llvm::zip(signature.results, results, expected))
    ok &=
        compareWithReference(parameter.name, found, reference, allowsTf32, os);
  return ok;
}

bool mlir::sparseconv::compareBits(StringRef where, const Signature &signature,
                                   ArrayRef<HostTensor> results,
                                   ArrayRef<HostTensor> others,
                                   llvm::raw_ostream &os) {
  auto getBytes = [](const HostTensor &tensor) {
    return StringRef(tensor.getData(), tensor.getNumBytes());
  };
  bool ok = true;
  for (auto [parameter, one, other] :
       llvm::zip(signature.results, results, others)) {
    bool isSame =
        one.getShape() == other.getShape() && getBytes(one) == getBytes(other);
    os << "bits of '" << parameter.name << "' " << where << ": "
       << (isSame ? "ok" : "FAILED: they are others") << '\n';
    ok &= isSame;
  }
  return ok;
}
