//===- Tuner.cpp - measures choices layer class by layer class ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"
#include "sparseconv/Support/Shorten.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::Error;
using llvm::Expected;

static constexpr Decision kDecisions[] = {
    Decision::Dataflow, Decision::RowOrder, Decision::Indexing};

Tuner::Tuner(const TunedNetwork &network, std::vector<Scene> scenes,
             TunerOptions options, ::sparseconv::Progress &progress)
    : network(network), scenes(std::move(scenes)), options(std::move(options)),
      progress(progress), current(network.getUntuned()),
      start(std::chrono::steady_clock::now()) {}

//===----------------------------------------------------------------------===//
// Classes and variants
//===----------------------------------------------------------------------===//

void Tuner::findClasses() {
  ArrayRef<Layer> layers = network.getLayers();
  for (size_t number = 0; number < layers.size(); ++number) {
    const Layer &layer = layers[number];
    if (layer.isFixed)
      continue;
    auto known = llvm::find_if(classes, [&](const Class &other) {
      return other.name == layer.shapeClass;
    });
    if (known == classes.end()) {
      classes.push_back({layer.shapeClass, {}, {}});
      known = std::prev(classes.end());
    }
    known->layers.push_back(number);
  }
  // Kernels can be fused, so that a search does the work of a layer that reads
  // its map, or the other way round: both count.
  for (Class &each : classes) {
    for (auto [number, layer] : llvm::enumerate(layers))
      if (llvm::is_contained(each.layers, number) ||
          (layer.map >= 0 &&
           llvm::is_contained(each.layers, static_cast<size_t>(layer.map))))
        each.group.push_back(number);
    for (size_t layer : each.layers)
      if (int map = layers[layer].map;
          map >= 0 && !llvm::is_contained(each.group, static_cast<size_t>(map)))
        each.group.push_back(map);
  }
}

/// The current choices first; then for each class the next choice, as long as
/// any class has one.
std::vector<Tuner::Variant> Tuner::makeVariants(Decision decision) const {
  std::vector<std::vector<std::string>> byClass;
  size_t most = 0;
  for (const Class &each : classes) {
    size_t layer = each.layers.front();
    byClass.push_back(network.getChoices(layer, current[layer], decision));
    most = std::max(most, byClass.back().size());
  }
  most = std::min<size_t>(most, options.maxChoices);
  std::vector<Variant> variants;
  for (size_t number = 0; most > 1 && number < most; ++number) {
    Variant &variant = variants.emplace_back();
    variant.choices = current;
    for (auto [each, choices] : llvm::zip_equal(classes, byClass)) {
      variant.byClass.push_back(number < choices.size() ? choices[number] : "");
      if (number < choices.size())
        for (size_t layer : each.layers)
          variant.choices[layer] = choices[number];
    }
  }
  return variants;
}

void Tuner::compileAll(MutableArrayRef<Variant> variants, bool forProfile) {
  progress.begin("compiling", variants.size());
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.jobs));
  for (Variant &variant : variants)
    pool.async([&] {
      auto compiled = network.compile(variant.choices, forProfile);
      if (compiled)
        variant.compiled = std::move(*compiled);
      else
        variant.problem = "not compiled: " + toString(compiled.takeError());
      progress.advance();
    });
  pool.wait();
  progress.end();
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

/// Notes what a variant showed of the choice of each class.
void Tuner::record(const Variant &variant, const Scene &scene,
                   const SceneTimes *times, StringRef problem) {
  for (auto [each, choice] : llvm::zip_equal(classes, variant.byClass)) {
    if (choice.empty())
      continue;
    Measurement measurement;
    measurement.scan = scene.name;
    measurement.problem = problem.str();
    // A choice that does not run has no time; the file wants a number.
    measurement.microseconds = 1e9;
    if (times) {
      double sum = 0;
      for (size_t layer : each.group)
        sum += times->microseconds[layer];
      double mean = sum / static_cast<double>(each.layers.size());
      // Nanoseconds are enough.
      measurement.microseconds = std::max(std::round(mean * 1e3), 1.0) * 1e-3;
      measurement.error = std::min(times->error, 1e9);
    }
    TunedClass &entry = database.getOrAdd(options.target, each.name);
    TunedChoice &known = entry.getOrAdd(choice);
    known.isUntuned = choice == network.getUntuned()[each.layers.front()];
    known.add(std::move(measurement));
  }
}

