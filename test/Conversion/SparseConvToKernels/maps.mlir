// RUN: sparseconv-opt %s --sparseconv-select-indexing --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

// A kernel map is its neighbour table [rows of the out set, K] and the number of
// rows of its in set.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!down = !sparseconv.kernel_map<2, !fine to !half>
!same = !sparseconv.kernel_map<1, !fine to !fine>
!up = !sparseconv.kernel_map<2, !half to !fine>

// Forward: in = out + S_in * d.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[IN:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[OUT:[^:]*]]: tensor<?xi64>
// CHECK-SAME: -> (tensor<?x2xi32>, index)
// CHECK:     %[[NOUT:.*]] = tensor.dim %[[OUT]]
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[NOUT]]) : tensor<?x2xi32>
// CHECK:     %[[TABLE:.*]] = sparseconv.kernel.search ins(%[[IN]], %[[OUT]] : {{.*}}) outs(%[[INIT]] :
// CHECK-SAME:  {displacements = array<i64: 0, 0, -1, 1, 0, 2>, out_stride = array<i64: 2, 2, 2>, packing = #packing, search = #sparseconv.search<zdelta>}
// CHECK:     %[[NIN:.*]] = tensor.dim %[[IN]]
// CHECK:     return %[[TABLE]], %[[NIN]]
func.func @forward(%fine: !fine, %half: !half) -> !down {
  %m = sparseconv.kernel_map %fine to %half offsets(list<[0, 0, -1], [1, 0, 2]>) : !down
  return %m : !down
}

// Transposed: in = out - S_out * d.
// CHECK-LABEL: func.func @transposed(
// CHECK: sparseconv.kernel.search {{.*}} {displacements = array<i64: 0, 0, 1, -1, 0, -2>, in_stride = array<i64: 2, 2, 2>, packing
func.func @transposed(%fine: !fine, %half: !half) -> !up {
  %m = sparseconv.kernel_map %half to %fine offsets(list<[0, 0, -1], [1, 0, 2]>) transposed : !up
  return %m : !up
}

// Each row of a set meets itself: the table has the numbers of the rows.
// CHECK-LABEL: func.func @identity(
// CHECK-SAME: %[[IN:[^:]*]]: tensor<?xi64>
// CHECK:     %[[N:.*]] = tensor.dim %[[IN]]
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[N]]) : tensor<?x1xi32>
// CHECK:     %[[TABLE:.*]] = linalg.generic {{.*}} outs(%[[INIT]] :
// CHECK:       linalg.index 0
// CHECK-NOT: sparseconv.kernel
// CHECK:     return %[[TABLE]], %[[N]]
func.func @identity(%fine: !fine) -> !same {
  %m = sparseconv.kernel_map %fine to %fine offsets(box<1, 1, 1>) : !same
  return %m : !same
}

// The sides swap: the table of the transposed map has the rows of the in set.
// CHECK-LABEL: func.func @transpose_map(
// CHECK-SAME: %[[TABLE:[^:]*]]: tensor<?x2xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index
// CHECK-DAG: %[[INIT:.*]] = tensor.empty(%[[NIN]]) : tensor<?x2xi32>
// CHECK-DAG: %[[BACK:.*]] = sparseconv.kernel.invert_table ins(%[[TABLE]] : {{.*}} outs(%[[INIT]] :
// CHECK-DAG: %[[NOUT:.*]] = tensor.dim %[[TABLE]]
// CHECK:     return %[[BACK]], %[[NOUT]]
func.func @transpose_map(%m: !down) -> !up {
  %back = sparseconv.transpose_map %m : !down -> !up
  return %back : !up
}

// Going back over a map that is transposed takes the table that was transposed.
// CHECK-LABEL: func.func @back_over_transposed(
// CHECK-SAME: %[[TABLE:[^:]*]]: tensor<?x2xi32>
// CHECK:     sparseconv.kernel.pair_lists ins(%[[TABLE]] :
// CHECK:     sparseconv.kernel.gather_gemm_scatter {{.*}}transpose_weights
func.func @back_over_transposed(%m: !down, %dy: tensor<?x4xf32>, %w: tensor<2x4x4xf32>) -> tensor<?x4xf32> {
  %back = sparseconv.transpose_map %m : !down -> !up
  %dx = sparseconv.input_grad %dy, %w, %back {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<row_block = 64, rows = 16, columns = 16, lanes = 8>}
      : tensor<?x4xf32>, tensor<2x4x4xf32>, !up -> tensor<?x4xf32>
  return %dx : tensor<?x4xf32>
}

