// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of kernel operations on maps and of convolution kernels
// refuse, and what they say.

//===----------------------------------------------------------------------===//
// search, invert_table
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'in_keys' to have elements of type 'i32', the keys of the packing, but found 'tensor<?xi64>'}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi64>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi64>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'out_keys' to have elements of type 'i32', the keys of the packing, but found 'tensor<?xi64>'}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi64>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'displacements' with one number for each of 2 axes a displacement, and at least one, but found 3 numbers}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'displacements' within the guard 4 of the packing on axis 0, but found 5}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 8, 5, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'table' to have size 3 in dimension 1, one for each displacement, but found 'tensor<?x2xi32>'}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1, 1, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<5xi32>, %i1: tensor<4xi32>, %o0: tensor<5x2xi32>) {
  // expected-error @+1 {{expects 'table' to have size 4 in dimension 0, the rows of 'out_keys', but found 'tensor<5x2xi32>'}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<5xi32>, tensor<4xi32>)
      outs(%o0 : tensor<5x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>} -> tensor<5x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %o0: tensor<?x3xi32>) {
  // expected-error @+1 {{expects 'inverse' to have size 2 in dimension 1, the offsets of 'table', but found 'tensor<?x3xi32>'}}
  %r = sparseconv.kernel.invert_table
      ins(%i0 : tensor<?x2xi32>)
      outs(%o0 : tensor<?x3xi32>) -> tensor<?x3xi32>
  return
}

// -----

func.func @f(%i0: tensor<?x0xi32>, %o0: tensor<?x?xi32>) {
  // expected-error @+1 {{expects 'table' to have a last dimension of at least 1, but found 'tensor<?x0xi32>'}}
  %r = sparseconv.kernel.invert_table
      ins(%i0 : tensor<?x0xi32>)
      outs(%o0 : tensor<?x?xi32>) -> tensor<?x?xi32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// pair_lists
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x0xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?x3xi64>) {
  // expected-error @+1 {{expects 'table' to have a last dimension of at least 1, but found 'tensor<?x0xi32>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<?x0xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      {block = 4 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?x3xi64>) {
  // expected-error @+1 {{expects 'block' of at least 1, but found 0}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<?x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      {block = 0 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
  return
}

// -----

func.func @f(%i0: tensor<5x2xi32>, %o0: tensor<9xi32>, %o1: tensor<?xi32>, %o2: tensor<?x3xi64>) {
  // expected-error @+1 {{expects 'in_rows' to have room for 10 elements, one for each entry of 'table', but found 'tensor<9xi32>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<5x2xi32>)
      outs(%o0, %o1, %o2 : tensor<9xi32>, tensor<?xi32>, tensor<?x3xi64>)
      {block = 4 : i64} -> (tensor<9xi32>, tensor<?xi32>, tensor<?x3xi64>)
  return
}

// -----

