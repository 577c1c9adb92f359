// RUN: sparseconv-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!coarsest = !sparseconv.coords<3, stride = [1024, 1024, 1024], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!slab = !sparseconv.coords<3, stride = [2, 4, 2], #packing>
!quarter = !sparseconv.coords<3, stride = [4, 4, 4], #packing>
!coarse = !sparseconv.coords<3, stride = [4, 64, 4], #packing>
!map = !sparseconv.kernel_map<27, !fine to !half>
!back = !sparseconv.kernel_map<27, !half to !fine>

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

// The order has one element for each row of the set, the way back one for each
// point.
// CHECK-LABEL: func.func @pack_dims(
// CHECK-SAME: %[[P:[^:]*]]: tensor<?x4xi32>)
func.func @pack_dims(%p: tensor<?x4xi32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[C:.*]], %{{.*}}, %{{.*}} = sparseconv.pack %[[P]]
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !fine
  // CHECK: %[[ROWS:.*]] = sparseconv.size %[[C]] : !coords_1_1_1
  %rows = tensor.dim %order, %c0 : tensor<?xi32>
  // CHECK: %[[POINTS:.*]] = tensor.dim %[[P]], %[[C0]] : tensor<?x4xi32>
  %points = tensor.dim %row_of, %c0 : tensor<?xi32>
  // CHECK: return %[[ROWS]], %[[POINTS]]
  return %rows, %points : index, index
}

// CHECK-LABEL: func.func @unpack_dims(
// CHECK-SAME: %[[C:[^:]*]]: !coords_1_1_1)
func.func @unpack_dims(%c: !fine) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[ROWS:.*]] = sparseconv.size %[[C]] : !coords_1_1_1
  %p = sparseconv.unpack %c : !fine -> tensor<?x4xi32>
  %rows = tensor.dim %p, %c0 : tensor<?x4xi32>
  %columns = tensor.dim %p, %c1 : tensor<?x4xi32>
  // CHECK: return %[[ROWS]], %[[C4]]
  return %rows, %columns : index, index
}

// A union's rows are asked from its sides, an intersection's from its result.
// CHECK-LABEL: func.func @merge_dims(
// CHECK-SAME: %[[A:[^:]*]]: !coords_1_1_1, %[[B:[^:]*]]: !coords_1_1_1, %[[MASK:[^:]*]]: tensor<?xi1>)
func.func @merge_dims(%a: !fine, %b: !fine, %mask: tensor<?xi1>) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %u, %u_lhs, %u_rhs = sparseconv.union %a, %b : !fine
  // CHECK-DAG: %[[SIZE_A:.*]] = sparseconv.size %[[A]]
  %0 = tensor.dim %u_lhs, %c0 : tensor<?xi32>
  // CHECK-DAG: %[[SIZE_B:.*]] = sparseconv.size %[[B]]
  %1 = tensor.dim %u_rhs, %c0 : tensor<?xi32>
  // CHECK: %[[I:.*]], %{{.*}}, %{{.*}} = sparseconv.intersection %[[A]], %[[B]]
  %i, %i_lhs, %i_rhs = sparseconv.intersection %a, %b : !fine
  // CHECK: %[[SIZE_I:.*]] = sparseconv.size %[[I]]
  %2 = tensor.dim %i_lhs, %c0 : tensor<?xi32>
  // CHECK: %[[KEPT:.*]], %{{.*}} = sparseconv.prune %[[A]], %[[MASK]]
  %kept, %rows = sparseconv.prune %a, %mask : !fine, tensor<?xi1>
  // CHECK: %[[SIZE_KEPT:.*]] = sparseconv.size %[[KEPT]]
  %3 = tensor.dim %rows, %c0 : tensor<?xi32>
  // CHECK: return %[[SIZE_A]], %[[SIZE_B]], %[[SIZE_I]], %[[SIZE_KEPT]]
  return %0, %1, %2, %3 : index, index, index, index
}

