//===- CpuRuntime.h - what compiled CPU code calls --------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C functions that the CPU path's generated code calls: sorting, and memory
// from a pool. None of them needs LLVM or MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_CPURUNTIME_H
#define SPARSECONV_RUNTIME_CPURUNTIME_H

#include <cstddef>
#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming): C names, some of them MLIR's.
extern "C" {

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// sorted[i] = keys[permutation[i]], ascending as unsigned numbers; equal keys
/// keep their order. Only the low `bits` bits of a key count. The result is the
/// same for any number of threads. The three arrays of `n` elements do not
/// overlap; n is at most 2^31 - 1.
void sparseconv_cpu_sort_u64(const uint64_t *keys, uint64_t *sorted,
                             int32_t *permutation, int64_t n, int64_t bits);
void sparseconv_cpu_sort_u32(const uint32_t *keys, uint32_t *sorted,
                             int32_t *permutation, int64_t n, int64_t bits);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The allocation functions of MLIR's `finalize-memref-to-llvm`. Memory is
/// aligned to 64 bytes at least and comes from a pool for all threads: freed
/// large blocks are kept, by size class, since pages fresh from the system cost
/// more than most kernels. A request that cannot be met ends the call of
/// sparseconv_cpu_call() in which it was made. Outside of one, and on a thread
/// of a parallel loop, where generated code asks for none, it prints a message
/// and ends the process with status 1.
void *_mlir_memref_to_llvm_alloc(size_t size);
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size);
void _mlir_memref_to_llvm_free(void *pointer);

/// Calls `function(arguments)`, which is generated code. Returns 0, or the
/// bytes of an allocation that failed: then the function was left where it
/// stood, and the memory that this thread allocated in it is free again.
uint64_t sparseconv_cpu_call(void (*function)(void **), void **arguments);

/// Ends the call of sparseconv_cpu_call() that runs on this thread, outside of
/// parallel loops: the status record says why.
void sparseconv_cpu_leave(void);

/// The number of this thread in a parallel loop, and how many there are at
/// most.
int64_t sparseconv_cpu_thread(void);
int64_t sparseconv_cpu_threads(void);

/// Gives the blocks that the pool keeps back to the system.
void sparseconv_cpu_pool_trim(void);
/// Bytes of the blocks that the pool keeps, and of those in use.
uint64_t sparseconv_cpu_pool_cached_bytes(void);
uint64_t sparseconv_cpu_pool_live_bytes(void);

/// Fills memory with a pattern before it is handed out, so that a kernel that
/// reads what it did not write is found. Each 16-bit half is 0x7FED: a NaN of
/// every float type, and an index far out of bounds. Also switched on by
/// SPARSECONV_POISON=1 in the environment.
void sparseconv_cpu_pool_set_poison(bool enabled);

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

/// One kernel of one call: its number, when it began and when it ended, in
/// seconds of a monotonic clock.
struct sparseconv_cpu_trace_event {
  int64_t kernel;
  double begin, end;
};

/// Called around each kernel of an instrumented module, on the calling thread.
void sparseconv_cpu_trace_begin(int64_t kernel);
void sparseconv_cpu_trace_end(int64_t kernel);

/// Copies the events of this thread, oldest first, as far as there is room, and
/// forgets them if there was room for all. Returns how many there are.
int64_t sparseconv_cpu_trace_take(struct sparseconv_cpu_trace_event *taken,
                                  int64_t room);

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// A `memref<8xi64>` as MLIR's C interface passes it.
struct sparseconv_cpu_words {
  int64_t *allocated, *aligned;
  int64_t offset, sizes[1], strides[1];
};

/// A `memref<?xi8>` likewise.
struct sparseconv_cpu_bytes {
  char *allocated, *aligned;
  int64_t offset, sizes[1], strides[1];
};

/// What `sparseconv-report-errors` calls unless it is told another name: prints
/// what is wrong, and ends the process with status 1. `names` has name and
/// place of each operation, each with a zero behind it.
void _mlir_ciface_sparseconv_report_error(
    const struct sparseconv_cpu_words *words,
    const struct sparseconv_cpu_bytes *names);

} // extern "C"
// NOLINTEND(readability-identifier-naming)

#endif // SPARSECONV_RUNTIME_CPURUNTIME_H
