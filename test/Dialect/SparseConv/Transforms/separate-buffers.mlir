// RUN: sparseconv-opt %s --sparseconv-separate-buffers --split-input-file | FileCheck %s

// Each of three writers has an empty tensor of its own, made where it is used.
// CHECK-LABEL: @writers
// CHECK:       tensor.empty(%[[N:.*]]) : tensor<?xf32>
// CHECK:       %[[B:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK-NEXT:  linalg.fill {{.*}} outs(%[[B]]
// CHECK:       %[[C:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK-NEXT:  linalg.fill {{.*}} outs(%[[C]]
// CHECK:       linalg.fill
// CHECK-NOT:   tensor.empty
func.func @writers(%n: index, %x: f32) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %c = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// One use, or none, stays.
// CHECK-LABEL: @one
// CHECK-COUNT-2: tensor.empty
// CHECK-NOT:   tensor.empty
func.func @one(%x: f32) -> tensor<4xf32> {
  %unused = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// Uses inside a region count.
// CHECK-LABEL: @region
// CHECK:       %[[A:.*]] = tensor.empty
// CHECK:       %[[B:.*]] = tensor.empty
// CHECK-NEXT:  linalg.fill {{.*}} outs(%[[B]]
// CHECK:       scf.for
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[A]]
func.func @region(%n: index, %x: f32, %i: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = scf.for %k = %n to %n step %i iter_args(%t = %a) -> tensor<4xf32> {
    %c = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %c : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
