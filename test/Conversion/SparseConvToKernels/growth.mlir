// RUN: sparseconv-opt %s --convert-sparseconv-to-kernels --canonicalize --split-input-file | FileCheck %s
// RUN: sparseconv-opt %S/../../Networks/minkunet42.mlir --sparseconv-set-target=target=cuda:sm_90a --sparseconv-select-indexing --sparseconv-select-dataflow --sparseconv-select-tiling --convert-sparseconv-to-kernels | FileCheck %s --check-prefix=NETWORK --implicit-check-not="reach =" --implicit-check-not="cells ="

// What a target that reserves memory before it knows the rows of a set is told.
// Candidates have room for the reach of each coordinate: the offsets that agree
// modulo the stride. The distinct ones may be far fewer. Where there could be
// more than twice the rows that all began with, `reach` says that memory for
// them may start small and grow; `cells` is how many the packing or the clip has
// at that stride, where that is less than any set may have.

// Sets that are floored never have more rows than the points.
// NETWORK: sparseconv.kernel.unique
// NETWORK-COUNT-4: sparseconv.kernel.coarsen

// A window of 3 at stride 2 meets at most 2 outputs on each axis.

// CHECK-LABEL: func.func @cover(
// CHECK:      %[[N:.*]] = tensor.dim
// CHECK:      %[[ALL:.*]] = arith.muli %[[N]], %c8
// CHECK:      %[[ROOM:.*]] = arith.minui %[[ALL]], %c2147483646
// CHECK:      %[[CANDIDATES:.*]] = tensor.empty(%[[ROOM]]) : tensor<?xi64>
// CHECK:      sparseconv.kernel.spread {{.*}} outs(%[[CANDIDATES]],
// CHECK:      sparseconv.kernel.unique
// CHECK-SAME:   {capacity = 2147483646 : i64, op_id = 0 : i64, reach = 8 : i64}
#wide = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!one = !sparseconv.coords<3, stride = [1, 1, 1], #wide>
!two = !sparseconv.coords<3, stride = [2, 2, 2], #wide>
func.func @cover(%c: !one) -> !two {
  %0 = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) : !one -> !two
  return %0 : !two
}

// A capacity of the program's is memory enough: it is what the caller fixed.

// CHECK-LABEL: func.func @fixed(
// CHECK:      sparseconv.kernel.unique
// CHECK-SAME:   {capacity = 1000 : i64, op_id = 1 : i64}
func.func @fixed(%c: !one) -> !two {
  %0 = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) capacity(1000) : !one -> !two
  return %0 : !two
}

// Twice the rows of points is no reason to grow, and neither is one: a window of
// 2 at stride 2, or 2 offsets at the same stride.

// CHECK-LABEL: func.func @twice(
// CHECK-NOT:  reach =
// CHECK:      return
func.func @twice(%points: tensor<?x4xi32>) -> (!two, !one, !one) {
  %c, %o, %r = sparseconv.pack %points : tensor<?x4xi32> -> !one
  %0 = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<2, 2, 2>) : !one -> !two
  %1 = sparseconv.expand %c offsets(box<1, 1, 2>) : !one
  %2, %l2, %r2 = sparseconv.union %c, %c : !one
  return %0, %1, %2 : !two, !one, !one
}

// -----

// Points have as many cells as memory is asked for, unless some are the same. Those
// that a mask has left may be far fewer.

#wide = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!one = !sparseconv.coords<3, stride = [1, 1, 1], #wide>
!two = !sparseconv.coords<3, stride = [2, 2, 2], #wide>
!four = !sparseconv.coords<3, stride = [4, 4, 4], #wide>

// CHECK-LABEL: func.func @all_cells(
// CHECK:      sparseconv.kernel.subdivide {{.*}} {by = array<i64: 2, 2, 2>, capacity = 2147483646 : i64, op_id = {{[0-9]+}} : i64, set =
// CHECK:      sparseconv.kernel.subdivide {{.*}} {by = array<i64: 2, 2, 2>, capacity = 2147483646 : i64, op_id = {{[0-9]+}} : i64, set =
// CHECK:      sparseconv.kernel.subdivide {{.*}} {by = array<i64: 2, 2, 2>, capacity = 2147483646 : i64, op_id = {{[0-9]+}} : i64, reach = 8 : i64,
func.func @all_cells(%points: tensor<?x4xi32>, %mask: tensor<?xi1>) -> (!one, !one) {
  %c, %o, %r = sparseconv.pack %points : tensor<?x4xi32> -> !four
  %0, %rows, %order, %row_of = sparseconv.subdivide %c by [2, 2, 2] : !four
  %1 = sparseconv.upsample %0 by [2, 2, 2] : !two -> !one
  %2, %left = sparseconv.prune %0, %mask : !two, tensor<?xi1>
  %3 = sparseconv.upsample %2 by [2, 2, 2] : !two -> !one
  return %1, %3 : !one, !one
}

// -----

