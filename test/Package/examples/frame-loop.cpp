//===- frame-loop.cpp - a plan in a loop over frames ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the manner of a ROS 2 node: a callback gets scans of changing sizes, and
// publishes what the network makes of them. Two frames are under way at a time:
// while one is computed, the host prepares the next one and publishes the last.
// All memory is set aside before the first frame. In place of a driver of a
// sensor, main() thins one scan out in turns.
//
// usage: frame-loop NET.plan SCAN.bin [FRAMES [TARGET]]
//
//===----------------------------------------------------------------------===//

#include "allocations.h"
#include "device.h"
#include "scan.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static device target;

//===----------------------------------------------------------------------===//
// Errors and owners
//===----------------------------------------------------------------------===//

/// While the node is made, what goes wrong ends it.
static void check(int code) {
  if (code != SPARSECONV_OK)
    throw std::runtime_error(std::string(sparseconv_code_name(code)) + ": " +
                             sparseconv_last_error());
}
static void checkDevice(int code, const char *what) {
  if (code != 0)
    throw std::runtime_error(std::string(what) + " failed: CUDA error " +
                             std::to_string(code));
}

struct Destroy {
  void operator()(sparseconv_context *it) { sparseconv_context_destroy(it); }
  void operator()(sparseconv_program *it) { sparseconv_program_destroy(it); }
  void operator()(sparseconv_instance *it) { sparseconv_instance_destroy(it); }
};
template <typename T> using Owner = std::unique_ptr<T, Destroy>;

/// Memory of the device, and as much on the host that the device can copy.
class Memory {
public:
  explicit Memory(size_t bytes) : bytes(bytes) {
    checkDevice(device_allocate(&target, &data, bytes), "allocating memory");
    checkDevice(device_allocate_pinned(&target, &host, bytes),
                "allocating memory of the host");
  }
  ~Memory() {
    device_free(&target, data);
    device_free_pinned(&target, host);
  }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  template <typename T> T *as() { return static_cast<T *>(host); }
  /// As the runtime takes it.
  sparseconv_tensor getTensor(int type, const int64_t *sizes = nullptr) {
    return {data, type, sizes ? 2 : 0, sizes, bytes};
  }

  const size_t bytes;
  void *data = nullptr;

private:
  void *host = nullptr;
};

//===----------------------------------------------------------------------===//
// One of the frames under way
//===----------------------------------------------------------------------===//

/// The GPU's context on this thread.
struct Entered {
  Entered() { checkDevice(device_enter(&target), "opening the GPU"); }
  ~Entered() { device_leave(&target); }
};

struct Stream {
  Stream() {
    checkDevice(device_create_stream(&target, &handle), "cuStreamCreate");
  }
  ~Stream() { device_destroy_stream(&target, handle); }
  void *handle = nullptr;
};

/// An instance of the function with memory and a stream of its own. Members go
/// from the last to the first: the instance waits for its run before the memory
/// goes that the run borrows.
class Slot {
public:
  Slot(sparseconv_program *program, const char *function, int64_t maxPoints)
      : coordinates(maxPoints * 16), features(maxPoints * 16) {
    // A frame that needs more memory than is set aside is an error, not a
    // reason to allocate.
    const int64_t capacities[] = {maxPoints, maxPoints};
    sparseconv_instance *made = nullptr;
    check(sparseconv_instance_create(program, function, capacities, 2,
                                     SPARSECONV_FIXED_CAPACITIES, &made));
    instance.reset(made);
    reserve(4 * maxPoints);
    if (target.is_cpu) // which has no graphs, and knows sizes after a run
      return;
    uint64_t bytes = 0;
    check(sparseconv_instance_output_capacity(made, 0, nullptr, &bytes));
    result = std::make_unique<Memory>(bytes);
    sparseconv_tensor inputs[] = {coordinates.getTensor(SPARSECONV_I32),
                                  features.getTensor(SPARSECONV_F32)};
    sparseconv_tensor output = result->getTensor(SPARSECONV_F32);
    check(sparseconv_instance_capture(made, inputs, 2, &output, 1));
  }

