// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-loops --split-input-file --verify-diagnostics
// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --split-input-file --verify-diagnostics

// The name of a search is looked up by the conversions that write its kernels.

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

func.func @search(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x1xi32>) {
  // expected-error @+1 {{'sparseconv.kernel.search' op cannot be carried out: no search 'guess' is known; there are: zdelta, binary, hash, grid}}
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x1xi32>)
      {displacements = array<i64: 0, 0, 0>,
       packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>, search = #sparseconv.search<guess>}
  return
}

}

// -----

// So is whether it can search these sets.

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

func.func @grid(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x1xi32>) {
  // expected-error @+1 {{'sparseconv.kernel.search' op cannot be carried out: a grid may have 2^27 cells, but the packing has 2^28 at the stride of the input set}}
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x1xi32>)
      {displacements = array<i64: 0, 0, 0>, in_stride = array<i64: 2, 2, 1>,
       packing = #sparseconv.packing<i64, batch = 2, bits = [9, 9, 10], guard = [2, 2, 2]>, search = #sparseconv.search<grid>}
  return
}

}
