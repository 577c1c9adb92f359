// RUN: sparseconv-opt %s --sparseconv-select-indexing | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_80 --sparseconv-select-indexing | FileCheck %s

// Each kernel map says how it is searched for; what is written by hand stays.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// CHECK-LABEL: func.func @maps(
func.func @maps(%c: !set) -> (!map, !map, !map) {
  // CHECK: sparseconv.kernel_map {{.*}} offsets(box<3, 3, 3>) {search = #sparseconv.search<zdelta>}
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  // CHECK: sparseconv.kernel_map {{.*}} transposed {search = #sparseconv.search<zdelta>}
  %n = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) transposed : !map
  // CHECK: sparseconv.kernel_map {{.*}} {search = #sparseconv.search<guess>}
  %o = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) {search = #sparseconv.search<guess>} : !map
  return %m, %n, %o : !map, !map, !map
}
