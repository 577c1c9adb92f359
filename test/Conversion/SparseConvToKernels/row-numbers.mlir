// RUN: sparseconv-opt %s --sparseconv-select-indexing --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

// A set of row numbers, whose points are the row times the column, needs no sort, and
// no keys where a map with a given table wants the number of its rows alone.

#rows = #sparseconv.packing<i64, batch = 0, bits = [32], guard = [1]>
#few = #sparseconv.packing<i64, batch = 0, bits = [31], guard = [1]>
!set = !sparseconv.coords<1, stride = [1], #rows>
!few = !sparseconv.coords<1, stride = [1], #few>
!map = !sparseconv.kernel_map<2, !set to !set>

// CHECK-LABEL: @keys
// CHECK-NOT: sparseconv.kernel.sort
// CHECK-NOT: sparseconv.kernel.encode
// CHECK: linalg.generic
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[ROW]] : index to i64
// CHECK: arith.addi %[[NUMBER]], %c2147483648_i64
// CHECK: sparseconv.kernel.decode
func.func @keys(%n: index) -> tensor<?x2xi32> {
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
  %points = sparseconv.unpack %c : !set -> tensor<?x2xi32>
  return %points : tensor<?x2xi32>
}

// Points that are those of a set in its order are sorted nevertheless, unless whoever
// compiles vouches for them. Then nothing can fail, and rows are points.

// CHECK-LABEL: @in_order
// CHECK: sparseconv.kernel.encode
// CHECK: sparseconv.kernel.sort
func.func @in_order(%points: tensor<?x2xi32>) -> (tensor<?x2xi32>, tensor<?xi32>) {
  %c, %order, %row_of = sparseconv.pack %points {in_order} : tensor<?x2xi32> -> !set
  %0 = sparseconv.unpack %c : !set -> tensor<?x2xi32>
  return %0, %order : tensor<?x2xi32>, tensor<?xi32>
}

#batched = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [1]>
!batched = !sparseconv.coords<1, stride = [2], #batched>

// CHECK-LABEL: @trusted
// CHECK-SAME: %[[POINTS:.*]]: tensor<?x2xi32>
// CHECK-NOT: sparseconv.kernel.encode
// CHECK-NOT: sparseconv.kernel.sort
// CHECK: %[[KEYS:.*]] = linalg.generic {{.*}} ins(%[[POINTS]], %[[POINTS]] :
// CHECK: ^bb0(%[[BATCH:.*]]: i32, %[[X:.*]]: i32, %{{.*}}: i64):
// CHECK: %[[B:.*]] = arith.extsi %[[BATCH]]
// CHECK: %[[HIGH:.*]] = arith.shli %[[B]], %c20_i64
// CHECK: %[[WIDE:.*]] = arith.extsi %[[X]]
// CHECK: %[[BIASED:.*]] = arith.addi %[[WIDE]], %c524288_i64
// CHECK: arith.addi %[[HIGH]], %[[BIASED]]
// CHECK: sparseconv.kernel.decode ins(%[[KEYS]] :
func.func @trusted(%points: tensor<?x2xi32>) -> (tensor<?x2xi32>, tensor<?xi32>) {
  %c, %order, %row_of = sparseconv.pack %points {in_order, sparseconv.trusted} : tensor<?x2xi32> -> !batched
  %0 = sparseconv.unpack %c : !batched -> tensor<?x2xi32>
  return %0, %order : tensor<?x2xi32>, tensor<?xi32>
}

// CHECK-LABEL: @sizes
// CHECK-NOT: linalg.generic
// CHECK: sparseconv.kernel.check_table
func.func @sizes(%n: index, %table: tensor<?x2xi32>) -> tensor<?x2xi32> {
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
  %m = sparseconv.map_from_table %table, %c to %c : tensor<?x2xi32>, !map
  %2 = sparseconv.neighbour_table %m : !map -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// A row number may be no coordinate of this set, so that this is an error of a run.
// CHECK-LABEL: @too_few_bits
// CHECK: sparseconv.kernel.encode
// CHECK: sparseconv.kernel.sort
func.func @too_few_bits(%n: index) -> tensor<?xi32> {
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
  %c, %order, %row_of = sparseconv.pack %1 : tensor<?x2xi32> -> !few
  return %order : tensor<?xi32>
}

// Points that are computed otherwise: the square of the row.
// CHECK-LABEL: @squares
// CHECK: sparseconv.kernel.sort
func.func @squares(%n: index) -> tensor<?xi32> {
  %0 = tensor.empty(%n) : tensor<?x2xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>],
                       iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<?x2xi32>) {
  ^bb0(%old: i32):
    %row = linalg.index 0 : index
    %product = arith.muli %row, %row : index
    %number = arith.index_cast %product : index to i32
    linalg.yield %number : i32
  } -> tensor<?x2xi32>
  %c, %order, %row_of = sparseconv.pack %1 : tensor<?x2xi32> -> !set
  return %order : tensor<?xi32>
}
