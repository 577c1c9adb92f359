//===- sparseconv.cpp - all the tools in one program ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the tool that its own name says, through a link such as sparseconv-opt,
// or that its first argument says: `sparseconv opt`.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using llvm::StringRef;

namespace {
struct Tool {
  StringRef name, summary;
  int (*main)(int, char **);
};
} // namespace

static const Tool tools[] = {
    {"fuzz-operations", "checks random networks", fuzzMain},
    {"lsp-server", "serves editors of IR files", lspMain},
    {"opt", "runs passes on IR files", optMain},
    {"run", "compiles and runs an IR file", runMain},
    {"serve", "runs a network for another process", serveMain},
    {"sweep", "writes the scan of a made-up street", sweepMain},
    {"translate", "writes IR in other forms", translateMain},
    {"tune", "measures how to carry out a network", tuneMain},
};

static const Tool *findTool(StringRef name) {
  name.consume_front("sparseconv-");
  const Tool *tool =
      llvm::find_if(tools, [&](const Tool &tool) { return tool.name == name; });
  return tool == std::end(tools) ? nullptr : tool;
}

/// Takes back the options that sparseconv-run registers when the program
/// starts: another tool has no use for them, and one of them is required.
static void dropOptionsOfRun() {
  llvm::SmallVector<cl::Option *> options;
  auto add = [&](cl::Option *option) {
    for (const cl::OptionCategory *category : option->Categories)
      if (llvm::is_contained({"Running", "Arguments and results", "Scans"},
                             category->getName())) {
        options.push_back(option);
        return;
      }
  };
  for (cl::Option *option : cl::SubCommand::getTopLevel().PositionalOpts)
    add(option);
  for (auto &entry : cl::getRegisteredOptions())
    add(entry.second);
  for (cl::Option *option : options)
    option->removeArgument();
}

int main(int argc, char **argv) {
  const Tool *tool = findTool(llvm::sys::path::filename(argv[0]));
  std::string name;
  if (!tool && argc > 1 && (tool = findTool(argv[1]))) {
    --argc;
    ++argv;
    name = ("sparseconv-" + tool->name).str();
    argv[0] = name.data();
  }
  if (tool) {
    if (tool->main != runMain)
      dropOptionsOfRun();
    return tool->main(argc, argv);
  }

  bool help =
      argc > 1 && llvm::is_contained({"--help", "-h"}, StringRef(argv[1]));
  llvm::raw_ostream &os = help ? llvm::outs() : llvm::errs();
  if (argc > 1 && !help)
    os << "sparseconv: error: no tool '" << argv[1] << "'\n";
  os << "usage: sparseconv TOOL ARGUMENTS, or a link named sparseconv-TOOL\n";
  for (const Tool &tool : tools)
    os << "  " << llvm::formatv("{0,-17}{1}\n", tool.name, tool.summary);
  return help ? 0 : 1;
}
