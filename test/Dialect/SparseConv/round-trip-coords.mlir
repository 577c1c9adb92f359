// RUN: sparseconv-opt %s | sparseconv-opt | FileCheck %s
// RUN: sparseconv-opt %s --mlir-print-op-generic | sparseconv-opt | FileCheck %s

// Every operation on sets and kernel maps, as it is written and printed.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!down = !sparseconv.kernel_map<27, !fine to !half>
!up = !sparseconv.kernel_map<27, !half to !fine>

// Points become a set, an order and a way back; results have readable names.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME: %[[P:.*]]: tensor<?x4xi32>, %[[FIVE:.*]]: tensor<5x4xi32>)
func.func @pack(%p: tensor<?x4xi32>, %five: tensor<5x4xi32>) -> (!fine, tensor<?xi32>, tensor<?xi32>, tensor<5xi32>) {
  // CHECK: %coords, %order, %row_of = sparseconv.pack %[[P]] : tensor<?x4xi32> -> !coords_1_1_1
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !fine
  // One row for each point, known or not; how many are distinct is not.
  // CHECK: %[[C5:.*]], %[[O5:.*]], %[[R5:.*]] = sparseconv.pack %[[FIVE]] : tensor<5x4xi32> -> !coords_1_1_1
  %c5, %order5, %row_of5 = sparseconv.pack %five : tensor<5x4xi32> -> !fine
  // CHECK: return %coords, %order, %[[O5]], %[[R5]] : !coords_1_1_1, tensor<?xi32>, tensor<?xi32>, tensor<5xi32>
  return %c, %order, %order5, %row_of5 : !fine, tensor<?xi32>, tensor<?xi32>, tensor<5xi32>
}

// CHECK-LABEL: func.func @unpack(
// CHECK-SAME: %[[C:.*]]: !coords_1_1_1)
func.func @unpack(%c: !fine) {
  // CHECK: sparseconv.unpack %[[C]] : !coords_1_1_1 -> tensor<?x4xi32>
  %0 = sparseconv.unpack %c : !fine -> tensor<?x4xi32>
  // CHECK: sparseconv.size %[[C]] : !coords_1_1_1
  %1 = sparseconv.size %c : !fine
  return
}

// CHECK-LABEL: func.func @downsample(
// CHECK-SAME: %[[C:.*]]: !coords_1_1_1)
func.func @downsample(%c: !fine) {
  // CHECK: sparseconv.downsample %[[C]] by [2, 2, 2] : !coords_1_1_1 -> !coords_2_2_2
  %0 = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
  // CHECK: sparseconv.downsample %[[C]] by [2, 2, 2] cover offsets(box<3, 3, 3>) clip(<[0, 0, 0] to [64, 64, 64]>) {coarsening = #sparseconv.coarsening<bitmap>} : !coords_1_1_1 -> !coords_2_2_2
  %bits = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) clip(<[0, 0, 0] to [64, 64, 64]>) {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  // CHECK: sparseconv.downsample %[[C]] by [2, 2, 2] {coarsening = #sparseconv.coarsening<merge>} : !coords_1_1_1 -> !coords_2_2_2
  %merged = sparseconv.downsample %c by [2, 2, 2] {coarsening = #sparseconv.coarsening<merge>} : !fine -> !half
  // CHECK: sparseconv.downsample %[[C]] by [2, 2, 2] clip(<[0, 0, -4] to [64, 64, 4]>) : !coords_1_1_1 -> !coords_2_2_2
  %clipped = sparseconv.downsample %c by [2, 2, 2] clip(<[0, 0, -4] to [64, 64, 4]>) : !fine -> !half
  // CHECK: sparseconv.downsample %[[C]] by [2, 2, 2] cover offsets(box<3, 3, 3>) : !coords_1_1_1 -> !coords_2_2_2
  %1 = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) : !fine -> !half
  // CHECK: sparseconv.downsample %[[C]] by [2, 2, 2] cover offsets(box<corner 2, corner 2, 3>) clip(<[0, 0, -4] to [64, 64, 4]>) capacity(1000) : !coords_1_1_1 -> !coords_2_2_2
  %2 = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<corner 2, corner 2, 3>)
      clip(<[0, 0, -4] to [64, 64, 4]>) capacity(1000) : !fine -> !half
  return
}

