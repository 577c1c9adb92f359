//===- TuningDatabase.h - what was measured of choices ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tuning database holds, for each target and shape class, the choices that
// were measured, on which scans, and how long each took. It is a JSON file
// that people pass on: whatever is wrong in it is an error in one line.
//
//   {"version": 1,
//    "provenance": ["2026-11-25, cuda:sm_90a on NVIDIA H200: net.mlir on ..."],
//    "classes": [
//     {"target": "cuda:sm_90a", "class": "conv f16 27x64x64 1x1x1 to 1x1x1",
//      "choices": [
//        {"choice": "{dataflow = #sparseconv.dataflow<output_stationary>,
//        ...}",
//         "untuned": true,
//         "measurements": [{"scan": "sweep.bin", "us": 12.5, "error": 0}]}]}]}
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TUNING_TUNINGDATABASE_H
#define SPARSECONV_TUNING_TUNINGDATABASE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mlir::sparseconv {

/// A choice on one scan.
struct Measurement {
  std::string scan;
  /// Of a layer of the class, in the mean, with what else the choice can
  /// change: the layers that make its map or read it.
  double microseconds = 0;
  /// The largest error of a result of the network, relative to the largest
  /// magnitude, against the results of the untuned network.
  double error = 0;
  /// Why the choice may not be taken; empty where it may.
  std::string problem;
};

/// A choice, as the text of a dictionary of attributes.
struct TunedChoice {
  std::string choice;
  /// Whether the rules choose it without a database.
  bool isUntuned = false;
  /// One for each scan, sorted by its name.
  std::vector<Measurement> measurements;

  Measurement *find(StringRef scan);
  const Measurement *find(StringRef scan) const {
    return const_cast<TunedChoice *>(this)->find(scan);
  }
  void add(Measurement measurement);
  /// Why it may not be taken, on whatever scan; or an empty string.
  StringRef getProblem() const;
  /// The geometric mean of its times.
  double getMicroseconds() const;
};

struct TunedClass {
  std::string target, shapeClass;
  std::vector<TunedChoice> choices;

  TunedChoice &getOrAdd(StringRef choice);
  const TunedChoice *getUntuned() const;
  /// Notes for all choices but the untuned one why none may be taken: for those
  /// that `scan` had nothing against.
  void bar(StringRef scan, StringRef problem);
  /// The choice to take: of those without a problem the one that takes least
  /// time, in the geometric mean over the scans that the untuned choice was
  /// measured on, too. The untuned one stays where no other gains 2 %. Null
  /// where all have problems.
  const TunedChoice *getBest() const;
};

class TuningDatabase {
public:
  /// Reads the text of a file. Errors: no JSON; another version; a field that
  /// is missing, unknown or of the wrong type; an unknown target; a class, a
  /// choice or a scan that is there twice.
  static llvm::Expected<TuningDatabase> parse(StringRef text);
  /// Reads a file; the error names it.
  static llvm::Expected<TuningDatabase> read(StringRef path);
  /// The measurements that come with the project (lib/Tuning/Measured).
  static const TuningDatabase &getDefault();
  /// Writes the file, the same text for the same content.
  void write(llvm::raw_ostream &os) const;

  const TunedClass *find(StringRef target, StringRef shapeClass) const;
  TunedClass &getOrAdd(StringRef target, StringRef shapeClass);
  ArrayRef<TunedClass> getClasses() const { return classes; }
  /// Lines that say of runs of the tuner when they were, on which device, of
  /// what.
  ArrayRef<std::string> getProvenance() const { return provenance; }
  /// Adds a line that is not there yet.
  void addProvenance(StringRef line);

  /// Adds what `other` has. Where both measured a choice on the same scan, the
  /// measurement of `other` stays.
  void merge(const TuningDatabase &other);

private:
  std::vector<std::string> provenance;
  /// Sorted by target, then class.
  std::vector<TunedClass> classes;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_TUNING_TUNINGDATABASE_H
