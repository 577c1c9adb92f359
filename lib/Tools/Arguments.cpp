//===- Arguments.cpp - values for the arguments of an entry function ------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tools/Arguments.h"
#include "sparseconv/IO/NamedTensors.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Support/Status.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace ::sparseconv;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace {

/// Collects what is bound so far; every value is checked on the way in.
class Binder {
public:
  explicit Binder(const Signature &signature)
      : signature(signature), values(signature.arguments.size()) {
    for (auto [number, parameter] : llvm::enumerate(signature.arguments))
      byName.try_emplace(parameter.name, number);
  }

  /// Number of the argument of that name, or -1.
  int find(StringRef name) const {
    auto it = byName.find(name);
    return it == byName.end() ? -1 : static_cast<int>(it->second);
  }

  /// Number of the first argument not bound, or -1.
  int next(function_ref<bool(const Parameter &)> filter) const {
    for (auto [number, value] : llvm::enumerate(values))
      if (!value && filter(signature.arguments[number]))
        return number;
    return -1;
  }

  const Parameter &get(int number) const { return signature.arguments[number]; }
  bool isBound(int number) const { return values[number].has_value(); }

  Error bind(int number, HostTensor value, const llvm::Twine &source) {
    const Parameter &parameter = signature.arguments[number];
    if (values[number])
      return createStringError(source + ": '" + parameter.name +
                               "' is bound twice");
    if (Error error = checkArgument(parameter, value))
      return createStringError(source + ": " + toString(std::move(error)));
    values[number] = std::move(value);
    return Error::success();
  }

  Expected<std::vector<HostTensor>> take() {
    std::vector<std::string> missing;
    for (auto [parameter, value] : llvm::zip(signature.arguments, values))
      if (!value)
        missing.push_back("'" + parameter.name + "' of type " +
                          printShort(parameter.type));
    if (!missing.empty())
      return createStringError("no value for these arguments:\n  " +
                               joinShort(missing, "\n  "));
    std::vector<HostTensor> taken;
    for (std::optional<HostTensor> &value : values)
      taken.push_back(std::move(*value));
    return taken;
  }

private:
  const Signature &signature;
  llvm::StringMap<size_t> byName;
  std::vector<std::optional<HostTensor>> values;
};

} // namespace

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Binds entries by name.
static Error bindWeights(Binder &binder, StringRef path, bool convert) {
  Expected<NamedTensors> entries = readNamedTensors(path);
  if (!entries)
    return entries.takeError();
  std::vector<std::string> problems;
  for (NamedTensor &entry : *entries) {
    int number = binder.find(entry.name);
    if (number < 0) {
      problems.push_back("'" + entry.name + "' is no argument of the function");
      continue;
    }
    ElementKind kind = binder.get(number).kind;
    if (convert)
      convertFloats(entry.tensor, kind);
    StringRef hint = getConversionHint(entry.tensor, kind);
    if (Error error = binder.bind(number, std::move(entry.tensor), "entry"))
      problems.push_back(toString(std::move(error)) + hint.str());
  }
  if (!problems.empty())
    return createStringError("'" + path + "': entries that do not fit:\n  " +
                             joinShort(problems, "\n  "));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Generated values
//===----------------------------------------------------------------------===//

/// SplitMix64: the same numbers on every machine.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The argument's shape with `rows` for its dynamic first dimension.
static Expected<SmallVector<int64_t>> getShape(const Parameter &parameter,
                                               StringRef rows) {
  SmallVector<int64_t> shape(parameter.shape);
  int64_t count = -1;
  if (!rows.empty() && (rows.getAsInteger(10, count) || count < 0 ||
                        count > ::sparseconv::kMaxRows))
    return createStringError("'" + parameter.name + "': '" + rows +
                             "' is not a number of rows, which are at most " +
                             llvm::Twine(::sparseconv::kMaxRows));
  if (count >= 0 && shape.empty())
    return createStringError("'" + parameter.name + "' has no rows");
  if (count >= 0 && !ShapedType::isDynamic(shape[0]) && shape[0] != count)
    return createStringError("'" + parameter.name + "' has " +
                             llvm::Twine(shape[0]) + " rows, and not " +
                             llvm::Twine(count));
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(size) && axis == 0 && count >= 0)
      size = count;
    if (ShapedType::isDynamic(size))
      return createStringError(
          "'" + parameter.name +
          "' has a size known at run time only: write the number of rows, as "
          "in 'random:1000' or 'const:0:1000'");
  }
  return shape;
}

/// Whether a type of integers has the number, or a type of floats has one near
/// it.
static bool canHold(ElementKind kind, double value) {
  if (isFloat(kind)) {
    HostTensor rounded = cantFail(HostTensor::create(kind, {1}));
    rounded.setDouble(0, value);
    return std::isfinite(rounded.getDouble(0)) || !std::isfinite(value);
  }
  int bits = kind == ElementKind::I1 ? 1 : 8 * getByteWidth(kind);
  bool isUnsigned = kind == ElementKind::I1 || kind == ElementKind::U8;
  double end = std::ldexp(1, isUnsigned ? bits : bits - 1);
  return value == std::trunc(value) && value < end &&
         value >= (isUnsigned ? 0 : -end);
}

