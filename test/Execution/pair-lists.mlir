// The pairs of a neighbour table by block of rows and offset. Every convolution on
// the CPU uses them; on a GPU those that are weight-stationary.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/pair_lists.py make %t 0 1 31 129 4099
// RUN: for size in 0 1 31 129 4099; do \
// RUN:   env SPARSECONV_POISON=1 sparseconv-run %s --allow-kernel-operations --entry=list --input %t/table-$size.npy --output in=%t/in.npy --output out=%t/out.npy --output segments=%t/segments.npy --quiet && \
// RUN:   %python %S/Inputs/pair_lists.py check %t $size --block=128 || exit 1; \
// RUN: done
// RUN: sparseconv-run %s --allow-kernel-operations --entry=segments --input %t/table-4099.npy --quiet

func.func private @make(%table: tensor<?x27xi32>)
    -> (tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>) {
  %c0 = arith.constant 0 : index
  %c27 = arith.constant 27 : index
  %c128 = arith.constant 128 : index
  %rows = tensor.dim %table, %c0 : tensor<?x27xi32>
  %room = arith.muli %rows, %c27 : index
  %blocks = arith.ceildivui %rows, %c128 : index
  %in_rows = tensor.empty(%room) : tensor<?xi32>
  %out_rows = tensor.empty(%room) : tensor<?xi32>
  %segments = tensor.empty(%blocks) : tensor<?x28xi64>
  %0:3 = sparseconv.kernel.pair_lists ins(%table : tensor<?x27xi32>)
      outs(%in_rows, %out_rows, %segments : tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>)
      {row_block = 128 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>)
  return %0#0, %0#1, %0#2 : tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>
}

func.func @list(%table: tensor<?x27xi32>)
    -> (tensor<?xi32> {sparseconv.name = "in"}, tensor<?xi32> {sparseconv.name = "out"},
        tensor<?x28xi64> {sparseconv.name = "segments"}) {
  %0:3 = func.call @make(%table) : (tensor<?x27xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>)
  return %0#0, %0#1, %0#2 : tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>
}

// Without the lists, behind whose last pairs nothing is written.
func.func @segments(%table: tensor<?x27xi32>) -> (tensor<?x28xi64> {sparseconv.name = "segments"}) {
  %0:3 = func.call @make(%table) : (tensor<?x27xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>)
  return %0#2 : tensor<?x28xi64>
}
