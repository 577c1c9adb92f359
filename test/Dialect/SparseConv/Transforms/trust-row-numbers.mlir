// RUN: sparseconv-opt %s --sparseconv-trust-row-numbers | FileCheck %s --check-prefixes=CHECK,ANY
// RUN: sparseconv-opt %s --sparseconv-trust-row-numbers=compared-arguments | FileCheck %s --check-prefixes=CHECK,COMPARED

// Numbers that the network makes itself need no check where there are as many rows
// as they count.

#packing = #sparseconv.packing<i64, batch = 8, bits = [18, 18], guard = [4, 4]>
!set = !sparseconv.coords<2, stride = [1, 1], #packing>
!half = !sparseconv.coords<2, stride = [2, 2], #packing>
!map = !sparseconv.kernel_map<9, !set to !set>
!up = !sparseconv.kernel_map<4, !half to !set>

// The point of each row, of features that points have, and the row of each point.

// CHECK-LABEL: func.func @points(
// CHECK:         sparseconv.gather %{{.*}}, %order {sparseconv.trusted}
// CHECK:         sparseconv.gather %{{.*}}, %row_of {sparseconv.trusted}
func.func @points(%points: tensor<?x3xi32>, %w: tensor<9x3x4xf16>) -> tensor<?x4xf16> {
  %set, %order, %row_of = sparseconv.pack %points clip(<[0, 0] to [9, 9]>) : tensor<?x3xi32> -> !set
  %c0 = arith.constant 0 : index
  %n = tensor.dim %points, %c0 : tensor<?x3xi32>
  %empty = tensor.empty(%n) : tensor<?x3xf16>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%points : tensor<?x3xi32>) outs(%empty : tensor<?x3xf16>) {
  ^bb0(%number: i32, %out: f16):
    %0 = arith.sitofp %number : i32 to f16
    linalg.yield %0 : f16
  } -> tensor<?x3xf16>
  %rows = sparseconv.gather %x, %order : tensor<?x3xf16>, tensor<?xi32> -> tensor<?x3xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3>) : !map
  %y = sparseconv.conv %rows, %w, %map : tensor<?x3xf16>, tensor<9x3x4xf16>, !map -> tensor<?x4xf16>
  %z = sparseconv.gather %y, %row_of : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  return %z : tensor<?x4xf16>
}

// The coordinate of each cell, on a grid of any unit, and the row of each cell; and
// the rows that a mask leaves.

// CHECK-LABEL: func.func @cells(
// CHECK:         sparseconv.gather %{{.*}}, %rows {sparseconv.trusted}
// CHECK:         sparseconv.gather %{{.*}}, %row_of_{{[0-9]+}} {sparseconv.trusted}
// CHECK:         sparseconv.gather %{{.*}}, %rows_{{[0-9]+}} {sparseconv.trusted}
func.func @cells(%points: tensor<?x3xi32>, %x: tensor<?x3xf16>, %w: tensor<9x3x4xf16>, %v: tensor<9x4x4xf16>, %mask: tensor<?xi1>) -> (tensor<?x4xf16>, tensor<?x4xf16>) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3>) : !map
  %y = sparseconv.conv %x, %w, %map : tensor<?x3xf16>, tensor<9x3x4xf16>, !map -> tensor<?x4xf16>
  %half = sparseconv.rescale %set by [2, 2] : !set -> !half
  %fine, %rows, %cells, %row_of_cell = sparseconv.subdivide %half by [2, 2]
      points(%order, %row_of : tensor<?xi32>, tensor<?xi32>) : !half
  %wide = sparseconv.gather %y, %rows : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %fine_map = sparseconv.kernel_map %fine to %fine offsets(box<3, 3>) : !map
  %z = sparseconv.conv %wide, %v, %fine_map : tensor<?x4xf16>, tensor<9x4x4xf16>, !map -> tensor<?x4xf16>
  %0 = sparseconv.gather %z, %row_of_cell : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %left, %kept = sparseconv.prune %fine, %mask : !set, tensor<?xi1>
  %1 = sparseconv.gather %z, %kept : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  return %0, %1 : tensor<?x4xf16>, tensor<?x4xf16>
}

// A layer from a set that was rescaled, whose features have the rows of the one before.
// Where they have the rows of the set itself, nothing compares them anyway, and where
// they have those of another one, they stay compared.

