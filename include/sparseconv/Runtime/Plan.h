//===- Plan.h - the host side of a compiled network as data -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan says what a host does to run compiled functions on a device: which
// buffers there are and how long they live, which kernels run on what grid with
// which parameters, in what order. Sizes are small expressions of capacities
// (upper bounds of the inputs' dynamic dimensions); exact sizes are 64-bit
// integers in device memory, the slots, that kernels read and write. Compiler
// and runtime share this file, which needs neither MLIR, LLVM nor CUDA.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_PLAN_H
#define SPARSECONV_RUNTIME_PLAN_H

#include "sparseconv/Support/Status.h"
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparseconv::plan {

/// Written into every file; a reader refuses any other.
constexpr uint32_t kVersion = 9;
constexpr uint32_t kMaxStreams = 16;
constexpr uint32_t kMaxRank = 8;
/// Buffers start at multiples of this; so does a caller's pointer at multiples
/// of kPointerAlignment.
constexpr int64_t kBufferAlignment = 256;
constexpr int64_t kPointerAlignment = 16;

/// Numbered as sparseconv::ElementKind.
enum class ElementType : uint8_t {
  I1,
  I8,
  U8,
  I16,
  I32,
  I64,
  F16,
  BF16,
  F32,
  F64
};
constexpr unsigned kNumElementTypes = 10;
/// Bytes of one element (an i1 takes one byte).
unsigned getByteWidth(ElementType type);
/// The MLIR spelling: "i32", "f16", ...
const char *getName(ElementType type);
/// The bytes of a contiguous array, or nothing where a size is negative or they
/// do not fit 64 bits.
std::optional<uint64_t> countBytes(ElementType type, const int64_t *sizes,
                                   size_t rank);

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

struct SizeTerm {
  enum class Kind : uint8_t {
    Constant, ///< value
    Capacity, ///< of dimension `dim` of input `input`
    Add,
    Mul,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Growable, ///< capacity number `growable`
    Exact     ///< what `slot` holds, at most the capacity before it
  };
  Kind kind = Kind::Constant;
  int64_t value = 0;
  uint32_t input = 0, dim = 0;
  uint32_t growable = 0;
  uint32_t slot = 0;
};

/// A postfix program over capacities. Evaluation is exact: a result beyond 63
/// bits, or a division by less than 1, is an error.
struct SizeExpr {
  std::vector<SizeTerm> terms;

  static SizeExpr constant(int64_t value);
  static SizeExpr capacity(uint32_t input, uint32_t dim);
  static SizeExpr growable(uint32_t growable);
};
SizeExpr operator+(const SizeExpr &a, const SizeExpr &b);
SizeExpr operator*(const SizeExpr &a, const SizeExpr &b);
SizeExpr ceilDiv(const SizeExpr &a, const SizeExpr &b);
SizeExpr floorDiv(const SizeExpr &a, const SizeExpr &b);
SizeExpr max(const SizeExpr &a, const SizeExpr &b);
SizeExpr min(const SizeExpr &a, const SizeExpr &b);
/// `capacity`, or what a slot holds where that has been read.
SizeExpr exact(uint32_t slot, const SizeExpr &capacity);

struct Capacities {
  /// By input and dimension; a static dimension holds its size.
  std::vector<std::vector<int64_t>> inputs;
  /// Of the sets whose memory grows.
  std::vector<int64_t> growables;
  /// By slot, what a run has counted; empty where nothing has been read, so
  /// that sizes are capacities.
  std::vector<int64_t> slots;
};

/// Nothing, with the reason in `error`, where there is no 63-bit result.
std::optional<int64_t> evaluate(const SizeExpr &expr,
                                const Capacities &capacities,
                                std::string &error);

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

constexpr int64_t kDynamic = -1;
constexpr uint32_t kNone = ~uint32_t(0);

struct Dim {
  int64_t size = kDynamic;
  /// Holds the exact size of a dynamic dimension. Inputs that need as many rows
  /// have one slot for them: their dimensions 0.
  uint32_t slot = 0;
  /// Upper bound of a dynamic dimension of an output.
  SizeExpr capacity;
};

/// An input or output: contiguous and row major at its exact sizes.
struct Value {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<Dim> dims;
  /// Machine code of a CPU takes or returns it by value. Its shape is [1].
  bool isScalar = false;

  bool hasStaticShape() const;
  /// Sizes, kDynamic where they are.
  std::vector<int64_t> getSizes() const;
};

struct Buffer {
  enum class Kind : uint8_t {
    Input,      ///< number `index`; never written
    Output,     ///< number `index`
    Constant,   ///< number `index`; never written
    Scratch,    ///< undefined before `firstStep`, dead after `lastStep`
    Persistent, ///< zeroed once, then kept from run to run
    Prepared ///< scratch, or kept from run to run once what writes it is done
  };
  std::string name;
  Kind kind = Kind::Scratch;
  uint32_t index = 0;
  SizeExpr bytes;
  uint32_t firstStep = 0, lastStep = 0;
};

/// One kernel parameter.
struct Param {
  enum class Kind : uint8_t {
    Buffer,   ///< address of buffer `index` plus `expr` bytes
    Slot,     ///< address of slot `index`
    Status,   ///< address of the status record, see Support/Status.h
    I32,      ///< the low 32 bits of `value`
    I64,      ///< `value`
    Capacity, ///< `expr` as a 64-bit integer
  };
  Kind kind = Kind::I32;
  uint32_t index = 0;
  int64_t value = 0;
  SizeExpr expr;

  static Param buffer(uint32_t index, SizeExpr offset = SizeExpr::constant(0));
  static Param slot(uint32_t index);
  static Param status();
  static Param i32(int32_t value);
  static Param i64(int64_t value);
  static Param capacity(SizeExpr expr);
};

struct Step {
  enum class Kind : uint8_t { Launch, Memset, Copy };
  Kind kind = Kind::Launch;
  /// Entry of the op table that this step belongs to, or kNone.
  uint32_t op = kNone;
  /// Steps of one stream run in order. Stream 0 is the caller's.
  uint32_t stream = 0;
  /// Earlier steps that have to be done first. One that others imply may be
  /// missing, but not where only a step that prepares implies it: a run may
  /// leave that step out.
  std::vector<uint32_t> dependencies;
  /// Reads constants, inputs, slots and prepared buffers alone, and writes
  /// prepared buffers and slots, each before a step of another kind reads it.
  /// Where those inputs stay the same it is done once, ahead of all runs. Steps
  /// of other kinds leave prepared buffers as they were.
  bool prepares = false;
  /// Counts what sizes depend on, or does what such a step needs: it depends on
  /// steps that count alone, and no other step before it uses what it writes.
  bool counts = false;
  /// Its kernel reads some memory before it waits for the step before it in its
  /// stream, which no such step writes: two of them in a row may overlap.
  bool hasPrologue = false;

  // Launch. A grid that comes out as 0 is launched as 1, and gridX is rounded
  // up to a multiple of the cluster: kernels guard themselves by counts.
  uint32_t kernel = 0;
  SizeExpr gridX = SizeExpr::constant(1), gridY = SizeExpr::constant(1);
  uint32_t blockX = 1;
  uint32_t dynamicSharedBytes = 0;
  uint32_t cluster = 1;
  std::vector<Param> params;

  // Memset and Copy; `bytes` of Memset counts bytes for both widths.
  uint32_t target = 0, source = 0;
  SizeExpr targetOffset = SizeExpr::constant(0);
  SizeExpr sourceOffset = SizeExpr::constant(0);
  SizeExpr bytes = SizeExpr::constant(0);
  uint32_t value = 0;
  uint8_t valueBytes = 1; ///< 1 or 4
};

/// What a status record's opId stands for.
struct Op {
  std::string name;     ///< "sparseconv.pack"
  std::string location; ///< "net.mlir:3:8", or empty
};

/// The message of a status record, with the operation and its location.
std::string describe(const StatusRecord &record, const std::vector<Op> &ops);

/// The message that two inputs, which need as many rows, do not have them.
std::string describeUnequalRows(const std::string &name, int64_t rows,
                                const std::string &other, int64_t otherRows);

/// A capacity that the runtime may raise. Its slot holds it before the first
/// step, and operation `op` reports where it has more rows.
struct Growable {
  uint32_t slot = 0, op = 0;
  /// What it is at first, and what it never exceeds; in terms of those before.
  SizeExpr start, bound;
};

struct Function {
  std::string name;
  std::vector<Value> inputs, outputs;
  /// Exactly one of kind Input and Output for each input and output.
  std::vector<Buffer> buffers;
  /// Names. The slots of the inputs' dynamic dimensions and of growable
  /// capacities are set before the first step, every other one starts as 0.
  /// A plan for CPUs has those of inputs alone, which only say what is equal.
  std::vector<std::string> slots;
  std::vector<Growable> growables;
  std::vector<Op> ops;
  std::vector<Step> steps;
  uint32_t numStreams = 1;
  /// Of a plan for CPUs, which has no steps: what the machine code takes, in
  /// order. Buffer i says whether argument i is an input or a constant. The
  /// outputs' buffers come behind.
  std::vector<Value> arguments;

  /// Each input that needs as many rows as an earlier one, and the first of
  /// these.
  std::vector<std::pair<uint32_t, uint32_t>> findEqualRows() const;

  /// "function 'main'", as messages begin.
  std::string describe() const;
  /// "function 'main': input 'x'".
  std::string describe(bool isInput, size_t index) const;
};

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Code for one chip of a GPU, or for one vector level of CPUs.
struct Image {
  enum class Kind : uint8_t {
    Ptx,
    Cubin,
    MachineCode ///< of a CPU, linked
  };
  /// Memory of machine code, in whole pages.
  struct Segment {
    enum class Access : uint8_t { Constant, Data, Code };
    Access access = Access::Constant;
    uint64_t offset = 0, size = 0;
  };
  struct Symbol {
    std::string name;
    uint64_t offset = 0;
  };
  Kind kind = Kind::Ptx;
  std::string chip; ///< "sm_90a", or "avx2"
  std::string_view bytes;

  /// Of machine code: the image is position independent but for words of 64
  /// bits that hold offsets in it, at `relocations`: whoever loads it makes
  /// addresses of these. A function of the plan is the symbol of
  /// its name behind kPackedPrefix. The code calls others through a table:
  /// `imports` names them, and the symbol kImportTable is where their addresses
  /// go, in order.
  std::vector<Segment> segments;
  std::vector<uint64_t> relocations;
  std::vector<Symbol> symbols;
  std::vector<std::string> imports;

  Image() = default;
  /// Of a GPU.
  Image(Kind kind, std::string chip, std::string_view bytes)
      : kind(kind), chip(std::move(chip)), bytes(bytes) {}
  /// The offset of a symbol.
  std::optional<uint64_t> find(std::string_view name) const;
  /// The offset of a function of the plan.
  std::optional<uint64_t> findFunction(std::string_view name) const;
};

/// In front of the name of a public function: the machine code has for it a
/// function that takes pointers to its arguments, and after them one to where
/// its result goes.
inline constexpr std::string_view kPackedPrefix = "packed.network.";
inline constexpr std::string_view kImportTable = "sparseconv_imports";

/// Segments of machine code begin at multiples of this.
constexpr uint64_t kPageBytes = 4096;

struct Module {
  std::string name;
  std::vector<Image> images;
};

struct Kernel {
  std::string name; ///< the symbol in its module
  uint32_t module = 0;
  uint32_t staticSharedBytes = 0;
  uint32_t dynamicSharedBytes = 0; ///< most that a launch asks for
};

/// Data that outlives a run, such as weights: inside the file, or bound to its
/// name by the caller, who has to bring the same bytes.
struct Constant {
  std::string name;
  uint64_t size = 0;
  uint64_t hash = 0; ///< hashBytes() of the data
  bool inFile = true;
  std::string_view bytes; ///< empty unless inFile
};

/// Bytes are views: of `storage`, or of the file that was parsed.
struct Plan {
  std::string producer;
  std::vector<Module> modules;
  std::vector<Kernel> kernels;
  std::vector<Constant> constants;
  std::vector<Function> functions;
  std::list<std::string> storage;

  Plan() = default;
  Plan(Plan &&) = default;
  Plan &operator=(Plan &&) = default;

  /// Keeps `bytes` as long as the plan.
  std::string_view keep(std::string bytes);
  /// Whether it holds code for CPUs, as one module, and no steps.
  bool isForCpu() const;
  /// The index of a constant with those bytes inside.
  uint32_t addConstant(std::string name, std::string bytes);
  const Function *findFunction(std::string_view name) const;
};

uint64_t hashBytes(std::string_view bytes);

/// Calls `callback` with the number of each buffer that a step uses.
template <typename Fn> void forEachBuffer(const Step &step, Fn callback) {
  if (step.kind == Step::Kind::Launch) {
    for (const Param &param : step.params)
      if (param.kind == Param::Kind::Buffer)
        callback(param.index);
    return;
  }
  callback(step.target);
  if (step.kind == Step::Kind::Copy)
    callback(step.source);
}

/// By step: whether it prepares, and all inputs that it depends on, by what
/// they hold or by their sizes, are among those of which `isBound` says that
/// they stay the same.
std::vector<bool> findPrepared(const Function &function,
                               const std::vector<bool> &isBound);

/// Lets scratch buffers live from the first to the last step that uses them.
void setLifetimes(Function &function);

/// The reason why a plan is not well formed, or nothing. Every index is then in
/// bounds and every expression can be evaluated or fails with a message.
std::optional<std::string> verify(const Plan &plan);

/// The file of a verified plan: little endian on every host.
std::string serialise(const Plan &plan);

/// Whether a file begins as a plan's does.
bool isPlan(std::string_view file);

/// How long a plan says that it is, of which this is the beginning. Nothing
/// where it is too short to say so, or no plan.
std::optional<uint64_t> getStatedBytes(std::string_view beginning);

/// Reads and verifies a file, of which the plan keeps views. Any bytes are
/// safe to parse; memory in use stays in proportion to their number.
std::optional<Plan> parse(std::string_view file, std::string &error);

/// Readable text, one line for each buffer, step, kernel, ...
std::string dump(const Plan &plan);
std::string toString(const SizeExpr &expr, const Function &function);

} // namespace sparseconv::plan

#endif // SPARSECONV_RUNTIME_PLAN_H
