// RUN: sparseconv-opt %s --sparseconv-select-tiling | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cpu:avx512 --sparseconv-select-tiling | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cpu:sse2 --sparseconv-select-tiling | FileCheck %s --check-prefixes=CHECK,SSE2

// Each convolution, and each of its gradients, gets the sizes that its kernel is
// made for. A lane holds one f32; 6 rows of accumulators take 2 of 16 vector
// registers each, or with AVX-512 4 of 32.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// CHECK-LABEL: func.func @wide(
func.func @wide(%x: tensor<?x32xf16>, %w: tensor<27x32x128xf16>, %m: !map) -> tensor<?x128xf16> {
  // AVX2:   sparseconv.conv {{.*}} #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>
  // AVX512: sparseconv.conv {{.*}} #sparseconv.tiling<row_block = 512, rows = 6, columns = 64, lanes = 16>
  // SSE2:   sparseconv.conv {{.*}} #sparseconv.tiling<row_block = 512, rows = 6, columns = 8, lanes = 4>
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x32xf16>, tensor<27x32x128xf16>, !map -> tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// No wider than the output channels, in whole vectors.
// CHECK-LABEL: func.func @narrow(
func.func @narrow(%x: tensor<?x32xf16>, %w: tensor<27x32x5xf16>, %m: !map) -> tensor<?x5xf16> {
  // AVX2:   sparseconv.conv {{.*}} columns = 8, lanes = 8>
  // AVX512: sparseconv.conv {{.*}} columns = 16, lanes = 16>
  // SSE2:   sparseconv.conv {{.*}} columns = 8, lanes = 4>
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x32xf16>, tensor<27x32x5xf16>, !map -> tensor<?x5xf16>
  return %y : tensor<?x5xf16>
}

// A group is a matrix of its own.
// CHECK-LABEL: func.func @groups(
func.func @groups(%x: tensor<?x32xf32>, %w: tensor<27x4x8x16xf32>, %m: !map) -> tensor<?x64xf32> {
  // AVX512: sparseconv.conv {{.*}} columns = 16, lanes = 16>
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x32xf32>, tensor<27x4x8x16xf32>, !map -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// The gradient by the input has the input's channels as columns.
// CHECK-LABEL: func.func @gradients(
func.func @gradients(%x: tensor<?x16xf32>, %dy: tensor<?x128xf32>, %w: tensor<27x16x128xf32>, %m: !map)
    -> (tensor<?x16xf32>, tensor<27x16x128xf32>) {
  // AVX512: sparseconv.input_grad {{.*}} columns = 16, lanes = 16>
  %dx = sparseconv.input_grad %dy, %w, %m
      : tensor<?x128xf32>, tensor<27x16x128xf32>, !map -> tensor<?x16xf32>
  // AVX512: sparseconv.weight_grad {{.*}} columns = 64, lanes = 16>
  %dw = sparseconv.weight_grad %x, %dy, %m
      : tensor<?x16xf32>, tensor<?x128xf32>, !map -> tensor<27x16x128xf32>
  return %dx, %dw : tensor<?x16xf32>, tensor<27x16x128xf32>
}

// What is written by hand stays.
// CHECK-LABEL: func.func @by_hand(
func.func @by_hand(%x: tensor<?x16xf32>, %w: tensor<27x16x32xf32>, %m: !map) -> tensor<?x32xf32> {
  // CHECK: sparseconv.conv {{.*}} #sparseconv.tiling<row_block = 64, rows = 2, columns = 32, lanes = 8>
  %y = sparseconv.conv %x, %w, %m {tiling = #sparseconv.tiling<row_block = 64, rows = 2, columns = 32, lanes = 8>}
      : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
