//===- allocations.h - counts what a program allocates --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
/*
 * For tests: allocations.c takes the place of malloc and its like in the whole
 * process.
 */

#ifndef EXAMPLES_ALLOCATIONS_H
#define EXAMPLES_ALLOCATIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Begins (1) or ends (0) to count, and says how many allocations there were
 * since it began. Those of NVIDIA's driver do not count. */
long count_allocations(int begin);

#ifdef __cplusplus
}
#endif

#endif /* EXAMPLES_ALLOCATIONS_H */
