// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The epilogue of a convolution works on its sums before they are stored. The sums
// are those of conv.mlir: 9, 5 and 6.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "y"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %f = sparseconv.gather %x, %order : tensor<3x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %w = arith.constant dense<[[[1.0], [0.0]], [[0.0], [1.0]], [[1.0], [1.0]]]> : tensor<3x2x1xf32>
  %bias = arith.constant dense<[-5.5]> : tensor<1xf32>
  %s = arith.constant dense<[[10.0], [20.0], [30.0]]> : tensor<3x1xf32>
  %skip = sparseconv.gather %s, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %y = sparseconv.conv %f, %w, %map epilogue(%bias, %skip : tensor<1xf32>, tensor<?x1xf32>) {
  ^bb0(%acc: f32, %b: f32, %r: f32):
    %zero = arith.constant 0.0 : f32
    %biased = arith.addf %acc, %b : f32
    %positive = arith.maximumf %biased, %zero : f32
    %sum = arith.addf %positive, %r : f32
    sparseconv.yield %sum : f32
  } : tensor<?x2xf32>, tensor<3x2x1xf32>, !map -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
// max(9 - 5.5, 0) + 10, max(5 - 5.5, 0) + 20 and max(6 - 5.5, 0) + 30.
// CHECK:      result 'y'
// CHECK-NEXT:   [0] 13.5{{$}}
// CHECK-NEXT:   [1] 20{{$}}
// CHECK-NEXT:   [2] 30.5{{$}}
