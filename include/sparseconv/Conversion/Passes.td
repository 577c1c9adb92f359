//===- Passes.td - conversion passes -----------------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_CONVERSION_PASSES
#define SPARSECONV_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertSparseConvToKernels
    : Pass<"convert-sparseconv-to-kernels", "::mlir::ModuleOp"> {
  let summary = "writes network operations as kernel operations on tensors";
  let description = [{
    A coordinate set becomes a tensor of sorted keys, a kernel map its neighbour
    table and the number of rows of its in set, in functions, calls, `scf`
    operations and everything between. Functions that use the dialect, or call one
    that does, get one more argument, the status record; all others stay as they
    are. An `scf.while` ends once the record holds an error.

    A function may be any `FunctionOpInterface`. One that takes or returns a set or
    a map has to be a `func.func`.

    Network operations are numbered in program order; the module's attribute
    `sparseconv.op_table` holds the name and location of each.

    Searches, dataflows and tilings must have been selected. A dataflow that the
    module's target has no kernel for is an error.
  }];
  let options = [
    Option<"everyFunction", "every-function", "bool", /*default=*/"false",
           "Whether functions without operations of the dialect get the status "
           "record as well, as programs that run functions by name expect it.">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def SparseConvReportErrors
    : Pass<"sparseconv-report-errors", "::mlir::ModuleOp"> {
  let summary = "lets public functions report errors in a way of the host's";
  let description = [{
    After `convert-sparseconv-to-kernels`, a function that uses the dialect has the
    status record as its last argument, which is marked: eight words, of which the
    first is 0 unless an operation failed. A host that does not know of it lets this pass take it off
    its public functions. Each then has a record of its own, and says at its end
    what is in it, with `by`:

    | `by` | what happens after an error |
    |---|---|
    | `trap` | the program ends, by `cf.assert` |
    | `call` | the function `symbol` is called with the record and the names of operations; the results, of sizes that are right for empty sets, are returned |

    ```mlir
    func.func @main(%p: tensor<?x4xi32>, %status: memref<8xi64> {sparseconv.status}) -> tensor<?xi32>
    ```

    with `by=call symbol=report` becomes

    ```mlir
    memref.global "private" constant @sparseconv_operations : memref<38xi8> = dense<...>
    func.func private @report(memref<8xi64>, memref<?xi8>) attributes {llvm.emit_c_interface}
    func.func @main(%p: tensor<?x4xi32>) -> tensor<?xi32> {
      %status = memref.alloca() : memref<8xi64>
      // memref.store of zeros, the body, memref.load of the first word
      scf.if %failed {
        // %names: memref.get_global @sparseconv_operations, cast
        func.call @report(%status, %names) : (memref<8xi64>, memref<?xi8>) -> ()
      }
      return %keys : tensor<?xi32>
    }
    ```

    The names are text: name and place ("net.mlir:3:8", or nothing) of each
    operation by its number, each with a zero behind it, and one more at the end.

    Private functions keep the record of their caller. The C function is
    `_mlir_ciface_report`; the library `sparseconv-cpu-runtime` has one of the name
    `sparseconv_report_error` that prints what is wrong and ends the program with
    status 1. For the CPU: the record is on the stack.
  }];
  let options = [
    Option<"by", "by", "std::string", /*default=*/"\"trap\"",
           "How errors are reported: trap or call.">,
    Option<"symbol", "symbol", "std::string",
           /*default=*/"\"sparseconv_report_error\"",
           "The function that is called.">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def ConvertSparseConvKernelsToLoops
    : Pass<"convert-sparseconv-kernels-to-loops", "::mlir::ModuleOp"> {
  let summary = "writes kernel operations on buffers as loop nests";
  let description = [{
    The CPU's kernels: every `sparseconv.kernel` operation on buffers becomes
    `scf` loops over `memref` and `vector` operations; work items that run on
    all threads are `scf.parallel`. Sorting becomes a call of the runtime.

    Each element of a result is computed by one work item in a fixed order, so
    results have the same bits for any number of threads.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ConvertSparseConvKernelsToGpu
    : Pass<"convert-sparseconv-kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "writes kernel operations on buffers as GPU kernels";
  let description = [{
    The kernels of a GPU, for the chip that the module's target names. Some
    `sparseconv.kernel` operations are carried out in a way of the GPU's own:
    sort, search, tiling of rows, implicit GEMM, gradients by the weights. They
    become `gpu.launch` or `gpu.launch_func` operations with their kernels. The
    others become `scf.parallel` loops with one thread for each iteration, of
    which `sparseconv-form-kernels` makes kernels.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SparseConvShareMemory : Pass<"sparseconv-share-memory", "::mlir::ModuleOp"> {
  let summary = "lets host functions run by upstream's GPU runtime";
  let description = [{
    `sparseconv-lower-to-gpu` leaves host functions for plans: they allocate, launch
    kernels, and take and return numbers of rows in buffers of the device. For a
    host that lowers them by upstream's `gpu-to-llvm` instead, this pass

    - allocates memory that the host and the GPU both see (`gpu.alloc host_shared`),
      and copies constants into such memory;
    - takes the numbers of rows from the arguments themselves, and gives results the
      rows that were found, so that both leave the signature;
    - allocates sets that could grow for the most rows that they can have, and takes
      capacities where a plan could take exact sizes;
    - skips launches of no blocks;
    - drops the module's target, so that nothing of the dialect is left for tools that
      do not know it. It is the last of our passes, behind
      `sparseconv-lower-gpu-to-nvvm`.

    ```mlir
    func.func @main(%p: memref<?x4xi32>, %status: memref<8xi64> {sparseconv.status},
                    %n: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
        -> (memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
    ```

    becomes

    ```mlir
    func.func @main(%p: memref<?x4xi32>, %status: memref<8xi64>) -> memref<?x8xf32>
    ```

    Arguments, the status record among them, have to be in memory that the GPU
    sees. Results belong to the caller (`gpu.dealloc`). A result whose rows are not
    its first dimension is an error, and so is a call of such a function within the
    module.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // SPARSECONV_CONVERSION_PASSES