  /// Enqueues a frame. The points are not needed any more afterwards.
  int start(const float *points, int64_t rows) {
    if (quantise(points, rows, /*size=*/0.05, coordinates.as<int32_t>()))
      return SPARSECONV_INVALID_ARGUMENT;
    std::copy_n(points, 4 * rows, features.as<float>());
    for (Memory *memory : {&coordinates, &features})
      if (device_upload(&target, memory->data, memory->as<void>(), rows * 16,
                        stream.handle))
        return SPARSECONV_CUDA_ERROR;
    const int64_t sizes[] = {rows, 4};
    sparseconv_tensor inputs[] = {coordinates.getTensor(SPARSECONV_I32, sizes),
                                  features.getTensor(SPARSECONV_F32, sizes)};
    int code = target.is_cpu ? sparseconv_instance_run(instance.get(), nullptr,
                                                       inputs, 2, nullptr, 0)
                             : sparseconv_instance_replay(
                                   instance.get(), stream.handle, inputs, 2);
    isBusy = code == SPARSECONV_OK;
    return code;
  }

  /// Waits for the frame. Its result lies in host memory of the slot, or of the
  /// instance, until the next start.
  int finish(int64_t *sizes, const float *&data) {
    isBusy = false;
    uint64_t bytes = 0;
    void *place = nullptr;
    int code = sparseconv_instance_results(instance.get(), /*wait=*/1);
    if (code == SPARSECONV_OK)
      code =
          sparseconv_instance_output(instance.get(), 0, sizes, &bytes, &place);
    data = static_cast<const float *>(place);
    if (code != SPARSECONV_OK || target.is_cpu)
      return code;
    data = result->as<float>();
    return device_download(&target, result->as<void>(), result->data, bytes,
                           stream.handle)
               ? SPARSECONV_CUDA_ERROR
               : SPARSECONV_OK;
  }

  bool isBusy = false;
  int64_t frame = 0, points = 0;

private:
  /// Memory for `rows` rows of each set that could have many times the points.
  void reserve(int64_t rows) {
    sparseconv_instance_info about = {};
    check(sparseconv_instance_describe(instance.get(), &about));
    std::vector<int64_t> capacities;
    for (int64_t i = 0; i != about.num_growables; ++i) {
      sparseconv_growable_info info = {};
      check(sparseconv_instance_growable(instance.get(), i, &info));
      capacities.push_back(std::min(rows, info.bound));
    }
    check(sparseconv_instance_reserve(instance.get(), capacities.data(),
                                      about.num_growables));
  }

  Stream stream;
  Memory coordinates, features;
  std::unique_ptr<Memory> result;
  Owner<sparseconv_instance> instance;
};

//===----------------------------------------------------------------------===//
// The node
//===----------------------------------------------------------------------===//

class Node {
public:
  Node(const char *path, const char *targetName, int64_t maxPoints)
      : maxPoints(maxPoints) {
    sparseconv_context *newContext = nullptr;
    check(open_target(targetName, &target, &newContext));
    context.reset(newContext);
    sparseconv_program *newProgram = nullptr;
    check(sparseconv_program_load_file(newContext, path, &newProgram));
    program.reset(newProgram);
    entered = std::make_unique<Entered>();
    const char *function = checkFunction();
    // A first run of each without points: drivers set up much at first use.
    for (std::unique_ptr<Slot> &slot : slots) {
      slot = std::make_unique<Slot>(newProgram, function, maxPoints);
      int64_t sizes[8];
      const float *data = nullptr;
      check(slot->start(nullptr, 0));
      check(slot->finish(sizes, data));
    }
  }

  /// The callback of the subscription.
  void onScan(const float *points, int64_t rows) {
    Slot &slot = *slots[numFrames % 2];
    slot.frame = numFrames++;
    slot.points = rows;
    int code =
        rows > maxPoints ? SPARSECONV_OVER_CAPACITY : slot.start(points, rows);
    if (code != SPARSECONV_OK)
      drop(slot, code);
    // Meanwhile, what became of the frame before.
    publish(*slots[numFrames % 2]);
  }

  /// Waits for what is under way.
  void flush() {
    publish(*slots[numFrames % 2]);
    publish(*slots[(numFrames + 1) % 2]);
  }

