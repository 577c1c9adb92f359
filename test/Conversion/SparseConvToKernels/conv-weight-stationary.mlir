// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda --sparseconv-select-dataflow --sparseconv-select-tiling --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

// A convolution on a GPU that is weight-stationary as it is written: lists of the
// pairs of each 128 output rows, by offset, and one kernel over all of them. The
// CPU's are in conv.mlir.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf16> {{[^,]*}}, %[[W:[^:]*]]: tensor<27x32x72xf16> {{[^,]*}}, %[[BIAS:[^:]*]]: tensor<72xf16> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x27xi32>
// CHECK-NOT:  tile_rows
// CHECK:      %[[PAIRS:.*]]:3 = sparseconv.kernel.pair_lists ins(%[[TABLE]] : {{.*}} {row_block = 128 : i64}
// CHECK:      sparseconv.kernel.gather_gemm_scatter ins(%{{.*}}, %[[W]], %[[PAIRS]]#0, %[[PAIRS]]#1, %[[PAIRS]]#2, %[[BIAS]] :
// CHECK-SAME:   {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 24, lanes = 8>} epilogue {
// CHECK:        arith.addf
func.func @conv(%x: tensor<?x32xf16>, %w: tensor<27x32x72xf16>, %bias: tensor<72xf16>, %m: !map) -> tensor<?x72xf16> {
  %y = sparseconv.conv %x, %w, %m epilogue(%bias : tensor<72xf16>) {
  ^bb0(%acc: f32, %b: f16):
    %wide = arith.extf %b : f16 to f32
    %sum = arith.addf %acc, %wide : f32
    sparseconv.yield %sum : f32
  } {dataflow = #sparseconv.dataflow<weight_stationary>}
      : tensor<?x32xf16>, tensor<27x32x72xf16>, !map -> tensor<?x72xf16>
  return %y : tensor<?x72xf16>
}

// The gradient takes the pairs of the transposed map, and turns the weights.
// CHECK-LABEL: func.func @input_grad(
// CHECK:      %[[BACK:.*]] = sparseconv.kernel.invert_table
// CHECK:      sparseconv.kernel.pair_lists ins(%[[BACK]] : {{.*}} {row_block = 64 : i64}
// CHECK:      sparseconv.kernel.gather_gemm_scatter {{.*}} transpose_weights}
func.func @input_grad(%dy: tensor<?x32xf32>, %w: tensor<27x16x32xf32>, %m: !map) -> tensor<?x16xf32> {
  %dx = sparseconv.input_grad %dy, %w, %m tf32 = allowed {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 64, rows = 16, columns = 16, lanes = 8>}
      : tensor<?x32xf32>, tensor<27x16x32xf32>, !map -> tensor<?x16xf32>
  return %dx : tensor<?x16xf32>
}

// Where f32 may not be rounded threads multiply, four columns side by side.
// CHECK-LABEL: func.func @f32(
// CHECK:      sparseconv.kernel.gather_gemm_scatter {{.*}} {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 4>}
func.func @f32(%x: tensor<?x32xf32>, %w: tensor<27x32x72xf32>, %m: !map) -> tensor<?x72xf32> {
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>}
      : tensor<?x32xf32>, tensor<27x32x72xf32>, !map -> tensor<?x72xf32>
  return %y : tensor<?x72xf32>
}
