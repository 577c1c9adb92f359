//===- ResultPicture.h - a picture of what a run computed -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_RUN_RESULTPICTURE_H
#define SPARSECONV_TOOLS_SPARSECONV_RUN_RESULTPICTURE_H

#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/Error.h"

namespace mlir::sparseconv {

struct PictureRequest {
  std::string path;
  /// Column that colours the voxels; below 0: the column with the largest
  /// value.
  int column = -1;
  std::string title;
  double metresPerCell = 0;
};

/// Draws the first float result that has one row for each row of coordinates.
/// The coordinates are the first i32 [N, 4] result (as `unpack` gives), or else
/// the points of the scan that was read (`points`, may be null).
llvm::Error drawResults(llvm::ArrayRef<::sparseconv::HostTensor> results,
                        const ::sparseconv::HostTensor *points,
                        const PictureRequest &request);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_RUN_RESULTPICTURE_H
