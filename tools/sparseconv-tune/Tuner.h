//===- Tuner.h - measures choices layer class by layer class ----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tuner measures in place: it sets the k-th choice of every shape class at
// once, compiles the whole network, profiles it on the scenes, and gives the
// time of each kernel to its layer. So it compiles as many networks as the
// widest class has choices, and not their product. It decides dataflows and
// tilings first, then row orders, then searches and coarsenings.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_TUNE_TUNER_H
#define SPARSECONV_TOOLS_SPARSECONV_TUNE_TUNER_H

#include "Measure.h"
#include "TunedNetwork.h"
#include "sparseconv/Tools/Progress.h"
#include "sparseconv/Tuning/TuningDatabase.h"
#include <chrono>

namespace mlir::sparseconv {

struct TunerOptions {
  std::string entry, target;
  /// Networks that are compiled at the same time.
  unsigned jobs = 1;
  /// The most choices of a class that are measured in one stage.
  unsigned maxChoices = 16;
  /// The largest error, relative to the largest magnitude, of what may win.
  double tolerance = 0;
  /// Keeps what was measured so far: called after each stage that measures, and
  /// at the end.
  std::function<llvm::Error(const TuningDatabase &)> save;
};

class Tuner {
public:
  /// What it does is shown by `progress`, which outlives it.
  Tuner(const TunedNetwork &network, std::vector<Scene> scenes,
        TunerOptions options, ::sparseconv::Progress &progress);

  /// Measures, and drops what does not make the whole network faster.
  llvm::Error tune();

private:
  /// Layers by shape class, those that are fixed left out.
  struct Class {
    std::string name;
    std::vector<size_t> layers;
    /// The layers whose kernels a choice of these can change.
    std::vector<size_t> group;
  };

  /// A network with one choice for each class.
  struct Variant {
    Choices choices;
    std::vector<std::string> byClass;
    std::string problem;
    CompiledNetwork compiled;
  };

  void findClasses();
  llvm::Error runBaseline();
  std::vector<Variant> makeVariants(Decision decision) const;
  void compileAll(MutableArrayRef<Variant> variants, bool forProfile);
  void measureVariant(Variant &variant);
  void record(const Variant &variant, const Scene &scene,
              const SceneTimes *times, StringRef problem);
  llvm::Error tuneDecision(Decision decision);
  /// The best choices that are known.
  Choices getTuned() const;
  llvm::Error dropWhatSlows();
  /// Whether the tuned network is no slower than the untuned one, on any scene.
  llvm::Expected<bool> isNoSlower(Executable &untuned, Executable &tuned) const;
  /// The classes where another choice than that of the rules is fastest, those
  /// first that gain most.
  SmallVector<const Class *> findGaining() const;
  /// Bars all choices of some classes but those of the rules.
  void bar(TuningDatabase &known, ArrayRef<const Class *> barred,
           StringRef problem) const;
  void drop(ArrayRef<const Class *> dropped);
  /// Keeps what was measured so far. Nothing of it may win: that the whole
  /// network is no slower has not been seen.
  llvm::Error saveUnfinished() const;
  void printProgress(const Variant &variant, double total);

  const TunedNetwork &network;
  std::vector<Scene> scenes;
  TunerOptions options;
  ::sparseconv::Progress &progress;
  std::vector<Class> classes;
  TuningDatabase database;
  Choices current;

  std::chrono::steady_clock::time_point start;
  size_t numPlanned = 0, numDone = 0;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_TUNE_TUNER_H