// A side of a map is a set, through transposition, too.
// CHECK-LABEL: func.func @map_sizes(
// CHECK-SAME: %[[FINE:[^:]*]]: !coords_1_1_1, %[[HALF:[^:]*]]: !coords_2_2_2)
func.func @map_sizes(%fine: !fine, %half: !half) -> (index, index, index, index) {
  // CHECK-DAG: %[[SIZE_FINE:.*]] = sparseconv.size %[[FINE]]
  // CHECK-DAG: %[[SIZE_HALF:.*]] = sparseconv.size %[[HALF]]
  %m = sparseconv.kernel_map %fine to %half offsets(box<3, 3, 3>) : !map
  %t = sparseconv.transpose_map %m : !map -> !back
  %0 = sparseconv.map_size in %m : !map
  %1 = sparseconv.map_size out %m : !map
  %2 = sparseconv.map_size in %t : !back
  %3 = sparseconv.map_size out %t : !back
  // CHECK: return %[[SIZE_FINE]], %[[SIZE_HALF]], %[[SIZE_HALF]], %[[SIZE_FINE]]
  return %0, %1, %2, %3 : index, index, index, index
}

// So it is where the map is given.
// CHECK-LABEL: func.func @given_sizes(
// CHECK-SAME: %[[FINE:[^:]*]]: !coords_1_1_1, %[[HALF:[^:]*]]: !coords_2_2_2,
func.func @given_sizes(%fine: !fine, %half: !half, %pairs: tensor<?x3xi32>, %table: tensor<?x27xi32>) -> (index, index) {
  // CHECK-DAG: %[[SIZE_FINE:.*]] = sparseconv.size %[[FINE]]
  // CHECK-DAG: %[[SIZE_HALF:.*]] = sparseconv.size %[[HALF]]
  %m = sparseconv.map_from_pairs %pairs, %fine to %half : tensor<?x3xi32>, !map
  %n = sparseconv.map_from_table %table, %fine to %half : tensor<?x27xi32>, !map
  %0 = sparseconv.map_size in %m : !map
  %1 = sparseconv.map_size out %n : !map
  // CHECK: return %[[SIZE_FINE]], %[[SIZE_HALF]]
  return %0, %1 : index, index
}

// Of a map that comes from elsewhere the sides alone are known.
// CHECK-LABEL: func.func @transposed_size(
// CHECK-SAME: %[[M:[^:]*]]: !map27
// CHECK: sparseconv.map_size out %[[M]]
func.func @transposed_size(%m: !map) -> index {
  %t = sparseconv.transpose_map %m : !map -> !back
  %0 = sparseconv.map_size in %t : !back
  return %0 : index
}

// CHECK-LABEL: func.func @table_dims(
// CHECK-SAME: %[[M:[^:]*]]: !map27
func.func @table_dims(%m: !map) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[C27:.*]] = arith.constant 27 : index
  // CHECK-DAG: %[[ROWS:.*]] = sparseconv.map_size out %[[M]]
  %table = sparseconv.neighbour_table %m : !map -> tensor<?x27xi32>
  %rows = tensor.dim %table, %c0 : tensor<?x27xi32>
  %columns = tensor.dim %table, %c1 : tensor<?x27xi32>
  // CHECK: return %[[ROWS]], %[[C27]]
  return %rows, %columns : index, index
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

