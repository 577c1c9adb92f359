// RUN: sparseconv-opt %s --sparseconv-select-indexing | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_80 --sparseconv-select-indexing | FileCheck %s --check-prefixes=CHECK,GPU

// Each kernel map says how it is searched for, and each floored set how it is
// floored; what is written by hand stays.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!one = !sparseconv.kernel_map<1, !set to !set>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!third = !sparseconv.coords<3, stride = [3, 3, 3], #packing>
!fourth = !sparseconv.coords<3, stride = [4, 4, 4], #packing>

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

// Nothing is searched where each row of a set meets itself alone, unless somebody
// says how; rows of two sets, or at another offset, are.

// CHECK-LABEL: func.func @identities(
func.func @identities(%c: !set, %d: !set) -> (!one, !one, !one, !one) {
  // CHECK: sparseconv.kernel_map {{.*}} offsets(box<1, 1, 1>) :
  %m = sparseconv.kernel_map %c to %c offsets(box<1, 1, 1>) : !one
  // CHECK: sparseconv.kernel_map {{.*}} {search = #sparseconv.search<hash>}
  %n = sparseconv.kernel_map %c to %c offsets(box<1, 1, 1>) {search = #sparseconv.search<hash>} : !one
  // CHECK: sparseconv.kernel_map {{.*}} offsets(list<[0, 0, 1]>) {search = #sparseconv.search<zdelta>}
  %o = sparseconv.kernel_map %c to %c offsets(list<[0, 0, 1]>) : !one
  // CHECK: sparseconv.kernel_map {{.*}} offsets(box<1, 1, 1>) {search = #sparseconv.search<zdelta>}
  %p = sparseconv.kernel_map %c to %d offsets(box<1, 1, 1>) : !one
  return %m, %n, %o, %p : !one, !one, !one, !one
}

// On a GPU cells of a few columns are merged: here of 4, 16 and 9, where the last
// ones do not begin with the packing.

// CHECK-LABEL: func.func @floors(
func.func @floors(%c: !set) -> (!half, !fourth, !third, !half, !half) {
  // CPU: sparseconv.downsample %{{.*}} by [2, 2, 2] {coarsening = #sparseconv.coarsening<sort>}
  // GPU: sparseconv.downsample %{{.*}} by [2, 2, 2] {coarsening = #sparseconv.coarsening<merge>}
  %0 = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  // CHECK: sparseconv.downsample %{{.*}} by [4, 4, 4] {coarsening = #sparseconv.coarsening<sort>}
  %1 = sparseconv.downsample %c by [4, 4, 4] : !set -> !fourth
  // CHECK: sparseconv.downsample %{{.*}} by [3, 3, 3] {coarsening = #sparseconv.coarsening<sort>}
  %2 = sparseconv.downsample %c by [3, 3, 3] : !set -> !third
  // CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2] {coarsening = #sparseconv.coarsening<sort>}
  %3 = sparseconv.downsample %c by [2, 2, 2] {coarsening = #sparseconv.coarsening<sort>} : !set -> !half
  // CHECK: sparseconv.downsample %{{.*}} by [2, 2, 2] cover offsets(box<3, 3, 3>) {coarsening = #sparseconv.coarsening<sort>}
  %4 = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) : !set -> !half
  return %0, %1, %2, %3, %4 : !half, !fourth, !third, !half, !half
}

// Where a clip region has few cells, a GPU has a bit for each: for what a window
// covers, and for cells of many columns. Of one that begins below the packing it
// makes none.

// CHECK-LABEL: func.func @clips(
func.func @clips(%c: !set) -> (!half, !fourth, !half, !half) {
  // CPU: sparseconv.downsample {{.*}} cover {{.*}} {coarsening = #sparseconv.coarsening<sort>}
  // GPU: sparseconv.downsample {{.*}} cover {{.*}} {coarsening = #sparseconv.coarsening<bitmap>}
  %0 = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) clip(<[0, 0, 0] to [1600, 1408, 41]>) : !set -> !half
  // GPU: sparseconv.downsample {{.*}} by [4, 4, 4] {{.*}} {coarsening = #sparseconv.coarsening<bitmap>}
  %1 = sparseconv.downsample %c by [4, 4, 4] clip(<[0, 0, 0] to [1600, 1408, 41]>) : !set -> !fourth
  // GPU: sparseconv.downsample {{.*}} by [2, 2, 2] {{.*}} {coarsening = #sparseconv.coarsening<merge>}
  %2 = sparseconv.downsample %c by [2, 2, 2] clip(<[0, 0, 0] to [1600, 1408, 41]>) : !set -> !half
  // CHECK: sparseconv.downsample {{.*}} {coarsening = #sparseconv.coarsening<sort>}
  %3 = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) clip(<[0, 0, -40000] to [1600, 1408, 41]>) : !set -> !half
  return %0, %1, %2, %3 : !half, !fourth, !half, !half
}
