//===- FakeDriver.cpp - a CUDA driver without a device --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include <cstdlib>
#include <memory>

using namespace sparseconv::cuda;
using std::string;
using std::to_string;

/// In a function, as what is made before main cannot report that it fails.
static std::unique_ptr<FakeDriver> &getCurrent() {
  static auto current = std::make_unique<FakeDriver>();
  return current;
}

thread_local bool FakeDriver::isInside = false;

FakeDriver &FakeDriver::get() { return *getCurrent(); }
FakeDriver &FakeDriver::reset() {
  getCurrent() = std::make_unique<FakeDriver>();
  return *getCurrent();
}

FakeDriver::~FakeDriver() {
  for (auto &[handle, kind] : live)
    if (kind != "memory")
      std::free(handle);
}

string FakeDriver::getLive() const {
  std::map<string, int> counts;
  for (const auto &[handle, kind] : live)
    ++counts[kind];
  string text;
  for (const auto &[kind, count] : counts)
    text += (text.empty() ? "" : ", ") + kind + " " + to_string(count);
  return text;
}

size_t FakeDriver::getUsedMemory() const {
  size_t bytes = 0;
  for (const auto &[pointer, data] : allocations)
    bytes += data.size();
  return bytes;
}

void FakeDriver::drain() {
  for (auto &action : queue)
    action();
  queue.clear();
  done = issued;
}

CUresult FakeDriver::enter(const char *name) {
  calls.push_back(name);
  if (failAt != int64_t(calls.size()) - 1 && failName != name)
    return CUDA_SUCCESS;
  failName.clear();
  failed = name;
  return failure;
}

void *FakeDriver::create(const char *kind) {
  void *handle = std::malloc(1);
  live[handle] = kind;
  return handle;
}

bool FakeDriver::destroy(const char *kind, void *handle) {
  auto it = live.find(handle);
  if (it == live.end() || it->second != kind) {
    misuse.push_back(string("destroyed no ") + kind);
    return false;
  }
  live.erase(it);
  std::free(handle);
  return true;
}

bool FakeDriver::isMemory(CUdeviceptr pointer, size_t bytes) const {
  auto it = allocations.upper_bound(pointer);
  if (it == allocations.begin())
    return false;
  --it;
  return pointer + bytes <= it->first + it->second.size();
}

CUresult FakeDriver::enqueue(CUstream stream, const string &text,
                             std::function<void()> action) {
  if (stream && !live.count(stream))
    misuse.push_back("work on a dead stream: " + text);
  if (!text.empty()) {
    work.push_back(text);
    action = [inner = std::move(action)] {
      inner();
      ++get().clock;
    };
  }
  queue.push_back(std::move(action));
  ++issued;
  return CUDA_SUCCESS;
}

void FakeDriver::Graph::run() const {
  std::vector<bool> isDone(nodes.size());
  auto isReady = [&](size_t node) {
    bool ready = !isDone[node];
    for (size_t other : before[node])
      ready &= isDone[other];
    return ready;
  };
  for (size_t i = 0; i != nodes.size(); ++i) {
    size_t node = nodes.size() - 1;
    while (!isReady(node))
      --node;
    nodes[node]();
    isDone[node] = true;
  }
}

CUresult FakeDriver::wait() {
  drain();
  return CUDA_SUCCESS;
}
