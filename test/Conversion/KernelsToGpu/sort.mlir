// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// Keys of 17 bits have two digits of 9 bits. One kernel clears, one counts, and one
// for each digit moves the keys. Those that move are the same code. Up to 98304 keys
// tiles have 1024 of them, and else 2048: there are as many thread blocks as either
// needs.

// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[SORTED:[^:]*]]: memref<?xi64>, %[[ORDER:[^:]*]]: memref<?xi32>)
// CHECK:         %[[N:.*]] = memref.dim %[[KEYS]], %c0
// CHECK:         %[[USUAL_TILES:.*]] = arith.ceildivsi %[[N]], %c2048
// CHECK:         %[[FEW:.*]] = arith.minsi %[[N]], %c98304
// CHECK:         %[[SMALL_TILES:.*]] = arith.ceildivsi %[[FEW]], %c1024
// CHECK:         %[[TILES:.*]] = arith.maxsi %[[USUAL_TILES]], %[[SMALL_TILES]]
// CHECK:         %[[SIDE_KEYS:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?xi64>
// CHECK:         %[[SIDE_ORDER:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?xi32>
// CHECK:         %[[WORDS:.*]] = arith.muli %[[TILES]], %c512
// CHECK:         %[[SAID:.*]] = memref.alloc(%[[WORDS]]) {{.*}} : memref<?xi64>
// CHECK:         %[[TOTALS:.*]] = memref.alloc() {{.*}} : memref<3x512xi32>
// CHECK:         scf.parallel
// CHECK:           memref.store %c0_i32, %[[TOTALS]]

// As many thread blocks of the second kernel as have two keys for each thread, up to
// 264, clear what tiles say, and count by both digits in shared memory. Four loads of
// a thread come before a barrier, so that none waits for another.
// CHECK:         %[[WANTED:.*]] = arith.ceildivsi %[[N]], %c1024
// CHECK:         %[[BLOCKS:.*]] = arith.minsi %[[WANTED]], %c264
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c512,
// CHECK-SAME:      workgroup(%[[COUNTS:[^ ]*]] : memref<2x512xi32, #gpu.address_space<workgroup>>)
// CHECK:           scf.for {{.*}} to %[[TILES]] step %[[BLOCKS]]
// CHECK:             memref.store %c0_i64, %[[SAID]]
// CHECK:           scf.for {{.*}} to %[[N]]
// CHECK-COUNT-4:     memref.load %[[KEYS]]
// CHECK-NOT:         memref.load %[[KEYS]]
// CHECK:             gpu.barrier
// CHECK-COUNT-8:     memref.atomic_rmw addi %c1_i32, %[[COUNTS]]
// CHECK:           gpu.barrier
// CHECK-COUNT-2:   memref.atomic_rmw addi %{{.*}}, %[[TOTALS]]

// A thread block takes the next tile, so that those before it have started. All
// thread blocks of the kernels before have taken one, too, so the number of the
// tile says by which digit it is to be moved.
// CHECK:         gpu.launch {{.*}} in (%[[BLOCKS:[^ ]*]] = %[[TILES]],
// CHECK-SAME:      workgroup(%[[SEEN:[^ ]*]] : memref<16x512xi16{{[^%]*}}%[[FIRSTS:[^ ]*]] : memref<512xi32
// CHECK:           %[[ARE_MANY:.*]] = arith.cmpi sgt, %[[N]], %c98304
// CHECK:           scf.if %[[ARE_MANY]]
// CHECK:           memref.atomic_rmw addi %c1_i32, %[[TOTALS]][%c2, %c0]
// CHECK:           gpu.barrier
// CHECK:           %[[TICKET:.*]] = memref.load
// CHECK:           %[[ALL:.*]] = arith.index_cast %[[BLOCKS]] : index to i32
// CHECK:           %[[PER_PASS:.*]] = arith.maxsi %[[ALL]], %c1_i32
// CHECK:           %[[PASS:.*]] = arith.divui %[[TICKET]], %[[PER_PASS]]
// CHECK:           arith.cmpi slt, %[[PASS]], %c2_i32

// It clears the counts of its 16 warps, and loads its keys, here four for each thread:
// as they came for the first digit, and for the second from where the first has put
// them.
// CHECK-COUNT-16:  memref.store %c0_i16, %[[SEEN]]
// CHECK:           arith.cmpi eq, %[[PASS]], %c0_i32
// CHECK-COUNT-4:   memref.load %[[KEYS]]
// CHECK:           %[[LIST:.*]] = arith.select %{{.*}}, %[[SIDE_KEYS]], %[[SORTED]]
// CHECK:           arith.select %{{.*}}, %[[SIDE_ORDER]], %[[ORDER]]
// CHECK-COUNT-4:   memref.load %[[LIST]]
// CHECK:           gpu.barrier

