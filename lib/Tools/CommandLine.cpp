//===- CommandLine.cpp - help and errors of command lines -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tools/CommandLine.h"
#include "sparseconv/Support/NumThreads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <deque>

namespace cl = llvm::cl;
using llvm::ArrayRef;
using llvm::StringRef;

/// Whether help is asked for that hides nothing.
static bool asksForAll(int argc, char **argv) {
  return llvm::any_of(ArrayRef<char *>(argv, argc), [](StringRef argument) {
    return argument.ltrim('-') == "help-hidden" ||
           argument.ltrim('-') == "help-list-hidden";
  });
}

/// Lets --version say the project's version behind LLVM's.
static void addVersion() {
  cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "sparseconv version " SPARSECONV_VERSION "\n";
  });
}

/// `text` in lines of at most `width` columns where its words allow it.
static std::string wrap(StringRef text, size_t width) {
  std::string wrapped;
  size_t column = 0;
  while (!text.empty()) {
    auto [word, rest] = text.split(' ');
    if (column && column + 1 + word.size() > width) {
      wrapped += '\n';
      column = 0;
    } else if (column) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += word.size();
    text = rest;
  }
  return wrapped;
}

/// Wraps what help says of the options that it shows to lines of a terminal.
static void wrapDescriptions() {
  constexpr size_t kColumns = 80, kFewest = 40;
  // Descriptions are references.
  static std::deque<std::string> texts;
  llvm::SmallVector<cl::Option *> shown;
  size_t width = 0;
  for (auto &entry : cl::getRegisteredOptions()) {
    cl::Option *option = entry.second;
    if (option->getOptionHiddenFlag() != cl::NotHidden || !option->hasArgStr())
      continue;
    shown.push_back(option);
    width = std::max(width, option->getOptionWidth());
  }
  // Between a name and its description there is " - ".
  size_t left = std::max(kFewest, kColumns - std::min(kColumns, width + 3));
  for (cl::Option *option : shown)
    option->setDescription(texts.emplace_back(wrap(option->HelpStr, left)));
}

/// The first mistake of those that LLVM reports.
static std::string getFirstMistake(StringRef errors, StringRef program) {
  auto [first, rest] = errors.split('\n');
  first.consume_front(program);
  first.consume_front(": ");
  if (first.starts_with("Not enough positional"))
    return "no input file; --help shows examples";
  bool isUnknown = first.consume_front("Unknown command line argument ");
  first = first.split(".  Try:").first.split(": See:").first;
  if (!isUnknown)
    return first.str();
  std::string text = ("unknown option " + first).str();
  rest = rest.split('\n').first;
  if (size_t found = rest.find("Did you mean "); found != StringRef::npos)
    return text + "; did you mean " + rest.substr(found + 13).str();
  return text + "; --help lists the options";
}

/// Lets a write fail that a limit on the size of files forbids, with an error
/// that is told, where the signal would end the program.
static void ignoreSizeSignal() { std::signal(SIGXFSZ, SIG_IGN); }

void sparseconv::parseCommandLine(
    int argc, char **argv, StringRef overview,
    ArrayRef<const cl::OptionCategory *> categories) {
  ignoreSizeSignal();
  if (!asksForAll(argc, argv))
    cl::HideUnrelatedOptions(categories);
  addVersion();
  wrapDescriptions();
  std::string errors;
  llvm::raw_string_ostream os(errors);
  if (cl::ParseCommandLineOptions(argc, argv, overview, &os))
    return;
  StringRef program = llvm::sys::path::filename(argv[0]);
  // A value that is none is reported at once, in one line.
  if (!errors.empty())
    llvm::errs() << program << ": error: " << getFirstMistake(errors, program)
                 << '\n';
  std::exit(1);
}

int sparseconv::finishOutput(StringRef tool, int status) {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  std::error_code error = os.error();
  if (!error)
    return status;
  os.clear_error(); // the stream ends the program with an unseen one
  llvm::errs() << tool << ": error: standard output: " << error.message()
               << '\n';
  return 1;
}

llvm::Error sparseconv::checkNumThreads(StringRef option, unsigned number) {
  if (number <= unsigned(kMaxThreads))
    return llvm::Error::success();
  return llvm::createStringError(option + "=" + llvm::Twine(number) +
                                 ": expected at most " +
                                 llvm::Twine(kMaxThreads) + " threads");
}

void sparseconv::hideOptionsSoFar(int argc, char **argv) {
  // LLVM's own for help, and its version, stay.
  static cl::OptionCategory none("None");
  ignoreSizeSignal();
  addVersion();
  if (!asksForAll(argc, argv))
    cl::HideUnrelatedOptions(none);
}
