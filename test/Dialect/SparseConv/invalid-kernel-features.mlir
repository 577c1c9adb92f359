// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of pooling kernels and of kernels on rows refuse, and what
// they say.

//===----------------------------------------------------------------------===//
// pool, pool_grad
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x0xf16>, %i1: tensor<?x2xi32>, %o0: tensor<?x0xf16>) {
  // expected-error @+1 {{expects 'x' to have a last dimension of at least 1, but found 'tensor<?x0xf16>'}}
  %r = sparseconv.kernel.pool
      ins(%i0, %i1 : tensor<?x0xf16>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x0xf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>} -> tensor<?x0xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x2xi32>, %o0: tensor<?x4xf16>) {
  // expected-error @+1 {{expects 'y' to have size 8 in dimension 1, the channels of 'x', but found 'tensor<?x4xf16>'}}
  %r = sparseconv.kernel.pool
      ins(%i0, %i1 : tensor<?x8xf16>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x4xf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>} -> tensor<?x4xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<5x2xi32>, %o0: tensor<4x8xf16>) {
  // expected-error @+1 {{expects 'y' to have size 5 in dimension 0, the rows of 'table', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.pool
      ins(%i0, %i1 : tensor<?x8xf16>, tensor<5x2xi32>)
      outs(%o0 : tensor<4x8xf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind sum>} -> tensor<4x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x2xi32>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'count_kind' volume on avg only, but found it on max}}
  %r = sparseconv.kernel.pool
      ins(%i0, %i1 : tensor<?x8xf16>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x8xf16>)
      {count_kind = #sparseconv<count_kind volume>, kind = #sparseconv<pool_kind max>} -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x2xi32>, %i2: tensor<?x3xi32>, %i3: tensor<?x8xf16>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'inverse' to have size 2 in dimension 1, the offsets of 'table', but found 'tensor<?x3xi32>'}}
  %r = sparseconv.kernel.pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf16>, tensor<?x2xi32>, tensor<?x3xi32>, tensor<?x8xf16>)
      outs(%o0 : tensor<?x8xf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>} -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<4x8xf16>, %i1: tensor<5x2xi32>, %i2: tensor<?x2xi32>, %i3: tensor<?x8xf16>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'dy' to have size 5 in dimension 0, the rows of 'table', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<4x8xf16>, tensor<5x2xi32>, tensor<?x2xi32>, tensor<?x8xf16>)
      outs(%o0 : tensor<?x8xf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>} -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x2xi32>, %i2: tensor<?x2xi32>, %i3: tensor<?x8xf16>, %o0: tensor<?x4xf16>) {
  // expected-error @+1 {{expects 'dx' to have size 8 in dimension 1, the channels of 'dy', but found 'tensor<?x4xf16>'}}
  %r = sparseconv.kernel.pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf16>, tensor<?x2xi32>, tensor<?x2xi32>, tensor<?x8xf16>)
      outs(%o0 : tensor<?x4xf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>} -> tensor<?x4xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x2xi32>, %i2: tensor<5x2xi32>, %i3: tensor<?x8xf16>, %o0: tensor<4x8xf16>) {
  // expected-error @+1 {{expects 'dx' to have size 5 in dimension 0, the rows of 'inverse', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf16>, tensor<?x2xi32>, tensor<5x2xi32>, tensor<?x8xf16>)
      outs(%o0 : tensor<4x8xf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>} -> tensor<4x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x2xi32>, %i2: tensor<?x2xi32>, %i3: tensor<?x4xf16>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'x' to have size 8 in dimension 1, the channels of 'dy', but found 'tensor<?x4xf16>'}}
  %r = sparseconv.kernel.pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf16>, tensor<?x2xi32>, tensor<?x2xi32>, tensor<?x4xf16>)
      outs(%o0 : tensor<?x8xf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind sum>} -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x2xi32>, %i2: tensor<5x2xi32>, %i3: tensor<4x8xf16>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'x' to have size 5 in dimension 0, the rows of 'inverse', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf16>, tensor<?x2xi32>, tensor<5x2xi32>, tensor<4x8xf16>)
      outs(%o0 : tensor<?x8xf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>} -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x2xi32>, %i2: tensor<?x2xi32>, %i3: tensor<?x8xf16>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'count_kind' volume on avg only, but found it on sum}}
  %r = sparseconv.kernel.pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf16>, tensor<?x2xi32>, tensor<?x2xi32>, tensor<?x8xf16>)
      outs(%o0 : tensor<?x8xf16>)
      {count_kind = #sparseconv<count_kind volume>, kind = #sparseconv<pool_kind sum>} -> tensor<?x8xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// global_pool, global_pool_grad
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<4x8xf16>) {
  // expected-error @+1 {{expects 'keys' to have elements of type 'i64', the keys of the packing, but found 'tensor<?xi32>'}}
  %r = sparseconv.kernel.global_pool
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%o0 : tensor<4x8xf16>)
      {kind = #sparseconv<pool_kind max>, op_id = 0 : i64, packing = #p} -> tensor<4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<4x8xf16>, %i1: tensor<5xi64>, %i2: memref<8xi64>, %o0: tensor<4x8xf16>) {
  // expected-error @+1 {{expects 'x' to have size 5 in dimension 0, the rows of 'keys', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.global_pool
      ins(%i0, %i1, %i2 : tensor<4x8xf16>, tensor<5xi64>, memref<8xi64>)
      outs(%o0 : tensor<4x8xf16>)
      {kind = #sparseconv<pool_kind max>, op_id = 0 : i64, packing = #p} -> tensor<4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<4x4xf16>) {
  // expected-error @+1 {{expects 'y' to have size 8 in dimension 1, the channels of 'x', but found 'tensor<4x4xf16>'}}
  %r = sparseconv.kernel.global_pool
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%o0 : tensor<4x4xf16>)
      {kind = #sparseconv<pool_kind max>, op_id = 0 : i64, packing = #p} -> tensor<4x4xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<4x8xf16>, %i1: tensor<?xi32>, %i2: tensor<?x8xf16>, %i3: memref<8xi64>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'keys' to have elements of type 'i64', the keys of the packing, but found 'tensor<?xi32>'}}
  %r = sparseconv.kernel.global_pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<4x8xf16>, tensor<?xi32>, tensor<?x8xf16>, memref<8xi64>)
      outs(%o0 : tensor<?x8xf16>)
      {kind = #sparseconv<pool_kind max>, op_id = 0 : i64, packing = #p} -> tensor<?x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<4x8xf16>, %i1: tensor<5xi64>, %i2: tensor<?x8xf16>, %i3: memref<8xi64>, %o0: tensor<4x8xf16>) {
  // expected-error @+1 {{expects 'dx' to have size 5 in dimension 0, the rows of 'keys', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.global_pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<4x8xf16>, tensor<5xi64>, tensor<?x8xf16>, memref<8xi64>)
      outs(%o0 : tensor<4x8xf16>)
      {kind = #sparseconv<pool_kind sum>, op_id = 0 : i64, packing = #p} -> tensor<4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<4x8xf16>, %i1: tensor<5xi64>, %i2: tensor<4x8xf16>, %i3: memref<8xi64>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'x' to have size 5 in dimension 0, the rows of 'keys', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.global_pool_grad
      ins(%i0, %i1, %i2, %i3 : tensor<4x8xf16>, tensor<5xi64>, tensor<4x8xf16>, memref<8xi64>)
      outs(%o0 : tensor<?x8xf16>)
      {kind = #sparseconv<pool_kind max>, op_id = 0 : i64, packing = #p} -> tensor<?x8xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// im2col
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x16xf16>, %i1: tensor<?x27xi32>, %o0: tensor<?x8x16xf16>) {
  // expected-error @+1 {{expects 'columns' to have size 27 in dimension 1, the offsets of 'table', but found 'tensor<?x8x16xf16>'}}
  %r = sparseconv.kernel.im2col
      ins(%i0, %i1 : tensor<?x16xf16>, tensor<?x27xi32>)
      outs(%o0 : tensor<?x8x16xf16>) -> tensor<?x8x16xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x16xf16>, %i1: tensor<?x27xi32>, %o0: tensor<?x27x8xf16>) {
  // expected-error @+1 {{expects 'columns' to have size 16 in dimension 2, the channels of 'x', but found 'tensor<?x27x8xf16>'}}
  %r = sparseconv.kernel.im2col
      ins(%i0, %i1 : tensor<?x16xf16>, tensor<?x27xi32>)
      outs(%o0 : tensor<?x27x8xf16>) -> tensor<?x27x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x16xf16>, %i1: tensor<5x27xi32>, %o0: tensor<4x27x16xf16>) {
  // expected-error @+1 {{expects 'columns' to have size 5 in dimension 0, the rows of 'table', but found 'tensor<4x27x16xf16>'}}
  %r = sparseconv.kernel.im2col
      ins(%i0, %i1 : tensor<?x16xf16>, tensor<5x27xi32>)
      outs(%o0 : tensor<4x27x16xf16>) -> tensor<4x27x16xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x16xf16>, %i1: tensor<?x27xi32>, %o0: tensor<?x27x16xf32>) {
  // expected-error @+1 {{expects 'columns' to have elements of type 'f16', those of 'x', but found 'tensor<?x27x16xf32>'}}
  %r = sparseconv.kernel.im2col
      ins(%i0, %i1 : tensor<?x16xf16>, tensor<?x27xi32>)
      outs(%o0 : tensor<?x27x16xf32>) -> tensor<?x27x16xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// gather_rows, interpolate
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'y' to have elements of type 'f16', those of 'x', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.gather_rows
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%o0 : tensor<?x8xf32>) {op_id = 0 : i64} -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?x4xf16>) {
  // expected-error @+1 {{expects 'y' to have size 8 in dimension 1, the channels of 'x', but found 'tensor<?x4xf16>'}}
  %r = sparseconv.kernel.gather_rows
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%o0 : tensor<?x4xf16>) {op_id = 0 : i64} -> tensor<?x4xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<5xi32>, %i2: memref<8xi64>, %o0: tensor<4x8xf16>) {
  // expected-error @+1 {{expects 'y' to have size 5 in dimension 0, the rows of 'rows', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.gather_rows
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<5xi32>, memref<8xi64>)
      outs(%o0 : tensor<4x8xf16>) {op_id = 0 : i64} -> tensor<4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x3xf32>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<?x8xi32>, %o1: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'points' to have size 4 in dimension 1, the batch index and 3 axes of the set, but found 'tensor<?x3xf32>'}}
  %r:2 = sparseconv.kernel.interpolate
      ins(%i0, %i1, %i2 : tensor<?x3xf32>, tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?x8xi32>, tensor<?x8xf32>)
      {interpolation = #sparseconv<interpolation trilinear>, op_id = 0 : i64, set = !set} -> (tensor<?x8xi32>, tensor<?x8xf32>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x4xf32>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?x8xi32>, %o1: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'keys' to have elements of type 'i64', the keys of the packing, but found 'tensor<?xi32>'}}
  %r:2 = sparseconv.kernel.interpolate
      ins(%i0, %i1, %i2 : tensor<?x4xf32>, tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?x8xi32>, tensor<?x8xf32>)
      {interpolation = #sparseconv<interpolation trilinear>, op_id = 0 : i64, set = !set} -> (tensor<?x8xi32>, tensor<?x8xf32>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x4xf32>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<?x1xi32>, %o1: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'rows' to have size 8 in dimension 1, the corners of 'trilinear' on 3 axes, but found 'tensor<?x1xi32>'}}
  %r:2 = sparseconv.kernel.interpolate
      ins(%i0, %i1, %i2 : tensor<?x4xf32>, tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?x1xi32>, tensor<?x8xf32>)
      {interpolation = #sparseconv<interpolation trilinear>, op_id = 0 : i64, set = !set} -> (tensor<?x1xi32>, tensor<?x8xf32>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x4xf32>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<?x1xi32>, %o1: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'weights' to have size 1 in dimension 1, the corners of 'nearest' on 3 axes, but found 'tensor<?x8xf32>'}}
  %r:2 = sparseconv.kernel.interpolate
      ins(%i0, %i1, %i2 : tensor<?x4xf32>, tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?x1xi32>, tensor<?x8xf32>)
      {interpolation = #sparseconv<interpolation nearest>, op_id = 0 : i64, set = !set} -> (tensor<?x1xi32>, tensor<?x8xf32>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<5x4xf32>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<?x8xi32>, %o1: tensor<6x8xf32>) {
  // expected-error @+1 {{expects 'weights' to have size 5 in dimension 0, the rows of 'points', but found 'tensor<6x8xf32>'}}
  %r:2 = sparseconv.kernel.interpolate
      ins(%i0, %i1, %i2 : tensor<5x4xf32>, tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?x8xi32>, tensor<6x8xf32>)
      {interpolation = #sparseconv<interpolation trilinear>, op_id = 0 : i64, set = !set} -> (tensor<?x8xi32>, tensor<6x8xf32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// weighted_gather, scatter_rows
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x8xi32>, %i2: tensor<?x4xf32>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'weights' to have size 8 in dimension 1, the columns of 'rows', but found 'tensor<?x4xf32>'}}
  %r = sparseconv.kernel.weighted_gather
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?x8xi32>, tensor<?x4xf32>)
      outs(%o0 : tensor<?x8xf16>) -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<5x8xi32>, %i2: tensor<6x8xf32>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'weights' to have size 5 in dimension 0, the rows of 'rows', but found 'tensor<6x8xf32>'}}
  %r = sparseconv.kernel.weighted_gather
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<5x8xi32>, tensor<6x8xf32>)
      outs(%o0 : tensor<?x8xf16>) -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<5x8xi32>, %i2: tensor<?x8xf32>, %o0: tensor<4x8xf16>) {
  // expected-error @+1 {{expects 'y' to have size 5 in dimension 0, the rows of 'rows', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.weighted_gather
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<5x8xi32>, tensor<?x8xf32>)
      outs(%o0 : tensor<4x8xf16>) -> tensor<4x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x8xi32>, %i2: tensor<?x4xf32>, %i3: memref<8xi64>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'weights' to have size 8 in dimension 1, the columns of 'rows', but found 'tensor<?x4xf32>'}}
  %r = sparseconv.kernel.scatter_rows
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf16>, tensor<?x8xi32>, tensor<?x4xf32>, memref<8xi64>)
      outs(%o0 : tensor<?x8xf16>) {kind = #sparseconv<pool_kind avg>, op_id = 0 : i64} -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<4x8xf16>, %i1: tensor<5x8xi32>, %i2: tensor<?x8xf32>, %i3: memref<8xi64>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'x' to have size 5 in dimension 0, the rows of 'rows', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.scatter_rows
      ins(%i0, %i1, %i2, %i3 : tensor<4x8xf16>, tensor<5x8xi32>, tensor<?x8xf32>, memref<8xi64>)
      outs(%o0 : tensor<?x8xf16>) {kind = #sparseconv<pool_kind avg>, op_id = 0 : i64} -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?x8xi32>, %i2: tensor<?x8xf32>, %i3: memref<8xi64>, %o0: tensor<?x4xf16>) {
  // expected-error @+1 {{expects 'y' to have size 8 in dimension 1, the channels of 'x', but found 'tensor<?x4xf16>'}}
  %r = sparseconv.kernel.scatter_rows
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf16>, tensor<?x8xi32>, tensor<?x8xf32>, memref<8xi64>)
      outs(%o0 : tensor<?x4xf16>) {kind = #sparseconv<pool_kind avg>, op_id = 0 : i64} -> tensor<?x4xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// to_dense, from_dense
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<2x4x4x4x8xf16>) {
  // expected-error @+1 {{expects 'keys' to have elements of type 'i64', the keys of the packing, but found 'tensor<?xi32>'}}
  %r = sparseconv.kernel.to_dense
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%o0 : tensor<2x4x4x4x8xf16>)
      {origin = array<i64: 0, 0, 0>, op_id = 0 : i64, set = !set} -> tensor<2x4x4x4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<2x4x4x4x8xf16>) {
  // expected-error @+1 {{expects 'origin' with one number for each of 3 axes of the set, but found 2}}
  %r = sparseconv.kernel.to_dense
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%o0 : tensor<2x4x4x4x8xf16>)
      {origin = array<i64: 0, 0>, op_id = 0 : i64, set = !set} -> tensor<2x4x4x4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<2x4x4x8xf16>) {
  // expected-error @+1 {{expects 'dense' of rank 5, batch, 3 axes and channels, but found 'tensor<2x4x4x8xf16>'}}
  %r = sparseconv.kernel.to_dense
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%o0 : tensor<2x4x4x8xf16>)
      {origin = array<i64: 0, 0, 0>, op_id = 0 : i64, set = !set} -> tensor<2x4x4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<2x4x4x4x4xf16>) {
  // expected-error @+1 {{expects 'dense' to have size 8 in dimension 4, the channels of 'x', but found 'tensor<2x4x4x4x4xf16>'}}
  %r = sparseconv.kernel.to_dense
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%o0 : tensor<2x4x4x4x4xf16>)
      {origin = array<i64: 0, 0, 0>, op_id = 0 : i64, set = !set} -> tensor<2x4x4x4x4xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?x8xf16>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<2x4x4x4x8xf16>) {
  // expected-error @+1 {{expects 'dense' to have size 8 in dimension 1, the channels of 'x', but found 'tensor<2x4x4x4x8xf16>'}}
  %r = sparseconv.kernel.to_dense
      ins(%i0, %i1, %i2 : tensor<?x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%o0 : tensor<2x4x4x4x8xf16>)
      {channels_first, origin = array<i64: 0, 0, 0>, op_id = 0 : i64, set = !set} -> tensor<2x4x4x4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<4x8xf16>, %i1: tensor<5xi64>, %i2: memref<8xi64>, %o0: tensor<2x4x4x4x8xf16>) {
  // expected-error @+1 {{expects 'x' to have size 5 in dimension 0, the rows of 'keys', but found 'tensor<4x8xf16>'}}
  %r = sparseconv.kernel.to_dense
      ins(%i0, %i1, %i2 : tensor<4x8xf16>, tensor<5xi64>, memref<8xi64>)
      outs(%o0 : tensor<2x4x4x4x8xf16>)
      {origin = array<i64: 0, 0, 0>, op_id = 0 : i64, set = !set} -> tensor<2x4x4x4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<2x4x4x8xf16>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<?x8xf16>) {
  // expected-error @+1 {{expects 'dense' of rank 5, batch, 3 axes and channels, but found 'tensor<2x4x4x8xf16>'}}
  %r = sparseconv.kernel.from_dense
      ins(%i0, %i1, %i2 : tensor<2x4x4x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%o0 : tensor<?x8xf16>) {origin = array<i64: 0, 0, 0>, op_id = 0 : i64, set = !set} -> tensor<?x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<2x4x4x4x8xf16>, %i1: tensor<?xi64>, %i2: memref<8xi64>, %o0: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'dense' to have elements of type 'f32', those of 'x', but found 'tensor<2x4x4x4x8xf16>'}}
  %r = sparseconv.kernel.from_dense
      ins(%i0, %i1, %i2 : tensor<2x4x4x4x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%o0 : tensor<?x8xf32>) {origin = array<i64: 0, 0, 0>, op_id = 0 : i64, set = !set} -> tensor<?x8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// guard_rows
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<?x?xf32>, %n: index, %status: memref<8xi64>) {
  // expected-error @+1 {{expects 'x' to have a static last dimension, but found 'tensor<?x?xf32>'}}
  %r = sparseconv.kernel.guard_rows %x rows(%n) status(%status : memref<8xi64>)
      {op_id = 0 : i64, operand = 0 : i64, side = 0 : i64} : tensor<?x?xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4xf32>, %n: index, %status: memref<8xi64>) {
  // expected-error @+1 {{expects 'op_id' of at least 0, but found -3}}
  %r = sparseconv.kernel.guard_rows %x rows(%n) status(%status : memref<8xi64>)
      {op_id = -3 : i64, operand = 0 : i64, side = 0 : i64} : tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4xf32>, %n: index, %status: memref<8xi64>) {
  // expected-error @+1 {{expects 'operand' of at least 0, but found -1}}
  %r = sparseconv.kernel.guard_rows %x rows(%n) status(%status : memref<8xi64>)
      {op_id = 0 : i64, operand = -1 : i64, side = 0 : i64} : tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4xf32>, %n: index, %status: memref<8xi64>) {
  // expected-error @+1 {{expects 'side' of 0 to 2, but found 3}}
  %r = sparseconv.kernel.guard_rows %x rows(%n) status(%status : memref<8xi64>)
      {op_id = 0 : i64, operand = 0 : i64, side = 3 : i64} : tensor<?x4xf32>
  return
}
