// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of convolution kernels refuse, and what they say.

//===----------------------------------------------------------------------===//
// implicit_gemm
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x8x16xf32>, %i2: tensor<?x2xi32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'w' to have static sizes of at least 1, but found 'tensor<?x8x16xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<?x8x16xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x16xf32>)
      -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x7xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 8 in dimension 1, the input channels of 'w', but found 'tensor<?x7xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x7xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x16xf32>)
      -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 16 in dimension 1, the input channels of 'w', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x16xf32>)
      {transpose_weights} -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x2x4x8xf32>, %i2: tensor<?x2xi32>, %o0: tensor<?x8xf32>) {
  // expected-error @+1 {{expects 'y' to have size 16 in dimension 1, the output channels of 'w' (2 groups of 8), but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<2x2x4x8xf32>, tensor<?x2xi32>)
      outs(%o0 : tensor<?x8xf32>)
      -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x3xi32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'table' to have size 2 in dimension 1, the slices of 'w', but found 'tensor<?x3xi32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x3xi32>)
      outs(%o0 : tensor<?x16xf32>)
      -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<8x2xi32>, %o0: tensor<9x16xf32>) {
  // expected-error @+1 {{expects 'table' to have size 9 in dimension 0, the rows of 'y', but found 'tensor<8x2xi32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<8x2xi32>)
      outs(%o0 : tensor<9x16xf32>)
      -> tensor<9x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %i3: tensor<16xf32>, %i4: tensor<?x8xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects 'epilogue operand 1' to have size 16 in dimension 1, the channels of 'y', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>, tensor<16xf32>, tensor<?x8xf32>)
      outs(%o0 : tensor<?x16xf32>)
      -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %i3: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue region for its 1 epilogue operands, but found none}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      -> tensor<?x16xf32>
  return
}

// -----

// What an epilogue needs are its operands.
func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %outer: f32, %o0: tensor<?x16xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %r = "sparseconv.kernel.implicit_gemm"(%i0, %i1, %i2, %o0) ({
  ^bb0(%acc: f32):
    // expected-error @+1 {{using value defined outside the region}}
    %sum = arith.addf %acc, %outer : f32
    sparseconv.yield %sum : f32
  }) : (tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<2x8x16xf32>, %i2: tensor<?x2xi32>, %i3: tensor<16xf32>, %o0: tensor<?x16xf32>) {
  // expected-error @+1 {{expects an epilogue with 2 arguments, the f32 accumulator and one for each epilogue operand, but found 1}}
  %r = sparseconv.kernel.implicit_gemm
      ins(%i0, %i1, %i2, %i3 : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>, tensor<16xf32>)
      outs(%o0 : tensor<?x16xf32>)
      epilogue {
  ^bb0(%acc: f32):
    sparseconv.yield %acc : f32
  } -> tensor<?x16xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// tiled_weight_grad
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<2xi32>, %o0: tensor<?x8x16xf32>) {
  // expected-error @+1 {{expects 'dw' to have static sizes of at least 1, but found 'tensor<?x8x16xf32>'}}
  %r = sparseconv.kernel.tiled_weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<2xi32>)
      outs(%o0 : tensor<?x8x16xf32>) {tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 8, piece_in = 4, piece_out = 4>} -> tensor<?x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x7xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<2xi32>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 8 in dimension 1, the input channels of 'dw', but found 'tensor<?x7xf32>'}}
  %r = sparseconv.kernel.tiled_weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x7xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<2xi32>)
      outs(%o0 : tensor<2x8x16xf32>) {tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 8, piece_in = 4, piece_out = 4>} -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x8xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<2xi32>, %o0: tensor<2x2x4x8xf32>) {
  // expected-error @+1 {{expects 'dy' to have size 16 in dimension 1, the output channels of 'dw' (2 groups of 8), but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.tiled_weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<2xi32>)
      outs(%o0 : tensor<2x2x4x8xf32>) {tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 8, piece_in = 4, piece_out = 4>} -> tensor<2x2x4x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<3xi32>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'counts' to have size 2 in dimension 0, the slices of 'dw', but found 'tensor<3xi32>'}}
  %r = sparseconv.kernel.tiled_weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<3xi32>)
      outs(%o0 : tensor<2x8x16xf32>) {tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 8, piece_in = 4, piece_out = 4>} -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<9x16xf32>, %i2: tensor<?xi32>, %i3: tensor<8xi32>, %i4: tensor<2xi32>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'out_rows' to have room for 18 elements, one for each row of 'dy' and slice of 'dw', but found 'tensor<8xi32>'}}
  %r = sparseconv.kernel.tiled_weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<9x16xf32>, tensor<?xi32>, tensor<8xi32>, tensor<2xi32>)
      outs(%o0 : tensor<2x8x16xf32>) {tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 8, piece_in = 4, piece_out = 4>} -> tensor<2x8x16xf32>
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
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x0x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x4xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'x' to have size 8 in dimension 1, the input channels of 'dw', but found 'tensor<?x4xf32>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x4xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<2x8x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x8xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'dy' to have size 16 in dimension 1, the output channels of 'dw', but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<2x8x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x3xi64>, %o0: tensor<2x2x8x8xf32>) {
  // expected-error @+1 {{expects 'x' to have size 16 in dimension 1, the input channels of 'dw' (2 groups of 8), but found 'tensor<?x8xf32>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%o0 : tensor<2x2x8x8xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x2x8x8xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<?x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<?x28xi64>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'segments' to have size 3 in dimension 1, one more than the slices of 'dw', but found 'tensor<?x28xi64>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>)
      outs(%o0 : tensor<2x8x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x8x16xf32>
  return
}

