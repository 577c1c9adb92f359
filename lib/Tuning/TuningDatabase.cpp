//===- TuningDatabase.cpp - what was measured of choices ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tuning/TuningDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

Measurement *TunedChoice::find(StringRef scan) {
  auto it = llvm::find_if(measurements, [&](const Measurement &measurement) {
    return measurement.scan == scan;
  });
  return it == measurements.end() ? nullptr : &*it;
}

void TunedChoice::add(Measurement measurement) {
  if (Measurement *known = find(measurement.scan)) {
    *known = std::move(measurement);
    return;
  }
  auto place = llvm::upper_bound(measurements, measurement.scan,
                                 [](StringRef scan, const Measurement &other) {
                                   return scan < other.scan;
                                 });
  measurements.insert(place, std::move(measurement));
}

StringRef TunedChoice::getProblem() const {
  for (const Measurement &measurement : measurements)
    if (!measurement.problem.empty())
      return measurement.problem;
  return {};
}

/// exp(mean of log(number)) of the numbers that `get` finds for measurements;
/// infinite where there are none.
static double
getGeometricMean(ArrayRef<Measurement> measurements,
                 function_ref<std::optional<double>(const Measurement &)> get) {
  double sum = 0;
  unsigned count = 0;
  for (const Measurement &measurement : measurements)
    if (std::optional<double> number = get(measurement)) {
      sum += std::log(*number);
      ++count;
    }
  return count ? std::exp(sum / count) : HUGE_VAL;
}

double TunedChoice::getMicroseconds() const {
  return getGeometricMean(measurements, [](const Measurement &measurement) {
    return std::optional<double>(measurement.microseconds);
  });
}

TunedChoice &TunedClass::getOrAdd(StringRef choice) {
  auto it = llvm::find_if(choices, [&](const TunedChoice &known) {
    return known.choice == choice;
  });
  if (it != choices.end())
    return *it;
  choices.emplace_back().choice = choice.str();
  return choices.back();
}

const TunedChoice *TunedClass::getUntuned() const {
  auto it = llvm::find_if(
      choices, [](const TunedChoice &choice) { return choice.isUntuned; });
  return it == choices.end() ? nullptr : &*it;
}

void TunedClass::bar(StringRef scan, StringRef problem) {
  for (TunedChoice &choice : choices)
    if (Measurement *measurement = choice.find(scan);
        measurement && !choice.isUntuned && measurement->problem.empty())
      measurement->problem = problem.str();
}

/// Below, a gain is not told from noise.
static constexpr double kLeastGain = 0.02;

const TunedChoice *TunedClass::getBest() const {
  const TunedChoice *untuned = getUntuned();
  auto getCost = [&](const TunedChoice &choice) {
    if (!untuned)
      return choice.getMicroseconds();
    if (&choice == untuned)
      return 1 - kLeastGain;
    return getGeometricMean(choice.measurements, [&](const Measurement &ours) {
      const Measurement *other = untuned->find(ours.scan);
      return other ? std::optional(ours.microseconds / other->microseconds)
                   : std::nullopt;
    });
  };
  const TunedChoice *best = nullptr;
  double lowest = HUGE_VAL;
  for (const TunedChoice &choice : choices)
    if (double cost = getCost(choice);
        choice.getProblem().empty() && cost < lowest) {
      best = &choice;
      lowest = cost;
    }
  return best;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

static auto getKey(const TunedClass &entry) {
  return std::pair<StringRef, StringRef>(entry.target, entry.shapeClass);
}

const TunedClass *TuningDatabase::find(StringRef target,
                                       StringRef shapeClass) const {
  std::pair<StringRef, StringRef> key(target, shapeClass);
  auto it = llvm::lower_bound(
      classes, key,
      [](const TunedClass &entry, const std::pair<StringRef, StringRef> &key) {
        return getKey(entry) < key;
      });
  return it != classes.end() && getKey(*it) == key ? &*it : nullptr;
}

TunedClass &TuningDatabase::getOrAdd(StringRef target, StringRef shapeClass) {
  if (const TunedClass *known = find(target, shapeClass))
    return const_cast<TunedClass &>(*known);
  TunedClass added{target.str(), shapeClass.str(), {}};
  auto place = llvm::upper_bound(
      classes, added, [](const TunedClass &lhs, const TunedClass &rhs) {
        return getKey(lhs) < getKey(rhs);
      });
  return *classes.insert(place, std::move(added));
}

void TuningDatabase::addProvenance(StringRef line) {
  if (!llvm::is_contained(provenance, line))
    provenance.push_back(line.str());
}

void TuningDatabase::merge(const TuningDatabase &other) {
  for (const std::string &line : other.provenance)
    addProvenance(line);
  for (const TunedClass &entry : other.classes) {
    TunedClass &ours = getOrAdd(entry.target, entry.shapeClass);
    for (const TunedChoice &choice : entry.choices) {
      TunedChoice &known = ours.getOrAdd(choice.choice);
      // What is untuned can differ between versions of the compiler: one stays.
      if (choice.isUntuned) {
        for (TunedChoice &each : ours.choices)
          each.isUntuned = false;
        known.isUntuned = true;
      }
      for (const Measurement &measurement : choice.measurements)
        known.add(measurement);
    }
  }
}

void TuningDatabase::write(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, 1);
  auto writeMeasurement = [&](const Measurement &measurement) {
    json.object([&] {
      json.attribute("scan", measurement.scan);
      json.attributeBegin("us");
      json.rawValue([&](llvm::raw_ostream &os) {
        os << llvm::format("%.9g", measurement.microseconds);
      });
      json.attributeEnd();
      json.attribute("error", measurement.error);
      if (!measurement.problem.empty())
        json.attribute("problem", measurement.problem);
    });
  };
  auto writeChoice = [&](const TunedChoice &choice) {
    json.object([&] {
      json.attribute("choice", choice.choice);
      if (choice.isUntuned)
        json.attribute("untuned", true);
      json.attributeArray("measurements", [&] {
        llvm::for_each(choice.measurements, writeMeasurement);
      });
    });
  };
  json.object([&] {
    json.attribute("version", 1);
    if (!provenance.empty())
      json.attributeArray("provenance", [&] {
        for (const std::string &line : provenance)
          json.value(line);
      });
    json.attributeArray("classes", [&] {
      for (const TunedClass &entry : classes)
        json.object([&] {
          json.attribute("target", entry.target);
          json.attribute("class", entry.shapeClass);
          json.attributeArray(
              "choices", [&] { llvm::for_each(entry.choices, writeChoice); });
        });
    });
  });
  os << '\n';
}
