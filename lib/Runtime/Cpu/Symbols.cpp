//===- Symbols.cpp - what compiled modules call ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Runtime/CpuSymbols.h"
#include <cmath>
#include <cstring>
#include <strings.h>

using namespace sparseconv::cpu;

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
// The compiler's helpers for 16-bit floats where the processor has none.
float __extendhfsf2(_Float16);
_Float16 __truncsfhf2(float);
_Float16 __truncdfhf2(double);

// LLVM's OpenMP runtime, as far as parallel loops call it. It publishes no
// header; only the addresses are used.
void __kmpc_barrier(void);
void __kmpc_for_static_fini(void);
void __kmpc_for_static_init_8u(void);
void __kmpc_fork_call(void);
void __kmpc_global_thread_num(void);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

/// The helper that code with bf16 scalars calls and older libraries lack. Its
/// result is in the register of a _Float16.
static _Float16 truncateToBFloat(float value) {
  auto bits = __builtin_bit_cast(uint32_t, value);
  if (value != value)
    bits |= 0x400000; // quiet, whatever is cut off
  else
    bits += 0x7fff + (bits >> 16 & 1); // to nearest, ties to even
  return __builtin_bit_cast(_Float16, static_cast<uint16_t>(bits >> 16));
}

/// The same from f64: through f32 with the last bit set where bits are lost, so
/// that nothing is rounded twice.
static _Float16 truncateDoubleToBFloat(double value) {
  auto narrow = static_cast<float>(value);
  auto bits = __builtin_bit_cast(uint32_t, narrow);
  double back = narrow;
  if (back != value && value == value) {
    if (std::fabs(back) > std::fabs(value))
      --bits; // towards zero
    bits |= 1;
  }
  return truncateToBFloat(__builtin_bit_cast(float, bits));
}

/// Older C libraries have no roundeven. The rounding mode is never changed.
template <typename T> static T roundToEven(T value) {
  return std::nearbyint(value);
}

template <typename Fn> static void *addressOf(Fn *function) {
  return reinterpret_cast<void *>(function);
}

// clang-format off: it takes the entries for declarations.
#define SPARSECONV_RUNTIME_FUNCTIONS(X) \
  X(_mlir_memref_to_llvm_alloc) X(_mlir_memref_to_llvm_aligned_alloc) \
  X(_mlir_memref_to_llvm_free) X(sparseconv_cpu_leave) \
  X(sparseconv_cpu_sort_u32) X(sparseconv_cpu_sort_u64) \
  X(sparseconv_cpu_thread) X(sparseconv_cpu_threads) \
  X(sparseconv_cpu_trace_begin) X(sparseconv_cpu_trace_end) \
  X(__kmpc_barrier) X(__kmpc_for_static_fini) X(__kmpc_for_static_init_8u) \
  X(__kmpc_fork_call) X(__kmpc_global_thread_num) \
  X(__extendhfsf2) X(__truncsfhf2) X(__truncdfhf2)
// What the optimiser makes of loops that copy, fill and compare, and the code
// generator of a sine and a cosine of one number.
#define SPARSECONV_HELPERS(X) \
  X(bcmp) X(memcmp) X(memcpy) X(memmove) X(memset) X(sincos) X(sincosf)
// Functions that the C library has for f64 and, with an `f` at the end, for
// f32.
#define SPARSECONV_UNARY_FUNCTIONS(X) \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) \
  X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) X(expm1) X(fabs) \
  X(floor) X(log) X(log10) X(log1p) X(log2) X(nearbyint) X(rint) X(round) \
  X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(trunc)
#define SPARSECONV_BINARY_FUNCTIONS(X) \
  X(atan2) X(copysign) X(fmax) X(fmin) X(fmod) X(pow)

#define SPARSECONV_SYMBOL(NAME) {#NAME, addressOf(&::NAME)},
#define SPARSECONV_SYMBOLS(TYPE, NAME) \
  {#NAME, addressOf(static_cast<TYPE>(&::NAME))}, \
  {#NAME "f", addressOf(&::NAME##f)},
#define SPARSECONV_UNARY(NAME) SPARSECONV_SYMBOLS(double (*)(double), NAME)
#define SPARSECONV_BINARY(NAME) \
  SPARSECONV_SYMBOLS(double (*)(double, double), NAME)

const std::vector<Symbol> &sparseconv::cpu::getSymbols() {
  static const std::vector<Symbol> symbols = {
      SPARSECONV_RUNTIME_FUNCTIONS(SPARSECONV_SYMBOL)
      // NOLINTNEXTLINE(bugprone-unsafe-functions): bcmp is not called here.
      SPARSECONV_HELPERS(SPARSECONV_SYMBOL)
      SPARSECONV_UNARY_FUNCTIONS(SPARSECONV_UNARY)
      SPARSECONV_BINARY_FUNCTIONS(SPARSECONV_BINARY)
      SPARSECONV_SYMBOLS(double (*)(double, double, double), fma)
      SPARSECONV_SYMBOLS(double (*)(double, int), ldexp)
      {"__truncsfbf2", addressOf(&truncateToBFloat)},
      {"__truncdfbf2", addressOf(&truncateDoubleToBFloat)},
      {"roundeven", addressOf(&roundToEven<double>)},
      {"roundevenf", addressOf(&roundToEven<float>)}};
  return symbols;
}
// clang-format on
