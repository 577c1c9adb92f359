//===- Params.cpp - parameters of kernels and of launches -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/PlanParams.h"
#include <algorithm>
#include <charconv>
#include <cstring>

using namespace sparseconv::plan;
using std::string_view;
using std::to_string;

static uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

ParamPlaces sparseconv::plan::getPlaces(const std::vector<Param> &params) {
  ParamPlaces places;
  places.reserve(params.size());
  uint64_t end = 0;
  for (const Param &param : params) {
    uint64_t size = param.kind == Param::Kind::I32 ? 4 : 8;
    places.push_back({roundUp(end, size), size});
    end = places.back().offset + size;
  }
  return places;
}

uint64_t sparseconv::plan::getBlockBytes(const ParamPlaces &places) {
  return places.empty() ? 0 : places.back().offset + places.back().size;
}

std::optional<std::string>
sparseconv::plan::compareParams(const ParamPlaces &launch,
                                const ParamPlaces &kernel,
                                const std::string &kernelName) {
  if (launch.size() != kernel.size())
    return "the launch passes " + to_string(launch.size()) +
           " parameters, kernel '" + kernelName + "' takes " +
           to_string(kernel.size());
  for (size_t i = 0; i != launch.size(); ++i)
    if (!(launch[i] == kernel[i]))
      return "the launch passes parameter " + to_string(i) + " in " +
             to_string(launch[i].size) + " bytes at byte " +
             to_string(launch[i].offset) + ", kernel '" + kernelName +
             "' takes " + to_string(kernel[i].size) + " at byte " +
             to_string(kernel[i].offset);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

namespace {
/// Splits PTX into words (directives, names, numbers) and single marks, without
/// comments and strings.
class PtxScanner {
public:
  explicit PtxScanner(string_view text)
      : text(text), end(text.data() + text.size()) {}

  /// An empty one at the end.
  string_view next();

  /// Goes behind the next word that is `.entry`, if there is one. PTX is
  /// megabytes of other words, at which this does not look.
  bool skipToEntry();

private:
  static bool isWord(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || c == '_' || c == '$' || c == '%' ||
           c == '.';
  }
  void skipBlanks();
  /// The next place of what is sought, or the end; `place` has the last one.
  const char *find(string_view sought, const char *&place);

  string_view text;
  const char *end;
  const char *entry = nullptr, *slash = nullptr, *quote = nullptr;
};
} // namespace

void PtxScanner::skipBlanks() {
  while (!text.empty()) {
    size_t end = 1;
    if (text.substr(0, 2) == "//") {
      end = text.find('\n');
    } else if (text.substr(0, 2) == "/*") {
      end = text.find("*/", 2);
      end = end == string_view::npos ? end : end + 2;
    } else if (text[0] == '"') {
      end = text.find('"', 1);
      end = end == string_view::npos ? end : end + 1;
    } else if (static_cast<unsigned char>(text[0]) > ' ') {
      return;
    }
    text.remove_prefix(std::min(end, text.size()));
  }
}

string_view PtxScanner::next() {
  skipBlanks();
  size_t end = 0;
  while (end != text.size() && isWord(text[end]))
    ++end;
  string_view word = text.substr(0, std::max<size_t>(end, 1));
  text.remove_prefix(word.size());
  return word;
}

const char *PtxScanner::find(string_view sought, const char *&place) {
  if (!place || place < text.data()) {
    const void *found =
        sought.size() == 1
            ? std::memchr(text.data(), sought[0], text.size())
            : memmem(text.data(), text.size(), sought.data(), sought.size());
    place = found ? static_cast<const char *>(found) : end;
  }
  return place;
}

bool PtxScanner::skipToEntry() {
  constexpr string_view word = ".entry";
  const char *begin = text.data(); // no word goes on before it
  while (!text.empty() && find(word, entry) != end) {
    const char *mark = std::min(find("/", slash), find("\"", quote));
    if (mark < entry) { // a comment or a string, or a division
      text.remove_prefix(mark - text.data());
      size_t size = text.size();
      skipBlanks();
      if (text.size() == size)
        text.remove_prefix(1);
      begin = text.data();
      continue;
    }
    const char *behind = entry + word.size();
    bool isWhole = (entry == begin || !isWord(entry[-1])) &&
                   (behind == end || !isWord(*behind));
    text.remove_prefix(behind - text.data());
    if (isWhole)
      return true;
  }
  text = {};
  return false;
}

static std::optional<uint64_t> readNumber(string_view word) {
  uint64_t number = 0;
  auto [end, code] =
      std::from_chars(word.data(), word.data() + word.size(), number);
  if (code != std::errc() || end != word.data() + word.size() || word.empty())
    return std::nullopt;
  return number;
}

/// Bytes of ".u64", ".f32", ...; 0 for what is no such type.
static uint64_t getTypeBytes(string_view word) {
  if (word.size() < 3 || word[0] != '.' ||
      string_view("busf").find(word[1]) == string_view::npos)
    return 0;
  std::optional<uint64_t> bits = readNumber(word.substr(2));
  return bits && *bits % 8 == 0 && *bits <= 128 ? *bits / 8 : 0;
}

/// The parameters of a kernel, from behind the opening bracket:
///   .param [.align N] TYPE [.ptr [SPACE] [.align N]] NAME[[COUNT]], ... )
static std::optional<ParamPlaces> readParams(PtxScanner &scanner) {
  ParamPlaces places;
  uint64_t end = 0;
  string_view word = scanner.next();
  if (word == ")")
    return places;
  while (word == ".param") {
    uint64_t type = 0, align = 0, count = 1;
    bool isPointer = false;
    for (word = scanner.next(); word != "," && word != ")";
         word = scanner.next()) {
      if (word.empty())
        return std::nullopt;
      if (uint64_t bytes = getTypeBytes(word)) {
        type = bytes;
      } else if (word == ".ptr") {
        isPointer = true;
      } else if (word == ".align" || word == "[") {
        bool isCount = word == "[";
        std::optional<uint64_t> number = readNumber(scanner.next());
        if (!number || *number == 0 || *number > UINT16_MAX)
          return std::nullopt;
        // The alignment behind `.ptr` is that of what it points to.
        if (isCount)
          count = *number;
        else if (!isPointer)
          align = *number;
      }
    }
    if (!type)
      return std::nullopt;
    uint64_t offset = roundUp(end, std::max(type, align));
    places.push_back({offset, type * count});
    end = offset + type * count;
    if (word == ")")
      return places;
    word = scanner.next();
  }
  return std::nullopt;
}

std::map<std::string, ParamPlaces>
sparseconv::plan::readPtxKernels(string_view ptx) {
  std::map<std::string, ParamPlaces> kernels;
  PtxScanner scanner(ptx);
  while (scanner.skipToEntry()) {
    std::string name(scanner.next());
    PtxScanner ahead = scanner;
    if (ahead.next() != "(") { // nothing follows where there are no parameters
      kernels[name];
      continue;
    }
    scanner = ahead;
    if (std::optional<ParamPlaces> places = readParams(scanner))
      kernels[name] = std::move(*places);
  }
  return kernels;
}

std::set<std::string>
sparseconv::plan::getDeclaredKernels(const Module &module) {
  std::map<std::string, size_t> declarations;
  size_t images = 0;
  for (const Image &image : module.images)
    if (image.kind == Image::Kind::Ptx) {
      ++images;
      for (const auto &[name, places] : readPtxKernels(image.bytes))
        ++declarations[name];
    }
  std::set<std::string> names;
  for (const auto &[name, count] : declarations)
    if (count == images)
      names.insert(name);
  return names;
}