// CHECK-LABEL: func.func @upsample(
// CHECK-SAME: %[[C:.*]]: !coords_2_2_2)
func.func @upsample(%c: !half) {
  // CHECK: sparseconv.upsample %[[C]] by [2, 2, 2] : !coords_2_2_2 -> !coords_1_1_1
  %0 = sparseconv.upsample %c by [2, 2, 2] : !half -> !fine
  // CHECK: sparseconv.upsample %[[C]] by [2, 2, 2] offsets(list<[0, 0, 0], [1, 1, -1]>) clip(<[0, 0, 0] to [8, 8, 8]>) capacity(0) : !coords_2_2_2 -> !coords_1_1_1
  %1 = sparseconv.upsample %c by [2, 2, 2] offsets(list<[0, 0, 0], [1, 1, -1]>)
      clip(<[0, 0, 0] to [8, 8, 8]>) capacity(0) : !half -> !fine
  return
}

// CHECK-LABEL: func.func @subdivide(
// CHECK-SAME: %[[C:.*]]: !coords_2_2_2, %[[ORDER:.*]]: tensor<?xi32>, %[[ROW_OF:.*]]: tensor<9xi32>)
func.func @subdivide(%c: !half, %order: tensor<?xi32>, %row_of: tensor<9xi32>) {
  // CHECK: %fine, %rows, %order, %row_of = sparseconv.subdivide %[[C]] by [2, 1, 2] : !coords_2_2_2
  %0:4 = sparseconv.subdivide %c by [2, 1, 2] : !half
  // CHECK: sparseconv.subdivide %[[C]] by [2, 2, 2] points(%[[ORDER]], %[[ROW_OF]] : tensor<?xi32>, tensor<9xi32>) : !coords_2_2_2
  %1:4 = sparseconv.subdivide %c by [2, 2, 2] points(%order, %row_of : tensor<?xi32>, tensor<9xi32>) : !half
  return
}

// CHECK-LABEL: func.func @rescale(
// CHECK-SAME: %[[C:.*]]: !coords_1_1_1)
func.func @rescale(%c: !fine) {
  // CHECK: sparseconv.rescale %[[C]] by [2, 2, 2] : !coords_1_1_1 -> !coords_2_2_2
  %0 = sparseconv.rescale %c by [2, 2, 2] : !fine -> !half
  return
}

// CHECK-LABEL: func.func @expand(
// CHECK-SAME: %[[C:.*]]: !coords_2_2_2)
func.func @expand(%c: !half) {
  // CHECK: sparseconv.expand %[[C]] offsets(box<3, 1, 3>) : !coords_2_2_2
  %0 = sparseconv.expand %c offsets(box<3, 1, 3>) : !half
  // CHECK: sparseconv.expand %[[C]] offsets(box<2, 2, 2>) transposed clip(<[0, 0, 0] to [8, 8, 8]>) capacity(7) : !coords_2_2_2
  %1 = sparseconv.expand %c offsets(box<2, 2, 2>) transposed
      clip(<[0, 0, 0] to [8, 8, 8]>) capacity(7) : !half
  return
}

// CHECK-LABEL: func.func @merge(
// CHECK-SAME: %[[A:.*]]: !coords_1_1_1, %[[B:.*]]: !coords_1_1_1, %[[MASK:.*]]: tensor<?xi1>)
func.func @merge(%a: !fine, %b: !fine, %mask: tensor<?xi1>) {
  // CHECK: %coords, %lhs_rows, %rhs_rows = sparseconv.union %[[A]], %[[B]] : !coords_1_1_1
  %c, %lhs_rows, %rhs_rows = sparseconv.union %a, %b : !fine
  // CHECK: %coords_0, %lhs_rows_1, %rhs_rows_2 = sparseconv.intersection %[[A]], %[[B]] : !coords_1_1_1
  %d, %lhs_from, %rhs_from = sparseconv.intersection %a, %b : !fine
  // CHECK: %kept, %rows = sparseconv.prune %[[A]], %[[MASK]] : !coords_1_1_1, tensor<?xi1>
  %e, %rows = sparseconv.prune %a, %mask : !fine, tensor<?xi1>
  return
}

