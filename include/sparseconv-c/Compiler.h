//===- Compiler.h - the compiler as a C library -------------------*- C -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
/*
 * Compiles a network, given as the text (or bytecode) of its IR, to a plan for
 * a GPU or for CPUs: the bytes that sparseconv_program_load of
 * Runtime/CudaRuntime.h takes.
 *
 * The library, libsparseconv-compiler.so, holds neither MLIR nor LLVM. Each
 * compilation is a process of the program `sparseconv-translate`, so a compiler
 * that aborts, hangs or runs out of memory ends that process and comes back as
 * a code with what it printed. No files are written.
 *
 * All functions may be called from any thread. This header is C99 and C++.
 */

#ifndef SPARSECONV_C_COMPILER_H
#define SPARSECONV_C_COMPILER_H

#include <stdint.h>

/* NOLINTBEGIN: C names and C types. */
#ifdef __cplusplus
extern "C" {
#endif

typedef enum sparseconv_compiler_code {
  SPARSECONV_COMPILER_OK = 0,
  SPARSECONV_COMPILER_INVALID_ARGUMENT = 1,
  /* The input cannot be compiled, for the reason in the diagnostics. */
  SPARSECONV_COMPILER_REJECTED = 2,
  /* The compiler's process ended by a signal, or its output is not a plan. */
  SPARSECONV_COMPILER_CRASHED = 3,
  /* It was ended because it took longer than allowed. */
  SPARSECONV_COMPILER_TIME_LIMIT = 4,
  /* The compiler's program is not where it was looked for. */
  SPARSECONV_COMPILER_NOT_FOUND = 5,
  /* The system cannot start a process. */
  SPARSECONV_COMPILER_SYSTEM_ERROR = 6,
  /* There is no memory in this process for what comes out. */
  SPARSECONV_COMPILER_OUT_OF_MEMORY = 7,
  /* It was ended because its caller wished so. */
  SPARSECONV_COMPILER_CANCELLED = 8
} sparseconv_compiler_code;

/* "SPARSECONV_COMPILER_OK", ... */
const char *sparseconv_compiler_code_name(int code);

/* Where the compiler's programs are: the path of the one with that name, such
 * as "sparseconv-translate". Looked for in `folder`, or where that is NULL in
 * the folder that the environment's SPARSECONV_TOOLS names, or where there is
 * none in the folder of this library and in bin/ beside and above that. The
 * path is cut to `size` bytes with a zero at its end. */
int sparseconv_compiler_find_program(const char *folder, const char *name,
                                     char *path, uint64_t size);

/* All zeros are the defaults. */
typedef struct sparseconv_compile_options {
  /* "cuda" (the default), or with a chip: "cuda:sm_80"; "cpu" for all vector
   * levels of CPUs, or with one: "cpu:avx2". */
  const char *target;
  /* "sm_80", "sm_86", "sm_89" or "sm_90a" (the default), where `target` names
   * none. */
  const char *chip;
  /* The function to compile; by default all public ones. */
  const char *entry;
  /* What diagnostics call the input; by default "<string>". */
  const char *name;
  /* The folder of the compiler's programs. */
  const char *tools;
  /* Seconds; 0 for no limit. */
  double time_limit;
  /* The path of a database of sparseconv-tune, which decides how layers are
   * carried out that it knows; "default" (or NULL) for the one that comes with
   * the project, "none" for none. */
  const char *tuning_database;
  /* Where a thread or a signal handler writes another number than 0 to cancel
   * the compilation, which then ends within a tenth of a second; NULL for
   * compilations that nobody cancels. */
  const volatile int *cancel;
  /* Other than 0: the caller vouches for the neighbour tables and tiles that
   * the plan is given (sparseconv.map_from_table, map_from_tiles), and the plan
   * does not check them. A wrong one then makes it read and write where it may
   * not. The caller also vouches for points that the network says are those of
   * a set (sparseconv.pack with in_order), which are neither checked nor
   * sorted. */
  int trust_tables;
} sparseconv_compile_options;

/* What came out of a compilation, also of one that failed. */
typedef struct sparseconv_compilation sparseconv_compilation;

/* Compiles `size` bytes of IR. `options` may be NULL. *compilation is set
 * whatever the code is, but for SPARSECONV_COMPILER_INVALID_ARGUMENT with
 * `compilation` itself NULL. Without memory for it *compilation is NULL. */
int sparseconv_compile(const char *text, uint64_t size,
                       const sparseconv_compile_options *options,
                       sparseconv_compilation **compilation);
void sparseconv_compilation_destroy(sparseconv_compilation *compilation);

/* What follows lives as long as the compilation and is never NULL; for a
 * compilation that is NULL it is empty. */

/* Why it failed, in one line; empty where it did not. */
const char *
sparseconv_compilation_message(const sparseconv_compilation *compilation);
/* What the compiler printed: errors where it failed, else warnings. */
const char *
sparseconv_compilation_diagnostics(const sparseconv_compilation *compilation);
/* The plan; no bytes where it failed. `size` may be NULL. */
const void *
sparseconv_compilation_artifact(const sparseconv_compilation *compilation,
                                uint64_t *size);
/* The PTX in the plan, with a zero at its end. `size` may be NULL. */
const char *
sparseconv_compilation_ptx(const sparseconv_compilation *compilation,
                           uint64_t *size);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif /* SPARSECONV_C_COMPILER_H */