// A map by tiles, which is checked as a table is.
// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: %[[TABLE:[^:]*]]: tensor<?x2xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index
// CHECK: sparseconv.kernel.tile_rows ins(%[[TABLE]], %[[NIN]] :
func.func @tiles(%m: !down) -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>) {
  %t, %row, %masks, %sizes = sparseconv.map_tiles %m : !down
  return %t, %row, %masks, %sizes : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>
}

// CHECK-LABEL: func.func @from_tiles(
// CHECK: %[[TABLE:.*]] = sparseconv.kernel.untile_rows ins({{.*}}) outs(
// CHECK-NOT: trusted
// CHECK: %[[CHECKED:.*]] = sparseconv.kernel.check_table ins(%[[TABLE]],
// CHECK: return %[[CHECKED]],
func.func @from_tiles(%t: tensor<2x?xi32>, %row: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                      %fine: !fine, %half: !half) -> !down {
  %m = sparseconv.map_from_tiles %t, %row, %masks, %sizes, %fine to %half
      : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !down
  return %m : !down
}

// Tiles that somebody vouches for are those of the map.
// CHECK-LABEL: func.func @tiles_of_trusted(
// CHECK-SAME: %[[T:[^:]*]]: tensor<2x?xi32> {{[^,]*}}, %[[ROW:[^:]*]]: tensor<?xi32> {{[^,]*}}, %[[MASKS:[^:]*]]: tensor<?x1xi32> {{[^,]*}}, %[[SIZES:[^:]*]]: tensor<3xindex>
// CHECK-NOT: sparseconv.kernel
// CHECK: return %[[T]], %[[ROW]], %[[MASKS]], %[[SIZES]]
func.func @tiles_of_trusted(%t: tensor<2x?xi32>, %row: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                            %fine: !fine, %half: !half) -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>) {
  %m = sparseconv.map_from_tiles %t, %row, %masks, %sizes, %fine to %half {sparseconv.trusted}
      : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !down
  %0, %1, %2, %3 = sparseconv.map_tiles %m : !down
  return %0, %1, %2, %3 : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>
}

