//===- gpu-gemm-kernels.cpp - prints one convolution kernel ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test tool: the kernels of one configuration as IR, as PTX, or what a launch
// of them needs as JSON.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"
#include "sparseconv/Target/PTX/LowerGpuToNVVM.h"
#include "sparseconv/Target/PTX/ToPtx.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::sparseconv;
namespace cl = llvm::cl;

namespace {
enum class Output { Ir, Lowered, Ptx, Launch };
} // namespace

static cl::opt<std::string>
    mainLoop("main-loop",
             cl::desc("main loop; the best for the shape if not given"));
static cl::opt<GemmElement>
    element("element", cl::desc("type of the features"),
            cl::values(clEnumValN(GemmElement::F16, "f16", ""),
                       clEnumValN(GemmElement::BF16, "bf16", ""),
                       clEnumValN(GemmElement::F32, "f32", ""),
                       clEnumValN(GemmElement::TF32, "tf32", "")),
            cl::init(GemmElement::F16));
static cl::opt<std::string> chip("chip", cl::init("sm_90a"));
static cl::opt<Output>
    emit("emit",
         cl::values(clEnumValN(Output::Ir, "ir", ""),
                    clEnumValN(Output::Lowered, "nvvm", ""),
                    clEnumValN(Output::Ptx, "ptx", ""),
                    clEnumValN(Output::Launch, "launch", "")),
         cl::init(Output::Ptx));
static cl::opt<int64_t> in("in", cl::init(64), cl::desc("of all groups")),
    out("out", cl::init(64), cl::desc("of all groups")),
    offsets("offsets", cl::init(27)), groups("groups", cl::init(1)),
    warps("warps"), blocks("blocks"), tileK("tile-k"), tileN("tile-n"),
    stages("stages"),
    splitK("split-k", cl::desc("blocks that may share a tile's offsets"));
static cl::opt<int> resident("resident", cl::init(-1));
static cl::opt<bool> transposed("transposed");
static cl::opt<bool> bias("bias", cl::desc("epilogue: bias, then maximum "
                                           "with 0"));

/// Why no configuration can be made, or an empty string.
static std::string checkGroups() {
  if (groups < 1 || in % groups || out % groups)
    return llvm::formatv("{0} groups do not divide {1} and {2} channels",
                         groups.getValue(), in.getValue(), out.getValue());
  return "";
}

static ImplicitGemmConfig makeConfig(const TargetInfo &target) {
  ImplicitGemmShape shape;
  shape.element = element;
  shape.offsets = offsets;
  shape.groups = groups;
  shape.inChannels = in / groups;
  shape.outChannels = out / groups;
  // Where no candidate fits, the verifier of the first one says why.
  ImplicitGemmConfig config(shape);
  config.loop = MainLoop::getAll().front();
  if (mainLoop.empty()) {
    config = ImplicitGemmConfig::choose(shape, target).value_or(config);
  } else {
    config.loop = MainLoop::find(mainLoop);
    if (!config.loop)
      return config;
    SmallVector<ImplicitGemmConfig> candidates;
    config.loop->addCandidates(shape, target, candidates);
    for (const ImplicitGemmConfig &candidate : llvm::reverse(candidates))
      if (candidate.verify(target).empty())
        config = candidate;
  }
  auto set = [](cl::opt<int64_t> &option, int64_t &field) {
    if (option.getNumOccurrences())
      field = option;
  };
  set(warps, config.warps);
  set(blocks, config.blocks);
  set(tileK, config.tileK);
  set(tileN, config.tileN);
  set(stages, config.stages);
  set(splitK, config.splitK);
  if (resident >= 0)
    config.resident = resident;
  return config;
}

static void printLaunch(const ImplicitGemmConfig &config) {
  llvm::json::OStream json(llvm::outs(), 1);
  json.object([&] {
    json.attribute("mainLoop", config.loop->getName());
    const char *types[] = {"f16", "bf16", "f32", "tf32"};
    json.attribute("element", types[static_cast<int>(config.element)]);
    json.attribute("in", config.groups * config.inChannels);
    json.attribute("out", config.groups * config.outChannels);
    json.attribute("groups", config.groups);
    json.attribute("offsets", config.offsets);
    json.attribute("transposed", bool(transposed));
    json.attribute("bias", bool(bias));
    json.attribute("threads", config.threads());
    json.attribute("blocks", config.blocks);
    json.attribute("tileK", config.tileK);
    json.attribute("tileN", config.tileN);
    json.attribute("stages", config.stages);
    json.attribute("columnTiles", config.columnTiles());
    json.attribute("shared", config.sharedBytes());
    json.attribute("image", config.weightBytes());
    json.attribute("rowsPerTile", config.rowsPerTile());
    json.attribute("rowsPerBlock", config.rowsPerBlock());
    json.attribute("persistent", config.isPersistent());
    json.attribute("splitK", config.splitK);
    json.attribute("scratchPerSplit", config.scratchBytesPerSplit());
    json.attribute("countersPerTile", config.countersPerTile());
  });
  llvm::outs() << "\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv);
  llvm::Expected<Target> found = findTarget("cuda", StringRef(chip));
  if (!found) {
    llvm::errs() << llvm::toString(found.takeError()) << "\n";
    return 1;
  }
  const TargetInfo *target = found->info;
  if (std::string why = checkGroups(); !why.empty()) {
    llvm::errs() << "refused: " << why << "\n";
    return 1;
  }
  ImplicitGemmConfig config = makeConfig(*target);
  if (!config.loop) {
    llvm::errs() << MainLoop::describeUnknown("main loop", mainLoop) << "\n";
    return 1;
  }
  if (std::string why = config.verify(*target); !why.empty()) {
    llvm::errs() << "refused: " << why << "\n";
    return 1;
  }
  if (emit == Output::Launch) {
    printLaunch(config);
    return 0;
  }

  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, vector::VectorDialect>();
  registerPtxTarget(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> outer = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(outer->getBody());
  auto module = gpu::GPUModuleOp::create(builder, loc, "kernels");

  auto pointer = LLVM::LLVMPointerType::get(&context, 1);
  auto addBias = [](GpuBuilder &b, ArrayRef<GemmPiece> pieces,
                    ValueRange arguments, StorePiece store) {
    for (auto [number, piece] : llvm::enumerate(pieces)) {
      SmallVector<Value> results;
      for (auto [i, sum] : llvm::enumerate(piece.sums)) {
        Value bias = b.offset(arguments[0], b.mul(b.add(piece.channel, i), 4));
        Value value = b.add(sum, b.loadConstant(b.getF32Type(), bias, 4));
        results.push_back(b.createOrFold<arith::MaximumFOp>(value, b.f32(0)));
      }
      store(number, results);
    }
  };
  buildImplicitGemm(module, "gemm", config, *target,
                    bias ? TypeRange(pointer) : TypeRange(),
                    bias ? GemmEpilogue(addBias) : GemmEpilogue());
  buildPackWeights(module, "pack", config,
                   WeightStrides::get(config, transposed));
  if (failed(verify(*outer)))
    return 1;
  if (emit == Output::Ir) {
    outer->print(llvm::outs());
    return 0;
  }
  PassManager passes(&context);
  buildLowerGpuToNVVMPipeline(passes);
  if (failed(passes.run(*outer)))
    return 1;
  if (emit == Output::Lowered) {
    outer->print(llvm::outs());
    return 0;
  }
  FailureOr<std::string> ptx = translateToPtx(module, chip);
  if (failed(ptx))
    return 1;
  llvm::outs() << *ptx;
  return 0;
}
