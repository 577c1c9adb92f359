//===- ParseDatabase.cpp - reads tuning databases -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/Json.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Support/TargetInfo.h"
#include "sparseconv/Tuning/TuningDatabase.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

/// Characters of a text in a database.
static constexpr size_t kMaxText = 2000;

namespace {
/// An object of the file; keeps count of the fields that were asked for.
class Fields {
public:
  Fields(const llvm::json::Value &value, StringRef where)
      : object(value.getAsObject()), where(where.str()) {}

  Error getText(StringRef name, std::string &text, bool isOptional = false) {
    const llvm::json::Value *value = take(name);
    if (!value && isOptional)
      return Error::success();
    std::optional<StringRef> found =
        value ? value->getAsString() : std::nullopt;
    if (!found)
      return refuse(name, "a text");
    if (found->size() > kMaxText)
      return refuse(name, "a text of at most 2000 characters");
    text = found->str();
    return Error::success();
  }

  Error getNumber(StringRef name, double least, double &number) {
    const llvm::json::Value *value = take(name);
    std::optional<double> found = value ? value->getAsNumber() : std::nullopt;
    if (!found || !std::isfinite(*found) || *found < least)
      return refuse(name,
                    least > 0 ? "a number above 0" : "a number of at least 0");
    number = *found;
    return Error::success();
  }

  Error getFlag(StringRef name, bool &flag) {
    const llvm::json::Value *value = take(name);
    if (!value)
      return Error::success();
    std::optional<bool> found = value->getAsBoolean();
    if (!found)
      return refuse(name, "true or false");
    flag = *found;
    return Error::success();
  }

  /// Calls `read` with each element and its name in messages.
  Error getArray(StringRef name,
                 function_ref<Error(const llvm::json::Value &, StringRef)> read,
                 bool isOptional = false) {
    const llvm::json::Value *value = take(name);
    if (!value && isOptional)
      return Error::success();
    const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
    if (!array)
      return refuse(name, "an array");
    for (auto [number, element] : llvm::enumerate(*array))
      if (Error error = read(element, where + name.str() + "[" +
                                          std::to_string(number) + "]."))
        return error;
    return Error::success();
  }

  /// An error for no object, or for a field that nobody asked for.
  Error finish() const {
    if (!object)
      return createStringError(where + ": expected an object");
    for (const auto &[key, value] : *object)
      if (!llvm::is_contained(known, StringRef(key)))
        return createStringError(where +
                                 ::sparseconv::shorten(StringRef(key).str()) +
                                 ": no such field is known");
    return Error::success();
  }

private:
  const llvm::json::Value *take(StringRef name) {
    known.push_back(name);
    return object ? object->get(name) : nullptr;
  }
  Error refuse(StringRef name, StringRef expected) const {
    return createStringError(where + name.str() + ": expected " +
                             expected.str());
  }

  const llvm::json::Object *object;
  std::string where;
  SmallVector<StringRef> known;
};
} // namespace

static Error readMeasurement(const llvm::json::Value &value, StringRef where,
                             TunedChoice &choice) {
  Fields fields(value, where);
  Measurement measurement;
  if (Error error = fields.getText("scan", measurement.scan))
    return error;
  if (Error error = fields.getNumber("us", 1e-6, measurement.microseconds))
    return error;
  if (Error error = fields.getNumber("error", 0, measurement.error))
    return error;
  if (Error error = fields.getText("problem", measurement.problem, true))
    return error;
  if (choice.find(measurement.scan))
    return createStringError(where.str() + "scan: measured twice");
  choice.add(std::move(measurement));
  return fields.finish();
}

static Error readChoice(const llvm::json::Value &value, StringRef where,
                        TunedClass &entry) {
  Fields fields(value, where);
  std::string text;
  if (Error error = fields.getText("choice", text))
    return error;
  size_t before = entry.choices.size();
  TunedChoice &choice = entry.getOrAdd(text);
  if (entry.choices.size() == before)
    return createStringError(where.str() + "choice: is there twice");
  bool isUntuned = false;
  if (Error error = fields.getFlag("untuned", isUntuned))
    return error;
  if (isUntuned && entry.getUntuned())
    return createStringError(where.str() + "untuned: another choice is");
  choice.isUntuned = isUntuned;
  if (Error error = fields.getArray(
          "measurements", [&](const llvm::json::Value &each, StringRef where) {
            return readMeasurement(each, where, choice);
          }))
    return error;
  return fields.finish();
}

static Error readClass(const llvm::json::Value &value, StringRef where,
                       TuningDatabase &database) {
  Fields fields(value, where);
  std::string target, shapeClass;
  if (Error error = fields.getText("target", target))
    return error;
  Expected<Target> known = parseTarget(target);
  if (!known)
    return createStringError(where.str() +
                             "target: " + toString(known.takeError()));
  if (Error error = fields.getText("class", shapeClass))
    return error;
  if (database.find(known->str(), shapeClass))
    return createStringError(where.str() + "class: is there twice");
  TunedClass &entry = database.getOrAdd(known->str(), shapeClass);
  if (Error error = fields.getArray(
          "choices", [&](const llvm::json::Value &each, StringRef where) {
            return readChoice(each, where, entry);
          }))
    return error;
  return fields.finish();
}

Expected<TuningDatabase> TuningDatabase::parse(StringRef text) {
  Expected<llvm::json::Value> json = ::sparseconv::parseJson(text);
  if (!json)
    return createStringError("no JSON: " + toString(json.takeError()));
  Fields fields(*json, "");
  double version = 0;
  if (Error error = fields.getNumber("version", 0, version))
    return std::move(error);
  if (version != 1)
    return createStringError("version: only 1 is known");
  TuningDatabase database;
  auto readProvenance = [&](const llvm::json::Value &line,
                            StringRef where) -> Error {
    std::optional<StringRef> text = line.getAsString();
    if (!text || text->size() > kMaxText)
      return createStringError(where.drop_back() +
                               ": expected a text of at most 2000 characters");
    database.addProvenance(*text);
    return Error::success();
  };
  if (Error error = fields.getArray("provenance", readProvenance, true))
    return std::move(error);
  if (Error error = fields.getArray(
          "classes", [&](const llvm::json::Value &each, StringRef where) {
            return readClass(each, where, database);
          }))
    return std::move(error);
  if (Error error = fields.finish())
    return std::move(error);
  return database;
}

Expected<TuningDatabase> TuningDatabase::read(StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      !llvm::sys::fs::is_regular_file(status))
    return createStringError("'" + path.str() + "': is no regular file");
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return createStringError("'" + path.str() +
                             "': " + file.getError().message());
  Expected<TuningDatabase> database = parse((*file)->getBuffer());
  if (!database)
    return createStringError("'" + path.str() +
                             "': " + toString(database.takeError()));
  return database;
}
