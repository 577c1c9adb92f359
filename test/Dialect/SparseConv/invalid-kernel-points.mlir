// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of kernels between points and keys refuse, and what they say.

//===----------------------------------------------------------------------===//
// quantise, encode, count_keys, decode
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x5xf32>, %o0: tensor<?x4xi32>) {
  // expected-error @+1 {{expects 'points' with 3 columns, or one more, but found 5}}
  %r = sparseconv.kernel.quantise ins(%i0 : tensor<?x5xf32>) outs(%o0 : tensor<?x4xi32>)
      {origin = array<f32: 0.0, 0.0, 0.0>, voxel_size = array<f32: 1.0, 1.0, 1.0>} -> tensor<?x4xi32>
  return
}

// -----

func.func @f(%i0: tensor<?x3xf32>, %o0: tensor<?x4xi32>) {
  // expected-error @+1 {{expects 'origin' and 'voxel_size' with one number for each of 3 axes, but found 3 and 2}}
  %r = sparseconv.kernel.quantise ins(%i0 : tensor<?x3xf32>) outs(%o0 : tensor<?x4xi32>)
      {origin = array<f32: 0.0, 0.0, 0.0>, voxel_size = array<f32: 1.0, 1.0>} -> tensor<?x4xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %o0: tensor<1xindex>) {
  // expected-error @+1 {{expects 'sum of fields' of 0 to 64, but found 68}}
  %r = sparseconv.kernel.count_keys ins(%i0 : tensor<?xi64>) outs(%o0 : tensor<1xindex>)
      {fields = array<i64: 8, 20, 20, 20>} -> tensor<1xindex>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x3xf32>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'origin' and 'voxel_size' for points of reals, and for no others, but found 'f32'}}
  %r:2 = sparseconv.kernel.encode
      ins(%i0, %i1 : tensor<?x3xf32>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x4xi32>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'clip' with one number for each of 3 axes}}
  %r:2 = sparseconv.kernel.encode
      ins(%i0, %i1 : tensor<?x4xi32>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {clip = #sparseconv.region<[0, 0] to [8, 8]>, op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x3xi32>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'points' to have size 4 in dimension 1, the batch index and 3 axes of the set, but found 'tensor<?x3xi32>'}}
  %r:2 = sparseconv.kernel.encode
      ins(%i0, %i1 : tensor<?x3xi32>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x4xi32>, %i1: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'keys' to have elements of type 'i64', the keys of the packing, but found 'tensor<?xi32>'}}
  %r:2 = sparseconv.kernel.encode
      ins(%i0, %i1 : tensor<?x4xi32>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi32>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<9x4xi32>, %i1: memref<8xi64>, %o0: tensor<8xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'keys' to have room for 9 elements, one for each point, but found 'tensor<8xi64>'}}
  %r:2 = sparseconv.kernel.encode
      ins(%i0, %i1 : tensor<9x4xi32>, memref<8xi64>)
      outs(%o0, %o1 : tensor<8xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<8xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi32>, %o0: tensor<?x4xi32>) {
  // expected-error @+1 {{expects 'keys' to have elements of type 'i64', the keys of the packing, but found 'tensor<?xi32>'}}
  %r = sparseconv.kernel.decode
      ins(%i0 : tensor<?xi32>)
      outs(%o0 : tensor<?x4xi32>) {set = !set} -> tensor<?x4xi32>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %o0: tensor<?x5xi32>) {
  // expected-error @+1 {{expects 'points' to have size 4 in dimension 1, the batch index and 3 axes of the set, but found 'tensor<?x5xi32>'}}
  %r = sparseconv.kernel.decode
      ins(%i0 : tensor<?xi64>)
      outs(%o0 : tensor<?x5xi32>) {set = !set} -> tensor<?x5xi32>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<5xi64>, %o0: tensor<6x4xi32>) {
  // expected-error @+1 {{expects 'points' to have size 5 in dimension 0, the rows of 'keys', but found 'tensor<6x4xi32>'}}
  %r = sparseconv.kernel.decode
      ins(%i0 : tensor<5xi64>)
      outs(%o0 : tensor<6x4xi32>) {set = !set} -> tensor<6x4xi32>
  return
}

// -----

func.func @f(%points: tensor<?x3xf32>, %out: tensor<?x4xi32>) {
  // expected-error @+1 {{expects sizes that are finite and above 0, but found 0.000000e+00 on axis 1}}
  %r = sparseconv.kernel.quantise ins(%points : tensor<?x3xf32>) outs(%out : tensor<?x4xi32>)
      {origin = array<f32: 0.0, 0.0, 0.0>, voxel_size = array<f32: 0.1, 0.0, 0.1>} -> tensor<?x4xi32>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
func.func @f(%points: tensor<?x3xf32>, %keys: tensor<?xi64>, %count: tensor<1xindex>, %status: memref<8xi64>) {
  // expected-error @+1 {{expects an origin that is finite, but found}}
  %r:2 = sparseconv.kernel.encode ins(%points, %status : tensor<?x3xf32>, memref<8xi64>)
      outs(%keys, %count : tensor<?xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !sparseconv.coords<3, stride = [1, 1, 1], #p>,
       origin = array<f32: 0x7F800000, 0.0, 0.0>, voxel_size = array<f32: 0.1, 0.1, 0.1>} -> (tensor<?xi64>, tensor<1xindex>)
  return
}
