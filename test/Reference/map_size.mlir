// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The rows of both sides of a map.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!half = !sparseconv.coords<1, stride = [2], #packing>
!down = !sparseconv.kernel_map<2, !set to !half>

func.func @main() -> (index {sparseconv.name = "in"}, index {sparseconv.name = "out"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %fine, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %half = sparseconv.downsample %fine by [2] : !set -> !half
  %map = sparseconv.kernel_map %fine to %half offsets(box<2>) : !down
  %in = sparseconv.map_size in %map : !down
  %out = sparseconv.map_size out %map : !down
  return %in, %out : index, index
}
// CHECK:      result 'in'
// CHECK-NEXT: {{^}}  3{{$}}
// CHECK:      result 'out'
// CHECK-NEXT: {{^}}  2{{$}}
