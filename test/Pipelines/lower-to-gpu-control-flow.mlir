// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu --split-input-file | FileCheck %s

// Control flow around kernels: the host only launches.

#packing = #sparseconv.packing<i64, batch = 8, bits = [24], guard = [32]>
!set = !sparseconv.coords<1, stride = [1], #packing>

// A set is made in a branch. The condition is a number of the device.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME:    memref<?x2xi32>, %[[IS:[^:]*]]: memref<1xi1>
// CHECK-NOT:     scf.
// CHECK:         gpu.launch_func {{.*}}%[[IS]] : memref<1xi1>
// CHECK-NOT:     scf.
// CHECK:         return
func.func @branch(%points: tensor<?x2xi32>, %is: i1) -> tensor<?x2xi32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %out = scf.if %is -> !set {
    %grown = sparseconv.expand %c offsets(box<3>) : !set
    scf.yield %grown : !set
  } else {
    scf.yield %c : !set
  }
  %r = sparseconv.unpack %out : !set -> tensor<?x2xi32>
  return %r : tensor<?x2xi32>
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [24], guard = [32]>
!set = !sparseconv.coords<1, stride = [1], #packing>

// A loop of two iterations, around a function that is not to be inlined.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT:     scf.
// CHECK-NOT:     call @
// CHECK:         return
func.func private @grow(%set: !set) -> !set attributes {no_inline} {
  %next = sparseconv.expand %set offsets(box<2>) : !set
  return %next : !set
}
func.func @loop(%points: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %grown = scf.for %i = %c0 to %c2 step %c1 iter_args(%set = %c) -> !set {
    %next = func.call @grow(%set) : (!set) -> !set
    scf.yield %next : !set
  }
  %r = sparseconv.unpack %grown : !set -> tensor<?x2xi32>
  return %r : tensor<?x2xi32>
}

// -----

// A size that the caller says: the rows of an argument without elements bound it.
// CHECK-LABEL: func.func @size(
// CHECK-SAME:    %[[N:[^:]*]]: memref<?x0xi8>
// CHECK:         %[[ROOM:.*]] = memref.dim %[[N]], %c0
// CHECK:         %[[SIZE:.*]] = sparseconv.kernel.exact_size %{{.*}} at_most %[[ROOM]]
// CHECK:         memref.alloc(%[[SIZE]]) {{.*}} : memref<?x4xf32>
// CHECK:         return
func.func @size(%n: index) -> tensor<?x4xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%one : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %f : tensor<?x4xf32>
}

// -----

// Rows become elements.
// CHECK-LABEL: func.func @collapse(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x2xf32>
// CHECK:         %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[ROOM:.*]] = arith.muli %[[ROWS]], %c2
// CHECK:         memref.alloc(%[[ROOM]]) {{.*}} : memref<?xf32>
func.func @collapse(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