// The table of a map of the same sets is the map. With other sets it stays: their
// sizes have to be compared.
// CHECK-LABEL: func.func @table_of_a_map(
// CHECK-SAME: %[[FINE:[^:]*]]: !coords_1_1_1, %[[HALF:[^:]*]]: !coords_2_2_2, %[[OTHER:[^:]*]]: !coords_2_2_2
func.func @table_of_a_map(%fine: !fine, %half: !half, %other: !half) -> (!map, !map) {
  // CHECK: %[[M:.*]] = sparseconv.kernel_map
  // CHECK: %[[N:.*]] = sparseconv.map_from_table %{{.*}}, %[[FINE]] to %[[OTHER]]
  // CHECK: return %[[M]], %[[N]]
  %m = sparseconv.kernel_map %fine to %half offsets(box<3, 3, 3>) : !map
  %table = sparseconv.neighbour_table %m : !map -> tensor<?x27xi32>
  %same = sparseconv.map_from_table %table, %fine to %half : tensor<?x27xi32>, !map
  %n = sparseconv.map_from_table %table, %fine to %other : tensor<?x27xi32>, !map
  return %same, %n : !map, !map
}

// CHECK-LABEL: func.func @transpose_twice(
// CHECK-SAME: %[[M:[^:]*]]: !map27
// CHECK-NEXT: return %[[M]]
func.func @transpose_twice(%m: !map) -> !map {
  %t = sparseconv.transpose_map %m : !map -> !back
  %u = sparseconv.transpose_map %t : !back -> !map
  return %u : !map
}

// A set is floored to its own stride already, and is all of its own cells; its
// own grid is not finer.
// CHECK-LABEL: func.func @same_stride(
// CHECK-SAME: %[[C:[^:]*]]: !coords_2_2_2)
// CHECK-NEXT: return %[[C]], %[[C]], %[[C]]
func.func @same_stride(%c: !half) -> (!half, !half, !half) {
  %0 = sparseconv.downsample %c by [1, 1, 1] : !half -> !half
  %1 = sparseconv.upsample %c by [1, 1, 1] : !half -> !half
  %2 = sparseconv.rescale %c by [1, 1, 1] : !half -> !half
  return %0, %1, %2 : !half, !half, !half
}

// Offsets that are all cells are those that nothing is written for.
// CHECK-LABEL: func.func @all_cells(
// CHECK-SAME: %[[C:[^:]*]]: !coords_2_2_2)
// CHECK-NEXT: %[[R0:.*]] = sparseconv.upsample %[[C]] by [2, 2, 2] : !coords_2_2_2
// CHECK-NEXT: %[[R1:.*]] = sparseconv.upsample %[[C]] by [2, 2, 2] clip(<[0, 0, 0] to [2, 2, 2]>) : !coords_2_2_2
// CHECK-NEXT: %[[R2:.*]] = sparseconv.upsample %[[C]] by [2, 2, 2] offsets(box<corner 2, corner 2, 1>) : !coords_2_2_2
// CHECK-NEXT: return %[[R0]], %[[R1]], %[[R2]]
func.func @all_cells(%c: !half) -> (!fine, !fine, !fine) {
  %0 = sparseconv.upsample %c by [2, 2, 2] offsets(box<2, 2, 2>) : !half -> !fine
  %1 = sparseconv.upsample %c by [2, 2, 2] offsets(box<corner 2, 2, corner 2>) clip(<[0, 0, 0] to [2, 2, 2]>) : !half -> !fine
  %2 = sparseconv.upsample %c by [2, 2, 2] offsets(box<corner 2, corner 2, 1>) : !half -> !fine
  return %0, %1, %2 : !fine, !fine, !fine
}

// More cells than a box of offsets may have are no box to compare with.
// CHECK-LABEL: func.func @many_cells(
// CHECK: sparseconv.upsample {{.*}} by [1024, 1024, 1024] offsets(box<corner 2, corner 2, corner 2>)
// CHECK: sparseconv.downsample {{.*}} by [1024, 1024, 1024] cover offsets(box<3, 3, 3>)
func.func @many_cells(%c: !coarsest, %f: !fine) -> (!fine, !coarsest) {
  %0 = sparseconv.upsample %c by [1024, 1024, 1024] offsets(box<corner 2, corner 2, corner 2>) : !coarsest -> !fine
  %1 = sparseconv.downsample %f by [1024, 1024, 1024] cover offsets(box<3, 3, 3>) : !fine -> !coarsest
  return %0, %1 : !fine, !coarsest
}

