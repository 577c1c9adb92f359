// What casts make less static, convolutions take as it is.

// RUN: sparseconv-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @inputs(
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xbf16>, %[[W:.*]]: tensor<1x8x4xbf16>, %[[T:.*]]: tensor<7x1xi32>, %[[Y:.*]]: tensor<?x4xbf16>)
// CHECK-NOT:     tensor.cast
// CHECK:         sparseconv.kernel.implicit_gemm ins(%[[X]], %[[W]], %[[T]] : tensor<7x8xbf16>, tensor<1x8x4xbf16>, tensor<7x1xi32>) outs(%[[Y]] : tensor<?x4xbf16>)
// CHECK-SAME:      -> tensor<?x4xbf16>
func.func @inputs(%x: tensor<7x8xbf16>, %w: tensor<1x8x4xbf16>, %table: tensor<7x1xi32>,
                  %room: tensor<?x4xbf16>) -> tensor<?x4xbf16> {
  %rows = tensor.cast %x : tensor<7x8xbf16> to tensor<?x8xbf16>
  %t = tensor.cast %table : tensor<7x1xi32> to tensor<?x1xi32>
  %y = sparseconv.kernel.implicit_gemm
      ins(%rows, %w, %t : tensor<?x8xbf16>, tensor<1x8x4xbf16>, tensor<?x1xi32>)
      outs(%room : tensor<?x4xbf16>) -> tensor<?x4xbf16>
  return %y : tensor<?x4xbf16>
}

// A result is as static as its destination.

// CHECK-LABEL: func.func @destination(
// CHECK-SAME:    %[[ROOM:[^:]*]]: tensor<7x4xf32>)
// CHECK:         %[[Y:.*]] = sparseconv.kernel.implicit_gemm
// CHECK-SAME:      outs(%[[ROOM]] : tensor<7x4xf32>) -> tensor<7x4xf32>
// CHECK:         %[[CAST:.*]] = tensor.cast %[[Y]] : tensor<7x4xf32> to tensor<?x4xf32>
// CHECK:         return %[[CAST]]
func.func @destination(%x: tensor<?x8xf32>, %w: tensor<3x8x4xf32>, %t: tensor<?x3xi32>,
                       %room: tensor<7x4xf32>) -> tensor<?x4xf32> {
  %out = tensor.cast %room : tensor<7x4xf32> to tensor<?x4xf32>
  %y = sparseconv.kernel.implicit_gemm
      ins(%x, %w, %t : tensor<?x8xf32>, tensor<3x8x4xf32>, tensor<?x3xi32>)
      outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
