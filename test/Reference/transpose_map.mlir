// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The same pairs with their sides swapped: what kernel_map.mlir shows as 'forward',
// seen from the rows of its in set.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!half = !sparseconv.coords<1, stride = [2], #packing>
!down = !sparseconv.kernel_map<2, !set to !half>
!up = !sparseconv.kernel_map<2, !half to !set>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "table"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %fine, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %half = sparseconv.downsample %fine by [2] : !set -> !half
  %map = sparseconv.kernel_map %fine to %half offsets(box<2>) : !down
  %up = sparseconv.transpose_map %map : !down -> !up
  %table = sparseconv.neighbour_table %up : !up -> tensor<?x2xi32>
  return %table : tensor<?x2xi32>
}
// The pairs (in, out) are (0, 0) at offset 0, and (1, 0) and (2, 1) at offset 1.
// CHECK:      result 'table'
// CHECK-NEXT:   [0] 0, -1{{$}}
// CHECK-NEXT:   [1] -1, 0{{$}}
// CHECK-NEXT:   [2] -1, 1{{$}}
