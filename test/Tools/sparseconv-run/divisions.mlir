// An integer division by zero is an error of the run, on the host and in a loop over
// elements. A processor would end the process, as it would for the smallest integer
// by -1, which wraps.

// RUN: not sparseconv-run %s --input x=const:3:5 --input n=const:0 --target=reference 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not sparseconv-run %s --input x=const:3:5 --input n=const:0 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not sparseconv-run %s --input x=const:0:5 --input n=const:2 --target=reference 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not sparseconv-run %s --input x=const:0:5 --input n=const:2 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: sparseconv-run %s --input x=const:2:5 --input n=const:2 --target=reference | FileCheck %s --check-prefix=DIVIDES
// RUN: sparseconv-run %s --input x=const:2:5 --input n=const:2 | FileCheck %s --check-prefix=DIVIDES
// RUN: sparseconv-run %s --input x=const:-1:5 --input n=const:-1 --target=reference | FileCheck %s --check-prefix=WRAPS
// RUN: sparseconv-run %s --input x=const:-1:5 --input n=const:-1 | FileCheck %s --check-prefix=WRAPS
// HOST: divisions.mlir:[[#@LINE+11]]:8: arith.divsi: integer division by zero
// LOOP: divisions.mlir:[[#@LINE+19]]:12: arith.remsi: integer division by zero
// DIVIDES: 'result0': tensor<i32>, min -1.07374e+09,
// DIVIDES: 'result1': tensor<5xi32>, min 0,
// DIVIDES: 'result2': tensor<5xi32>, min 3,
// WRAPS: 'result0': tensor<i32>, min -2.14748e+09,
// WRAPS: 'result1': tensor<5xi32>, min 0,
// WRAPS: 'result2': tensor<5xi32>, min -7,
func.func @main(%x: tensor<?xi32> {sparseconv.name = "x"}, %n: i32 {sparseconv.name = "n"})
    -> (i32, tensor<?xi32>, tensor<?xi32>) {
  %smallest = arith.constant -2147483648 : i32
  %q = arith.divsi %smallest, %n : i32
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %d = tensor.dim %x, %c0 : tensor<?xi32>
  %e = tensor.empty(%d) : tensor<?xi32>
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<?xi32>) outs(%e, %e : tensor<?xi32>, tensor<?xi32>) {
    ^bb0(%a: i32, %b: i32, %c: i32):
      %r = arith.remsi %smallest, %a : i32
      %f = arith.floordivsi %c7, %a : i32
      linalg.yield %r, %f : i32, i32
  } -> (tensor<?xi32>, tensor<?xi32>)
  return %q, %y#0, %y#1 : i32, tensor<?xi32>, tensor<?xi32>
}
