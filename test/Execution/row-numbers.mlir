// The set of row numbers, which needs no sort: what it holds, and maps that are given
// between such sets; with a table that is checked, and one that the caller vouches for.

// RUN: sparseconv-run %s --entry=points --print | FileCheck %s
// RUN: sparseconv-run %s --entry=points --target=reference --print | FileCheck %s
// RUN: not sparseconv-run %s --entry=wrong 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: sparseconv.map_from_table: row 0: input row 3 of offset 1 is outside -1 .. 2
// RUN: sparseconv-translate %s --network-to-plan --entry=wrong --target=cpu:sse2 -o %t.checked.plan
// RUN: not sparseconv-run %t.checked.plan --entry=wrong --target=cpu 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sparseconv-translate %s --network-to-plan --trust-tables --entry=wrong --target=cpu:sse2 -o %t.plan
// RUN: sparseconv-run %t.plan --entry=wrong --target=cpu --print | FileCheck %s --check-prefix=TRUSTED

#rows = #sparseconv.packing<i64, batch = 0, bits = [32], guard = [1]>
!set = !sparseconv.coords<1, stride = [1], #rows>
!map = !sparseconv.kernel_map<2, !set to !set>

func.func private @number(%n: index) -> !set {
  %0 = tensor.empty(%n) : tensor<?x2xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>],
                       iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<?x2xi32>) {
  ^bb0(%old: i32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %product = arith.muli %row, %column : index
    %number = arith.index_cast %product : index to i32
    linalg.yield %number : i32
  } -> tensor<?x2xi32>
  %c, %order, %row_of = sparseconv.pack %1 : tensor<?x2xi32> -> !set
  return %c : !set
}

// CHECK:      result 'points'
// CHECK-NEXT:   [0] 0, 0{{$}}
// CHECK-NEXT:   [1] 0, 1{{$}}
// CHECK-NEXT:   [2] 0, 2{{$}}
func.func @points() -> (tensor<?x2xi32> {sparseconv.name = "points"}) {
  %three = arith.constant 3 : index
  %c = call @number(%three) : (index) -> !set
  %points = sparseconv.unpack %c : !set -> tensor<?x2xi32>
  return %points : tensor<?x2xi32>
}

// TRUSTED:      result 'table'
// TRUSTED-NEXT:   [0] 0, 3{{$}}
func.func @wrong() -> (tensor<?x2xi32> {sparseconv.name = "table"}) {
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %in = call @number(%three) : (index) -> !set
  %out = call @number(%one) : (index) -> !set
  %given = arith.constant dense<[[0, 3]]> : tensor<1x2xi32>
  %table = tensor.cast %given : tensor<1x2xi32> to tensor<?x2xi32>
  %m = sparseconv.map_from_table %table, %in to %out : tensor<?x2xi32>, !map
  %0 = sparseconv.neighbour_table %m : !map -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
}
