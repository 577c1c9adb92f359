// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// Pooled rows handed back: the coordinates 0, 1, 3 came from the windows 0 and 2.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!half = !sparseconv.coords<1, stride = [2], #packing>
!down = !sparseconv.kernel_map<2, !set to !half>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "y"}, tensor<?x1xf32> {sparseconv.name = "overlap"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %fine, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %half = sparseconv.downsample %fine by [2] : !set -> !half
  %v = arith.constant dense<[[10.0], [20.0]]> : tensor<2x1xf32>
  %x = tensor.cast %v : tensor<2x1xf32> to tensor<?x1xf32>
  %map = sparseconv.kernel_map %fine to %half offsets(box<2>) : !down
  %y = sparseconv.unpool %x, %map : tensor<?x1xf32>, !down -> tensor<?x1xf32>
  %wide = sparseconv.kernel_map %fine to %half offsets(box<3>) : !sparseconv.kernel_map<3, !set to !half>
  %overlap = sparseconv.unpool %x, %wide
      : tensor<?x1xf32>, !sparseconv.kernel_map<3, !set to !half> -> tensor<?x1xf32>
  return %y, %overlap : tensor<?x1xf32>, tensor<?x1xf32>
}
// CHECK:      result 'y'
// CHECK-NEXT:   [0] 10{{$}}
// CHECK-NEXT:   [1] 10{{$}}
// CHECK-NEXT:   [2] 20{{$}}
// Windows of three are -1, 0, 1 and 1, 2, 3: 1 is in both.
// CHECK:      result 'overlap'
// CHECK-NEXT:   [0] 10{{$}}
// CHECK-NEXT:   [1] 30{{$}}
// CHECK-NEXT:   [2] 20{{$}}
