// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda --sparseconv-select-dataflow --sparseconv-select-tiling --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cpu --sparseconv-select-dataflow --sparseconv-select-tiling --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s --check-prefix=CPU

// A convolution whose products are added where they belong, as it is written: to the
// result, or to rows of f32 that are rounded once all products are there. On a CPU it
// is the weight-stationary one.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// CHECK-LABEL: func.func @f32(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf32> {{[^,]*}}, %[[W:[^:]*]]: tensor<27x32x72xf32> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x27xi32>
// CHECK:      %[[PAIRS:.*]]:3 = sparseconv.kernel.pair_lists ins(%[[TABLE]] : {{.*}} {row_block = 128 : i64}
// CHECK:      %[[Y:.*]] = sparseconv.kernel.gather_gemm_scatter ins(%{{.*}}, %[[W]], %[[PAIRS]]#0, %[[PAIRS]]#1, %[[PAIRS]]#2 :
// CHECK-SAME:   {atomic, tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 4>}
// CHECK:      return %[[Y]]
// CPU-LABEL: func.func @f32(
// CPU:       sparseconv.kernel.gather_gemm_scatter
// CPU-NOT:   atomic
// CPU:       return
func.func @f32(%x: tensor<?x32xf32>, %w: tensor<27x32x72xf32>, %m: !map) -> tensor<?x72xf32> {
  %y = sparseconv.conv %x, %w, %m nondeterministic = allowed {dataflow = #sparseconv.dataflow<fetch_on_demand>}
      : tensor<?x32xf32>, tensor<27x32x72xf32>, !map -> tensor<?x72xf32>
  return %y : tensor<?x72xf32>
}

// CHECK-LABEL: func.func @f16(
// CHECK:      %[[SUMS:.*]] = sparseconv.kernel.gather_gemm_scatter {{.*}} outs(%{{.*}} : tensor<?x72xf32>)
// CHECK-SAME:   {atomic, tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 24, lanes = 8>}
// CHECK:      linalg.generic {{.*}} ins(%[[SUMS]] : tensor<?x72xf32>) outs(%{{.*}} : tensor<?x72xf16>)
// CHECK-NEXT:   ^bb0(%[[SUM:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT:   arith.truncf %[[SUM]]
func.func @f16(%x: tensor<?x32xf16>, %w: tensor<27x32x72xf16>, %m: !map) -> tensor<?x72xf16> {
  %y = sparseconv.conv %x, %w, %m nondeterministic = allowed {dataflow = #sparseconv.dataflow<fetch_on_demand>}
      : tensor<?x32xf16>, tensor<27x32x72xf16>, !map -> tensor<?x72xf16>
  return %y : tensor<?x72xf16>
}

// The epilogue is left to what rounds the sums, in f32 as well.
// CHECK-LABEL: func.func @epilogue(
// CHECK:      %[[SUMS:.*]] = sparseconv.kernel.gather_gemm_scatter
// CHECK:      linalg.generic {{.*}} ins(%[[SUMS]], %{{.*}} : tensor<?x72xf32>, tensor<72xf32>)
// CHECK-NEXT:   ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:   %[[Y:.*]] = arith.addf %[[SUM]], %[[BIAS]]
// CHECK-NEXT:   linalg.yield %[[Y]]
func.func @epilogue(%x: tensor<?x32xf32>, %w: tensor<27x32x72xf32>, %bias: tensor<72xf32>, %m: !map) -> tensor<?x72xf32> {
  %y = sparseconv.conv %x, %w, %m nondeterministic = allowed epilogue(%bias : tensor<72xf32>) {
  ^bb0(%acc: f32, %b: f32):
    %sum = arith.addf %acc, %b : f32
    sparseconv.yield %sum : f32
  } {dataflow = #sparseconv.dataflow<fetch_on_demand>}
      : tensor<?x32xf32>, tensor<27x32x72xf32>, !map -> tensor<?x72xf32>
  return %y : tensor<?x72xf32>
}

// The gradient takes the pairs of the transposed map, and turns the weights.
// CHECK-LABEL: func.func @input_grad(
// CHECK:      %[[BACK:.*]] = sparseconv.kernel.invert_table
// CHECK:      sparseconv.kernel.pair_lists ins(%[[BACK]]
// CHECK:      sparseconv.kernel.gather_gemm_scatter {{.*}} {atomic, tiling = {{.*}}, transpose_weights}
func.func @input_grad(%dy: tensor<?x32xf32>, %w: tensor<27x16x32xf32>, %m: !map) -> tensor<?x16xf32> {
  %dx = sparseconv.input_grad %dy, %w, %m nondeterministic = allowed {dataflow = #sparseconv.dataflow<fetch_on_demand>}
      : tensor<?x32xf32>, tensor<27x16x32xf32>, !map -> tensor<?x16xf32>
  return %dx : tensor<?x16xf32>
}
