//===- Scan.h - point clouds from files -------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Readers of point clouds:
//
//   .bin   raw little-endian f32 rows (KITTI has 4 columns, nuScenes 5)
//   .npy   an [N, C] array, C >= 3: x, y, z, then features
//   .npz   the same array inside an archive: its only array, or the one named
//          "points", "pc" or "coords"
//   .ply   ascii and binary of either byte order; every scalar property of the
//          vertices beside x, y, z is a feature; lists are skipped
//   .pcd   ascii, binary and binary_compressed; a packed "rgb" or "rgba" field
//          becomes the three features r, g, b (0..255)
//
// A well-formed file with no points is a scan with no points; a file with no
// bytes is an error. So is a point with a NaN or infinite coordinate.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_IO_SCAN_H
#define SPARSECONV_IO_SCAN_H

#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <optional>
#include <string>
#include <vector>

namespace sparseconv {

/// A point cloud as a sensor or a file gives it.
struct Scan {
  /// [N, 3] f32 or f64, metres, as wide as the file's own coordinates.
  HostTensor points;
  /// [N, F] f32: everything else that a point has. F may be 0.
  HostTensor features;
  /// The F names of the feature columns.
  std::vector<std::string> featureNames;

  int64_t getNumPoints() const { return points.getDim(0); }
};

enum class ScanFormat { Bin, Npy, Npz, Ply, Pcd };

struct ScanOptions {
  /// f32 values in a row of a .bin file, at least 3.
  unsigned binColumns = 4;
};

/// The format that the extension of `path` names, in any case of letters.
std::optional<ScanFormat> getScanFormat(llvm::StringRef path);

/// Reads a scan in the format of its extension.
llvm::Expected<Scan> readScan(llvm::StringRef path,
                              const ScanOptions &options = {});

/// The same from memory; errors name the buffer's identifier.
llvm::Expected<Scan> parseScan(ScanFormat format, llvm::MemoryBufferRef buffer,
                               const ScanOptions &options = {});

/// Writes rows of x, y, z and the features as little-endian f32: a .bin file.
llvm::Error writeBinScan(llvm::StringRef path, const Scan &scan);

} // namespace sparseconv

#endif // SPARSECONV_IO_SCAN_H
