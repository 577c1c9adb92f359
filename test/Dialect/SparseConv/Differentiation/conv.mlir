// RUN: sparseconv-opt %s --sparseconv-differentiate --cse | FileCheck %s

// Adjoints of convolutions. Permissions stay; a dataflow or a tiling that was chosen for the
// convolution does not.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !set to !half>

// CHECK-LABEL: func.func @conv_gradient(
// CHECK-SAME:    %{{[^:]*}}: tensor<?x4xi32>, %[[X:[^:]*]]: tensor<?x4xf32>, %[[W:[^:]*]]: tensor<27x4x8xf32>, %[[DY:[^:]*]]: tensor<?x8xf32>)
// CHECK:         %[[MAP:.*]] = sparseconv.kernel_map
// CHECK:         %[[Y:.*]] = sparseconv.conv {{.*}} {dataflow
// CHECK:         %[[DX:.*]] = sparseconv.input_grad %[[DY]], %[[W]], %[[MAP]] tf32 = allowed nondeterministic = allowed : tensor<?x8xf32>
// CHECK:         %[[DW:.*]] = sparseconv.weight_grad %[[X]], %[[DY]], %[[MAP]] tf32 = allowed : tensor<?x4xf32>
// CHECK:         return %[[Y]], %[[DX]], %[[DW]] :
func.func @conv(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>) -> tensor<?x8xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %d = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  %m = sparseconv.kernel_map %c to %d offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m tf32 = allowed nondeterministic = allowed {dataflow = #sparseconv.dataflow<fetch_on_demand>}
      : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// The weights say how many groups there are.
// CHECK-LABEL: func.func @groups_gradient(
// CHECK:         sparseconv.weight_grad {{.*}} groups(4) : {{.*}} -> tensor<27x4x1x2xf16>
func.func @groups(%points: tensor<?x4xi32>, %x: tensor<?x4xf16>, %w: tensor<27x4x1x2xf16>) -> tensor<?x8xf16> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %d = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  %m = sparseconv.kernel_map %c to %d offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m : tensor<?x4xf16>, tensor<27x4x1x2xf16>, !map -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// An epilogue is a part of the convolution. Its adjoint gives the gradient by the sum, which
// the gradients of the convolution take, and those by its operands. Here it reads the sum,
// which is computed once more, without the epilogue. A gradient by channels is a sum of many
// rows: it is summed in f32.
// CHECK-LABEL: func.func @epilogue_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x4xf16>, %[[W:[^:]*]]: tensor<27x4x8xf16>, %[[SCALE:[^:]*]]: tensor<8xf16>, %[[DY:[^:]*]]: tensor<?x8xf16>)
// CHECK:         %[[Y:.*]] = sparseconv.conv {{.*}} epilogue(%[[SCALE]] : tensor<8xf16>)
// CHECK:         %[[SUM:.*]] = sparseconv.conv %[[X]], %[[W]], %{{.*}} : tensor<?x4xf16>
// CHECK:         %[[DSUM:.*]] = linalg.generic {{.*}}["parallel", "parallel"]} ins(%[[SCALE]], %[[DY]] :
// CHECK:         %[[WIDE:.*]] = linalg.generic {{.*}}["reduction", "parallel"]} ins(%[[SUM]], %[[DY]] : {{.*}}) outs(%{{.*}} : tensor<8xf32>)
// CHECK:           arith.extf
// CHECK:           arith.extf
// CHECK:           arith.mulf
// CHECK:           arith.addf {{.*}} : f32
// CHECK:         %[[DSCALE:.*]] = arith.truncf %[[WIDE]] : tensor<8xf32> to tensor<8xf16>
// CHECK:         %[[DX:.*]] = sparseconv.input_grad %[[DSUM]], %[[W]]
// CHECK:         %[[DW:.*]] = sparseconv.weight_grad %[[X]], %[[DSUM]]
// CHECK:         return %[[Y]], %[[DX]], %[[DW]], %[[DSCALE]] :
func.func @epilogue(%points: tensor<?x4xi32>, %x: tensor<?x4xf16>, %w: tensor<27x4x8xf16>, %scale: tensor<8xf16>) -> tensor<?x8xf16> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %d = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  %m = sparseconv.kernel_map %c to %d offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m epilogue(%scale : tensor<8xf16>) {
  ^bb0(%acc: f32, %s: f16):
    %wide = arith.extf %s : f16 to f32
    %0 = arith.mulf %acc, %wide : f32
    sparseconv.yield %0 : f32
  } : tensor<?x4xf16>, tensor<27x4x8xf16>, !map -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// The adjoint of a bias reads no sum, and passes the gradient on.
// CHECK-LABEL: func.func @linear_gradient(
// CHECK-SAME:    %[[DY:[^:]*]]: tensor<?x8xf32>)
// CHECK:         sparseconv.conv {{.*}} epilogue
// CHECK-NOT:     sparseconv.conv
// CHECK:         linalg.generic {{.*}}["reduction", "parallel"]} ins(%[[DY]] :
// CHECK:         sparseconv.input_grad %[[DY]],
// CHECK:         sparseconv.weight_grad %{{.*}}, %[[DY]],
func.func @linear(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>, %bias: tensor<8xf32>) -> tensor<?x8xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %d = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  %m = sparseconv.kernel_map %c to %d offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m epilogue(%bias : tensor<8xf32>) {
  ^bb0(%acc: f32, %b: f32):
    %0 = arith.addf %acc, %b : f32
    sparseconv.yield %0 : f32
  } : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// The gradients of a convolution are linear, too: their adjoints are convolutions and the
// other gradients.
// CHECK-LABEL: func.func @gradients_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x4xf32>, %[[DY:[^:]*]]: tensor<?x8xf32>, %[[W:[^:]*]]: tensor<27x4x8xf32>,
// CHECK-SAME:    %[[GX:[^:]*]]: tensor<?x4xf32>, %[[GW:[^:]*]]: tensor<27x4x8xf32>)
// CHECK:         %[[DX:.*]] = sparseconv.input_grad %[[DY]], %[[W]]
// CHECK:         %[[DW:.*]] = sparseconv.weight_grad %[[X]], %[[DY]]
// CHECK:         %[[BYX:.*]] = sparseconv.input_grad %[[DY]], %[[GW]]
// CHECK:         %[[BYDY0:.*]] = sparseconv.conv %[[X]], %[[GW]]
// CHECK:         %[[BYDY1:.*]] = sparseconv.conv %[[GX]], %[[W]]
// CHECK:         %[[BYDY:.*]] = arith.addf %[[BYDY0]], %[[BYDY1]]
// CHECK:         %[[BYW:.*]] = sparseconv.weight_grad %[[GX]], %[[DY]]
// CHECK:         return %[[DX]], %[[DW]], %[[BYX]], %[[BYDY]], %[[BYW]] :
func.func @gradients(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %dy: tensor<?x8xf32>, %w: tensor<27x4x8xf32>)
    -> (tensor<?x4xf32>, tensor<27x4x8xf32>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %d = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  %m = sparseconv.kernel_map %c to %d offsets(box<3, 3, 3>) : !map
  %dx = sparseconv.input_grad %dy, %w, %m : tensor<?x8xf32>, tensor<27x4x8xf32>, !map -> tensor<?x4xf32>
  %dw = sparseconv.weight_grad %x, %dy, %m : tensor<?x4xf32>, tensor<?x8xf32>, !map -> tensor<27x4x8xf32>
  return %dx, %dw : tensor<?x4xf32>, tensor<27x4x8xf32>
}
