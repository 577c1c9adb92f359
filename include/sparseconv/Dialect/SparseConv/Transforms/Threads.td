//===- Threads.td - passes on threads of a CPU -------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_THREADS_TD
#define SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_THREADS_TD

include "mlir/Pass/PassBase.td"

def SparseConvLimitParallelism
    : Pass<"sparseconv-limit-parallelism", "::mlir::func::FuncOp"> {
  let summary = "keeps one level and one dimension of parallel loops";
  let description = [{
    Threads pay where each gets much to do. Of nested `scf.parallel` loops the
    outermost stays parallel, of several dimensions the first; all others become
    `scf.for`.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def SparseConvHoistScratch
    : Pass<"sparseconv-hoist-scratch", "::mlir::ModuleOp"> {
  let summary = "allocates what threads work in before they start";
  let description = [{
    A buffer of static size that lives within an `omp.parallel` becomes a part of
    one buffer for all threads, allocated in front of it: a thread can neither
    leave the region nor go on where there is no memory. Each thread takes the part
    with its number, `sparseconv_cpu_thread()`.

    A `memref.alloca_scope` in which nothing is allocated on the stack is taken
    away: where its body becomes several blocks it would be invalid.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"];
}

def SparseConvOutlineParallel
    : Pass<"sparseconv-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "gives each parallel region of a large function one of its own";
  let description = [{
    LLVM makes a function of each `omp.parallel` as it translates it, and looks at
    the whole function around it to do so (the `CodeExtractorAnalysisCache` that
    `OpenMPIRBuilder::finalize` makes for each region). The time is the product of
    the number of regions and the size of the function: minutes for the hundreds of
    regions of a training step. Here each region of a function with several moves
    into a function around it alone, so that the time is that of all regions
    together. For example

    ```mlir
    llvm.func @layer(%x: !llvm.ptr, %n: i64) {
      %c0 = llvm.mlir.constant(0 : index) : i64
      %c1 = llvm.mlir.constant(1 : index) : i64
      omp.parallel {
        // a loop from %c0 to %n that writes to %x
      }
      omp.parallel { ... }
      llvm.return
    }
    ```

    becomes

    ```mlir
    llvm.func @layer(%x: !llvm.ptr, %n: i64) {
      llvm.call @layer_parallel_0(%n, %x) : (i64, !llvm.ptr) -> ()
      llvm.call @layer_parallel_1(...) : (...) -> ()
      llvm.return
    }
    llvm.func internal @layer_parallel_0(%n: i64, %x: !llvm.ptr)
        attributes {no_inline, sym_visibility = "private"} {
      %c0 = llvm.mlir.constant(0 : index) : i64
      %c1 = llvm.mlir.constant(1 : index) : i64
      omp.parallel {
        // the same loop
      }
      llvm.return
    }
    ```

    The arguments are what the region and its clauses take from the function, in the
    order of their first use, so that regions of one text become functions of one
    text, of which `mergefunc` leaves one. Constants are repeated, and locations and
    attributes that say how LLVM compiles the function (`passthrough`, `target_cpu`,
    `target_features`, `tune_cpu`) are kept. The function itself keeps its name and
    its type. What it allocates on its stack stays there, and the region takes the
    pointer.

    A function with one region stays as it is: there is nothing to multiply. So does
    a region within another, or within another operation of OpenMP, which may ask for
    it to be there. The last pass on the LLVM dialect.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"numOutlined", "outlined",
                              "parallel regions that have become functions">];
}

#endif // SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_THREADS_TD
