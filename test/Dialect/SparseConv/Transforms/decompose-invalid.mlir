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
