// RUN: sparseconv-opt %s --sparseconv-interchange-loops --split-input-file | FileCheck %s

// A sum over rows: each thread takes channels and walks all rows.

// CHECK-DAG:   #[[$ROWS:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG:   #[[$SUMS:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @sum_over_rows(
// CHECK:       linalg.generic {indexing_maps = [#[[$ROWS]], #[[$SUMS]]], iterator_types = ["parallel", "reduction"]}
func.func @sum_over_rows(%x: memref<?x8xf32>, %sum: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x8xf32>) outs(%sum : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Named operations become generic ones. Numbers of loops stay those of their loops, and
// loops of a kind stay in their order.

// CHECK-DAG:   #[[$FIRST:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG:   #[[$SECOND:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func.func @named(
// CHECK:       linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:       linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]
// CHECK:         %[[R:.*]] = affine.apply #[[$SECOND]]
// CHECK:         %[[C:.*]] = affine.apply #[[$FIRST]]
// CHECK:         arith.subi %[[R]], %[[C]]
func.func @named(%x: memref<?x8x4xf32>, %sum: memref<8x4xf32>, %n: memref<?x8x4xi64>, %most: memref<8xi64>) {
  linalg.reduce { arith.addf } ins(%x : memref<?x8x4xf32>) outs(%sum : memref<8x4xf32>) dimensions = [0]
  linalg.generic {indexing_maps = [affine_map<(r, c, d) -> (r, c, d)>, affine_map<(r, c, d) -> (c)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%n : memref<?x8x4xi64>) outs(%most : memref<8xi64>) {
  ^bb0(%a: i64, %m: i64):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %d = arith.subi %r, %c : index
    %i = arith.index_cast %d : index to i64
    %b = arith.addi %a, %i : i64
    %s = arith.maxsi %m, %b : i64
    linalg.yield %s : i64
  }
  return
}

// -----

// What has its parallel loops in front stays.

// CHECK-LABEL: func.func @stays(
// CHECK:       linalg.matmul
// CHECK:       linalg.reduce
func.func @stays(%a: memref<?x8xf32>, %b: memref<8x4xf32>, %c: memref<?x4xf32>, %sum: memref<?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%c : memref<?x4xf32>)
  linalg.reduce { arith.addf } ins(%c : memref<?x4xf32>) outs(%sum : memref<?xf32>) dimensions = [1]
  return
}
