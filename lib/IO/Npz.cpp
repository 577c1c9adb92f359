//===- Npz.cpp - archives of numpy arrays ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Npz.h"
#include "Bytes.h"
#include "Zip.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/IO/Npy.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

static constexpr StringLiteral suffix(".npy");

Expected<NamedTensors> sparseconv::parseNpz(MemoryBufferRef buffer) {
  StringRef file = buffer.getBufferIdentifier();
  NamedTensors tensors;
  StringSet<> seen;
  auto readArray = [&](StringRef member, StringRef bytes) -> Error {
    StringRef name = member;
    if (!name.consume_back(suffix))
      return makeFileError(file, "member {0} is not an .npy array",
                           quote(member));
    if (Error error = checkDistinct(file, seen, name))
      return error;
    std::string where = (file + "(" + member + ")").str();
    Expected<HostTensor> tensor = parseNpy(MemoryBufferRef(bytes, where));
    if (!tensor)
      return tensor.takeError();
    tensors.push_back({name.str(), std::move(*tensor)});
    return Error::success();
  };
  if (Error error = readZip(buffer, readArray))
    return error;
  return tensors;
}

Expected<NamedTensors> sparseconv::readNpz(StringRef path) {
  return parseFile(path, parseNpz);
}

/// Names that a zip archive can hold.
static Error checkNames(StringRef path, ArrayRef<NamedTensor> tensors) {
  StringSet<> seen;
  for (const NamedTensor &entry : tensors) {
    StringRef name = entry.name;
    if (Error error = checkDistinct(path, seen, name))
      return error;
    if (name.size() + suffix.size() > UINT16_MAX || name.contains('\0') ||
        !json::isUTF8(name))
      return makeFileError(path, "{0} cannot name a member of a zip archive",
                           quote(name));
  }
  return Error::success();
}

Error sparseconv::writeNpz(StringRef path, ArrayRef<NamedTensor> tensors) {
  if (Error error = checkNames(path, tensors))
    return error;
  return writeFile(path, [&](raw_ostream &os) -> Error {
    ZipWriter writer(path, os);
    for (const auto &[name, tensor] : tensors)
      if (Error error =
              writer.write(name + suffix.str(),
                           {getNpyHeader(tensor),
                            StringRef(tensor.getData(), tensor.getNumBytes())}))
        return error;
    return writer.finish();
  });
}
