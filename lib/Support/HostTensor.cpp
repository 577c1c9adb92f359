//===- HostTensor.cpp - a dense tensor in host memory ---------------------===//
//----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/HostTensor.h"
#include "sparseconv/Support/Memory.h"
#include "sparseconv/Support/Shorten.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

using namespace sparseconv;
using llvm::APFloat;

namespace {
struct KindInfo {
  ElementKind kind;
  const char *name;
  unsigned bytes;
  bool isFloat;
};
} // namespace

static constexpr KindInfo kinds[] = {
    {ElementKind::I1, "i1", 1, false},   {ElementKind::I8, "i8", 1, false},
    {ElementKind::U8, "ui8", 1, false},  {ElementKind::I16, "i16", 2, false},
    {ElementKind::I32, "i32", 4, false}, {ElementKind::I64, "i64", 8, false},
    {ElementKind::F16, "f16", 2, true},  {ElementKind::BF16, "bf16", 2, true},
    {ElementKind::F32, "f32", 4, true},  {ElementKind::F64, "f64", 8, true},
};

static const KindInfo &getInfo(ElementKind kind) {
  return kinds[static_cast<unsigned>(kind)];
}

unsigned sparseconv::getByteWidth(ElementKind kind) {
  return getInfo(kind).bytes;
}
llvm::StringRef sparseconv::getName(ElementKind kind) {
  return getInfo(kind).name;
}
bool sparseconv::isFloat(ElementKind kind) { return getInfo(kind).isFloat; }

std::optional<ElementKind> sparseconv::parseElementKind(llvm::StringRef name) {
  for (const KindInfo &info : kinds)
    if (name == info.name)
      return info.kind;
  return std::nullopt;
}

static const llvm::fltSemantics &getHalfSemantics(ElementKind kind) {
  return kind == ElementKind::F16 ? APFloat::IEEEhalf() : APFloat::BFloat();
}

/// The 16 bits of `value` rounded to f16 or bf16.
static uint16_t toHalfBits(ElementKind kind, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(getHalfSemantics(kind), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

static double fromHalfBits(ElementKind kind, uint16_t bits) {
  if (kind == ElementKind::BF16) {
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  unsigned exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  double magnitude =
      exponent == 31 ? (mantissa ? std::numeric_limits<double>::quiet_NaN()
                                 : std::numeric_limits<double>::infinity())
      : exponent
          ? std::ldexp(1024.0 + mantissa, static_cast<int>(exponent) - 25)
          : std::ldexp(static_cast<double>(mantissa), -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// Rounds to f16 or bf16. Adding and subtracting 1.5 * 2^52 units rounds a
/// double to a multiple of the unit, ties to even.
static double roundToHalf(ElementKind kind, double value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(value))
    return value;
  if (std::abs(value) >= 0x1p128) // also keeps `shift` below finite
    return std::copysign(infinity, value);
  bool isF16 = kind == ElementKind::F16;
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits &= uint64_t(0x7ff) << 52;
  double power; // the power of two at or below the magnitude
  std::memcpy(&power, &bits, sizeof(power));
  double unit = isF16 ? std::max(power * 0x1p-10, 0x1p-24)
                      : std::max(power * 0x1p-7, 0x1p-133);
  double shift = unit * 0x1.8p52;
  double rounded = std::copysign((value + shift) - shift, value);
  double largest = isF16 ? 65504.0 : 0x1.fep127;
  if (std::abs(rounded) > largest)
    return std::copysign(infinity, value);
  return rounded;
}

double sparseconv::roundTo(ElementKind kind, double value) {
  switch (kind) {
  case ElementKind::F64:
    return value;
  case ElementKind::F32:
    return static_cast<float>(value);
  case ElementKind::F16:
  case ElementKind::BF16:
    return roundToHalf(kind, value);
  default:
    return std::trunc(value);
  }
}

HostTensor::HostTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape)
    : kind(kind), shape(shape) {
  bytes.resize(static_cast<size_t>(getNumElements()) * getByteWidth(kind));
}

static std::string getTypeString(ElementKind kind,
                                 llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tensor<";
  for (int64_t size : shape)
    os << size << 'x';
  os << getName(kind) << '>';
  return shorten(text);
}

llvm::Expected<HostTensor> HostTensor::create(ElementKind kind,
                                              llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> bytes = getTensorBytes(shape, getByteWidth(kind));
  if (!bytes)
    return llvm::createStringError(::getTypeString(kind, shape) +
                                   " has no size that memory can hold");
  if (llvm::Error error = checkMemory(*bytes))
    return llvm::createStringError(::getTypeString(kind, shape) + ": " +
                                   llvm::toString(std::move(error)));
  return HostTensor(kind, shape);
}

int64_t HostTensor::getNumElements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

template <typename T> static T load(const char *data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void store(char *data, int64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

double HostTensor::getDouble(int64_t index) const {
  const char *data = bytes.data();
  switch (kind) {
  case ElementKind::I1:
    return data[index] != 0;
  case ElementKind::I8:
    return load<int8_t>(data, index);
  case ElementKind::U8:
    return load<uint8_t>(data, index);
  case ElementKind::I16:
    return load<int16_t>(data, index);
  case ElementKind::I32:
    return load<int32_t>(data, index);
  case ElementKind::I64:
    return static_cast<double>(load<int64_t>(data, index));
  case ElementKind::F16:
  case ElementKind::BF16:
    return fromHalfBits(kind, load<uint16_t>(data, index));
  case ElementKind::F32:
    return load<float>(data, index);
  case ElementKind::F64:
    return load<double>(data, index);
  }
  llvm_unreachable("unknown element kind");
}

void HostTensor::setDouble(int64_t index, double value) {
  char *data = bytes.data();
  switch (kind) {
  case ElementKind::I1:
    return store<uint8_t>(data, index, value != 0);
  case ElementKind::I8:
    return store(data, index, static_cast<int8_t>(value));
  case ElementKind::U8:
    return store(data, index, static_cast<uint8_t>(value));
  case ElementKind::I16:
    return store(data, index, static_cast<int16_t>(value));
  case ElementKind::I32:
    return store(data, index, static_cast<int32_t>(value));
  case ElementKind::I64:
    return store(data, index, static_cast<int64_t>(value));
  case ElementKind::F16:
  case ElementKind::BF16:
    return store(data, index, toHalfBits(kind, value));
  case ElementKind::F32:
    return store(data, index, static_cast<float>(value));
  case ElementKind::F64:
    return store(data, index, value);
  }
}

std::string HostTensor::getTypeString() const {
  return ::getTypeString(kind, shape);
}

HostTensor HostTensor::convert(ElementKind to) const {
  if (to == kind)
    return *this;
  HostTensor result(to, shape);
  for (int64_t i = 0, e = getNumElements(); i < e; ++i)
    result.setDouble(i, getDouble(i));
  return result;
}
