//===- FakeDriver.h - a CUDA driver without a device ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory, kernels are functions of the test, and work
// waits in one queue until something synchronises. It counts what lives, notes
// what a driver would not forgive, and lets any call fail.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_RUNTIME_CUDA_FAKEDRIVER_H
#define SPARSECONV_TEST_UNIT_RUNTIME_CUDA_FAKEDRIVER_H

#include "sparseconv/Runtime/CudaDriver.h"
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace sparseconv::cuda {

/// Device memory is host memory.
inline void *toPointer(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

struct FakeLaunch {
  unsigned gridX, gridY, blockX, shared, cluster;
  std::vector<uint64_t> params;

  template <typename T> T *pointer(size_t index) const {
    return static_cast<T *>(toPointer(params[index]));
  }
};

class FakeDriver {
public:
  struct Kernel {
    /// Bytes of each parameter.
    std::vector<unsigned> params;
    std::function<void(const FakeLaunch &)> body;
  };

  /// The one that the table works on; a new one starts from nothing.
  static FakeDriver &get();
  static FakeDriver &reset();
  static const DriverTable &getTable();
  /// The same without what an older driver does not have.
  static const DriverTable &getOldTable();
  ~FakeDriver();

  /// Whether this thread is in a function of the driver.
  static thread_local bool isInside;

  // What there is.
  int version = 12000, devices = 1, major = 9, minor = 0;
  int maxShared = 232448;
  size_t memory = size_t(1) << 30;
  std::map<std::string, Kernel> kernels;
  /// Images that begin with this do not load.
  std::string badImage = "bad";

  // What happened.
  std::vector<std::string> calls; ///< names
  std::vector<std::string> work;  ///< device work as it was issued
  std::vector<std::string> misuse;
  std::vector<FakeLaunch> launches; ///< as they ran
  std::map<std::string, int> attributes;
  std::vector<std::string> images; ///< as they were loaded

  /// The call of this number (from 0) fails, or none.
  int64_t failAt = -1;
  /// The next call of this name fails.
  std::string failName;
  CUresult failure = 719;
  std::string failed; ///< the name of the call that did

  /// What lives, by kind: "stream 1, memory 2".
  std::string getLive() const;
  size_t getUsedMemory() const;
  /// Runs what waits.
  void drain();

  // For the functions of the table (FakeFunctions.cpp).
  struct Event {
    uint64_t ticket = 0; ///< position in the queue, 0 where not recorded
    bool isTimed = false;
    int time = -1; ///< when it was recorded last, by `clock`
  };
  struct Graph {
    /// Node i has the handle i + 1.
    std::vector<std::function<void()>> nodes;
    /// By node, those before it.
    std::vector<std::vector<size_t>> before;
    /// Carries out the nodes, each as late as those before it allow.
    void run() const;
    /// Edges by which a kernel may start before the one before it ends.
    size_t earlyEdges = 0;
    CUgraph source = nullptr; ///< what an executable graph was made of
  };
  CUresult enter(const char *name);
  void *create(const char *kind);
  bool destroy(const char *kind, void *handle);
  bool isMemory(CUdeviceptr pointer, size_t bytes) const;
  CUresult enqueue(CUstream stream, const std::string &text,
                   std::function<void()> action);
  CUresult wait();

  std::map<void *, std::string> live;
  std::map<CUdeviceptr, std::vector<char>> allocations;
  std::map<void *, std::string> functions;
  std::map<void *, Event> events;
  std::map<void *, Graph> graphs;
  CUstream captured = nullptr; ///< by a user of the runtime
  /// Of streams that have a handle which another one had before.
  std::map<void *, uint64_t> streamIds;
  uint64_t issued = 0, done = 0;
  int clock = 0; ///< device work that has been done
  std::vector<std::function<void()>> queue;
  std::recursive_mutex mutex;
};

} // namespace sparseconv::cuda

#endif // SPARSECONV_TEST_UNIT_RUNTIME_CUDA_FAKEDRIVER_H
