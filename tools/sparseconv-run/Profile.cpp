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
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// "kernel.search" for "sparseconv.kernel.search".
static StringRef getShortName(StringRef name) {
  name.consume_front("sparseconv.");
  return name;
}

/// "conv at net.mlir:12:8", or what is known of that; empty for a kernel that
/// belongs to no operation.
static std::string getLayer(const KernelEvent &event) {
  std::string layer = getShortName(event.operation).str();
  if (!layer.empty() && !event.location.empty())
    layer += " at ";
  return layer + event.location;
}

namespace {
enum Track { Kernels = 1, Layers = 2 };
} // namespace

static void writeTrackName(llvm::json::OStream &json, Track track,
                           StringRef name) {
  json.object([&] {
    json.attribute("name", "thread_name");
    json.attribute("ph", "M");
    json.attribute("pid", 1);
    json.attribute("tid", int64_t(track));
    json.attributeObject("args", [&] { json.attribute("name", name); });
  });
}

static void writeEvent(llvm::json::OStream &json, Track track, StringRef name,
                       StringRef location, double begin, double end,
                       const Work &work = {}) {
  json.object([&] {
    json.attribute("name", name);
    json.attribute("cat", track == Kernels ? "kernel" : "layer");
    json.attribute("ph", "X");
    json.attribute("pid", 1);
    json.attribute("tid", int64_t(track));
    json.attribute("ts", begin * 1e6);
    json.attribute("dur", (end - begin) * 1e6);
    json.attributeObject("args", [&] {
      json.attribute("location", location);
      if (work.bytes > 0) {
        json.attribute("operations", work.operations);
        json.attribute("bytes", work.bytes);
      }
    });
  });
}

llvm::Error mlir::sparseconv::writeProfile(StringRef path,
                                           ArrayRef<KernelEvent> events,
                                           const llvm::StringMap<Work> &works) {
  return ::sparseconv::writeFile(path, [&](llvm::raw_ostream &os) {
    llvm::json::OStream json(os, 1);
    json.object([&] {
      json.attribute("displayTimeUnit", "ms");
      json.attributeArray("traceEvents", [&] {
        writeTrackName(json, Kernels, "kernels");
        writeTrackName(json, Layers, "layers");
        for (const KernelEvent &event : events)
          writeEvent(json, Kernels, getShortName(event.name), event.location,
                     event.begin, event.end);
        // A layer lasts as long as its kernels come one after the other.
        for (size_t i = 0, e = events.size(); i != e;) {
          std::string layer = getLayer(events[i]);
          size_t first = i++;
          while (i != e && getLayer(events[i]) == layer)
            ++i;
          if (!layer.empty())
            writeEvent(json, Layers, layer, events[first].location,
                       events[first].begin, events[i - 1].end,
                       works.lookup(events[first].location));
        }
      });
    });
    return llvm::Error::success();
  });
}

/// Time by the name that `getName` gives an event, longest first.
static void
printTable(ArrayRef<KernelEvent> events, const char *heading, size_t maxLines,
           llvm::function_ref<std::string(const KernelEvent &)> getName,
           llvm::raw_ostream &os) {
  struct Sum {
    double seconds = 0;
    unsigned count = 0;
  };
  llvm::MapVector<std::string, Sum, llvm::StringMap<unsigned>> sums;
  double total = 0;
  for (const KernelEvent &event : events) {
    Sum &sum = sums[getName(event)];
    sum.seconds += event.end - event.begin;
    ++sum.count;
    total += event.end - event.begin;
  }
  auto sorted = sums.takeVector();
  llvm::sort(sorted, [](const auto &lhs, const auto &rhs) {
    if (lhs.second.seconds != rhs.second.seconds)
      return lhs.second.seconds > rhs.second.seconds;
    return lhs.first < rhs.first;
  });
  os << "profile:       ms      %  count  " << heading << '\n';
  for (const auto &[name, sum] : ArrayRef(sorted).take_front(maxLines))
    os << llvm::format("  %14.3f  %5.1f  %5u  ", sum.seconds * 1e3,
                       total > 0 ? 100 * sum.seconds / total : 0, sum.count)
       << (name.empty() ? "none" : name) << '\n';
  if (sorted.size() > maxLines)
    os << "  and " << sorted.size() - maxLines << " more\n";
}

void mlir::sparseconv::printProfile(ArrayRef<KernelEvent> events,
                                    llvm::raw_ostream &os) {
  constexpr size_t kMaxLines = 25;
  printTable(
      events, "kernel", kMaxLines,
      [](const KernelEvent &event) { return getShortName(event.name).str(); },
      os);
  printTable(events, "layer", kMaxLines, getLayer, os);
}

void mlir::sparseconv::printTimes(std::vector<double> seconds,
                                  llvm::raw_ostream &os) {
  llvm::sort(seconds);
  os << llvm::format(
      "time: median %.3f ms, fastest %.3f ms, slowest %.3f ms of %zu runs\n",
      seconds[seconds.size() / 2] * 1e3, seconds.front() * 1e3,
      seconds.back() * 1e3, seconds.size());
}
