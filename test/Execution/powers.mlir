// Gradients of x^y at zeros: 0 where the power does not change, as in x^0 and 0^y, and
// not the product of 0 and an infinite factor.

// DEFINE: %{run} = sparseconv-run %t.mlir --entry=main_gradient --target=cpu --print
// RUN: sparseconv-opt %s --sparseconv-differentiate=functions=main -o %t.mlir
// RUN: %{run} --input const:0:2 --input const:0:2 --input const:1:2 | FileCheck %s --check-prefix=ZEROS
// RUN: %{run} --input const:0:2 --input const:2:2 --input const:1:2 | FileCheck %s --check-prefix=SQUARE
// RUN: %{run} --input const:3:2 --input const:2:2 --input const:1:2 | FileCheck %s --check-prefix=NINE

// ZEROS:  'z': {{.*}} mean 1,
// ZEROS:  mean 0,
// ZEROS:  mean 0,
// SQUARE: 'z': {{.*}} mean 0,
// SQUARE: mean 0,
// SQUARE: mean 0,
// NINE:   'z': {{.*}} mean 9,
// NINE:   mean 6,
// NINE:   mean 9.8875

func.func @main(%x: tensor<?xf32> {sparseconv.name = "x"}, %y: tensor<?xf32> {sparseconv.name = "y"})
    -> (tensor<?xf32> {sparseconv.name = "z"}) {
  %z = linalg.powf ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
