// RUN: sparseconv-opt %s --sparseconv-schedule-plan --verify-diagnostics

// A kernel that is compiled does not say what it does to memory.

gpu.binary @kernels [#gpu.object<#nvvm.target, "">]
sparseconv_plan.func @compiled {
  %x = input "x" : memref<4xf32>
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{what kernel @kernels::@copy does is not known any more}}
  %0 = launch @kernels::@copy grid(%c1) block(1) args(%x : memref<4xf32>)
}
