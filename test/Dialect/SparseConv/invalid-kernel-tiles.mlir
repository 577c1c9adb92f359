// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of kernel operations on tiles of rows, and on the hits that they
// are made of, refuse, and what they say.

//===----------------------------------------------------------------------===//
// search_hits
//===----------------------------------------------------------------------===//

func.func @f(%i: tensor<?xi64>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects 'in_keys' to have elements of type 'i32', the keys of the packing, but found 'tensor<?xi64>'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi64>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects 'displacements' with one number for each of 2 axes per displacement, and at least one, but found 3 numbers}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

// A gap in a column, a displacement that occurs twice, and too many of them.

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects at most 343 'displacements', distinct ones, in at most 128 columns of at most 32, where they differ by what they and the last numbers of the strides are multiples of, but found 2 in 1 columns}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 2>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

// Records of 125 columns, 256 of which are 132 KB.

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<4x?xi32>, %r: tensor<?x132xi32>, %c: tensor<64x128xi32>, %t: tensor<4x512xi32>) {
  // expected-error @+1 {{expects 'sample_rows' of at most 64 for records of 132 words, but found 256}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<4x?xi32>, tensor<?x132xi32>, tensor<64x128xi32>, tensor<4x512xi32>)
      {displacements = array<i64: -62, 0, -61, 0, -60, 0, -59, 0, -58, 0, -57, 0, -56, 0, -55, 0, -54, 0, -53, 0, -52, 0, -51, 0, -50, 0, -49, 0, -48, 0, -47, 0, -46, 0, -45, 0, -44, 0, -43, 0, -42, 0, -41, 0, -40, 0, -39, 0, -38, 0, -37, 0, -36, 0, -35, 0, -34, 0, -33, 0, -32, 0, -31, 0, -30, 0, -29, 0, -28, 0, -27, 0, -26, 0, -25, 0, -24, 0, -23, 0, -22, 0, -21, 0, -20, 0, -19, 0, -18, 0, -17, 0, -16, 0, -15, 0, -14, 0, -13, 0, -12, 0, -11, 0, -10, 0, -9, 0, -8, 0, -7, 0, -6, 0, -5, 0, -4, 0, -3, 0, -2, 0, -1, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21, 0, 22, 0, 23, 0, 24, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0, 30, 0, 31, 0, 32, 0, 33, 0, 34, 0, 35, 0, 36, 0, 37, 0, 38, 0, 39, 0, 40, 0, 41, 0, 42, 0, 43, 0, 44, 0, 45, 0, 46, 0, 47, 0, 48, 0, 49, 0, 50, 0, 51, 0, 52, 0, 53, 0, 54, 0, 55, 0, 56, 0, 57, 0, 58, 0, 59, 0, 60, 0, 61, 0, 62, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [64, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<4x?xi32>, tensor<?x132xi32>, tensor<64x128xi32>, tensor<4x512xi32>)
  return
}

// -----

// The gap is none where all coordinates are multiples of it; here the rows are not.

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects at most 343 'displacements', distinct ones, in at most 128 columns of at most 32, where they differ by what they and the last numbers of the strides are multiples of, but found 2 in 1 columns}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 2>, in_stride = array<i64: 2, 2>, out_stride = array<i64: 2, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects at most 343 'displacements', distinct ones, in at most 128 columns of at most 32, where they differ by what they and the last numbers of the strides are multiples of, but found 2 in 1 columns}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 1, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects at most 343 'displacements', distinct ones, in at most 128 columns of at most 32, where they differ by what they and the last numbers of the strides are multiples of, but found 345 in 23 columns}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: -11, -7, -11, -6, -11, -5, -11, -4, -11, -3, -11, -2, -11, -1, -11, 0, -11, 1, -11, 2, -11, 3, -11, 4, -11, 5, -11, 6, -11, 7, -10, -7, -10, -6, -10, -5, -10, -4, -10, -3, -10, -2, -10, -1, -10, 0, -10, 1, -10, 2, -10, 3, -10, 4, -10, 5, -10, 6, -10, 7, -9, -7, -9, -6, -9, -5, -9, -4, -9, -3, -9, -2, -9, -1, -9, 0, -9, 1, -9, 2, -9, 3, -9, 4, -9, 5, -9, 6, -9, 7, -8, -7, -8, -6, -8, -5, -8, -4, -8, -3, -8, -2, -8, -1, -8, 0, -8, 1, -8, 2, -8, 3, -8, 4, -8, 5, -8, 6, -8, 7, -7, -7, -7, -6, -7, -5, -7, -4, -7, -3, -7, -2, -7, -1, -7, 0, -7, 1, -7, 2, -7, 3, -7, 4, -7, 5, -7, 6, -7, 7, -6, -7, -6, -6, -6, -5, -6, -4, -6, -3, -6, -2, -6, -1, -6, 0, -6, 1, -6, 2, -6, 3, -6, 4, -6, 5, -6, 6, -6, 7, -5, -7, -5, -6, -5, -5, -5, -4, -5, -3, -5, -2, -5, -1, -5, 0, -5, 1, -5, 2, -5, 3, -5, 4, -5, 5, -5, 6, -5, 7, -4, -7, -4, -6, -4, -5, -4, -4, -4, -3, -4, -2, -4, -1, -4, 0, -4, 1, -4, 2, -4, 3, -4, 4, -4, 5, -4, 6, -4, 7, -3, -7, -3, -6, -3, -5, -3, -4, -3, -3, -3, -2, -3, -1, -3, 0, -3, 1, -3, 2, -3, 3, -3, 4, -3, 5, -3, 6, -3, 7, -2, -7, -2, -6, -2, -5, -2, -4, -2, -3, -2, -2, -2, -1, -2, 0, -2, 1, -2, 2, -2, 3, -2, 4, -2, 5, -2, 6, -2, 7, -1, -7, -1, -6, -1, -5, -1, -4, -1, -3, -1, -2, -1, -1, -1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1, 7, 0, -7, 0, -6, 0, -5, 0, -4, 0, -3, 0, -2, 0, -1, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 1, -7, 1, -6, 1, -5, 1, -4, 1, -3, 1, -2, 1, -1, 1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 2, -7, 2, -6, 2, -5, 2, -4, 2, -3, 2, -2, 2, -1, 2, 0, 2, 1, 2, 2, 2, 3, 2, 4, 2, 5, 2, 6, 2, 7, 3, -7, 3, -6, 3, -5, 3, -4, 3, -3, 3, -2, 3, -1, 3, 0, 3, 1, 3, 2, 3, 3, 3, 4, 3, 5, 3, 6, 3, 7, 4, -7, 4, -6, 4, -5, 4, -4, 4, -3, 4, -2, 4, -1, 4, 0, 4, 1, 4, 2, 4, 3, 4, 4, 4, 5, 4, 6, 4, 7, 5, -7, 5, -6, 5, -5, 5, -4, 5, -3, 5, -2, 5, -1, 5, 0, 5, 1, 5, 2, 5, 3, 5, 4, 5, 5, 5, 6, 5, 7, 6, -7, 6, -6, 6, -5, 6, -4, 6, -3, 6, -2, 6, -1, 6, 0, 6, 1, 6, 2, 6, 3, 6, 4, 6, 5, 6, 6, 6, 7, 7, -7, 7, -6, 7, -5, 7, -4, 7, -3, 7, -2, 7, -1, 7, 0, 7, 1, 7, 2, 7, 3, 7, 4, 7, 5, 7, 6, 7, 7, 8, -7, 8, -6, 8, -5, 8, -4, 8, -3, 8, -2, 8, -1, 8, 0, 8, 1, 8, 2, 8, 3, 8, 4, 8, 5, 8, 6, 8, 7, 9, -7, 9, -6, 9, -5, 9, -4, 9, -3, 9, -2, 9, -1, 9, 0, 9, 1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9, 7, 10, -7, 10, -6, 10, -5, 10, -4, 10, -3, 10, -2, 10, -1, 10, 0, 10, 1, 10, 2, 10, 3, 10, 4, 10, 5, 10, 6, 10, 7, 11, -7, 11, -6, 11, -5, 11, -4, 11, -3, 11, -2, 11, -1, 11, 0, 11, 1, 11, 2, 11, 3, 11, 4, 11, 5, 11, 6, 11, 7>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [12, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects at most 343 'displacements', distinct ones, in at most 128 columns of at most 32, where they differ by what they and the last numbers of the strides are multiples of, but found 129 in 129 columns}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: -64, 0, -63, 0, -62, 0, -61, 0, -60, 0, -59, 0, -58, 0, -57, 0, -56, 0, -55, 0, -54, 0, -53, 0, -52, 0, -51, 0, -50, 0, -49, 0, -48, 0, -47, 0, -46, 0, -45, 0, -44, 0, -43, 0, -42, 0, -41, 0, -40, 0, -39, 0, -38, 0, -37, 0, -36, 0, -35, 0, -34, 0, -33, 0, -32, 0, -31, 0, -30, 0, -29, 0, -28, 0, -27, 0, -26, 0, -25, 0, -24, 0, -23, 0, -22, 0, -21, 0, -20, 0, -19, 0, -18, 0, -17, 0, -16, 0, -15, 0, -14, 0, -13, 0, -12, 0, -11, 0, -10, 0, -9, 0, -8, 0, -7, 0, -6, 0, -5, 0, -4, 0, -3, 0, -2, 0, -1, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21, 0, 22, 0, 23, 0, 24, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0, 30, 0, 31, 0, 32, 0, 33, 0, 34, 0, 35, 0, 36, 0, 37, 0, 38, 0, 39, 0, 40, 0, 41, 0, 42, 0, 43, 0, 44, 0, 45, 0, 46, 0, 47, 0, 48, 0, 49, 0, 50, 0, 51, 0, 52, 0, 53, 0, 54, 0, 55, 0, 56, 0, 57, 0, 58, 0, 59, 0, 60, 0, 61, 0, 62, 0, 63, 0, 64, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [64, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<2x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x64xi32>, %t: tensor<4x512xi32>) {
  // expected-error @+1 {{expects at most 343 'displacements', distinct ones, in at most 128 columns of at most 32, where they differ by what they and the last numbers of the strides are multiples of, but found 33 in 1 columns}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<2x?xi32>, tensor<?x4xi32>, tensor<64x64xi32>, tensor<4x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21, 0, 22, 0, 23, 0, 24, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0, 30, 0, 31, 0, 32>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 32]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<2x?xi32>, tensor<?x4xi32>, tensor<64x64xi32>, tensor<4x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x64xi32>, %t: tensor<4x512xi32>) {
  // expected-error @+1 {{expects 'masks' to have size 2 in dimension 0, the words of a mask, but found 'tensor<1x?xi32>'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x64xi32>, tensor<4x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16, 1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1, 8, 1, 9, 1, 10, 1, 11, 1, 12, 1, 13, 1, 14, 1, 15, 1, 16>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 32]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x64xi32>, tensor<4x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<5xi32>, %m: tensor<1x4xi32>, %r: tensor<4x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects 'records' to have size 5 in dimension 0, the rows of 'out_keys', but found 'tensor<4x4xi32>'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<5xi32>)
      outs(%m, %r, %c, %t : tensor<1x4xi32>, tensor<4x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x4xi32>, tensor<4x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x5xi32>, %r: tensor<4x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects 'records' to have size 5 in dimension 0, the columns of 'masks', but found 'tensor<4x4xi32>'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x5xi32>, tensor<4x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x5xi32>, tensor<4x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x2xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects 'records' to have size 4 in dimension 1, the words of a record of 1 columns, but found 'tensor<?x2xi32>'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x2xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x2xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<32x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects 'counts' to have size 64 in dimension 0, the most runs of rows of a sample, but found 'tensor<32x32xi32>'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<32x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<32x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x2xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects 'counts' to have size 32 in dimension 1, the bits of a mask, but found 'tensor<64x2xi32>'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x2xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x2xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<3x512xi32>) {
  // expected-error @+1 {{expects 'totals' to have size 2 in dimension 0, one more than the digits of the keys, but found 'tensor<3x512xi32>'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<3x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<3x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x256xi32>) {
  // expected-error @+1 {{expects 'totals' to have size 512 in dimension 1, the values of a digit, but found 'tensor<2x256xi32>'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x256xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x256xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects 'sample_rows' of 64, 128 or 256, but found 32}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 32 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %o: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>, %table: tensor<?x3xi32>) {
  // expected-error @+1 {{expects 'table' to have size 2 in dimension 1, one for each displacement, but found 'tensor<?x3xi32>'}}
  %0:5 = sparseconv.kernel.search_hits
      ins(%i, %o : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t, %table : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>, tensor<?x3xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>, tensor<?x3xi32>)
  return
}

// -----

func.func @f(%i: tensor<?xi32>, %m: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects a search that finds all hits of a row, but found 'half'}}
  %0:4 = sparseconv.kernel.search_hits
      ins(%i, %i : tensor<?xi32>, tensor<?xi32>)
      outs(%m, %r, %c, %t : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, -1, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64, search = #sparseconv.search<zdelta, half>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// tile_rows, untile_rows, tile_hits
//===----------------------------------------------------------------------===//

func.func @f(%table: tensor<?x2xi32>, %tt: tensor<3x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects 'tiled_table' to have size 2 in dimension 0, the offsets of 'table', but found 'tensor<3x?xi32>'}}
  %0 = sparseconv.kernel.untile_rows
      ins(%tt, %o, %m, %s : tensor<3x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%table : tensor<?x2xi32>) -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%table: tensor<?x?xi32>, %n: index, %tt: tensor<2x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects 'table' to have a static last dimension, but found 'tensor<?x?xi32>'}}
  %0:4 = sparseconv.kernel.tile_rows
      ins(%table, %n : tensor<?x?xi32>, index)
      outs(%tt, %o, %m, %s : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return
}