  int getNumDropped() const { return numDropped; }

private:
  const char *checkFunction() {
    const char *function = sparseconv_program_function_name(program.get(), 0);
    int64_t numInputs = 0, numOutputs = 0;
    check(sparseconv_program_num_values(program.get(), function, &numInputs,
                                        &numOutputs));
    sparseconv_value_info values[3] = {};
    if (numInputs == 2 && numOutputs == 1) {
      check(sparseconv_program_input(program.get(), function, 0, &values[0]));
      check(sparseconv_program_input(program.get(), function, 1, &values[1]));
      check(sparseconv_program_output(program.get(), function, 0, &values[2]));
    }
    for (int i = 0; i != 3; ++i)
      if (values[i].type != (i ? SPARSECONV_F32 : SPARSECONV_I32) ||
          values[i].rank != 2 || (i != 2 && values[i].sizes[1] != 4))
        throw std::runtime_error(
            "the function does not take points [?, 4] of i32 and features "
            "[?, 4] of f32 alone, to give rows of f32");
    return function;
  }

  void drop(const Slot &slot, int code) {
    ++numDropped;
    std::printf("frame %lld: dropped: %s\n", (long long)slot.frame,
                sparseconv_code_name(code));
  }

  void publish(Slot &slot) {
    if (!slot.isBusy)
      return;
    int64_t sizes[8];
    const float *data = nullptr;
    if (int code = slot.finish(sizes, data))
      return drop(slot, code);
    double sum = 0;
    for (int64_t i = 0; i != sizes[0] * sizes[1]; ++i)
      sum += data[i];
    std::printf("frame %lld: %lld points, %lldx%lld, sum %.6g\n",
                (long long)slot.frame, (long long)slot.points,
                (long long)sizes[0], (long long)sizes[1], sum);
  }

  const int64_t maxPoints;
  int64_t numFrames = 0;
  int numDropped = 0;
  Owner<sparseconv_context> context;
  Owner<sparseconv_program> program;
  std::unique_ptr<Entered> entered;
  std::unique_ptr<Slot> slots[2];
};

//===----------------------------------------------------------------------===//
// In place of a sensor
//===----------------------------------------------------------------------===//

/// Every n-th point of the scan, with another n for each frame; some have none.
static int64_t makeFrame(const scan &points, int64_t frame, float *thinned) {
  int64_t step = 1 + frame * 3 % 8, rows = 0;
  for (int64_t row = 0; row < points.rows && frame % 9 != 8; row += step)
    std::copy_n(points.points + 4 * row, 4, thinned + 4 * rows++);
  return rows;
}

static int run(const char *path, const char *targetName, const scan &points,
               int64_t numFrames) {
  std::vector<float> thinned(points.rows * 4 + 1);
  Node node(path, targetName, points.rows);
  size_t before = 0;
  for (int64_t frame = 0; frame != numFrames; ++frame) {
    node.onScan(thinned.data(), makeFrame(points, frame, thinned.data()));
    if (frame == 0) {
      before = device_available(&target);
      count_allocations(1);
    }
  }
  node.flush();
  long allocations = count_allocations(0);
  size_t after = device_available(&target);
  std::printf("after the first frame: %ld allocations, %lld bytes of device "
              "memory; %d frames dropped\n",
              allocations, (long long)before - (long long)after,
              node.getNumDropped());
  // A CPU takes memory for each run from a pool.
  return (allocations != 0 && !target.is_cpu) || node.getNumDropped() != 0;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr,
                 "usage: frame-loop NET.plan SCAN.bin [FRAMES [TARGET]]\n");
    return 2;
  }
  // What is printed first would make the C library allocate.
  static char buffer[1 << 12];
  std::setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
  scan points = {0, nullptr};
  if (read_scan(argv[2], &points))
    return 1;
  int code = 1;
  try {
    code = run(argv[1], argc > 4 ? argv[4] : "cuda", points,
               argc > 3 ? std::atoll(argv[3]) : 50);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "frame-loop: %s\n", error.what());
  }
  std::free(points.points);
  return code;
}
