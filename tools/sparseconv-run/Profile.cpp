//===- Profile.cpp - a profile as a file and as a table -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"
#include "sparseconv/IO/File.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// "kernel.search" for "sparseconv.kernel.search".
static StringRef getShortName(StringRef name) {
  name.consume_front("sparseconv.");
  return name;
}

llvm::Error mlir::sparseconv::writeProfile(StringRef path,
                                           ArrayRef<KernelEvent> events) {
  return ::sparseconv::writeFile(path, [&](llvm::raw_ostream &os) {
    llvm::json::OStream json(os, 1);
    json.object([&] {
      json.attribute("displayTimeUnit", "ms");
      json.attributeArray("traceEvents", [&] {
        for (const KernelEvent &event : events)
          json.object([&] {
            json.attribute("name", getShortName(event.name));
            json.attribute("cat", "kernel");
            json.attribute("ph", "X");
            json.attribute("pid", 1);
            json.attribute("tid", 1);
            json.attribute("ts", event.begin * 1e6);
            json.attribute("dur", (event.end - event.begin) * 1e6);
            json.attributeObject(
                "args", [&] { json.attribute("location", event.location); });
          });
      });
    });
  });
}

void mlir::sparseconv::printProfile(ArrayRef<KernelEvent> events,
                                    llvm::raw_ostream &os) {
  struct Sum {
    double seconds = 0;
    unsigned count = 0;
  };
  llvm::MapVector<StringRef, Sum> sums;
  double total = 0;
  for (const KernelEvent &event : events) {
    Sum &sum = sums[getShortName(event.name)];
    sum.seconds += event.end - event.begin;
    ++sum.count;
    total += event.end - event.begin;
  }
  auto sorted = sums.takeVector();
  llvm::sort(sorted, [](const auto &lhs, const auto &rhs) {
    return lhs.second.seconds > rhs.second.seconds;
  });
  os << "profile:       ms      %  count  kernel\n";
  for (const auto &[name, sum] : sorted)
    os << llvm::format("  %14.3f  %5.1f  %5u  ", sum.seconds * 1e3,
                       total > 0 ? 100 * sum.seconds / total : 0, sum.count)
       << name << '\n';
}
