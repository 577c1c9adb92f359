// RUN: sparseconv-opt %s --sparseconv-form-kernels --split-input-file | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-form-kernels=block-size=64 --split-input-file | FileCheck %s --check-prefix=SMALL

// A parallel loop is a launch with a thread for each iteration, in blocks of 256;
// beyond 4096 blocks a thread takes several, a grid apart.

// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:.*]]: memref<1000xf32>) {
// CHECK:      gpu.launch blocks(%[[B:[^,]*]], {{.*}} in (%{{.*}} = %[[GRID:[^,]*]], {{.*}}) threads(%[[T:[^,]*]], {{.*}} in (%{{.*}} = %c256
// CHECK:        %[[FIRST:.*]] = arith.muli %[[B]], %c256
// CHECK:        %[[I:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK:        %[[STRIDE:.*]] = arith.muli %{{.*}}, %c256
// CHECK:        scf.for %[[N:.*]] = %[[I]] to %c1000{{[_0-9]*}} step %[[STRIDE]] {
// CHECK-NEXT:     memref.store %{{.*}}, %[[X]][%[[N]]]
// CHECK-NEXT:   }
// CHECK-NEXT:   gpu.terminator
// CHECK:      return
// SMALL-LABEL: func.func @loop(
// SMALL: gpu.launch {{.*}} threads({{.*}} = %c64
func.func @loop(%x: memref<1000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %one = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%c1000) step (%c1) {
    memref.store %one, %x[%i] : memref<1000xf32>
  }
  return
}

// -----

// All dimensions of a loop are threads; the last one is of neighbours.

// CHECK-LABEL: func.func @two_dimensions(
// CHECK:      gpu.launch
// CHECK:        scf.for %[[LINEAR:.*]] = %{{.*}} to %c96
// CHECK:        %[[PLACE:.*]] = arith.remui %[[LINEAR]], %c8
// CHECK:        %[[ROW:.*]] = arith.divui %[[LINEAR]], %c8
// CHECK:        %[[OFFSET:.*]] = arith.muli %[[PLACE]], %c2
// CHECK:        memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[OFFSET]]]
func.func @two_dimensions(%x: memref<12x16xf32>, %v: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c12, %c16) step (%c1, %c2) {
    memref.store %one, %x[%i, %j] : memref<12x16xf32>
  }
  return
}

// -----

// The host knows bounds only. It sizes buffers and grids by them, or by the number
// where a run reads it; the kernel loads the number itself, and rebuilds the shape
// of a buffer that it takes as an address.

// CHECK-LABEL: func.func @bounds(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x8xf32>, %[[ROWS:[^:]*]]: memref<1xindex>
// CHECK:      %[[ROOM:.*]] = memref.dim %[[X]], %c0
// CHECK:      %[[SIZE:.*]] = sparseconv.kernel.exact_size %[[ROWS]] at_most %[[ROOM]]
// CHECK:      %[[NEEDED:.*]] = arith.ceildivsi %[[SIZE]], %c256
// CHECK:      %[[BLOCKS:.*]] = arith.minsi %[[NEEDED]], %c4096
// CHECK:      %[[ADDRESS:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [], strides: [] : memref<?x8xf32> to memref<f32>
// CHECK:      gpu.launch {{.*}} = %[[BLOCKS]], {{.*}}
// CHECK:        %[[N:.*]] = memref.load %[[ROWS]]
// CHECK:        %[[VIEW:.*]] = memref.reinterpret_cast %[[ADDRESS]] to offset: [0], sizes: [%[[N2:.*]], 8], strides: [8, 1]
// CHECK:        memref.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x8xf32>
func.func @bounds(%x: memref<?x8xf32>, %rows: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %room = memref.dim %x, %c0 : memref<?x8xf32>
  %n = sparseconv.kernel.device_scalar %rows at_most %room : memref<1xindex>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %one, %x[%i, %c0] : memref<?x8xf32>
  }
  return
}

// -----

// What a kernel counts is a size for what comes after it. The buffer of the count
// stands in front, where sizes are computed.

