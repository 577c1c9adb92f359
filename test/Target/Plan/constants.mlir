// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu | sparseconv-translate --mlir-to-plan -o %t.plan
// RUN: sparseconv-translate %t.plan --plan-to-text | FileCheck %s
// RUN: %python -c "import sys; data = open(sys.argv[1], 'rb').read(); print([hexed in data for hexed in map(bytes.fromhex, sys.argv[2:])])" %t.plan 0000c03f000000c0 c03f00c0 0000404000008040 | FileCheck %s --check-prefix=BYTES

// Constants of all kinds lie in the plan as the device reads them: f32 and bf16
// from text, and a resource.
// CHECK: constant '{{.*}}' {{(8|4)}} bytes
// CHECK: constant '{{.*}}' {{(8|4)}} bytes
// CHECK: constant '{{.*}}' {{(8|4)}} bytes
// BYTES: [True, True, True]

#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @add(%x: tensor<?x2xf32>, %h: tensor<?x2xbf16>) -> (tensor<?x2xf32>, tensor<?x2xbf16>) {
  %b = arith.constant dense<[1.5, -2.0]> : tensor<2xf32>
  %c = arith.constant dense_resource<bias> : tensor<2xf32>
  %d = arith.constant dense<[1.5, -2.0]> : tensor<2xbf16>
  %r = linalg.generic {indexing_maps = [#row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%b, %c : tensor<2xf32>, tensor<2xf32>) outs(%x : tensor<?x2xf32>) {
  ^bb0(%p: f32, %q: f32, %a: f32):
    %0 = arith.addf %a, %p : f32
    %1 = arith.addf %0, %q : f32
    linalg.yield %1 : f32
  } -> tensor<?x2xf32>
  %s = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<2xbf16>) outs(%h : tensor<?x2xbf16>) {
  ^bb0(%p: bf16, %a: bf16):
    %0 = arith.addf %a, %p : bf16
    linalg.yield %0 : bf16
  } -> tensor<?x2xbf16>
  return %r, %s : tensor<?x2xf32>, tensor<?x2xbf16>
}

{-#
  dialect_resources: { builtin: { bias: "0x040000000000404000008040" } }
#-}
