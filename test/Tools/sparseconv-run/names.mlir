// Arguments without sparseconv.name have the names of the text, and results
// are numbered: the same names in tools, plans and for Python.
// RUN: sparseconv-run %s --entry=add --input x=const:1:2 --input b.0=const:2 --input arg2=const:3 --output result0=%t.npy | FileCheck %s
// CHECK: result 'result0': tensor<2xf32>, min 6, mean 6, max 6
// RUN: not sparseconv-run %s --entry=add 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING:      no value for these arguments:
// MISSING-NEXT: 'x' of type tensor<?xf32>
// MISSING-NEXT: 'b.0' of type tensor<f32>
// MISSING-NEXT: 'arg2' of type tensor<f32>

// A plan keeps them, for CPUs and for GPUs.
// RUN: sparseconv-translate %s --network-to-plan --target=cpu:sse2 -o %t.plan
// RUN: sparseconv-translate %t.plan --plan-to-text | FileCheck %s --check-prefixes=PLAN,CPU
// RUN: sparseconv-run %t.plan --entry=add --input x=const:1:2 --input b.0=const:2 --input arg2=const:3 | FileCheck %s
// RUN: sparseconv-translate %s --network-to-plan --target=cuda:sm_80 --entry=add | sparseconv-translate --plan-to-text | FileCheck %s --check-prefixes=PLAN
// PLAN:      input 'x' ?
// PLAN:      input 'b.0'
// PLAN:      input 'arg2'
// PLAN:      output 'result0' ?
// CPU:       input 'arg0'
// CPU-NEXT:  input 'b'
// CPU-NEXT:  input 'arg2'
// CPU-NEXT:  output 'b'

// What an attribute says comes first, and no two arguments have one name.
// RUN: sparseconv-run %s --entry=clash --input arg0=const:1:1 --input b=const:2:1 --input arg2=const:4:1 | FileCheck %s --check-prefix=CLASH
// CLASH: result 'b': tensor<1xf32>, min -1,

// Bytecode has no names, nor has text that a program has printed.
// RUN: sparseconv-opt %s --emit-bytecode -o %t.mlirbc
// RUN: sparseconv-run %t.mlirbc --entry=add --input arg0=const:1:2 --input arg1=const:2 --input arg2=const:3 | FileCheck %s
// RUN: sparseconv-opt %s -o %t.mlir
// RUN: sparseconv-run %t.mlir --entry=add --input arg0=const:1:2 --input arg1=const:2 --input arg2=const:3 | FileCheck %s

func.func @add(%x: tensor<?xf32>, %b.0: tensor<f32>, %0: tensor<f32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x, %b.0, %0 : tensor<?xf32>, tensor<f32>, tensor<f32>) outs(%init : tensor<?xf32>) {
  ^bb0(%e: f32, %f: f32, %g: f32, %old: f32):
    %s = arith.addf %e, %f : f32
    %t = arith.addf %s, %g : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @clash(%b: tensor<?xf32>, %w: tensor<?xf32> {sparseconv.name = "b"}, %arg0: tensor<?xf32>)
    -> (tensor<?xf32> {sparseconv.name = "b"}) {
  %y = arith.subf %b, %w : tensor<?xf32>
  return %y : tensor<?xf32>
}
