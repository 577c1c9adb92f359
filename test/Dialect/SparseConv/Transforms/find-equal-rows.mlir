// RUN: sparseconv-opt %s --sparseconv-find-equal-rows | FileCheck %s
// What is marked may be a network from outside, and stays as it is.
// RUN: sparseconv-opt %s --sparseconv-find-equal-rows --sparseconv-verify-network --sparseconv-find-equal-rows | FileCheck %s

#pack = #sparseconv.packing<i64, batch = 7, bits = [14, 14, 14], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #pack>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #pack>
!map = !sparseconv.kernel_map<27, !set to !set>
!down = !sparseconv.kernel_map<8, !set to !half>

// A row of features for each point, whatever is computed from them before they
// come into the order of the set.
// CHECK-LABEL: @points
// CHECK-SAME: %arg0: tensor<?x4xi32> {sparseconv.name = "points"},
// CHECK-SAME: %arg1: tensor<?x2xf32> {sparseconv.rows = "points"},
// CHECK-SAME: %arg2: tensor<?x2xf32> {sparseconv.name = "y", sparseconv.rows = "points"},
// CHECK-SAME: %arg3: tensor<?x2xf32>)
func.func @points(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %x: tensor<?x2xf32>,
                  %y: tensor<?x2xf32> {sparseconv.name = "y"}, %table: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %0 = arith.addf %x, %y : tensor<?x2xf32>
  %1 = math.absf %0 : tensor<?x2xf32>
  %2 = sparseconv.gather %1, %order : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  // Back in the order of points, and a table with any number of rows.
  %3 = sparseconv.gather %table, %row_of : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  return %2, %3 : tensor<?x2xf32>, tensor<?x2xf32>
}

// Rows that the caller chooses say nothing of what they are taken from, nor does
// what may not run.
// CHECK-LABEL: @free
// CHECK-NOT: sparseconv.rows
// CHECK: return
func.func @free(%points: tensor<?x4xi32>, %x: tensor<?x2xf32>, %rows: tensor<?xi32>, %y: tensor<?x2xf32>,
                %go: i1) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %0 = sparseconv.gather %x, %rows : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %1 = scf.if %go -> tensor<?x2xf32> {
    %2 = sparseconv.gather %y, %order : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
    scf.yield %2 : tensor<?x2xf32>
  } else {
    scf.yield %y : tensor<?x2xf32>
  }
  return %0, %1 : tensor<?x2xf32>, tensor<?x2xf32>
}

