// RUN: sparseconv-opt %s --sparseconv-separate-results --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[X:.*]]: tensor<?xi32>, %[[Y:.*]]: tensor<?xi32>)
func.func @twice(%x: tensor<?xi32>, %y: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  // CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]]) : tensor<?xi32>
  // CHECK: return %[[X]], %[[Y]], %[[COPY]]
  return %x, %y, %x : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @parts(
func.func @parts(%x: tensor<8xi32>, %n: index) -> (tensor<?xi32>, tensor<?xi32>, index, index) {
  %a = tensor.extract_slice %x[0] [%n] [1] : tensor<8xi32> to tensor<?xi32>
  // CHECK: %[[CAST:.*]] = tensor.cast
  // CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[CAST]]) : tensor<?xi32>
  // CHECK: return %{{.*}}, %[[COPY]], %[[N:.*]], %[[N]] :
  %b = tensor.cast %x : tensor<8xi32> to tensor<?xi32>
  return %a, %b, %n, %n : tensor<?xi32>, tensor<?xi32>, index, index
}

// On the CPU a reshaped tensor may be part of another.
// CHECK-LABEL: func.func @reshaped(
// CHECK-NOT: alloc_tensor
func.func @reshaped(%x: tensor<?x2xi32>) -> tensor<?xi32> {
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xi32> into tensor<?xi32>
  return %a : tensor<?xi32>
}

// -----

module attributes {sparseconv.target = #sparseconv.target<cuda>} {
// CHECK-LABEL: func.func @reshaped(
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<?xi32>
// CHECK: return %[[COPY]]
func.func @reshaped(%x: tensor<?x2xi32>) -> tensor<?xi32> {
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xi32> into tensor<?xi32>
  return %a : tensor<?xi32>
}
}
