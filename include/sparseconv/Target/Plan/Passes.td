//===- Passes.td - passes on the way to plans --------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PLAN_PASSES
#define SPARSECONV_TARGET_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def SparseConvBuildPlan : Pass<"sparseconv-build-plan", "::mlir::ModuleOp"> {
  let summary = "turns host functions into plans";
  let description = [{
    Each public function, as `sparseconv-lower-to-gpu` leaves it, becomes a
    `sparseconv_plan.func`. What it allocates becomes buffers and outputs, the
    arguments and results that hold sizes become slots, and launches become
    steps. Each step knows the operation of the network that it belongs to, by
    its location in the module's `sparseconv.op_table`; a function that was
    inlined twice makes two of each operation. Capacities that grow start with
    twice the rows that they stem from, or 4096. Steps are in the order of the
    program and in one stream. Anything else in a function is an error.
  }];
  let dependentDialects = ["::mlir::sparseconv::PlanDialect"];
}

def SparseConvFindPreparation
    : Pass<"sparseconv-find-preparation", "::mlir::ModuleOp"> {
  let summary = "marks the steps of a plan that need not be done in every run";
  let description = [{
    A step prepares if it reads nothing but constants, inputs of static shape,
    inputs of integers, and what other steps that prepare have written, and if
    nobody else writes where it does, or reads there before the last of them is
    done. Packing weights is of this kind, and making sets and maps. The runtime
    does such steps once where the inputs that they depend on are bound, and
    otherwise in every run.

    A kernel may write through a parameter that is `sparseconv.restored` all the
    same, as what is there when it ends is what it found. So the counters of a
    product whose sums are split are filled with zeros once.
  }];
}

def SparseConvFindCounts : Pass<"sparseconv-find-counts", "::mlir::ModuleOp"> {
  let summary = "marks the steps of a plan that sizes depend on";
  let description = [{
    A step counts if it writes the slot of a `sparseconv_plan.exact_size`, or if
    a step that counts comes after it because of memory that both use. The
    runtime can carry out these steps ahead of all others and read the sizes. A
    size that depends on products of matrices, such as that of a set that is
    pruned by features, becomes its capacity instead: most of the network would
    count otherwise.
  }];
}

def SparseConvSchedulePlan
    : Pass<"sparseconv-schedule-plan", "::mlir::ModuleOp"> {
  let summary = "spreads the steps of a plan over streams";
  let description = [{
    Where two steps of a function use the same memory and one of them writes it,
    the second comes after the first. What a kernel does with its parameters is
    read from its body. Steps are put in the order in which they are expected to
    start. With one stream they stay in the order of the program.
  }];
  let options = [
    Option<"streams", "streams", "unsigned", /*default=*/"4",
           "streams over which the steps may be spread, 1 to 16">,
  ];
}

#endif // SPARSECONV_TARGET_PLAN_PASSES
