//===- sample-compiler.cpp - a compiler that uses the package -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler of its own for graphs in JSON. It emits our operations mixed with
// linalg, runs its passes around ours, calls the result on this processor, and
// writes a plan for a GPU.
//
//===----------------------------------------------------------------------===//

#include "SampleCompiler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Execution/CompileToPlan.h"
#include "sparseconv/Execution/Signature.h"
#include "sparseconv/IO/NamedTensors.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/IO/Quantise.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
namespace cl = llvm::cl;
using ::sparseconv::HostTensor;

static cl::opt<std::string> graphPath(cl::Positional, cl::Required,
                                      cl::desc("GRAPH.json"));
static cl::opt<bool> printNetwork("network", cl::desc("print the network"));
static cl::opt<std::string> planPath("plan",
                                     cl::desc("write a plan for a GPU"));
static cl::opt<std::string> chip("chip", cl::init("sm_90a"),
                                 cl::desc("what the plan is for"));
static cl::opt<std::string> scanPath("scan", cl::desc("run on this scan"));
static cl::opt<std::string> weightsPath("weights",
                                        cl::desc("its weights, an .npz file"));
static cl::opt<std::string> resultPath("result",
                                       cl::desc("write what comes out (.npy)"));
static cl::opt<bool> profile("profile",
                             cl::desc("print the time of each node"));

static llvm::Error writePlan(ModuleOp module) {
  auto plan = mlir::sparseconv::compileToPlan(module, "cuda:" + chip);
  if (failed(plan))
    return llvm::createStringError("there is no plan");
  return llvm::writeToOutput(planPath, [&](llvm::raw_ostream &os) {
    os << ::sparseconv::plan::serialise(*plan);
    return llvm::Error::success();
  });
}

/// Reads points and features of the scan, then weights by name.
static llvm::Expected<std::vector<HostTensor>>
readArguments(const mlir::sparseconv::Signature &signature) {
  ::sparseconv::QuantiseOptions options;
  options.numFeatures = signature.arguments[1].shape[1];
  auto scan = ::sparseconv::readScan(scanPath);
  if (!scan)
    return scan.takeError();
  auto voxels = ::sparseconv::quantise(*scan, options);
  if (!voxels)
    return voxels.takeError();
  auto weights = ::sparseconv::readNamedTensors(weightsPath);
  if (!weights)
    return weights.takeError();
  std::vector<HostTensor> arguments;
  arguments.push_back(std::move(voxels->points));
  arguments.push_back(std::move(voxels->features));
  for (const auto &parameter : ArrayRef(signature.arguments).drop_front(2)) {
    auto found = llvm::find_if(*weights, [&](const auto &entry) {
      return entry.name == parameter.name;
    });
    if (found == weights->end())
      return llvm::createStringError("no weights '" + parameter.name + "'");
    arguments.push_back(std::move(found->tensor));
  }
  if (auto error = mlir::sparseconv::checkArguments(signature, arguments))
    return error;
  return arguments;
}

static llvm::Error runOnScan(ModuleOp module) {
  auto signature = mlir::sparseconv::getSignature(module, "main");
  if (!signature)
    return signature.takeError();
  auto arguments = readArguments(*signature);
  if (!arguments)
    return arguments.takeError();
  std::vector<std::pair<std::string, double>> times;
  auto result = sample::runOnCpu(module, *arguments, times);
  if (!result)
    return result.takeError();
  llvm::outs() << result->getTypeString() << "\n";
  if (profile)
    for (const auto &[node, seconds] : times)
      llvm::outs() << llvm::format("%9.3f ms  ", seconds * 1e3) << node << "\n";
  return resultPath.empty() ? llvm::Error::success()
                            : ::sparseconv::writeNpy(resultPath, *result);
}

static llvm::Error compile() {
  auto text = llvm::MemoryBuffer::getFile(graphPath);
  if (!text)
    return llvm::createStringError(text.getError(), "cannot be read");
  auto graph = llvm::json::parse((*text)->getBuffer());
  if (!graph)
    return graph.takeError();

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  mlir::sparseconv::registerOwnDialects(registry);
  mlir::sparseconv::registerLLVMIRTranslation(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  // Locations are names of nodes, also in what our passes report.
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    auto node = diagnostic.getLocation()->findInstanceOf<NameLoc>();
    llvm::errs() << graphPath << ": ";
    if (node)
      llvm::errs() << "node '" << node.getName().getValue() << "': ";
    llvm::errs() << diagnostic << "\n";
  });

  auto module = sample::importGraph(*graph, &context);
  if (!module)
    return module.takeError();
  PassManager pm(&context);
  pm.addNestedPass<func::FuncOp>(sample::createFuseAddsPass());
  if (failed(pm.run(**module)))
    return llvm::createStringError("a pass failed");
  if (printNetwork)
    (*module)->print(llvm::outs());
  if (!planPath.empty())
    if (llvm::Error error = writePlan(**module))
      return error;
  return scanPath.empty() ? llvm::Error::success() : runOnScan(**module);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerAllPasses();
  mlir::sparseconv::registerOwnPasses();
  cl::ParseCommandLineOptions(argc, argv, "compiles a graph\n");
  if (llvm::Error error = compile()) {
    llvm::errs() << graphPath << ": error: " << llvm::toString(std::move(error))
                 << "\n";
    return 1;
  }
  return 0;
}