// -----

func.func @f(%i0: tensor<?x8xf32>, %i1: tensor<8x16xf32>, %i2: tensor<?xi32>, %i3: tensor<?xi32>, %i4: tensor<3x3xi64>, %o0: tensor<2x8x16xf32>) {
  // expected-error @+1 {{expects 'segments' to have size 2 in dimension 0, the blocks of 4 rows of 'dy', but found 'tensor<3x3xi64>'}}
  %r = sparseconv.kernel.weight_grad
      ins(%i0, %i1, %i2, %i3, %i4 : tensor<?x8xf32>, tensor<8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<3x3xi64>)
      outs(%o0 : tensor<2x8x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 4, rows = 6, columns = 16, lanes = 8>} -> tensor<2x8x16xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// tiled_gemm of two inputs
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<9x32xf32>, %beside: tensor<9x32xf32>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf32>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects f16 or bf16 and multiples of 32 for the channels of 'x' and tile_k where a tensor is beside 'x', but found 'tensor<9x32xf32>' beside 'tensor<9x32xf32>' with tile_k = 32}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %beside
          : tensor<9x32xf32>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<9x32xf32>)
      outs(%y, %s, %c : tensor<9x8xf32>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>}
      -> (tensor<9x8xf32>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%x: tensor<9x32xf16>, %beside: tensor<9x32xbf16>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects f16 or bf16 and multiples of 32 for the channels of 'x' and tile_k where a tensor is beside 'x', but found 'tensor<9x32xf16>' beside 'tensor<9x32xbf16>' with tile_k = 32}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %beside
          : tensor<9x32xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<9x32xbf16>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>}
      -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%x: tensor<9x48xf16>, %beside: tensor<9x32xf16>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects f16 or bf16 and multiples of 32 for the channels of 'x' and tile_k where a tensor is beside 'x', but found 'tensor<9x48xf16>' beside 'tensor<9x32xf16>' with tile_k = 32}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %beside
          : tensor<9x48xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<9x32xf16>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>}
      -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%x: tensor<9x32xf16>, %beside: tensor<9x32xf16>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects f16 or bf16 and multiples of 32 for the channels of 'x' and tile_k where a tensor is beside 'x', but found 'tensor<9x32xf16>' beside 'tensor<9x32xf16>' with tile_k = 16}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %beside
          : tensor<9x32xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<9x32xf16>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 16>}
      -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%x: tensor<9x32xf16>, %beside: tensor<8xf16>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects 'beside' to have size 9 in dimension 0, the rows of 'x', but found 'tensor<8xf16>'}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %beside
          : tensor<9x32xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<8xf16>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>}
      -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%x: tensor<9x32xf16>, %beside: tensor<7x32xf16>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects 'beside' to have size 9 in dimension 0, the rows of 'x', but found 'tensor<7x32xf16>'}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %beside
          : tensor<9x32xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<7x32xf16>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>}
      -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// tiled_gemm of picked rows
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<9x32xf16>, %rows: tensor<9xi32>, %skip: tensor<7x8xf16>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects row numbers behind the tensor that they pick rows of}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %rows, %skip
          : tensor<9x32xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<9xi32>, tensor<7x8xf16>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>} epilogue {
  ^bb0(%sum: f32, %v: f16):
    sparseconv.yield %sum : f32
  } -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%x: tensor<9x32xf16>, %bias: tensor<8xf16>, %rows: tensor<9xi32>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects row numbers behind the tensor that they pick rows of}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %bias, %rows
          : tensor<9x32xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<8xf16>, tensor<9xi32>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>} epilogue {
  ^bb0(%sum: f32, %v: f16):
    sparseconv.yield %sum : f32
  } -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%x: tensor<9x32xf16>, %skip: tensor<7x8xf16>, %rows: tensor<9xi32>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects row numbers behind the tensor that they pick rows of}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %skip, %rows, %rows
          : tensor<9x32xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<7x8xf16>, tensor<9xi32>, tensor<9xi32>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>} epilogue {
  ^bb0(%sum: f32, %v: f16):
    sparseconv.yield %sum : f32
  } -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%x: tensor<9x32xf16>, %skip: tensor<7x8xf16>, %rows: tensor<7xi32>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects 'row numbers of epilogue operand 0' to have size 9 in dimension 0, the rows of 'y', but found 'tensor<7xi32>'}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %skip, %rows
          : tensor<9x32xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<7x8xf16>, tensor<7xi32>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>} epilogue {
  ^bb0(%sum: f32, %v: f16):
    sparseconv.yield %sum : f32
  } -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// tiled_gemm of groups
