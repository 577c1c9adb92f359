// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu --split-input-file --verify-diagnostics

// What a network may hold on the CPU and not on a GPU is an error where it is.

func.func private @far(tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @call(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{a call that is not inlined has no form on the GPU}}
  %r = call @far(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

func.func @loop(%x: tensor<?x8xf32>, %c3: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{control flow around kernels would need a number of the device on the host}}
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<?x8xf32> {
    %twice = linalg.add ins(%a, %a : tensor<?x8xf32>, tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %twice : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// -----

// As many copies as this would take minutes, in a loop as in two.
func.func @long(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c257 = arith.constant 257 : index
  // expected-error @+1 {{a loop around kernels has too many iterations, or with others in its function too many, to be unrolled}}
  %r = scf.for %i = %c0 to %c257 step %c1 iter_args(%a = %x) -> tensor<?x8xf32> {
    %twice = linalg.add ins(%a, %a : tensor<?x8xf32>, tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %twice : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// -----

func.func @nest(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  // expected-error @+1 {{a loop around kernels has too many iterations}}
  %r = scf.for %i = %c0 to %c200 step %c1 iter_args(%a = %x) -> tensor<?x8xf32> {
    %s = scf.for %j = %c0 to %c200 step %c1 iter_args(%b = %a) -> tensor<?x8xf32> {
      %twice = linalg.add ins(%b, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
      scf.yield %twice : tensor<?x8xf32>
    }
    scf.yield %s : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// -----

func.func @while(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{control flow around kernels would need a number of the device on the host}}
  %r:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<?x8xf32>) -> (index, tensor<?x8xf32>) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %a : index, tensor<?x8xf32>
  } do {
  ^bb0(%i: index, %a: tensor<?x8xf32>):
    %twice = linalg.add ins(%a, %a : tensor<?x8xf32>, tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %twice : index, tensor<?x8xf32>
  }
  return %r#1 : tensor<?x8xf32>
}

// -----

func.func @branch(%is: i1, %x: tensor<?xf32>, %i: index) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %r = scf.if %is -> tensor<4xf32> {
    // expected-error @+1 {{'tensor.extract' in a branch with tensors has no form on the GPU}}
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %f = linalg.fill ins(%v : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  } else {
    scf.yield %empty : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A size that no size of an argument bounds.
func.func @size(%x: tensor<1xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = tensor.extract %x[%c0] : tensor<1xi64>
  %n = arith.index_cast %v : i64 to index
  // expected-error @+1 {{a size that only the device knows has no bound on the host}}
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
