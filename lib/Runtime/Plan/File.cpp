//===- File.cpp - plans as files ------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file has three parts:
// - a header: magic, version, flags, size of the file, checksum of all that
//   follows the header, number of sections;
// - a table of sections: kind, flags, offset, size;
// - the sections: the plan's fields in the order of transfer() below, and the
//   data that they refer to by offset and size.
// All integers are little endian.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/Plan.h"
#include <cstring>

using namespace sparseconv::plan;
using std::string_view;

static constexpr char kMagic[] = "SPCVPLAN"; // eight bytes in the file
static constexpr size_t kHeaderBytes = 40, kSectionBytes = 24;
static constexpr uint32_t kPlanSection = 1, kDataSection = 2;
static constexpr size_t kDataAlignment = 64;

//===----------------------------------------------------------------------===//
// Writer
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  std::string fields, data;

  template <typename T> void integer(const T &value) {
    auto bits = static_cast<uint64_t>(value);
    for (size_t i = 0; i != sizeof(T); ++i)
      fields.push_back(static_cast<char>(bits >> (8 * i)));
  }
  template <typename T> void enumerator(const T &value, T last) {
    integer(static_cast<uint8_t>(value));
  }
  void boolean(const bool &value) { integer(static_cast<uint8_t>(value)); }
  void text(const std::string &value) {
    integer(static_cast<uint32_t>(value.size()));
    fields += value;
  }
  /// Bytes in the data section.
  void blob(const string_view &value) {
    data.resize((data.size() + kDataAlignment - 1) / kDataAlignment *
                kDataAlignment);
    integer(static_cast<uint64_t>(data.size()));
    integer(static_cast<uint64_t>(value.size()));
    data += value;
  }
  template <typename T, typename Fn>
  void list(const std::vector<T> &values, Fn each) {
    integer(static_cast<uint32_t>(values.size()));
    for (const T &value : values)
      each(value);
  }
};

//===----------------------------------------------------------------------===//
// Reader
//===----------------------------------------------------------------------===//

/// After a failure everything reads as zero and lists as empty.
class Reader {
public:
  Reader(string_view fields, string_view data, std::string &error)
      : fields(fields), data(data), error(error) {}

  bool failed() const { return !error.empty(); }
  void fail(const std::string &message) {
    if (!failed())
      error = message + " at byte " + std::to_string(position) +
              " of the plan section";
  }
  bool atEnd() const { return position == fields.size(); }

  template <typename T> void integer(T &value) {
    value = 0;
    if (!take(sizeof(T)))
      return;
    uint64_t bits = 0;
    for (size_t i = 0; i != sizeof(T); ++i)
      bits |=
          uint64_t(static_cast<unsigned char>(fields[position - sizeof(T) + i]))
          << (8 * i);
    value = static_cast<T>(bits);
  }
  template <typename T> void enumerator(T &value, T last) {
    uint8_t number;
    integer(number);
    if (number > static_cast<uint8_t>(last)) {
      fail("unknown kind " + std::to_string(number));
      number = 0;
    }
    value = static_cast<T>(number);
  }
  void boolean(bool &value) {
    uint8_t number;
    integer(number);
    if (number > 1)
      fail("a flag is " + std::to_string(number));
    value = number == 1;
  }
  void text(std::string &value) {
    uint32_t size;
    integer(size);
    if (!take(size))
      return;
    value = fields.substr(position - size, size);
    if (value.find('\0') != std::string::npos)
      fail("a name contains a zero byte");
  }
  void blob(string_view &value) {
    uint64_t offset, size;
    integer(offset);
    integer(size);
    if (offset > data.size() || size > data.size() - offset)
      return fail("data [" + std::to_string(offset) + ", +" +
                  std::to_string(size) + ") is outside the data section of " +
                  std::to_string(data.size()) + " bytes");
    value = data.substr(offset, size);
  }
  template <typename T, typename Fn>
  void list(std::vector<T> &values, Fn each) {
    values.clear();
    uint32_t count;
    integer(count);
    // Every element takes a byte at least.
    if (count > fields.size() - position)
      return fail("a list of " + std::to_string(count) +
                  " elements does not fit");
    for (uint32_t i = 0; i != count && !failed(); ++i)
      each(values.emplace_back());
  }

private:
  /// Moves on by `size` bytes, if that many are left.
  bool take(size_t size) {
    if (failed())
      return false;
    if (size > fields.size() - position) {
      fail("the plan ends early");
      return false;
    }
    position += size;
    return true;
  }

