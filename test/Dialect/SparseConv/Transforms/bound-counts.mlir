// RUN: sparseconv-opt %s --sparseconv-bound-counts --split-input-file --allow-unregistered-dialect | FileCheck %s

// A count is written to a buffer of its own, and read as a number of the device.
// It is at most what the first destination has room for.

// CHECK-LABEL: func.func @count(
// CHECK-SAME: %[[KEYS:[^:]*]]: memref<40xi64>
// CHECK:      %[[ROOM:.*]] = arith.constant 40 : index
// CHECK:      %[[COUNT:.*]] = memref.alloc() : memref<1xindex>
// CHECK:      sparseconv.kernel.encode {{.*}} outs(%[[KEYS]], %[[COUNT]] : memref<40xi64>, memref<1xindex>)
// CHECK:      %[[N:.*]] = sparseconv.kernel.device_scalar %[[COUNT]] at_most %[[ROOM]] : memref<1xindex>
// CHECK-NOT:  memref.load
// CHECK:      memref.subview %[[KEYS]][0] [%[[N]]] [1]
#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
func.func @count(%keys: memref<40xi64>, %points: memref<40x4xi32>, %status: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %count = memref.alloc() : memref<1xindex>
  sparseconv.kernel.encode ins(%points, %status : memref<40x4xi32>, memref<8xi64>)
      outs(%keys, %count : memref<40xi64>, memref<1xindex>) {op_id = 0 : i64, set = !set}
  %n = memref.load %count[%c0] : memref<1xindex>
  %exact = memref.subview %keys[0] [%n] [1] : memref<40xi64> to memref<?xi64, strided<[1]>>
  "test.use"(%exact) : (memref<?xi64, strided<[1]>>) -> ()
  return
}

// -----

// A buffer that two operations count into becomes two: a number of the device is
// written once. What was loaded in between is of the first.

// CHECK-LABEL: func.func @two_counts(
// CHECK:      sparseconv.kernel.intersect {{.*}} outs({{.*}}, %[[FIRST:[^ ]*]] :
// CHECK:      %[[A:.*]] = sparseconv.kernel.device_scalar %[[FIRST]] at_most
// CHECK-NOT:  outs({{.*}}, %[[FIRST]] :
// CHECK:      %[[SECOND:.*]] = memref.alloc() : memref<1xindex>
// CHECK:      sparseconv.kernel.intersect {{.*}} outs({{.*}}, %[[SECOND]] :
// CHECK:      %[[B:.*]] = sparseconv.kernel.device_scalar %[[SECOND]] at_most
// CHECK:      "test.use"(%[[A]], %[[B]])
func.func @two_counts(%a: memref<4xi64>, %b: memref<9xi64>, %keys: memref<4xi64>, %rows: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %count = memref.alloc() : memref<1xindex>
  sparseconv.kernel.intersect ins(%a, %b : memref<4xi64>, memref<9xi64>)
      outs(%keys, %rows, %rows, %count : memref<4xi64>, memref<4xi32>, memref<4xi32>, memref<1xindex>)
  %n = memref.load %count[%c0] : memref<1xindex>
  sparseconv.kernel.intersect ins(%b, %a : memref<9xi64>, memref<4xi64>)
      outs(%keys, %rows, %rows, %count : memref<4xi64>, memref<4xi32>, memref<4xi32>, memref<1xindex>)
  %m = memref.load %count[%c0] : memref<1xindex>
  "test.use"(%n, %m) : (index, index) -> ()
  return
}

// -----

// What only counts, counts at most the rows of its operand.

