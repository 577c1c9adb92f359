//===- ArgumentOptions.cpp - options that say what arguments are ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tools/ArgumentOptions.h"

using namespace mlir;
using namespace mlir::sparseconv;
namespace cl = llvm::cl;

ArgumentOptions::ArgumentOptions(cl::OptionCategory &ofInputs,
                                 cl::OptionCategory &ofScans)
    : inputs("input",
             cl::desc("an argument: [name=]FILE.npy | name=const:V[:ROWS] | "
                      "name=random[:ROWS] | a scan; without a name, in order. "
                      "Scans are .bin, .ply, .pcd and .npz files, and an .npy "
                      "of floats where the next argument is integer points"),
             cl::value_desc("what"), cl::cat(ofInputs)),
      weights("weights",
              cl::desc("bind the tensors of an .npz or .safetensors file to "
                       "arguments by name"),
              cl::value_desc("FILE"), cl::cat(ofInputs)),
      convertWeights(
          "convert-weights",
          cl::desc("round the floats of --weights to the types of their "
                   "arguments; without this, other types are errors"),
          cl::cat(ofInputs)),
      seed("seed", cl::desc("seed of the random values (default 0)"),
           cl::init(0), cl::cat(ofInputs)),
      binColumns("bin-columns",
                 cl::desc("floats in a row of a .bin scan: 4 (KITTI, "
                          "default), 5 (nuScenes)"),
                 cl::init(4), cl::cat(ofScans)),
      voxelSize("voxel-size",
                cl::desc("metres, one number or one per axis (default 0.05)"),
                cl::CommaSeparated, cl::cat(ofScans)),
      range("range",
            cl::desc("xmin,ymin,zmin,xmax,ymax,zmax in metres; points outside "
                     "are dropped"),
            cl::CommaSeparated, cl::cat(ofScans)),
      featureColumns("features",
                     cl::desc("feature columns of a scan, such as "
                              "x,y,z,intensity (default: as many as the "
                              "argument has)"),
                     cl::CommaSeparated, cl::cat(ofScans)) {}

/// Fills `axes` from one number or three.
static bool spread(ArrayRef<double> numbers, std::array<double, 3> &axes) {
  if (numbers.size() != 1 && numbers.size() != 3)
    return false;
  for (unsigned axis = 0; axis < 3; ++axis)
    axes[axis] = numbers[numbers.size() == 1 ? 0 : axis];
  return true;
}

llvm::Expected<ArgumentSources> ArgumentOptions::getSources() const {
  ArgumentSources sources;
  sources.weights = weights;
  sources.convertWeights = convertWeights;
  sources.inputs.assign(inputs.begin(), inputs.end());
  sources.seed = seed;
  sources.scan.binColumns = binColumns;
  if (!voxelSize.empty() &&
      !spread(SmallVector<double>(voxelSize.begin(), voxelSize.end()),
              sources.quantise.voxelSize))
    return llvm::createStringError("--voxel-size takes one number or three");
  if (!range.empty()) {
    if (range.size() != 6)
      return llvm::createStringError("--range takes six numbers, but found " +
                                     llvm::Twine(range.size()));
    for (unsigned axis = 0; axis < 3; ++axis) {
      sources.quantise.rangeMin[axis] = range[axis];
      sources.quantise.rangeMax[axis] = range[axis + 3];
    }
  }
  sources.quantise.featureColumns.assign(featureColumns.begin(),
                                         featureColumns.end());
  return sources;
}

llvm::Expected<BoundArguments> ArgumentOptions::bind(ModuleOp module,
                                                     StringRef entry) const {
  auto sources = getSources();
  if (!sources)
    return sources.takeError();
  auto signature = getSignature(module, entry);
  if (!signature)
    return signature.takeError();
  auto bound = bindArguments(*signature, *sources);
  if (!bound)
    return bound;
  if (llvm::Error error = check(*bound, *sources))
    return error;
  return bound;
}

llvm::Error ArgumentOptions::check(const BoundArguments &bound,
                                   const ArgumentSources &sources) const {
  auto hasInput = [&](function_ref<bool(StringRef)> is) {
    return llvm::any_of(sources.inputs, [&](StringRef input) {
      return is(input) || is(input.split('=').second);
    });
  };
  if (seed.getNumOccurrences() &&
      !hasInput([](StringRef what) { return what.starts_with("random"); }))
    return llvm::createStringError("--seed is for --input name=random");
  if (binColumns.getNumOccurrences() && !hasInput([](StringRef what) {
        return what.ends_with_insensitive(".bin");
      }))
    return llvm::createStringError("--bin-columns is for a .bin scan");
  for (const cl::Option &option :
       std::initializer_list<std::reference_wrapper<const cl::Option>>{
           voxelSize, range, featureColumns})
    if (option.getNumOccurrences() && bound.pointsArgument < 0)
      return llvm::createStringError("--" + option.ArgStr +
                                     " is for a scan, but no input is one");
  return llvm::Error::success();
}
