//===- NetworkBuilder.h - one random network in the making ------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_FUZZ_NETWORKBUILDER_H
#define SPARSECONV_TEST_FUZZ_NETWORKBUILDER_H

#include "RandomNetwork.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

namespace mlir::sparseconv::fuzz {

/// Rows that belong together: those of a set, or of an argument.
struct Group {
  Value coords;      ///< null where there is no set
  int64_t rows = -1; ///< -1 where only the run tells
  double bound = 0;  ///< at most so many rows
};

struct Feature {
  Value value;
  unsigned group;
  int64_t channels;
  double magnitude; ///< largest absolute value
  double error;     ///< largest relative error, 0 where exact
};

struct Map {
  Value map;
  unsigned in, out;
  int64_t volume;
};

/// Rows of `from` that rows of `to` came from (a gather), or the other way
/// round (a scatter).
struct RowMove {
  Value rows;
  unsigned from, to;
  bool scatter;
};

class NetworkBuilder {
public:
  NetworkBuilder(MLIRContext &context, ArrayRef<uint8_t> bytes, uint64_t seed);

  RandomNetwork build(std::optional<NumberType> type);

private:
  // Values (RandomNetwork.cpp)
  Location nextLoc();
  Value addArgument(::sparseconv::HostTensor tensor, bool staticRows = false);
  double randomNumber(bool weight);
  Value addNumbers(ArrayRef<int64_t> shape, Type type, bool weight,
                   bool staticRows = false);
  Value addRowIndices(int64_t count, int64_t rows);
  Value rowCount(unsigned group);
  void chooseNumbers(std::optional<NumberType> type);
  double round(double products) const;
  double roundProducts(double products) const;
  double getWholeError(double error, double factor) const;
  Feature &addFeature(Value value, unsigned group, double magnitude,
                      double error);
  Feature getFeature(unsigned group, bool exactOnly = false);
  unsigned addGroup(Value coords, double bound, int64_t rows = -1);
  SmallVector<unsigned> getSets() const;
  CoordsType typeOf(unsigned group) const;

  // Sets and maps (RandomSets.cpp)
  OffsetSetInterface randomOffsets(CoordsType fine);
  std::optional<RegionAttr> randomClip();
  /// How a coarser set is made by factors `by`, or nothing.
  CoarseningAttr randomCoarsening(CoordsType set, ArrayRef<int64_t> by,
                                  OutputRule rule,
                                  std::optional<RegionAttr> clip,
                                  int64_t numOffsets);
  SearchAttr randomSearch(unsigned in, unsigned out,
                          OffsetSetInterface offsets);
  void addPack();
  void addCells(unsigned from, IntegerAttr capacity);
  void addSet();
  void addMerge();
  void addPrune();
  void addMap();

  // Features (RandomFeatures.cpp)
  void addConv();
  void addInputGrad();
  void addWeightGrad();
  void addPool();
  void addPoolGrad();
  void addUnpool();
  void addGlobalPool();
  void addRowMove();
  void addPoints();
  void addDense();
  void addElementwise();
  Value channelsArgument(int64_t channels);
  DataflowAttr randomDataflow(int64_t groups);

  Choices choices;
  Choices searches; ///< in a sequence of their own: networks stay the same
  RandomNetwork network;
  OpBuilder b;
  func::FuncOp function;
  Block *body = nullptr;
  unsigned line = 0;

  unsigned dim = 3;
  bool tf32 = false;    ///< products of f32 may be rounded to tf32
  bool whole = false;   ///< small whole numbers
  bool special = false; ///< some NaN and infinities
  Type element;
  CoordsType base;
  SmallVector<Group> groups;
  SmallVector<Feature> features;
  SmallVector<Map> maps;
  SmallVector<RowMove> moves;
  SmallVector<std::pair<Value, double>> others; ///< results of no group
};

} // namespace mlir::sparseconv::fuzz

#endif // SPARSECONV_TEST_FUZZ_NETWORKBUILDER_H
