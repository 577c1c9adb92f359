// RUN: sparseconv-run %s --target=reference --print | FileCheck %s
// RUN: not sparseconv-run %s --entry=full --target=reference 2>&1 | FileCheck %s --check-prefix=FULL

// A set of stride 1 at stride 2, by both rules.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!half = !sparseconv.coords<1, stride = [2], #packing>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "floor"}, tensor<?x2xi32> {sparseconv.name = "cover"},
                      tensor<?x2xi32> {sparseconv.name = "clipped"}) {
  %p = arith.constant dense<[[0, -3], [0, -1], [0, 0], [0, 1], [0, 5]]> : tensor<5x2xi32>
  %fine, %order, %row_of = sparseconv.pack %p : tensor<5x2xi32> -> !set
  %0 = sparseconv.downsample %fine by [2] : !set -> !half
  %floor = sparseconv.unpack %0 : !half -> tensor<?x2xi32>

  %q = arith.constant dense<[[0, 0], [0, 3]]> : tensor<2x2xi32>
  %two, %order2, %row_of2 = sparseconv.pack %q : tensor<2x2xi32> -> !set
  %1 = sparseconv.downsample %two by [2] cover offsets(box<3>) : !set -> !half
  %cover = sparseconv.unpack %1 : !half -> tensor<?x2xi32>
  %2 = sparseconv.downsample %two by [2] cover offsets(box<3>) clip(<[0] to [4]>) : !set -> !half
  %clipped = sparseconv.unpack %2 : !half -> tensor<?x2xi32>
  return %floor, %cover, %clipped : tensor<?x2xi32>, tensor<?x2xi32>, tensor<?x2xi32>
}
// floor(c / 2) * 2 of -3, -1, 0, 1 and 5 is -4, -2, 0, 0 and 4.
// CHECK:      result 'floor'
// CHECK-NEXT:   [0] 0, -4{{$}}
// CHECK-NEXT:   [1] 0, -2{{$}}
// CHECK-NEXT:   [2] 0, 0{{$}}
// CHECK-NEXT:   [3] 0, 4{{$}}
// The even o for which o - 1, o or o + 1 is 0 or 3: 0 has itself, 2 has 3 = 2 + 1,
// and 4 has 3 = 4 - 1.
// CHECK:      result 'cover'
// CHECK-NEXT:   [0] 0, 0{{$}}
// CHECK-NEXT:   [1] 0, 2{{$}}
// CHECK-NEXT:   [2] 0, 4{{$}}
// The region ends before 4.
// CHECK:      result 'clipped'
// CHECK-NEXT:   [0] 0, 0{{$}}
// CHECK-NEXT:   [1] 0, 2{{$}}
// CHECK-NOT:    [2]

// Three coordinates do not fit in two rows.
func.func @full() -> index {
  %q = arith.constant dense<[[0, 0], [0, 3]]> : tensor<2x2xi32>
  %two, %order, %row_of = sparseconv.pack %q : tensor<2x2xi32> -> !set
  %0 = sparseconv.downsample %two by [2] cover offsets(box<3>) capacity(2) : !set -> !half
  %n = sparseconv.size %0 : !half
  return %n : index
}
// FULL: sparseconv.downsample: the result has 3 rows, more than its capacity of 2{{$}}
