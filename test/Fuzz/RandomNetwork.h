//===- RandomNetwork.h - valid networks of random operations ----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns bytes, and random numbers after them, into a module that verifies, and
// arguments for its function `main`. Features are of one of two kinds, so that
// a correct program cannot differ from the reference by more than is known:
//
//   - small whole numbers: sums are exact in f32, results have to be equal;
//   - positive numbers: nothing cancels, so each operation adds at most its own
//     relative error to that of its operands.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_FUZZ_RANDOMNETWORK_H
#define SPARSECONV_TEST_FUZZ_RANDOMNETWORK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sparseconv/Support/HostTensor.h"
#include <optional>

namespace mlir::sparseconv::fuzz {

/// Numbers from bytes while there are some, then from a generator.
class Choices {
public:
  Choices(ArrayRef<uint8_t> bytes, uint64_t seed) : bytes(bytes), state(seed) {}

  /// 0 .. count - 1
  int64_t below(int64_t count);
  /// lower .. upper
  int64_t between(int64_t lower, int64_t upper) {
    return lower + below(upper - lower + 1);
  }
  /// True in `percent` of 100 cases.
  bool chance(int64_t percent) { return below(100) < percent; }
  template <typename Range> decltype(auto) oneOf(Range &&range) {
    return range[below(range.size())];
  }

private:
  ArrayRef<uint8_t> bytes;
  uint64_t state;
};

/// The type of a network's features: Tf32 is f32 whose products may be rounded.
enum class NumberType { F32, Tf32, F16, BF16 };

/// "f32", "tf32", "f16", "bf16".
StringRef getName(NumberType type);

struct RandomNetwork {
  NumberType type;
  OwningOpRef<ModuleOp> module;
  std::vector<::sparseconv::HostTensor> arguments;
  /// For each result the largest relative error of an element; 0 means equal.
  std::vector<double> errors;
};

/// Draws the type where none is given. `module` is null where the operations
/// chosen do not verify, which is a defect of the generator.
RandomNetwork createRandomNetwork(MLIRContext &context, ArrayRef<uint8_t> bytes,
                                  uint64_t seed,
                                  std::optional<NumberType> type = {});

} // namespace mlir::sparseconv::fuzz

#endif // SPARSECONV_TEST_FUZZ_RANDOMNETWORK_H
