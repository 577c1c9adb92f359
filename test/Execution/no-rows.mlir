// A number of rows that is 0 in the program itself: no row of the result has a source,
// and every index of a scatter is reported.

// RUN: sparseconv-translate --network-to-plan %s -o %t.plan
// RUN: sparseconv-run %s --entry=none --input points=random:0 --input x=random:0 --check --quiet
// RUN: not sparseconv-run %s --entry=none --input points=const:0:7 --input x=random:7 2>&1 | FileCheck %s
// CHECK: sparseconv.scatter: position 0: row index 0 is outside -1 .. -1

#packing = #sparseconv.packing<i32, batch = 2, bits = [7, 6, 7], guard = [6, 8, 7]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

func.func @none(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %x: tensor<?x2xf16> {sparseconv.name = "x"}) -> tensor<?x2xf16> {
  %c0 = arith.constant 0 : index
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %none = sparseconv.scatter %x, %row_of into %c0 : tensor<?x2xf16>, tensor<?xi32> -> tensor<?x2xf16>
  return %none : tensor<?x2xf16>
}
