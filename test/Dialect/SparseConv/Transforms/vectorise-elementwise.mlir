// RUN: sparseconv-opt %s --sparseconv-vectorise-elementwise --canonicalize | FileCheck %s

#rows = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// A thread has 8 elements of f16, which are 16 bytes. What is the same for all
// of them is read once.
// CHECK-LABEL: func @scale(
// CHECK-SAME: %[[X:.*]]: memref<?x32xf16>, %[[S:.*]]: memref<?xf16>, %[[B:.*]]: memref<32xf16>, %[[Y:.*]]: memref<?x32xf16>)
func.func @scale(%x: memref<?x32xf16>, %s: memref<?xf16>, %b: memref<32xf16>, %y: memref<?x32xf16>) {
  // CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%c0, %c0) to (%{{.*}}, %c32) step (%c1, %c8) {
  // CHECK: %[[V:.*]] = vector.load %[[X]][%[[I]], %[[J]]] {alignment = 16 : i64} : memref<?x32xf16>, vector<8xf16>
  // CHECK: %[[SI:.*]] = memref.load %[[S]][%[[I]]]
  // CHECK-NOT: memref.load %[[S]]
  // CHECK: memref.load %[[B]][%[[J]]]
  // CHECK-COUNT-7: memref.load %[[B]]
  // CHECK-COUNT-8: arith.mulf %{{.*}}, %[[SI]]
  // CHECK: %[[R:.*]] = vector.from_elements
  // CHECK: vector.store %[[R]], %[[Y]][%[[I]], %[[J]]] {alignment = 16 : i64} : memref<?x32xf16>, vector<8xf16>
  linalg.generic {indexing_maps = [#rows, #row, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %b : memref<?x32xf16>, memref<?xf16>, memref<32xf16>) outs(%y : memref<?x32xf16>) {
  ^bb0(%in: f16, %scale: f16, %shift: f16, %out: f16):
    %0 = arith.mulf %in, %scale : f16
    %1 = arith.addf %0, %shift : f16
    linalg.yield %1 : f16
  }
  return
}

// Elements of the result that are wider or narrower have vectors of their own.
// CHECK-LABEL: func @widen(
func.func @widen(%x: memref<?x12xf16>, %y: memref<?x12xf32>) {
  // CHECK: step (%c1, %c4)
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<?x12xf16>, vector<4xf16>
  // CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<?x12xf32>, vector<4xf32>
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x12xf16>) outs(%y : memref<?x12xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    linalg.yield %0 : f32
  }
  return
}

// Rows of 24 bytes are three vectors of 8.
// CHECK-LABEL: func @short(
func.func @short(%x: memref<?x12xf16>, %y: memref<?x12xf16>) {
  // CHECK: scf.parallel {{.*}} to (%{{.*}}, %c12) step (%c1, %c4)
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<?x12xf16>, vector<4xf16>
  // CHECK: vector.store %{{.*}} {alignment = 8 : i64} : memref<?x12xf16>, vector<4xf16>
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x12xf16>) outs(%y : memref<?x12xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  }
  return
}

// CHECK-LABEL: func @copy(
func.func @copy(%x: memref<8x16xi32>, %y: memref<8x16xi32>, %zero: i32) {
  // CHECK: scf.parallel
  // CHECK: vector.load
  // CHECK: vector.store
  linalg.copy ins(%x : memref<8x16xi32>) outs(%y : memref<8x16xi32>)
  // CHECK: scf.parallel
  // CHECK-NOT: load
  // CHECK: vector.store
  linalg.fill ins(%zero : i32) outs(%x : memref<8x16xi32>)
  return
}

// Channels become the first axis: a thread reads 16 channels of a cell, which are
// the 32 bytes that memory hands out, and neighbouring threads have neighbouring
// cells.
// CHECK-LABEL: func @channels_first(
// CHECK-SAME: %[[X:.*]]: memref<?x64xf16>, %[[Y:.*]]: memref<64x?xf16>)
func.func @channels_first(%x: memref<?x64xf16>, %y: memref<64x?xf16>) {
  // CHECK: scf.parallel (%[[C:.*]], %[[I:.*]]) = (%c0, %c0) to (%c64, %{{.*}}) step (%c16, %c1) {
  // CHECK: vector.load %[[X]][%[[I]], %[[C]]] {alignment = 16 : i64} : memref<?x64xf16>, vector<8xf16>
  // CHECK: %[[C8:.*]] = arith.addi %[[C]], %c8
  // CHECK: vector.load %[[X]][%[[I]], %[[C8]]] {alignment = 16 : i64} : memref<?x64xf16>, vector<8xf16>
  // CHECK: memref.store %{{.*}}, %[[Y]][%[[C]], %[[I]]]
  // CHECK-COUNT-15: memref.store
  linalg.generic {indexing_maps = [#transposed, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x64xf16>) outs(%y : memref<64x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  }
  return
}

// Numbers of rows and columns are those of the elements.
// CHECK-LABEL: func @columns(
func.func @columns(%y: memref<?x8xi32>) {
  // CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) =
  // CHECK: arith.index_cast %[[J]]
  // CHECK: %[[J1:.*]] = arith.addi %[[J]], %c1
  // CHECK: arith.index_cast %[[J1]]
  // CHECK: vector.store
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x8xi32>) {
  ^bb0(%out: i32):
    %column = linalg.index 1 : index
    %0 = arith.index_cast %column : index to i32
    linalg.yield %0 : i32
  }
  return
}

// Rows of an odd number of elements, rows with gaps, and a result that is read, too.
// CHECK-LABEL: func @left(
// CHECK-NOT: vector
// CHECK-COUNT-3: linalg.generic
// CHECK: return
func.func @left(%x: memref<?x3xf32>, %y: memref<?x3xf32>, %a: memref<?x8xf32, strided<[20, 1]>>, %b: memref<?x8xf32, strided<[20, 1]>>, %s: memref<?x8xf32>) {
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x3xf32>) outs(%y : memref<?x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x8xf32, strided<[20, 1]>>) outs(%b : memref<?x8xf32, strided<[20, 1]>>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x8xf32, strided<[20, 1]>>) outs(%s : memref<?x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}
