//===- SparseConvToKernelsTest.cpp - our conversion in a host's -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Conversion/SparseConvToKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "sparseconv/Pipelines/Registration.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

/// Of a host that has no f64: negations become those of f32.
struct NarrowNegation : OpConversionPattern<arith::NegFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::NegFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::NegFOp>(op, adaptor.getOperand());
    return success();
  }
};

class SparseConvToKernels : public ::testing::Test {
protected:
  SparseConvToKernels() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    addSparseConvToKernelsConversions(converter);
    converter.addConversion(
        [](Float64Type type) { return Float32Type::get(type.getContext()); });
  }

  LogicalResult convert(ModuleOp module) {
    std::optional<NetworkPreparation> network =
        NetworkPreparation::prepare(module, converter);
    if (!network)
      return failure();
    RewritePatternSet patterns(&context);
    populateSparseConvToKernelsPatterns(converter, patterns);
    patterns.add<NarrowNegation>(converter, &context);
    ConversionTarget target(context);
    configureSparseConvToKernelsTarget(converter, target);
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      return failure();
    network->finish(converter);
    return verify(module);
  }

  static std::string print(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  MLIRContext context;
  TypeConverter converter;
};

/// One conversion for the types and operations of both. Attributes stay with
/// their arguments, of which a map takes two.
TEST_F(SparseConvToKernels, TogetherWithAHost) {
  auto module = parseSourceString<ModuleOp>(R"mlir(
#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @layer(%m: !map, %f: f64 {host.name = "f"}) -> (index, f64) {
  %n = sparseconv.map_size in %m : !map
  %g = arith.negf %f : f64
  return %n, %g : index, f64
}
func.func @other(%x: index) -> index {
  return %x : index
})mlir",
                                            &context);
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(convert(*module)));
  auto layer = module->lookupSymbol<func::FuncOp>("layer");
  EXPECT_EQ(print(layer.getFunctionType()),
            "(tensor<?x27xi32>, index, f32, memref<8xi64>) -> (index, f32)");
  EXPECT_TRUE(layer.getArgAttr(2, "host.name"));
  auto other = module->lookupSymbol<func::FuncOp>("other");
  EXPECT_EQ(print(other.getFunctionType()), "(index) -> index");
}

/// What is undecided is reported, and the module stays as it was.
TEST_F(SparseConvToKernels, RefusesWhatIsUndecided) {
  auto module = parseSourceString<ModuleOp>(R"mlir(
#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @layer(%c: !set) -> !map {
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  return %m : !map
})mlir",
                                            &context);
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(convert(*module)));
  EXPECT_EQ(message, "'sparseconv.kernel_map' op expects a search, as "
                     "sparseconv-select-indexing decides it, but found none");
  EXPECT_EQ(module->lookupSymbol<func::FuncOp>("layer").getNumArguments(), 1u);
}

} // namespace
