// RUN: sparseconv-opt %s --sparseconv-differentiate=wrt=x --cse | FileCheck %s

// Adjoints of what moves rows between sets, points and grids.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

// CHECK-LABEL: func.func @gather_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x4xf32> {{[^:]*}}, %[[ROWS:[^:]*]]: tensor<?xi32>, %[[DY:[^:]*]]: tensor<?x4xf32>)
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         sparseconv.scatter %[[DY]], %[[ROWS]] into %[[N]]
func.func @gather(%x: tensor<?x4xf32> {sparseconv.name = "x"}, %rows: tensor<?xi32>) -> tensor<?x4xf32> {
  %y = sparseconv.gather %x, %rows : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @scatter_gradient(
// CHECK-SAME:    %[[ROWS:[^:]*]]: tensor<?xi32>, %{{[^:]*}}: index, %[[DY:[^:]*]]: tensor<?x4xf32>)
// CHECK:         %[[DX:.*]] = sparseconv.gather %[[DY]], %[[ROWS]]
// CHECK:         return %{{.*}}, %[[DX]] :
func.func @scatter(%x: tensor<?x4xf32> {sparseconv.name = "x"}, %rows: tensor<?xi32>, %n: index) -> tensor<?x4xf32> {
  %y = sparseconv.scatter %x, %rows into %n : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// An average divides by the number of rows that were combined.
// CHECK-LABEL: func.func @average_gradient(
// CHECK-SAME:    %[[ROWS:[^:]*]]: tensor<?xi32>, %[[N:[^:]*]]: index, %[[DY:[^:]*]]: tensor<?x4xf16>)
// CHECK:         %[[ONES:.*]] = linalg.fill {{.*}} -> tensor<?x4xf32>
// CHECK:         %[[COUNTS:.*]] = sparseconv.scatter %[[ONES]], %[[ROWS]] into %[[N]]
// CHECK:         %[[WIDE:.*]] = arith.extf %[[DY]] : tensor<?x4xf16> to tensor<?x4xf32>
// CHECK:         %[[SHARE:.*]] = arith.divf %[[WIDE]], %[[COUNTS]]
// CHECK:         %[[REACHED:.*]] = arith.select %{{.*}}, %[[SHARE]]
// CHECK:         %[[NARROW:.*]] = arith.truncf %[[REACHED]]
// CHECK:         %[[DX:.*]] = sparseconv.gather %[[NARROW]], %[[ROWS]]
// CHECK:         return %{{.*}}, %[[DX]] :
func.func @average(%x: tensor<?x4xf16> {sparseconv.name = "x"}, %rows: tensor<?xi32>, %n: index) -> tensor<?x4xf16> {
  %y = sparseconv.scatter avg %x, %rows into %n : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  return %y : tensor<?x4xf16>
}

// A maximum gives its gradient to the rows that equal it, in equal parts.
// CHECK-LABEL: func.func @largest_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x4xf32> {{[^:]*}}, %[[ROWS:[^:]*]]: tensor<?xi32>, %[[N:[^:]*]]: index, %[[DY:[^:]*]]: tensor<?x4xf32>)
// CHECK:         %[[Y:.*]] = sparseconv.scatter max
// CHECK:         %[[LARGEST:.*]] = sparseconv.gather %[[Y]], %[[ROWS]]
// CHECK:         %[[EQUAL:.*]] = arith.cmpf oeq, %[[X]], %[[LARGEST]]
// CHECK:         %[[ONES:.*]] = arith.uitofp %[[EQUAL]]
// CHECK:         %[[COUNTS:.*]] = sparseconv.scatter %[[ONES]], %[[ROWS]] into %[[N]]
// CHECK:         arith.divf %[[DY]], %[[COUNTS]]
// CHECK:         %[[SHARES:.*]] = sparseconv.gather
// CHECK:         %[[DX:.*]] = arith.select %[[EQUAL]], %[[SHARES]]
// CHECK:         return %[[Y]], %[[DX]] :
func.func @largest(%x: tensor<?x4xf32> {sparseconv.name = "x"}, %rows: tensor<?xi32>, %n: index) -> tensor<?x4xf32> {
  %y = sparseconv.scatter max %x, %rows into %n : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Points and voxels. Averages divide by sums of weights.
// CHECK-LABEL: func.func @voxels_gradient(
// CHECK-SAME:    %[[P:[^:]*]]: tensor<?x4xf32>, %[[DY:[^:]*]]: tensor<?x4xf32>, %[[DZ:[^:]*]]: tensor<?x4xf32>)
// CHECK:         %[[SET:.*]], %{{.*}}, %{{.*}} = sparseconv.pack
// CHECK:         %[[DSUM:.*]] = sparseconv.voxelise trilinear sum %[[DZ]], %[[P]], %[[SET]]
// CHECK:         %[[DY1:.*]] = arith.addf %[[DY]], %[[DSUM]]
// CHECK:         %[[WEIGHTS:.*]] = sparseconv.voxelise nearest sum %{{.*}}, %[[P]], %[[SET]]
// CHECK:         arith.divf %[[DY1]], %[[WEIGHTS]]
// CHECK:         %[[DX:.*]] = sparseconv.devoxelise nearest %{{.*}}, %[[P]], %[[SET]]
// CHECK:         return %{{.*}}, %[[DX]] :
func.func @voxels(%points: tensor<?x4xi32>, %x: tensor<?x4xf32> {sparseconv.name = "x"}, %p: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %y = sparseconv.voxelise nearest avg %x, %p, %c : tensor<?x4xf32>, tensor<?x4xf32>, !set -> tensor<?x4xf32>
  %z = sparseconv.devoxelise trilinear %y, %p, %c : tensor<?x4xf32>, tensor<?x4xf32>, !set -> tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @grids_gradient(
// CHECK-SAME:    %[[DY:[^:]*]]: tensor<2x8x8x8x4xf32>, %[[DZ:[^:]*]]: tensor<?x4xf32>)
// CHECK:         %[[SET:.*]], %{{.*}}, %{{.*}} = sparseconv.pack
// CHECK:         %[[DGRID:.*]] = sparseconv.to_dense %[[DZ]], %[[SET]] origin [-4, -4, -4]
// CHECK:         %[[SUM:.*]] = arith.addf %[[DY]], %[[DGRID]]
// CHECK:         %[[DX:.*]] = sparseconv.from_dense %[[SUM]], %[[SET]] origin [-4, -4, -4]
// CHECK:         return %{{.*}}, %[[DX]] :
func.func @grids(%points: tensor<?x4xi32>, %x: tensor<?x4xf32> {sparseconv.name = "x"})
    -> (tensor<2x8x8x8x4xf32>, tensor<?x4xf32>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %y = sparseconv.to_dense %x, %c origin [-4, -4, -4] : tensor<?x4xf32>, !set -> tensor<2x8x8x8x4xf32>
  %z = sparseconv.from_dense %y, %c origin [-4, -4, -4] : tensor<2x8x8x8x4xf32>, !set -> tensor<?x4xf32>
  return %y, %z : tensor<2x8x8x8x4xf32>, tensor<?x4xf32>
}
