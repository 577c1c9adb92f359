// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// Which input row meets which output row, between the set 0, 1, 3 and its floors
// 0, 2. The tables show the maps: rows are output rows, columns are offsets.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!half = !sparseconv.coords<1, stride = [2], #packing>
!down = !sparseconv.kernel_map<2, !set to !half>
!up = !sparseconv.kernel_map<2, !half to !set>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "forward"}, tensor<?x2xi32> {sparseconv.name = "transposed"},
                      tensor<?x3xi32> {sparseconv.name = "dilated"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %fine, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %half = sparseconv.downsample %fine by [2] : !set -> !half
  %0 = sparseconv.kernel_map %fine to %half offsets(box<2>) : !down
  %forward = sparseconv.neighbour_table %0 : !down -> tensor<?x2xi32>
  %1 = sparseconv.kernel_map %half to %fine offsets(box<2>) transposed : !up
  %transposed = sparseconv.neighbour_table %1 : !up -> tensor<?x2xi32>
  %2 = sparseconv.kernel_map %fine to %fine offsets(box<3, dilation = [2]>) : !sparseconv.kernel_map<3, !set to !set>
  %dilated = sparseconv.neighbour_table %2 : !sparseconv.kernel_map<3, !set to !set> -> tensor<?x3xi32>
  return %forward, %transposed, %dilated : tensor<?x2xi32>, tensor<?x2xi32>, tensor<?x3xi32>
}
// in = out + 1 * offset: output 0 meets 0 and 1 (rows 0 and 1), output 2 meets
// 2 (not there) and 3 (row 2).
// CHECK:      result 'forward'
// CHECK-NEXT:   [0] 0, 1{{$}}
// CHECK-NEXT:   [1] -1, 2{{$}}
// out = in + 1 * offset: output 0 is input 0 + 0; output 1 is input 0 + 1; output
// 3 is input 2 + 1. The inputs 0 and 2 are rows 0 and 1.
// CHECK:      result 'transposed'
// CHECK-NEXT:   [0] 0, -1{{$}}
// CHECK-NEXT:   [1] -1, 0{{$}}
// CHECK-NEXT:   [2] -1, 1{{$}}
// Offsets -2, 0 and 2: only 1 and 3 are two apart.
// CHECK:      result 'dilated'
// CHECK-NEXT:   [0] -1, 0, -1{{$}}
// CHECK-NEXT:   [1] -1, 1, 2{{$}}
// CHECK-NEXT:   [2] 1, 2, -1{{$}}
