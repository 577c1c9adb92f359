// RUN: sparseconv-opt %s --sparseconv-fuse-elementwise --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// An operation becomes part of its only reader.

// CHECK-LABEL: func.func @chain(
// CHECK:         linalg.generic
// CHECK:           %[[E:.*]] = math.exp
// CHECK-NEXT:      %[[S:.*]] = math.sin %[[E]]
// CHECK-NEXT:      linalg.yield %[[S]]
// CHECK-NOT:     linalg.generic
func.func @chain(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%e : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.sin %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// -----

// In a product each element of the sum x + a is computed once for each column.
// So a is read there, and nothing is added to it in place.

#id = affine_map<(i, k) -> (i, k)>

// CHECK-DAG:   #[[$ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @accumulated(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf32>, %[[A:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<8x5xf32>, %[[Y:.*]]: tensor<?x5xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[$ROWS]], #[[$ROWS]], #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[X]], %[[A]], %[[W]] : {{.*}}) outs(%[[Y]] : tensor<?x5xf32>)
func.func @accumulated(%x: tensor<?x8xf32>, %a: tensor<?x8xf32>, %w: tensor<8x5xf32>,
                       %y: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %t = arith.addf %v, %o : f32
    linalg.yield %t : f32
  } -> tensor<?x8xf32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                     affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%s, %w : tensor<?x8xf32>, tensor<8x5xf32>) outs(%y : tensor<?x5xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %m = arith.mulf %u, %v : f32
    %t = arith.addf %m, %o : f32
    linalg.yield %t : f32
  } -> tensor<?x5xf32>
  return %p : tensor<?x5xf32>
}

// -----

// A reduction that does not read its sum gives its init where there are no rows.

// CHECK-LABEL: func.func @maybe_empty(
// CHECK-SAME:    %{{.*}}: tensor<?xi32>, %[[INIT:.*]]: tensor<i32>)
// CHECK:         outs(%[[INIT]] : tensor<i32>)
func.func @maybe_empty(%x: tensor<?xi32>, %init: tensor<i32>) -> tensor<i32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xi32>) outs(%init : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<i32>
  return %y : tensor<i32>
}

// CHECK-LABEL: func.func @surely_not_empty(
// CHECK:         %[[NEW:.*]] = tensor.empty() : tensor<i32>
// CHECK:         outs(%[[NEW]] : tensor<i32>)
func.func @surely_not_empty(%x: tensor<4xi32>, %init: tensor<i32>) -> tensor<i32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xi32>) outs(%init : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<i32>
  return %y : tensor<i32>
}