// The map's type names both sides, and is all that need be written.
// CHECK-LABEL: func.func @kernel_map(
// CHECK-SAME: %[[C:.*]]: !coords_1_1_1, %[[H:.*]]: !coords_2_2_2)
func.func @kernel_map(%c: !fine, %h: !half) {
  // CHECK: %[[DOWN:.*]] = sparseconv.kernel_map %[[C]] to %[[H]] offsets(box<3, 3, 3>) : ![[DOWN_TYPE:.*]]
  %0 = sparseconv.kernel_map %c to %h offsets(box<3, 3, 3>) : !down
  // CHECK: %[[UP:.*]] = sparseconv.kernel_map %[[H]] to %[[C]] offsets(box<3, 3, 3>) transposed : ![[UP_TYPE:.*]]
  %1 = sparseconv.kernel_map %h to %c offsets(box<3, 3, 3>) transposed : !up
  // CHECK: sparseconv.kernel_map %[[C]] to %[[H]] offsets(box<3, 3, 3>) {search = #sparseconv.search<zdelta>} :
  %searched = sparseconv.kernel_map %c to %h offsets(box<3, 3, 3>) {search = #sparseconv.search<zdelta>} : !down
  // CHECK: sparseconv.kernel_map %[[C]] to %[[C]] offsets(list<[0, 0, -1], [0, 0, 1]>) {search = #sparseconv.search<binary, half>} :
  %half = sparseconv.kernel_map %c to %c offsets(list<[0, 0, -1], [0, 0, 1]>) {search = #sparseconv.search<binary, half>}
      : !sparseconv.kernel_map<2, !fine to !fine>
  // CHECK: sparseconv.kernel_map %[[C]] to %[[C]] offsets(list<[0, 0, 0], [0, 0, 1]>) :
  %2 = sparseconv.kernel_map %c to %c offsets(list<[0, 0, 0], [0, 0, 1]>)
      : !sparseconv.kernel_map<2, !fine to !fine>
  // CHECK: sparseconv.kernel_map %[[C]] to %[[C]] offsets(box<3, 3, 1, dilation = [2, 4, 1]>) :
  %3 = sparseconv.kernel_map %c to %c offsets(box<3, 3, 1, dilation = [2, 4, 1]>)
      : !sparseconv.kernel_map<9, !fine to !fine>
  // CHECK: sparseconv.transpose_map %[[DOWN]] : ![[DOWN_TYPE]] -> ![[UP_TYPE]]
  %4 = sparseconv.transpose_map %0 : !down -> !up
  // CHECK: sparseconv.map_size in %[[DOWN]] : ![[DOWN_TYPE]]
  %5 = sparseconv.map_size in %0 : !down
  // CHECK: sparseconv.map_size out %[[DOWN]] : ![[DOWN_TYPE]]
  %6 = sparseconv.map_size out %0 : !down
  // CHECK: sparseconv.neighbour_table %[[DOWN]] : ![[DOWN_TYPE]] -> tensor<?x27xi32>
  %7 = sparseconv.neighbour_table %0 : !down -> tensor<?x27xi32>
  return
}

// A map that is given has offsets without a geometry.
// CHECK-LABEL: func.func @given_map(
// CHECK-SAME: %[[C:.*]]: !coords_1_1_1, %[[H:.*]]: !coords_2_2_2, %[[PAIRS:.*]]: tensor<?x3xi32>, %[[TABLE:.*]]: tensor<?x27xi32>)
func.func @given_map(%c: !fine, %h: !half, %pairs: tensor<?x3xi32>, %table: tensor<?x27xi32>) {
  // CHECK: sparseconv.map_from_pairs %[[PAIRS]], %[[C]] to %[[H]] : tensor<?x3xi32>, !map27
  %0 = sparseconv.map_from_pairs %pairs, %c to %h : tensor<?x3xi32>, !down
  // CHECK: sparseconv.map_from_table %[[TABLE]], %[[C]] to %[[H]] : tensor<?x27xi32>, !map27
  %1 = sparseconv.map_from_table %table, %c to %h : tensor<?x27xi32>, !down
  // CHECK: %[[TILES:.*]], %[[ROW:.*]], %[[MASKS:.*]], %[[SIZES:.*]] = sparseconv.map_tiles %{{.*}} : !map27
  %tiles, %row, %masks, %sizes = sparseconv.map_tiles %1 : !down
  // CHECK: sparseconv.map_from_tiles %[[TILES]], %[[ROW]], %[[MASKS]], %[[SIZES]], %[[C]] to %[[H]]
  // CHECK-SAME: : tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !map27
  %2 = sparseconv.map_from_tiles %tiles, %row, %masks, %sizes, %c to %h
      : tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !down
  // CHECK: sparseconv.map_tiles %{{.*}} {row_order = #sparseconv<row_order density>} : !map27
  %3:4 = sparseconv.map_tiles %1 {row_order = #sparseconv<row_order density>} : !down
  return
}

// A table for rows in another order has as many rows as are asked for, or as it had.
// CHECK-LABEL: func.func @renumber_table(
// CHECK-SAME: %[[TABLE:.*]]: tensor<?x27xi32>, %[[ROWS:.*]]: tensor<9xi32>)
func.func @renumber_table(%table: tensor<?x27xi32>, %rows: tensor<9xi32>) {
  // CHECK: %[[OUT:.*]] = sparseconv.renumber_table out %[[TABLE]], %[[ROWS]] : tensor<?x27xi32>, tensor<9xi32> -> tensor<9x27xi32>
  %0 = sparseconv.renumber_table out %table, %rows : tensor<?x27xi32>, tensor<9xi32> -> tensor<9x27xi32>
  // CHECK: sparseconv.renumber_table in %[[TABLE]], %[[ROWS]] : tensor<?x27xi32>, tensor<9xi32> -> tensor<?x27xi32>
  %1 = sparseconv.renumber_table in %table, %rows : tensor<?x27xi32>, tensor<9xi32> -> tensor<?x27xi32>
  return
}

// Points that are those of a set, in its order.
// CHECK-LABEL: func.func @pack_in_order(
func.func @pack_in_order(%points: tensor<?x4xi32>) {
  // CHECK: sparseconv.pack %{{.*}} {in_order} : tensor<?x4xi32> -> !coords_1_1_1
  %c, %order, %row_of = sparseconv.pack %points {in_order} : tensor<?x4xi32> -> !fine
  return
}

// Points in space, with a batch index and without, and those that become voxels.
// CHECK-LABEL: func.func @quantise(
// CHECK-SAME: %[[P:.*]]: tensor<?x3xf32>, %[[B:.*]]: tensor<9x4xf32>)
func.func @quantise(%points: tensor<?x3xf32>, %batched: tensor<9x4xf32>) {
  // CHECK: %[[Q:.*]] = sparseconv.quantise %[[P]] origin [0.000000e+00, -4.000000e+01, -2.000000e+00] size [5.000000e-01, 5.000000e-01, 2.500000e-01] : tensor<?x3xf32> -> tensor<?x4xi32>
  %0 = sparseconv.quantise %points origin [0.0, -40.0, -2.0] size [0.5, 0.5, 0.25] : tensor<?x3xf32> -> tensor<?x4xi32>
  // CHECK: sparseconv.quantise %[[B]] origin {{.*}} : tensor<9x4xf32> -> tensor<9x4xi32>
  %1 = sparseconv.quantise %batched origin [0.0, -40.0, -2.0] size [0.5, 0.5, 0.25] : tensor<9x4xf32> -> tensor<9x4xi32>
  // CHECK: sparseconv.pack %[[Q]] clip(<[0, -80, 0] to [100, 80, 8]>) : tensor<?x4xi32> -> !coords_1_1_1
  %c, %order, %row_of = sparseconv.pack %0 clip(<[0, -80, 0] to [100, 80, 8]>) : tensor<?x4xi32> -> !fine
  return
}

// The guard bounds an offset times the finer stride, and may be used up: here
// 4 times 2 on an axis of guard 8.
#tight = #sparseconv.packing<i32, batch = 1, bits = [15, 15], guard = [8, 8]>
!two = !sparseconv.coords<2, stride = [2, 2], #tight>
!six = !sparseconv.coords<2, stride = [6, 2], #tight>
// CHECK-LABEL: func.func @guard(
func.func @guard(%two: !two, %six: !six) {
  // CHECK: sparseconv.kernel_map %{{.*}} to %{{.*}} offsets(box<9, 1>) :
  %0 = sparseconv.kernel_map %two to %six offsets(box<9, 1>)
      : !sparseconv.kernel_map<9, !two to !six>
  // CHECK: sparseconv.downsample %{{.*}} by [3, 1] : !coords_2_2 -> !coords_6_2
  %1 = sparseconv.downsample %two by [3, 1] : !two -> !six
  return
}
