// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// How tiles learn what the tiles before them have, in a kernel of a sort by two
// digits. There is a column for each of the 512 values of a digit, and a thread
// for each column. For each column a tile has a word of 64 bits. The number is
// in the low half. The high half says what it is: nothing yet (0), what the
// tile has by the first digit (1), or the sum up to its end (2); by the second
// digit these are 3 and 4, so that nothing is cleared in between. The kernels of
// both are the same code: the number of the digit, from 0 on, follows from how
// many thread blocks there have been.

// CHECK-LABEL: func.func @look_back(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi32>,
// CHECK:         %[[TILES:.*]] = arith.maxsi
// CHECK:         %[[WORDS:.*]] = arith.muli %[[TILES]], %c512
// CHECK:         %[[SAID:.*]] = memref.alloc(%[[WORDS]]) {{.*}} : memref<?xi64>

// The kernel before clears the words.
// CHECK:         gpu.launch
// CHECK:           memref.store %c0_i64, %[[SAID]]
// CHECK:         gpu.launch
// CHECK:           %[[PASS:.*]] = arith.divui
// CHECK:           %[[TILE:.*]] = arith.index_cast %{{.*}} : i32 to index

// A tile says what it has; the first one says a sum at once.
// CHECK:           %[[IS_FIRST:.*]] = arith.cmpi eq, %[[TILE]], %c0
// CHECK:           %[[DOUBLE:.*]] = arith.shli %[[PASS]], %c1_i32
// CHECK:           %[[ALL:.*]] = arith.addi %[[DOUBLE]], %c2_i32
// CHECK:           %[[OWN:.*]] = arith.addi %[[DOUBLE]], %c1_i32
// CHECK:           %[[KIND:.*]] = arith.select %[[IS_FIRST]], %[[ALL]], %[[OWN]]
// CHECK:           %[[WIDE:.*]] = arith.extui %[[KIND]] : i32 to i64
// CHECK:           %[[SHIFTED:.*]] = arith.shli %[[WIDE]], %c32_i64
// CHECK:           %[[SAYS:.*]] = arith.ori %{{.*}}, %[[SHIFTED]]
// CHECK:           memref.atomic_rmw assign %[[SAYS]], %[[SAID]]

// Then it asks the tiles before it, four at a time and the nearest first. It
// adds up what they have until one says a sum. One that says nothing yet is
// asked again.
// CHECK:           %[[BEFORE:.*]]:2 = scf.while
// CHECK-COUNT-4:     memref.atomic_rmw ori %c0_i64, %[[SAID]]
// CHECK-NOT:         memref.atomic_rmw ori
// CHECK:             arith.shrui %{{.*}}, %c32_i64
// CHECK:             arith.cmpi sle, %[[OWN]], %{{.*}}
// CHECK:             arith.cmpi eq, %{{.*}}, %[[ALL]]
// CHECK:             scf.yield

// It says the sum, so that those behind need not look further.
// CHECK:           arith.addi %[[BEFORE]]#0, %{{.*}} : i32
// CHECK:           memref.atomic_rmw assign %{{.*}}, %[[SAID]]

// So does the kernel of the second digit, over what the first has said.
// CHECK:         gpu.launch
// CHECK:           arith.divui
// CHECK-COUNT-2:   memref.atomic_rmw assign %{{.*}}, %[[SAID]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @look_back(%keys: memref<?xi32>, %sorted: memref<?xi32>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi32>)
      outs(%sorted, %permutation : memref<?xi32>, memref<?xi32>) {fields = array<i64: 18>}
  return
}

}
