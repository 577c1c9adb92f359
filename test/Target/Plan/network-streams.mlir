// Of a network, too, a plan has as many streams as are asked for.
// RUN: sparseconv-translate %s --network-to-plan --streams=2 | sparseconv-translate --plan-to-text | FileCheck %s
// RUN: sparseconv-translate %s --network-to-plan --streams=1 | sparseconv-translate --plan-to-text | FileCheck %s --check-prefix=ONE
// RUN: not sparseconv-translate %s --network-to-plan --streams=0 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: function 'main' streams 2
// ONE:   function 'main' streams 1
// NONE:  error: expected 1 to 16 streams, but found 0

#rows = affine_map<(r, c) -> (r, c)>

func.func @main(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %u = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<?x8xf32>) {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
    linalg.yield %b : f32
  } -> tensor<?x8xf32>
  %v = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%y : tensor<?x8xf32>) {
  ^bb0(%a: f32):
    %b = math.sqrt %a : f32
    linalg.yield %b : f32
  } -> tensor<?x8xf32>
  return %u, %v : tensor<?x8xf32>, tensor<?x8xf32>
}
