//===- ChildProcess.cpp - a program with input, output and a limit --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace sparseconv::capi;
using Clock = std::chrono::steady_clock;

extern char **environ;

namespace {
/// A file descriptor that this process alone has.
class File {
public:
  File() = default;
  explicit File(int number) : number(number) {}
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() { close(); }
  void set(int other) {
    close();
    number = other;
  }
  void close() {
    if (number >= 0)
      ::close(number);
    number = -1;
  }
  int get() const { return number; }
  explicit operator bool() const { return number >= 0; }

private:
  int number = -1;
};

struct Pipe {
  File read, write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return false;
    read.set(ends[0]);
    write.set(ends[1]);
    return true;
  }
};
} // namespace

namespace {
/// A process that is ended and waited for, however its user ends.
struct Child {
  pid_t id = 0;

  ~Child() {
    if (!id)
      return;
    end();
    int status = 0;
    wait(status);
  }
  void end() const { ::kill(-id, SIGKILL); }
  /// Whether it has ended.
  bool hasEnded() const {
    siginfo_t info;
    return ::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
  }
  /// Whether its status is known.
  bool wait(int &status) {
    pid_t waited;
    do
      waited = ::waitpid(id, &status, 0);
    while (waited < 0 && errno == EINTR);
    return waited == std::exchange(id, 0);
  }
};
} // namespace

static ChildResult fail(const std::string &what, int error) {
  ChildResult result;
  result.problem = what + ": " + std::strerror(error);
  return result;
}

/// All of the input before the process starts: neither side ever waits for the
/// other, and no signal says that a pipe is broken.
static bool writeInput(int file, std::string_view input) {
  while (!input.empty()) {
    ssize_t written = ::write(file, input.data(), input.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    input.remove_prefix(written);
  }
  return ::lseek(file, 0, SEEK_SET) == 0;
}

/// What the process starts with, whatever this one has set up.
static int spawn(pid_t &child, const std::string &program,
                 const std::vector<std::string> &arguments, int input,
                 int output, int diagnostics) {
  std::vector<char *> words = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  // After an abort the text matters, not the symbols of the stack.
  std::vector<char *> environment;
  for (char **entry = environ; entry && *entry; ++entry)
    environment.push_back(*entry);
  static char noSymbols[] = "LLVM_DISABLE_SYMBOLIZATION=1";
  environment.push_back(noSymbols);
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, diagnostics, STDERR_FILENO);
  // Files that other libraries opened without O_CLOEXEC.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  // A group of its own, which a time limit ends as a whole.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETPGROUP);

  int error = posix_spawn(&child, program.c_str(), &actions, &attributes,
                          words.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

namespace {
/// What ends a process early, from its start on.
class Patience {
public:
  explicit Patience(ChildLimits limits) : limits(limits), end(Clock::now()) {
    if (limits.seconds > 0)
      end += std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(std::min(limits.seconds, 1e6)));
  }

  bool isLimited() const { return limits.cancel || limits.seconds > 0; }
  bool isCancelled() const { return limits.cancel && *limits.cancel; }
  bool isOver() const { return limits.seconds > 0 && Clock::now() >= end; }
  /// Milliseconds until it is time to look again, as poll() takes them. Nothing
  /// wakes a thread that waits when a number changes.
  int getWait() const {
    int wait = limits.cancel ? 50 : -1;
    if (limits.seconds <= 0)
      return wait;
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    return static_cast<int>(std::clamp<int64_t>(
        left.count(), 0, wait < 0 ? int64_t(1) << 30 : wait));
  }

private:
  ChildLimits limits;
  Clock::time_point end;
};
} // namespace

/// The bytes of diagnostics that are kept; what else there is has no end.
static constexpr size_t kMostDiagnostics = size_t(1) << 22;

/// Reads both pipes until their ends; false when the patience is over.
static bool readAll(Pipe &output, Pipe &diagnostics, ChildResult &result,
                    const Patience &patience) {
  pollfd polled[] = {{output.read.get(), POLLIN, 0},
                     {diagnostics.read.get(), POLLIN, 0}};
  std::string *texts[] = {&result.output, &result.diagnostics};
  std::vector<char> buffer(size_t(1) << 16);
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    int ready = ::poll(polled, 2, patience.getWait());
    if (ready < 0 && errno != EINTR)
      return false;
    if (patience.isCancelled() || patience.isOver())
      return false;
    for (int i = 0; ready > 0 && i < 2; ++i) {
      if (polled[i].fd < 0 || !polled[i].revents)
        continue;
      ssize_t bytes = ::read(polled[i].fd, buffer.data(), buffer.size());
      size_t room = i == 0 ? SIZE_MAX : kMostDiagnostics - texts[i]->size();
      if (bytes > 0)
        texts[i]->append(buffer.data(), std::min<size_t>(bytes, room));
      else if (bytes == 0 || errno != EINTR)
        polled[i].fd = -1;
    }
  }
  return true;
}

/// Waits for the end of a process that writes no more; false when the patience
/// is over.
static bool awaitEnd(const Child &child, const Patience &patience) {
  while (patience.isLimited() && !child.hasEnded()) {
    if (patience.isCancelled() || patience.isOver())
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

ChildResult
sparseconv::capi::runChild(const std::string &program,
                           const std::vector<std::string> &arguments,
                           std::string_view input, ChildLimits limits) {
  Patience patience(limits);
  File memory(::memfd_create("sparseconv-input", MFD_CLOEXEC));
  if (!memory || !writeInput(memory.get(), input))
    return fail("no memory for the compiler's input", errno);
  Pipe output, diagnostics;
  if (!output.open() || !diagnostics.open())
    return fail("no pipe to the compiler", errno);
  Child child;
  if (int error = spawn(child.id, program, arguments, memory.get(),
                        output.write.get(), diagnostics.write.get()))
    return fail("'" + program + "' cannot be started", error);
  output.write.close();
  diagnostics.write.close();

  ChildResult result;
  bool isDone = readAll(output, diagnostics, result, patience) &&
                awaitEnd(child, patience);
  if (!isDone)
    child.end();
  int status = 0;
  bool isKnown = child.wait(status);
  if (!isDone) {
    result.end = patience.isCancelled() ? ChildResult::End::Cancelled
                                        : ChildResult::End::TimeLimit;
  } else if (!isKnown) {
    // This process asked to hear nothing of its children. A plan, which has a
    // checksum, is written when all went well.
    result.end = ChildResult::End::Exited;
    result.status = result.output.empty();
  } else if (WIFSIGNALED(status)) {
    result.end = ChildResult::End::Signalled;
    result.status = WTERMSIG(status);
  } else {
    result.end = ChildResult::End::Exited;
    result.status = WEXITSTATUS(status);
  }
  return result;
}
