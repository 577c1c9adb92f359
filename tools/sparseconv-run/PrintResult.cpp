//===- PrintResult.cpp - a result as text ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrintResult.h"
#include "sparseconv/IO/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <cmath>

using mlir::sparseconv::OutputFile;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

void mlir::sparseconv::printSummary(llvm::StringRef name,
                                    const HostTensor &tensor,
                                    llvm::raw_ostream &os) {
  os << "result '" << name << "': " << tensor.getTypeString();
  double low = INFINITY, high = -INFINITY, sum = 0;
  int64_t count = tensor.getNumElements(), numNans = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = tensor.getDouble(i);
    if (std::isnan(value)) {
      ++numNans;
      continue;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  if (count > numNans)
    os << llvm::format(", min %.6g, mean %.6g, max %.6g", low,
                       sum / (count - numNans), high);
  if (numNans)
    os << ", " << numNans << " nan";
  os << '\n';
}

static void printElement(const HostTensor &tensor, int64_t index,
                         llvm::raw_ostream &os) {
  if (tensor.getKind() == ElementKind::I64)
    os << tensor.as<int64_t>()[index];
  else if (isFloat(tensor.getKind()))
    os << llvm::format("%.6g", tensor.getDouble(index));
  else
    os << static_cast<int64_t>(tensor.getDouble(index));
}

/// "[1, 0]" for row 2 of a tensor<2x2x3xf32>; nothing for one of rank 1 or 0.
static std::string getPlace(const HostTensor &tensor, int64_t row) {
  if (tensor.getRank() < 2)
    return "";
  llvm::SmallVector<std::string> indices;
  for (int64_t size : llvm::reverse(tensor.getShape().drop_back())) {
    indices.insert(indices.begin(), std::to_string(row % size));
    row /= size;
  }
  return "[" + llvm::join(indices, ", ") + "] ";
}

void mlir::sparseconv::printElements(const HostTensor &tensor,
                                     llvm::raw_ostream &os) {
  constexpr int64_t most = 1000;
  int64_t columns = tensor.getRank() == 0 ? 1 : tensor.getShape().back();
  int64_t rows = columns == 0 ? 0 : tensor.getNumElements() / columns;
  for (int64_t row = 0, e = std::min(rows, most); row < e; ++row) {
    os << "  " << getPlace(tensor, row);
    for (int64_t column = 0; column < columns; ++column) {
      os << (column ? ", " : "");
      printElement(tensor, row * columns + column, os);
    }
    os << '\n';
  }
  if (rows > most)
    os << "  and " << rows - most << " more rows\n";
}

llvm::Expected<llvm::SmallVector<OutputFile>>
mlir::sparseconv::readOutputs(ArrayRef<std::string> outputs,
                              const Signature &signature) {
  size_t next = 0, numResults = signature.results.size();
  llvm::StringSet<> paths;
  SmallVector<OutputFile> files;
  for (StringRef output : outputs) {
    size_t number = numResults;
    StringRef path = output;
    if (auto [name, rest] = output.split('='); name.size() != output.size()) {
      for (auto [i, parameter] : llvm::enumerate(signature.results))
        if (parameter.name == name) {
          number = i;
          path = rest;
        }
      // A file name may hold '=' too, but then it has a folder in front.
      if (number == numResults && !name.contains('/'))
        return llvm::createStringError("--output " + output + ": '" + name +
                                       "' is no result of the function");
    }
    if (path.size() == output.size())
      number = next++;
    if (number >= numResults)
      return llvm::createStringError(
          "--output " + output + ": the function has " +
          llvm::Twine(numResults) + (numResults == 1 ? " result" : " results"));
    if (!paths.insert(path).second)
      return llvm::createStringError("--output " + output +
                                     ": another result is written to this "
                                     "file");
    files.push_back({number, path.str()});
  }
  return files;
}

llvm::Error mlir::sparseconv::writeResults(ArrayRef<OutputFile> outputs,
                                           ArrayRef<HostTensor> results) {
  for (const OutputFile &output : outputs)
    if (llvm::Error error =
            ::sparseconv::writeNpy(output.path, results[output.result]))
      return error;
  return llvm::Error::success();
}
