// Producers leave notes of their own on modules, functions, arguments and operations.
// Tools that take networks ignore the attributes of dialects that they do not know.
// RUN: sparseconv-run %s --input=const:3 --target=cpu --print | FileCheck %s
// RUN: sparseconv-run %s --input=const:3 --target=reference --print | FileCheck %s
// RUN: sparseconv-translate %s --network-to-plan -o %t.plan
// RUN: sparseconv-translate %t.plan --plan-to-text | FileCheck %s --check-prefix=PLAN
// CHECK: 6
// PLAN: function 'main'
module attributes {mhlo.num_partitions = 1 : i32, host.version = #host.version<3>} {
  func.func @main(%x: tensor<4xf32> {host.sharding = "none"}) -> (tensor<4xf32> {jax.result_info = "result"}) attributes {host.inline} {
    %y = arith.addf %x, %x {host.note = "twice"} : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
