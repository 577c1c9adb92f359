//===- Tools.h - the main functions of the tools ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the tools are one program, the build gives their main functions these
// names and includes this file first.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_TOOLS_H
#define SPARSECONV_TOOLS_SPARSECONV_TOOLS_H

int fuzzMain(int argc, char **argv);
int lspMain(int argc, char **argv);
int optMain(int argc, char **argv);
int runMain(int argc, char **argv);
int serveMain(int argc, char **argv);
int sweepMain(int argc, char **argv);
int translateMain(int argc, char **argv);
int tuneMain(int argc, char **argv);

#endif // SPARSECONV_TOOLS_SPARSECONV_TOOLS_H
