//===- Choices.cpp - how an operation can be carried out ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tuning/Choices.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "sparseconv/Kernels/Indexing/Search.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The attributes of network operations that say how, and not what.
static constexpr StringLiteral kDecisions[] = {"coarsening", "dataflow",
                                               "row_order", "search", "tiling"};

static SmallVector<StringRef> getDecisions(Operation *layer) {
  SmallVector<StringRef> names;
  for (StringAttr known : layer->getName().getAttributeNames())
    if (llvm::is_contained(kDecisions, known.getValue()))
      names.push_back(known.getValue());
  return names;
}

DictionaryAttr mlir::sparseconv::getChoice(Operation *layer) {
  SmallVector<NamedAttribute> written;
  Builder b(layer->getContext());
  for (StringRef name : getDecisions(layer))
    if (Attribute value = layer->getAttr(name))
      written.push_back(b.getNamedAttr(name, value));
  return b.getDictionaryAttr(written);
}

void mlir::sparseconv::setChoice(Operation *layer, DictionaryAttr choice) {
  for (StringRef name : getDecisions(layer))
    if (Attribute value = choice.get(name))
      layer->setAttr(name, value);
    else
      layer->removeAttr(name);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Calls `check`, and returns the first line of the error that it gives, or an
/// empty string.
static std::string catchError(MLIRContext *context,
                              function_ref<LogicalResult()> check) {
  std::string text;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (text.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      text = diagnostic.str();
    return success();
  });
  if (succeeded(check()))
    return {};
  return text.empty() ? "it is not valid"
                      : StringRef(text).split('\n').first.str();
}

/// Whether the decisions that are written on `layer` are valid, and the target
/// can carry them out.
static LogicalResult verifyLayer(Operation *layer) {
  if (failed(verify(layer)) || failed(verifySearches(layer)))
    return failure();
  auto gemm = dyn_cast<ImplicitGemmOpInterface>(layer);
  return gemm ? verifyDecisions(gemm) : success();
}

static std::string trySetting(Operation *layer, DictionaryAttr choice) {
  DictionaryAttr before = getChoice(layer);
  setChoice(layer, choice);
  std::string problem =
      catchError(layer->getContext(), [&] { return verifyLayer(layer); });
  if (!problem.empty())
    setChoice(layer, before);
  return problem;
}

/// Why `choice` has something that decides nothing of `layer`.
static std::string describeForeign(Operation *layer, DictionaryAttr choice) {
  SmallVector<StringRef> names = getDecisions(layer);
  for (NamedAttribute attr : choice)
    if (!llvm::is_contained(names, attr.getName().getValue()))
      return "'" + attr.getName().str() + "' decides nothing of " +
             layer->getName().getStringRef().str();
  return catchError(layer->getContext(), [&] {
    NamedAttrList attributes(choice);
    return layer->getRegisteredInfo()->verifyInherentAttrs(
        attributes, [&] { return layer->emitOpError(); });
  });
}

std::string mlir::sparseconv::decide(Operation *layer, StringRef text) {
  MLIRContext *context = layer->getContext();
  DictionaryAttr choice;
  std::string problem = catchError(context, [&] {
    choice = dyn_cast_if_present<DictionaryAttr>(
        parseAttribute(text, context, Type(), /*numRead=*/nullptr,
                       /*isKnownNullTerminated=*/false));
    return success(choice != nullptr);
  });
  if (!problem.empty())
    return problem;
  if (std::string foreign = describeForeign(layer, choice); !foreign.empty())
    return foreign;
  return trySetting(layer, choice);
}

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

namespace {
/// Collects choices for a layer: what is written with some attributes replaced.
struct Collector {
  explicit Collector(Operation *layer)
      : layer(layer), written(getChoice(layer)) {}

  /// A null attribute removes what is written.
  void add(ArrayRef<std::pair<StringRef, Attribute>> replacements) {
    NamedAttrList list(written);
    for (auto [name, value] : replacements)
      if (value)
        list.set(name, value);
      else
        list.erase(name);
    add(list.getDictionary(layer->getContext()));
  }
  void add(DictionaryAttr choice) {
    if (!llvm::is_contained(choices, choice) &&
        trySetting(layer, choice).empty())
      choices.push_back(choice);
  }

  Operation *layer;
  DictionaryAttr written;
  SmallVector<DictionaryAttr> choices;
};
} // namespace

static void addSearches(Collector &all, KernelMapOp op) {
  for (bool half : {false, true})
    for (const Search *search : Search::getAll())
      all.add({{op.getSearchAttrName(),
                SearchAttr::get(op.getContext(), search->getName(), half)}});
}

static void addCoarsenings(Collector &all, DownsampleOp op) {
  for (uint32_t number = 0; number <= getMaxEnumValForCoarsening(); ++number)
    if (std::optional<Coarsening> coarsening = symbolizeCoarsening(number))
      all.add({{op.getCoarseningAttrName(),
                CoarseningAttr::get(op.getContext(), *coarsening)}});
}

static void addRowOrders(Collector &all, ImplicitGemmOpInterface op) {
  for (uint32_t number = 0; number <= getMaxEnumValForRowOrder(); ++number)
    if (std::optional<RowOrder> order = symbolizeRowOrder(number))
      all.add({{"row_order", RowOrderAttr::get(op.getContext(), *order)}});
}

static void addDataflows(Collector &all, ImplicitGemmOpInterface op) {
  const TargetInfo &target = getTargetInfo(op);
  for (const Dataflow *dataflow : Dataflow::getAll()) {
    if (!dataflow->isMeasuredOn(target))
      continue;
    setChoice(op, DictionaryAttr::get(op.getContext()));
    SmallVector<GemmDecision> decisions;
    dataflow->addCandidates(op, target, decisions);
    for (const GemmDecision &decision : decisions)
      all.add({{"dataflow", decision.dataflow}, {"tiling", decision.tiling}});
  }
}

SmallVector<DictionaryAttr> mlir::sparseconv::getChoices(Operation *layer,
                                                         Decision decision) {
  Collector all(layer);
  all.add(all.written);
  auto gemm = dyn_cast<ImplicitGemmOpInterface>(layer);
  if (auto map = dyn_cast<KernelMapOp>(layer)) {
    if (decision == Decision::Indexing && !map.isIdentity())
      addSearches(all, map);
  } else if (auto downsample = dyn_cast<DownsampleOp>(layer)) {
    if (decision == Decision::Indexing)
      addCoarsenings(all, downsample);
  } else if (gemm && decision == Decision::Dataflow) {
    addDataflows(all, gemm);
  } else if (gemm && decision == Decision::RowOrder &&
             llvm::is_contained(getDecisions(layer), "row_order")) {
    addRowOrders(all, gemm);
  }
  setChoice(layer, all.written);
  return all.choices;
}