// -----

func.func @f(%table: tensor<?x2xi32>, %n: index, %tt: tensor<3x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects 'tiled_table' to have size 2 in dimension 0, the offsets of 'table', but found 'tensor<3x?xi32>'}}
  %0:4 = sparseconv.kernel.tile_rows
      ins(%table, %n : tensor<?x2xi32>, index)
      outs(%tt, %o, %m, %s : tensor<3x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      -> (tensor<3x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return
}

// -----

func.func @f(%table: tensor<?x2xi32>, %n: index, %tt: tensor<2x256xi32>, %o: tensor<128xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects 'order' to have size 256 in dimension 0, the slots of 'tiled_table', but found 'tensor<128xi32>'}}
  %0:4 = sparseconv.kernel.tile_rows
      ins(%table, %n : tensor<?x2xi32>, index)
      outs(%tt, %o, %m, %s : tensor<2x256xi32>, tensor<128xi32>, tensor<?x1xi32>, tensor<3xindex>)
      -> (tensor<2x256xi32>, tensor<128xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return
}

// -----

func.func @f(%table: tensor<?x2xi32>, %n: index, %tt: tensor<2x?xi32>, %o: tensor<?xi32>, %m: tensor<?x2xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects 'masks' to have size 1 in dimension 1, the words of as many offsets as 'table' has, but found 'tensor<?x2xi32>'}}
  %0:4 = sparseconv.kernel.tile_rows
      ins(%table, %n : tensor<?x2xi32>, index)
      outs(%tt, %o, %m, %s : tensor<2x?xi32>, tensor<?xi32>, tensor<?x2xi32>, tensor<3xindex>)
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x2xi32>, tensor<3xindex>)
  return
}

