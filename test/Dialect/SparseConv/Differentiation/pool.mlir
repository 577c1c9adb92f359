// RUN: sparseconv-opt %s --sparseconv-differentiate | FileCheck %s

// Adjoints of pooling.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<8, !set to !half>

// A maximum needs to know where it was.
// CHECK-LABEL: func.func @pool_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x4xf32>, %[[DY:[^:]*]]: tensor<?x4xf32>, %[[DZ:[^:]*]]: tensor<?x4xf32>)
// CHECK:         %[[MAP:.*]] = sparseconv.kernel_map
// CHECK:         %[[SHARES:.*]] = sparseconv.pool_grad avg %[[DZ]], %[[MAP]] count(volume)
// CHECK:         %[[LARGEST:.*]] = sparseconv.pool_grad max %[[DY]], %[[MAP]] of %[[X]]
// CHECK:         arith.addf %[[SHARES]], %[[LARGEST]]
func.func @pool(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %d = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  %m = sparseconv.kernel_map %c to %d offsets(box<2, 2, 2>) : !map
  %y = sparseconv.pool max %x, %m : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  %z = sparseconv.pool avg %x, %m count(volume) : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @unpool_gradient(
// CHECK-SAME:    %[[DY:[^:]*]]: tensor<?x4xf32>)
// CHECK:         %[[DX:.*]] = sparseconv.pool sum %[[DY]],
// CHECK:         return %{{.*}}, %[[DX]] :
func.func @unpool(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %d = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  %m = sparseconv.kernel_map %c to %d offsets(box<2, 2, 2>) : !map
  %y = sparseconv.unpool %x, %m : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @global_pool_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x4xf32>, %{{[^:]*}}: index, %[[DY:[^:]*]]: tensor<2x4xf32>, %[[DZ:[^:]*]]: tensor<?x4xf32>)
// CHECK:         %[[SET:.*]], %{{.*}}, %{{.*}} = sparseconv.pack
// CHECK:         sparseconv.global_pool_grad sum %[[DZ]], %[[SET]] : tensor<?x4xf32>
// CHECK:         sparseconv.global_pool_grad max %[[DY]], %[[SET]] of %[[X]] : tensor<2x4xf32>
func.func @global_pool(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %n: index) -> (tensor<2x4xf32>, tensor<?x4xf32>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %y = sparseconv.global_pool max %x, %c : tensor<?x4xf32>, !set -> tensor<2x4xf32>
  %z = sparseconv.global_pool sum %x, %c batch(%n) : tensor<?x4xf32>, !set -> tensor<?x4xf32>
  return %y, %z : tensor<2x4xf32>, tensor<?x4xf32>
}

// The gradients of averages and sums are linear. The input of a maximum says where it is, and
// has no gradient of its own.
// CHECK-LABEL: func.func @gradients_gradient(
// CHECK-SAME:    %[[DY:[^:]*]]: tensor<?x4xf32>, %[[ALL:[^:]*]]: tensor<?x4xf32>, %{{[^:]*}}: tensor<?x4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<?x4xf32>, %[[H:[^:]*]]: tensor<?x4xf32>, %{{[^:]*}}: tensor<?x4xf32>)
// CHECK:         %[[ITEMS:.*]] = tensor.dim %[[ALL]]
// CHECK:         %[[BYALL:.*]] = sparseconv.global_pool avg %[[H]], %{{.*}} batch(%[[ITEMS]])
// CHECK:         %[[BYDY:.*]] = sparseconv.pool avg %[[G]],
// CHECK:         %[[ZEROS:.*]] = linalg.fill
// CHECK:         return %{{.*}}, %[[BYDY]], %[[BYALL]], %[[ZEROS]] :
func.func @gradients(%points: tensor<?x4xi32>, %dy: tensor<?x4xf32>, %all: tensor<?x4xf32>, %x: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %d = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  %m = sparseconv.kernel_map %c to %d offsets(box<2, 2, 2>) : !map
  %g = sparseconv.pool_grad avg %dy, %m : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  %h = sparseconv.global_pool_grad avg %all, %c : tensor<?x4xf32>, !set -> tensor<?x4xf32>
  %n = sparseconv.size %d : !half
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %l = sparseconv.pool_grad max %ones, %m of %x : tensor<?x4xf32>, !map, tensor<?x4xf32> -> tensor<?x4xf32>
  return %g, %h, %l : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
