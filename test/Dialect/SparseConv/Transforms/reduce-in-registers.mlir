// A thread adds up the terms of neighbouring results in registers. Upstream's loops
// store a sum after each term and load it before the next.
// RUN: sparseconv-opt %s --split-input-file --sparseconv-reduce-in-registers --canonicalize --cse | FileCheck %s

#x = affine_map<(row, column, term) -> (row, term)>
#w = affine_map<(row, column, term) -> (term, column)>
#w_transposed = affine_map<(row, column, term) -> (column, term)>
#y = affine_map<(row, column, term) -> (row, column)>
#y_transposed = affine_map<(row, column, term) -> (column, row)>
#all = affine_map<(row, column) -> (row, column)>
#bias = affine_map<(row, column) -> (column)>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// What alone reads the sums is computed where they are, and they need no memory.
// CHECK-LABEL: func.func @linear
//  CHECK-SAME: (%[[X:.*]]: memref<?x8xf16>, %[[W:.*]]: memref<8x24xf16>, %[[B:.*]]: memref<24xf16>, %[[Y:.*]]: memref<?x24xf16>)
//   CHECK-DAG:   %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
//   CHECK-NOT:   memref.alloc
//       CHECK:   scf.parallel (%[[ROW:.*]], %[[COLUMN:.*]]) = (%c0, %c0) to (%{{.*}}, %c24) step (%c1, %c4)
//       CHECK:     %[[SUMS:.*]]:4 = scf.for %[[TERM:.*]] = %c0 to %c8 step %c1 iter_args(%[[S:.*]] = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]])
//       CHECK:       memref.load %[[X]][%[[ROW]], %[[TERM]]]
//       CHECK:       vector.load %[[W]][%[[TERM]], %[[COLUMN]]] {alignment = 8 : i64} : memref<8x24xf16>, vector<4xf16>
//       CHECK:       arith.addf %[[S]], %{{.*}}
//   CHECK-NOT:     memref.store
//       CHECK:     vector.load %[[B]][%[[COLUMN]]]
//       CHECK:     arith.truncf %[[SUMS]]#0
//       CHECK:     vector.store %{{.*}}, %[[Y]][%[[ROW]], %[[COLUMN]]] {alignment = 8 : i64} : memref<?x24xf16>, vector<4xf16>
//   CHECK-NOT:   linalg
func.func @linear(%x: memref<?x8xf16>, %w: memref<8x24xf16>, %b: memref<24xf16>, %y: memref<?x24xf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf16>
  %sum = memref.alloc(%n) : memref<?x24xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x24xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x8xf16>, memref<8x24xf16>) outs(%sum : memref<?x24xf32>) {
  ^bb0(%a: f16, %c: f16, %out: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %c : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#all, #bias, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %b : memref<?x24xf32>, memref<24xf16>) outs(%y : memref<?x24xf16>) {
  ^bb0(%a: f32, %c: f16, %out: f16):
    %0 = arith.truncf %a : f32 to f16
    %1 = arith.addf %0, %c : f16
    linalg.yield %1 : f16
  }
  memref.dealloc %sum : memref<?x24xf32>
  return
}

