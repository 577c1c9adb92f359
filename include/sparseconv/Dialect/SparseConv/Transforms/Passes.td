//===- Passes.td - passes on the dialect -------------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TRANSFORMS_PASSES
#define SPARSECONV_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "sparseconv/Dialect/SparseConv/Transforms/Fusion.td"
include "sparseconv/Dialect/SparseConv/Transforms/Launches.td"
include "sparseconv/Dialect/SparseConv/Transforms/Reductions.td"
include "sparseconv/Dialect/SparseConv/Transforms/Threads.td"

def SparseConvGuardAccesses
    : Pass<"sparseconv-guard-accesses", "::mlir::ModuleOp"> {
  let summary = "checks indices, slices and shapes that a network computes";
  let description = [{
    In front of a `tensor` operation of the network (one with a number) that
    would leave its tensor, or give it a shape that it does not have, where an
    index or a size is wrong: what is wrong is reported to the status record, the
    last argument, and the call is left. For example

    ```mlir
    %v = tensor.extract %x[%i] : tensor<?xf32>
    ```

    is preceded by

    ```mlir
    %is_inside = arith.cmpi ult, %i, %size : index
    %is_outside = arith.xori %is_inside, %true : i1
    scf.if %is_outside {
      // memref.store to %status: the operation, the axis, %i and %size
      func.call @sparseconv_cpu_leave() : () -> ()
    }
    ```

    For the CPU: a kernel on a GPU cannot be left.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def SparseConvGuardShapes
    : Pass<"sparseconv-guard-shapes", "::mlir::func::FuncOp"> {
  let summary = "checks sizes that upstream operations take for granted";
  let description = [{
    A `linalg` operation or a concatenation on tensors whose sizes disagree at
    run time has no meaning upstream, and would leave its buffers. Sizes that
    may differ are compared. A mismatch is reported to the status record (the
    last argument), and zeros of the expected size take the operand's place.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def SparseConvInstrumentKernels
    : Pass<"sparseconv-instrument-kernels", "::mlir::ModuleOp"> {
  let summary = "marks where each kernel begins and ends, for a profile";
  let description = [{
    Puts a call of the runtime with the kernel's number before and behind every
    kernel operation and every `linalg` operation on buffers. The module's
    attribute `sparseconv.kernel_table` holds the name and location of each.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect"];
}

def SparseConvLowerRowGuards
    : Pass<"sparseconv-lower-row-guards", "::mlir::ModuleOp"> {
  let summary = "writes row guards as branches on the host";
  let description = [{
    `sparseconv.kernel.guard_rows` becomes a comparison of row counts and an
    `scf.if` that gives the features, or reports the mismatch and gives zeros.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def SparseConvParalleliseCopies
    : Pass<"sparseconv-parallelise-copies", "::mlir::func::FuncOp"> {
  let summary = "writes copies of buffers as linalg operations";
  let description = [{
    `memref.copy` becomes `linalg.copy`, which lowers to parallel loops for any
    layout; the copy of a strided buffer would otherwise call a library.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def SparseConvVectoriseElementwise
    : Pass<"sparseconv-vectorise-elementwise", "::mlir::func::FuncOp"> {
  let summary = "lets threads read and write vectors in elementwise operations";
  let description = [{
    An elementwise `linalg.generic`, `copy` or `fill` on buffers becomes parallel
    loops in which a thread has 16 bytes of a row of the result. Operands whose rows lie along
    those of the result are read in vectors, too.

    Where an operand is read across its rows, such as in the transposition of a
    grid to channels first, a thread reads 32 bytes of a row (or 16, where rows
    are no multiple of 32) and writes its elements one by one; neighbouring
    threads write neighbouring elements. With one element for each thread, memory
    would hand out 32 bytes for each element that is read.

    Rows are of a static length, in buffers without gaps that are aligned to 16
    bytes. Other operations are left, and so are those of more than 32 operations
    on an element, whose time is not that of memory.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def SparseConvRaiseCustomCalls : Pass<"sparseconv-raise-custom-calls"> {
  let summary = "turns calls that other compilers write into operations of ours";
  let description = [{
    `stablehlo.custom_call @sparseconv.*`, `stablehlo.composite "sparseconv.*"`
    and `torch.operator "torch.sparseconv.*"` become the operations that
    docs/custom-calls.md lists for their names. Neither StableHLO nor torch-mlir
    is linked: without them the tool reads their generic form, with
    `--allow-unregistered-dialect`. For example

    ```mlir
    %y = "stablehlo.custom_call"(%points, %points, %x, %w) <{
        call_target_name = "sparseconv.conv",
        backend_config = {kernel_size = 3, bits = [8, 20, 20, 16], guard = 1}}>
        : (tensor<100x4xi32>, tensor<100x4xi32>, tensor<100x4xf32>,
           tensor<27x4x8xf32>) -> tensor<100x8xf32>
    ```

    becomes

    ```mlir
    %set, %order, %row_of = sparseconv.pack %points : tensor<100x4xi32> -> !set
    %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
    %rows = sparseconv.gather %x, %order : ...
    %sum = sparseconv.conv %rows, %w, %map : ...
    %y = sparseconv.gather %sum, %row_of : ...
    ```

    Sets and maps of several calls fold by `cse`. A call that is not
    understood stays, and a remark says why.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::sparseconv::SparseConvDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numRaised", "raised", "calls that were raised">];
}

def SparseConvSetTarget : Pass<"sparseconv-set-target", "::mlir::ModuleOp"> {
  let summary = "says what the module is compiled for";
  let description = [{
    Gives the module a `sparseconv.target`, which later passes read. One that is
    written stays; a target with another backend or chip is then an error. A chip
    that has no table of its own is taken as the one that stands for it, and a
    remark says so.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "cpu or cuda, or with a chip: cpu:avx512, cuda:sm_80">];
  let dependentDialects = ["::mlir::sparseconv::SparseConvDialect"];
}

def SparseConvConvertElementwise
    : Pass<"sparseconv-convert-elementwise", "::mlir::ModuleOp"> {
  let summary = "writes arith and math on tensors as linalg operations";
  let description = [{
    An elementwise operation on tensors becomes a `linalg.generic`, which fuses
    and has a buffer. Upstream's pass of this kind would take an `arith.select`
    of whole tensors by one `i1`, too, whose sides may differ in size. For example

    ```mlir
    %y = math.erf %x : tensor<?xf32>
    ```

    becomes

    ```mlir
    %y = linalg.generic {...} ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = math.erf %a : f32
      linalg.yield %0 : f32
    } -> tensor<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SparseConvDecompose : Pass<"sparseconv-decompose", "::mlir::ModuleOp"> {
  let summary = "writes features on neighbour tables without operations of ours";
  let description = [{
    For a host that does not know the dialect, or has kernels of its own.
    `conv`, `input_grad`, `weight_grad`, `pool`, `pool_grad`, `unpool`, `gather`
    and `scatter` become gathers, products and loops of `linalg`, `tensor`, `scf`
    and `arith`. A kernel map becomes its neighbour table and the number of its in
    rows, also in the signatures of functions. For example

    ```mlir
    func.func @layer(%map: !map, %x: tensor<?x4xf16>, %w: tensor<27x4x8xf16>)
        -> tensor<?x8xf16> {
      %y = sparseconv.conv %x, %w, %map
          : tensor<?x4xf16>, tensor<27x4x8xf16>, !map -> tensor<?x8xf16>
      return %y : tensor<?x8xf16>
    }
    ```

    becomes

    ```mlir
    func.func @layer(%table: tensor<?x27xi32>, %in_rows: index,
                     %x: tensor<?x4xf16>, %w: tensor<27x4x8xf16>) -> tensor<?x8xf16> {
      %padded = tensor.pad %x low[0, 0] high[1, 0] {...} : tensor<?x4xf16> to tensor<?x4xf16>
      %sums = scf.for %k = %c0 to %c27 step %c1 iter_args(%sum = %zeros) -> (tensor<?x8xf32>) {
        %column = tensor.extract_slice %table[0, %k] [%rows, 1] [1, 1] : ...
        %gathered = linalg.generic {...} ins(%column : tensor<?xi32>) ...
        %weights = tensor.extract_slice %w[%k, 0, 0] [1, 4, 8] [1, 1, 1] : ...
        %next = linalg.matmul ins(%gathered, %weights : ...) outs(%sum : tensor<?x8xf32>)
        scf.yield %next : tensor<?x8xf32>
      }
      %y = linalg.generic {...} ins(%sums : tensor<?x8xf32>) ...   // rounds to f16
      return %y : tensor<?x8xf16>
    }
    ```

    Rows that are not there are a row of zeros behind the features, which all
    offsets that lack a partner read. Nothing checks at run time that features
    have the rows of their sets, and that entries of a table are within them:
    that is for the host to know. A weight that is infinite or NaN makes NaN of
    rows that have no neighbour for it. Decisions such as `dataflow` go.

    Sets, `kernel_map`, `map_from_pairs` and the tables of their maps stay, unless
    nothing reads them any more. Operations on features that read coordinates
    (`global_pool`, `voxelise`, `devoxelise`, `to_dense`, `from_dense` and
    gradients) stay, and a remark says so.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::sparseconv::SparseConvDialect",
    "::mlir::tensor::TensorDialect"];
}

def SparseConvExpandMath : Pass<"sparseconv-expand-math"> {
  let summary = "writes math operations that upstream does not lower by others";
  let description = [{
    `math.clampf`, `math.isinf`, `math.isnormal`, `math.ipowi` and `math.fpowi`,
    on scalars and vectors, become operations that have a form in the LLVM
    dialect or in the C library. `math.ipowi` is computed by squaring, one step
    for each bit of the exponent; `math.fpowi` is `math.powf` of f64, rounded
    once. Comparisons of bf16 are those of the same numbers in f32, as LLVM has
    no vectors of the former on some CPUs. For example

    ```mlir
    %y = math.fpowi %x, %n : f32, i32
    ```

    becomes

    ```mlir
    %wide = arith.extf %x : f32 to f64
    %exponent = arith.sitofp %n : i32 to f64
    %power = math.powf %wide, %exponent : f64
    %y = arith.truncf %power : f64 to f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def SparseConvLimitAllocations
    : Pass<"sparseconv-limit-allocations", "::mlir::func::FuncOp"> {
  let summary = "keeps the bytes of an allocation from wrapping";
  let description = [{
    The lowering of `memref.alloc` multiplies its sizes in 64 bits. Sizes that
    are computed at run time may be of any value, negative ones among them, and
    the product may wrap to a small number. Each dynamic size is limited here so
    that the bytes are what they would be without end, or more than the 2^47 that
    the runtime refuses. For example

    ```mlir
    %buffer = memref.alloc(%n) : memref<?x4xf32>
    ```

    becomes

    ```mlir
    %limit = arith.constant 8796093022209 : index
    %limited = arith.minui %n, %limit : index
    %buffer = memref.alloc(%limited) : memref<?x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SparseConvFindEqualRows
    : Pass<"sparseconv-find-equal-rows", "::mlir::func::FuncOp"> {
  let summary = "says which arguments have as many rows as another";
  let description = [{
    Marks each argument that needs as many rows as one before it, by the name of
    the first of these, where that follows from the operations of the function's
    first block, which every call carries out:

    - what an operation compares at run time is equal: `x` of a convolution and
      the in set of its map, the operands of an elementwise operation;
    - what is gathered by `order` of a `pack` has a row for each point;
    - the set of a `pack` that is `in_order` has a row for each point.

    ```mlir
    func.func @main(%points: tensor<?x4xi32>, %x: tensor<?x8xf32>) {
      %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
      %0 = sparseconv.gather %x, %order
          : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
    ```

    gives `%x: tensor<?x8xf32> {sparseconv.rows = "arg0"}`. What is gathered by
    the caller's own rows may have any number. A network may have the attribute
    already. Who runs a plan refuses a call with other numbers before anything
    runs.
  }];
}

def SparseConvTrustRowNumbers
    : Pass<"sparseconv-trust-row-numbers", "::mlir::func::FuncOp"> {
  let summary = "finds gathers and layers whose rows need no check";
  let description = [{
    A `sparseconv.gather` is marked as `sparseconv.trusted` where its numbers are
    made by the network itself, and the tensor that it gathers from has as many
    rows as they refer to. Such numbers are the `order` of a `pack` for features
    with a row for each point, its `row_of` for features of its set, `rows` and
    `row_of` of a `subdivide`, and `rows` of a `prune`. With
    `compared-arguments`, arguments that need equally many rows
    (`sparseconv-find-equal-rows`) count as one. The kernel then has no error to
    report, and nothing has to wait for it. For example

    ```mlir
    %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
    %y = sparseconv.conv %x, %w, %map : ...              // from a set to %set
    %z = sparseconv.gather %y, %row_of {sparseconv.trusted} : ...
    ```

    A `sparseconv.conv` is marked where its features have the rows of a set, and
    its map begins at what a `rescale` makes of that set. A `rescale` keeps the
    rows, or reports an error and has none. So nothing compares or copies the
    features:

    ```mlir
    %double = sparseconv.rescale %set by [2, 2, 2] : !set -> !coarse
    %up = sparseconv.kernel_map %double to %fine offsets(box<2, 2, 2>) transposed : !map
    %v = sparseconv.conv %y, %w, %up {sparseconv.trusted} : ...
    ```
  }];
  let options = [
    Option<"comparedArguments", "compared-arguments", "bool", "false",
           "whoever calls the functions compares such rows first, as plans do">];
  let statistics = [Statistic<"numTrusted", "trusted", "gathers and layers trusted">];
}

def SparseConvVerifyNetwork
    : Pass<"sparseconv-verify-network", "::mlir::ModuleOp"> {
  let summary = "checks that a module from outside is a network";
  let description = [{
    Whoever compiles or runs IR that others wrote runs this first. The lowering
    to machine code knows many operations, types and attributes that reach past
    the module: functions without a body, raw pointers, inline assembly,
    attributes that LLVM reads. A network needs none of them, so everything that
    is not known to be harmless is an error:

    | of a network | what it may be |
    |---|---|
    | operations | those of `sparseconv` above the kernel level; those of `func` (without function values), `arith`, `math` and `linalg`; `scf.for`, `scf.if`, `scf.while`; of `tensor` those that the reference runs; `affine.apply`, `affine.min`, `affine.max` |
    | in the body of a `linalg` operation | `arith`, `math`, `linalg.index`, `scf.for`, `scf.if`, `affine.apply`, `affine.min`, `affine.max` |
    | indexing maps | those whose results are loops; any where all sizes are static |
    | `tensor.dim` | of a constant axis |
    | `tensor.expand_shape` | one dynamic size for each that it divides, at most |
    | types of values | ranked tensors of numbers, numbers, coordinate sets, kernel maps |
    | functions | those with a body |
    | attributes that the operations do not define | `sparseconv.name` on arguments and results, `sparseconv.rows` on arguments, `sparseconv.target` on the module |
    | constants | up to 2 GiB |

    The error names the operation, and is the only one. For example

    ```mlir
    func.func private @system(tensor<?xi32>)
    ```

    gives `'func.func' op '@system' has no body; a network calls only what is in
    its module`.
  }];
  let options = [
    Option<"allowKernels", "allow-kernels", "bool", /*default=*/"false",
           "take kernel operations, whose operands nobody checks">];
}

def SparseConvSeparateResults
    : Pass<"sparseconv-separate-results", "::mlir::func::FuncOp"> {
  let summary = "gives each result of a function a buffer of its own";
  let description = [{
    One-shot bufferization takes the results of a call for distinct buffers, so
    that a caller may write to one of them in place. Where a function returns one
    tensor twice, two parts of one tensor, or a tensor and what may be the same one
    (the side of a select, what a loop or branch yields), the later ones become
    copies. So does a slice that is returned or given to a call, where its rows
    may not follow each other in memory and its type does not show that. On a
    GPU results are whole buffers. Where a result is a reshaped tensor of a static
    shape, what computes it, and what fills it before, writes to a buffer of the
    result's shape; other reshaped tensors become copies.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // SPARSECONV_TRANSFORMS_PASSES
