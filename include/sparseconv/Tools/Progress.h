//===- Progress.h - what a tool is doing ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_PROGRESS_H
#define SPARSECONV_TOOLS_PROGRESS_H

#include "llvm/Support/CommandLine.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace sparseconv {

/// The option --progress: unset, it is on where standard error is a terminal.
class ProgressOption {
public:
  explicit ProgressOption(llvm::cl::OptionCategory &category);
  bool isOn() const;

private:
  llvm::cl::opt<llvm::cl::boolOrDefault> option;
};

/// Says on standard error what a tool is doing. On a terminal that is one line,
/// there from half a second on, with the seconds since the step began, and a
/// bar where the number of its parts is known:
///
///   measuring [========>           ] 9/20, 31 s
///
/// Elsewhere it is a line for each step and each part. All functions do nothing
/// where it is off.
class Progress {
public:
  explicit Progress(bool isOn);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Begins a step, which ends the one before; 0 parts are an unknown number.
  void begin(std::string step, size_t parts = 0);
  /// One more part of the step is done.
  void advance();
  /// Takes the line away, so that something else can be printed.
  void clear();
  /// Ends the last step.
  void end();
  /// Does a step of which no parts are known.
  template <typename Function>
  auto during(const std::string &what, Function &&function) {
    begin(what);
    auto result = function();
    end();
    return result;
  }

private:
  void draw();
  void erase();
  std::string getText() const;

  const bool isOn, isTerminal;
  std::mutex mutex;
  std::condition_variable wake;
  std::thread clock;
  bool isOver = false, isDrawn = false;
  std::string step;
  size_t parts = 0, done = 0;
  std::chrono::steady_clock::time_point start;
};

} // namespace sparseconv

#endif // SPARSECONV_TOOLS_PROGRESS_H
