// A thread that has a row and a group of channels adds up what a norm needs of
// it, and then computes the norm: the sums need no memory. A group of 3 vectors has
// 3 threads, each of which adds up all of it and stores one vector.
// RUN: sparseconv-opt %s --sparseconv-fuse-reductions --canonicalize --cse | FileCheck %s

#all = affine_map<(row, group, channel) -> (row, group, channel)>
#rows = affine_map<(row, group, channel) -> (row, group)>
#weights = affine_map<(row, group, channel) -> (group, channel)>

// The second sum begins in the buffer of zeros, of which the first has a copy.
// CHECK-LABEL: func.func @norm
//  CHECK-SAME: (%[[X:.*]]: memref<?x8x12xf16>, %[[W:.*]]: memref<8x12xf16>, %[[Y:.*]]: memref<?x8x12xf16>)
//   CHECK-NOT:   memref.alloc
//       CHECK:   scf.parallel (%[[ROW:.*]], %[[GROUP:.*]], %[[PIECE:.*]]) = (%{{.*}}) to (%{{.*}}, %c8, %c12) step (%c1, %c1, %c4)
//       CHECK:     %[[SUM:.*]] = scf.for %[[C:.*]] = %c0 to %c12 step %c4 iter_args(%{{.*}} = %[[ZERO:.*]]) -> (f32)
//       CHECK:       vector.load %[[X]][%[[ROW]], %[[GROUP]], %[[C]]] {alignment = 8 : i64} : memref<?x8x12xf16>, vector<4xf16>
//       CHECK:     %[[SQUARES:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[ZERO]])
//       CHECK:       arith.subf %{{.*}}, %[[SUM]]
//   CHECK-NOT:     scf.for
//       CHECK:     vector.load %[[W]][%[[GROUP]], %[[PIECE]]]
//       CHECK:     arith.mulf %{{.*}}, %[[SQUARES]]
//       CHECK:     vector.store %{{.*}}, %[[Y]][%[[ROW]], %[[GROUP]], %[[PIECE]]] {alignment = 8 : i64}
//   CHECK-NOT:   linalg
func.func @norm(%x: memref<?x8x12xf16>, %w: memref<8x12xf16>, %y: memref<?x8x12xf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8x12xf16>
  %squares = memref.alloc(%n) : memref<?x8xf32>
  linalg.fill ins(%zero : f32) outs(%squares : memref<?x8xf32>)
  %sum = memref.alloc(%n) : memref<?x8xf32>
  linalg.copy ins(%squares : memref<?x8xf32>) outs(%sum : memref<?x8xf32>)
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : memref<?x8x12xf16>) outs(%sum : memref<?x8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %sum : memref<?x8x12xf16>, memref<?x8xf32>) outs(%squares : memref<?x8xf32>) {
  ^bb0(%in: f16, %s: f32, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.subf %0, %s : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#all, #rows, #rows, #weights, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum, %squares, %w : memref<?x8x12xf16>, memref<?x8xf32>, memref<?x8xf32>, memref<8x12xf16>)
      outs(%y : memref<?x8x12xf16>) {
  ^bb0(%in: f16, %s: f32, %q: f32, %weight: f16, %out: f16):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.subf %0, %s : f32
    %2 = arith.mulf %1, %q : f32
    %3 = arith.truncf %2 : f32 to f16
    %4 = arith.mulf %3, %weight : f16
    linalg.yield %4 : f16
  }
  memref.dealloc %sum : memref<?x8xf32>
  memref.dealloc %squares : memref<?x8xf32>
  return
}

#element = affine_map<(row, channel) -> (row, channel)>
#row = affine_map<(row, channel) -> (row)>

// The result may be where the features are: the one thread of a row reads its own
// before it stores them. Rows of an odd number of bytes have vectors of one element.
// CHECK-LABEL: func.func @in_place
//       CHECK:   scf.parallel (%{{.*}}) = (%c0)
//       CHECK:     scf.for %{{.*}} = %c0 to %c3 step %c1
//       CHECK:     scf.for %{{.*}} = %c0 to %c3 step %c1
//   CHECK-NOT:   linalg
func.func @in_place(%x: memref<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x3xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x3xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x3xf32>, memref<?xf32>) outs(%x : memref<?x3xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?xf32>
  return
}

// A row of five vectors has one thread.
// CHECK-LABEL: func.func @five_vectors
//       CHECK:   scf.parallel (%[[ROW:.*]]) = (%c0)
//       CHECK:     scf.for %{{.*}} = %c0 to %c20 step %c4
//       CHECK:     scf.for %[[C:.*]] = %c0 to %c20 step %c4
//       CHECK:       vector.store %{{.*}}, %{{.*}}[%[[ROW]], %[[C]]]
func.func @five_vectors(%x: memref<?x20xf32>, %y: memref<?x20xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x20xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x20xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x20xf32>, memref<?xf32>) outs(%y : memref<?x20xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?xf32>
  return
}

// Something else reads the sums.
// CHECK-LABEL: func.func @read_elsewhere
//       CHECK:   "reduction"
//       CHECK:   "parallel", "parallel"]
func.func @read_elsewhere(%x: memref<?x5xf32>, %y: memref<?x5xf32>, %sums: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x5xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x5xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x5xf32>, memref<?xf32>) outs(%y : memref<?x5xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    linalg.yield %0 : f32
  }
  linalg.copy ins(%sum : memref<?xf32>) outs(%sums : memref<?xf32>)
  memref.dealloc %sum : memref<?xf32>
  return
}

