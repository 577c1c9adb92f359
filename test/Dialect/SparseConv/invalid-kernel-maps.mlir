// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of kernel operations on maps refuse, and what they say.

//===----------------------------------------------------------------------===//
// search, invert_table, renumber_table
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'in_keys' to have elements of type 'i32', the keys of the packing, but found 'tensor<?xi64>'}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi64>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi64>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'out_keys' to have elements of type 'i32', the keys of the packing, but found 'tensor<?xi64>'}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi64>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'displacements' with one number for each of 2 axes per displacement, and at least one, but found 3 numbers}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'displacements' within the guard 4 of the packing on axis 0, but found 5}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 8, 5, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'table' to have size 3 in dimension 1, one for each displacement, but found 'tensor<?x2xi32>'}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1, 1, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects a search with 'half' to have the same 'in_keys' and 'out_keys', but found two values}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, -1, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta, half>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects a search with 'half' to have distinct 'displacements' that are symmetric about 0, but found others}}
  %r = sparseconv.kernel.search
      ins(%i0, %i0 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta, half>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects a search with 'half' to have distinct 'displacements' that are symmetric about 0, but found others}}
  %r = sparseconv.kernel.search
      ins(%i0, %i0 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta, half>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'in_stride' with one number for each of 2 axes, but found 3}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, in_stride = array<i64: 1, 1, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'in_stride' of at least 1, but found 0}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, in_stride = array<i64: 1, 0>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %i1: tensor<?xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'out_stride' of at least 1, but found 0}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<?xi32>, tensor<?xi32>)
      outs(%o0 : tensor<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, in_stride = array<i64: 1, 2>, out_stride = array<i64: 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<5xi32>, %i1: tensor<4xi32>, %o0: tensor<5x2xi32>) {
  // expected-error @+1 {{expects 'table' to have size 4 in dimension 0, the rows of 'out_keys', but found 'tensor<5x2xi32>'}}
  %r = sparseconv.kernel.search
      ins(%i0, %i1 : tensor<5xi32>, tensor<4xi32>)
      outs(%o0 : tensor<5x2xi32>)
      {displacements = array<i64: 0, 0, 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 8]>, search = #sparseconv.search<zdelta>} -> tensor<5x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?x2xi32>, %n: index, %i1: memref<8xi64>, %o0: tensor<?x3xi32>) {
  // expected-error @+1 {{expects 'pairs' to have size 3 in dimension 1, two rows and an offset, but found 'tensor<?x2xi32>'}}
  %r = sparseconv.kernel.table_from_pairs ins(%i0, %n, %i1 : tensor<?x2xi32>, index, memref<8xi64>)
      outs(%o0 : tensor<?x3xi32>) {op_id = 0 : i64} -> tensor<?x3xi32>
  return
}

// -----

func.func @f(%i0: tensor<?x3xi32>, %n: index, %i1: memref<8xi64>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'given' to have size 2 in dimension 1, the offsets of 'table', but found 'tensor<?x3xi32>'}}
  %r = sparseconv.kernel.check_table ins(%i0, %n, %i1 : tensor<?x3xi32>, index, memref<8xi64>)
      outs(%o0 : tensor<?x2xi32>) {op_id = 0 : i64} -> tensor<?x2xi32>
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

// The result has as many rows as are asked for, or as the table.
func.func @f(%table: tensor<7x2xi32>, %rows: tensor<4xi32>, %s: memref<8xi64>, %o: tensor<7x2xi32>) {
  // expected-error @+1 {{expects 'renumbered' to have size 4 in dimension 0, the rows of 'rows', but found 'tensor<7x2xi32>'}}
  %r = sparseconv.kernel.renumber_table
      ins(%table, %rows, %s : tensor<7x2xi32>, tensor<4xi32>, memref<8xi64>)
      outs(%o : tensor<7x2xi32>) {op_id = 2 : i64, side = #sparseconv<map_side out>} -> tensor<7x2xi32>
  return
}

// -----

func.func @f(%table: tensor<7x2xi32>, %rows: tensor<4xi32>, %s: memref<8xi64>, %o: tensor<4x2xi32>) {
  // expected-error @+1 {{expects 'renumbered' to have size 7 in dimension 0, the rows of 'table', but found 'tensor<4x2xi32>'}}
  %r = sparseconv.kernel.renumber_table
      ins(%table, %rows, %s : tensor<7x2xi32>, tensor<4xi32>, memref<8xi64>)
      outs(%o : tensor<4x2xi32>) {op_id = 2 : i64, side = #sparseconv<map_side in>} -> tensor<4x2xi32>
  return
}

// -----

func.func @f(%table: tensor<?x2xi32>, %rows: tensor<?xi32>, %s: memref<8xi64>, %o: tensor<?x3xi32>) {
  // expected-error @+1 {{expects 'renumbered' to have size 2 in dimension 1, the offsets of 'table', but found 'tensor<?x3xi32>'}}
  %r = sparseconv.kernel.renumber_table
      ins(%table, %rows, %s : tensor<?x2xi32>, tensor<?xi32>, memref<8xi64>)
      outs(%o : tensor<?x3xi32>) {op_id = 2 : i64, side = #sparseconv<map_side in>} -> tensor<?x3xi32>
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

func.func @f(%i0: tensor<?x3xi32>, %o0: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'kept' to have size 3 in dimension 1, the offsets of 'table', but found 'tensor<?x2xi32>'}}
  %r = sparseconv.kernel.keep_offsets
      ins(%i0 : tensor<?x3xi32>)
      outs(%o0 : tensor<?x2xi32>) {offsets = array<i64: 0, 1>} -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?x3xi32>, %o0: tensor<?x3xi32>) {
  // expected-error @+1 {{expects ascending numbers below the 3 offsets of 'table' in 'offsets', but found 3}}
  %r = sparseconv.kernel.keep_offsets
      ins(%i0 : tensor<?x3xi32>)
      outs(%o0 : tensor<?x3xi32>) {offsets = array<i64: 0, 3>} -> tensor<?x3xi32>
  return
}

// -----

func.func @f(%i0: tensor<?x3xi32>, %o0: tensor<?x3xi32>) {
  // expected-error @+1 {{expects ascending numbers below the 3 offsets of 'table' in 'offsets', but found 1}}
  %r = sparseconv.kernel.keep_offsets
      ins(%i0 : tensor<?x3xi32>)
      outs(%o0 : tensor<?x3xi32>) {offsets = array<i64: 1, 1>} -> tensor<?x3xi32>
  return
}

// -----

func.func @f(%i0: tensor<?x3xi32>, %o0: tensor<?x3xi32>) {
  // expected-error @+1 {{expects ascending numbers below the 3 offsets of 'table' in 'offsets', but found -1}}
  %r = sparseconv.kernel.keep_offsets
      ins(%i0 : tensor<?x3xi32>)
      outs(%o0 : tensor<?x3xi32>) {offsets = array<i64: -1, 1>} -> tensor<?x3xi32>
  return
}
