//===- RuntimeSymbols.cpp - what compiled modules call --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Execution/RuntimeSymbols.h"
#include "sparseconv/Runtime/CpuRuntime.h"
#include "llvm/ADT/bit.h"

extern "C" {
// The compiler's helpers for 16-bit floats where the processor has none.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
float __extendhfsf2(_Float16);
_Float16 __truncsfhf2(float);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

/// The helper that code with bf16 scalars calls and older libraries lack. Its
/// result is in the register of a _Float16.
static _Float16 truncateToBFloat(float value) {
  auto bits = llvm::bit_cast<uint32_t>(value);
  if (value != value)
    bits |= 0x400000; // quiet, whatever is cut off
  else
    bits += 0x7fff + (bits >> 16 & 1); // to nearest, ties to even
  return llvm::bit_cast<_Float16>(static_cast<uint16_t>(bits >> 16));
}

llvm::orc::SymbolMap
mlir::sparseconv::getRuntimeSymbols(llvm::orc::MangleAndInterner mangle) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](llvm::StringRef name, auto *function) {
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("_mlir_memref_to_llvm_alloc", &_mlir_memref_to_llvm_alloc);
  add("_mlir_memref_to_llvm_aligned_alloc",
      &_mlir_memref_to_llvm_aligned_alloc);
  add("_mlir_memref_to_llvm_free", &_mlir_memref_to_llvm_free);
  add("sparseconv_cpu_sort_u32", &sparseconv_cpu_sort_u32);
  add("sparseconv_cpu_sort_u64", &sparseconv_cpu_sort_u64);
  add("sparseconv_cpu_trace_begin", &sparseconv_cpu_trace_begin);
  add("sparseconv_cpu_trace_end", &sparseconv_cpu_trace_end);
  add("__extendhfsf2", &__extendhfsf2);
  add("__truncsfhf2", &__truncsfhf2);
  add("__truncsfbf2", &truncateToBFloat);
  return symbols;
}
