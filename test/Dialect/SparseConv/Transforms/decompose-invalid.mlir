// RUN: sparseconv-opt %s --allow-unregistered-dialect --sparseconv-decompose --split-input-file --verify-diagnostics

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [4, 4, 4]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @takes_table(%map: !map) {
  // expected-error@+1 {{'test.use' op takes or gives a kernel map, which becomes a table, and sparseconv-decompose does not know the operation}}
  "test.use"(%map) : (!map) -> ()
  return
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [4, 4, 4]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @gives_map() -> index {
  // expected-error@+1 {{'test.map' op takes or gives a kernel map, which becomes a table, and sparseconv-decompose does not know the operation}}
  %map = "test.map"() : () -> !map
  %rows = sparseconv.map_size in %map : !map
  return %rows : index
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [4, 4, 4]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// Tiles are what our own kernels read.
func.func @gives_tiles(%set: !set) -> tensor<27x?xi32> {
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  // expected-error@+1 {{'sparseconv.map_tiles' op takes or gives a kernel map, which becomes a table, and sparseconv-decompose does not know the operation}}
  %table, %row, %masks, %sizes = sparseconv.map_tiles %map : !map
  return %table : tensor<27x?xi32>
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [4, 4, 4]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @takes_tiles(%set: !set, %table: tensor<27x?xi32>, %row: tensor<?xi32>,
                       %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>) -> index {
  // expected-error@+1 {{'sparseconv.map_from_tiles' op takes or gives a kernel map, which becomes a table, and sparseconv-decompose does not know the operation}}
  %map = sparseconv.map_from_tiles %table, %row, %masks, %sizes, %set to %set : tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !map
  %rows = sparseconv.map_size in %map : !map
  return %rows : index
}
