//===- EarlyLaunch.h - kernels that start before others end -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_EARLYLAUNCH_H
#define SPARSECONV_SUPPORT_EARLYLAUNCH_H

#include <algorithm>
#include <string_view>

namespace sparseconv {

/// Whether kernels for a chip ("sm_90a") may be launched before those end that
/// come before them: from sm_90 on each of ours waits for them by itself before
/// it touches memory that they may write (PTX ISA, griddepcontrol.wait).
inline bool startsEarly(std::string_view chip) {
  int number = 0;
  for (char c : chip.substr(std::min<size_t>(chip.size(), 3)))
    if (c >= '0' && c <= '9' && number < 1000)
      number = 10 * number + (c - '0');
  return number >= 90;
}

} // namespace sparseconv

#endif // SPARSECONV_SUPPORT_EARLYLAUNCH_H
