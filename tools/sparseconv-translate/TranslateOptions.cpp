//===- TranslateOptions.cpp - what sparseconv-translate is asked ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TranslateOptions.h"
#include "sparseconv/Execution/CompileToPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::sparseconv;
namespace cl = llvm::cl;

TranslateOptions::TranslateOptions()
    : input(cl::Positional, cl::desc("FILE"), cl::init("-"),
            cl::cat(generalCategory)),
      output("o", cl::init("-"), cl::value_desc("file"),
             cl::desc("the file to write (default: standard output)"),
             cl::cat(generalCategory)),
      form(cl::desc("What to write:"), cl::cat(generalCategory),
           cl::values(
               clEnumValN(Form::NetworkToPlan, "network-to-plan",
                          "the plan of a network"),
               clEnumValN(Form::PlanToPlan, "plan-to-plan",
                          "a plan with weights or machine code added"),
               clEnumValN(Form::PlanToText, "plan-to-text",
                          "a plan as readable text"),
               clEnumValN(Form::PlanToPtx, "plan-to-ptx", "the PTX in a plan"),
               clEnumValN(Form::MlirToPlan, "mlir-to-plan",
                          "the plan of a module of kernels and host functions"),
               clEnumValN(Form::MlirToLLVMIR, "mlir-to-llvmir",
                          "the LLVM IR of a module in the LLVM dialect"))),
      progress(generalCategory),
      splitInput("split-input-file", cl::Hidden,
                 cl::desc("translates the parts between lines of // ----- each "
                          "on its own"),
                 cl::cat(generalCategory)),
      verifyDiagnostics("verify-diagnostics", cl::Hidden,
                        cl::desc("compares the diagnostics with those that "
                                 "comments expect"),
                        cl::cat(generalCategory)),
      target("target", cl::init("cuda"), cl::value_desc("name"),
             cl::desc("what a network is compiled for: cuda (default), cpu, or "
                      "with a chip or a level, cuda:sm_80, cpu:avx2"),
             cl::cat(networkCategory)),
      entry("entry", cl::value_desc("name"),
            cl::desc("the only function of a network to compile"),
            cl::cat(networkCategory)),
      inputName("input-name", cl::Hidden, cl::value_desc("name"),
                cl::desc("what messages call a network (default: its file)"),
                cl::cat(networkCategory)),
      tuningDatabase("tuning-database", cl::value_desc("file"),
                     cl::desc("what was measured: 'default', 'none' or a file"),
                     cl::init("default"), cl::cat(networkCategory)),
      explain("explain",
              cl::desc("prints what is chosen for each layer of a network, and "
                       "why"),
              cl::cat(networkCategory)),
      trustTables("trust-tables",
                  cl::desc("the neighbour tables that a network is given are "
                           "right, and not checked"),
                  cl::cat(networkCategory)),
      chips("chip", cl::CommaSeparated, cl::value_desc("sm_80,..."),
            cl::desc("chips that a plan gets PTX for (default: that of the "
                     "target; a network's plan has one), or whose PTX is shown "
                     "(default: all)"),
            cl::cat(planCategory)),
      streams("streams", cl::init(kDefaultStreams), cl::value_desc("number"),
              cl::desc("streams over which a plan may spread its steps; with 1 "
                       "they run in the order of the program (default 4)"),
              cl::cat(planCategory)),
      cubin("cubin",
            cl::desc("puts machine code for the chips into a plan, beside the "
                     "PTX; needs NVIDIA's ptxas"),
            cl::cat(planCategory)),
      ptxas("ptxas", cl::init("ptxas"), cl::value_desc("file"),
            cl::desc("the assembler for --cubin (default: the one in PATH, or "
                     "in /usr/local/cuda/bin)"),
            cl::cat(planCategory)),
      weights("weights", cl::value_desc("file"),
              cl::desc("puts the tensors of an .npz or .safetensors file into "
                       "a plan, in place of the inputs of their names"),
              cl::cat(planCategory)),
      convertWeights("convert-weights",
                     cl::desc("rounds the floats of --weights to the types of "
                              "their inputs; without this, other types are "
                              "errors"),
                     cl::cat(planCategory)),
      weightsByReference("weights-by-reference",
                         cl::desc("leaves the data of --weights out of the "
                                  "plan: whoever loads it has to bring the "
                                  "same"),
                         cl::cat(planCategory)) {}

static LogicalResult refuse(const cl::Option &option, const llvm::Twine &why) {
  llvm::errs() << "error: " << (option.ArgStr.size() == 1 ? "-" : "--")
               << option.ArgStr << ' ' << why << '\n';
  return failure();
}

LogicalResult TranslateOptions::checkKnown(StringRef form, List known) const {
  for (const cl::Option &option :
       List{target, entry, inputName, tuningDatabase, explain, trustTables,
            chips, streams, cubin, ptxas, weights, convertWeights,
            weightsByReference})
    if (option.getNumOccurrences() &&
        llvm::none_of(
            known, [&](const cl::Option &other) { return &other == &option; }))
      return refuse(option, "is not for --" + form);
  if (ptxas.getNumOccurrences() && !cubin)
    return refuse(ptxas, "is for --cubin");
  if (weightsByReference && weights.empty())
    return refuse(weightsByReference, "is for --weights");
  if (convertWeights && weights.empty())
    return refuse(convertWeights, "is for --weights");
  return success();
}

LogicalResult TranslateOptions::check() const {
  if (form.getNumOccurrences() > 1) {
    llvm::errs() << "error: one form at a time is written, and several are "
                    "asked for\n";
    return failure();
  }
  bool isBinary = form == Form::NetworkToPlan || form == Form::PlanToPlan ||
                  form == Form::MlirToPlan;
  if (isBinary && output == "-" && llvm::outs().is_displayed())
    return refuse(output, "is missing: a plan is nothing for a terminal");
  switch (form.getValue()) {
  case Form::NetworkToPlan:
    return checkKnown("network-to-plan",
                      {target, entry, inputName, tuningDatabase, explain,
                       trustTables, chips, streams, cubin, ptxas, weights,
                       convertWeights, weightsByReference});
  case Form::PlanToPlan:
    return checkKnown("plan-to-plan", {cubin, ptxas, weights, convertWeights,
                                       weightsByReference});
  case Form::PlanToText:
    return checkKnown("plan-to-text", {});
  case Form::PlanToPtx:
    return checkKnown("plan-to-ptx", {chips});
  case Form::MlirToPlan:
    return checkKnown("mlir-to-plan", {chips, streams, cubin, ptxas, weights,
                                       convertWeights, weightsByReference});
  case Form::MlirToLLVMIR:
    return checkKnown("mlir-to-llvmir", {});
  }
  llvm_unreachable("unknown form");
}