// Sums begin with what the buffer holds where nothing says what that is. Columns of
// the weights do not lie side by side, so a thread has one result.
// CHECK-LABEL: func.func @from_memory
//       CHECK:   scf.parallel (%[[ROW:.*]], %[[COLUMN:.*]]) = {{.*}} step (%c1, %c1)
//       CHECK:     %[[START:.*]] = memref.load %[[Y:.*]][%[[ROW]], %[[COLUMN]]]
//       CHECK:     %[[SUM:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[START]]) -> (f32)
//       CHECK:     memref.store %[[SUM]], %[[Y]][%[[ROW]], %[[COLUMN]]]
func.func @from_memory(%x: memref<?x8xf32>, %w: memref<24x8xf32>, %y: memref<?x24xf32>) {
  linalg.generic {indexing_maps = [#x, #w_transposed, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x8xf32>, memref<24x8xf32>) outs(%y : memref<?x24xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Results lie side by side along rows here, and there are terms over two loops.
// CHECK-LABEL: func.func @two_loops
//       CHECK:   scf.parallel (%[[ROW:.*]], %[[COLUMN:.*]]) = (%c0, %c0) to (%c12, %c5) step (%c4, %c1)
//       CHECK:     %[[OUTER:.*]]:4 = scf.for %[[I:.*]] = %c0 to %c3
//       CHECK:       %[[INNER:.*]]:4 = scf.for %[[J:.*]] = %c0 to %{{.*}} step
//       CHECK:         vector.load %{{.*}}[%[[I]], %[[J]], %[[COLUMN]], %[[ROW]]]
//       CHECK:       scf.yield %[[INNER]]#0, %[[INNER]]#1, %[[INNER]]#2, %[[INNER]]#3
//       CHECK:     vector.store %{{.*}}, %{{.*}}[%[[COLUMN]], %[[ROW]]]
func.func @two_loops(%x: memref<3x?x5x12xf32>, %y: memref<5x12xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, row, j, column) -> (i, j, column, row)>,
                                   affine_map<(i, row, j, column) -> (column, row)>],
                  iterator_types = ["reduction", "parallel", "reduction", "parallel"]}
      ins(%x : memref<3x?x5x12xf32>) outs(%y : memref<5x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// The sums stay in memory for a second reader.
// CHECK-LABEL: func.func @two_readers
//       CHECK:   %[[SUM:.*]] = memref.alloc
//       CHECK:   scf.parallel
//       CHECK:     vector.store %{{.*}}, %[[SUM]]
//       CHECK:   linalg.generic
//       CHECK:   linalg.generic
func.func @two_readers(%x: memref<?x8xf32>, %w: memref<8x24xf32>, %y: memref<?x24xf32>, %z: memref<?x24xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %sum = memref.alloc(%n) : memref<?x24xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x24xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x8xf32>, memref<8x24xf32>) outs(%sum : memref<?x24xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<?x24xf32>) outs(%y : memref<?x24xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.absf %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<?x24xf32>) outs(%z : memref<?x24xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?x24xf32>
  return
}

// The reader stores what other threads still multiply: it stays behind all of them.
// CHECK-LABEL: func.func @in_place
//       CHECK:   scf.parallel
//       CHECK:     vector.store
//       CHECK:   linalg.generic
func.func @in_place(%x: memref<?x24xf32>, %w: memref<24x24xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x24xf32>
  %sum = memref.alloc(%n) : memref<?x24xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x24xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x24xf32>, memref<24x24xf32>) outs(%sum : memref<?x24xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<?x24xf32>) outs(%x : memref<?x24xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.absf %a : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?x24xf32>
  return
}

// The bias changes between the sums and their reader, which stays behind that.
// CHECK-LABEL: func.func @bias_changes
//       CHECK:   scf.parallel
//       CHECK:   linalg.fill
//       CHECK:   linalg.generic
func.func @bias_changes(%x: memref<?x8xf32>, %w: memref<8x24xf32>, %b: memref<24xf32>, %y: memref<?x24xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %sum = memref.alloc(%n) : memref<?x24xf32>
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x8xf32>, memref<8x24xf32>) outs(%sum : memref<?x24xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%zero : f32) outs(%b : memref<24xf32>)
  linalg.generic {indexing_maps = [#all, #bias, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %b : memref<?x24xf32>, memref<24xf32>) outs(%y : memref<?x24xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?x24xf32>
  return
}

// A reader that takes the sums in another order is not merged.
// CHECK-LABEL: func.func @transposed
//       CHECK:   scf.parallel
//       CHECK:   linalg.generic
func.func @transposed(%x: memref<16x8xf32>, %w: memref<8x24xf32>, %y: memref<24x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<24x16xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<24x16xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y_transposed], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<16x8xf32>, memref<8x24xf32>) outs(%sum : memref<24x16xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<24x16xf32>) outs(%y : memref<24x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.absf %a : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<24x16xf32>
  return
}

// Nor is one whose results lie in another order than the sums.
// CHECK-LABEL: func.func @reader_transposes
//       CHECK:   scf.parallel
//       CHECK:   linalg.generic
func.func @reader_transposes(%x: memref<16x8xf32>, %w: memref<8x24xf32>, %y: memref<24x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<16x24xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<16x24xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<16x8xf32>, memref<8x24xf32>) outs(%sum : memref<16x24xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all, affine_map<(row, column) -> (column, row)>], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<16x24xf32>) outs(%y : memref<24x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.absf %a : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<16x24xf32>
  return
}

// The next iteration of a loop goes on with the sums of this one.
// CHECK-LABEL: func.func @carried
//       CHECK:   scf.for
//       CHECK:     scf.parallel
//       CHECK:       vector.load %[[SUM:.*]][
//       CHECK:       vector.store %{{.*}}, %[[SUM]]
//       CHECK:     linalg.generic
func.func @carried(%x: memref<16x8xf32>, %w: memref<8x24xf32>, %y: memref<16x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %sum = memref.alloc() : memref<16x24xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<16x8xf32>, memref<8x24xf32>) outs(%sum : memref<16x24xf32>) {
    ^bb0(%a: f32, %c: f32, %out: f32):
      %0 = arith.mulf %a, %c : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%sum : memref<16x24xf32>) outs(%y : memref<16x24xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = math.absf %a : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// A body that reads memory itself may read what the reader stores.
// CHECK-LABEL: func.func @reads_memory
//       CHECK:   scf.parallel
//       CHECK:   linalg.generic
//       CHECK:     memref.load
func.func @reads_memory(%x: memref<16x8xf32>, %w: memref<8x24xf32>, %y: memref<16x24xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<16x24xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<16x24xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<16x8xf32>, memref<8x24xf32>) outs(%sum : memref<16x24xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<16x24xf32>) outs(%y : memref<16x24xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = memref.load %y[%c0, %c0] : memref<16x24xf32>
    %1 = arith.addf %a, %0 : f32
    linalg.yield %1 : f32
  }
  memref.dealloc %sum : memref<16x24xf32>
  return
}

// What a loop carries may be the buffer of the features.
// CHECK-LABEL: func.func @other_name
//       CHECK:   scf.for
//       CHECK:     scf.parallel
//       CHECK:     linalg.generic
func.func @other_name(%x: memref<16x8xf32>, %w: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> (memref<16x8xf32>) {
    %sum = memref.alloc() : memref<16x8xf32>
    linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<16x8xf32>, memref<8x8xf32>) outs(%sum : memref<16x8xf32>) {
    ^bb0(%a: f32, %c: f32, %out: f32):
      %0 = arith.mulf %a, %c : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%sum : memref<16x8xf32>) outs(%y : memref<16x8xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = math.absf %a : f32
      linalg.yield %0 : f32
    }
    memref.dealloc %sum : memref<16x8xf32>
    scf.yield %y : memref<16x8xf32>
  }
  return
}

