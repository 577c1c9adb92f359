//===- Progress.cpp - what a tool is doing --------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tools/Progress.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace sparseconv;
namespace cl = llvm::cl;

ProgressOption::ProgressOption(cl::OptionCategory &category)
    : option("progress",
             cl::desc("say on standard error what is being done (default: "
                      "where that is a terminal)"),
             cl::cat(category)) {}

bool ProgressOption::isOn() const {
  if (option == cl::BOU_UNSET)
    return llvm::sys::Process::StandardErrIsDisplayed();
  return option == cl::BOU_TRUE;
}

Progress::Progress(bool isOn)
    : isOn(isOn), isTerminal(llvm::sys::Process::StandardErrIsDisplayed()),
      start(std::chrono::steady_clock::now()) {
  if (!isOn || !isTerminal)
    return;
  clock = std::thread([this] {
    std::unique_lock<std::mutex> lock(mutex);
    while (!isOver) {
      wake.wait_for(lock, std::chrono::milliseconds(200));
      draw();
    }
  });
}

Progress::~Progress() {
  end();
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  wake.notify_all();
  if (clock.joinable())
    clock.join();
}

void Progress::begin(std::string newStep, size_t newParts) {
  if (!isOn)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  erase();
  step = std::move(newStep);
  parts = newParts;
  done = 0;
  start = std::chrono::steady_clock::now();
  if (!isTerminal)
    llvm::errs() << step << '\n';
}

void Progress::advance() {
  if (!isOn)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  ++done;
  if (!isTerminal)
    llvm::errs() << getText() << '\n';
}

void Progress::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  erase();
}

void Progress::end() {
  std::lock_guard<std::mutex> lock(mutex);
  erase();
  step.clear();
}

void Progress::erase() {
  if (isDrawn)
    llvm::errs() << "\r\x1b[K";
  isDrawn = false;
}

/// What is known of the step, but for its time.
std::string Progress::getText() const {
  if (!parts)
    return step;
  constexpr size_t kWidth = 20;
  size_t filled = std::min(done, parts) * kWidth / parts;
  std::string bar(filled, '=');
  if (filled < kWidth)
    bar += '>';
  bar.resize(kWidth, ' ');
  return step + " [" + bar + "] " + std::to_string(done) + "/" +
         std::to_string(parts);
}

void Progress::draw() {
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  if (step.empty() || elapsed.count() < 0.5)
    return;
  std::string text = getText() + ", " +
                     std::to_string(static_cast<int>(elapsed.count())) + " s";
  // A line that is too long could not be erased.
  size_t columns = llvm::sys::Process::StandardErrColumns();
  if (columns > 1 && text.size() >= columns)
    text.resize(columns - 1);
  erase();
  llvm::errs() << text;
  isDrawn = true;
}
