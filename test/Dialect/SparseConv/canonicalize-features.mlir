// RUN: sparseconv-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse --split-input-file | FileCheck %s

// The row count of a result is that of its set, and needs no features.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !fine to !half>

// CHECK-LABEL: func.func @conv_dim(
// CHECK-SAME: %[[FINE:[^:]*]]: !coords_1_1_1, %[[HALF:[^:]*]]: !coords_2_2_2
func.func @conv_dim(%fine: !fine, %half: !half, %x: tensor<?x32xf16>, %w: tensor<27x32x64xf16>)
    -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = sparseconv.kernel_map %fine to %half offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
  %rows = tensor.dim %y, %c0 : tensor<?x64xf16>
  %channels = tensor.dim %y, %c1 : tensor<?x64xf16>
  // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG: %[[ROWS:.*]] = sparseconv.size %[[HALF]] : !coords_2_2_2
  // CHECK: return %[[ROWS]], %[[C64]]
  return %rows, %channels : index, index
}

// Where the map comes from elsewhere, its side is asked.
// CHECK-LABEL: func.func @map_sides(
// CHECK-SAME: %[[M:[^:]*]]: !map27
func.func @map_sides(%m: !map, %x: tensor<?x64xf16>, %dy: tensor<?x64xf16>, %w: tensor<27x32x64xf16>)
    -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  // CHECK-DAG: %[[IN:.*]] = sparseconv.map_size in %[[M]] : !map27
  // CHECK-DAG: %[[OUT:.*]] = sparseconv.map_size out %[[M]] : !map27
  %0 = sparseconv.input_grad %dy, %w, %m
      : tensor<?x64xf16>, tensor<27x32x64xf16>, !map -> tensor<?x32xf16>
  %d0 = tensor.dim %0, %c0 : tensor<?x32xf16>
  %1 = sparseconv.pool max %x, %m : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  %d1 = tensor.dim %1, %c0 : tensor<?x64xf16>
  %2 = sparseconv.pool_grad sum %dy, %m : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  %d2 = tensor.dim %2, %c0 : tensor<?x64xf16>
  %3 = sparseconv.unpool %dy, %m : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  %d3 = tensor.dim %3, %c0 : tensor<?x64xf16>
  %t = sparseconv.neighbour_table %m : !map -> tensor<?x27xi32>
  %d4 = tensor.dim %t, %c0 : tensor<?x27xi32>
  // CHECK: return %[[IN]], %[[OUT]], %[[IN]], %[[IN]], %[[OUT]]
  return %d0, %d1, %d2, %d3, %d4 : index, index, index, index, index
}

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf32>, %[[R:[^:]*]]: tensor<?xi32>, %[[P:[^:]*]]: tensor<?x4xf32>, %[[C:[^:]*]]: !coords_1_1_1, %[[N:[^:]*]]: index
func.func @rows(%x: tensor<?x8xf32>, %rows: tensor<?xi32>, %p: tensor<?x4xf32>, %c: !fine, %n: index)
    -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  %0 = sparseconv.gather %x, %rows : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %d0 = tensor.dim %0, %c0 : tensor<?x8xf32>
  // CHECK: %[[GATHERED:.*]] = tensor.dim %[[R]], %[[C0]] : tensor<?xi32>
  %1 = sparseconv.scatter %x, %rows into %n : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %d1 = tensor.dim %1, %c0 : tensor<?x8xf32>
  %2 = sparseconv.voxelise nearest avg %x, %p, %c
      : tensor<?x8xf32>, tensor<?x4xf32>, !fine -> tensor<?x8xf32>
  %d2 = tensor.dim %2, %c0 : tensor<?x8xf32>
  // CHECK: %[[VOXELS:.*]] = sparseconv.size %[[C]] : !coords_1_1_1
  %3 = sparseconv.devoxelise nearest %x, %p, %c
      : tensor<?x8xf32>, tensor<?x4xf32>, !fine -> tensor<?x8xf32>
  %d3 = tensor.dim %3, %c0 : tensor<?x8xf32>
  // CHECK: %[[POINTS:.*]] = tensor.dim %[[P]], %[[C0]] : tensor<?x4xf32>
  // CHECK: return %[[GATHERED]], %[[N]], %[[VOXELS]], %[[POINTS]]
  return %d0, %d1, %d2, %d3 : index, index, index, index
}

