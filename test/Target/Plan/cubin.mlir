// Machine code beside the PTX, for each chip that a plan has PTX for. NVIDIA's
// assembler makes it, where there is one.
// REQUIRES: ptxas
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda:sm_80 -o %t.mlir
// RUN: sparseconv-translate %t.mlir --mlir-to-plan --chip=sm_80,sm_89 --cubin --ptxas=%ptxas -o %t.plan
// RUN: sparseconv-translate %t.plan --plan-to-text | FileCheck %s
// RUN: sparseconv-translate %t.plan --plan-to-ptx --chip=sm_89 | FileCheck %s --check-prefix=PTX
// RUN: sparseconv-translate %s --network-to-plan --chip=sm_90a --cubin --ptxas=%ptxas | sparseconv-translate --plan-to-text | FileCheck %s --check-prefix=NETWORK

// What it refuses, and that there is none, are errors.
// RUN: not sparseconv-translate %t.mlir --mlir-to-plan --chip=sm_80 --cubin --ptxas=no-ptxas 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not sparseconv-translate %t.mlir --mlir-to-plan --chip=sm_80 --cubin --ptxas=false 2>&1 | FileCheck %s --check-prefix=FAILS

// CHECK:      module 'sparseconv_kernels'
// CHECK-NEXT:   cubin sm_80 {{[1-9][0-9]+}} bytes
// CHECK-NEXT:   cubin sm_89 {{[1-9][0-9]+}} bytes
// CHECK-NEXT:   ptx sm_80 {{[1-9][0-9]+}} bytes
// CHECK-NEXT:   ptx sm_89 {{[1-9][0-9]+}} bytes
// PTX:        .target sm_89
// NETWORK:    cubin sm_90a {{[1-9][0-9]+}} bytes
// NONE:       error: no program 'no-ptxas' to assemble PTX with
// FAILS:      error: {{.*}}false for sm_80:

func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = linalg.exp ins(%x : tensor<?x4xf32>) outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
