// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// A set grown by offsets at its own stride. Forward, o is there where o + d is in
// the set; transposed, c + d is there for each c in the set.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "box"}, tensor<?x2xi32> {sparseconv.name = "forward"},
                      tensor<?x2xi32> {sparseconv.name = "transposed"}) {
  %points = arith.constant dense<[[0, 0], [0, 3]]> : tensor<2x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !set
  %0 = sparseconv.expand %c offsets(box<3>) : !set
  %box = sparseconv.unpack %0 : !set -> tensor<?x2xi32>
  %1 = sparseconv.expand %c offsets(list<[1]>) : !set
  %forward = sparseconv.unpack %1 : !set -> tensor<?x2xi32>
  %2 = sparseconv.expand %c offsets(list<[1]>) transposed : !set
  %transposed = sparseconv.unpack %2 : !set -> tensor<?x2xi32>
  return %box, %forward, %transposed : tensor<?x2xi32>, tensor<?x2xi32>, tensor<?x2xi32>
}
// CHECK:      result 'box'
// CHECK-NEXT:   [0] 0, -1{{$}}
// CHECK-NEXT:   [1] 0, 0{{$}}
// CHECK-NEXT:   [2] 0, 1{{$}}
// CHECK-NEXT:   [3] 0, 2{{$}}
// CHECK-NEXT:   [4] 0, 3{{$}}
// CHECK-NEXT:   [5] 0, 4{{$}}
// 0 - 1 and 3 - 1.
// CHECK:      result 'forward'
// CHECK-NEXT:   [0] 0, -1{{$}}
// CHECK-NEXT:   [1] 0, 2{{$}}
// 0 + 1 and 3 + 1.
// CHECK:      result 'transposed'
// CHECK-NEXT:   [0] 0, 1{{$}}
// CHECK-NEXT:   [1] 0, 4{{$}}
