// RUN: sparseconv-opt %s --sparseconv-unroll-loops --canonicalize --split-input-file | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-unroll-loops=max-trips=2 --canonicalize --split-input-file | FileCheck %s --check-prefix=FEW

#packing = #sparseconv.packing<i64, batch = 8, bits = [24], guard = [32]>
!set = !sparseconv.coords<1, stride = [1], #packing>

// A set goes around.
// CHECK-LABEL: func.func @sets(
// CHECK-NOT:   scf.for
// CHECK-COUNT-3: sparseconv.expand
// CHECK-NOT:   sparseconv.expand
// CHECK:       return
// FEW-LABEL:   func.func @sets(
// FEW:         scf.for
func.func @sets(%set: !set) -> !set {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %set) -> !set {
    %next = sparseconv.expand %s offsets(box<2>) : !set
    scf.yield %next : !set
  }
  return %r : !set
}

// -----

// Tensors, in two loops; the number of an iteration is a constant in it.
// CHECK-LABEL: func.func @nested(
// CHECK-NOT:   scf.for
// CHECK-COUNT-6: linalg.fill
// CHECK-NOT:   linalg.fill
// Of at most two iterations the inner loop alone has that many.
// FEW-LABEL:   func.func @nested(
// FEW-COUNT-1: scf.for
// FEW-NOT:     scf.for
// FEW-COUNT-2: linalg.fill
// FEW:         return
func.func @nested(%x: tensor<4xindex>) -> tensor<4xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c1 to %c7 step %c2 iter_args(%a = %x) -> tensor<4xindex> {
    %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%b = %a) -> tensor<4xindex> {
      %sum = arith.addi %i, %j : index
      %f = linalg.fill ins(%sum : index) outs(%b : tensor<4xindex>) -> tensor<4xindex>
      scf.yield %f : tensor<4xindex>
    }
    scf.yield %s : tensor<4xindex>
  }
  return %r : tensor<4xindex>
}

// -----

// What the number of iterations is, is not known; numbers alone.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-2: scf.for
func.func @stays(%x: tensor<4xindex>, %n: index) -> (tensor<4xindex>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xindex> {
    %f = linalg.fill ins(%i : index) outs(%a : tensor<4xindex>) -> tensor<4xindex>
    scf.yield %f : tensor<4xindex>
  }
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %n) -> index {
    %square = arith.muli %a, %a : index
    scf.yield %square : index
  }
  return %r, %s : tensor<4xindex>, index
}
