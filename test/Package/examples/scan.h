//===- scan.h - points of a KITTI scan ------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
/*
 * A KITTI .bin file is rows of four little-endian f32: x, y, z, intensity.
 */

#ifndef EXAMPLES_SCAN_H
#define EXAMPLES_SCAN_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct scan {
  int64_t rows;
  float *points; /* [rows, 4]; to be freed */
} scan;

/* Nonzero, with a message on standard error, where there is no such file. */
static inline int read_scan(const char *path, scan *result) {
  FILE *file = fopen(path, "rb");
  long bytes = -1;
  result->points = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0)
    bytes = ftell(file);
  /* A folder has a size that no memory has. */
  if (bytes >= 0 && bytes % 16 == 0 && bytes / 16 <= INT32_MAX - 1 &&
      fseek(file, 0, SEEK_SET) == 0) {
    result->rows = bytes / 16;
    result->points = (float *)malloc(bytes ? (size_t)bytes : 1);
    if (result->points &&
        fread(result->points, 1, (size_t)bytes, file) != (size_t)bytes) {
      free(result->points);
      result->points = NULL;
    }
  }
  if (file)
    fclose(file);
  if (!result->points)
    fprintf(stderr, "%s: not a scan of rows of four f32\n", path);
  return !result->points;
}

/* The coordinates (batch, x, y, z) of points, for voxels of `size` metres.
 * Nonzero where one does not fit. */
static inline int quantise(const float *points, int64_t rows, double size,
                           int32_t *coordinates) {
  int64_t row;
  int axis;
  for (row = 0; row != rows; ++row) {
    coordinates[4 * row] = 0;
    for (axis = 0; axis != 3; ++axis) {
      double value = floor(points[4 * row + axis] / size);
      if (!(value >= INT32_MIN && value <= INT32_MAX)) /* or NaN */
        return 1;
      coordinates[4 * row + axis + 1] = (int32_t)value;
    }
  }
  return 0;
}

#endif /* EXAMPLES_SCAN_H */
