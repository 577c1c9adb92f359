//===- MachineCode.cpp - LLVM IR to objects, on several threads -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCode.h"
#include "mlir/IR/Threading.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <map>

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::orc::JITTargetMachineBuilder;

/// Layers of one shape have parallel regions of one text: compile one.
static constexpr const char *kModulePasses = "mergefunc,globaldce";

/// What loops gain from. MLIR has inlined, folded and shared what it could, and
/// unrolled what it wants unrolled, so that the many rounds of LLVM's default
/// pipeline find little more.
static constexpr const char *kLoopPasses =
    "function("
    "early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),"
    "loop(loop-idiom,loop-unroll-full),"
    "early-cse<memssa>,"
    "loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg)";

static llvm::Error runPasses(llvm::Module &module, llvm::TargetMachine &machine,
                             StringRef passes) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager pipeline;
  if (llvm::Error error = builder.parsePassPipeline(pipeline, passes))
    return error;
  pipeline.run(module, modules);
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(llvm::Module &module, JITTargetMachineBuilder builder) {
  auto machine = builder.createTargetMachine();
  if (!machine)
    return machine.takeError();
  bool isOptimised = (*machine)->getOptLevel() != llvm::CodeGenOptLevel::None;
  if (isOptimised)
    if (llvm::Error error = runPasses(module, **machine, kLoopPasses))
      return std::move(error);
  return llvm::orc::SimpleCompiler(**machine)(module);
}

/// The number of the part that each function belongs to, so that the parts are
/// of similar sizes.
static llvm::DenseMap<const llvm::GlobalValue *, unsigned>
divide(llvm::Module &module, unsigned numParts) {
  // The largest first, and of equal ones the first.
  std::multimap<unsigned, const llvm::Function *, std::greater<>> functions;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      functions.emplace(function.getInstructionCount(), &function);
  llvm::DenseMap<const llvm::GlobalValue *, unsigned> parts;
  SmallVector<unsigned> sizes(numParts, 0);
  for (auto [size, function] : functions) {
    unsigned part = llvm::min_element(sizes) - sizes.begin();
    sizes[part] += size;
    parts[function] = part;
  }
  return parts;
}

/// Gives parts access to each other.
static void exportDefinitions(llvm::Module &module) {
  for (llvm::GlobalValue &value : module.global_values()) {
    if (!value.hasLocalLinkage())
      continue;
    if (!value.hasName())
      value.setName("unnamed");
    value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  // Parts may come to lie more than 2 GB apart, so that one reaches another
  // through a table of addresses.
  for (llvm::GlobalValue &value : module.global_values())
    value.setDSOLocal(false);
}

/// Moves all parts but the first out of `module`, as bitcode. Constants, which
/// may be large, stay.
static std::vector<SmallVector<char, 0>> takeParts(llvm::Module &module,
                                                   unsigned numParts) {
  // One object keeps its definitions to itself, and needs no table of
  // addresses.
  if (numParts == 1)
    return {};
  exportDefinitions(module);
  auto parts = divide(module, numParts);
  std::vector<SmallVector<char, 0>> taken(numParts - 1);
  for (unsigned part = 1; part < numParts; ++part) {
    llvm::ValueToValueMapTy values;
    auto clone =
        llvm::CloneModule(module, values, [&](const llvm::GlobalValue *value) {
          return parts.lookup(value) == part;
        });
    llvm::raw_svector_ostream os(taken[part - 1]);
    llvm::WriteBitcodeToFile(*clone, os);
  }
  for (llvm::Function &function : module)
    if (parts.lookup(&function) != 0)
      function.deleteBody();
  return taken;
}

/// A module of its own context, which another thread may change.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileBitcode(ArrayRef<char> bitcode, const JITTargetMachineBuilder &builder) {
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(StringRef(bitcode.data(), bitcode.size()), "part"),
      context);
  if (!module)
    return module.takeError();
  return compileToObject(**module, builder);
}

llvm::Expected<Objects>
mlir::sparseconv::compileToObjects(llvm::Module &module,
                                   const JITTargetMachineBuilder &builder,
                                   MLIRContext &context, unsigned mostParts) {
  auto machine = JITTargetMachineBuilder(builder).createTargetMachine();
  if (!machine)
    return machine.takeError();
  module.setDataLayout((*machine)->createDataLayout());
  module.setTargetTriple((*machine)->getTargetTriple());
  if (llvm::Error error = runPasses(module, **machine, kModulePasses))
    return std::move(error);

  unsigned numParts = std::min(context.getNumThreads(), mostParts);
  std::vector<SmallVector<char, 0>> others = takeParts(module, numParts);
  Objects objects(numParts);
  std::vector<std::string> problems(numParts);
  mlir::parallelFor(&context, 0, numParts, [&](size_t part) {
    auto object = part ? compileBitcode(others[part - 1], builder)
                       : compileToObject(module, builder);
    if (object)
      objects[part] = std::move(*object);
    else
      problems[part] = llvm::toString(object.takeError());
  });
  for (const std::string &problem : problems)
    if (!problem.empty())
      return llvm::createStringError(problem);
  return objects;
}
