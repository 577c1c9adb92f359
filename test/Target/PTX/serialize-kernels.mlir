// RUN: sparseconv-opt %s --sparseconv-serialize-kernels --split-input-file --verify-diagnostics | FileCheck %s

// CHECK:     gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_86">, assembly = "{{.*}}.target sm_86{{.*}}.entry nothing
// CHECK-NOT: gpu.module
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_86">} {
  gpu.module @kernels {
    llvm.func @nothing() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

module {
  // expected-error @+1 {{is for no chip: the target of the module around it is cpu:avx2}}
  gpu.module @kernels {
  }
}
