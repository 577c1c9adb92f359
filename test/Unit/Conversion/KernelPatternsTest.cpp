//===- KernelPatternsTest.cpp - our kernels in a host's rewriting ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "sparseconv/Conversion/KernelsToGpu.h"
#include "sparseconv/Conversion/KernelsToLoops.h"
#include "sparseconv/Pipelines/Registration.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

/// Of a host that has a kernel of its own for one of our operations: ours are
/// of benefit 1.
struct CallGather : OpRewritePattern<GatherRowsOp> {
  explicit CallGather(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(GatherRowsOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<func::CallOp>(op, "host_gather", TypeRange(),
                                              op->getOperands());
    return success();
  }
};

/// Before and after a sort; only the gather is the host's.
constexpr const char *kText = R"mlir(
func.func private @host_gather(memref<?x4xf32>, memref<?xi32>, memref<8xi64>, memref<?x4xf32>)
func.func @f(%x: memref<?x4xf32>, %rows: memref<?xi32>, %status: memref<8xi64>, %y: memref<?x4xf32>,
             %keys: memref<?xi64>, %sorted: memref<?xi64>, %order: memref<?xi32>) {
  sparseconv.kernel.gather_rows
    ins(%x, %rows, %status : memref<?x4xf32>, memref<?xi32>, memref<8xi64>)
    outs(%y : memref<?x4xf32>) {op_id = 1 : i64}
  sparseconv.kernel.sort ins(%keys : memref<?xi64>)
    outs(%sorted, %order : memref<?xi64>, memref<?xi32>) {fields = array<i64: 8, 20, 20, 16>}
  return
})mlir";

class KernelPatterns : public ::testing::Test {
protected:
  KernelPatterns() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> parse(StringRef target) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kText, &context);
    if (!target.empty())
      (*module)->setAttr(SparseConvDialect::kTargetAttrName,
                         parseAttribute(target, &context));
    return module;
  }

  template <typename OpTy> static int count(ModuleOp module) {
    int found = 0;
    module.walk([&](OpTy) { ++found; });
    return found;
  }

  MLIRContext context;
};

TEST_F(KernelPatterns, LoopsTogetherWithAHost) {
  OwningOpRef<ModuleOp> module = parse("");
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(verifyKernelsForLoops(*module)));
  RewritePatternSet patterns(&context);
  populateKernelsToLoopsPatterns(patterns);
  patterns.add<CallGather>(&context);
  walkAndApplyPatterns(*module, std::move(patterns));
  EXPECT_TRUE(succeeded(verifyAllWritten(*module, "in loops on the CPU")));
  EXPECT_TRUE(succeeded(verify(*module)));
  // That of the host's, and that of the runtime's sort.
  EXPECT_EQ(count<func::CallOp>(*module), 2);
}

TEST_F(KernelPatterns, GpuTogetherWithAHost) {
  OwningOpRef<ModuleOp> module =
      parse("#sparseconv.target<cuda, chip = \"sm_80\">");
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(verifyKernelsForGpu(*module)));
  RewritePatternSet patterns(&context);
  populateKernelsToGpuPatterns(patterns);
  patterns.add<CallGather>(&context);
  walkAndApplyPatterns(*module, std::move(patterns));
  EXPECT_TRUE(succeeded(verifyAllWritten(*module, "on the GPU")));
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(count<func::CallOp>(*module), 1);
  EXPECT_GT(count<gpu::LaunchOp>(*module) + count<gpu::LaunchFuncOp>(*module),
            0);
}

/// On a GPU the patterns ask the target, which has to be there.
TEST_F(KernelPatterns, GpuExpectsATarget) {
  OwningOpRef<ModuleOp> module = parse("");
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(verifyKernelsForGpu(*module)));
  EXPECT_EQ(message, "expects the target of the module to be a GPU, as "
                     "sparseconv-set-target sets it");
}

} // namespace