// -----

func.func @f(%table: tensor<?x2xi32>, %n: index, %tt: tensor<2x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<2xindex>) {
  // expected-error @+1 {{expects 'sizes' to have size 3 in dimension 0, the rows and slots, but found 'tensor<2xindex>'}}
  %0:4 = sparseconv.kernel.tile_rows
      ins(%table, %n : tensor<?x2xi32>, index)
      outs(%tt, %o, %m, %s : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<2xindex>)
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<2xindex>)
  return
}

// -----

func.func @f(%h: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %n: index, %tt: tensor<2x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects 'displacements' within the guard 4 of the packing on axis 0, but found 5}}
  %0:4 = sparseconv.kernel.tile_hits
      ins(%h, %r, %c, %n : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, index)
      outs(%tt, %o, %m, %s : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      {displacements = array<i64: 0, 8, 5, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64}
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return
}

// -----

// No set has multiples of 2 alone that are found at 1 and 3 from them.

func.func @f(%h: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %n: index, %tt: tensor<2x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects at most 343 'displacements', distinct ones, in at most 128 columns of at most 32, where they differ by what they and the last numbers of the strides are multiples of, but found 2 in 1 columns}}
  %0:4 = sparseconv.kernel.tile_hits
      ins(%h, %r, %c, %n : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, index)
      outs(%tt, %o, %m, %s : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      {displacements = array<i64: 0, 1, 0, 3>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64}
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return
}

