// RUN: sparseconv-opt %s --sparseconv-lower-to-ptx=target=cuda:sm_90a | FileCheck %s
// RUN: sparseconv-translate --network-to-plan --chip=sm_90a %s -o %t.plan
// RUN: sparseconv-translate --plan-to-text %t.plan | FileCheck %s --check-prefix=TEXT

// A weight in front becomes a constant, and what grows still does by the points.
// RUN: %python %S/Inputs/write-weights.py %t.npz w:f4:3
// RUN: sparseconv-translate --plan-to-plan --weights=%t.npz %t.plan | sparseconv-translate --plan-to-text - | FileCheck %s --check-prefix=TEXT

// Chained covers, from the network to the file. Each set has memory of its own
// that starts with twice the rows of the points, and grows up to 8 times the rows
// of the set before. The result is as large as the second. Growable capacities
// follow from capacities alone, the sizes of other memory from counts where a run
// reads them.

// CHECK-LABEL: sparseconv_plan.func @main
// CHECK-DAG:     %[[ROOM:.*]] = capacity %points, 0
// CHECK-DAG:     %[[ROWS:.*]] = arith.minui %[[ROOM]],
// CHECK:         %[[START:.*]] = arith.maxui %{{.*}}, %c4096
// CHECK:         %[[LIMIT:.*]] = slot "limit.1"
// CHECK:         %[[FIRST:.*]] = growable_capacity %[[LIMIT]] from %[[START]] at_most %{{.*}} op(1)
// CHECK:         %[[NEXT:.*]] = arith.muli %[[FIRST]], %c8
// CHECK:         %[[BOUND:.*]] = arith.minui %[[NEXT]],
// CHECK:         %[[LIMIT2:.*]] = slot "limit.2"
// CHECK:         %[[SECOND:.*]] = growable_capacity %[[LIMIT2]] from %{{.*}} at_most %{{.*}} op(2)
// CHECK:         %[[EXACT:.*]] = exact_size %coords.0 at_most %[[SECOND]]
// CHECK:         output "coords"(%[[EXACT]])
// CHECK:         %[[CANDIDATES:.*]] = buffer(%{{.*}}) prepared : memref<?xi64>
// CHECK:         launch {{.*}} args({{.*}}%[[LIMIT]]{{.*}}) {{.*}}op(1)
// CHECK:         launch {{.*}} args({{.*}}%[[LIMIT2]]{{.*}}) {{.*}}op(2)

// TEXT:      output 'coords' ?(slot [[ROWS:[0-9]+]], at most exact([[ROWS]], growable(1)))x4xi32
// TEXT:      slot [[LIMIT:[0-9]+]] 'limit.1'
// TEXT:      growable 0 slot [[LIMIT]] from max({{.*}}, 4096), at most min({{.*}}cap(points, 0){{.*}}) op 1
// TEXT-NEXT: growable 1 slot {{[0-9]+}} from max({{.*}}, 4096), at most min({{.*}}(growable(0) * 8){{.*}}) op 2
// TEXT:      buffer 'coords' output 0 bytes ((4 * exact([[ROWS]], growable(1))) * 4)

#packing = #sparseconv.packing<i64, batch = 8, bits = [18, 18, 18], guard = [64, 64, 64]>
!one = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!two = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!four = !sparseconv.coords<3, stride = [4, 4, 4], #packing>
func.func @main(%w: tensor<3xf32> {sparseconv.name = "w"}, %points: tensor<?x4xi32> {sparseconv.name = "points"})
    -> (tensor<?x4xi32> {sparseconv.name = "coords"}, tensor<3xf32>) {
  %0, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !one
  %1 = sparseconv.downsample %0 by [2, 2, 2] cover offsets(box<3, 3, 3>) : !one -> !two
  %2 = sparseconv.downsample %1 by [2, 2, 2] cover offsets(box<3, 3, 3>) : !two -> !four
  %3 = sparseconv.unpack %2 : !four -> tensor<?x4xi32>
  return %3, %w : tensor<?x4xi32>, tensor<3xf32>
}
