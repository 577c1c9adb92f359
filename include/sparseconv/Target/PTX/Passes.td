//===- Passes.td - passes on the way to PTX ----------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PTX_PASSES
#define SPARSECONV_TARGET_PTX_PASSES

include "mlir/Pass/PassBase.td"

def SparseConvPlaceSharedMemory
    : Pass<"sparseconv-place-shared-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "says where arrays in shared memory lie";
  let description = [{
    `gpu.dynamic_shared_memory` lowers to an internal array of no elements, which
    the backend would place in the static shared memory of each kernel. As an
    external one, aligned to 1024 bytes, it names what the launch asks for.

    Any other array gets an alignment of 16 bytes at least. Without one LLVM
    counts on that for arrays beyond 16 bytes and joins accesses, while the
    backend writes the alignment of an element.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SparseConvApproximateMath
    : Pass<"sparseconv-approximate-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "approximates functions of which all results are rounded to 16 bits";
  let description = [{
    `divf`, `sqrt`, `rsqrt`, `exp` and `exp2` on f32 become instructions of the
    GPU's with an error of a few units in the last place, where what is computed
    from their results is always rounded to f16 or bf16 in the end. On the way
    there may be sums, products, quotients, selections and other functions, but
    no comparison, no conversion to an integer, and no loop that carries a value. A
    sum whose terms may cancel must not become a divisor or go into a root: a
    quotient that is 1 less one unit would be the root of a negative number in
    `sqrt(1 - q * q)`. The same operations on f16 and bf16 are computed in f32 this
    way.

    The error is up to 2 units for quotients and about as much for roots. That of
    `exp(x)` is up to 4 units of the instruction's own, and 1.3 |x| that the rounding
    of the product with log2(e) becomes. One unit in the last place of an f16 is 2^13
    of these units, one of a bf16 2^16. Results of `exp` below 2^-126 are 0. For
    example

    ```mlir
    %e = math.exp %x : f32
    %s = arith.addf %e, %one : f32
    %q = arith.divf %x, %s : f32
    %y = arith.truncf %q : f32 to f16
    ```

    becomes

    ```mlir
    %p = arith.mulf %x, %log2e : f32
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%p) : (f32) -> f32
    %s = arith.addf %e, %one : f32
    %q = llvm.call_intrinsic "llvm.nvvm.div.full"(%x, %s) : (f32, f32) -> f32
    %y = arith.truncf %q : f32 to f16
    ```

    Source of the errors: the PTX ISA on `div.full`, `sqrt.approx`, `rsqrt.approx`
    and `ex2.approx`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"numApproximated", "approximated",
                              "operations approximated">];
}

def SparseConvExpandDeviceMath
    : Pass<"sparseconv-expand-device-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "writes math operations without a library of the device";
  let description = [{
    Exact operations (`sqrt`, `absf`, `floor`, ...) become intrinsics of LLVM's
    that the backend has instructions for. `exp`, `expm1`, `log1p`, `tanh`,
    `erf` and `erfc` on f32 become polynomials, whose error is up to 5 units in
    the last place, and whose results below 2^-126 are 0. `rsqrt` and `clampf`
    are written with these. Logarithms, angles, powers, the other hyperbolic
    functions and `arith.remf` on f32 are computed in f64 and rounded once. What
    is on f16 or bf16 is computed in f32. `arith.fptosi` and `arith.fptoui` to i1
    go by i32. Any other is an error: it would call a library of the device, which
    there is none of.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def SparseConvSerializeKernels
    : Pass<"sparseconv-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "writes kernels as PTX";
  let description = [{
    Each `gpu.module` in the LLVM and NVVM dialects becomes a `gpu.binary` with
    an object for each of `chips`: the PTX for it. Without that option it is the
    PTX for the chip of the module's target, which has to be a GPU. Kernels are
    translated side by side where the context has threads; their text is the
    same with one.
  }];
  let options = [
    ListOption<"chips", "chips", "std::string", "the chips, such as sm_90a">,
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // SPARSECONV_TARGET_PTX_PASSES