// CHECK-LABEL: func.func @only_count(
// CHECK:      %[[ROOM:.*]] = arith.constant 40 : index
// CHECK:      sparseconv.kernel.count_keys {{.*}} outs(%[[COUNT:.*]] : memref<1xindex>)
// CHECK:      sparseconv.kernel.device_scalar %[[COUNT]] at_most %[[ROOM]] : memref<1xindex>
func.func @only_count(%sorted: memref<40xi64>) {
  %c0 = arith.constant 0 : index
  %count = memref.alloc() : memref<1xindex>
  sparseconv.kernel.count_keys ins(%sorted : memref<40xi64>) outs(%count : memref<1xindex>)
      {fields = array<i64: 8, 20, 20, 16>}
  %n = memref.load %count[%c0] : memref<1xindex>
  "test.use"(%n) : (index) -> ()
  return
}

// -----

// What `unique` may count to is written on it, too.

// CHECK-LABEL: func.func @unique(
// CHECK:      %[[ROOM:.*]] = memref.dim %[[KEYS:.*]], %
// CHECK:      %[[CAPACITY:.*]] = arith.constant 5000 : index
// CHECK:      %[[BOUND:.*]] = arith.minui %{{.*}}, %[[CAPACITY]]
// CHECK:      sparseconv.kernel.device_scalar %{{.*}} at_most %[[BOUND]]
func.func @unique(%sorted: memref<?xi64>, %permutation: memref<?xi32>, %status: memref<8xi64>, %keys: memref<?xi64>,
                  %order: memref<?xi32>, %row_of: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %count = memref.alloc() : memref<1xindex>
  sparseconv.kernel.unique ins(%sorted, %permutation, %status : memref<?xi64>, memref<?xi32>, memref<8xi64>)
      outs(%keys, %order, %row_of, %count : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {capacity = 5000 : i64, op_id = 3 : i64}
  %n = memref.load %count[%c0] : memref<1xindex>
  "test.use"(%n) : (index) -> ()
  return
}

// -----

// Each dynamic size of an argument comes in a buffer behind the arguments, which
// says whose size it is. The memory behind the argument bounds it.

// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x8x?xf32>, %{{[^:]*}}: memref<4xf32>, %[[STATUS:[^:]*]]: memref<8xi64>,
// CHECK-SAME: %[[ROWS:[^:]*]]: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>},
// CHECK-SAME: %[[LAST:[^:]*]]: memref<1xindex> {sparseconv.size_of = array<i64: 0, 2>}) {
// CHECK:      %[[ROOM0:.*]] = memref.dim %[[X]], %c0
// CHECK:      %[[N0:.*]] = sparseconv.kernel.device_scalar %[[ROWS]] at_most %[[ROOM0]]
// CHECK:      %[[ROOM2:.*]] = memref.dim %[[X]], %c2
// CHECK:      %[[N2:.*]] = sparseconv.kernel.device_scalar %[[LAST]] at_most %[[ROOM2]]
// CHECK:      "test.use"(%[[N0]], %[[N2]])
func.func @sizes(%x: memref<?x8x?xf32>, %w: memref<4xf32>, %status: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c0 : memref<?x8x?xf32>
  %m = memref.dim %x, %c2 : memref<?x8x?xf32>
  "test.use"(%n, %m) : (index, index) -> ()
  return
}

// -----

// A scalar argument is a buffer of one element.

// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %[[SCALE:[^:]*]]: memref<1xf32>, %{{[^:]*}}: memref<8xi64>) {
// CHECK-NEXT: %[[VALUE:.*]] = sparseconv.kernel.device_scalar %[[SCALE]] : memref<1xf32>
// CHECK-NEXT: "test.use"(%[[VALUE]])
func.func @scalar(%scale: f32, %status: memref<8xi64>) {
  "test.use"(%scale) : (f32) -> ()
  return
}

// -----

// A private function, which is called, stays as its callers know it.

// CHECK-LABEL: func.func private @private(
// CHECK-SAME: memref<?xf32>) {
func.func private @private(%x: memref<?xf32>) {
  return
}

// -----

// An index that a buffer's size depends on has a capacity as the rows of a
// buffer without elements; one that does not is a number in a buffer.

// CHECK-LABEL: func.func @index_arguments(
// CHECK-SAME: %[[N:[^:]*]]: memref<?x0xi8>, %[[M:[^:]*]]: memref<1xindex>, %[[SIZE:[^:]*]]: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
// CHECK-DAG:  %[[CAPACITY:.*]] = memref.dim %[[N]], %c0
// CHECK:      %[[EXACT:.*]] = sparseconv.kernel.device_scalar %[[SIZE]] at_most %[[CAPACITY]] : memref<1xindex>
// CHECK:      %[[OTHER:.*]] = sparseconv.kernel.device_scalar %[[M]] : memref<1xindex>
// CHECK:      %[[TWICE:.*]] = arith.addi %[[EXACT]], %[[EXACT]]
// CHECK:      memref.alloc(%[[TWICE]])
// CHECK:      "test.use"(%[[OTHER]])
func.func @index_arguments(%n: index, %m: index) {
  %twice = arith.addi %n, %n : index
  %a = memref.alloc(%twice) : memref<?xf32>
  "test.use"(%m) : (index) -> ()
  return
}

// -----

// Where `unique` says how many keys one row made, memory for the distinct ones may
// start small: their buffers, and the count, have a capacity that grows.

// CHECK-LABEL: func.func @grows(
// CHECK-SAME: %[[SORTED:[^:]*]]: memref<?xi64>, {{.*}}, %{{[^:]*}}: memref<1xindex> {sparseconv.size_of
// CHECK:      %[[N:.*]] = sparseconv.kernel.device_scalar
// CHECK-DAG:  %[[C900:.*]] = arith.constant 900 : index
// CHECK-DAG:  %[[BOUND:.*]] = arith.minui %[[N]], %[[C900]]
// CHECK-DAG:  %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:  %[[ROWS:.*]] = arith.ceildivui %[[N]], %[[C8]]
// CHECK:      %[[LIMIT:.*]], %[[CAPACITY:.*]] = sparseconv.kernel.growable_capacity %[[ROWS]] at_most %[[BOUND]] {op_id = 3 : i64}
// CHECK:      %[[M:.*]] = sparseconv.kernel.device_scalar %[[LIMIT]] at_most %[[CAPACITY]]
// CHECK-DAG:  %[[KEYS:.*]] = memref.alloc(%[[M]]) : memref<?xi64>
// CHECK-DAG:  %[[ORDER:.*]] = memref.alloc(%[[M]]) : memref<?xi32>
// CHECK:      sparseconv.kernel.unique ins(%[[SORTED]], %{{.*}}, %{{.*}}, %[[M]] : memref<?xi64>, memref<?xi32>, memref<8xi64>, index)
// CHECK-SAME:   outs(%[[KEYS]], %[[ORDER]], %{{.*}}, %[[COUNT:.*]] : memref
// CHECK:      sparseconv.kernel.device_scalar %[[COUNT]] at_most %[[CAPACITY]]
func.func @grows(%sorted: memref<?xi64>, %permutation: memref<?xi32>, %row_of: memref<?xi32>, %status: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %sorted, %c0 : memref<?xi64>
  %keys = memref.alloc(%n) : memref<?xi64>
  %order = memref.alloc(%n) : memref<?xi32>
  %count = memref.alloc() : memref<1xindex>
  sparseconv.kernel.unique ins(%sorted, %permutation, %status : memref<?xi64>, memref<?xi32>, memref<8xi64>)
      outs(%keys, %order, %row_of, %count : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {capacity = 2147483646 : i64, cells = 900 : i64, op_id = 3 : i64, reach = 8 : i64}
  %m = memref.load %count[%c0] : memref<1xindex>
  "test.use"(%m) : (index) -> ()
  memref.dealloc %keys : memref<?xi64>
  return
}

// -----

// A capacity of the program's, or few cells, are memory enough. A buffer that
// something else was written to before keeps its size.

// CHECK-LABEL: func.func @fixed(
// CHECK:      %[[N:.*]] = sparseconv.kernel.device_scalar
// CHECK:      %[[KEYS:.*]] = memref.alloc(%[[N]]) : memref<?xi64>
// CHECK:      "test.write"(%[[KEYS]])
// CHECK-DAG:  %[[C70:.*]] = arith.constant 70 : index
// CHECK:      %[[BOUND:.*]] = arith.minui %[[N]], %[[C70]]
// CHECK:      %[[ORDER:.*]] = memref.alloc(%[[BOUND]]) : memref<?xi32>
// CHECK:      sparseconv.kernel.unique ins({{.*}} : memref<?xi64>, memref<?xi32>, memref<8xi64>)
// CHECK-SAME:   outs(%[[KEYS]], %[[ORDER]], %{{.*}}, %[[COUNT:.*]] : memref
// CHECK:      sparseconv.kernel.device_scalar %[[COUNT]] at_most %[[BOUND]]
func.func @fixed(%sorted: memref<?xi64>, %permutation: memref<?xi32>, %row_of: memref<?xi32>, %status: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %sorted, %c0 : memref<?xi64>
  %keys = memref.alloc(%n) : memref<?xi64>
  %order = memref.alloc(%n) : memref<?xi32>
  "test.write"(%keys) : (memref<?xi64>) -> ()
  %count = memref.alloc() : memref<1xindex>
  sparseconv.kernel.unique ins(%sorted, %permutation, %status : memref<?xi64>, memref<?xi32>, memref<8xi64>)
      outs(%keys, %order, %row_of, %count : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {capacity = 900 : i64, cells = 70 : i64, op_id = 3 : i64}
  %m = memref.load %count[%c0] : memref<1xindex>
  "test.use"(%m) : (index) -> ()
  return
}

// -----

// There are not more cells than the packing has. The rows of points keep their size.

#few = #sparseconv.packing<i64, batch = 0, bits = [4], guard = [3]>
!cells = !sparseconv.coords<1, stride = [1], #few>

// CHECK-LABEL: func.func @cells(
// CHECK:      %[[ALL:.*]] = arith.muli %{{.*}}, %{{.*}}
// CHECK:      %[[ROW_OF:.*]] = memref.alloc(%[[ALL]]) : memref<?xi32>
// CHECK-DAG:  %[[C10:.*]] = arith.constant 10 : index
// CHECK:      %[[BOUND:.*]] = arith.minui %[[ALL]], %[[C10]]
// CHECK-DAG:  %[[FINE:.*]] = memref.alloc(%[[BOUND]]) : memref<?xi64>
// CHECK-DAG:  %[[ROWS:.*]] = memref.alloc(%[[BOUND]]) : memref<?xi32>
// CHECK-DAG:  %[[ORDER:.*]] = memref.alloc(%[[BOUND]]) : memref<?xi32>
// CHECK:      sparseconv.kernel.subdivide
// CHECK-SAME:   outs(%[[FINE]], %[[ROWS]], %[[ORDER]], %[[ROW_OF]], %[[COUNT:.*]] : memref
// CHECK:      sparseconv.kernel.device_scalar %[[COUNT]] at_most %[[BOUND]]
func.func @cells(%keys: memref<?xi64>, %points: memref<?xi32>, %row: memref<?xi32>, %status: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %keys, %c0 : memref<?xi64>
  %all = arith.muli %n, %c4 : index
  %fine = memref.alloc(%all) : memref<?xi64>
  %rows = memref.alloc(%all) : memref<?xi32>
  %order = memref.alloc(%all) : memref<?xi32>
  %row_of = memref.alloc(%all) : memref<?xi32>
  %count = memref.alloc() : memref<1xindex>
  sparseconv.kernel.subdivide ins(%keys, %points, %row, %status : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<8xi64>)
      outs(%fine, %rows, %order, %row_of, %count : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {by = array<i64: 4>, capacity = 2147483646 : i64, cells = 10 : i64, op_id = 1 : i64, set = !cells}
  %m = memref.load %count[%c0] : memref<1xindex>
  "test.use"(%m) : (index) -> ()
  return
}
