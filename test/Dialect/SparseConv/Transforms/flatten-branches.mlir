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

// A side that computes a tensor runs in any case, on no rows unless it is chosen.

// CHECK-LABEL: func.func @computes(
// CHECK-SAME: %[[IS:[^:]*]]: i1, %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<?xf32>
// CHECK:      %[[N:.*]] = tensor.dim %[[X]]
// CHECK:      %[[ROWS:.*]] = arith.select %[[IS]], %[[N]], %c0{{.*}} : index
// CHECK:      %[[XS:.*]] = tensor.extract_slice %[[X]][0] [%[[ROWS]]] [1]
// CHECK:      %[[M:.*]] = tensor.dim %[[Y]]
// CHECK:      %[[ROWS2:.*]] = arith.select %[[IS]], %[[M]], %c0{{.*}} : index
// CHECK:      %[[YS:.*]] = tensor.extract_slice %[[Y]][0] [%[[ROWS2]]] [1]
// CHECK:      %[[SUM:.*]] = linalg.add ins(%[[XS]], %[[YS]] :
// CHECK:      linalg.generic
// CHECK:        scf.if %[[IS]]
// CHECK:          tensor.extract %[[SUM]]
// CHECK:        } else {
// CHECK:          tensor.extract %[[X]]
func.func @computes(%is: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = scf.if %is -> tensor<?xf32> {
    %sum = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// The other side: rows where the condition does not hold. What an operation
// would report, it reports of rows; a report of the side's own stays under the
// condition.

#packing = #sparseconv.packing<i64, batch = 8, bits = [24], guard = [32]>
!set = !sparseconv.coords<1, stride = [1], #packing>

// CHECK-LABEL: func.func @kernels(
// CHECK-SAME: %[[IS:[^:]*]]: i1, %[[KEYS:[^:]*]]: tensor<?xi64>, %[[N:[^:]*]]: index, %[[BAD:[^:]*]]: i1, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK:      %[[NOT:.*]] = arith.xori %[[IS]], %true
// CHECK:      %[[ROOM:.*]] = arith.select %[[NOT]], %[[N]], %c0{{.*}} : index
// CHECK:      tensor.empty(%[[ROOM]])
// CHECK:      %[[DIM:.*]] = tensor.dim %[[KEYS]]
// CHECK:      %[[ROWS:.*]] = arith.select %[[NOT]], %[[DIM]], %c0{{.*}} : index
// CHECK:      %[[FEW:.*]] = tensor.extract_slice %[[KEYS]][0] [%[[ROWS]]] [1]
// CHECK:      sparseconv.kernel.floor ins(%[[FEW]], %[[STATUS]] :
// CHECK:      %[[REPORT:.*]] = arith.andi %[[NOT]], %[[BAD]]
// CHECK:      scf.if %[[REPORT]] {
// CHECK-NEXT:   memref.store
// CHECK:      linalg.generic
func.func @kernels(%is: i1, %keys: tensor<?xi64>, %n: index, %bad: i1, %status: memref<8xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %r = scf.if %is -> tensor<?xi64> {
    scf.yield %keys : tensor<?xi64>
  } else {
    %empty = tensor.empty(%n) : tensor<?xi64>
    %count = tensor.empty() : tensor<1xindex>
    %floored:2 = sparseconv.kernel.floor ins(%keys, %status : tensor<?xi64>, memref<8xi64>)
        outs(%empty, %count : tensor<?xi64>, tensor<1xindex>) {op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
    scf.if %bad {
      memref.store %one, %status[%c0] : memref<8xi64>
    }
    scf.yield %floored#0 : tensor<?xi64>
  }
  return %r : tensor<?xi64>
}

// -----

// A selection of tensors is one of elements.

// CHECK-LABEL: func.func @select(
// CHECK:       linalg.generic
// CHECK:         scf.if
// CHECK-NOT:   arith.select {{.*}} tensor
func.func @select(%is: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.select %is, %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