// CHECK-LABEL: func.func @items(
// CHECK-SAME: %[[C:[^:]*]]: !coords_1_1_1, %[[B:[^:]*]]: index
func.func @items(%x: tensor<?x8xf32>, %c: !fine, %b: index, %d: tensor<2x4x4x4x8xf32>)
    -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[C4:.*]] = arith.constant 4 : index
  %0 = sparseconv.global_pool max %x, %c : tensor<?x8xf32>, !fine -> tensor<4x8xf32>
  %d0 = tensor.dim %0, %c0 : tensor<4x8xf32>
  %1 = sparseconv.global_pool max %x, %c batch(%b) : tensor<?x8xf32>, !fine -> tensor<?x8xf32>
  %d1 = tensor.dim %1, %c0 : tensor<?x8xf32>
  // CHECK: %[[SIZE:.*]] = sparseconv.size %[[C]] : !coords_1_1_1
  %2 = sparseconv.global_pool_grad sum %1, %c : tensor<?x8xf32>, !fine -> tensor<?x8xf32>
  %d2 = tensor.dim %2, %c0 : tensor<?x8xf32>
  %3 = sparseconv.from_dense %d, %c origin [0, 0, 0]
      : tensor<2x4x4x4x8xf32>, !fine -> tensor<?x8xf32>
  %d3 = tensor.dim %3, %c0 : tensor<?x8xf32>
  // CHECK: return %[[C4]], %[[B]], %[[SIZE]], %[[SIZE]]
  return %d0, %d1, %d2, %d3 : index, index, index, index
}

// -----

// A constant of an epilogue stays inside it, whatever folds.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !fine to !fine>

// CHECK-LABEL: func.func @constants(
func.func @constants(%x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>, %m: !map) -> tensor<?x8xf32> {
  // CHECK-NEXT: %[[Y:.*]] = sparseconv.conv
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32):
  // CHECK-NEXT:   %[[SIX:.*]] = arith.constant 6.000000e+00 : f32
  // CHECK-NEXT:   %[[R:.*]] = arith.minimumf %[[ACC]], %[[SIX]] : f32
  // CHECK-NEXT:   sparseconv.yield %[[R]] : f32
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    %two = arith.constant 2.0 : f32
    %three = arith.constant 3.0 : f32
    %six = arith.mulf %two, %three : f32
    %0 = arith.minimumf %acc, %six : f32
    sparseconv.yield %0 : f32
  } : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// A permission stays, and tells two operations apart; where both have it they
// are one.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !fine to !fine>

// CHECK-LABEL: func.func @tf32(
// CHECK-NEXT: %[[A:.*]] = sparseconv.conv %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4xf32>
// CHECK-NEXT: %[[B:.*]] = sparseconv.conv %{{.*}}, %{{.*}}, %{{.*}} tf32 = allowed : tensor<?x4xf32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[B]]
func.func @tf32(%x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>, %m: !map)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = sparseconv.conv %x, %w, %m : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  %1 = sparseconv.conv %x, %w, %m tf32 = allowed : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  %2 = sparseconv.conv %x, %w, %m tf32 = allowed : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  return %0, %1, %2 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// What nobody reads is not computed: no operation has memory effects.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !fine to !fine>

// CHECK-LABEL: func.func @dead(
// CHECK-NEXT: return
func.func @dead(%p: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>, %n: index) {
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !fine
  %x0 = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x0, %w, %m
      : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  %z = sparseconv.pool max %y, %m : tensor<?x8xf32>, !map -> tensor<?x8xf32>
  %g = sparseconv.global_pool max %z, %c : tensor<?x8xf32>, !fine -> tensor<1x8xf32>
  %s = sparseconv.scatter %z, %row_of into %n : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  return
}
