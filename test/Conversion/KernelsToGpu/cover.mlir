// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// The region has 32 cells on each axis at stride 2. Its slices are 32 * 32: a line of 32
// cells each, which are the bits of a word. Keys reach a slice by two displacements on
// axis 0, so a slice has two pieces of the keys, of which the first two numbers are the
// begins, and the others the ends.

// CHECK-LABEL: func.func @cover(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[COARSE:[^:]*]]: memref<?xi64>, %[[COUNT:[^:]*]]: memref<1xindex>
// CHECK:         %[[COUNTS:.*]] = memref.alloc() {{.*}} : memref<2048xi32>

// A thread block clears the bits of a slice, finds the pieces, and meets; sets the bits
// of what is inside, and meets again; then it counts.
// CHECK:         gpu.launch blocks({{.*}} in ({{.*}} = %c2048,
// CHECK-SAME:      workgroup(%[[BITS:.*]] : memref<1xi32, {{.*}}>, %[[PIECES:.*]] : memref<4xindex, {{.*}}>, %{{.*}} : memref<4xi32
// CHECK:             memref.store %c0_i32, %[[BITS]]
// CHECK:             scf.while
// CHECK:             memref.store %{{.*}}, %[[PIECES]]
// CHECK:             gpu.barrier
// CHECK-COUNT-2:     memref.load %[[PIECES]]
// CHECK-COUNT-4:     memref.load %[[KEYS]]
// CHECK:             memref.atomic_rmw ori {{.*}}, %[[BITS]]
// CHECK:             gpu.barrier
// CHECK:             math.ctpop
// CHECK:           memref.store %{{.*}}, %[[COUNTS]]

// One thread block turns the counts into sums of those before.
// CHECK:         gpu.launch blocks({{.*}} in ({{.*}} = %c1,
// CHECK-COUNT-4:   memref.load %[[COUNTS]]
// CHECK-COUNT-4:   memref.store %{{.*}}, %[[COUNTS]]
// CHECK:           memref.store %{{.*}}, %[[COUNT]][%c0]

// The bits are set once more, and each that is set is written, the lowest of a word first.
// CHECK:         gpu.launch blocks({{.*}} in ({{.*}} = %c2048,
// CHECK:           memref.load %[[COUNT]][%c0]
// CHECK:           memref.load %[[COUNTS]]
// CHECK:             memref.atomic_rmw ori
// CHECK:             scf.while
// CHECK:               math.cttz
// CHECK:               memref.store %{{.*}}, %[[COARSE]]
// CHECK:         memref.dealloc %[[COUNTS]]
func.func @cover(%keys: memref<?xi64>, %coarse: memref<?xi64>, %count: memref<1xindex>, %status: memref<8xi64>) {
  sparseconv.kernel.cover ins(%keys, %status : memref<?xi64>, memref<8xi64>)
      outs(%coarse, %count : memref<?xi64>, memref<1xindex>)
      {capacity = 1000 : i64, clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>,
       displacements = array<i64: 0, 0, 0, 0, 0, 1, 1, 0, 0>, op_id = 1 : i64, set = !half}
  return
}
}
