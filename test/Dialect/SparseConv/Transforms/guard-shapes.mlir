// RUN: sparseconv-opt %s --sparseconv-guard-shapes --split-input-file | FileCheck %s

#rows = affine_map<(d0, d1) -> (d0, d1)>

// Two arguments may have any sizes: the second is compared with the first.
// CHECK-LABEL: func @arguments
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>, %[[STATUS:.*]]: memref<8xi64> {sparseconv.status})
// CHECK-DAG: %[[FOUND:.*]] = tensor.dim %[[Y]]
// CHECK-DAG: %[[WANTED:.*]] = tensor.dim %[[X]]
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[FOUND]], %[[WANTED]]
// CHECK: %[[SAFE:.*]] = scf.if %[[FITS]] -> (tensor<?x4xf32>) {
// CHECK-NEXT: scf.yield %[[Y]]
// CHECK: } else {
// CHECK: memref.store %{{.*}}, %[[STATUS]]
// CHECK: linalg.fill
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[SAFE]] :
func.func @arguments(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %status: memref<8xi64> {sparseconv.status}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %init = tensor.empty(%n) : tensor<?x4xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x4xf32>
  return %sum : tensor<?x4xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1, d0)>

// An axis is compared with that axis of another operand that the same loop runs over;
// the error names the axis that is wrong.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: (%[[X:.*]]: tensor<4x?xf32>, %[[Y:.*]]: tensor<?x?xf32>, %[[STATUS:.*]]: memref<8xi64> {sparseconv.status})
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[FOUND:.*]] = tensor.dim %[[Y]], %[[C0]]
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[WANTED:.*]] = tensor.dim %[[X]], %[[C1]]
// CHECK: arith.cmpi eq, %[[FOUND]], %[[WANTED]]
// CHECK: %[[AXIS:.*]] = arith.constant 0 : i64
// CHECK: %[[PLACE:.*]] = arith.constant 3 : index
// CHECK: memref.store %[[AXIS]], %[[STATUS]][%[[PLACE]]]
// CHECK: %[[OTHER:.*]] = tensor.dim %[[Y]], %{{.*}}
// CHECK: tensor.empty(%[[WANTED]], %[[OTHER]])
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: arith.cmpi eq, %{{.*}}, %[[FOUR]]
// CHECK: %[[AXIS1:.*]] = arith.constant 1 : i64
// CHECK: %[[PLACE1:.*]] = arith.constant 3 : index
// CHECK: memref.store %[[AXIS1]], %[[STATUS]][%[[PLACE1]]]
// CHECK: %[[FIRST:.*]] = tensor.dim
// CHECK: tensor.empty(%[[FIRST]], %[[FOUR]])
func.func @transposed(%x: tensor<4x?xf32>, %y: tensor<?x?xf32>, %status: memref<8xi64> {sparseconv.status}) -> tensor<4x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %init = tensor.empty(%n) : tensor<4x?xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #columns, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x?xf32>, tensor<?x?xf32>) outs(%init : tensor<4x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x?xf32>
  return %sum : tensor<4x?xf32>
}

// -----

// Sizes that agree by construction need no check.
// CHECK-LABEL: func @one_source
// CHECK-NOT: scf.if
func.func @one_source(%x: tensor<?x4xf32>, %status: memref<8xi64> {sparseconv.status}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %init = tensor.empty(%n) : tensor<?x4xf32>
  %twice = linalg.add ins(%x, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  %both = tensor.concat dim(1) %x, %twice : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  return %both : tensor<?x8xf32>
}

// -----

// The parts of a concatenation.
// CHECK-LABEL: func @concatenation
// CHECK: %[[SAFE:.*]] = scf.if
// CHECK: tensor.concat dim(1) %{{.*}}, %[[SAFE]]
func.func @concatenation(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %status: memref<8xi64> {sparseconv.status}) -> tensor<?x8xf32> {
  %both = tensor.concat dim(1) %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  return %both : tensor<?x8xf32>
}

// -----

// A static size decides, also where it comes after a dynamic one.
// CHECK-LABEL: func @static_second
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK: %[[SAFE:.*]] = scf.if
// CHECK-NEXT: scf.yield %[[X]]
// CHECK: linalg.add ins(%[[SAFE]], %[[Y]] :
func.func @static_second(%x: tensor<?xf32>, %y: tensor<4xf32>, %status: memref<8xi64> {sparseconv.status}) -> tensor<4xf32> {
  %sum = linalg.add ins(%x, %y : tensor<?xf32>, tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %sum : tensor<4xf32>
}
