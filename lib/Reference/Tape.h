//===- Tape.h - scalar blocks on many points at once ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a linalg operation or of an epilogue runs once for each point of
// an iteration space. A tape is such a body made into a list of kernels, each
// of which works on the lanes of up to kLanes points.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_REFERENCE_TAPE_H
#define SPARSECONV_LIB_REFERENCE_TAPE_H

#include "Interpreter.h"

namespace mlir::sparseconv::reference {

constexpr int64_t kLanes = 1024;

/// The values of one scalar at several points: `f` for floating-point scalars,
/// `i` for integers, indices and booleans (0 or 1).
struct Lanes {
  double *f = nullptr;
  int64_t *i = nullptr;
};

/// One scalar operation on `n` points.
using Kernel = std::function<StatusCode(int64_t n, ArrayRef<Lanes> operands,
                                        Lanes result)>;

/// The kernel of a scalar operation (arith, math); null for other operations.
/// For an elementwise operation on tensors it is that of the elements. Unless
/// `isExact`, numbers of types narrower than f32 are rounded to their type, and
/// so is what `arith.truncf` gives.
Kernel getScalarKernel(Operation *op, bool isExact);

/// A value of a constant attribute: an integer or a floating-point number.
std::optional<ReferenceValue> getScalarConstant(Attribute value);

/// Is a scalar of this type held in Lanes::f?
inline bool isFloatScalar(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

class Tape {
public:
  /// The registers of one thread.
  class State {
  public:
    Lanes &operator[](unsigned number) { return lanes[number]; }

  private:
    friend class Tape;
    SmallVector<Lanes> lanes;
    std::vector<std::vector<double>> floats;
    std::vector<std::vector<int64_t>> integers;
  };

  /// Translates a block; what it reads from outside is taken from `frame`, but
  /// for values that are `given`, whose registers follow those of its
  /// arguments.
  static llvm::Expected<Tape> compile(Block &block, Frame &frame,
                                      ValueRange given = {});

  State makeState() const;
  /// Runs the block on the first `n` lanes. Register i holds argument i.
  /// Returns the operation that failed, if any, in `failed`.
  StatusCode run(State &state, int64_t n, Operation *&failed) const;

  /// The registers of the terminator's operands.
  ArrayRef<unsigned> getYields() const { return yields; }

  /// A `linalg.index` operation: its register is filled before each run.
  struct Index {
    int64_t dim;
    unsigned reg;
  };
  ArrayRef<Index> getIndices() const { return indices; }

private:
  struct Instruction {
    Operation *op;
    Kernel kernel;
    SmallVector<unsigned, 3> operands;
    unsigned result;
  };
  struct Constant {
    ReferenceValue value;
    unsigned reg;
  };

  class Compiler;
  unsigned addRegister(Type type);

  SmallVector<bool> isFloat;
  SmallVector<Constant> constants;
  SmallVector<Index> indices;
  std::vector<Instruction> instructions;
  SmallVector<unsigned> yields;
};

} // namespace mlir::sparseconv::reference

#endif // SPARSECONV_LIB_REFERENCE_TAPE_H