// Bounds multiply along a chain, through what keeps them as they are.

#wide = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!one = !sparseconv.coords<3, stride = [1, 1, 1], #wide>
!two = !sparseconv.coords<3, stride = [2, 2, 2], #wide>
!four = !sparseconv.coords<3, stride = [4, 4, 4], #wide>

// CHECK-LABEL: func.func @chain(
// CHECK:      sparseconv.kernel.unique {{.*}} {capacity = 2147483646 : i64, op_id = 0 : i64}
// CHECK:      sparseconv.kernel.unique {{.*}} {capacity = 2147483646 : i64, op_id = 1 : i64}
// CHECK:      sparseconv.kernel.unique {{.*}} {capacity = 2147483646 : i64, op_id = 2 : i64}
// CHECK:      sparseconv.kernel.unique {{.*}} {capacity = 2147483646 : i64, op_id = 4 : i64, reach = 2 : i64}
// CHECK:      sparseconv.kernel.subdivide {{.*}} {by = array<i64: 2, 2, 2>, capacity = 2147483646 : i64, op_id = 5 : i64, reach = 8 : i64,
func.func @chain(%points: tensor<?x4xi32>, %mask: tensor<?xi1>) -> !one {
  %c, %o, %r = sparseconv.pack %points : tensor<?x4xi32> -> !one
  %0 = sparseconv.expand %c offsets(box<1, 1, 2>) : !one
  %1 = sparseconv.downsample %0 by [2, 2, 2] : !one -> !two
  %2, %rows = sparseconv.prune %1, %mask : !two, tensor<?xi1>
  %3 = sparseconv.expand %2 offsets(box<1, 1, 2>) : !two
  %4 = sparseconv.upsample %3 by [2, 2, 2] : !two -> !one
  return %4 : !one
}

// A union has the rows of both sides.

// CHECK-LABEL: func.func @unions(
// CHECK-NOT:  reach =
// CHECK:      sparseconv.kernel.unique {{.*}} op_id = 8 : i64}
// CHECK:      sparseconv.kernel.unique {{.*}} op_id = 9 : i64, reach = 2 : i64}
// CHECK:      sparseconv.kernel.unique {{.*}} op_id = 11 : i64}
func.func @unions(%p: tensor<?x4xi32>, %q: tensor<?x4xi32>) -> (!one, !one) {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !one
  %d, %o2, %r2 = sparseconv.pack %q : tensor<?x4xi32> -> !one
  %0, %l0, %r0 = sparseconv.union %c, %d : !one
  %1, %l1, %r1 = sparseconv.union %0, %d : !one
  // No more than the smaller one.
  %2, %l2, %r3 = sparseconv.intersection %1, %c : !one
  %3, %l3, %r4 = sparseconv.union %2, %d : !one
  return %1, %3 : !one, !one
}

// Of a set that comes from elsewhere nothing is known: it may be one that grew.

// CHECK-LABEL: func.func @unknown(
// CHECK:      sparseconv.kernel.unique {{.*}} op_id = 12 : i64, reach = 2 : i64}
func.func @unknown(%c: !one) -> !one {
  %0 = sparseconv.expand %c offsets(box<1, 1, 2>) : !one
  return %0 : !one
}

// -----

// A packing of 14 by 14 cells (4 bits with a guard of 1 hold -7 .. 6) for 2 batch
// items: at stride 2 they are 7 by 7. A clip leaves fewer.

#small = #sparseconv.packing<i32, batch = 1, bits = [4, 4], guard = [1, 1]>
!one = !sparseconv.coords<2, stride = [1, 1], #small>
!two = !sparseconv.coords<2, stride = [2, 2], #small>

// CHECK-LABEL: func.func @cells(
// CHECK:      sparseconv.kernel.unique {{.*}} {capacity = 2147483646 : i64, cells = 98 : i64, op_id = 0 : i64, reach = 4 : i64}
// CHECK:      sparseconv.kernel.unique {{.*}} {capacity = 2147483646 : i64, cells = 16 : i64, op_id = 1 : i64, reach = 9 : i64}
// CHECK:      sparseconv.kernel.unique {{.*}} {capacity = 10 : i64, op_id = 2 : i64}
// CHECK:      sparseconv.kernel.unique {{.*}} {capacity = 1000 : i64, cells = 392 : i64, op_id = 3 : i64}
func.func @cells(%c: !one) -> (!two, !one, !two, !one) {
  %0 = sparseconv.downsample %c by [2, 2] cover offsets(box<3, 3>) : !one -> !two
  %1 = sparseconv.expand %c offsets(box<3, 3>) clip(<[0, 0] to [4, 2]>) : !one
  %2 = sparseconv.downsample %c by [2, 2] cover offsets(box<3, 3>) capacity(10) : !one -> !two
  %3 = sparseconv.expand %c offsets(box<3, 3>) capacity(1000) : !one
  return %0, %1, %2, %3 : !two, !one, !two, !one
}