// A warp ranks 32 keys at a time by the lanes with the same digit.
// CHECK:           %[[LOWER:.*]] = nvvm.read.ptx.sreg.lanemask.lt
// CHECK:           %[[PEERS:.*]] = nvvm.match.sync any
// CHECK:           %[[BEFORE:.*]] = arith.andi %[[PEERS]], %[[LOWER]]
// CHECK:           math.ctpop %[[BEFORE]]
// CHECK:           memref.load %[[SEEN]]
// CHECK:           nvvm.bar.warp.sync
// CHECK:           memref.store %{{.*}}, %[[SEEN]]
// CHECK:           nvvm.bar.warp.sync

// When all warps are done, a thread for each digit adds up what they have of it.
// CHECK:           gpu.barrier
// CHECK-COUNT-16:  memref.load %[[SEEN]]

// The tile says what it has. The first tile adds the keys with lower digits, which
// is a sum over the thread block: warps leave theirs, all wait, and read them.
// CHECK:           memref.load %[[TOTALS]]
// CHECK-COUNT-2:   gpu.barrier
// CHECK:           memref.atomic_rmw assign %{{.*}}, %[[SAID]]

// Most is done: the next kernel may start, and wait for the end of this one.
// CHECK:           nvvm.griddepcontrol launch_dependents

// Another such sum gives each digit its place in the tile. The keys are put in that
// order in shared memory, and when all are there the tile asks the tiles before it,
// four at a time.
// CHECK-COUNT-3:   gpu.barrier
// CHECK:           scf.while
// CHECK-COUNT-4:     memref.atomic_rmw ori %c0_i64, %[[SAID]]
// CHECK-NOT:         memref.atomic_rmw ori
// CHECK:           memref.atomic_rmw assign %{{.*}}, %[[SAID]]
// CHECK:           memref.store %{{.*}}, %[[FIRSTS]]
// CHECK:           gpu.barrier
// CHECK:           memref.load %[[FIRSTS]]
// CHECK:           %[[TARGET:.*]] = arith.select %{{.*}}, %[[SIDE_KEYS]], %[[SORTED]]
// CHECK:           %[[ORDER_TARGET:.*]] = arith.select %{{.*}}, %[[SIDE_ORDER]], %[[ORDER]]
// CHECK:           memref.store %{{.*}}, %[[TARGET]]
// CHECK:           memref.store %{{.*}}, %[[ORDER_TARGET]]

// Of few keys a thread has two.
// CHECK:           } else {
// CHECK:           memref.atomic_rmw addi %c1_i32, %[[TOTALS]][%c2, %c0]
// CHECK-COUNT-2:   memref.load %[[KEYS]]
// CHECK-NOT:       memref.load %[[KEYS]]
// CHECK:           nvvm.match.sync

// CHECK:         gpu.launch {{.*}} in ({{.*}} = %[[TILES]],
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @sort(%keys: memref<?xi64>, %sorted: memref<?xi64>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi64>)
      outs(%sorted, %permutation : memref<?xi64>, memref<?xi32>) {fields = array<i64: 17>}
  return
}

// From 2^19 keys of 32 bits on, a thread has 8 of them in place of 4. Shared memory has
// room for the keys of a tile, but not for where they were as well. So these follow
// when all threads have taken the keys.

// CHECK-LABEL: func.func @large_tiles(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi32>, %[[SORTED:[^:]*]]: memref<?xi32>, %[[ORDER:[^:]*]]: memref<?xi32>)
// CHECK:         %[[N:.*]] = memref.dim %[[KEYS]], %c0
// CHECK:         %[[TILES:.*]] = arith.maxsi
// CHECK:         gpu.launch
// CHECK:         gpu.launch {{.*}} in ({{.*}} = %[[TILES]],
// CHECK-SAME:      memref<4096xi32, #gpu.address_space<workgroup>>
// CHECK-SAME:      %{{[^ ]*}} : memref<4096xi16, #gpu.address_space<workgroup>>)
// CHECK:           arith.cmpi slt, %[[N]], %c524288
// CHECK:           scf.if

