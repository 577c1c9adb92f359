// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda --sparseconv-select-dataflow --sparseconv-select-tiling --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

// A convolution that is grouped as it is written: every pair gets a place, those of
// an offset side by side; all rows are gathered, all are multiplied, and all products
// of a row are summed. How many places there are the device knows alone.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf16> {{[^,]*}}, %[[W:[^:]*]]: tensor<27x32x72xf16> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x27xi32>
// CHECK:      %[[PAIRS:.*]]:4 = sparseconv.kernel.group_pairs ins(%[[TABLE]], {{.*}} {epsilon = 25 : i64, op_id = 0 : i64, row_block = 128 : i64, s = 20000 : i64}
// CHECK:      %[[COUNT:.*]] = tensor.extract %[[PAIRS]]#3
// CHECK:      %[[ROWS:.*]] = tensor.extract_slice %[[PAIRS]]#0[0] [%[[COUNT]]] [1]
// CHECK:      %[[BLOCKS:.*]] = arith.ceildivui %[[COUNT]], %c128
// CHECK:      %[[SEGMENTS:.*]] = tensor.extract_slice %[[PAIRS]]#2[0, 0] [%[[BLOCKS]], 28] [1, 1]
// CHECK:      %[[GATHERED:.*]] = sparseconv.kernel.gather_rows ins(%{{.*}}, %[[ROWS]],
// CHECK:      %[[PLACES:.*]] = linalg.generic
// CHECK:        linalg.index 0
// CHECK:      %[[PRODUCTS:.*]] = sparseconv.kernel.gather_gemm_scatter ins(%[[GATHERED]], %[[W]], %[[PLACES]], %[[PLACES]], %[[SEGMENTS]] : {{.*}} outs(%{{.*}} : tensor<?x72xf32>)
// CHECK-SAME:   {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 24, lanes = 8>}
// CHECK:      sparseconv.kernel.pool ins(%[[PRODUCTS]], %[[PAIRS]]#1 : {{.*}} outs(%{{.*}} : tensor<?x72xf16>)
// CHECK-SAME:   kind = #sparseconv<pool_kind sum>
func.func @conv(%x: tensor<?x32xf16>, %w: tensor<27x32x72xf16>, %m: !map) -> tensor<?x72xf16> {
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<grouped, epsilon = 25, s = 20000>}
      : tensor<?x32xf16>, tensor<27x32x72xf16>, !map -> tensor<?x72xf16>
  return %y : tensor<?x72xf16>
}

// With an epilogue sums stay in f32 until it is done.
// CHECK-LABEL: func.func @epilogue(
// CHECK:      %[[SUMS:.*]] = sparseconv.kernel.pool {{.*}} outs(%{{.*}} : tensor<?x72xf32>)
// CHECK:      linalg.generic {{.*}} ins(%[[SUMS]], %{{.*}} : tensor<?x72xf32>, tensor<72xf16>) outs(%{{.*}} : tensor<?x72xf16>)
// CHECK-NEXT:   ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[BIAS]]
// CHECK-NEXT:   %[[Y:.*]] = arith.addf %[[SUM]], %[[WIDE]]
// CHECK-NEXT:   arith.truncf %[[Y]]
func.func @epilogue(%x: tensor<?x32xf16>, %w: tensor<27x32x72xf16>, %bias: tensor<72xf16>, %m: !map) -> tensor<?x72xf16> {
  %y = sparseconv.conv %x, %w, %m epilogue(%bias : tensor<72xf16>) {
  ^bb0(%acc: f32, %b: f16):
    %wide = arith.extf %b : f16 to f32
    %sum = arith.addf %acc, %wide : f32
    sparseconv.yield %sum : f32
  } {dataflow = #sparseconv.dataflow<grouped>}
      : tensor<?x32xf16>, tensor<27x32x72xf16>, !map -> tensor<?x72xf16>
  return %y : tensor<?x72xf16>
}

// The gradient takes the pairs of the transposed map, and turns the weights.
// CHECK-LABEL: func.func @input_grad(
// CHECK:      %[[BACK:.*]] = sparseconv.kernel.invert_table
// CHECK:      sparseconv.kernel.group_pairs ins(%[[BACK]], {{.*}} {epsilon = 0 : i64, op_id = {{.*}}, row_block = 64 : i64, s = 0 : i64}
// CHECK:      sparseconv.kernel.gather_gemm_scatter {{.*}} transpose_weights}
func.func @input_grad(%dy: tensor<?x32xf32>, %w: tensor<27x16x32xf32>, %m: !map) -> tensor<?x16xf32> {
  %dx = sparseconv.input_grad %dy, %w, %m tf32 = allowed {dataflow = #sparseconv.dataflow<grouped>,
      tiling = #sparseconv.tiling<row_block = 64, rows = 16, columns = 16, lanes = 8>}
      : tensor<?x32xf32>, tensor<27x16x32xf32>, !map -> tensor<?x16xf32>
  return %dx : tensor<?x16xf32>
}
