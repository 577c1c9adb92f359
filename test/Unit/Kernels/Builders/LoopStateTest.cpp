//===- LoopStateTest.cpp - names and values of loops ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Builders/LoopState.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include "sparseconv/Kernels/Builders/GpuBuilder.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

struct Cursor {
  Value offset, chunk;
  SmallVector<Value> rows;

  void fields(LoopFields &f) { f(offset, chunk, rows); }
};

struct Nested {
  Value ready;
  Cursor at;
  SmallVector<Value> sums;

  void fields(LoopFields &f) { f(ready, at, sums); }
};

class LoopStateTest : public ::testing::Test {
protected:
  LoopStateTest() {
    context.loadDialect<arith::ArithDialect, scf::SCFDialect>();
    Location loc = UnknownLoc::get(&context);
    for (int i = 0; i < 8; ++i)
      value.push_back(block.addArgument(IntegerType::get(&context, 32), loc));
  }

  template <class Builder> Builder makeBuilder() {
    Builder b(UnknownLoc::get(&context), &context);
    b.setInsertionPointToEnd(&block);
    return b;
  }
  template <class Op> Op lastOp() { return cast<Op>(block.back()); }

  MLIRContext context;
  Block block;
  SmallVector<Value> value;
};

TEST_F(LoopStateTest, PacksFieldsInTheirOrder) {
  Nested state{
      value[5], {value[0], value[1], {value[2], value[3]}}, {value[4]}};
  EXPECT_EQ(packState(state),
            (SmallVector<Value>{value[5], value[0], value[1], value[2],
                                value[3], value[4]}));
}

TEST_F(LoopStateTest, LeavesOutWhatIsNotThere) {
  Nested state{value[5], {value[0], Value(), {}}, {value[4]}};
  EXPECT_EQ(packState(state),
            (SmallVector<Value>{value[5], value[0], value[4]}));
  Nested other = unpackState(state, ValueRange(ArrayRef(value).take_front(3)));
  EXPECT_EQ(other.ready, value[0]);
  EXPECT_EQ(other.at.offset, value[1]);
  EXPECT_FALSE(other.at.chunk);
  EXPECT_TRUE(other.at.rows.empty());
  EXPECT_EQ(other.sums, SmallVector<Value>{value[2]});
}

TEST_F(LoopStateTest, TakesValuesAndVectorsAsStates) {
  EXPECT_EQ(packState(value[3]), SmallVector<Value>{value[3]});
  EXPECT_EQ(unpackState(value[3], value[4]), value[4]);
  EXPECT_EQ(packState(value), value);
}

TEST_F(LoopStateTest, CarriesAStateThroughALoop) {
  auto b = makeBuilder<GpuBuilder>();
  Cursor start{value[0], value[1], {value[2], value[3]}};
  Cursor inside;
  Cursor end = doWhile(b, start, [&](Cursor &now) {
    inside = now;
    now.offset = b.add(now.offset, now.chunk);
    now.rows[1] = now.rows[0];
    return b.lessUnsigned(now.offset, 27);
  });
  auto loop = lastOp<scf::WhileOp>();
  EXPECT_TRUE(llvm::equal(loop.getInits(), ArrayRef(value).take_front(4)));
  Block &body = *loop.getBeforeBody();
  EXPECT_EQ(packState(inside), llvm::to_vector_of<Value>(body.getArguments()));
  // What the body did not touch goes round unchanged.
  auto condition = cast<scf::ConditionOp>(body.getTerminator());
  ValueRange next = condition.getArgs();
  EXPECT_TRUE(next[0].getDefiningOp<arith::AddIOp>());
  EXPECT_EQ(next[1], body.getArgument(1));
  EXPECT_EQ(next[2], body.getArgument(2));
  EXPECT_EQ(next[3], body.getArgument(2));
  EXPECT_EQ(packState(end), llvm::to_vector_of<Value>(loop.getResults()));
  EXPECT_EQ(end.rows[1], loop.getResult(3));
}

TEST_F(LoopStateTest, HandsTheConditionOfAWhileLoopTheState) {
  auto b = makeBuilder<GpuBuilder>();
  Cursor end = whileLoop(
      b, Cursor{value[0], value[1], {}},
      [&](const Cursor &now) { return b.lessUnsigned(now.offset, 4); },
      [&](Cursor &now) { now.offset = b.add(now.offset, now.chunk); });
  auto loop = lastOp<scf::WhileOp>();
  auto compared =
      loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  EXPECT_EQ(compared.getLhs(), loop.getBeforeArguments()[0]);
  EXPECT_EQ(end.chunk, loop.getResult(1));
}

TEST_F(LoopStateTest, WorksWithEitherBuilder) {
  auto b = makeBuilder<LoopBuilder>();
  Value begin = b.index(0), last = b.index(9);
  SmallVector<Value> sums = forLoop(
      b, begin, last, /*step=*/2, SmallVector<Value>{value[0], value[1]},
      [&](Value, SmallVector<Value> &now) { now[1] = b.add(now[0], now[1]); });
  auto loop = lastOp<scf::ForOp>();
  EXPECT_TRUE(llvm::equal(loop.getInitArgs(), ArrayRef(value).take_front(2)));
  EXPECT_EQ(sums[1], loop.getResult(1));
}

TEST_F(LoopStateTest, KeepsTheStateWhereNothingChangesIt) {
  auto b = makeBuilder<GpuBuilder>();
  Value condition = b.lessUnsigned(value[6], value[7]);
  Cursor start{value[0], Value(), {value[1]}};
  Cursor end = changeIf(b, condition, start,
                        [&](Cursor &now) { now.offset = value[5]; });
  auto branch = lastOp<scf::IfOp>();
  EXPECT_TRUE(llvm::equal(branch.thenYield().getOperands(),
                          ArrayRef<Value>{value[5], value[1]}));
  EXPECT_TRUE(llvm::equal(branch.elseYield().getOperands(),
                          ArrayRef<Value>{value[0], value[1]}));
  EXPECT_EQ(end.offset, branch.getResult(0));
  EXPECT_FALSE(end.chunk);
}

TEST_F(LoopStateTest, SelectsEachValue) {
  auto b = makeBuilder<GpuBuilder>();
  Value condition = b.lessUnsigned(value[6], value[7]);
  Cursor chosen =
      selectState(b, condition, Cursor{value[0], Value(), {value[1]}},
                  Cursor{value[2], Value(), {value[3]}});
  auto row = chosen.rows[0].getDefiningOp<arith::SelectOp>();
  EXPECT_EQ(row.getTrueValue(), value[1]);
  EXPECT_EQ(row.getFalseValue(), value[3]);
  EXPECT_EQ(chosen.offset.getDefiningOp<arith::SelectOp>().getCondition(),
            condition);
}

} // namespace