// -----

func.func @f(%h: tensor<1x?xi32>, %r: tensor<?x8xi32>, %c: tensor<64x32xi32>, %n: index, %tt: tensor<2x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects 'records' to have size 4 in dimension 1, the words of a record of 2 columns, but found 'tensor<?x8xi32>'}}
  %0:4 = sparseconv.kernel.tile_hits
      ins(%h, %r, %c, %n : tensor<1x?xi32>, tensor<?x8xi32>, tensor<64x32xi32>, index)
      outs(%tt, %o, %m, %s : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      {displacements = array<i64: 0, 0, 1, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64}
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return
}

// -----

func.func @f(%h: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %n: index, %tt: tensor<3x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects 'tiled_table' to have size 2 in dimension 0, the offsets of 'displacements', but found 'tensor<3x?xi32>'}}
  %0:4 = sparseconv.kernel.tile_hits
      ins(%h, %r, %c, %n : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, index)
      outs(%tt, %o, %m, %s : tensor<3x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64}
      -> (tensor<3x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return
}

// -----

func.func @f(%h: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %n: index, %tt: tensor<2x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>, %t: tensor<2x256xi32>) {
  // expected-error @+1 {{expects 'totals' to have size 512 in dimension 1, the values of a digit, but found 'tensor<2x256xi32>'}}
  %0:5 = sparseconv.kernel.tile_hits
      ins(%h, %r, %c, %n : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, index)
      outs(%tt, %o, %m, %s, %t : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<2x256xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 256 : i64}
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<2x256xi32>)
  return
}

// -----

// Rows in the order of space have keys of 27 bits.

func.func @f(%h: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %n: index, %tt: tensor<2x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>, %t: tensor<2x512xi32>) {
  // expected-error @+1 {{expects 'totals' to have size 4 in dimension 0, one more than the digits of the keys, but found 'tensor<2x512xi32>'}}
  %0:5 = sparseconv.kernel.tile_hits
      ins(%h, %r, %c, %n : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, index)
      outs(%tt, %o, %m, %s, %t : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, row_order = #sparseconv<row_order space>, sample_rows = 256 : i64}
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<2x512xi32>)
  return
}

// -----

func.func @f(%h: tensor<1x?xi32>, %r: tensor<?x4xi32>, %c: tensor<64x32xi32>, %n: index, %tt: tensor<2x?xi32>, %o: tensor<?xi32>, %m: tensor<?x1xi32>, %s: tensor<3xindex>) {
  // expected-error @+1 {{expects 'sample_rows' of 64, 128 or 256, but found 512}}
  %0:4 = sparseconv.kernel.tile_hits
      ins(%h, %r, %c, %n : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, index)
      outs(%tt, %o, %m, %s : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, sample_rows = 512 : i64}
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return
}