// Fewer keys: each is staged with where it was, as many elements behind it as a tile
// has keys.
// CHECK:             memref.atomic_rmw assign
// CHECK:             memref.store %{{.*}}, %[[STAGED:.*]][%[[SLOT:.*]]] : memref<4096xi32
// CHECK:             %[[BEHIND:.*]] = arith.addi %[[SLOT]], %c2048
// CHECK:             memref.store %{{.*}}, %[[STAGED]][%[[BEHIND]]]
// CHECK:             memref.atomic_rmw ori

// Many keys: they go to where they belong, and then follows where they were.
// CHECK:             arith.ceildivsi %[[N]], %c4096
// CHECK-COUNT-8:     memref.load %[[KEYS]]
// CHECK:             memref.atomic_rmw assign
// CHECK-COUNT-8:     memref.store %{{.*}}, %[[STAGED]]
// CHECK:             memref.atomic_rmw ori
// CHECK:             gpu.barrier
// CHECK-COUNT-8:     memref.load %[[STAGED]]
// CHECK:             gpu.barrier
// CHECK-COUNT-8:     memref.store %{{.*}}, %[[STAGED]]
// CHECK:             gpu.barrier
// CHECK-COUNT-8:     memref.load %[[STAGED]]

// Few keys: tiles are smaller.
// CHECK:             memref.atomic_rmw assign
// CHECK:             memref.store %{{.*}}, %[[STAGED]][%[[FEW_SLOT:.*]]] : memref<4096xi32
// CHECK:             %[[FEW_BEHIND:.*]] = arith.addi %[[FEW_SLOT]], %c1024
// CHECK:             memref.store %{{.*}}, %[[STAGED]][%[[FEW_BEHIND]]]
// CHECK:         return
func.func @large_tiles(%keys: memref<?xi32>, %sorted: memref<?xi32>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi32>)
      outs(%sorted, %permutation : memref<?xi32>, memref<?xi32>) {fields = array<i64: 9>}
  return
}

// Keys of 64 bits rarely use all of them. A kernel finds the least and the greatest
// value of each field. The others learn from that how many digits there are; a
// kernel that would move by a digit beyond them does nothing. Four digits have a
// kernel each. The last kernel moves by all that are left: thread blocks take tile
// after tile, and before one of the next digit they wait until all tiles have been
// moved by this one.

// CHECK-LABEL: func.func @fields(
// CHECK:         memref.alloc() {{.*}} : memref<9x512xi32>
// CHECK:         %[[RANGES:.*]] = memref.alloc() {{.*}} : memref<8xi32>
// CHECK:         scf.parallel
// CHECK:           memref.store %{{.*}}, %[[RANGES]]
// CHECK:         gpu.launch
// CHECK-COUNT-4:   nvvm.redux.sync umin
// CHECK:           memref.atomic_rmw minu %{{.*}}, %[[RANGES]]
// CHECK:           memref.atomic_rmw maxu %{{.*}}, %[[RANGES]]
// CHECK:         gpu.launch
// CHECK-COUNT-8:   memref.load %[[RANGES]]
// CHECK-COUNT-4:   math.ctlz
// CHECK-COUNT-4: gpu.launch
// CHECK:         gpu.launch
// CHECK:           %[[LEFT:.*]] = arith.subi %{{.*}}, %c4_i32
// CHECK:           %[[END:.*]] = arith.muli %[[LEFT]], %{{.*}} : i32
// CHECK:           memref.atomic_rmw addi %c1_i32, %{{.*}}[%c8, %c1]
// CHECK:           scf.while
// CHECK:             memref.atomic_rmw ori %c0_i32
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK:           gpu.barrier
// CHECK:           scf.while
// CHECK:             arith.cmpi slt, %{{.*}}, %[[END]]
// CHECK:             llvm.fence syncscope("device") acq_rel
// CHECK:             memref.atomic_rmw addi %c1_i32
// CHECK:             memref.atomic_rmw addi %c1_i32, %{{.*}}[%c8, %c1]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @fields(%keys: memref<?xi64>, %sorted: memref<?xi64>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi64>)
      outs(%sorted, %permutation : memref<?xi64>, memref<?xi32>) {fields = array<i64: 8, 20, 20, 16>}
  return
}

// One digit needs no second list: there are the totals and what tiles say.
// CHECK-LABEL: func.func @one_digit(
// CHECK-COUNT-2: memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @one_digit(%keys: memref<?xi32>, %sorted: memref<?xi32>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi32>)
      outs(%sorted, %permutation : memref<?xi32>, memref<?xi32>) {fields = array<i64: 8>}
  return
}

}
