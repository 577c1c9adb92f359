//===- MatrixDescriptorTest.cpp - matrices of wgmma in shared memory ------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of PTX ISA's "Matrix Descriptor Format", which it numbers by bits:
// 0-13 the start address, 16-29 the leading and 32-45 the stride byte offset,
// each in units of 16 bytes; 49-51 the base offset; 62-63 the swizzle.
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

/// Bits `first` to `last` of a number.
uint64_t getBits(uint64_t number, unsigned first, unsigned last) {
  return number >> first & ((uint64_t(1) << (last - first + 1)) - 1);
}

TEST(MatrixDescriptorTest, HasItsFieldsWherePtxHasThem) {
  MatrixDescriptor matrix;
  matrix.leadingByteOffset = 0x3fff0;
  EXPECT_EQ(matrix.encode(), uint64_t(0x3fff) << 16);
  matrix.leadingByteOffset = 0;
  matrix.strideByteOffset = 0x3fff0;
  EXPECT_EQ(matrix.encode(), uint64_t(0x3fff) << 32);
  matrix.strideByteOffset = 0;
  for (auto [swizzle, code] :
       {std::pair(Swizzle::None, 0), std::pair(Swizzle::Bytes128, 1),
        std::pair(Swizzle::Bytes64, 2), std::pair(Swizzle::Bytes32, 3)}) {
    matrix.swizzle = swizzle;
    EXPECT_EQ(matrix.encode(), uint64_t(code) << 62);
  }
}

TEST(MatrixDescriptorTest, CountsIn16Bytes) {
  MatrixDescriptor matrix;
  matrix.leadingByteOffset = 16;
  matrix.strideByteOffset = 1024;
  matrix.swizzle = Swizzle::Bytes128;
  uint64_t bits = matrix.encode();
  EXPECT_EQ(getBits(bits, 0, 13), 0u);
  EXPECT_EQ(getBits(bits, 14, 15), 0u);
  EXPECT_EQ(getBits(bits, 16, 29), 1u);
  EXPECT_EQ(getBits(bits, 30, 31), 0u);
  EXPECT_EQ(getBits(bits, 32, 45), 64u);
  EXPECT_EQ(getBits(bits, 46, 61), 0u); // the base offset among them
  EXPECT_EQ(getBits(bits, 62, 63), 1u);
  // The next step lies 32 bytes on, and its descriptor is 2 larger.
  EXPECT_EQ(MatrixDescriptor::encodeOffset(32), 2);
}

/// The descriptor that a kernel computes for an address, by folding.
uint64_t encodeAddress(uint32_t address) {
  MLIRContext context;
  context
      .loadDialect<arith::ArithDialect, gpu::GPUDialect, SparseConvDialect>();
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  GpuBuilder b(loc, &context);
  b.setInsertionPointToStart(module->getBody());
  MatrixDescriptor matrix;
  matrix.strideByteOffset = 1024;
  matrix.swizzle = Swizzle::Bytes128;
  Value descriptor = matrix.encode(b, b.i32(static_cast<int32_t>(address)));
  APInt bits(64, 0);
  EXPECT_TRUE(matchPattern(descriptor, m_ConstantInt(&bits)));
  return bits.getZExtValue();
}

TEST(MatrixDescriptorTest, TakesTheStartAddress) {
  uint64_t rest = encodeAddress(0);
  EXPECT_EQ(getBits(rest, 0, 13), 0u);
  EXPECT_EQ(encodeAddress(16), rest | 1);
  EXPECT_EQ(encodeAddress(0x3fff0), rest | 0x3fff);
  // An address has no bits beyond its field.
  EXPECT_EQ(encodeAddress(0xabc40000 + 0x400), rest | 0x40);
}

} // namespace
