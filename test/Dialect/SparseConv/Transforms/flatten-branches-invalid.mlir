// RUN: sparseconv-opt %s --sparseconv-flatten-branches --split-input-file --verify-diagnostics

// What may not run without rows, in a branch that computes tensors.

func.func @element(%is: i1, %x: tensor<?xf32>, %i: index) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %r = scf.if %is -> tensor<4xf32> {
    // expected-error @+1 {{'tensor.extract' in a branch with tensors has no form on the GPU: both sides run there, one of them without rows, which it may not}}
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %f = linalg.fill ins(%v : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  } else {
    scf.yield %empty : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Nor may an element that is not there.

func.func @outside(%is: i1, %x: tensor<8xf32>) -> tensor<4xf32> {
  %before = arith.constant -1 : index
  %empty = tensor.empty() : tensor<4xf32>
  %r = scf.if %is -> tensor<4xf32> {
    // expected-error @+1 {{'tensor.extract' in a branch with tensors has no form on the GPU: both sides run there, one of them without rows, which it may not}}
    %v = tensor.extract %x[%before] : tensor<8xf32>
    %f = linalg.fill ins(%v : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  } else {
    scf.yield %empty : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @loop(%is: i1, %x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %is -> tensor<?xf32> {
    // expected-error @+1 {{'scf.for' in a branch with tensors has no form on the GPU}}
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
      %s = linalg.add ins(%a, %a : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
      scf.yield %s : tensor<?xf32>
    }
    scf.yield %l : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Rows of a static number cannot be taken away, and these may be wrong.

#packing = #sparseconv.packing<i64, batch = 8, bits = [24], guard = [32]>
!set = !sparseconv.coords<1, stride = [1], #packing>
func.func @rows(%is: i1, %points: tensor<9x2xi32>, %keys: tensor<9xi64>, %status: memref<8xi64>) -> tensor<9xi64> {
  %count = tensor.empty() : tensor<1xindex>
  %r = scf.if %is -> tensor<9xi64> {
    // expected-error @+1 {{'sparseconv.kernel.encode' in a branch with tensors has no form on the GPU}}
    %e:2 = sparseconv.kernel.encode ins(%points, %status : tensor<9x2xi32>, memref<8xi64>)
        outs(%keys, %count : tensor<9xi64>, tensor<1xindex>) {op_id = 0 : i64, set = !set} -> (tensor<9xi64>, tensor<1xindex>)
    scf.yield %e#0 : tensor<9xi64>
  } else {
    scf.yield %keys : tensor<9xi64>
  }
  return %r : tensor<9xi64>
}

// -----

// A slice whose size is said, of rows that may not be there.

func.func @slice(%is: i1, %x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %is -> tensor<4xf32> {
    // expected-error @+1 {{'tensor.extract_slice' in a branch with tensors has no form on the GPU}}
    %s = tensor.extract_slice %x[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
    %t = linalg.add ins(%s, %y : tensor<4xf32>, tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
