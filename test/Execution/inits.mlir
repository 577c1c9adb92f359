// Operations whose results depend on what their destination holds before: sums that a
// product reads, reductions that look at their terms alone or have none, and the least of
// indices.

// DEFINE: %{run} = env SPARSECONV_POISON=1 sparseconv-run %s --check --quiet

// RUN: for rows in 0 1 31 129; do \
// RUN:   %{run} --entry=accumulated --input x=random:$rows --input a=random:$rows --input w=random || exit 1; \
// RUN:   %{run} --entry=last --input x=random:$rows || exit 1; \
// RUN:   %{run} --entry=least --input x=random:$rows || exit 1; \
// RUN: done
// RUN: %{run} --entry=spread --input x=random

#rows = affine_map<(i, k) -> (i, k)>

func.func @accumulated(%x: tensor<?x8xf32> {sparseconv.name = "x"}, %a: tensor<?x8xf32> {sparseconv.name = "a"},
                       %w: tensor<8x5xf32> {sparseconv.name = "w"}) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %s = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %t = arith.addf %v, %o : f32
    linalg.yield %t : f32
  } -> tensor<?x8xf32>
  %room = tensor.empty(%n) : tensor<?x5xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%room : tensor<?x5xf32>) -> tensor<?x5xf32>
  %y = linalg.matmul ins(%s, %w : tensor<?x8xf32>, tensor<8x5xf32>) outs(%zeros : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// The difference is read again for each element of the last axis.
func.func @spread(%x: tensor<66xi32> {sparseconv.name = "x"}) -> tensor<66x16x16xi32> {
  %zero = arith.constant 0 : i32
  %room = tensor.empty() : tensor<66x16xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%room : tensor<66x16xi32>) -> tensor<66x16xi32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<66xi32>) outs(%zeros : tensor<66x16xi32>) {
  ^bb0(%a: i32, %o: i32):
    %0 = arith.subi %a, %o : i32
    linalg.yield %0 : i32
  } -> tensor<66x16xi32>
  %large = tensor.empty() : tensor<66x16x16xi32>
  %y = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j, k)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%d, %x : tensor<66x16xi32>, tensor<66xi32>) outs(%large : tensor<66x16x16xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %0 = arith.muli %a, %b : i32
    linalg.yield %0 : i32
  } -> tensor<66x16x16xi32>
  return %y : tensor<66x16x16xi32>
}

// 7 where there are no rows.
func.func @last(%x: tensor<?xi32> {sparseconv.name = "x"}) -> tensor<i32> {
  %seven = arith.constant 7 : i32
  %room = tensor.empty() : tensor<i32>
  %sevens = linalg.fill ins(%seven : i32) outs(%room : tensor<i32>) -> tensor<i32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xi32>) outs(%sevens : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<i32>
  return %y : tensor<i32>
}

// Neither upstream nor we know a neutral element of these.
func.func @least(%x: tensor<?xi32> {sparseconv.name = "x"}) -> (tensor<i64>, tensor<i64>) {
  %thousand = arith.constant 1000 : index
  %room = tensor.empty() : tensor<index>
  %start = linalg.fill ins(%thousand : index) outs(%room : tensor<index>) -> tensor<index>
  %y:2 = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
    iterator_types = ["reduction"]
  } ins(%x : tensor<?xi32>) outs(%start, %start : tensor<index>, tensor<index>) {
  ^bb0(%a: i32, %l: index, %m: index):
    %b = arith.index_cast %a : i32 to index
    %0 = arith.minsi %l, %b : index
    %1 = arith.maxsi %m, %b : index
    linalg.yield %0, %1 : index, index
  } -> (tensor<index>, tensor<index>)
  %l = arith.index_cast %y#0 : tensor<index> to tensor<i64>
  %m = arith.index_cast %y#1 : tensor<index> to tensor<i64>
  return %l, %m : tensor<i64>, tensor<i64>
}
