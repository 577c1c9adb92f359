//===- Pool.cpp - memory of compiled CPU code -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is a header of 64 bytes and then the caller's memory. Sizes are
// rounded up to a class, of which there are four for each power of two; freed
// blocks of a class form a list. Small blocks go straight to the C library,
// which keeps its own.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CpuRuntime.h"
#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <omp.h>
#include <sys/mman.h>

static constexpr size_t kHeaderSize = 64;
/// Blocks below this many bytes are left to the C library.
static constexpr size_t kSmallest = size_t(1) << 15;
/// Blocks from this many bytes on are put on huge pages where the system has
/// them.
static constexpr size_t kHuge = size_t(1) << 22;
static constexpr size_t kHugePage = size_t(1) << 21;
/// No address space is larger; also keeps the sums below from wrapping.
static constexpr size_t kLargest = size_t(1) << 47;
static constexpr uint32_t kNoClass = ~uint32_t(0);
static constexpr unsigned kNumClasses = 4 * 48;

namespace {
struct Header {
  void *base;       ///< what the C library gave
  size_t capacity;  ///< bytes for the caller
  Header *next;     ///< the next free block of the class, or the next of a call
  Header *previous; ///< of a call
  struct Call *call; ///< in which it was allocated, while that runs
  uint32_t sizeClass;
};
static_assert(sizeof(Header) <= kHeaderSize, "the header precedes the block");

/// A call of generated code that runs on this thread.
struct Call {
  std::jmp_buf place;
  Header *blocks = nullptr;
  size_t missing = 0;
  bool isLeft = false;
  /// How many parallel regions the caller was in.
  int level = omp_get_level();
  Call *outer;
};

struct SizeClass {
  uint32_t number;
  size_t size;
};
} // namespace

static thread_local Call *currentCall = nullptr;

/// The smallest class of at least `size` bytes: 2^e * (4 + q) / 4.
static SizeClass getSizeClass(size_t size) {
  unsigned exponent = 63 - __builtin_clzll(size);
  size_t quarter = size_t(1) << (exponent - 2);
  size_t quarters = (size + quarter - 1) / quarter; // 4 .. 8
  return {static_cast<uint32_t>(4 * exponent + quarters - 4),
          quarters * quarter};
}

namespace {
class Pool {
public:
  Pool() {
    const char *text = std::getenv("SPARSECONV_POISON");
    poison = text && text[0] == '1';
  }

  void *allocate(size_t alignment, size_t size);
  void free(void *pointer);
  void trim();

  std::atomic<uint64_t> cachedBytes{0}, liveBytes{0};
  std::atomic<bool> poison;

private:
  Header *take(uint32_t sizeClass);
  Header *create(size_t alignment, size_t capacity, uint32_t sizeClass);

  std::mutex mutex;
  Header *freeBlocks[kNumClasses] = {};
};
} // namespace

/// Never destroyed: threads may still free memory while the process ends.
static Pool &getPool() {
  static Pool *pool = new Pool;
  return *pool;
}

static Header *getHeader(void *pointer) {
  return reinterpret_cast<Header *>(static_cast<char *>(pointer) - kHeaderSize);
}

static void *getMemory(Header *header) {
  return reinterpret_cast<char *>(header) + kHeaderSize;
}

/// Leaves the call that runs on this thread, if it can be left: the other
/// threads of a parallel loop would wait for this one for ever. A loop of the
/// caller's goes on.
static void leaveCurrentCall() {
  if (!currentCall)
    return;
  if (omp_in_parallel() && omp_get_level() > currentCall->level)
    return;
  currentCall->isLeft = true;
  std::longjmp(currentCall->place, 1);
}

[[noreturn]] static void failOutOfMemory(size_t size, uint64_t live) {
  if (currentCall)
    currentCall->missing = size;
  leaveCurrentCall();
  std::fprintf(stderr,
               "sparseconv: out of memory: cannot allocate %zu bytes (%" PRIu64
               " bytes are in use)\n",
               size, live);
  std::fflush(stderr);
  // Not exit(): other threads are still inside the compiled function.
  std::_Exit(1);
}

/// Makes a block one of those that a call which fails gives back.
static void enterCall(Header *header) {
  header->call = currentCall;
  if (!currentCall)
    return;
  header->previous = nullptr;
  header->next = currentCall->blocks;
  if (header->next)
    header->next->previous = header;
  currentCall->blocks = header;
}

static void leaveCall(Header *header) {
  if (!header->call)
    return;
  (header->previous ? header->previous->next : header->call->blocks) =
      header->next;
  if (header->next)
    header->next->previous = header->previous;
  header->call = nullptr;
}

