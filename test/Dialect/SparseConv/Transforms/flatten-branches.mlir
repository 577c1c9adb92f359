// RUN: sparseconv-opt %s --sparseconv-flatten-branches --split-input-file | FileCheck %s

// The guard of a tensor's rows: each element is the tensor's, which is read only
// where its rows are right, or zero. The report stays under its condition.

// CHECK-LABEL: func.func @guard(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf32>, %[[ROWS:[^:]*]]: index, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK:      %[[AGREE:.*]] = arith.cmpi eq
// CHECK:      %[[FOUND:.*]] = tensor.dim %[[X]]
// CHECK:      %[[SIZE:.*]] = arith.select %[[AGREE]], %[[FOUND]], %{{.*}} : index
// CHECK:      %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x8xf32>
// CHECK:      %[[R:.*]] = linalg.generic {{.*}} outs(%[[EMPTY]]
// CHECK:        %[[I:.*]] = linalg.index 0
// CHECK:        %[[J:.*]] = linalg.index 1
// CHECK:        scf.if %[[AGREE]] -> (f32) {
// CHECK-NEXT:     %[[V:.*]] = tensor.extract %[[X]][%[[I]], %[[J]]]
// CHECK-NEXT:     scf.yield %[[V]]
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %cst
// CHECK:      %[[NOT:.*]] = arith.xori %[[AGREE]]
// CHECK:      scf.if %[[NOT]] {
// CHECK-NEXT:   memref.store %{{.*}}, %[[STATUS]]
// CHECK-NEXT: }
// CHECK:      return %[[R]]
func.func @guard(%x: tensor<?x8xf32>, %rows: index, %status: memref<8xi64>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %code = arith.constant 5 : i64
  %found = tensor.dim %x, %c0 : tensor<?x8xf32>
  %agree = arith.cmpi eq, %found, %rows : index
  %r = scf.if %agree -> tensor<?x8xf32> {
    scf.yield %x : tensor<?x8xf32>
  } else {
    memref.store %code, %status[%c0] : memref<8xi64>
    %empty = tensor.empty(%rows) : tensor<?x8xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %zeros : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// -----

// One of two tensors, and a number with it.

// CHECK-LABEL: func.func @choose(
// CHECK-SAME: %[[IS:[^:]*]]: i1, %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>, %[[N:[^:]*]]: index, %[[M:[^:]*]]: index
// CHECK:      %[[R:.*]] = linalg.generic
// CHECK:        tensor.extract %[[X]]
// CHECK:        tensor.extract %[[Y]]
// CHECK:      %[[K:.*]] = arith.select %[[IS]], %[[N]], %[[M]]
// CHECK:      return %[[R]], %[[K]]
func.func @choose(%is: i1, %x: tensor<4xf32>, %y: tensor<4xf32>, %n: index, %m: index) -> (tensor<4xf32>, index) {
  %r:2 = scf.if %is -> (tensor<4xf32>, index) {
    scf.yield %x, %n : tensor<4xf32>, index
  } else {
    scf.yield %y, %m : tensor<4xf32>, index
  }
  return %r#0, %r#1 : tensor<4xf32>, index
}

// -----

// A side that computes a tensor is not run without need: its sizes may agree
// only there.

// CHECK-LABEL: func.func @computes(
// CHECK:      scf.if
// CHECK:        linalg.add
// CHECK:      } else {
func.func @computes(%is: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = scf.if %is -> tensor<?xf32> {
    %sum = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
