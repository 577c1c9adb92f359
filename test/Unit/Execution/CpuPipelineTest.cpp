//===- CpuPipelineTest.cpp - passes of a host's between ours --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Pipelines/LowerToBuffers.h"
#include "sparseconv/Pipelines/LowerToCpu.h"
#include "sparseconv/Pipelines/Registration.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

static const char *const kNetwork = R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.absf %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
)";

static int calls;
static void countCall() { ++calls; }

namespace {
/// Calls @count_call before each kernel; with `isBroken` by a name that nobody
/// has declared.
struct CountKernels : PassWrapper<CountKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountKernels)
  CountKernels(bool isBroken) : isBroken(isBroken) {}

  void runOnOperation() override {
    OpBuilder b(&getContext());
    getOperation().walk([&](DestinationStyleOpInterface kernel) {
      b.setInsertionPoint(kernel);
      func::CallOp::create(b, kernel.getLoc(), "count_call", TypeRange());
    });
    if (isBroken)
      return;
    b.setInsertionPointToStart(getOperation().getBody());
    func::FuncOp::create(b, b.getUnknownLoc(), "count_call",
                         b.getFunctionType({}, {}))
        .setPrivate();
  }
  bool isBroken;
};

struct CpuPipeline : testing::Test {
  CpuPipeline() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(kNetwork, &context);
    options.symbols = {{"count_call", reinterpret_cast<void *>(&countCall)}};
    options.buildPipeline = [this](OpPassManager &pm, StringRef target) {
      EXPECT_TRUE(target.starts_with("cpu:")) << target.str();
      LowerToBuffersOptions toBuffers;
      toBuffers.target = target.str();
      buildLowerToBuffersPipeline(pm, toBuffers);
      pm.addPass(std::make_unique<CountKernels>(isBroken));
      buildLowerBuffersToCpuPipeline(pm);
    };
    calls = 0;
  }

  /// The results for -1 and 2, or what is wrong.
  llvm::Expected<std::vector<HostTensor>> run() {
    auto executable = CpuExecutable::compile(*module, options);
    if (!executable)
      return executable.takeError();
    HostTensor x(ElementKind::F32, {2});
    x.setDouble(0, -1);
    x.setDouble(1, 2);
    return (*executable)->run("main", x);
  }
  std::string getError() { return llvm::toString(run().takeError()); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  CpuOptions options;
  bool isBroken = false;
};
} // namespace

TEST_F(CpuPipeline, CallsFunctionsOfTheHost) {
  auto results = run();
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(results->front().getDouble(0), 1);
  EXPECT_EQ(results->front().getDouble(1), 2);
  EXPECT_GT(calls, 0);
}

TEST_F(CpuPipeline, SeesNoOtherFunctions) {
  options.symbols.clear();
  std::string error = getError();
  EXPECT_NE(error.find("the compiled code is not complete"), std::string::npos)
      << error;
  EXPECT_NE(error.find("count_call"), std::string::npos) << error;
}

TEST_F(CpuPipeline, IsVerified) {
  isBroken = true;
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  EXPECT_EQ(getError(), "the module could not be lowered to the CPU");
}