// In another order, their rows are put in tiles again.
// CHECK-LABEL: func.func @tiles_in_order(
// CHECK-SAME: %[[T:[^:]*]]: tensor<2x?xi32> {{[^,]*}}, %[[ROW:[^:]*]]: tensor<?xi32> {{[^,]*}}, %[[MASKS:[^:]*]]: tensor<?x1xi32> {{[^,]*}}, %[[SIZES:[^:]*]]: tensor<3xindex>
// CHECK: %[[TABLE:.*]] = sparseconv.kernel.untile_rows ins(%[[T]], %[[ROW]], %[[MASKS]], %[[SIZES]]
// CHECK: sparseconv.kernel.tile_rows ins(%[[TABLE]], {{.*}} {row_order = #sparseconv<row_order space>}
func.func @tiles_in_order(%t: tensor<2x?xi32>, %row: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                          %fine: !fine, %half: !half) -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>) {
  %m = sparseconv.map_from_tiles %t, %row, %masks, %sizes, %fine to %half {sparseconv.trusted}
      : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !down
  %0, %1, %2, %3 = sparseconv.map_tiles %m {row_order = #sparseconv<row_order space>} : !down
  return %0, %1, %2, %3 : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>
}

// A table that somebody vouches for is that of the map, with the rows of the out set.
// CHECK-LABEL: func.func @from_trusted_table(
// CHECK-SAME: %[[GIVEN:[^:]*]]: tensor<?x2xi32> {{[^,]*}}, %[[IN:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[OUT:[^:]*]]: tensor<?xi64>
// CHECK-NOT: sparseconv.kernel
// CHECK-DAG: %[[NOUT:.*]] = tensor.dim %[[OUT]]
// CHECK-DAG: %[[TABLE:.*]] = tensor.extract_slice %[[GIVEN]][0, 0] [%[[NOUT]], 2]
// CHECK: return %[[TABLE]],
func.func @from_trusted_table(%table: tensor<?x2xi32>, %fine: !fine, %half: !half) -> !down {
  %m = sparseconv.map_from_table %table, %fine to %half {sparseconv.trusted} : tensor<?x2xi32>, !down
  return %m : !down
}

// CHECK-LABEL: func.func @sizes_and_table(
// CHECK-SAME: %[[TABLE:[^:]*]]: tensor<?x2xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index
// CHECK: %[[NOUT:.*]] = tensor.dim %[[TABLE]]
// CHECK: return %[[NIN]], %[[NOUT]], %[[TABLE]]
func.func @sizes_and_table(%m: !down) -> (index, index, tensor<?x2xi32>) {
  %in = sparseconv.map_size in %m : !down
  %out = sparseconv.map_size out %m : !down
  %table = sparseconv.neighbour_table %m : !down -> tensor<?x2xi32>
  return %in, %out, %table : index, index, tensor<?x2xi32>
}

// A map that is given is checked.
// CHECK-LABEL: func.func @from_pairs(
// CHECK-SAME: %[[PAIRS:[^:]*]]: tensor<?x3xi32> {{[^,]*}}, %[[IN:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[OUT:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK-DAG: %[[NIN:.*]] = tensor.dim %[[IN]]
// CHECK-DAG: %[[NOUT:.*]] = tensor.dim %[[OUT]]
// CHECK-DAG: %[[INIT:.*]] = tensor.empty(%[[NOUT]]) : tensor<?x2xi32>
// CHECK:     %[[TABLE:.*]] = sparseconv.kernel.table_from_pairs ins(%[[PAIRS]], %[[NIN]], %[[STATUS]] : {{.*}}) outs(%[[INIT]] : {{.*}}) {op_id = {{[0-9]+}} : i64}
// CHECK:     return %[[TABLE]], %[[NIN]]
func.func @from_pairs(%pairs: tensor<?x3xi32>, %fine: !fine, %half: !half) -> !down {
  %m = sparseconv.map_from_pairs %pairs, %fine to %half : tensor<?x3xi32>, !down
  return %m : !down
}

// CHECK-LABEL: func.func @from_table(
// CHECK-SAME: %[[GIVEN:[^:]*]]: tensor<?x2xi32>
// CHECK: sparseconv.kernel.check_table ins(%[[GIVEN]],
func.func @from_table(%table: tensor<?x2xi32>, %fine: !fine, %half: !half) -> !down {
  %m = sparseconv.map_from_table %table, %fine to %half : tensor<?x2xi32>, !down
  return %m : !down
}

// Rows by which a table is renumbered are checked, as a table is, unless somebody
// vouches for them.
// CHECK-LABEL: func.func @renumber(
// CHECK-SAME: %[[TABLE:[^:]*]]: tensor<?x2xi32> {{[^,]*}}, %[[ROWS:[^:]*]]: tensor<9xi32> {{[^,]*}}, %[[NUMBERS:[^:]*]]: tensor<?xi32> {{[^,]*}}, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK: %[[OUT:.*]] = sparseconv.kernel.renumber_table ins(%[[TABLE]], %[[ROWS]], %[[STATUS]] : {{.*}}) {op_id = {{[0-9]+}} : i64, side = #sparseconv<map_side out>}
// CHECK: sparseconv.kernel.renumber_table ins(%{{.*}}, %[[NUMBERS]], %[[STATUS]] : {{.*}}) {op_id = {{[0-9]+}} : i64, side = #sparseconv<map_side in>, trusted}
func.func @renumber(%table: tensor<?x2xi32>, %rows: tensor<9xi32>, %numbers: tensor<?xi32>) -> tensor<9x2xi32> {
  %0 = sparseconv.renumber_table out %table, %rows : tensor<?x2xi32>, tensor<9xi32> -> tensor<9x2xi32>
  %1 = sparseconv.renumber_table in %0, %numbers {sparseconv.trusted} : tensor<9x2xi32>, tensor<?xi32> -> tensor<9x2xi32>
  return %1 : tensor<9x2xi32>
}