Header *Pool::take(uint32_t sizeClass) {
  std::lock_guard<std::mutex> lock(mutex);
  Header *header = freeBlocks[sizeClass];
  if (!header)
    return nullptr;
  freeBlocks[sizeClass] = header->next;
  cachedBytes -= header->capacity;
  return header;
}

Header *Pool::create(size_t alignment, size_t capacity, uint32_t sizeClass) {
  // The caller's memory starts at the first multiple of `alignment` that
  // leaves room for the header.
  size_t prefix = std::max(alignment, kHeaderSize);
  bool huge = capacity >= kHuge;
  size_t unit = huge ? std::max(prefix, kHugePage) : prefix;
  size_t total = (prefix + capacity + unit - 1) / unit * unit;
  void *base = std::aligned_alloc(unit, total);
  if (!base)
    return nullptr;
  if (huge)
    madvise(base, total, MADV_HUGEPAGE);
  Header *header = getHeader(static_cast<char *>(base) + prefix);
  header->base = base;
  header->capacity = capacity;
  header->sizeClass = sizeClass;
  return header;
}

void *Pool::allocate(size_t alignment, size_t size) {
  if (size > kLargest)
    failOutOfMemory(size, liveBytes);
  alignment = std::max(alignment, kHeaderSize);
  // A larger alignment than the pool's blocks have is rare: no class fits it.
  bool pooled = size >= kSmallest && alignment == kHeaderSize;
  SizeClass sizeClass =
      pooled ? getSizeClass(size)
             : SizeClass{kNoClass, std::max<size_t>((size + 63) / 64 * 64, 64)};
  Header *header = pooled ? take(sizeClass.number) : nullptr;
  if (!header)
    header = create(alignment, sizeClass.size, sizeClass.number);
  if (!header) {
    // What the pool keeps may be just what is missing.
    trim();
    header = create(alignment, sizeClass.size, sizeClass.number);
  }
  if (!header)
    failOutOfMemory(size, liveBytes);
  liveBytes += header->capacity;
  enterCall(header);
  void *memory = getMemory(header);
  if (poison.load(std::memory_order_relaxed))
    std::fill_n(static_cast<uint16_t *>(memory), header->capacity / 2,
                uint16_t(0x7FED));
  return memory;
}

void Pool::free(void *pointer) {
  if (!pointer)
    return;
  Header *header = getHeader(pointer);
  leaveCall(header);
  liveBytes -= header->capacity;
  if (header->sizeClass == kNoClass) {
    std::free(header->base);
    return;
  }
  std::lock_guard<std::mutex> lock(mutex);
  header->next = freeBlocks[header->sizeClass];
  freeBlocks[header->sizeClass] = header;
  cachedBytes += header->capacity;
}

void Pool::trim() {
  std::lock_guard<std::mutex> lock(mutex);
  for (Header *&list : freeBlocks) {
    while (Header *header = list) {
      list = header->next;
      cachedBytes -= header->capacity;
      std::free(header->base);
    }
  }
}

void *_mlir_memref_to_llvm_alloc(size_t size) {
  return getPool().allocate(kHeaderSize, size);
}
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size) {
  return getPool().allocate(alignment, size);
}
void _mlir_memref_to_llvm_free(void *pointer) { getPool().free(pointer); }

/// Generated code and the runtime below it hold nothing but pool memory, and
/// have no objects with destructors, so that a jump out of them loses nothing.
/// What changes meanwhile, `call`, is not of this function, as C++ says nothing
/// of such variables behind a jump.
static void runUntilLeft(Call &call, void (*function)(void **),
                         void **arguments) {
  if (!setjmp(call.place))
    function(arguments);
}

uint64_t sparseconv_cpu_call(void (*function)(void **), void **arguments) {
  Call call;
  call.outer = currentCall;
  currentCall = &call;
  runUntilLeft(call, function, arguments);
  currentCall = call.outer;
  while (Header *header = call.blocks) {
    leaveCall(header);
    // What remains of a call that ended well is its results.
    if (call.isLeft)
      getPool().free(getMemory(header));
  }
  return call.missing;
}

void sparseconv_cpu_leave(void) {
  leaveCurrentCall();
  std::fputs("sparseconv: a compiled function failed outside of a call\n",
             stderr);
  std::fflush(stderr);
  std::_Exit(1);
}

int64_t sparseconv_cpu_thread(void) { return omp_get_thread_num(); }
int64_t sparseconv_cpu_threads(void) { return omp_get_max_threads(); }

void sparseconv_cpu_pool_trim(void) { getPool().trim(); }
uint64_t sparseconv_cpu_pool_cached_bytes(void) {
  return getPool().cachedBytes;
}
uint64_t sparseconv_cpu_pool_live_bytes(void) { return getPool().liveBytes; }
void sparseconv_cpu_pool_set_poison(bool enabled) {
  getPool().poison = enabled;
}
