// How rows are ordered on a GPU: each row has a place, and a tile's mask has the
// offsets of its rows. In the orders `gray` and `mask` tiles have as many offsets,
// within 2 %, as if rows were sorted by their whole masks. Maps of few pairs are sorted
// by short keys, those of many by long ones, and the 343 offsets of 7x7x7 are ranked by
// a kernel of their own.

// REQUIRES: cuda

// DEFINE: %{make} = %python %S/Inputs/row_order.py make %t
// DEFINE: %{write} = sed "s/27/$offsets/g; s/?x1xi32/?x${words}xi32/g; s/gray/$order/" %s > %t/rows.mlir
// DEFINE: %{run} = env SPARSECONV_POISON=1 sparseconv-run %t/rows.mlir --target=cuda --allow-kernel-operations --quiet --input %t/table.npy --output order=%t/order.npy --output masks=%t/masks.npy
// DEFINE: %{check} = %python %S/Inputs/row_order.py check %t $order

// RUN: rm -rf %t && mkdir %t
// RUN: for case in "3x3x3 0" "3x3x3 1" "3x3x3 31" "3x3x3 129" "3x3x3 9001" "3x3x3 350003" "3x3x3 524288" "3x3x3 600011" "4x4x2 9001" "5x5x3 9001" "5x5x5 9001" "5x5x5 70001" "5x5x5 130003" "7x7x7 20011"; do \
// RUN:   set -- $case && offsets=$((${1//x/*})) && words=$(((offsets + 31) / 32)) && %{make} $1 $2 || exit 1; \
// RUN:   for order in gray mask; do %{write} && %{run} && %{check} || exit 1; done \
// RUN: done

// Long keys within blocks of space, and those of 32 offsets, which have four digits.

// RUN: for case in "3x3x3 350003" "4x4x2 350003" "5x5x5 130003"; do \
// RUN:   set -- $case && offsets=$((${1//x/*})) && words=$(((offsets + 31) / 32)) && %{make} $1 $2 || exit 1; \
// RUN:   for order in gray space density; do %{write} && %{run} && %{check} || exit 1; done \
// RUN: done

func.func @rows(%table: tensor<?x27xi32>)
    -> (tensor<?xi32> {sparseconv.name = "order"}, tensor<?x1xi32> {sparseconv.name = "masks"}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %rows = tensor.dim %table, %c0 : tensor<?x27xi32>
  %tiles = arith.ceildivui %rows, %c16 : index
  %slots = arith.muli %tiles, %c16 : index
  %tiled = tensor.empty(%slots) : tensor<27x?xi32>
  %order = tensor.empty(%slots) : tensor<?xi32>
  %masks = tensor.empty(%tiles) : tensor<?x1xi32>
  %sizes = tensor.empty() : tensor<3xindex>
  %0:4 = sparseconv.kernel.tile_rows ins(%table, %rows : tensor<?x27xi32>, index)
      outs(%tiled, %order, %masks, %sizes : tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      {row_order = #sparseconv<row_order gray>}
      -> (tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return %0#1, %0#2 : tensor<?xi32>, tensor<?x1xi32>
}
