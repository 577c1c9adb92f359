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

// -----

// What computes a tensor of a static shape writes to the reshaped result.
module attributes {sparseconv.target = #sparseconv.target<cuda>} {
// CHECK-LABEL: func.func @written(
func.func @written(%x: tensor<2x3x8xf32>) -> tensor<6x2x4xf32> {
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<6x2x4xf32>
  // CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[EMPTY]] {{\[}}[0], [1, 2]] : tensor<6x2x4xf32> into tensor<6x8xf32>
  // CHECK: %[[ROOM:.*]] = tensor.expand_shape %[[FLAT]] {{\[}}[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  // CHECK: linalg.exp ins(%{{.*}}) outs(%[[ROOM]] : tensor<2x3x8xf32>)
  // CHECK-NOT: alloc_tensor
  %empty = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.exp ins(%x : tensor<2x3x8xf32>) outs(%empty : tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %flat = tensor.collapse_shape %y [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %z = tensor.expand_shape %flat [[0], [1, 2]] output_shape [6, 2, 4] : tensor<6x8xf32> into tensor<6x2x4xf32>
  return %z : tensor<6x2x4xf32>
}
}

// -----

// So does what fills the tensor before, where nothing else reads that.
module attributes {sparseconv.target = #sparseconv.target<cuda>} {
// CHECK-LABEL: func.func @filled(
func.func @filled(%x: tensor<4x8xf32>, %zero: f32) -> tensor<32xf32> {
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<32xf32>
  // CHECK: %[[ROOM:.*]] = tensor.expand_shape %[[EMPTY]] {{\[}}[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  // CHECK: %[[ZEROS:.*]] = linalg.fill ins(%{{.*}}) outs(%[[ROOM]] : tensor<4x8xf32>)
  // CHECK: linalg.add ins(%{{.*}}) outs(%[[ZEROS]] : tensor<4x8xf32>)
  // CHECK-NOT: alloc_tensor
  %empty = tensor.empty() : tensor<4x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.add ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%zeros : tensor<4x8xf32>) -> tensor<4x8xf32>
  %z = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %z : tensor<32xf32>
}

// CHECK-LABEL: func.func @read_meanwhile(
// CHECK: bufferization.alloc_tensor() copy(
func.func @read_meanwhile(%x: tensor<4x8xf32>, %zero: f32) -> (tensor<32xf32>, tensor<4x8xf32>) {
  %empty = tensor.empty() : tensor<4x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.add ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%zeros : tensor<4x8xf32>) -> tensor<4x8xf32>
  %z = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %z, %zeros : tensor<32xf32>, tensor<4x8xf32>
}
}