// A set that says that its points are in order has a row for each, so has what
// an epilogue adds; weights have their own sizes.
// CHECK-LABEL: @in_order
// CHECK-SAME: %arg1: tensor<?x4xf32> {sparseconv.rows = "arg0"},
// CHECK-SAME: %arg2: tensor<27x4x4xf32>, %arg3: tensor<?x4xf32> {sparseconv.rows = "arg0"})
func.func @in_order(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w: tensor<27x4x4xf32>,
                    %skip: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %coords, %order, %row_of = sparseconv.pack %points {in_order} : tensor<?x4xi32> -> !set
  %map = sparseconv.kernel_map %coords to %coords offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %w, %map epilogue(%skip : tensor<?x4xf32>) {
  ^bb0(%acc: f32, %s: f32):
    %1 = arith.addf %acc, %s : f32
    sparseconv.yield %1 : f32
  } : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Without that there may be fewer rows than points; the residual and the
// features are still of one set, and what belongs to the other side is not.
// CHECK-LABEL: @sides
// CHECK-SAME: %arg1: tensor<?x4xf32>, %arg2: tensor<8x4x4xf32>,
// CHECK-SAME: %arg3: tensor<?x4xf32>, %arg4: tensor<?x4xf32> {sparseconv.rows = "arg3"},
// CHECK-SAME: %arg5: tensor<?x4xf32> {sparseconv.rows = "arg1"})
func.func @sides(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w: tensor<8x4x4xf32>,
                 %dy: tensor<?x4xf32>, %residual: tensor<?x4xf32>, %other: tensor<?x4xf32>)
    -> (tensor<8x4x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x8xf32>) {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %half = sparseconv.downsample %coords by [2, 2, 2] : !set -> !half
  %map = sparseconv.kernel_map %coords to %half offsets(box<2, 2, 2>) : !down
  %0 = sparseconv.weight_grad %x, %dy, %map : tensor<?x4xf32>, tensor<?x4xf32>, !down -> tensor<8x4x4xf32>
  %1 = sparseconv.conv %x, %w, %map : tensor<?x4xf32>, tensor<8x4x4xf32>, !down -> tensor<?x4xf32>
  %2 = linalg.add ins(%1, %residual : tensor<?x4xf32>, tensor<?x4xf32>) outs(%1 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = sparseconv.input_grad %dy, %w, %map : tensor<?x4xf32>, tensor<8x4x4xf32>, !down -> tensor<?x4xf32>
  %4 = tensor.concat dim(1) %3, %other : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  return %0, %2, %3, %4 : tensor<8x4x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: @pools
// CHECK-SAME: %arg1: tensor<?x4xf32>, %arg2: tensor<?x4xf32>,
// CHECK-SAME: %arg3: tensor<?x4xf32> {sparseconv.rows = "arg1"},
// CHECK-SAME: %arg4: tensor<?x4xf32> {sparseconv.rows = "arg2"})
func.func @pools(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %dy: tensor<?x4xf32>, %z: tensor<?x4xf32>,
                 %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>) {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %half = sparseconv.downsample %coords by [2, 2, 2] : !set -> !half
  %map = sparseconv.kernel_map %coords to %half offsets(box<2, 2, 2>) : !down
  %0 = sparseconv.pool max %x, %map : tensor<?x4xf32>, !down -> tensor<?x4xf32>
  %1 = sparseconv.pool_grad max %dy, %map of %x : tensor<?x4xf32>, !down, tensor<?x4xf32> -> tensor<?x4xf32>
  %2 = sparseconv.unpool %y, %map : tensor<?x4xf32>, !down -> tensor<?x4xf32>
  %3 = sparseconv.global_pool avg %z, %coords : tensor<?x4xf32>, !set -> tensor<2x4xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: @rows
// CHECK-SAME: %arg1: tensor<?x4xf32>, %arg2: tensor<?xi32> {sparseconv.rows = "arg1"},
// CHECK-SAME: %arg3: tensor<?x4xf32>, %arg4: tensor<?x4xf32> {sparseconv.rows = "arg3"},
// CHECK-SAME: %arg5: tensor<?xi1>, %arg6: tensor<?x27xi32> {sparseconv.rows = "arg5"},
// CHECK-SAME: %arg7: index)
func.func @rows(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %rows: tensor<?xi32>,
                %real: tensor<?x4xf32>, %y: tensor<?x4xf32>, %mask: tensor<?xi1>,
                %table: tensor<?x27xi32>, %n: index)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, !set, !map) {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %0 = sparseconv.scatter %x, %rows into %n : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %1 = sparseconv.voxelise nearest avg %y, %real, %coords : tensor<?x4xf32>, tensor<?x4xf32>, !set -> tensor<?x4xf32>
  %2, %3 = sparseconv.prune %coords, %mask : !set, tensor<?xi1>
  %4 = sparseconv.map_from_table %table, %coords to %coords : tensor<?x27xi32>, !map
  return %0, %1, %2, %4 : tensor<?x4xf32>, tensor<?x4xf32>, !set, !map
}

// What the author says is taken on, by the first of several.
// CHECK-LABEL: @stated
// CHECK-SAME: %arg1: tensor<?x4xf32> {sparseconv.rows = "arg0"}, %arg2: tensor<?x4xf32> {sparseconv.rows = "arg0"}
func.func @stated(%x: tensor<?x4xf32>, %y: tensor<?x4xf32> {sparseconv.rows = "arg0"},
                  %z: tensor<?x4xf32> {sparseconv.rows = "arg1"}) {
  return
}

// A name that two arguments have stands for the first.
// CHECK-LABEL: @twice
// CHECK-NOT: sparseconv.rows
// CHECK: return
func.func @twice(%x: tensor<?x4xf32> {sparseconv.name = "x"}, %y: tensor<?x4xf32> {sparseconv.name = "x"},
                 %z: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = arith.addf %y, %z : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A function on sets is for callers in the module.
// CHECK-LABEL: @on_sets
// CHECK-NOT: sparseconv.rows
// CHECK: return
func.func @on_sets(%coords: !set, %x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = arith.addf %x, %y : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
