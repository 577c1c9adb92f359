//===- Registration.h - dialects and passes, all at once --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PIPELINES_REGISTRATION_H
#define SPARSECONV_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;

namespace sparseconv {

/// Our dialects and what they bring to upstream's interfaces, for a program
/// that has upstream's dialects itself.
void registerOwnDialects(DialectRegistry &registry);

/// Our dialects, and the upstream dialects, interfaces and external models that
/// networks and our passes use.
void registerDialects(DialectRegistry &registry);

/// Our passes and pipelines alone.
void registerOwnPasses();

/// Our passes and pipelines, and the upstream passes that tests and users need.
void registerPasses();

/// Lets the messages of contexts that get this registry end where they say what
/// is wrong. Upstream's are followed by the whole operation, which may be a
/// network; `--mlir-print-op-on-diagnostic` asks for that, where the tool has
/// registered the options of contexts. Without it a message, such as one with a
/// type of thousands of sizes, is cut to 2 000 bytes.
void registerBriefDiagnostics(DialectRegistry &registry);

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_PIPELINES_REGISTRATION_H