// Offsets, a clip region or a capacity make it another set, or an error.
// CHECK-LABEL: func.func @same_stride_only(
// CHECK-SAME: %[[C:[^:]*]]: !coords_2_2_2)
func.func @same_stride_only(%c: !half) -> (!half, !half, !half, !half) {
  // CHECK-NEXT: %[[R0:.*]] = sparseconv.downsample %[[C]] by [1, 1, 1] cover offsets(box<3, 3, 3>)
  %0 = sparseconv.downsample %c by [1, 1, 1] cover offsets(box<3, 3, 3>) : !half -> !half
  // CHECK-NEXT: %[[R1:.*]] = sparseconv.upsample %[[C]] by [1, 1, 1] offsets(list<[0, 0, 1]>)
  %1 = sparseconv.upsample %c by [1, 1, 1] offsets(list<[0, 0, 1]>) : !half -> !half
  // CHECK-NEXT: %[[R2:.*]] = sparseconv.upsample %[[C]] by [1, 1, 1] clip(<[0, 0, 0] to [2, 2, 2]>)
  %2 = sparseconv.upsample %c by [1, 1, 1] clip(<[0, 0, 0] to [2, 2, 2]>) : !half -> !half
  // CHECK-NEXT: %[[R3:.*]] = sparseconv.upsample %[[C]] by [1, 1, 1] capacity(5)
  %3 = sparseconv.upsample %c by [1, 1, 1] capacity(5) : !half -> !half
  // CHECK-NEXT: return %[[R0]], %[[R1]], %[[R2]], %[[R3]]
  return %0, %1, %2, %3 : !half, !half, !half, !half
}

// A set grown by no distance is itself.
// CHECK-LABEL: func.func @zero_offset(
// CHECK-SAME: %[[C:[^:]*]]: !coords_1_1_1)
// CHECK-NEXT: return %[[C]], %[[C]]
func.func @zero_offset(%c: !fine) -> (!fine, !fine) {
  %0 = sparseconv.expand %c offsets(list<[0, 0, 0]>) : !fine
  %1 = sparseconv.expand %c offsets(box<1, 1, 1>) transposed : !fine
  return %0, %1 : !fine, !fine
}

// Another offset, a clip region or a capacity make it another set, or an error.
// CHECK-LABEL: func.func @zero_offset_only(
// CHECK-SAME: %[[C:[^:]*]]: !coords_1_1_1)
func.func @zero_offset_only(%c: !fine) -> (!fine, !fine, !fine, !fine) {
  // CHECK-NEXT: %[[R0:.*]] = sparseconv.expand %[[C]] offsets(list<[0, 0, 1]>)
  %0 = sparseconv.expand %c offsets(list<[0, 0, 1]>) : !fine
  // CHECK-NEXT: %[[R1:.*]] = sparseconv.expand %[[C]] offsets(list<[0, 0, 0], [0, 1, 0]>)
  %1 = sparseconv.expand %c offsets(list<[0, 0, 0], [0, 1, 0]>) : !fine
  // CHECK-NEXT: %[[R2:.*]] = sparseconv.expand %[[C]] offsets(box<1, 1, 1>) clip(<[0, 0, 0] to [2, 2, 2]>)
  %2 = sparseconv.expand %c offsets(box<1, 1, 1>) clip(<[0, 0, 0] to [2, 2, 2]>) : !fine
  // CHECK-NEXT: %[[R3:.*]] = sparseconv.expand %[[C]] offsets(box<1, 1, 1>) capacity(5)
  %3 = sparseconv.expand %c offsets(box<1, 1, 1>) capacity(5) : !fine
  // CHECK-NEXT: return %[[R0]], %[[R1]], %[[R2]], %[[R3]]
  return %0, %1, %2, %3 : !fine, !fine, !fine, !fine
}