// Sums that have another name as well stay in memory.
// CHECK-LABEL: func.func @named_twice
//       CHECK:   scf.parallel
//       CHECK:     vector.store
//       CHECK:   linalg.generic
func.func @named_twice(%x: memref<16x8xf32>, %w: memref<8x24xf32>, %y: memref<16x24xf32>, %z: memref<16x24xf32>, %is_first: i1) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<16x24xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<16x24xf32>)
  %either = arith.select %is_first, %sum, %y : memref<16x24xf32>
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<16x8xf32>, memref<8x24xf32>) outs(%sum : memref<16x24xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<16x24xf32>) outs(%z : memref<16x24xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.absf %a : f32
    linalg.yield %0 : f32
  }
  linalg.copy ins(%either : memref<16x24xf32>) outs(%y : memref<16x24xf32>)
  memref.dealloc %sum : memref<16x24xf32>
  return
}

// A result for each term, and of no loop alone, is none to carry.
// CHECK-LABEL: func.func @over_terms
//       CHECK:   linalg.generic
func.func @over_terms(%x: memref<8x8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Numbers of 48 bits lie 64 bits apart, so there are no vectors of them.
// CHECK-LABEL: func.func @odd_width
//       CHECK:   scf.parallel (%{{.*}}, %{{.*}}) = {{.*}} step (%c1, %c1)
func.func @odd_width(%x: memref<16x8xi48>, %w: memref<8x24xi48>, %y: memref<16x24xi48>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<16x8xi48>, memref<8x24xi48>) outs(%y : memref<16x24xi48>) {
  ^bb0(%a: i48, %c: i48, %out: i48):
    %0 = arith.muli %a, %c : i48
    %1 = arith.addi %out, %0 : i48
    linalg.yield %1 : i48
  }
  return
}

// Terms that lie where the sums are change with them: memory keeps both.
// CHECK-LABEL: func.func @of_itself
//       CHECK:   linalg.generic
func.func @of_itself(%x: memref<24x24xf32>) {
  %row = memref.subview %x[0, 0] [1, 24] [1, 1] : memref<24x24xf32> to memref<24xf32, strided<[1]>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<24x24xf32>) outs(%row : memref<24xf32, strided<[1]>>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  }
  return
}

}

// -----

// On a CPU the sums, in half of the vector registers, are one vector, in which the numbers that all of
// them share are repeated. A constant of the body is not.

