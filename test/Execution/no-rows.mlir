// Numbers of rows that the program itself says. With none, no row of the result has a
// source, and every index of a scatter is reported. With one, loops over rows are
// gone, and a row's sum goes from kernel to kernel as a vector. A clip may leave a set
// without a cell.

// RUN: sparseconv-translate --network-to-plan %s -o %t.plan
// RUN: sparseconv-run %s --entry=none --input points=random:0 --input x=random:0 --check --quiet
// RUN: not sparseconv-run %s --entry=none --input points=const:0:7 --input x=random:7 2>&1 | FileCheck %s
// CHECK: sparseconv.scatter: position 0: row index 0 is outside -1 .. -1
// RUN: sparseconv-run %s --entry=one --input points=random:0 --input x=random:0 --check --quiet
// RUN: sparseconv-run %s --entry=one --input points=const:0:7 --input x=random:7 --check --quiet
// RUN: sparseconv-run %s --entry=no_cell --input points=const:0:7 --check --quiet

#packing = #sparseconv.packing<i32, batch = 2, bits = [7, 6, 7], guard = [6, 8, 7]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!third = !sparseconv.coords<3, stride = [1, 3, 1], #packing>

func.func @none(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %x: tensor<?x2xf16> {sparseconv.name = "x"}) -> tensor<?x2xf16> {
  %c0 = arith.constant 0 : index
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %none = sparseconv.scatter %x, %row_of into %c0 : tensor<?x2xf16>, tensor<?xi32> -> tensor<?x2xf16>
  return %none : tensor<?x2xf16>
}

func.func @one(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %x: tensor<?x3xf16> {sparseconv.name = "x"}) -> tensor<?x3xf16> {
  %c1 = arith.constant 1 : index
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %one = sparseconv.scatter %x, %row_of into %c1 : tensor<?x3xf16>, tensor<?xi32> -> tensor<?x3xf16>
  return %one : tensor<?x3xf16>
}

func.func @no_cell(%points: tensor<?x4xi32> {sparseconv.name = "points"}) -> tensor<?x4xi32> {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %none = sparseconv.downsample %coords by [1, 3, 1] cover offsets(box<3, 3, 3>) clip(<[0, 4, 0] to [8, 5, 8]>) : !set -> !third
  %y = sparseconv.unpack %none : !third -> tensor<?x4xi32>
  return %y : tensor<?x4xi32>
}
