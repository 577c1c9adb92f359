// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda --sparseconv-select-dataflow --sparseconv-select-tiling --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

// A convolution that is explicit as it is written: the rows of all 27 offsets side
// by side, then one product of matrices. That is a convolution of one offset, whose
// table has each row at its own place.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf16> {{[^,]*}}, %[[W:[^:]*]]: tensor<27x32x72xf16> {{[^,]*}}, %[[BIAS:[^:]*]]: tensor<72xf16> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x27xi32>
// CHECK:      %[[ROWS:.*]] = sparseconv.kernel.im2col ins(%{{.*}}, %[[TABLE]] : {{.*}} outs(%{{.*}} : tensor<?x27x32xf16>)
// CHECK:      %[[COLUMNS:.*]] = tensor.collapse_shape %[[ROWS]] {{\[}}[0], [1, 2]] : tensor<?x27x32xf16> into tensor<?x864xf16>
// CHECK:      %[[ONE:.*]] = tensor.expand_shape {{.*}} into tensor<1x864x72xf16>
// CHECK:      %[[IDENTITY:.*]] = linalg.generic
// CHECK-NEXT:   ^bb0
// CHECK-NEXT:   %[[ROW:.*]] = linalg.index 0
// CHECK-NEXT:   %[[NUMBER:.*]] = arith.index_cast %[[ROW]]
// CHECK-NEXT:   linalg.yield %[[NUMBER]]
// CHECK:      %[[TILES:.*]]:4 = sparseconv.kernel.tile_rows ins(%[[IDENTITY]], {{.*}} outs(%{{.*}} : tensor<1x?xi32>
// CHECK:      %[[IMAGE:.*]] = sparseconv.kernel.pack_weights ins(%[[ONE]] :
// CHECK:      sparseconv.kernel.tiled_gemm ins(%[[COLUMNS]], %[[IMAGE]], %[[TILES]]#0, %[[TILES]]#1, %[[TILES]]#2, %[[TILES]]#3, %[[BIAS]] :
// CHECK-SAME:   epilogue {
// CHECK:        arith.addf
func.func @conv(%x: tensor<?x32xf16>, %w: tensor<27x32x72xf16>, %bias: tensor<72xf16>, %m: !map) -> tensor<?x72xf16> {
  %y = sparseconv.conv %x, %w, %m epilogue(%bias : tensor<72xf16>) {
  ^bb0(%acc: f32, %b: f16):
    %wide = arith.extf %b : f16 to f32
    %sum = arith.addf %acc, %wide : f32
    sparseconv.yield %sum : f32
  } {dataflow = #sparseconv.dataflow<explicit>}
      : tensor<?x32xf16>, tensor<27x32x72xf16>, !map -> tensor<?x72xf16>
  return %y : tensor<?x72xf16>
}

// The gradient by the input takes the transposed map, and turns each slice of the
// weights before it puts them below one another.
// CHECK-LABEL: func.func @input_grad(
// CHECK:      %[[BACK:.*]] = sparseconv.kernel.invert_table
// CHECK:      sparseconv.kernel.im2col ins(%{{.*}}, %[[BACK]] : {{.*}} outs(%{{.*}} : tensor<?x27x32xf16>)
// CHECK:      %[[TURNED:.*]] = linalg.transpose ins(%{{.*}} : tensor<27x16x32xf16>) {{.*}} permutation = [0, 2, 1]
// CHECK:      tensor.collapse_shape %[[TURNED]] {{.*}} into tensor<864x16xf16>
// CHECK:      sparseconv.kernel.pack_weights
// CHECK-NOT:  transpose_weights
// CHECK:      sparseconv.kernel.tiled_gemm
func.func @input_grad(%dy: tensor<?x32xf16>, %w: tensor<27x16x32xf16>, %m: !map) -> tensor<?x16xf16> {
  %dx = sparseconv.input_grad %dy, %w, %m {dataflow = #sparseconv.dataflow<explicit>}
      : tensor<?x32xf16>, tensor<27x16x32xf16>, !map -> tensor<?x16xf16>
  return %dx : tensor<?x16xf16>
}

// The gradient by the weights of all offsets is one matrix, too.
// CHECK-LABEL: func.func @weight_grad(
// CHECK:      %[[ROWS:.*]] = sparseconv.kernel.im2col
// CHECK:      %[[COLUMNS:.*]] = tensor.collapse_shape %[[ROWS]]
// CHECK:      sparseconv.kernel.tiled_weight_grad ins(%[[COLUMNS]], {{.*}} outs(%{{.*}} : tensor<1x432x32xf16>)
// CHECK:      tensor.expand_shape {{.*}} into tensor<27x16x32xf16>
func.func @weight_grad(%x: tensor<?x16xf16>, %dy: tensor<?x32xf16>, %m: !map) -> tensor<27x16x32xf16> {
  %dw = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<explicit>}
      : tensor<?x16xf16>, tensor<?x32xf16>, !map -> tensor<27x16x32xf16>
  return %dw : tensor<27x16x32xf16>
}
