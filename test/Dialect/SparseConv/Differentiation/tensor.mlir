// RUN: sparseconv-opt %s --sparseconv-differentiate=functions=concat,slices,insert,shapes,loose --cse | FileCheck %s

// What moves elements: the adjoint moves gradients back.

// Each input of a concatenation gets its slice.
// CHECK-LABEL: func.func @concat_gradient(
// CHECK-SAME:    %[[DZ:[^:]*]]: tensor<?x12xf32>)
// CHECK:         %[[ROWS:.*]] = tensor.dim %[[DZ]], %{{.*}}
// CHECK:         %[[DX:.*]] = tensor.extract_slice %[[DZ]][0, 0] [%[[ROWS]], 8] [1, 1]
// CHECK:         %[[DY:.*]] = tensor.extract_slice %[[DZ]][0, 8] [%[[ROWS]], 4] [1, 1]
// CHECK:         return %{{.*}}, %[[DX]], %[[DY]] :
func.func @concat(%x: tensor<?x8xf32>, %y: tensor<?x4xf32>) -> tensor<?x12xf32> {
  %z = tensor.concat dim(1) %x, %y : (tensor<?x8xf32>, tensor<?x4xf32>) -> tensor<?x12xf32>
  return %z : tensor<?x12xf32>
}

// What no slice reads has no gradient. Both slices are read from one tensor.
// CHECK-LABEL: func.func @slices_gradient(
// CHECK-SAME:    %{{[^:]*}}: tensor<?x8xf32>, %[[N:[^:]*]]: index, %[[DY:[^:]*]]: tensor<?x2xf32>, %[[DZ:[^:]*]]: tensor<?xf32>)
// CHECK:         %[[ZEROS:.*]] = linalg.fill
// CHECK:         %[[LAST:.*]] = tensor.insert_slice %[[DZ]] into %[[ZEROS]][0, 7] [%[[N]], 1] [1, 1]
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[DY]] into %[[ZEROS]][0, 1] [%[[N]], 2] [1, 3]
// CHECK:         arith.addf %[[LAST]], %[[FIRST]]
func.func @slices(%x: tensor<?x8xf32>, %n: index) -> (tensor<?x2xf32>, tensor<?xf32>) {
  %y = tensor.extract_slice %x[0, 1] [%n, 2] [1, 3] : tensor<?x8xf32> to tensor<?x2xf32>
  %z = tensor.extract_slice %x[0, 7] [%n, 1] [1, 1] : tensor<?x8xf32> to tensor<?xf32>
  return %y, %z : tensor<?x2xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @insert_gradient(
// CHECK-SAME:    %[[DZ:[^:]*]]: tensor<8x4xf32>)
// CHECK:         %[[DX:.*]] = tensor.extract_slice %[[DZ]][2, 0] [3, 4] [1, 1]
// CHECK:         %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<3x4xf32>
// CHECK:         %[[DY:.*]] = tensor.insert_slice %[[ZEROS]] into %[[DZ]][2, 0] [3, 4] [1, 1]
// CHECK:         return %{{.*}}, %[[DX]], %[[DY]] :
func.func @insert(%x: tensor<3x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %z = tensor.insert_slice %x into %y[2, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @shapes_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x4xf32>, %{{[^:]*}}: index, %[[DY:[^:]*]]: tensor<?xf32>, %[[DZ:[^:]*]]: tensor<?x2x2xf32>)
// CHECK:         %[[FIRST:.*]] = tensor.collapse_shape %[[DZ]] {{\[\[}}0], [1, 2]] : tensor<?x2x2xf32> into tensor<?x4xf32>
// CHECK:         %[[SECOND:.*]] = tensor.expand_shape %[[DY]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 4] : tensor<?xf32> into tensor<?x4xf32>
// CHECK:         arith.addf %[[FIRST]], %[[SECOND]]
func.func @shapes(%x: tensor<?x4xf32>, %n: index) -> (tensor<?xf32>, tensor<?x2x2xf32>) {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %z = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 2] : tensor<?x4xf32> into tensor<?x2x2xf32>
  return %y, %z : tensor<?xf32>, tensor<?x2x2xf32>
}

// CHECK-LABEL: func.func @loose_gradient(
// CHECK-SAME:    %[[DY:[^:]*]]: tensor<?x4xf32>)
// CHECK:         %[[DX:.*]] = tensor.cast %[[DY]] : tensor<?x4xf32> to tensor<8x4xf32>
// CHECK:         return %{{.*}}, %[[DX]] :
func.func @loose(%x: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %y = tensor.cast %x : tensor<8x4xf32> to tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