#x = affine_map<(row, column, term) -> (row, term)>
#w = affine_map<(row, column, term) -> (term, column)>
#y = affine_map<(row, column, term) -> (row, column)>
#all = affine_map<(row, column) -> (row, column)>

module attributes {sparseconv.target = #sparseconv.target<cpu, chip = "avx2">} {

// CHECK-LABEL: func.func @on_a_cpu
//  CHECK-SAME: (%[[X:.*]]: memref<?x8xf16>, %[[W:.*]]: memref<8x96xf16>, %[[Y:.*]]: memref<?x96xf16>)
//   CHECK-DAG:   %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<32xf32>
//   CHECK-DAG:   %[[HALF:.*]] = arith.constant dense<5.000000e-01> : vector<32xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   scf.parallel (%[[ROW:.*]], %[[COLUMN:.*]]) = (%c0, %c0) to (%{{.*}}, %c96) step (%c1, %c32)
//       CHECK:     %[[SUMS:.*]] = scf.for %[[TERM:.*]] = %c0 to %c8 step %c1 iter_args(%[[SUM:.*]] = %[[ZEROS]]) -> (vector<32xf32>)
//       CHECK:       %[[A:.*]] = memref.load %[[X]][%[[ROW]], %[[TERM]]]
//       CHECK:       %[[AS:.*]] = vector.broadcast %[[A]] : f16 to vector<32xf16>
//       CHECK:       %[[C:.*]] = vector.load %[[W]][%[[TERM]], %[[COLUMN]]] : memref<8x96xf16>, vector<32xf16>
//       CHECK:       %[[PRODUCT:.*]] = arith.mulf
//       CHECK:       %[[NEXT:.*]] = arith.addf %[[SUM]], %[[PRODUCT]] : vector<32xf32>
//       CHECK:       scf.yield %[[NEXT]]
//       CHECK:     %[[SCALED:.*]] = arith.mulf %[[SUMS]], %[[HALF]] : vector<32xf32>
//       CHECK:     %[[ROUNDED:.*]] = arith.truncf %[[SCALED]] : vector<32xf32> to vector<32xf16>
//       CHECK:     vector.store %[[ROUNDED]], %[[Y]][%[[ROW]], %[[COLUMN]]] : memref<?x96xf16>, vector<32xf16>
func.func @on_a_cpu(%x: memref<?x8xf16>, %w: memref<8x96xf16>, %y: memref<?x96xf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf16>
  %sum = memref.alloc(%n) : memref<?x96xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x96xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x8xf16>, memref<8x96xf16>) outs(%sum : memref<?x96xf32>) {
  ^bb0(%a: f16, %c: f16, %out: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %c : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<?x96xf32>) outs(%y : memref<?x96xf16>) {
  ^bb0(%a: f32, %out: f16):
    %half = arith.constant 0.5 : f32
    %0 = arith.mulf %a, %half : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  }
  memref.dealloc %sum : memref<?x96xf32>
  return
}

// Narrow sums have as many elements as wide ones, since most bodies make them wide.
// CHECK-LABEL: func.func @narrow
//       CHECK:   scf.parallel (%{{.*}}, %{{.*}}) = {{.*}} step (%c1, %c64)
//       CHECK:     vector.load %{{.*}} : memref<?x128xi8>, vector<64xi8>
func.func @narrow(%x: memref<?x8xi8>, %w: memref<8x128xi8>, %y: memref<?x128xi8>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x8xi8>, memref<8x128xi8>) outs(%y : memref<?x128xi8>) {
  ^bb0(%a: i8, %c: i8, %out: i8):
    %0 = arith.muli %a, %c : i8
    %1 = arith.addi %out, %0 : i8
    linalg.yield %1 : i8
  }
  return
}

// What has no form on vectors is done one by one.
// CHECK-LABEL: func.func @branches
//       CHECK:   scf.parallel (%{{.*}}, %{{.*}}) = {{.*}} step (%c1, %c1)
//       CHECK:     memref.load
//       CHECK:     scf.for
//       CHECK:       scf.if
//       CHECK:     memref.store
func.func @branches(%x: memref<?x8xf32>, %w: memref<8x64xf32>, %y: memref<?x64xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x8xf32>, memref<8x64xf32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %is_less = arith.cmpf olt, %a, %c : f32
    %0 = scf.if %is_less -> f32 {
      %1 = arith.addf %out, %a : f32
      scf.yield %1 : f32
    } else {
      scf.yield %out : f32
    }
    linalg.yield %0 : f32
  }
  return
}

}
