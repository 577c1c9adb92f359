// RUN: sparseconv-opt %s --sparseconv-share-memory --cse --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Host functions for upstream's GPU runtime. Buffers are in memory that both sides see,
// constants are copied there, and numbers of rows are those of arguments and results.

// CHECK-NOT:   sparseconv.target
// CHECK-LABEL: func.func @host(
// CHECK-SAME:    %[[P:[^:]*]]: memref<?x4xi32>, %[[STATUS:[^:]*]]: memref<8xi64>) -> memref<?x8xf32>
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[P]], %c0
// CHECK-DAG:     %[[ROWS:.*]] = gpu.alloc host_shared () : memref<1xindex>
// CHECK:         memref.store %[[N]], %[[ROWS]][%c0]
// CHECK:         %[[GLOBAL:.*]] = memref.get_global @offsets
// CHECK-NEXT:    %[[OFFSETS:.*]] = gpu.alloc host_shared () : memref<9xi64>
// CHECK-NEXT:    memref.copy %[[GLOBAL]], %[[OFFSETS]]
// CHECK:         %[[Y:.*]] = gpu.alloc host_shared (%[[N]]) : memref<?x8xf32>
// CHECK-NEXT:    %[[COUNT:.*]] = gpu.alloc host_shared () : memref<1xindex>
// CHECK-NEXT:    %[[SCRATCH:.*]] = gpu.alloc host_shared (%[[N]]) : memref<?xi64>

// Without points there are no blocks.
// CHECK:         %[[ANY:.*]] = arith.cmpi ne, %[[N]], %c0
// CHECK-NEXT:    scf.if %[[ANY]]
// CHECK-NEXT:      gpu.launch_func @kernels::@kernel blocks in (%[[N]], %c1, %c1) {{.*}} args(%[[ROWS]] : memref<1xindex>, %[[OFFSETS]] : memref<9xi64>, %[[COUNT]] : memref<1xindex>)
// CHECK-NEXT:    }
// CHECK:         gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1)

// What the function gives back where it did, and what only plans take care of.
// CHECK-NEXT:    %[[S:.*]] = gpu.wait async
// CHECK-NEXT:    %[[T:.*]] = gpu.dealloc async [%[[S]]] %[[SCRATCH]]
// CHECK-NEXT:    gpu.wait [%[[T]]]
// CHECK-NEXT:    %[[FOUND:.*]] = memref.load %[[COUNT]][%c0]
// CHECK-NEXT:    %[[RESULT:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%[[FOUND]], 8], strides: [8, 1]
// CHECK-DAG:     gpu.dealloc async [%{{.*}}] %[[ROWS]]
// CHECK-DAG:     gpu.dealloc async [%{{.*}}] %[[OFFSETS]]
// CHECK-DAG:     gpu.dealloc async [%{{.*}}] %[[COUNT]]
// CHECK-NOT:     gpu.dealloc
// CHECK:         return %[[RESULT]]
module attributes {gpu.container_module, sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
  memref.global "private" constant @offsets : memref<9xi64> = dense<7>
  func.func @host(%p: memref<?x4xi32>, %status: memref<8xi64>, %rows: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
      -> (memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %p, %c0 : memref<?x4xi32>
    %offsets = memref.get_global @offsets : memref<9xi64>
    %y = memref.alloc(%n) : memref<?x8xf32>
    %count = memref.alloc() : memref<1xindex>
    %scratch = memref.alloc(%n) : memref<?xi64>
    gpu.launch_func @kernels::@kernel blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%rows : memref<1xindex>, %offsets : memref<9xi64>, %count : memref<1xindex>)
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%rows : memref<1xindex>, %offsets : memref<9xi64>, %count : memref<1xindex>)
    memref.dealloc %scratch : memref<?xi64>
    return %y, %count : memref<?x8xf32>, memref<1xindex>
  }
  gpu.module @kernels {
    gpu.func @kernel(%rows: memref<1xindex>, %offsets: memref<9xi64>, %count: memref<1xindex>) kernel {
      gpu.return
    }
  }
}

// -----

// A set that could grow has room for all that it can have. No size waits for a count. Generated kernels take
// addresses; a view begins behind its buffer.

// CHECK-LABEL: func.func @grown(
// CHECK-SAME:    %{{[^:]*}}: index, %[[BOUND:[^:]*]]: index)
// CHECK-DAG:     %[[LIMIT:.*]] = gpu.alloc host_shared () : memref<1xindex>
// CHECK-DAG:     memref.store %[[BOUND]], %[[LIMIT]]
// CHECK:         %[[BUFFER:.*]] = gpu.alloc host_shared (%[[BOUND]]) : memref<?xi64>
// CHECK:         %[[VIEW:.*]] = memref.subview %[[BUFFER]][2]
// CHECK:         %[[BASE:.*]] = memref.extract_aligned_pointer_as_index %[[VIEW]]
// CHECK:         %[[FIRST:.*]] = arith.addi %[[BASE]], %c16
// CHECK:         %[[NUMBER:.*]] = arith.index_cast %[[FIRST]] : index to i64
// CHECK:         %[[ADDRESS:.*]] = llvm.inttoptr %[[NUMBER]] : i64 to !llvm.ptr<1>
// CHECK:         gpu.launch_func {{.*}} args(%[[LIMIT]] : memref<1xindex>, %[[ADDRESS]] : !llvm.ptr<1>)
module attributes {gpu.container_module} {
  func.func @grown(%rows: index, %bound: index) {
    %c1 = arith.constant 1 : index
    %limit, %capacity = sparseconv.kernel.growable_capacity %rows at_most %bound {op_id = 1 : i64}
    %count = memref.alloc() : memref<1xindex>
    %size = sparseconv.kernel.exact_size %count at_most %capacity
    %buffer = memref.alloc(%size) : memref<?xi64>
    %view = memref.subview %buffer[2] [1] [1] : memref<?xi64> to memref<1xi64, strided<[1], offset: 2>>
    %address = builtin.unrealized_conversion_cast %view : memref<1xi64, strided<[1], offset: 2>> to !llvm.ptr<1>
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%limit : memref<1xindex>, %address : !llvm.ptr<1>)
    memref.dealloc %buffer : memref<?xi64>
    return
  }
  gpu.module @kernels {
    gpu.func @kernel(%limit: memref<1xindex>, %address: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @+1 {{expects what launches kernels to be called from outside of the module only}}
  func.func @called() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  func.func @caller() {
    call @called() : () -> ()
    return
  }
  gpu.module @kernels {
    gpu.func @kernel() kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @+1 {{expects only the rows of result 0 to be known after a run, but it is 'memref<4x?xf32>'}}
  func.func @columns(%n: index) -> (memref<4x?xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 0, 1>}) {
    %c1 = arith.constant 1 : index
    %y = memref.alloc(%n) : memref<4x?xf32>
    %count = memref.alloc() : memref<1xindex>
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return %y, %count : memref<4x?xf32>, memref<1xindex>
  }
  gpu.module @kernels {
    gpu.func @kernel() kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @+1 {{expects what launches kernels to have no branches}}
  func.func @branch(%is_wanted: i1) {
    %c1 = arith.constant 1 : index
    scf.if %is_wanted {
      %buffer = memref.alloc() : memref<4xf32>
      gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%buffer : memref<4xf32>)
      memref.dealloc %buffer : memref<4xf32>
    }
    return
  }
  gpu.module @kernels {
    gpu.func @kernel(%buffer: memref<4xf32>) kernel {
      gpu.return
    }
  }
}