  string_view fields, data;
  std::string &error;
  size_t position = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Fields, for both directions
//===----------------------------------------------------------------------===//

/// T is a structure, constant for a writer.
template <typename Stream, typename T>
static void transferExpr(Stream &stream, T &expr) {
  stream.list(expr.terms, [&](auto &term) {
    using Kind = SizeTerm::Kind;
    stream.enumerator(term.kind, Kind::Exact);
    if (term.kind == Kind::Constant)
      stream.integer(term.value);
    if (term.kind == Kind::Capacity) {
      stream.integer(term.input);
      stream.integer(term.dim);
    }
    if (term.kind == Kind::Growable)
      stream.integer(term.growable);
    if (term.kind == Kind::Exact)
      stream.integer(term.slot);
  });
}

template <typename Stream, typename T>
static void transferValue(Stream &stream, T &value) {
  stream.text(value.name);
  stream.enumerator(value.type, ElementType::F64);
  stream.list(value.dims, [&](auto &dim) {
    stream.integer(dim.size);
    if (dim.size == kDynamic) {
      stream.integer(dim.slot);
      transferExpr(stream, dim.capacity);
    }
  });
  stream.boolean(value.isScalar);
}

template <typename Stream, typename T>
static void transferBuffer(Stream &stream, T &buffer) {
  stream.text(buffer.name);
  stream.enumerator(buffer.kind, Buffer::Kind::Prepared);
  stream.integer(buffer.index);
  transferExpr(stream, buffer.bytes);
  stream.integer(buffer.firstStep);
  stream.integer(buffer.lastStep);
}

template <typename Stream, typename T>
static void transferParam(Stream &stream, T &param) {
  using Kind = Param::Kind;
  stream.enumerator(param.kind, Kind::Capacity);
  if (param.kind == Kind::Buffer || param.kind == Kind::Slot)
    stream.integer(param.index);
  if (param.kind == Kind::I32 || param.kind == Kind::I64)
    stream.integer(param.value);
  if (param.kind == Kind::Buffer || param.kind == Kind::Capacity)
    transferExpr(stream, param.expr);
}

template <typename Stream, typename T>
static void transferStep(Stream &stream, T &step) {
  using Kind = Step::Kind;
  stream.enumerator(step.kind, Kind::Copy);
  stream.integer(step.op);
  stream.integer(step.stream);
  stream.list(step.dependencies, [&](auto &index) { stream.integer(index); });
  stream.boolean(step.prepares);
  stream.boolean(step.counts);
  stream.boolean(step.hasPrologue);
  if (step.kind == Kind::Launch) {
    stream.integer(step.kernel);
    transferExpr(stream, step.gridX);
    transferExpr(stream, step.gridY);
    stream.integer(step.blockX);
    stream.integer(step.dynamicSharedBytes);
    stream.integer(step.cluster);
    stream.list(step.params,
                [&](auto &param) { transferParam(stream, param); });
    return;
  }
  stream.integer(step.target);
  transferExpr(stream, step.targetOffset);
  transferExpr(stream, step.bytes);
  if (step.kind == Kind::Memset) {
    stream.integer(step.value);
    stream.integer(step.valueBytes);
  } else {
    stream.integer(step.source);
    transferExpr(stream, step.sourceOffset);
  }
}

template <typename Stream, typename T>
static void transferFunction(Stream &stream, T &function) {
  stream.text(function.name);
  stream.list(function.inputs, [&](auto &v) { transferValue(stream, v); });
  stream.list(function.outputs, [&](auto &v) { transferValue(stream, v); });
  stream.list(function.buffers, [&](auto &b) { transferBuffer(stream, b); });
  stream.list(function.slots, [&](auto &name) { stream.text(name); });
  stream.list(function.growables, [&](auto &growable) {
    stream.integer(growable.slot);
    stream.integer(growable.op);
    transferExpr(stream, growable.start);
    transferExpr(stream, growable.bound);
  });
  stream.list(function.ops, [&](auto &op) {
    stream.text(op.name);
    stream.text(op.location);
  });
  stream.list(function.steps, [&](auto &step) { transferStep(stream, step); });
  stream.integer(function.numStreams);
  stream.list(function.arguments, [&](auto &v) { transferValue(stream, v); });
}

template <typename Stream, typename T>
static void transferImage(Stream &stream, T &image) {
  stream.enumerator(image.kind, Image::Kind::MachineCode);
  stream.text(image.chip);
  stream.blob(image.bytes);
  if (image.kind != Image::Kind::MachineCode)
    return;
  stream.list(image.segments, [&](auto &segment) {
    stream.enumerator(segment.access, Image::Segment::Access::Code);
    stream.integer(segment.offset);
    stream.integer(segment.size);
  });
  stream.list(image.relocations, [&](auto &place) { stream.integer(place); });
  stream.list(image.symbols, [&](auto &symbol) {
    stream.text(symbol.name);
    stream.integer(symbol.offset);
  });
  stream.list(image.imports, [&](auto &name) { stream.text(name); });
}

template <typename Stream, typename T>
static void transfer(Stream &stream, T &plan) {
  stream.text(plan.producer);
  stream.list(plan.modules, [&](auto &module) {
    stream.text(module.name);
    stream.list(module.images,
                [&](auto &image) { transferImage(stream, image); });
  });
  stream.list(plan.kernels, [&](auto &kernel) {
    stream.text(kernel.name);
    stream.integer(kernel.module);
    stream.integer(kernel.staticSharedBytes);
    stream.integer(kernel.dynamicSharedBytes);
  });
  stream.list(plan.constants, [&](auto &constant) {
    stream.text(constant.name);
    stream.integer(constant.size);
    stream.integer(constant.hash);
    stream.boolean(constant.inFile);
    if (constant.inFile)
      stream.blob(constant.bytes);
  });
  stream.list(plan.functions, [&](auto &f) { transferFunction(stream, f); });
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string sparseconv::plan::serialise(const Plan &plan) {
  Writer writer;
  transfer(writer, plan);
  size_t planOffset = kHeaderBytes + 2 * kSectionBytes;
  size_t dataOffset = (planOffset + writer.fields.size() + kDataAlignment - 1) /
                      kDataAlignment * kDataAlignment;

  Writer table;
  auto addSection = [&](uint32_t kind, uint64_t offset, uint64_t size) {
    table.integer(kind);
    table.integer(uint32_t(0));
    table.integer(offset);
    table.integer(size);
  };
  addSection(kPlanSection, planOffset, writer.fields.size());
  addSection(kDataSection, dataOffset, writer.data.size());
  std::string body = std::move(table.fields);
  body += writer.fields;
  body.resize(dataOffset - kHeaderBytes);
  body += writer.data;

  Writer header;
  header.fields = string_view(kMagic, 8);
  header.integer(kVersion);
  header.integer(uint32_t(0)); // flags
  header.integer(uint64_t(kHeaderBytes + body.size()));
  header.integer(hashBytes(body));
  header.integer(uint32_t(2)); // sections
  header.integer(uint32_t(0));
  return header.fields + body;
}

bool sparseconv::plan::isPlan(string_view file) {
  return file.size() >= 8 && std::memcmp(file.data(), kMagic, 8) == 0;
}

std::optional<uint64_t>
sparseconv::plan::getStatedBytes(string_view beginning) {
  constexpr size_t offset = 16;
  if (!isPlan(beginning) || beginning.size() < kHeaderBytes)
    return std::nullopt;
  uint64_t size = 0;
  for (unsigned b = 0; b != 8; ++b)
    size |= uint64_t(static_cast<unsigned char>(beginning[offset + b]))
            << (8 * b);
  return size;
}

/// Finds the two sections of a file, or says what is wrong with it.
static bool readSections(string_view file, string_view &fields,
                         string_view &data, std::string &error) {
  auto fail = [&](std::string message) {
    error = std::move(message);
    return false;
  };
  if (!isPlan(file))
    return fail("not a plan: the file does not begin with 'SPCVPLAN'");
  Reader header(file.substr(0, kHeaderBytes), {}, error);
  uint64_t magic, size, hash;
  uint32_t version, flags, sections, reserved;
  header.integer(magic);
  header.integer(version);
  header.integer(flags);
  header.integer(size);
  header.integer(hash);
  header.integer(sections);
  header.integer(reserved);
  if (!error.empty())
    return fail("the file ends inside its header");
  if (version != kVersion)
    return fail("the plan has version " + std::to_string(version) +
                ", this runtime reads version " + std::to_string(kVersion) +
                ": compile it again");
  if (flags != 0 || reserved != 0)
    return fail("the plan has flags that this runtime does not know");
  if (size != file.size())
    return fail("the plan is " + std::to_string(size) +
                " bytes long, but the file has " + std::to_string(file.size()));
  if (hash != hashBytes(file.substr(kHeaderBytes)))
    return fail("the file is damaged: its checksum does not match");
  if (sections != 2 || file.size() < kHeaderBytes + 2 * kSectionBytes)
    return fail("the plan has " + std::to_string(sections) +
                " sections, expected 2");
  Reader table(file.substr(kHeaderBytes, 2 * kSectionBytes), {}, error);
  for (uint32_t expected : {kPlanSection, kDataSection}) {
    uint32_t kind, sectionFlags;
    uint64_t offset, bytes;
    table.integer(kind);
    table.integer(sectionFlags);
    table.integer(offset);
    table.integer(bytes);
    if (kind != expected || sectionFlags != 0)
      return fail("the plan has a section of unknown kind " +
                  std::to_string(kind));
    if (offset > file.size() || bytes > file.size() - offset)
      return fail("section " + std::to_string(kind) + " is outside the file");
    (kind == kPlanSection ? fields : data) = file.substr(offset, bytes);
  }
  return true;
}

std::optional<Plan> sparseconv::plan::parse(string_view file,
                                            std::string &error) {
  error.clear();
  string_view fields, data;
  if (!readSections(file, fields, data, error))
    return std::nullopt;
  Plan plan;
  Reader reader(fields, data, error);
  transfer(reader, plan);
  if (!reader.failed() && !reader.atEnd())
    reader.fail("the plan section has more bytes than the plan");
  if (reader.failed())
    return std::nullopt;
  if (std::optional<std::string> reason = verify(plan)) {
    error = *reason;
    return std::nullopt;
  }
  return plan;
}