// The features are others when the sums are read.
// CHECK-LABEL: func.func @features_change
//       CHECK:   "reduction"
//       CHECK:   linalg.copy
//       CHECK:   "parallel", "parallel"]
func.func @features_change(%x: memref<?x5xf32>, %other: memref<?x5xf32>, %y: memref<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x5xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x5xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.copy ins(%other : memref<?x5xf32>) outs(%x : memref<?x5xf32>)
  linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x5xf32>, memref<?xf32>) outs(%y : memref<?x5xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?xf32>
  return
}

// What the sums begin with is the caller's.
// CHECK-LABEL: func.func @begins_elsewhere
//       CHECK:   "reduction"
//       CHECK:   "parallel", "parallel"]
func.func @begins_elsewhere(%x: memref<?x5xf32>, %sum: memref<?xf32>, %y: memref<?x5xf32>) {
  linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x5xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x5xf32>, memref<?xf32>) outs(%y : memref<?x5xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// The sums begin with numbers that are not one constant.
// CHECK-LABEL: func.func @begins_with_numbers
//       CHECK:   "reduction"
//       CHECK:   "parallel", "parallel"]
func.func @begins_with_numbers(%x: memref<?x5xf32>, %given: memref<?xf32>, %y: memref<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x5xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  linalg.copy ins(%given : memref<?xf32>) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x5xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x5xf32>, memref<?xf32>) outs(%y : memref<?x5xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?xf32>
  return
}

// What the first sum reads is overwritten before the second, which the reader names first.
// CHECK-LABEL: func.func @overwritten_between
//       CHECK:   "reduction"
//       CHECK:   "reduction"
//       CHECK:   "parallel", "parallel"]
func.func @overwritten_between(%x: memref<?x5xf32>, %other: memref<?x5xf32>, %y: memref<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x5xf32>
  %first = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%first : memref<?xf32>)
  %second = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%second : memref<?xf32>)
  linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x5xf32>) outs(%first : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.copy ins(%other : memref<?x5xf32>) outs(%x : memref<?x5xf32>)
  linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x5xf32>) outs(%second : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#row, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%second, %first : memref<?xf32>, memref<?xf32>) outs(%y : memref<?x5xf32>) {
  ^bb0(%s: f32, %f: f32, %out: f32):
    %0 = arith.subf %s, %f : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %first : memref<?xf32>
  memref.dealloc %second : memref<?xf32>
  return
}

// The reader has the sums of other groups beside its own.
// CHECK-LABEL: func.func @other_groups
//       CHECK:   "reduction"
//       CHECK:   "parallel", "parallel", "parallel"]
func.func @other_groups(%x: memref<?x4x4xf32>, %y: memref<?x4x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x4x4xf32>
  %sum = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x4xf32>)
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : memref<?x4x4xf32>) outs(%sum : memref<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, affine_map<(row, group, channel) -> (row, channel)>, #all],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum, %sum : memref<?x4xf32>, memref<?x4xf32>) outs(%y : memref<?x4x4xf32>) {
  ^bb0(%s: f32, %t: f32, %out: f32):
    %0 = arith.mulf %s, %t : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?x4xf32>
  return
}

// The features are overwritten by another view of them, in which a thread's elements are
// others.
// CHECK-LABEL: func.func @another_view
//       CHECK:   "reduction"
//       CHECK:   "parallel", "parallel", "parallel"]
func.func @another_view(%x: memref<?x4x6xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x4x6xf32>
  %flat = memref.collapse_shape %x [[0], [1, 2]] : memref<?x4x6xf32> into memref<?x24xf32>
  %view = memref.expand_shape %flat [[0], [1, 2]] output_shape [%n, 4, 6] : memref<?x24xf32> into memref<?x4x6xf32>
  %sum = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x4xf32>)
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : memref<?x4x6xf32>) outs(%sum : memref<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum : memref<?x4xf32>) outs(%view : memref<?x4x6xf32>) {
  ^bb0(%s: f32, %out: f32):
    linalg.yield %s : f32
  }
  memref.dealloc %sum : memref<?x4xf32>
  return
}

// Numbers of 48 bits lie 64 bits apart, so there are no vectors of them.
// CHECK-LABEL: func.func @odd_width
//       CHECK:   "reduction"
//       CHECK:   "parallel", "parallel", "parallel"]
func.func @odd_width(%x: memref<?x4x6xi48>, %y: memref<?x4x6xi48>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i48
  %n = memref.dim %x, %c0 : memref<?x4x6xi48>
  %sum = memref.alloc(%n) : memref<?x4xi48>
  linalg.fill ins(%zero : i48) outs(%sum : memref<?x4xi48>)
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : memref<?x4x6xi48>) outs(%sum : memref<?x4xi48>) {
  ^bb0(%in: i48, %out: i48):
    %0 = arith.addi %out, %in : i48
    linalg.yield %0 : i48
  }
  linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : memref<?x4x6xi48>, memref<?x4xi48>) outs(%y : memref<?x4x6xi48>) {
  ^bb0(%in: i48, %s: i48, %out: i48):
    %0 = arith.subi %in, %s : i48
    linalg.yield %0 : i48
  }
  memref.dealloc %sum : memref<?x4xi48>
  return
}

// CHECK-LABEL: func.func @no_loops
//       CHECK:   linalg.generic
func.func @no_loops(%x: memref<f32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%x : memref<f32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}
