//===- ResultPicture.cpp - a picture of what a run computed ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultPicture.h"
#include "sparseconv/IO/Picture.h"

using namespace ::sparseconv;
using llvm::Error;
using llvm::Expected;

static bool isCoordinates(const HostTensor &tensor) {
  return tensor.getKind() == ElementKind::I32 && tensor.getRank() == 2 &&
         tensor.getDim(1) == 4;
}

Error mlir::sparseconv::drawResults(llvm::ArrayRef<HostTensor> results,
                                    const HostTensor *points,
                                    const PictureRequest &request) {
  for (const HostTensor &result : results)
    if (isCoordinates(result)) {
      points = &result;
      break;
    }
  if (!points)
    return llvm::createStringError(
        "--picture needs coordinates: an i32 result [N, 4], as "
        "'sparseconv.unpack' gives, or a scan as input");

  const HostTensor *features = nullptr;
  for (const HostTensor &result : results)
    if (isFloat(result.getKind()) && result.getRank() == 2 &&
        result.getDim(0) == points->getDim(0)) {
      features = &result;
      break;
    }
  if (!features)
    return llvm::createStringError(
        "--picture needs a float result [N, C] with one row for each of the " +
        llvm::Twine(points->getDim(0)) + " coordinates");
  if (request.column < -1 || request.column >= features->getDim(1))
    return llvm::createStringError(
        "--picture-column " + llvm::Twine(request.column) +
        ": the result has " + llvm::Twine(features->getDim(1)) + " columns");

  bool byClass = request.column < 0 && features->getDim(1) > 1;
  Expected<Colouring> colours =
      byClass ? colourByArgMax(*features)
              : colourByColumn(*features, std::max(request.column, 0),
                               "feature " +
                                   std::to_string(std::max(request.column, 0)));
  if (!colours)
    return colours.takeError();
  PictureOptions options;
  options.title = request.title;
  options.legend = colours->legend;
  options.metresPerCell = request.metresPerCell;
  Expected<Image> image = renderVoxels(*points, colours->rgb, options);
  if (!image)
    return image.takeError();
  return writePng(request.path, *image);
}