// A set merged with itself is itself; only rows that are read are computed.
// CHECK-LABEL: func.func @merge_with_itself(
// CHECK-SAME: %[[A:[^:]*]]: !coords_1_1_1)
// CHECK-NEXT: return %[[A]], %[[A]]
func.func @merge_with_itself(%a: !fine) -> (!fine, !fine) {
  %u, %u_lhs, %u_rhs = sparseconv.union %a, %a : !fine
  %i, %i_lhs, %i_rhs = sparseconv.intersection %a, %a : !fine
  return %u, %i : !fine, !fine
}

// CHECK-LABEL: func.func @rows_of_itself(
// CHECK-SAME: %[[A:[^:]*]]: !coords_1_1_1)
func.func @rows_of_itself(%a: !fine)
    -> (!fine, tensor<?xi32>, tensor<?xi32>, !fine, tensor<?xi32>, tensor<?xi32>) {
  // CHECK-NEXT: %{{.*}}, %[[U:.*]], %{{.*}} = sparseconv.union %[[A]], %[[A]]
  %u, %u_lhs, %u_rhs = sparseconv.union %a, %a : !fine
  // CHECK-NEXT: %{{.*}}, %[[I:.*]], %{{.*}} = sparseconv.intersection %[[A]], %[[A]]
  %i, %i_lhs, %i_rhs = sparseconv.intersection %a, %a : !fine
  // CHECK-NEXT: return %[[A]], %[[U]], %[[U]], %[[A]], %[[I]], %[[I]]
  return %u, %u_lhs, %u_rhs, %i, %i_lhs, %i_rhs
      : !fine, tensor<?xi32>, tensor<?xi32>, !fine, tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @merge_of_two(
// CHECK-SAME: %[[A:[^:]*]]: !coords_1_1_1, %[[B:[^:]*]]: !coords_1_1_1)
func.func @merge_of_two(%a: !fine, %b: !fine) -> (!fine, !fine) {
  // CHECK-NEXT: %[[U:.*]], %{{.*}}, %{{.*}} = sparseconv.union %[[A]], %[[B]]
  %u, %u_lhs, %u_rhs = sparseconv.union %a, %b : !fine
  // CHECK-NEXT: %[[I:.*]], %{{.*}}, %{{.*}} = sparseconv.intersection %[[A]], %[[B]]
  %i, %i_lhs, %i_rhs = sparseconv.intersection %a, %b : !fine
  // CHECK-NEXT: return %[[U]], %[[I]]
  return %u, %i : !fine, !fine
}

// The lowest coordinates, -2^19 + 32 and -2^15 + 32, are multiples of 4, so that
// no floor is below the packing.
// CHECK-LABEL: func.func @nested_floors(
// CHECK-SAME: %[[C:[^:]*]]: !coords_1_1_1)
// CHECK-NEXT: %[[R:.*]] = sparseconv.downsample %[[C]] by [4, 4, 4] : !coords_1_1_1 -> !coords_4_4_4
// CHECK-NEXT: return %[[R]]
func.func @nested_floors(%c: !fine) -> !quarter {
  %0 = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
  %1 = sparseconv.downsample %0 by [2, 2, 2] : !half -> !quarter
  return %1 : !quarter
}

// They are not multiples of 64: either floor may fail, and says which it is.
// CHECK-LABEL: func.func @floors_that_may_fail(
// CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2]
// CHECK: sparseconv.downsample %{{.*}} by [2, 32, 2]
func.func @floors_that_may_fail(%c: !fine) -> !coarse {
  %0 = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
  %1 = sparseconv.downsample %0 by [2, 32, 2] : !half -> !coarse
  return %1 : !coarse
}

// What is read elsewhere is computed anyway, and the smaller list to sort.
// CHECK-LABEL: func.func @floors_of_use(
// CHECK: %[[HALF:.*]] = sparseconv.downsample %{{.*}} by [2, 2, 2]
// CHECK: sparseconv.downsample %[[HALF]] by [2, 2, 2]
func.func @floors_of_use(%c: !fine) -> (!half, !quarter) {
  %0 = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
  %1 = sparseconv.downsample %0 by [2, 2, 2] : !half -> !quarter
  return %0, %1 : !half, !quarter
}

// Nothing of the inner floor's clip is said by a coarser one.
// CHECK-LABEL: func.func @floor_of_clipped_floor(
// CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2] clip(<[0, 0, 0] to [6, 6, 6]>)
// CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2] :
func.func @floor_of_clipped_floor(%c: !fine) -> !quarter {
  %0 = sparseconv.downsample %c by [2, 2, 2] clip(<[0, 0, 0] to [6, 6, 6]>) : !fine -> !half
  %1 = sparseconv.downsample %0 by [2, 2, 2] : !half -> !quarter
  return %1 : !quarter
}

// The outer one's is that of both.
// CHECK-LABEL: func.func @clipped_floor_of_floor(
// CHECK-NEXT: sparseconv.downsample %{{.*}} by [4, 4, 4] clip(<[0, 0, 0] to [8, 8, 8]>) : !coords_1_1_1 -> !coords_4_4_4
func.func @clipped_floor_of_floor(%c: !fine) -> !quarter {
  %0 = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
  %1 = sparseconv.downsample %0 by [2, 2, 2] clip(<[0, 0, 0] to [8, 8, 8]>) : !half -> !quarter
  return %1 : !quarter
}

// A clip leaves rows out where the stride stays.
// CHECK-LABEL: func.func @clip(
// CHECK-NEXT: sparseconv.downsample %{{.*}} by [1, 1, 1] clip(<[0, 0, 0] to [8, 8, 8]>)
func.func @clip(%c: !fine) -> !fine {
  %0 = sparseconv.downsample %c by [1, 1, 1] clip(<[0, 0, 0] to [8, 8, 8]>) : !fine -> !fine
  return %0 : !fine
}

// Windows side by side, as they are written or as a list, cover what floor gives;
// other windows do not, and a capacity is checked.
// CHECK-LABEL: func.func @cover_by_cells(
// CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2] : !coords_1_1_1
// CHECK: sparseconv.downsample %{{.*}} by [1, 2, 1] clip(<[0, 0, 0] to [64, 64, 64]>) : !coords_2_2_2
// CHECK: cover offsets(box<corner 2, corner 2, corner 2>) capacity(9)
// CHECK: cover offsets(box<corner 2, corner 2, 3>)
func.func @cover_by_cells(%c: !fine) -> (!half, !slab, !half, !half) {
  %0 = sparseconv.downsample %c by [2, 2, 2] cover
      offsets(box<corner 2, corner 2, corner 2>) : !fine -> !half
  %1 = sparseconv.downsample %0 by [1, 2, 1] cover offsets(list<[0, 0, 0], [0, 1, 0]>)
      clip(<[0, 0, 0] to [64, 64, 64]>) : !half -> !slab
  %2 = sparseconv.downsample %c by [2, 2, 2] cover
      offsets(box<corner 2, corner 2, corner 2>) capacity(9) : !fine -> !half
  %3 = sparseconv.downsample %c by [2, 2, 2] cover
      offsets(box<corner 2, corner 2, 3>) : !fine -> !half
  return %0, %1, %2, %3 : !half, !slab, !half, !half
}

// CHECK-LABEL: func.func @floor_of_cover(
// CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2] cover
// CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2] :
// CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2] :
// CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2] cover
func.func @floor_of_cover(%c: !fine) -> (!quarter, !quarter) {
  %0 = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) : !fine -> !half
  %1 = sparseconv.downsample %0 by [2, 2, 2] : !half -> !quarter
  %2 = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
  %3 = sparseconv.downsample %2 by [2, 2, 2] cover offsets(box<3, 3, 3>) : !half -> !quarter
  return %1, %3 : !quarter, !quarter
}
