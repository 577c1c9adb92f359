// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-loops --verify-diagnostics
// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --verify-diagnostics

// The name of a search is looked up by the conversions that write its kernels.

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

func.func @search(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x1xi32>) {
  // expected-error @+1 {{'sparseconv.kernel.search' op cannot be carried out: no search 'guess' is known; there are: zdelta}}
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x1xi32>)
      {displacements = array<i64: 0, 0, 0>,
       packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>, search = #sparseconv.search<guess>}
  return
}

}
