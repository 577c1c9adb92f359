// A plan for CPUs holds machine code for vector levels, linked for each,
// and no steps. A scalar argument stays one.
// RUN: sparseconv-translate %s --network-to-plan --target=cpu -o %t.plan
// RUN: sparseconv-translate %t.plan --plan-to-text | FileCheck %s --check-prefixes=CHECK,ALL,FREE

// The same bytes each time.
// RUN: sparseconv-translate %s --network-to-plan --target=cpu | cmp - %t.plan

// One level that is named.
// RUN: sparseconv-translate %s --network-to-plan --target=cpu:avx2 | sparseconv-translate --plan-to-text | FileCheck %s --check-prefixes=CHECK,FREE

// Weights become constants. The code takes what it took before.
// RUN: %python %S/Inputs/write-weights.py %t.npz w:f4:3
// RUN: sparseconv-translate %t.plan --plan-to-plan --weights=%t.npz -o %t.inside
// RUN: sparseconv-translate %t.inside --plan-to-text | FileCheck %s --check-prefixes=CHECK,ALL,BOUND

// CHECK:      plan version {{[0-9]+}} by 'sparseconv'
// CHECK-NEXT: module 'network'
// ALL-NEXT:     machine code avx512 {{[0-9]+}} bytes
// CHECK-NEXT:   machine code avx2 {{[0-9]+}} bytes
// ALL-NEXT:     machine code sse2 {{[0-9]+}} bytes
// BOUND-NEXT: constant 'w' 12 bytes
// CHECK-NEXT: function 'main' streams 1
// CHECK-NEXT:   input 'x' ?(slot 0)x3xf32
// FREE-NEXT:    input 'w' 3xf32
// CHECK-NEXT:   input 'n' scalar 1xi64
// CHECK-NEXT:   output 'result0' ?x3xf32
// CHECK-NEXT:   output 'result1' scalar 1xi64
// CHECK-NEXT:   argument 'x' ?x3xf32
// CHECK-NEXT:   argument 'w' 3xf32
// CHECK-NEXT:   argument 'n' scalar 1xi64
// CHECK-NEXT:   slot 0 'x.0'
// CHECK-NEXT:   buffer 'x' input 0
// FREE-NEXT:    buffer 'w' input 1
// FREE-NEXT:    buffer 'n' input 2
// BOUND-NEXT:   buffer 'w' constant 0
// BOUND-NEXT:   buffer 'n' input 1
// CHECK-NEXT:   buffer 'result0' output 0
// CHECK-NEXT:   buffer 'result1' output 1
// CHECK-NOT:  step

// What is for GPUs.
// RUN: not sparseconv-translate %s --network-to-plan --target=cpu --cubin 2>&1 | FileCheck %s --check-prefix=CUBIN
// RUN: not sparseconv-translate %s --network-to-plan --target=cpu --streams=2 2>&1 | FileCheck %s --check-prefix=STREAMS
// RUN: not sparseconv-translate %s --network-to-plan --target=cpu:mmx 2>&1 | FileCheck %s --check-prefix=LEVEL
// CUBIN:   error: --cubin is for a plan for a GPU
// STREAMS: error: --streams is for a plan for a GPU
// LEVEL:   error: unknown chip 'mmx' of the target 'cpu'; there are: sse2, avx2, avx512

#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x3xf32> {sparseconv.name = "x"}, %w: tensor<3xf32> {sparseconv.name = "w"},
                %n: index {sparseconv.name = "n"}) -> (tensor<?x3xf32>, index) {
  %0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<3xf32>) outs(%x : tensor<?x3xf32>) {
  ^bb0(%p: f32, %a: f32):
    %s = arith.addf %a, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  return %0, %m : tensor<?x3xf32>, index
}
