//===- Sort.cpp - radix sort of keys --------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Least significant digit first. In each pass a work item counts the digits of
// one block of elements; the counts become positions (by digit first, then by
// block), and the elements are scattered to them. So the order is stable, and
// does not depend on how many blocks there are. Passes cover only bits in which
// the keys differ.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CpuRuntime.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <omp.h>

static constexpr unsigned kDigitBits = 11;
static constexpr unsigned kRadix = 1u << kDigitBits;
/// Elements below which another thread costs more than it brings.
static constexpr int64_t kMinBlock = 1 << 14;

using Positions = std::array<int64_t, kRadix>;

namespace {
/// Memory from the pool. It has no destructor: a call that runs out of memory
/// is left by a jump, and the pool then frees what the call has not.
template <typename T> struct Temporary {
  explicit Temporary(int64_t size)
      : data(static_cast<T *>(_mlir_memref_to_llvm_alloc(
            static_cast<size_t>(size) * sizeof(T)))) {}
  void free() { _mlir_memref_to_llvm_free(data); }

  T *data;
};

/// Elements 0 .. n-1 in `count` blocks of about one size.
struct Blocks {
  explicit Blocks(int64_t n)
      : n(n),
        count(std::clamp<int64_t>(n / kMinBlock, 1, omp_get_max_threads())) {}
  int64_t begin(int64_t block) const { return n * block / count; }
  int64_t end(int64_t block) const { return begin(block + 1); }

  template <typename Body> void forEach(Body body) const {
    if (count == 1)
      return body(0);
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < count; ++block)
      body(block);
  }

  int64_t n, count;
};

template <typename Key> struct Sorter {
  Sorter(int64_t n, unsigned shift, unsigned digitBits)
      : blocks(n), shift(shift), mask((Key(1) << digitBits) - 1) {}

  unsigned getDigit(Key key) const {
    return static_cast<unsigned>(key >> shift & mask);
  }

  /// One pass. `rows` null stands for 0, 1, 2, ...
  void run(const Key *keys, const int32_t *rows, Key *newKeys, int32_t *newRows,
           Positions *positions) const {
    blocks.forEach([&](int64_t block) {
      Positions &count = positions[block];
      count.fill(0);
      for (int64_t i = blocks.begin(block); i < blocks.end(block); ++i)
        ++count[getDigit(keys[i])];
    });
    int64_t next = 0;
    for (unsigned digit = 0; digit <= mask; ++digit)
      for (int64_t block = 0; block < blocks.count; ++block) {
        int64_t count = positions[block][digit];
        positions[block][digit] = next;
        next += count;
      }
    blocks.forEach([&](int64_t block) {
      Positions &position = positions[block];
      for (int64_t i = blocks.begin(block); i < blocks.end(block); ++i) {
        int64_t to = position[getDigit(keys[i])]++;
        newKeys[to] = keys[i];
        newRows[to] = rows ? rows[i] : static_cast<int32_t>(i);
      }
    });
  }

  Blocks blocks;
  unsigned shift;
  Key mask;
};

/// What one look at all keys tells.
template <typename Key> struct Survey {
  Key varying = 0;
  bool isSorted = true;
};
} // namespace

template <typename Key>
static Survey<Key> survey(const Key *keys, int64_t n, Key used) {
  Blocks blocks(n);
  Temporary<Survey<Key>> parts(blocks.count);
  blocks.forEach([&](int64_t block) {
    Survey<Key> part;
    for (int64_t i = std::max<int64_t>(blocks.begin(block), 1);
         i < blocks.end(block); ++i) {
      part.varying |= keys[i] ^ keys[0];
      part.isSorted &= (keys[i - 1] & used) <= (keys[i] & used);
    }
    parts.data[block] = part;
  });
  Survey<Key> all;
  for (int64_t block = 0; block < blocks.count; ++block) {
    all.varying |= parts.data[block].varying & used;
    all.isSorted &= parts.data[block].isSorted;
  }
  parts.free();
  return all;
}

namespace {
struct Pass {
  unsigned shift, bits;
};
} // namespace

/// Splits the bits that are set in `varying` into digits; returns how many.
static unsigned planPasses(uint64_t varying, Pass (&passes)[64]) {
  unsigned count = 0;
  while (varying) {
    unsigned shift = __builtin_ctzll(varying);
    unsigned top = 64 - __builtin_clzll(varying);
    unsigned bits = std::min(kDigitBits, top - shift);
    passes[count++] = {shift, bits};
    unsigned end = shift + bits;
    varying = end == 64 ? 0 : varying >> end << end;
  }
  return count;
}

template <typename Key>
static void sort(const Key *keys, Key *sorted, int32_t *permutation, int64_t n,
                 int64_t bits) {
  if (n <= 0)
    return;
  Key used = bits >= int64_t(8 * sizeof(Key)) ? ~Key(0) : (Key(1) << bits) - 1;
  Survey<Key> seen = survey(keys, n, used);
  if (seen.isSorted) {
    std::memcpy(sorted, keys, static_cast<size_t>(n) * sizeof(Key));
    for (int64_t i = 0; i < n; ++i)
      permutation[i] = static_cast<int32_t>(i);
    return;
  }
  Pass passes[64];
  unsigned count = planPasses(seen.varying, passes);
  // The last pass has to end in the caller's arrays.
  Temporary<Key> otherKeys(count > 1 ? n : 0);
  Temporary<int32_t> otherRows(count > 1 ? n : 0);
  Temporary<Positions> positions(Blocks(n).count);
  const Key *from = keys;
  const int32_t *fromRows = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    bool toResult = (count - i) % 2 == 1;
    Key *to = toResult ? sorted : otherKeys.data;
    int32_t *toRows = toResult ? permutation : otherRows.data;
    Sorter<Key>(n, passes[i].shift, passes[i].bits)
        .run(from, fromRows, to, toRows, positions.data);
    from = to;
    fromRows = toRows;
  }
  positions.free();
  otherRows.free();
  otherKeys.free();
}

void sparseconv_cpu_sort_u64(const uint64_t *keys, uint64_t *sorted,
                             int32_t *permutation, int64_t n, int64_t bits) {
  sort(keys, sorted, permutation, n, bits);
}
void sparseconv_cpu_sort_u32(const uint32_t *keys, uint32_t *sorted,
                             int32_t *permutation, int64_t n, int64_t bits) {
  sort(keys, sorted, permutation, n, bits);
}
