// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda --sparseconv-select-indexing --sparseconv-select-dataflow --sparseconv-select-tiling --sparseconv-verify-selection --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

// A hybrid convolution: the far offsets are multiplied by their pairs, into rows of
// f32, which the epilogue of the near ones adds first. Of 3x3x3 offsets, 7 have an L1
// norm below 2: the centre and its six neighbours.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!down = !sparseconv.kernel_map<8, !set to !half>

// CHECK-LABEL: func.func @conv(
// CHECK-DAG:  %[[FAR:.*]] = sparseconv.kernel.keep_offsets {{.*}}array<i64: 0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26>
// CHECK-DAG:  %[[NEAR:.*]] = sparseconv.kernel.keep_offsets {{.*}}array<i64: 4, 10, 12, 13, 14, 16, 22>
// CHECK-DAG:  %[[PAIRS:.*]]:3 = sparseconv.kernel.pair_lists ins(%[[FAR]]
// CHECK-DAG:  %[[SUMS:.*]] = sparseconv.kernel.gather_gemm_scatter ins({{.*}}, %[[PAIRS]]#0, {{.*}} outs(%{{.*}} : tensor<?x72xf32>)
// CHECK-DAG:  sparseconv.kernel.tile_rows ins(%[[NEAR]]
// CHECK:      sparseconv.kernel.tiled_gemm {{.*}}%[[SUMS]]
// CHECK:      ^bb0(%[[SUM:.*]]: f32, %[[OTHER:.*]]: f32, %[[BIAS:.*]]: f16):
// CHECK-NEXT:   %[[ALL:.*]] = arith.addf %[[SUM]], %[[OTHER]] : f32
// CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[BIAS]]
// CHECK-NEXT:   %[[RESULT:.*]] = arith.addf %[[ALL]], %[[WIDE]] : f32
// CHECK-NEXT:   sparseconv.yield %[[RESULT]]
func.func @conv(%s: !set, %x: tensor<?x32xf16>, %w: tensor<27x32x72xf16>, %bias: tensor<72xf16>) -> tensor<?x72xf16> {
  %m = sparseconv.kernel_map %s to %s offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m epilogue(%bias : tensor<72xf16>) {
  ^bb0(%sum: f32, %b: f16):
    %0 = arith.extf %b : f16 to f32
    %1 = arith.addf %sum, %0 : f32
    sparseconv.yield %1 : f32
  } {dataflow = #sparseconv.dataflow<hybrid, norm = 2>}
      : tensor<?x32xf16>, tensor<27x32x72xf16>, !map -> tensor<?x72xf16>
  return %y : tensor<?x72xf16>
}

// The offsets of a transposed map are those of the map.
// CHECK-LABEL: func.func @transposed(
// CHECK-DAG:  sparseconv.kernel.keep_offsets {{.*}}array<i64: 0, 1, 2, 4>
// CHECK-DAG:  sparseconv.kernel.keep_offsets {{.*}}array<i64: 3, 5, 6, 7>
func.func @transposed(%s: !set, %h: !half, %x: tensor<?x32xf16>, %w: tensor<8x32x64xf16>) -> tensor<?x64xf16> {
  %m = sparseconv.kernel_map %s to %h offsets(box<2, 2, 2>) : !down
  %t = sparseconv.transpose_map %m : !down -> !sparseconv.kernel_map<8, !half to !set>
  %y = sparseconv.conv %x, %w, %t {dataflow = #sparseconv.dataflow<hybrid, norm = 2>}
      : tensor<?x32xf16>, tensor<8x32x64xf16>, !sparseconv.kernel_map<8, !half to !set> -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