//===----------------------------------------------------------------------===//

func.func @f(%w: tensor<?x8x16xf16>, %image: tensor<2048xi8>) {
  // expected-error @+1 {{expects 'w' to have static sizes, but found 'tensor<?x8x16xf16>'}}
  %r = sparseconv.kernel.pack_weights ins(%w : tensor<?x8x16xf16>) outs(%image : tensor<2048xi8>)
      {tiling = #sparseconv.gemm_tiling<warp16>} -> tensor<2048xi8>
  return
}

// -----

func.func @f(%w: tensor<2x8x16xf16>, %image: tensor<2048xi8>) {
  // expected-error @+1 {{expects 'permutation' to order the axes of 'w', but found array<i64: 0, 2, 2>}}
  %r = sparseconv.kernel.pack_weights ins(%w : tensor<2x8x16xf16>) outs(%image : tensor<2048xi8>)
      {permutation = array<i64: 0, 2, 2>, tiling = #sparseconv.gemm_tiling<warp16>} -> tensor<2048xi8>
  return
}

// -----

func.func @f(%w: tensor<2x8x16xf16>, %image: tensor<2048xi8>) {
  // expected-error @+1 {{expects 'permutation' to order the axes of 'w', but found array<i64: 1, 0>}}
  %r = sparseconv.kernel.pack_weights ins(%w : tensor<2x8x16xf16>) outs(%image : tensor<2048xi8>)
      {permutation = array<i64: 1, 0>, tiling = #sparseconv.gemm_tiling<warp16>} -> tensor<2048xi8>
  return
}

// -----

func.func @f(%w: tensor<6x8x16xf16>, %image: tensor<2048xi8>) {
  // expected-error @+1 {{expects 'groups' to divide the 6 slices of 'w', but found 4}}
  %r = sparseconv.kernel.pack_weights ins(%w : tensor<6x8x16xf16>) outs(%image : tensor<2048xi8>)
      {groups = 4 : i64, tiling = #sparseconv.gemm_tiling<warp16>} -> tensor<2048xi8>
  return
}

// -----

func.func @f(%w: tensor<2x4x8x16xf16>, %image: tensor<2048xi8>) {
  // expected-error @+1 {{expects groups, and so all slices, in their order, but found array<i64: 1, 0, 2, 3>}}
  %r = sparseconv.kernel.pack_weights ins(%w : tensor<2x4x8x16xf16>) outs(%image : tensor<2048xi8>)
      {groups = 2 : i64, permutation = array<i64: 1, 0, 2, 3>, tiling = #sparseconv.gemm_tiling<warp16>} -> tensor<2048xi8>
  return
}

// -----

func.func @f(%w: tensor<4611686018427387904x4x8x16xf16>, %image: tensor<2048xi8>) {
  // expected-error @+1 {{expects fewer than 2^63 slices of 'w', but found 'tensor<4611686018427387904x4x8x16xf16>'}}
  %r = sparseconv.kernel.pack_weights ins(%w : tensor<4611686018427387904x4x8x16xf16>) outs(%image : tensor<2048xi8>)
      {tiling = #sparseconv.gemm_tiling<warp16>} -> tensor<2048xi8>
  return
}

// -----

func.func @f(%x: tensor<?x8xf16>, %p: tensor<2048xi8>, %tiled: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<?x12xf16>, %scratch: tensor<1xf32>,
             %counters: tensor<1xi32>) {
  // expected-error @+1 {{expects 'y' to have channels of 8 groups, but found 12}}
  %g:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %p, %tiled, %order, %masks, %sizes
          : tensor<?x8xf16>, tensor<2048xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %scratch, %counters : tensor<?x12xf16>, tensor<1xf32>, tensor<1xi32>)
      {groups = 8 : i64, tiling = #sparseconv.gemm_tiling<warp16>} -> (tensor<?x12xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%x: tensor<9x32xf16>, %beside: tensor<9x32xf16>, %image: tensor<64xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
             %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x8xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{expects one group where a tensor is beside 'x', but found 2}}
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %beside
          : tensor<9x32xf16>, tensor<64xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<9x32xf16>)
      outs(%y, %s, %c : tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
      {groups = 2 : i64, tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>}
      -> (tensor<9x8xf16>, tensor<1xf32>, tensor<1xi32>)
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