void Tuner::measureVariant(Variant &variant) {
  double total = 0;
  for (const Scene &scene : scenes) {
    if (!variant.compiled.executable) {
      record(variant, scene, nullptr, variant.problem);
      continue;
    }
    auto times =
        measure(network, *variant.compiled.executable, options.entry, scene);
    if (!times) {
      variant.problem = "not run: " + toString(times.takeError());
      variant.problem = StringRef(variant.problem).split('\n').first.str();
      record(variant, scene, nullptr, variant.problem);
      continue;
    }
    if (times->error > options.tolerance)
      variant.problem = llvm::formatv("an error of {0:e2} is above {1:e2}",
                                      times->error, options.tolerance)
                            .str();
    total += times->total;
    record(variant, scene, &*times, variant.problem);
  }
  ++numDone;
  progress.advance();
  progress.clear();
  printProgress(variant, total);
  // Memory of the device is for the next one.
  variant.compiled.executable.reset();
}

void Tuner::printProgress(const Variant &variant, double total) {
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  llvm::StringSet<> seen;
  std::string names;
  for (auto [each, choice] : llvm::zip_equal(classes, variant.byClass)) {
    bool isCurrent = choice.empty() || choice == current[each.layers.front()];
    if (!isCurrent && seen.insert(choice).second)
      names += (names.empty() ? "" : " ") + choice;
  }
  // One of many choices says which kind they are.
  llvm::outs() << '[' << numDone << '/' << std::max(numPlanned, numDone) << "] "
               << (names.empty() ? "as chosen so far"
                                 : ::sparseconv::shorten(names, 100));
  if (variant.problem.empty())
    llvm::outs() << llvm::format(": %.3f ms", total * 1e-3);
  else
    llvm::outs() << ": " << ::sparseconv::shorten(variant.problem);
  double left = elapsed.count() / static_cast<double>(numDone) *
                static_cast<double>(numPlanned - std::min(numPlanned, numDone));
  llvm::outs() << llvm::format("; about %.0f s left\n", left);
  llvm::outs().flush();
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

Choices Tuner::getTuned() const {
  Choices tuned = network.getUntuned();
  for (const Class &each : classes) {
    const TunedClass *entry = database.find(options.target, each.name);
    const TunedChoice *best = entry ? entry->getBest() : nullptr;
    if (best)
      for (size_t layer : each.layers)
        tuned[layer] = best->choice;
  }
  return tuned;
}

Error Tuner::runBaseline() {
  auto compiled = network.compile(current, /*forProfile=*/false);
  if (!compiled)
    return compiled.takeError();
  for (Scene &scene : scenes) {
    auto results = compiled->executable->run(options.entry, scene.arguments);
    if (!results)
      return llvm::createStringError("'" + scene.name +
                                     "': " + toString(results.takeError()));
    scene.expected = std::move(*results);
  }
  return Error::success();
}

Error Tuner::tuneDecision(Decision decision) {
  std::vector<Variant> variants = makeVariants(decision);
  if (variants.empty())
    return Error::success();
  compileAll(variants, /*forProfile=*/true);
  progress.begin("measuring", variants.size());
  for (Variant &variant : variants)
    measureVariant(variant);
  progress.end();
  if (!variants.front().problem.empty())
    return llvm::createStringError("what was chosen so far: " +
                                   variants.front().problem);
  current = getTuned();
  return saveUnfinished();
}

Error Tuner::tune() {
  findClasses();
  if (Error error = progress.during("compiling and running the network",
                                    [&] { return runBaseline(); }))
    return error;
  for (Decision decision : kDecisions)
    numPlanned += makeVariants(decision).size();
  llvm::outs() << network.getLayers().size() << " layers of " << classes.size()
               << " shape classes, about " << numPlanned << " networks\n";
  for (Decision decision : kDecisions)
    if (Error error = tuneDecision(decision))
      return error;
  if (Error error = dropWhatSlows())
    return error;
  return options.save(database);
}

//===----------------------------------------------------------------------===//
// The whole network
//===----------------------------------------------------------------------===//

Expected<bool> Tuner::isNoSlower(Executable &untuned, Executable &tuned) const {
  bool isNoSlower = true;
  for (const Scene &scene : scenes) {
    auto times = compareTimes(untuned, tuned, options.entry, scene);
    if (!times)
      return times.takeError();
    llvm::outs() << "'" << scene.name << "': "
                 << llvm::format("untuned %.3f ms, tuned %.3f ms\n",
                                 times->first * 1e3, times->second * 1e3);
    llvm::outs().flush();
    isNoSlower &= times->second <= times->first;
  }
  return isNoSlower;
}

SmallVector<const Tuner::Class *> Tuner::findGaining() const {
  SmallVector<std::pair<double, const Class *>> gains;
  for (const Class &each : classes) {
    const TunedClass *entry = database.find(options.target, each.name);
    const TunedChoice *best = entry ? entry->getBest() : nullptr;
    const TunedChoice *untuned = entry ? entry->getUntuned() : nullptr;
    if (best && untuned && best != untuned)
      gains.emplace_back(best->getMicroseconds() - untuned->getMicroseconds(),
                         &each);
  }
  llvm::sort(gains, llvm::less_first());
  return llvm::to_vector(llvm::make_second_range(gains));
}

/// Classes keep what is known of other choices than those of the rules, and are
/// decided by rule from now on.
void Tuner::bar(TuningDatabase &known, ArrayRef<const Class *> barred,
                StringRef problem) const {
  for (const Class *each : barred)
    if (known.find(options.target, each->name))
      for (const Scene &scene : scenes)
        known.getOrAdd(options.target, each->name).bar(scene.name, problem);
}

void Tuner::drop(ArrayRef<const Class *> dropped) {
  bar(database, dropped, "no gain in the whole network");
}

Error Tuner::saveUnfinished() const {
  TuningDatabase unfinished = database;
  bar(unfinished, llvm::to_vector(llvm::make_pointer_range(classes)),
      "the tuning was cut short");
  return options.save(unfinished);
}

Error Tuner::dropWhatSlows() {
  SmallVector<const Class *> gaining = findGaining();
  if (gaining.empty()) {
    llvm::outs() << "the untuned network is the fastest\n";
    return Error::success();
  }
  Choices tuned = getTuned();
  // The untuned network, and those with all that gains, with the half that
  // gains most, and so on.
  std::vector<Variant> variants(1);
  variants.front().choices = network.getUntuned();
  std::vector<size_t> counts;
  for (size_t count = gaining.size(); count != 0; count /= 2) {
    Variant &variant = variants.emplace_back();
    variant.choices = network.getUntuned();
    for (const Class *each : ArrayRef(gaining).take_front(count))
      for (size_t layer : each->layers)
        variant.choices[layer] = tuned[layer];
    counts.push_back(count);
  }
  compileAll(variants, /*forProfile=*/false);
  for (auto [variant, count] :
       llvm::zip_equal(MutableArrayRef(variants).drop_front(), counts)) {
    for (const Variant *each : {&variants.front(), &variant})
      if (!each->compiled.executable)
        return llvm::createStringError(each->problem);
    auto isEnough = isNoSlower(*variants.front().compiled.executable,
                               *variant.compiled.executable);
    if (!isEnough)
      return isEnough.takeError();
    if (*isEnough) {
      drop(ArrayRef(gaining).drop_front(count));
      return Error::success();
    }
    llvm::outs() << "slower: the choices that gain least are dropped\n";
    variant.compiled.executable.reset();
  }
  drop(gaining);
  llvm::outs() << "the untuned network is the fastest\n";
  return Error::success();
}
