// RUN: sparseconv-opt %s --cse --split-input-file | FileCheck %s --check-prefix=CSE
// RUN: sparseconv-opt %s --loop-invariant-code-motion --split-input-file | FileCheck %s --check-prefix=LICM

// No operation has memory effects, so that equal ones are merged. One that can
// fail at run time stays where it is written. Moved out of a branch, or of a
// loop without turns, it could report an error that the program does not have.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !fine to !fine>

// Two equal packs are one.
// CSE-LABEL: func.func @equal_packs(
// LICM-LABEL: func.func @equal_packs(
func.func @equal_packs(%p: tensor<?x4xi32>) -> (!fine, !fine) {
  // CSE: %[[C:.*]], %{{.*}}, %{{.*}} = sparseconv.pack
  // CSE-NOT: sparseconv.pack
  // CSE: return %[[C]], %[[C]]
  %a, %order_a, %row_of_a = sparseconv.pack %p : tensor<?x4xi32> -> !fine
  %b, %order_b, %row_of_b = sparseconv.pack %p : tensor<?x4xi32> -> !fine
  return %a, %b : !fine, !fine
}

// Two equal maps are one; other offsets make another map.
// CSE-LABEL: func.func @equal_maps(
func.func @equal_maps(%c: !fine) -> (!map, !map, !map) {
  // CSE: %[[M:.*]] = sparseconv.kernel_map %{{.*}} offsets(box<3, 3, 3>)
  // CSE: %[[D:.*]] = sparseconv.kernel_map %{{.*}} offsets(box<3, 3, 3, dilation = [2, 2, 2]>)
  // CSE-NOT: sparseconv.kernel_map %
  // CSE: return %[[M]], %[[M]], %[[D]]
  %a = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %b = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %d = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3, dilation = [2, 2, 2]>) : !map
  return %a, %b, %d : !map, !map, !map
}

// So are equal convolutions, with equal epilogues.
// CSE-LABEL: func.func @equal_convs(
func.func @equal_convs(%x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>, %m: !map)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  // CSE: %[[TWICE:.*]] = sparseconv.conv
  // CSE: arith.addf
  // CSE: %[[SQUARE:.*]] = sparseconv.conv
  // CSE: arith.mulf
  // CSE-NOT: sparseconv.conv
  // CSE: return %[[TWICE]], %[[TWICE]], %[[SQUARE]]
  %a = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    %0 = arith.addf %acc, %acc : f32
    sparseconv.yield %0 : f32
  } : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  %b = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    %0 = arith.addf %acc, %acc : f32
    sparseconv.yield %0 : f32
  } : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  %c = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    %0 = arith.mulf %acc, %acc : f32
    sparseconv.yield %0 : f32
  } : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  return %a, %b, %c : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !fine to !fine>

// A pack does not leave the branch that guards it, in a loop or not: points that
// nobody asked for may lie beyond the packing.
// LICM-LABEL: func.func @guarded_pack(
// LICM-NOT: sparseconv.pack
// LICM: scf.for
// LICM-NOT: sparseconv.pack
// LICM: scf.if
// LICM-NEXT: sparseconv.pack
// CSE-LABEL: func.func @guarded_pack(
func.func @guarded_pack(%p: tensor<?x4xi32>, %condition: i1, %empty: !fine, %n: index) -> !fine {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%set = %empty) -> !fine {
    %chosen = scf.if %condition -> !fine {
      %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !fine
      scf.yield %c : !fine
    } else {
      scf.yield %set : !fine
    }
    scf.yield %chosen : !fine
  }
  return %last : !fine
}

// A loop may have no turns: what can fail stays in it, operands or not.
// LICM-LABEL: func.func @fallible(
// LICM-NEXT: arith.constant
// LICM-NEXT: arith.constant
// LICM-NEXT: scf.for
// LICM: sparseconv.downsample
// LICM: sparseconv.upsample
// LICM: sparseconv.expand
// LICM: sparseconv.union
// LICM: sparseconv.prune
// LICM: sparseconv.conv
// LICM: sparseconv.pool
// LICM: sparseconv.gather
// LICM: sparseconv.scatter
// LICM: sparseconv.voxelise
// LICM: sparseconv.to_dense
// LICM-NEXT: }
func.func @fallible(%c: !fine, %mask: tensor<?xi1>, %x: tensor<?x4xf32>, %w: tensor<27x4x4xf32>,
                    %m: !map, %rows: tensor<?xi32>, %p: tensor<?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
    %1 = sparseconv.upsample %0 by [2, 2, 2] : !half -> !fine
    %2 = sparseconv.expand %c offsets(box<3, 3, 3>) : !fine
    %3, %lhs_rows, %rhs_rows = sparseconv.union %c, %c : !fine
    %4, %kept_rows = sparseconv.prune %c, %mask : !fine, tensor<?xi1>
    %5 = sparseconv.conv %x, %w, %m
        : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
    %6 = sparseconv.pool max %x, %m : tensor<?x4xf32>, !map -> tensor<?x4xf32>
    %7 = sparseconv.gather %x, %rows : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
    %8 = sparseconv.scatter %x, %rows into %n
        : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
    %9 = sparseconv.voxelise nearest sum %x, %p, %c
        : tensor<?x4xf32>, tensor<?x4xf32>, !fine -> tensor<?x4xf32>
    %10 = sparseconv.to_dense %x, %c origin [0, 0, 0]
        : tensor<?x4xf32>, !fine -> tensor<1x8x8x8x4xf32>
  }
  return
}

// What cannot fail is computed once, before the loop: maps, sizes, coordinates.
// LICM-LABEL: func.func @infallible(
// LICM: sparseconv.kernel_map
// LICM: sparseconv.transpose_map
// LICM: sparseconv.map_size
// LICM: sparseconv.neighbour_table
// LICM: sparseconv.size
// LICM: sparseconv.unpack
// LICM: scf.for
// LICM-NOT: sparseconv
// LICM: return
func.func @infallible(%c: !fine, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
    %t = sparseconv.transpose_map %m : !map -> !map
    %rows = sparseconv.map_size out %m : !map
    %table = sparseconv.neighbour_table %t : !map -> tensor<?x27xi32>
    %size = sparseconv.size %c : !fine
    %points = sparseconv.unpack %c : !fine -> tensor<?x4xi32>
  }
  return
}
