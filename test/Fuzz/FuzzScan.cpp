//===- FuzzScan.cpp - the scan loaders ------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte picks the format, and the columns of a .bin scan; the rest is
// the file. A scan that is read is quantised as well.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Quantise.h"

using namespace sparseconv;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  static constexpr ScanFormat formats[] = {ScanFormat::Bin, ScanFormat::Npy,
                                           ScanFormat::Npz, ScanFormat::Ply,
                                           ScanFormat::Pcd};
  // ASCII digits, so that a seed is a readable file behind one digit.
  unsigned choice = data[0] - '0';
  ScanOptions options;
  options.binColumns = choice / std::size(formats);
  llvm::StringRef bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  llvm::Expected<Scan> scan =
      parseScan(formats[choice % std::size(formats)],
                llvm::MemoryBufferRef(bytes, "fuzz"), options);
  if (!scan) {
    llvm::consumeError(scan.takeError());
    return 0;
  }
  QuantiseOptions quantiseOptions;
  quantiseOptions.rangeMin[0] = -1000;
  llvm::Expected<Voxels> voxels = quantise(*scan, quantiseOptions);
  if (!voxels)
    llvm::consumeError(voxels.takeError());
  else if (voxels->points.getDim(0) + voxels->numDropped !=
           scan->getNumPoints())
    abort();
  return 0;
}