func.func @f(%i0: tensor<5x2xi32>, %o0: tensor<?xi32>, %o1: tensor<9xi32>, %o2: tensor<?x3xi64>) {
  // expected-error @+1 {{expects 'out_rows' to have room for 10 elements, one for each entry of 'table', but found 'tensor<9xi32>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<5x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<9xi32>, tensor<?x3xi64>)
      {block = 4 : i64} -> (tensor<?xi32>, tensor<9xi32>, tensor<?x3xi64>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?x2xi64>) {
  // expected-error @+1 {{expects 'segments' to have size 3 in dimension 1, one more than the offsets of 'table', but found 'tensor<?x2xi64>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<?x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<?x2xi64>)
      {block = 4 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x2xi64>)
  return
}

// -----

func.func @f(%i0: tensor<5x2xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<1x3xi64>) {
  // expected-error @+1 {{expects 'segments' to have size 2 in dimension 0, the blocks of 4 rows of 'table', but found 'tensor<1x3xi64>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<5x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<1x3xi64>)
      {block = 4 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<1x3xi64>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// gather_gemm
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'w' to have static sizes of at least 1, but found 'tensor<?x8x16xf32>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x7xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 8 in dimension 1, the input channels of 'w', but found 'tensor<?x7xf32>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x7xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x?xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have a static last dimension, but found 'tensor<?x?xf32>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x?xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'y' to have size 16 in dimension 1, the output channels of 'w', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x8xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 16 in dimension 1, the input channels of 'w', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>, transpose_weights} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x2x4x8xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'y' to have size 16 in dimension 1, the output channels of 'w' (2 groups of 8), but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x2x4x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x8xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<5xi32>, %i3: tensor<6xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'out_rows' to have size 5 in dimension 0, the rows of 'in_rows', but found 'tensor<6xi32>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<5xi32>, tensor<6xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x2xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'segments' to have size 3 in dimension 1, one more than the slices of 'w', but found 'tensor<?x2xi64>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x2xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<2x3xi64>, %o0: tensor<9x16xf32>) {
  // expected-error @+1 {{expects 'segments' to have size 3 in dimension 0, the blocks of 4 rows of 'y', but found 'tensor<2x3xi64>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<2x3xi64>)
      outs(%o0 : tensor<9x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<9x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<16xf32>, %i6: tensor<?x8xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'epilogue operand 1' to have size 16 in dimension 1, the channels of 'y', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4, %i5, %i6 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<16xf32>, tensor<?x8xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<8x16xf32>, %o0: tensor<9x16xf32>) {
  // expected-error @+1 {{expects 'epilogue operand 0' to have size 9 in dimension 0, the rows of 'y', but found 'tensor<8x16xf32>'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4, %i5 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<8x16xf32>)
      outs(%o0 : tensor<9x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<9x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue region for its 1 epilogue operands, but found none}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4, %i5 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue with 2 arguments, the f32 accumulator and one for each epilogue operand, but found 1}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4, %i5 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} {
  ^bb0(%acc: f32):
    sparseconv.yield %acc : f32
  } -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects the first argument of the epilogue, the accumulator, to be f32, but found 'f16'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} {
  ^bb0(%acc: f16):
    %0 = arith.extf %acc : f16 to f32
    sparseconv.yield %0 : f32
  } -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects argument 1 of the epilogue to be 'f32', the element type of epilogue operand 0, but found 'f16'}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4, %i5 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} {
  ^bb0(%acc: f32, %b: f16):
    sparseconv.yield %acc : f32
  } -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue that yields one f32, but found one that ends otherwise}}
  %r = sparseconv.kernel.gather_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} {
  ^bb0(%acc: f32):
    llvm.unreachable
  } -> tensor<?x16xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// implicit_gemm
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x8x16xf32>, %i2: tensor<?x2xi32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'w' to have static sizes of at least 1, but found 'tensor<?x8x16xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<?x8x16xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<output_stationary>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x7xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 8 in dimension 1, the input channels of 'w', but found 'tensor<?x7xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x7xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<output_stationary>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 16 in dimension 1, the input channels of 'w', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<output_stationary>, transpose_weights} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x2x4x8xf32>, %i2: tensor<?x2xi32>, %o0: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'y' to have size 16 in dimension 1, the output channels of 'w' (2 groups of 8), but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<2x2x4x8xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x8xf32>)
      {dataflow = #sparseconv.dataflow<output_stationary>} -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x3xi32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'table' to have size 2 in dimension 1, the slices of 'w', but found 'tensor<?x3xi32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x3xi32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<output_stationary>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<8x2xi32>, %o0: tensor<9x16xf32>) {
  // expected-error @+1 {{expects 'table' to have size 9 in dimension 0, the rows of 'y', but found 'tensor<8x2xi32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<8x2xi32>)
      outs(%o0 : tensor<9x16xf32>)
      {dataflow = #sparseconv.dataflow<output_stationary>} -> tensor<9x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %i3: tensor<16xf32>, %i4: tensor<?x8xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'epilogue operand 1' to have size 16 in dimension 1, the channels of 'y', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>, tensor<16xf32>, tensor<?x8xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<output_stationary>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %i3: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue region for its 1 epilogue operands, but found none}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<output_stationary>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %i3: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue with 2 arguments, the f32 accumulator and one for each epilogue operand, but found 1}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {dataflow = #sparseconv.dataflow<output_stationary>} {
  ^bb0(%acc: f32):
    sparseconv.yield %acc : f32
  } -> tensor<?x16xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// implicit_weight_grad
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?x2xi32>, %o0: tensor<?x8x16xf32>) {
  // expected-error @+1 {{expects 'dw' to have static sizes of at least 1, but found 'tensor<?x8x16xf32>'}}
  %r = sparseconv.kernel.implicit_weight_grad
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x8x16xf32>) -> tensor<?x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x7xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?x2xi32>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 8 in dimension 1, the input channels of 'dw', but found 'tensor<?x7xf32>'}}
  %r = sparseconv.kernel.implicit_weight_grad
      ins(%i0, %i1, %i2 : tensor<?x7xf32>, tensor<?x16xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x8xf32>, %i2: tensor<?x2xi32>, %o0: tensor<2x2x4x8xf32>) {
  // expected-error @+1 {{expects 'dy' to have size 16 in dimension 1, the output channels of 'dw' (2 groups of 8), but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.implicit_weight_grad
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<2x2x4x8xf32>) -> tensor<2x2x4x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?x3xi32>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'table' to have size 2 in dimension 1, the slices of 'dw', but found 'tensor<?x3xi32>'}}
  %r = sparseconv.kernel.implicit_weight_grad
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?x3xi32>)
      outs(%o0 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<9x16xf32>, %i2: tensor<8x2xi32>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'table' to have size 9 in dimension 0, the rows of 'dy', but found 'tensor<8x2xi32>'}}
  %r = sparseconv.kernel.implicit_weight_grad
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<9x16xf32>, tensor<8x2xi32>)
      outs(%o0 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// weight_grad
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<2x0x16xf32>) {
  // expected-error @+1 {{expects 'dw' to have static sizes of at least 1, but found 'tensor<2x0x16xf32>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<2x0x16xf32>)
      {tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x0x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x4xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 8 in dimension 1, the input channels of 'dw', but found 'tensor<?x4xf32>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x4xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<2x8x16xf32>)
      {tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x8xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'dy' to have size 16 in dimension 1, the output channels of 'dw', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<2x8x16xf32>)
      {tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<2x2x8x8xf32>) {
  // expected-error @+1 {{expects 'x' to have size 16 in dimension 1, the input channels of 'dw' (2 groups of 8), but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<2x2x8x8xf32>)
      {tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x2x8x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x28xi64>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'segments' to have size 3 in dimension 1, one more than the slices of 'dw', but found 'tensor<?x28xi64>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>)
      outs(%o0 : tensor<2x8x16xf32>)
      {tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<3x3xi64>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'segments' to have size 2 in dimension 0, the blocks of 4 rows of 'dy', but found 'tensor<3x3xi64>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<3x3xi64>)
      outs(%o0 : tensor<2x8x16xf32>)
      {tiling = #sparseconv.tiling<block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x8x16xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// device_scalar
//===----------------------------------------------------------------------===//

func.func @f(%buffer: memref<1x1xindex>) {
  // expected-error @+1 {{operand #0 must be a buffer of one number, but got 'memref<1x1xindex>'}}
  %0 = "sparseconv.kernel.device_scalar"(%buffer) : (memref<1x1xindex>) -> index
  return
}

// -----

func.func @f(%buffer: memref<1xi32>) {
  // expected-error @+1 {{failed to verify that result has the element type of the buffer}}
  %0 = "sparseconv.kernel.device_scalar"(%buffer) : (memref<1xi32>) -> index
  return
}

// -----

func.func @f(%buffer: memref<2xindex>) {
  // expected-error @+1 {{'buffer' must be a buffer of one number, but got 'memref<2xindex>'}}
  %0 = sparseconv.kernel.device_scalar %buffer : memref<2xindex>
  return
}
