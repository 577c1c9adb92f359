//===- Registration.cpp - dialects and passes, all at once ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one heavy translation unit: everything that pulls in many dialects'
// headers for registration stands here, so that other files need not.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Pipelines/Registration.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "sparseconv/Conversion/Passes.h"
#include "sparseconv/Dialect/Plan/IR/PlanOps.h"
#include "sparseconv/Dialect/SparseConv/Differentiation/Passes.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Dialect/SparseConv/Transforms/BufferizableOpInterfaceImpl.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Pipelines/LowerToBuffers.h"
#include "sparseconv/Pipelines/LowerToCpu.h"
#include "sparseconv/Pipelines/LowerToPtx.h"
#include "sparseconv/Selection/Passes.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Target/PTX/LowerGpuToNVVM.h"
#include "sparseconv/Target/PTX/Passes.h"
#include "sparseconv/Target/PTX/ToPtx.h"
#include "sparseconv/Target/Plan/Passes.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

void mlir::sparseconv::registerOwnDialects(DialectRegistry &registry) {
  registry.insert<PlanDialect, SparseConvDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
}

void mlir::sparseconv::registerDialects(DialectRegistry &registry) {
  registerOwnDialects(registry);
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  NVVM::NVVMDialect, linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, omp::OpenMPDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect>();

  arith::registerBufferizableOpInterfaceExternalModels(registry);
  // A choice between two buffers is one of them: neither may go back before it.
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  linalg::registerValueBoundsOpInterfaceExternalModels(registry);
  scf::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  func::registerInlinerExtension(registry);
  registerPtxTarget(registry);
}

/// Whether the user asks for all that messages have.
static bool wantsFullDiagnostics() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto it = options.find("mlir-print-op-on-diagnostic");
  return it != options.end() && it->second->getNumOccurrences() != 0 &&
         static_cast<llvm::cl::opt<bool> *>(it->second)->getValue();
}

static void shortenDiagnostic(Diagnostic &diagnostic) {
  constexpr size_t longest = 2000;
  std::string text = diagnostic.str();
  if (text.size() > longest) {
    Diagnostic shorter(diagnostic.getLocation(), diagnostic.getSeverity());
    shorter << ::sparseconv::shorten(text, longest);
    for (Diagnostic &note : diagnostic.getNotes())
      shorter.attachNote(note.getLocation()) << note.str();
    diagnostic = std::move(shorter);
  }
  for (Diagnostic &note : diagnostic.getNotes())
    shortenDiagnostic(note);
}

void mlir::sparseconv::registerBriefDiagnostics(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) {
    context->printOpOnDiagnostic(wantsFullDiagnostics());
  });
  // The handler that is registered last is asked first, and then those of the
  // tools: this one comes with the first function, when they are there.
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    if (!wantsFullDiagnostics())
      context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
        shortenDiagnostic(diagnostic);
        return failure();
      });
  });
}

void mlir::sparseconv::registerOwnPasses() {
  registerSparseConvConversionPasses();
  registerSparseConvDifferentiationPasses();
  registerSparseConvSelectionPasses();
  registerSparseConvTransformsPasses();
  registerSparseConvTargetPTXPasses();
  registerSparseConvTargetPlanPasses();
  registerLowerGpuToNVVMPipeline();

  PassPipelineRegistration<LowerToBuffersOptions>(
      "sparseconv-lower-to-buffers",
      "a network to kernel operations on buffers, for any target",
      buildLowerToBuffersPipeline);
  PassPipelineRegistration<LowerToCpuOptions>(
      "sparseconv-lower-to-cpu", "a network to the LLVM dialect, for the CPU",
      buildLowerToCpuPipeline);
  PassPipelineRegistration<>("sparseconv-lower-buffers-to-cpu",
                             "kernel operations on buffers to the LLVM "
                             "dialect, the second half of "
                             "sparseconv-lower-to-cpu",
                             buildLowerBuffersToCpuPipeline);

  PassPipelineRegistration<LowerToGpuOptions>(
      "sparseconv-lower-to-gpu", "a network to GPU kernels and host functions",
      buildLowerToGpuPipeline);
  PassPipelineRegistration<LowerToGpuOptions>(
      "sparseconv-lower-to-ptx", "a network to PTX and a plan of its host side",
      buildLowerToPtxPipeline);
}

void mlir::sparseconv::registerPasses() {
  registerOwnPasses();
  registerTransformsPasses();
  registerConversionPasses();
  arith::registerArithPasses();
  bufferization::registerBufferizationPasses();
  registerGPUPasses();
  registerLinalgPasses();
  memref::registerMemRefPasses();
  registerSCFPasses();
}