// CHECK-LABEL: func.func @counted(
// CHECK-SAME: %[[X:[^:]*]]: memref<100xf32>)
// CHECK-NEXT: %[[COUNT:.*]] = memref.alloc() : memref<1xindex>
// CHECK:      %[[MOST:.*]] = arith.constant 100 : index
// CHECK:      %[[SIZE:.*]] = sparseconv.kernel.exact_size %[[COUNT]] at_most %[[MOST]]
// CHECK:      %[[TWICE:.*]] = arith.muli %[[SIZE]], %c2
// CHECK:      gpu.launch
// CHECK:        memref.store %{{.*}}, %[[COUNT]]
// CHECK:      memref.alloc(%[[TWICE]]) : memref<?xf32>
func.func @counted(%x: memref<100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c100 = arith.constant 100 : index
  %one = arith.constant 1.0 : f32
  %count = memref.alloc() : memref<1xindex>
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    memref.store %i, %count[%c0] : memref<1xindex>
  }
  %n = sparseconv.kernel.device_scalar %count at_most %c100 : memref<1xindex>
  %twice = arith.muli %n, %c2 : index
  %y = memref.alloc(%twice) : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%twice) step (%c1) {
    memref.store %one, %y[%i] : memref<?xf32>
  }
  return
}

// -----

// So does a buffer without elements, whose shape is no plain pointer of LLVM.

// CHECK-LABEL: func.func @empty(
// CHECK:      %[[BUFFER:.*]] = memref.alloc() : memref<8x0xf32>
// CHECK:      %[[ADDRESS:.*]] = memref.reinterpret_cast %[[BUFFER]] to offset: [0], sizes: [], strides: [] : memref<8x0xf32> to memref<f32>
// CHECK:      gpu.launch
// CHECK:        memref.reinterpret_cast %[[ADDRESS]] to offset: [0], sizes: [8, 0], strides: [0, 1]
func.func @empty(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %none = memref.alloc() : memref<8x0xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %value = memref.load %x[%i] : memref<8xf32>
    memref.store %value, %none[%i, %c0] : memref<8x0xf32>
  }
  return
}

// -----

// Kernels read the numbers that they need before all else. What one thread counts is
// there for another, and not for what it does next.

// CHECK-LABEL: func.func @counted_by_one(
// CHECK-SAME: %[[X:[^:]*]]: memref<2xindex>)
// CHECK:      gpu.launch
// CHECK:        memref.store %{{.*}}, %[[COUNT:.*]][%{{.*}}] : memref<1xindex>
// CHECK:        gpu.terminator
// CHECK:      gpu.launch
// CHECK:        %[[N:.*]] = memref.load %[[COUNT]]
// CHECK:        memref.store %[[N]], %[[X]]
// CHECK:        gpu.terminator
func.func @counted_by_one(%x: memref<2xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %count = memref.alloc() : memref<1xindex>
  %first = memref.load %x[%c0] : memref<2xindex>
  memref.store %first, %count[%c0] : memref<1xindex>
  %n = sparseconv.kernel.device_scalar %count at_most %c100 : memref<1xindex>
  memref.store %n, %x[%c1] : memref<2xindex>
  return
}

// -----

// A size that lies in a buffer is returned as it is, and nothing is left of what only
// kernels use.

// CHECK-LABEL: func.func @size_in_buffer(
// CHECK:      %[[COUNT:.*]] = memref.alloc() : memref<1xindex>
// CHECK:      gpu.launch
// CHECK:      memref.alloc() : memref<100xf32>
// CHECK-NOT:  gpu.launch
// CHECK-NOT:  device_scalar
// CHECK-NOT:  memref.subview
// CHECK:      return %{{.*}}, %[[COUNT]] : memref<100xf32>, memref<1xindex>
func.func @size_in_buffer() -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %count = memref.alloc() : memref<1xindex>
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    memref.store %i, %count[%c0] : memref<1xindex>
  }
  %n = sparseconv.kernel.device_scalar %count at_most %c100 : memref<1xindex>
  %a = memref.alloc() : memref<100xf32>
  %rows = memref.subview %a[0] [%n] [1] : memref<100xf32> to memref<?xf32, strided<[1]>>
  %cast = memref.cast %rows : memref<?xf32, strided<[1]>> to memref<?xf32>
  return %cast : memref<?xf32>
}

// -----

// Code between loops that touches buffers is a launch of one thread. What is
// used of it afterwards leaves through a buffer of its own.

// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[A:[^:]*]]: memref<2xf32>, %[[X:[^:]*]]: memref<8xf32>
// CHECK:      %[[SLOT:.*]] = memref.alloc() : memref<1xf32>
// CHECK:      gpu.launch {{.*}} = %c1{{.*}} threads({{.*}} = %c1
// CHECK-DAG:    %[[FIRST:.*]] = memref.load %[[A]][%c0
// CHECK-DAG:    %[[SECOND:.*]] = memref.load %[[A]][%c1
// CHECK:        %[[SUM:.*]] = arith.addf %[[FIRST]], %[[SECOND]]
// CHECK:        memref.store %[[SUM]], %[[SLOT]]
// CHECK:        gpu.terminator
// CHECK:      gpu.launch
// CHECK:        %[[AGAIN:.*]] = memref.load %[[SLOT]]
// CHECK:        memref.store %[[AGAIN]], %[[X]]
// CHECK-NOT:  memref.load
// CHECK:      return
func.func @scalars(%a: memref<2xf32>, %x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %first = memref.load %a[%c0] : memref<2xf32>
  %second = memref.load %a[%c1] : memref<2xf32>
  %sum = arith.addf %first, %second : f32
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %sum, %x[%i] : memref<8xf32>
  }
  return
}

// -----

// A branch around loops is a condition in each of their kernels. A launch that
// has barriers keeps them: all its threads agree on the condition.

// CHECK-LABEL: func.func @branch(
// CHECK-NOT:  scf.if
// CHECK:      gpu.launch
// CHECK:        %[[IS:.*]] = arith.cmpi
// CHECK:        scf.if %[[IS]] {
// CHECK:          arith.constant 1.0
// CHECK:      gpu.launch
// CHECK:        scf.if
// CHECK-NEXT:     gpu.barrier
// CHECK:      gpu.launch
// CHECK:        %[[NOT:.*]] = arith.xori
// CHECK:        scf.if %[[NOT]] {
// CHECK:          memref.store
// CHECK:      return
func.func @branch(%x: memref<8xf32>, %count: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = sparseconv.kernel.device_scalar %count at_most %c8 : memref<1xindex>
  %is = arith.cmpi eq, %n, %c8 : index
  scf.if %is {
    scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%i] : memref<8xf32>
    }
    gpu.launch blocks(%a, %b, %c) in (%ga = %c1, %gb = %c1, %gc = %c1)
               threads(%d, %e, %f) in (%td = %c8, %te = %c1, %tf = %c1) {
      gpu.barrier
      gpu.terminator
    }
  } else {
    scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
      memref.store %zero, %x[%i] : memref<8xf32>
    }
  }
  return
}

// -----

// Capacities of sizes that are computed: what only makes a number smaller is
// left out, a selection is as large as the larger of both.

// CHECK-LABEL: func.func @computed(
// CHECK-SAME: %[[ROOM:[^:]*]]: memref<?xf32>, %[[COUNT:[^:]*]]: memref<1xindex>
// CHECK-DAG:  %[[MOST:.*]] = memref.dim %[[ROOM]], %c0
// CHECK-DAG:  %[[N:.*]] = sparseconv.kernel.exact_size %[[COUNT]] at_most %[[MOST]]
// CHECK-DAG:  %[[TWICE:.*]] = arith.muli %[[N]], %c2
// CHECK-DAG:  %[[HALF:.*]] = arith.ceildivui %[[TWICE]], %c3
// CHECK-DAG:  %[[LARGER:.*]] = arith.maxui %[[N]], %c100
// CHECK-DAG:  memref.alloc(%[[HALF]]) : memref<?xf32>
// CHECK-DAG:  memref.alloc(%[[N]]) : memref<?xf32>
// CHECK-DAG:  memref.alloc(%[[LARGER]]) : memref<?xf32>
// CHECK:      return
func.func @computed(%room: memref<?xf32>, %count: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
    -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %bound = memref.dim %room, %c0 : memref<?xf32>
  %n = sparseconv.kernel.device_scalar %count at_most %bound : memref<1xindex>
  %twice = arith.muli %n, %c2 : index
  %third = arith.ceildivui %twice, %c3 : index
  %a = memref.alloc(%third) : memref<?xf32>
  %wide = arith.index_cast %n : index to i64
  %three = arith.constant 3 : i64
  %rest = arith.remui %wide, %three : i64
  %narrow = arith.index_cast %rest : i64 to index
  %b = memref.alloc(%narrow) : memref<?xf32>
  %is = arith.cmpi ult, %n, %c3 : index
  %some = arith.select %is, %n, %c100 : index
  %c = memref.alloc(%some) : memref<?xf32>
  return %a, %b, %c : memref<?xf32>, memref<?xf32>, memref<?xf32>
}

// -----

// Each size of a result that the host does not know is a result, too. A number
// that is a result lies in a buffer of its own.

