//===- Instance.h - a function and its memory -------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_CUDA_INSTANCE_H
#define SPARSECONV_LIB_RUNTIME_CUDA_INSTANCE_H

#include "Graph.h"
#include "Program.h"
#include "sparseconv/Support/Status.h"
#include <functional>

namespace sparseconv::cuda {

inline CUdeviceptr getAddress(const sparseconv_tensor &tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data);
}

inline void *toPointer(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what an address is to a caller.
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

/// 64-bit words of the status record, in front of the slots.
constexpr size_t kStatusWords = sizeof(StatusRecord) / sizeof(int64_t);

/// A NaN of every float type, whatever the order of its halves, and an index
/// far out of bounds.
constexpr unsigned short kPoison = 0x7FFF;

/// A function of a program for given capacities. The public functions lock.
///
/// The arena begins with the status record and the slots. A run uploads them
/// from pinned memory, issues the steps, and copies them back to pinned memory.
/// As many pairs of pinned copies exist as runs have been in flight at once.
class Instance final : public runtime::Instance {
public:
  static Error create(std::shared_ptr<Program> program,
                      const Program::Function &function,
                      const plan::Capacities &capacities, uint32_t flags,
                      std::unique_ptr<Instance> &instance);
  /// Waits for the last run.
  ~Instance() override;

  using Tensors = runtime::Tensors;
  Error run(sparseconv_stream stream, Tensors inputs, Tensors outputs) override;
  Error capture(Tensors inputs, Tensors outputs) override;
  Error replay(sparseconv_stream stream, Tensors inputs) override;
  Error runHost(Tensors inputs) override;
  Error profile(Tensors inputs, double *times) override;
  Error describeStep(int64_t index, sparseconv_step_info &info) const override;
  Error getResults(bool wait) override;
  Error checkRuns(bool wait) override;

  const Program::Function &getFunction() const override { return entry; }
  void describe(sparseconv_instance_info &info) const override;
  Error describeGrowable(int64_t index,
                         sparseconv_growable_info &info) const override;
  Error reserve(const int64_t *wanted, int64_t numWanted) override;
  Error bind(sparseconv_stream stream, Tensors inputs) override;

  Error getOutputCapacity(int64_t index, int64_t *sizes,
                          uint64_t *bytes) override;
  Error getOutput(int64_t index, int64_t *sizes, uint64_t *bytes,
                  void **data) override;
  Error readOutput(int64_t index, void *host, uint64_t bytes) override;
  Error getInputBuffer(int64_t index, void **data, uint64_t *bytes) override;

private:
  /// Pinned memory of one run: what goes up and what comes back.
  struct Staging {
    int64_t *up = nullptr, *down = nullptr;
    /// Recorded behind the run, or where somebody first asks for the run's end.
    CUevent done = nullptr;
    bool inFlight = false, isRecorded = false;

    StatusRecord getRecord() const {
      return {down[0], down[1], down[2], down[3],
              down[4], down[5], down[6], down[7]};
    }
  };
  /// A launch whose parameters are in place but for addresses of inputs and
  /// outputs. They are one block of bytes, beyond which the driver reads
  /// nothing, whatever the kernel takes.
  struct Launch {
    std::vector<uint64_t> block;
    size_t blockBytes = 0;
    struct Patch {
      uint64_t place; ///< word of the block
      uint32_t buffer;
      uint64_t offset;
    };
    std::vector<Patch> patches;
  };
  /// A launch's parameters as the driver takes a block of them.
  struct ExtraParams {
    explicit ExtraParams(Launch &launch);
    ExtraParams(const ExtraParams &) = delete;
    ExtraParams &operator=(const ExtraParams &) = delete;
    void *list[5];
    /// The list, or null for a kernel that takes nothing.
    void **get;
  };
  /// Sizes of one run's inputs, and what else is known ahead of it.
  struct InputSizes {
    std::vector<uint64_t> bytes;
    /// By slot.
    std::vector<int64_t> slots;
  };
  /// An input that is the same in every run.
  struct BoundInput {
    /// 0 where each run says where it lies.
    CUdeviceptr address = 0;
    std::vector<int64_t> sizes;

    explicit operator bool() const { return address != 0; }
    bool operator==(const BoundInput &other) const {
      return address == other.address && sizes == other.sizes;
    }
  };
  using BoundInputs = std::vector<BoundInput>;
  enum class State { NotRun, NotEnqueued, Pending, Failed, Done };
  /// Stands for the enqueueing of a run between beginRun and endRun. However
  /// that ends half way, nothing of the run is in flight afterwards.
  struct Attempt {
    Instance &instance;
    CUstream stream;
    ~Attempt();
  };

  /// The steps of a run as a graph.
  struct StepGraph {
    explicit StepGraph(const Context &context) : graph(context) {}

    Graph graph;
    /// By step.
    Graph::Nodes nodes;
    /// The steps that use the caller's memory.
    std::vector<uint32_t> changing;
    /// Where all buffers lay when it was last told.
    std::vector<CUdeviceptr> addresses;
    /// Whether that was told to all steps.
    bool isTold = true;
  };

  /// What a graph was captured for, to capture it again.
  struct Captured {
    bool isSet = false, hasInputs = false, hasOutputs = false;
    std::vector<sparseconv_tensor> inputs, outputs;
  };

  Instance(std::shared_ptr<Program> program, const Program::Function &function,
           const plan::Capacities &capacities, uint32_t flags);
  // Creation.
  Error initialise();
  Error placeMemory();
  Error placeMemoryOnce();
  /// Places memory that has been given back. What a run begins with is known
  /// afterwards.
  Error ensurePlaced() { return isPlaced ? Error::success() : placeMemory(); }
  Error checkValues();
  Error allocateArena();
  Error createStreams();
  Error createEvents();
  Error fillArena();
  uint64_t getParam(const plan::Param &param, uint64_t number) const;
  void prepareLaunches();
  void prepareLaunch(size_t index);
  /// In front of those in flight that come behind `place` in the ring.
  Error addStaging(size_t place);

  // Growing (Grow.cpp).
  void releaseMemory();
  Error waitForRuns();
  Error growTo(std::vector<int64_t> wanted);
  std::vector<int64_t> getGrown(const StatusRecord &record) const;
  Error grow(const StatusRecord &record, Error overflow);
  static Error repeat(const std::function<Error()> &once);

  // Inputs that stay the same (Prepare.cpp).
  Error checkBound(Tensors inputs, BoundInputs &bound) const;
  Error setBound(BoundInputs bound);
  plan::Schedule makeSchedule(plan::Phase phase) const;
  Error setSchedule();
  void findReports();
  Error prepare();
  void resetKnown();
  Error uploadKnown();
  Error readPrepared();

  // Inputs and outputs of a run.
  std::string getStepName(uint32_t index) const;
  uint64_t getRoom(bool isInput, int64_t index) const;
  Error resolve(Tensors inputs, bool onDevice, InputSizes &sizes) const;
  Error checkPointer(const sparseconv_tensor &tensor, uint64_t needed,
                     bool isInput, int64_t index) const;
  Error ownBuffer(bool isInput, int64_t index, CUdeviceptr &pointer);
  Error checkInput(int64_t index, const sparseconv_tensor &tensor) const;
  Error placeInput(int64_t index, const sparseconv_tensor *tensor);
  /// `slots` has the sizes of the run's inputs, where those are known.
  Error bindOutputs(Tensors outputs,
                    const std::vector<int64_t> *slots = nullptr);
  uint64_t getNeeded(int64_t output, const std::vector<int64_t> *slots) const;

  // Issuing work. `stream` is the caller's.
  Error checkStream(CUstream stream) const;
  bool repeatsLast(const InputSizes &sizes) const;
  Error findId(CUstream stream, std::optional<uint64_t> &id) const;
  bool isBehind(const Staging &last) const;
  CUresult recordEnd(Staging &run);
  CUresult queryEnd(Staging &run);
  CUresult waitForEnd(Staging &run);
  CUresult orderBehind(Staging &run, CUstream stream);
  Error followRun(CUstream stream);
  Error beginRun(CUstream stream, const InputSizes &sizes);
  /// Whether the host knows all that a run could tell it: no step reports
  /// errors, and all sizes are those of inputs.
  bool tellsNothing() const;
  Error upload(CUstream stream, const InputSizes &sizes);
  bool isScratch(uint32_t buffer) const;
  void fillBlock(uint32_t index);
  std::vector<uint32_t> getPoisoned(uint32_t step,
                                    const plan::Schedule &part) const;
  Error issue(const plan::Schedule &part, CUstream stream);
  Error issueStep(uint32_t index, CUstream stream);
  CUresult launch(uint32_t index, CUstream stream);
  Error endRun(CUstream stream);
  void abandon(CUstream stream);
  Error runBound(CUstream stream, const InputSizes &sizes);
  Error poison(CUdeviceptr pointer, uint64_t bytes, CUstream stream,
               const std::string &what);
  Error poisonBuffers(uint32_t step, const plan::Schedule &part,
                      CUstream stream);
  Error poisonTails(const InputSizes &sizes, CUstream stream);
  CUstream getStream(uint32_t index, CUstream stream) const {
    return index == 0 ? stream : streams[index - 1];
  }

  // Steps as graphs (StepGraph.cpp).
  bool usesCallersMemory(uint32_t step) const;
  CUkernelNodeParams makeNodeParams(uint32_t step, void **extra) const;
  Error addStepNode(Graph &graph, uint32_t step, const Graph::Nodes &before,
                    CUgraphNode &node);
  Error addPoisonNodes(Graph &graph, uint32_t step, CUgraphNode &last);
  Error addStep(StepGraph &result, uint32_t step, Graph::Nodes &lastOfStream);
  Error makeStepGraph(std::unique_ptr<StepGraph> &made);

  // Runs as graphs (RunGraph.cpp, Capture.cpp).
  bool takesGraph() const;
  Error findRunGraph();
  Error tellRunGraph(StepGraph &graph);
  Error launchRunGraph(CUstream stream);
  Error captureBound(Tensors inputs, Tensors outputs);
  void dropGraphs();

  // Runs with exact sizes (Exact.cpp).
  bool isExact() const { return flags & SPARSECONV_EXACT; }
  plan::Phase getFirstPhase() const {
    return isExact() ? plan::Phase::Counts : plan::Phase::Whole;
  }
  Error refuseExact(const std::string &what) const;
  Error readCounts(CUstream stream, std::vector<int64_t> &counts);
  Error placeRest(std::vector<int64_t> counts);
  void releaseRest();
  Error runExact(CUstream stream);

  // Runs on the host's memory.
  Error runHostOnce(Tensors inputs);
  Error profileOnce(Tensors inputs, double *times);
  Error bindHost(Tensors inputs, InputSizes &sizes);
  Error checkCopy(CUresult result, int64_t index) const;
  Error enqueueInputs(Tensors inputs, const InputSizes &sizes);
  Error waitHost();
  Error addMarks(const std::vector<CUevent> &marks, Graph &graph);
  Error runMarked(Tensors inputs, const InputSizes &sizes, const Graph &graph);

  Error getReport(const StatusRecord &record) const;
  void finishUnread(Staging &entry);
  Error readResults(bool wait);
  Error checkOutput(int64_t index, bool hasResults) const;
  Error check(CUresult result, std::string_view what) const;

  const std::shared_ptr<Program> program;
  Context &context;
  const DriverTable &driver;
  const Program::Function &entry;
  const plan::Function &function;
  /// Of the growable ones, what they have grown to at least.
  plan::Capacities capacities;
  const uint32_t flags;
  BoundInputs boundInputs;
  /// By slot, what is known ahead of a run: sizes of inputs that are bound, and
  /// what steps that prepare have counted. The others are 0.
  std::vector<int64_t> knownSlots;
  /// SPARSECONV_REPORTS_* of a run.
  int32_t reports = 0;
  /// Of the steps that count, where sizes are exact; of the others then.
  plan::Schedule schedule;
  std::optional<plan::Schedule> restSchedule;
  /// With exact sizes, what is not counted is that of `restCounts`.
  plan::Layout layout;
  /// Buffers of inputs and outputs.
  std::vector<uint32_t> inputBuffers, outputBuffers;

  /// Whether layout, memory and launches are those of `capacities`.
  bool isPlaced = false;
  CUdeviceptr arena = 0;
  /// With exact sizes, memory for what comes after the counts.
  CUdeviceptr restArena = 0;
  uint64_t restBytes = 0;
  /// By slot, what `restArena` is laid out for; empty where it is not.
  std::vector<int64_t> restCounts;
  /// Address of each buffer in the current run.
  std::vector<CUdeviceptr> addresses;
  /// The instance's own memory for inputs and outputs, 0 where there is none.
  std::vector<CUdeviceptr> ownInputs, ownOutputs;
  std::vector<Launch> launches;

  CUstream ownStream = nullptr;
  std::vector<CUstream> streams; ///< 1 and up
  CUevent fork = nullptr;
  std::vector<CUevent> events; ///< by step, null where nothing waits for it
  std::vector<Staging> staging;
  size_t latest = 0; ///< the last run's entry of `staging`
  /// Of the streams of the last run and of this one, where the driver says.
  std::optional<uint64_t> lastId, runId;

  /// Null where there is none.
  std::unique_ptr<StepGraph> capturedGraph;
  /// Those of ordinary runs, that of the last run behind the others.
  std::vector<std::unique_ptr<StepGraph>> runGraphs;
  /// Runs since memory was placed, or a first graph could not be made.
  uint64_t numRuns = 0;

  Captured captured;

  /// Of the current run. It is kept for its memory, as are the vectors below: a
  /// run allocates nothing once there was one.
  InputSizes runSizes;
  /// What the arena begins with, where no step changes that; empty where it is
  /// not known.
  std::vector<int64_t> uploaded;

  State state = State::NotRun;
  Error lastError = Error::success();
  /// Of a run whose results nobody has asked for.
  Error missedError = Error::success();
  /// After success, by output.
  std::vector<std::vector<int64_t>> outputSizes;
  std::vector<uint64_t> outputBytes;
  std::vector<CUdeviceptr> outputAddresses;

  mutable std::mutex mutex;
};

} // namespace sparseconv::cuda

#endif // SPARSECONV_LIB_RUNTIME_CUDA_INSTANCE_H
