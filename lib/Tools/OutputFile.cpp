//===- OutputFile.cpp - what a tool writes --------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tools/OutputFile.h"
#include "sparseconv/IO/File.h"
#include <cstdlib>
#include <optional>

using namespace sparseconv;
using llvm::Error;

int sparseconv::writeOutput(
    llvm::StringRef tool, llvm::StringRef path,
    llvm::function_ref<bool(llvm::raw_ostream &)> write) {
  auto fail = [&](const llvm::Twine &message) {
    llvm::errs() << tool << ": error: " << message << '\n';
    return EXIT_FAILURE;
  };
  if (path == "-") {
    llvm::raw_fd_ostream &os = llvm::outs();
    bool isWritten = write(os);
    os.flush();
    if (std::error_code error = os.error()) {
      os.clear_error();
      return fail("standard output: " + error.message());
    }
    return isWritten ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  std::optional<bool> isWritten;
  Error error = writeFile(path, [&](llvm::raw_ostream &os) -> Error {
    isWritten = write(os);
    return *isWritten ? Error::success()
                      : llvm::createStringError("the rest has been said");
  });
  if (isWritten == false) {
    consumeError(std::move(error));
    return EXIT_FAILURE;
  }
  return error ? fail(toString(std::move(error))) : EXIT_SUCCESS;
}