/// `random[:ROWS]` (uniform in [-1, 1); integers 0 .. 99) or
/// `const:VALUE[:ROWS]`.
static Expected<HostTensor> generate(const Parameter &parameter, StringRef spec,
                                     uint64_t seed) {
  auto [kind, rest] = spec.split(':');
  bool isConstant = kind == "const";
  double constant = 0;
  if (isConstant) {
    StringRef number;
    std::tie(number, rest) = rest.split(':');
    if (number.getAsDouble(constant))
      return createStringError("'" + parameter.name + "': '" + number +
                               "' is not a number");
    if (!canHold(parameter.kind, constant))
      return createStringError("'" + parameter.name + "' has elements of " +
                               getName(parameter.kind) + ", which cannot be " +
                               number);
  }
  Expected<SmallVector<int64_t>> shape = getShape(parameter, rest);
  if (!shape)
    return shape.takeError();
  Expected<HostTensor> tensor = HostTensor::create(parameter.kind, *shape);
  if (!tensor)
    return createStringError("'" + parameter.name +
                             "': " + toString(tensor.takeError()));
  uint64_t state = seed * 0x2545f4914f6cdd1du;
  for (char letter : parameter.name)
    state = state * 31 + static_cast<unsigned char>(letter);
  for (int64_t i = 0, e = tensor->getNumElements(); i < e; ++i) {
    double value = constant;
    if (!isConstant) {
      uint64_t bits = nextRandom(state);
      value = isFloat(parameter.kind)
                  ? static_cast<double>(bits >> 11) * 0x1p-52 - 1
              : parameter.kind == ElementKind::I1
                  ? static_cast<double>(bits & 1)
                  : static_cast<double>(bits % 100);
    }
    tensor->setDouble(i, value);
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// An argument that may take the points of a scan.
static bool isPoints(const Parameter &parameter) {
  return parameter.kind == ElementKind::I32 && parameter.shape.size() == 2;
}

/// True for a file that holds a scan. An .npy file does where the next argument
/// is the points, which are integers, and the file has floats instead.
static Expected<bool> isScanFile(const Binder &binder, StringRef path) {
  std::optional<ScanFormat> format = getScanFormat(path);
  if (format != ScanFormat::Npy)
    return format.has_value();
  int number = binder.next([](const Parameter &) { return true; });
  if (number < 0 || !isPoints(binder.get(number)))
    return false;
  Expected<HostTensor> array = readNpy(path);
  if (!array)
    return array.takeError();
  return isFloat(array->getKind());
}

/// Binds a scan's points to the first free i32 matrix and its features to the
/// first free float matrix.
static Error bindScan(Binder &binder, StringRef path,
                      const ArgumentSources &sources, int &pointsArgument) {
  int points = binder.next(isPoints);
  int features = binder.next([](const Parameter &parameter) {
    return isFloat(parameter.kind) && parameter.shape.size() == 2 &&
           ShapedType::isDynamic(parameter.shape[0]);
  });
  if (points < 0)
    return createStringError("'" + path +
                             "': no argument is left for the points of a scan, "
                             "a tensor<?x4xi32>");
  Expected<Scan> scan = readScan(path, sources.scan);
  if (!scan)
    return scan.takeError();
  QuantiseOptions options = sources.quantise;
  if (features >= 0 && options.featureColumns.empty() && !options.numFeatures &&
      !ShapedType::isDynamic(binder.get(features).shape[1]))
    options.numFeatures = binder.get(features).shape[1];
  Expected<Voxels> voxels = quantise(*scan, options);
  if (!voxels)
    return createStringError("'" + path + "': " + toString(voxels.takeError()));
  if (Error error =
          binder.bind(points, std::move(voxels->points), "'" + path + "'"))
    return error;
  pointsArgument = points;
  if (features < 0)
    return Error::success();
  return binder.bind(features,
                     voxels->features.convert(binder.get(features).kind),
                     "'" + path + "'");
}

static Error bindInput(Binder &binder, StringRef input,
                       const ArgumentSources &sources, int &pointsArgument) {
  int number = -1;
  StringRef value = input;
  // A file name may hold '=' too: only a known name makes it a named input.
  if (auto [name, rest] = input.split('='); name.size() != input.size()) {
    number = binder.find(name);
    if (number < 0 && !llvm::StringRef(name).contains('/'))
      return createStringError("--input " + input + ": '" + name +
                               "' is no argument of the function");
    if (number >= 0)
      value = rest;
  }
  if (number < 0) {
    Expected<bool> isScan = isScanFile(binder, value);
    if (!isScan)
      return isScan.takeError();
    if (*isScan)
      return bindScan(binder, value, sources, pointsArgument);
  }
  if (number < 0)
    number = binder.next([](const Parameter &) { return true; });
  if (number < 0)
    return createStringError("--input " + input + ": no argument is left");
  if (value.starts_with("const:") || value == "random" ||
      value.starts_with("random:")) {
    Expected<HostTensor> tensor =
        generate(binder.get(number), value, sources.seed);
    if (!tensor)
      return tensor.takeError();
    return binder.bind(number, std::move(*tensor), "--input " + input);
  }
  Expected<HostTensor> tensor = readNpy(value);
  if (!tensor)
    return tensor.takeError();
  return binder.bind(number, std::move(*tensor), "'" + value + "'");
}

Expected<BoundArguments>
mlir::sparseconv::bindArguments(const Signature &signature,
                                const ArgumentSources &sources) {
  Binder binder(signature);
  BoundArguments bound;
  if (!sources.weights.empty())
    if (Error error =
            bindWeights(binder, sources.weights, sources.convertWeights))
      return error;
  // Named inputs first, so that the others take what is left, in order.
  auto isNamed = [&](StringRef input) {
    return binder.find(input.split('=').first) >= 0 && input.contains('=');
  };
  for (bool named : {true, false})
    for (const std::string &input : sources.inputs)
      if (isNamed(input) == named)
        if (Error error =
                bindInput(binder, input, sources, bound.pointsArgument))
          return error;
  Expected<std::vector<HostTensor>> values = binder.take();
  if (!values)
    return values.takeError();
  bound.values = std::move(*values);
  return bound;
}
