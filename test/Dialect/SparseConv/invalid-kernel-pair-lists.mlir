// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of pair lists, and of the convolution that runs over them,
// refuse, and what they say.

//===----------------------------------------------------------------------===//
// pair_lists
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x0xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?x3xi64>) {
  // expected-error @+1 {{expects 'table' to have a last dimension of at least 1, but found 'tensor<?x0xi32>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<?x0xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      {row_block = 4 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?x3xi64>) {
  // expected-error @+1 {{expects 'row_block' of at least 1, but found 0}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<?x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      {row_block = 0 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
  return
}

// -----

func.func @f(%i0: tensor<5x2xi32>, %o0: tensor<9xi32>, %o1: tensor<?xi32>, %o2: tensor<?x3xi64>) {
  // expected-error @+1 {{expects 'in_rows' to have room for 10 elements, one for each entry of 'table', but found 'tensor<9xi32>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<5x2xi32>)
      outs(%o0, %o1, %o2 : tensor<9xi32>, tensor<?xi32>, tensor<?x3xi64>)
      {row_block = 4 : i64} -> (tensor<9xi32>, tensor<?xi32>, tensor<?x3xi64>)
  return
}

// -----

func.func @f(%i0: tensor<5x2xi32>, %o0: tensor<?xi32>, %o1: tensor<9xi32>, %o2: tensor<?x3xi64>) {
  // expected-error @+1 {{expects 'out_rows' to have room for 10 elements, one for each entry of 'table', but found 'tensor<9xi32>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<5x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<9xi32>, tensor<?x3xi64>)
      {row_block = 4 : i64} -> (tensor<?xi32>, tensor<9xi32>, tensor<?x3xi64>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?x2xi64>) {
  // expected-error @+1 {{expects 'segments' to have size 3 in dimension 1, one more than the offsets of 'table', but found 'tensor<?x2xi64>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<?x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<?x2xi64>)
      {row_block = 4 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x2xi64>)
  return
}

// -----

func.func @f(%i0: tensor<5x2xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<1x3xi64>) {
  // expected-error @+1 {{expects 'segments' to have size 2 in dimension 0, the blocks of 4 rows of 'table', but found 'tensor<1x3xi64>'}}
  %r:3 = sparseconv.kernel.pair_lists
      ins(%i0 : tensor<5x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<1x3xi64>)
      {row_block = 4 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<1x3xi64>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// gather_gemm_scatter
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'w' to have static sizes of at least 1, but found 'tensor<?x8x16xf32>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x7xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 8 in dimension 1, the input channels of 'w', but found 'tensor<?x7xf32>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x7xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x?xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have a static last dimension, but found 'tensor<?x?xf32>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x?xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'y' to have size 16 in dimension 1, the output channels of 'w', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x8xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 16 in dimension 1, the input channels of 'w', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>, transpose_weights} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x2x4x8xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'y' to have size 16 in dimension 1, the output channels of 'w' (2 groups of 8), but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x2x4x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x8xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<5xi32>, %i3: tensor<6xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'out_rows' to have size 5 in dimension 0, the rows of 'in_rows', but found 'tensor<6xi32>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<5xi32>, tensor<6xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x2xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'segments' to have size 3 in dimension 1, one more than the slices of 'w', but found 'tensor<?x2xi64>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x2xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<2x3xi64>, %o0: tensor<9x16xf32>) {
  // expected-error @+1 {{expects 'segments' to have size 3 in dimension 0, the blocks of 4 rows of 'y', but found 'tensor<2x3xi64>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<2x3xi64>)
      outs(%o0 : tensor<9x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<9x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<16xf32>, %i6: tensor<?x8xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'epilogue operand 1' to have size 16 in dimension 1, the channels of 'y', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4, %i5, %i6 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<16xf32>, tensor<?x8xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<8x16xf32>, %o0: tensor<9x16xf32>) {
  // expected-error @+1 {{expects 'epilogue operand 0' to have size 9 in dimension 0, the rows of 'y', but found 'tensor<8x16xf32>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4, %i5 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<8x16xf32>)
      outs(%o0 : tensor<9x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<9x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue region for its 1 epilogue operands, but found none}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4, %i5 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue with 2 arguments, the f32 accumulator and one for each epilogue operand, but found 1}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4, %i5 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} epilogue {
  ^bb0(%acc: f32):
    sparseconv.yield %acc : f32
  } -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects the first argument of the epilogue, the accumulator, to be f32, but found 'f16'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} epilogue {
  ^bb0(%acc: f16):
    %0 = arith.extf %acc : f16 to f32
    sparseconv.yield %0 : f32
  } -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %i5: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects argument 1 of the epilogue to be 'f32', the element type of epilogue operand 0, but found 'f16'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4, %i5 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} epilogue {
  ^bb0(%acc: f32, %b: f16):
    sparseconv.yield %acc : f32
  } -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue that yields one f32, but found one that ends otherwise}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} epilogue {
  ^bb0(%acc: f32):
    llvm.unreachable
  } -> tensor<?x16xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// group_pairs
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x2xi32>, %i1: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<?x2xi32>, %o2: tensor<?x3xi64>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'row_block' of 1 to 1048576, but found 0}}
  %r:4 = sparseconv.kernel.group_pairs
      ins(%i0, %i1 : tensor<?x2xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
      {epsilon = 0 : i64, op_id = 0 : i64, row_block = 0 : i64, s = 0 : i64} -> (tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %i1: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<?x2xi32>, %o2: tensor<?x3xi64>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'epsilon' of 0 to 100, but found 101}}
  %r:4 = sparseconv.kernel.group_pairs
      ins(%i0, %i1 : tensor<?x2xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
      {epsilon = 101 : i64, op_id = 0 : i64, row_block = 128 : i64, s = 0 : i64} -> (tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %i1: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<?x2xi32>, %o2: tensor<?x3xi64>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 's' of at least 0, but found -1}}
  %r:4 = sparseconv.kernel.group_pairs
      ins(%i0, %i1 : tensor<?x2xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
      {epsilon = 0 : i64, op_id = 0 : i64, row_block = 128 : i64, s = -1 : i64} -> (tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %i1: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<?x3xi32>, %o2: tensor<?x3xi64>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'places' to have size 2 in dimension 1, the offsets of 'table', but found 'tensor<?x3xi32>'}}
  %r:4 = sparseconv.kernel.group_pairs
      ins(%i0, %i1 : tensor<?x2xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<?x3xi32>, tensor<?x3xi64>, tensor<1xindex>)
      {epsilon = 0 : i64, op_id = 0 : i64, row_block = 128 : i64, s = 0 : i64} -> (tensor<?xi32>, tensor<?x3xi32>, tensor<?x3xi64>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<5x2xi32>, %i1: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<4x2xi32>, %o2: tensor<?x3xi64>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'places' to have size 5 in dimension 0, the rows of 'table', but found 'tensor<4x2xi32>'}}
  %r:4 = sparseconv.kernel.group_pairs
      ins(%i0, %i1 : tensor<5x2xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<4x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
      {epsilon = 0 : i64, op_id = 0 : i64, row_block = 128 : i64, s = 0 : i64} -> (tensor<?xi32>, tensor<4x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %i1: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<?x2xi32>, %o2: tensor<?x2xi64>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'segments' to have size 3 in dimension 1, one more than the offsets of 'table', but found 'tensor<?x2xi64>'}}
  %r:4 = sparseconv.kernel.group_pairs
      ins(%i0, %i1 : tensor<?x2xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<?x2xi32>, tensor<?x2xi64>, tensor<1xindex>)
      {epsilon = 0 : i64, op_id = 0 : i64, row_block = 128 : i64, s = 0 : i64} -> (tensor<?xi32>, tensor<?x2xi32>, tensor<?x2xi64>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %i1: memref<8xi64>, %o0: tensor<256xi32>, %o1: tensor<?x2xi32>, %o2: tensor<3x3xi64>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'segments' to have size 2 in dimension 0, the blocks of 128 rows of 'rows', but found 'tensor<3x3xi64>'}}
  %r:4 = sparseconv.kernel.group_pairs
      ins(%i0, %i1 : tensor<?x2xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<256xi32>, tensor<?x2xi32>, tensor<3x3xi64>, tensor<1xindex>)
      {epsilon = 0 : i64, op_id = 0 : i64, row_block = 128 : i64, s = 0 : i64} -> (tensor<256xi32>, tensor<?x2xi32>, tensor<3x3xi64>, tensor<1xindex>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// offset_lists
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x?xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?xi32>) {
  // expected-error @+1 {{expects 'table' to have a static last dimension, but found 'tensor<?x?xi32>'}}
  %r:3 = sparseconv.kernel.offset_lists ins(%i0 : tensor<?x?xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

func.func @f(%i0: tensor<5x2xi32>, %o0: tensor<?xi32>, %o1: tensor<9xi32>, %o2: tensor<2xi32>) {
  // expected-error @+1 {{expects 'out_rows' to have room for 10 elements, one for each entry of 'table', but found 'tensor<9xi32>'}}
  %r:3 = sparseconv.kernel.offset_lists ins(%i0 : tensor<5x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<9xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<9xi32>, tensor<2xi32>)
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<3xi32>) {
  // expected-error @+1 {{expects 'counts' to have size 2 in dimension 0, the offsets of 'table', but found 'tensor<3xi32>'}}
  %r:3 = sparseconv.kernel.offset_lists ins(%i0 : tensor<?x2xi32>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<3xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<3xi32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// gather_gemm_scatter with atomic additions
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<?x8xf16>, %w: tensor<2x8x16xf16>, %rows: tensor<?xi32>, %segments: tensor<?x3xi64>, %y: tensor<?x16xf16>) {
  // expected-error @+1 {{expects 'y' to have elements of type 'f32', as it is atomic, but found 'tensor<?x16xf16>'}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %rows, %rows, %segments : tensor<?x8xf16>, tensor<2x8x16xf16>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%y : tensor<?x16xf16>)
      {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 16, lanes = 8>, atomic} -> tensor<?x16xf16>
  return
}

// -----

func.func @f(%x: tensor<?x8xf16>, %w: tensor<2x8x16xf16>, %rows: tensor<?xi32>, %segments: tensor<?x3xi64>, %y: tensor<?x16xf32>) {
  // expected-error @+1 {{expects no epilogue, as it is atomic, but found one}}
  %r = sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %rows, %rows, %segments : tensor<?x8xf16>, tensor<2x8x16xf16>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%y : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 16, lanes = 8>, atomic} epilogue {
  ^bb0(%acc: f32):
    sparseconv.yield %acc : f32
  } -> tensor<?x16xf32>
  return
}
