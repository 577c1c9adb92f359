//===- Work.cpp - what the layers of a run have to do ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Work.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "llvm/ADT/MapVector.h"
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::HostTensor;

namespace {
/// A convolution whose work is known once its map is.
struct Layer {
  std::string place;
  RankedTensorType weights;
  int64_t elementBytes;
  size_t map; ///< number of its map among those that are returned
};

/// What a run tells of a kernel map.
struct MapCounts {
  int64_t pairs = 0, in = 0, out = 0, offsets = 0;
};
} // namespace

/// Lets `function` return the neighbour table and the number of input rows of
/// each map that a convolution of its first block reads, and nothing else: what
/// only features need is dead then.
static std::vector<Layer> returnMaps(func::FuncOp function) {
  std::vector<Layer> layers;
  llvm::MapVector<Value, size_t> maps;
  auto ret = cast<func::ReturnOp>(function.getBody().back().getTerminator());
  for (auto op : function.getBody().front().getOps<ImplicitGemmOpInterface>()) {
    size_t number = maps.insert({op.getMap(), maps.size()}).first->second;
    Type element = op.getFeatures().getType().getElementType();
    layers.push_back({getPlace(op->getLoc()), op.getWeightsType(),
                      element.getIntOrFloatBitWidth() / 8, number});
  }
  OpBuilder b(ret);
  SmallVector<Value> results;
  for (auto &[map, number] : maps) {
    results.push_back(NeighbourTableOp::create(b, ret.getLoc(), map));
    results.push_back(MapSizeOp::create(b, ret.getLoc(), MapSide::In, map));
  }
  ret->setOperands(results);
  function.removeResAttrsAttr();
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             function.getArgumentTypes(),
                                             TypeRange(ValueRange(results))));
  return layers;
}

static MapCounts count(const HostTensor &table, const HostTensor &in) {
  MapCounts counts;
  counts.out = table.getDim(0);
  counts.offsets = table.getDim(1);
  const auto *rows = reinterpret_cast<const int32_t *>(table.getData());
  counts.pairs = std::count_if(rows, rows + counts.out * counts.offsets,
                               [](int32_t row) { return row >= 0; });
  counts.in = *reinterpret_cast<const int64_t *>(in.getData());
  return counts;
}

static Work getWork(const Layer &layer, const MapCounts &map) {
  // [K, C_in, C_out] or [K, G, C_in / G, C_out / G]
  ArrayRef<int64_t> sizes = layer.weights.getShape();
  int64_t groups = sizes.size() == 4 ? sizes[1] : 1;
  int64_t in = sizes[sizes.size() - 2], out = sizes.back();
  Work work;
  work.operations = 2.0 * map.pairs * groups * in * out;
  double elements = double(map.in) * groups * in +
                    double(map.out) * groups * out +
                    layer.weights.getNumElements();
  work.bytes = elements * layer.elementBytes + 4.0 * map.out * map.offsets;
  return work;
}

llvm::Expected<llvm::StringMap<Work>>
mlir::sparseconv::countWork(ModuleOp network, StringRef entry,
                            ArrayRef<HostTensor> arguments) {
  OwningOpRef<ModuleOp> module(network.clone());
  PassManager pm(module->getContext());
  pm.addPass(createInlinerPass());
  if (failed(pm.run(*module)))
    return llvm::createStringError("the network could not be inlined");
  auto function = module->lookupSymbol<func::FuncOp>(entry);
  std::vector<Layer> layers = returnMaps(function);
  llvm::StringMap<Work> works;
  if (layers.empty())
    return works;
  auto executable = CpuExecutable::compile(*module);
  if (!executable)
    return executable.takeError();
  auto results = (*executable)->run(entry, arguments);
  if (!results)
    return results.takeError();
  std::vector<MapCounts> maps;
  for (size_t i = 0; i < results->size(); i += 2)
    maps.push_back(count((*results)[i], (*results)[i + 1]));
  for (const Layer &layer : layers) {
    Work &sum = works[layer.place];
    Work work = getWork(layer, maps[layer.map]);
    sum.operations += work.operations;
    sum.bytes += work.bytes;
  }
  return works;
}
