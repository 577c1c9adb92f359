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

// What a select or a branch gives may be another result.
// CHECK-LABEL: func.func @select(
func.func @select(%x: tensor<?xi32>, %y: tensor<?xi32>, %c: i1) -> (tensor<?xi32>, tensor<?xi32>) {
  // CHECK: %[[Z:.*]] = arith.select
  // CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[Z]]) : tensor<?xi32>
  // CHECK: return %{{.*}}, %[[COPY]] :
  %z = arith.select %c, %x, %y : tensor<?xi32>
  return %y, %z : tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @branch(
func.func @branch(%x: tensor<?xi32>, %y: tensor<?xi32>, %w: tensor<?xi32>, %c: i1) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  // CHECK: %[[Z:.*]] = scf.if
  // CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[Z]]) : tensor<?xi32>
  // CHECK: return %{{.*}}, %[[COPY]], %{{.*}} :
  %z = scf.if %c -> tensor<?xi32> {
    scf.yield %x : tensor<?xi32>
  } else {
    scf.yield %y : tensor<?xi32>
  }
  return %y, %z, %w : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// So may what a loop began with. It hands its own argument on here.
// CHECK-LABEL: func.func @loop(
func.func @loop(%x: tensor<?xi32>, %y: tensor<?xi32>, %n: index) -> (tensor<?xi32>, tensor<?xi32>) {
  // CHECK: %[[Z:.*]]:2 = scf.for
  // CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[Z]]#1) : tensor<?xi32>
  // CHECK: return %[[Z]]#0, %[[COPY]] :
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xi32>, tensor<?xi32>) {
    scf.yield %b, %a : tensor<?xi32>, tensor<?xi32>
  }
  return %z#0, %z#1 : tensor<?xi32>, tensor<?xi32>
}

// The rows of a slice may have gaps that a type of dynamic rows does not show. A
// function takes and gives whole tensors.
// CHECK-LABEL: func.func @slice(
func.func @slice(%x: tensor<16x?xi32>, %n: index) -> tensor<16x?xi32> {
  // CHECK: %[[SLICE:.*]] = tensor.extract_slice
  // CHECK: %[[GIVEN:.*]] = bufferization.alloc_tensor() copy(%[[SLICE]]) : tensor<16x?xi32>
  // CHECK: call @take(%[[GIVEN]])
  // CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[SLICE]]) : tensor<16x?xi32>
  // CHECK: return %[[COPY]]
  %a = tensor.extract_slice %x[0, 0] [16, %n] [1, 1] : tensor<16x?xi32> to tensor<16x?xi32>
  call @take(%a) : (tensor<16x?xi32>) -> ()
  return %a : tensor<16x?xi32>
}
func.func private @take(tensor<16x?xi32>)

// Rows of a known size follow each other.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: alloc_tensor
func.func @rows(%x: tensor<?x8xi32>, %n: index) -> tensor<?x8xi32> {
  %a = tensor.extract_slice %x[0, 0] [%n, 8] [1, 1] : tensor<?x8xi32> to tensor<?x8xi32>
  return %a : tensor<?x8xi32>
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