// CHECK-LABEL: func.func @results(
// CHECK-SAME: -> (memref<100x8xf32>, memref<1xindex>, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
// CHECK:      %[[BUFFER:.*]] = memref.alloc() : memref<100x8xf32>
// CHECK:      %[[SIZE:.*]] = memref.alloc() : memref<1xindex>
// CHECK:      gpu.launch
// CHECK:        memref.store %{{.*}}, %[[SIZE]]
// CHECK:      %[[NUMBER:.*]] = memref.alloc() : memref<1xindex>
// CHECK:      gpu.launch
// CHECK:        memref.store %{{.*}}, %[[NUMBER]]
// CHECK:      return %[[BUFFER]], %[[NUMBER]], %[[SIZE]]
func.func @results(%count: memref<1xindex>) -> (memref<?x8xf32>, index) {
  %c100 = arith.constant 100 : index
  %n = sparseconv.kernel.device_scalar %count at_most %c100 : memref<1xindex>
  %a = memref.alloc() : memref<100x8xf32>
  %rows = memref.subview %a[0, 0] [%n, 8] [1, 1] : memref<100x8xf32> to memref<?x8xf32, strided<[8, 1]>>
  %cast = memref.cast %rows : memref<?x8xf32, strided<[8, 1]>> to memref<?x8xf32>
  return %cast, %n : memref<?x8xf32>, index
}

// -----

// A capacity that grows is a number of the host, and for kernels one in memory. It
// is made from capacities alone.
// What it is made from counts as if nothing had grown yet, but for half of what
// has: a set has no less memory than the one that it stems from.

// CHECK-LABEL: func.func @growing(
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>,
// CHECK:      %[[ROOM:.*]] = memref.dim %[[X]], %c0
// CHECK:      %[[BOUND:.*]] = arith.muli %[[ROOM]], %c8
// CHECK:      %[[LIMIT:.*]], %[[FIRST:.*]] = sparseconv.kernel.growable_capacity %[[ROOM]] at_most %[[BOUND]] {op_id = 1 : i64}
// CHECK:      %[[SECONDBOUND:.*]] = arith.muli %[[FIRST]], %c8
// CHECK:      %[[HALF:.*]] = arith.ceildivui %[[FIRST]], %c2
// CHECK:      %[[FROM:.*]] = arith.maxui %[[ROOM]], %[[HALF]]
// CHECK:      %[[LIMIT2:.*]], %[[SECOND:.*]] = sparseconv.kernel.growable_capacity %[[FROM]] at_most %[[SECONDBOUND]] {op_id = 2 : i64}
// CHECK:      memref.alloc(%[[FIRST]]) : memref<?xi64>
// CHECK:      memref.alloc(%[[SECOND]]) : memref<?xi64>
// CHECK:      gpu.launch
// CHECK-DAG:    memref.load %[[LIMIT]][
// CHECK-DAG:    memref.load %[[LIMIT2]][
func.func @growing(%x: memref<?xf32>, %size: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %room = memref.dim %x, %c0 : memref<?xf32>
  %n = sparseconv.kernel.device_scalar %size at_most %room : memref<1xindex>
  %bound = arith.muli %n, %c8 : index
  %limit, %capacity = sparseconv.kernel.growable_capacity %n at_most %bound {op_id = 1 : i64}
  %m = sparseconv.kernel.device_scalar %limit at_most %capacity : memref<1xindex>
  %first = memref.alloc(%m) : memref<?xi64>
  %next = arith.muli %m, %c8 : index
  %limit2, %capacity2 = sparseconv.kernel.growable_capacity %m at_most %next {op_id = 2 : i64}
  %k = sparseconv.kernel.device_scalar %limit2 at_most %capacity2 : memref<1xindex>
  %second = memref.alloc(%k) : memref<?xi64>
  memref.store %one, %first[%m] : memref<?xi64>
  memref.store %one, %second[%k] : memref<?xi64>
  return
}

// -----

// A result with the rows of an argument has that argument's number, without a kernel
// that copies it. A number that is no size of another argument may change, and is copied.

// CHECK-LABEL: func.func @same_rows(
// CHECK-SAME: %[[X:[^,]*]]: memref<?xf32>, %[[ROWS:[^,]*]]: memref<1xindex>
// CHECK-NOT:  gpu.launch
// CHECK:      return %{{.*}}, %[[ROWS]] : memref<?xf32>, memref<1xindex>
func.func @same_rows(%x: memref<?xf32>, %rows: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %room = memref.dim %x, %c0 : memref<?xf32>
  %n = sparseconv.kernel.device_scalar %rows at_most %room : memref<1xindex>
  %y = memref.alloc(%n) : memref<?xf32>
  return %y : memref<?xf32>
}