// CHECK-LABEL: func.func @rescaled(
// CHECK:         sparseconv.conv %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} :
// CHECK:         sparseconv.conv %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} :
// CHECK:         sparseconv.conv %{{.*}}, %{{.*}}, %{{.*}} {sparseconv.trusted} :
// CHECK:         sparseconv.conv %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK-NOT:     sparseconv.trusted
func.func @rescaled(%points: tensor<?x3xi32>, %x: tensor<?x3xf16>, %w: tensor<9x3x4xf16>, %u: tensor<9x4x4xf16>, %v: tensor<4x4x4xf16>)
    -> (tensor<?x4xf16>, tensor<?x4xf16>) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3>) : !map
  %own = sparseconv.conv %x, %w, %map : tensor<?x3xf16>, tensor<9x3x4xf16>, !map -> tensor<?x4xf16>
  %y = sparseconv.conv %own, %u, %map : tensor<?x4xf16>, tensor<9x4x4xf16>, !map -> tensor<?x4xf16>
  %double = sparseconv.rescale %set by [2, 2] : !set -> !half
  %fine, %rows, %cells, %row_of_cell = sparseconv.subdivide %double by [2, 2]
      points(%order, %row_of : tensor<?xi32>, tensor<?xi32>) : !half
  %up = sparseconv.kernel_map %double to %fine offsets(box<2, 2>) transposed : !up
  %z = sparseconv.conv %y, %v, %up : tensor<?x4xf16>, tensor<4x4x4xf16>, !up -> tensor<?x4xf16>
  %other = sparseconv.conv %z, %v, %up : tensor<?x4xf16>, tensor<4x4x4xf16>, !up -> tensor<?x4xf16>
  return %z, %other : tensor<?x4xf16>, tensor<?x4xf16>
}

// Where arguments are compared before a run: one that needs the rows of the points, also
// by way of another one; and one that needs those of something else.

// CHECK-LABEL:   func.func @equal(
// ANY-NOT:         sparseconv.trusted
// COMPARED:        sparseconv.gather %arg2, %order {sparseconv.trusted}
// COMPARED:        sparseconv.gather %arg3, %order {sparseconv.trusted}
// COMPARED:        sparseconv.gather %arg4, %order :
func.func @equal(%points: tensor<?x3xi32> {sparseconv.name = "points"}, %other: tensor<?x3xf16> {sparseconv.name = "other"},
                 %x: tensor<?x3xf16> {sparseconv.name = "x", sparseconv.rows = "points"},
                 %y: tensor<?x3xf16> {sparseconv.name = "y", sparseconv.rows = "x"},
                 %z: tensor<?x3xf16> {sparseconv.name = "z", sparseconv.rows = "other"})
    -> (tensor<?x3xf16>, tensor<?x3xf16>, tensor<?x3xf16>) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %0 = sparseconv.gather %x, %order : tensor<?x3xf16>, tensor<?xi32> -> tensor<?x3xf16>
  %1 = sparseconv.gather %y, %order : tensor<?x3xf16>, tensor<?xi32> -> tensor<?x3xf16>
  %2 = sparseconv.gather %z, %order : tensor<?x3xf16>, tensor<?xi32> -> tensor<?x3xf16>
  return %0, %1, %2 : tensor<?x3xf16>, tensor<?x3xf16>, tensor<?x3xf16>
}

// Numbers from elsewhere, and those of another number of rows.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     sparseconv.trusted
func.func @others(%points: tensor<?x3xi32>, %x: tensor<?x3xf16>, %given: tensor<?xi32>)
    -> (tensor<?x3xf16>, tensor<?x3xf16>, tensor<?x3xf16>, tensor<?x3xf16>) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %0 = sparseconv.gather %x, %order : tensor<?x3xf16>, tensor<?xi32> -> tensor<?x3xf16>
  %1 = sparseconv.gather %x, %given : tensor<?x3xf16>, tensor<?xi32> -> tensor<?x3xf16>
  %2 = sparseconv.gather %1, %row_of : tensor<?x3xf16>, tensor<?xi32> -> tensor<?x3xf16>
  %3 = sparseconv.gather %0, %order : tensor<?x3xf16>, tensor<?xi32> -> tensor<?x3xf16>
  return %0, %1, %2, %3 : tensor<?x3xf16>, tensor<?x3xf16>, tensor<?x3xf16>, tensor<?x3xf16>
}
