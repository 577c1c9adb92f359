//===- Scan.cpp - point clouds from files ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Scan.h"
#include "Bytes.h"
#include "ScanColumns.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/IO/Npz.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

std::optional<ScanFormat> sparseconv::getScanFormat(StringRef path) {
  return StringSwitch<std::optional<ScanFormat>>(sys::path::extension(path))
      .CaseLower(".bin", ScanFormat::Bin)
      .CaseLower(".npy", ScanFormat::Npy)
      .CaseLower(".npz", ScanFormat::Npz)
      .CaseLower(".ply", ScanFormat::Ply)
      .CaseLower(".pcd", ScanFormat::Pcd)
      .Default(std::nullopt);
}

/// Names of the columns behind x, y, z in formats that have no names: those
/// of the data sets that use them.
static std::vector<std::string> nameColumns(int64_t count) {
  std::vector<std::string> names;
  for (int64_t column = 3; column < count; ++column)
    if (column == 3 && count <= 5)
      names.push_back("intensity");
    else if (column == 4 && count == 5)
      names.push_back("ring");
    else
      names.push_back("column" + std::to_string(column));
  return names;
}

static Expected<Scan> parseBin(MemoryBufferRef buffer,
                               const ScanOptions &options) {
  StringRef file = buffer.getBufferIdentifier(), data = buffer.getBuffer();
  uint64_t columns = options.binColumns, rowBytes = columns * sizeof(float);
  if (columns < 3)
    return makeFileError(file,
                         "a .bin scan has at least 3 columns, {0} were asked "
                         "for",
                         columns);
  if (data.empty())
    return makeFileError(file, "expected a .bin scan, found an empty file");
  if (data.size() % rowBytes != 0)
    return makeFileError(file,
                         "expected a multiple of {0} bytes ({1} f32 columns), "
                         "found {2} bytes",
                         rowBytes, columns, data.size());
  std::vector<std::string> names = nameColumns(columns);
  std::vector<Column> layout;
  for (uint64_t i = 0; i < columns; ++i)
    layout.push_back({i < 3 ? std::string(1, "xyz"[i]) : names[i - 3],
                      ScalarType::F32, i * sizeof(float), rowBytes});
  return gatherColumns(file, data.data(), data.size() / rowBytes, layout,
                       endianness::little);
}

/// Bounds the work for an array with many columns and no rows.
static constexpr int64_t maxColumns = 1 << 16;

/// A scan from an array of any element type.
static Expected<Scan> makeScan(StringRef file, const HostTensor &array) {
  if (array.getRank() != 2 || array.getDim(1) < 3)
    return makeFileError(file,
                         "expected an array of N points by 3 or more columns, "
                         "found {0}",
                         array.getTypeString());
  if (array.getDim(1) > maxColumns)
    return makeFileError(file, "expected at most {0} columns, found {1}",
                         maxColumns, array.getDim(1));
  int64_t rows = array.getDim(0), columns = array.getDim(1);
  // f32 holds the narrow types exactly.
  ElementKind kind = array.getKind() == ElementKind::F32 ||
                             sparseconv::getByteWidth(array.getKind()) <= 2
                         ? ElementKind::F32
                         : ElementKind::F64;
  Scan scan;
  scan.featureNames = nameColumns(columns);
  int64_t width = scan.featureNames.size();
  if (Error error = allocate(file, scan, kind, rows))
    return error;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t axis = 0; axis < 3; ++axis)
      scan.points.setDouble(row * 3 + axis,
                            array.getDouble(row * columns + axis));
    for (int64_t i = 0; i < width; ++i)
      scan.features.setDouble(row * width + i,
                              array.getDouble(row * columns + 3 + i));
  }
  return scan;
}

static Expected<Scan> parseNpyScan(MemoryBufferRef buffer) {
  Expected<HostTensor> array = parseNpy(buffer);
  if (!array)
    return array.takeError();
  return makeScan(buffer.getBufferIdentifier(), *array);
}

/// Of an array in a file of several, whose name may say other things: integers
/// are voxels, and the first column of those a batch index.
static Expected<Scan> makeNamedScan(StringRef file, const NamedTensor &entry) {
  if (entry.name == "coords" && !isFloat(entry.tensor.getKind()))
    return makeFileError(file,
                         "'coords' holds integers, which are voxels and no "
                         "points in metres; give them to an argument as "
                         "NAME=FILE.npy");
  return makeScan(file, entry.tensor);
}

static Expected<Scan> parseNpzScan(MemoryBufferRef buffer) {
  StringRef file = buffer.getBufferIdentifier();
  Expected<NamedTensors> arrays = parseNpz(buffer);
  if (!arrays)
    return arrays.takeError();
  if (arrays->size() == 1)
    return makeNamedScan(file, arrays->front());
  for (StringRef name : {"points", "pc", "coords"})
    for (const NamedTensor &entry : *arrays)
      if (entry.name == name)
        return makeNamedScan(file, entry);
  return makeFileError(file,
                       "expected one array, or one named points, pc or "
                       "coords; found {0} arrays",
                       arrays->size());
}

static Expected<Scan> parseUnchecked(ScanFormat format, MemoryBufferRef buffer,
                                     const ScanOptions &options) {
  switch (format) {
  case ScanFormat::Bin:
    return parseBin(buffer, options);
  case ScanFormat::Npy:
    return parseNpyScan(buffer);
  case ScanFormat::Npz:
    return parseNpzScan(buffer);
  case ScanFormat::Ply:
    return parsePly(buffer);
  case ScanFormat::Pcd:
    return parsePcd(buffer);
  }
  llvm_unreachable("unknown scan format");
}

Expected<Scan> sparseconv::parseScan(ScanFormat format, MemoryBufferRef buffer,
                                     const ScanOptions &options) {
  Expected<Scan> scan = parseUnchecked(format, buffer, options);
  if (!scan)
    return scan.takeError();
  if (Error error = checkFinite(buffer.getBufferIdentifier(), scan->points))
    return error;
  return scan;
}

Expected<Scan> sparseconv::readScan(StringRef path,
                                    const ScanOptions &options) {
  std::optional<ScanFormat> format = getScanFormat(path);
  if (!format)
    return makeFileError(path, "unknown scan format; expected a name that ends "
                               "in .bin, .npy, .npz, .ply or .pcd");
  return parseFile(path, [&](MemoryBufferRef buffer) {
    return parseScan(*format, buffer, options);
  });
}

Error sparseconv::writeBinScan(StringRef path, const Scan &scan) {
  return writeFile(path, [&](raw_ostream &os) {
    support::endian::Writer out(os, endianness::little);
    ArrayRef<float> features = scan.features.as<float>();
    int64_t width = scan.featureNames.size();
    for (int64_t row = 0, e = scan.getNumPoints(); row < e; ++row) {
      for (int64_t axis = 0; axis < 3; ++axis)
        out.write(static_cast<float>(scan.points.getDouble(row * 3 + axis)));
      out.write<float>(features.slice(row * width, width));
    }
    return Error::success();
  });
}
