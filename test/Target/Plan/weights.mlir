// Weights become constants of a plan, inside the file or by reference: whoever
// loads that brings the same bytes. The other inputs move up.
// RUN: %python %S/Inputs/write-weights.py %t.npz w:f4:2x3 h:f2:3
// RUN: sparseconv-translate %s --network-to-plan -o %t.plan
// RUN: sparseconv-translate %t.plan --plan-to-plan --weights=%t.npz -o %t.inside
// RUN: sparseconv-translate %t.inside --plan-to-text | FileCheck %s --check-prefixes=CHECK,INSIDE
// RUN: sparseconv-translate %s --network-to-plan --weights=%t.npz --weights-by-reference -o %t.outside
// RUN: sparseconv-translate %t.outside --plan-to-text | FileCheck %s --check-prefixes=CHECK,OUTSIDE
// RUN: %python -c "import sys; data = open(sys.argv[1], 'rb').read(); print([data.count(bytes.fromhex(text)) for text in sys.argv[2:]])" %t.inside 0000803f0000004000004040000080400000a0400000c040 003c00400042 | FileCheck %s --check-prefix=BYTES

// 1 to 6 as f32 and 1 to 3 as f16, once each.
// BYTES: [1, 1]

// Constants by reference are put in later, if they are what the plan was made with.
// RUN: sparseconv-translate %t.outside --plan-to-plan --weights=%t.npz | cmp - %t.inside
// RUN: %python %S/Inputs/write-weights.py %t.bad.npz w:f4:3x2 h:f4:3
// RUN: not sparseconv-translate %t.outside --plan-to-plan --weights=%t.bad.npz 2>&1 | FileCheck %s --check-prefix=UNLIKE
// UNLIKE: 'h' is not what the plan was made with
// RUN: not sparseconv-run %t.outside --target=cuda 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: the plan has 'w' by reference: sparseconv-translate {{.*}}.outside --plan-to-plan --weights=FILE -o full.plan puts it in

// Floats of another type are rounded once where that is asked for.
// RUN: %python %S/Inputs/write-weights.py %t.other.npz w:f8:2x3 h:f4:3
// RUN: sparseconv-translate %t.plan --plan-to-plan --weights=%t.other.npz --convert-weights | cmp - %t.inside
// RUN: not sparseconv-translate %t.plan --plan-to-plan --weights=%t.other.npz 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER:      error: {{.*}}.npz: weights that do not fit:
// OTHER-NEXT:   'w' expects tensor<2x3xf32>, but found tensor<2x3xf64> (--convert-weights rounds it)
// OTHER-NEXT:   'h' expects tensor<3xf16>, but found tensor<3xf32> (--convert-weights rounds it)

// INSIDE:     constant 'w' 24 bytes{{$}}
// INSIDE:     constant 'h' 6 bytes{{$}}
// OUTSIDE:    constant 'w' 24 bytes by reference
// OUTSIDE:    constant 'h' 6 bytes by reference
// CHECK:      function 'main'
// CHECK-NEXT:   input 'x' ?(slot 0)x3xf32
// CHECK-NEXT:   input 'y' ?(slot 1)x3xf16
// CHECK-NEXT:   output 'result0'
// CHECK-DAG:    buffer 'w' constant 0 bytes
// CHECK-DAG:    buffer 'h' constant 1 bytes
// CHECK-DAG:    buffer 'x' input 0 bytes ((4 * cap(x, 0)) * 3)
// CHECK-DAG:    buffer 'y' input 1 bytes ((2 * cap(y, 0)) * 3)
// CHECK-NOT:    input 2

// What does not fit is named, all of it.
// RUN: %python %S/Inputs/write-weights.py %t.bad.npz w:i4:2x3 h:f4:4 x:f4:8x3 v:f4:1
// RUN: not sparseconv-translate %t.plan --plan-to-plan --weights=%t.bad.npz 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not sparseconv-translate %t.inside --plan-to-plan --weights=%t.npz 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not sparseconv-translate %t.plan --plan-to-plan --weights=%t.bin 2>&1 | FileCheck %s --check-prefix=FORMAT
// BAD:      error: {{.*}}.npz: weights that do not fit:
// BAD-NEXT:   'w' expects tensor<2x3xf32>, but found tensor<2x3xi32>
// BAD-NEXT:   'h' expects tensor<3xf16>, but found tensor<4xf32> (--convert-weights rounds it)
// BAD-NEXT:   'x' expects tensor<?x3xf32>, but found tensor<8x3xf32>
// BAD-NEXT:   'v' is no input of any function
// TWICE:      'w' is a constant of the plan already
// FORMAT:   error: {{.*}} weights are .npz or .safetensors files

#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @main(%w: tensor<2x3xf32> {sparseconv.name = "w"}, %x: tensor<?x3xf32> {sparseconv.name = "x"},
                %h: tensor<3xf16> {sparseconv.name = "h"}, %y: tensor<?x3xf16> {sparseconv.name = "y"})
    -> (tensor<?x3xf32>, tensor<?x3xf16>) {
  %w0 = tensor.extract_slice %w[1, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w0 : tensor<3xf32>) outs(%x : tensor<?x3xf32>) {
  ^bb0(%p: f32, %a: f32):
    %s = arith.addf %a, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  %1 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<3xf16>) outs(%y : tensor<?x3xf16>) {
  ^bb0(%p: f16, %a: f16):
    %s = arith.addf %a, %p : f16
    linalg.yield %s : f16
  } -> tensor<?x3xf16>
  return %0, %1 : tensor<?x3xf32>, tensor<?x3xf16>
}
