// RUN: sparseconv-opt %s --sparseconv-lower-to-kernels --split-input-file --verify-diagnostics

// What a network may hold on the CPU and not on a GPU is an error where it is.

func.func private @far(tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @call(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{a call that is not inlined has no form on the GPU}}
  %r = call @far(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

func.func @loop(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{control flow around kernels would need a number of the device on the host}}
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<?x8xf32> {
    %twice = linalg.add ins(%a, %a : tensor<?x8xf32>, tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %twice : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// -----

func.func @branch(%is: i1, %x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{a branch around kernels that has results would need its condition on the host}}
  %r = scf.if %is -> tensor<8xf32> {
    %twice = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %twice : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
