// RUN: sparseconv-opt %s --sparseconv-build-plan --cse | FileCheck %s

// Host functions become plans: a function of operations, all of the `plan`
// dialect, on sizes that the host knows and memory of the device.

module attributes {gpu.container_module, sparseconv.op_table = [["linalg.mul", loc("net.mlir":3:8)]]} {
  gpu.module @kernels {
    gpu.func @scale(%count: memref<1xindex>, %x: memref<f32>, %w: memref<2xf32>, %y: memref<f32>) kernel {
      gpu.return
    }
    gpu.func @report(%status: memref<8xi64>, %x: memref<4xf32, strided<[1], offset: 4>>) kernel {
      gpu.return
    }
  }
  memref.global "private" constant @weights : memref<2xf32> = dense<[1.5, -2.0]>

  // Arguments are inputs and their sizes, and the status record. What is
  // returned is outputs, what is allocated besides is buffers. A launch has the
  // number of the operation at its location, in the table of the function; the
  // call of a function that was inlined adds an operation to it.
  // CHECK-LABEL: sparseconv_plan.func @main attributes {op_table = {{\[\[}}"linalg.mul", "net.mlir:3:8"], ["linalg.mul", "net.mlir:9:1"]]} {
  // CHECK-NEXT:    %x.0 = slot "x.0"
  // CHECK-NEXT:    %x = input "x" sizes(%x.0) : memref<?x4xf32>
  // CHECK-NEXT:    %[[ROOM:.*]] = capacity %x, 0 : memref<?x4xf32>
  // CHECK-NEXT:    %y = output "y"(%[[ROOM]]) sizes(%x.0) : memref<?x4xf32>
  // CHECK-NEXT:    %[[T:.*]] = buffer(%[[ROOM]]) : memref<?x4xf32>
  // CHECK-NEXT:    %[[W:.*]] = memref.get_global @weights : memref<2xf32>
  // CHECK-NEXT:    %[[C64:.*]] = arith.constant 64 : index
  // CHECK-NEXT:    %[[GRID:.*]] = arith.ceildivui %[[ROOM]], %[[C64]] : index
  // CHECK-NEXT:    %{{.*}} = launch @kernels::@scale grid(%[[GRID]]) block(64) shared(512) args(%x.0, %x, %[[W]], %[[T]] : {{.*}}) op(0)
  // CHECK-NEXT:    %{{.*}} = launch @kernels::@scale grid(%[[GRID]]) block(64) args(%x.0, %[[T]], %[[W]], %y : {{.*}}) op(1)
  // CHECK-NEXT:  }
  func.func @main(%x: memref<?x4xf32> {sparseconv.name = "x"}, %status: memref<8xi64> {sparseconv.status},
                  %n: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
      -> (memref<?x4xf32> {sparseconv.name = "y"}, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %bytes = arith.constant 512 : i32
    %room = memref.dim %x, %c0 : memref<?x4xf32>
    %grid = arith.ceildivui %room, %c64 : index
    %in = memref.reinterpret_cast %x to offset: [0], sizes: [], strides: [] : memref<?x4xf32> to memref<f32>
    %t = memref.alloc(%room) : memref<?x4xf32>
    %middle = memref.reinterpret_cast %t to offset: [0], sizes: [], strides: [] : memref<?x4xf32> to memref<f32>
    %w = memref.get_global @weights : memref<2xf32>
    %y = memref.alloc(%room) : memref<?x4xf32>
    %out = memref.reinterpret_cast %y to offset: [0], sizes: [], strides: [] : memref<?x4xf32> to memref<f32>
    gpu.launch_func @kernels::@scale blocks in (%grid, %c1, %c1) threads in (%c64, %c1, %c1)
        dynamic_shared_memory_size %bytes
        args(%n : memref<1xindex>, %in : memref<f32>, %w : memref<2xf32>, %middle : memref<f32>) loc("net.mlir":3:8)
    gpu.launch_func @kernels::@scale blocks in (%grid, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%n : memref<1xindex>, %middle : memref<f32>, %w : memref<2xf32>, %out : memref<f32>) loc(callsite("net.mlir":3:8 at "net.mlir":9:1))
    memref.dealloc %t : memref<?x4xf32>
    return %y, %n : memref<?x4xf32>, memref<1xindex>
  }

  // What holds a count that is a size on the host is a slot, and so it is with the
  // size of a result.
  // CHECK-LABEL: sparseconv_plan.func @counted
  // CHECK:         %[[SIZE:.*]] = slot "y.0"
  // CHECK:         %[[ROOM:.*]] = capacity %x, 0
  // CHECK:         %[[ROWS:.*]] = exact_size %[[SIZE]] at_most %[[ROOM]]
  // CHECK:         output "y"(%[[ROWS]]) sizes(%[[SIZE]])
  // CHECK:         %[[COUNT:.*]] = slot "count.0"
  // CHECK:         %[[KEPT:.*]] = exact_size %[[COUNT]] at_most %[[ROOM]]
  // CHECK:         %[[T:.*]] = buffer(%[[KEPT]]) : memref<?x4xf32>
  // CHECK:         launch @kernels::@scale grid(%[[KEPT]]) block(64) args(%[[COUNT]], %x, %{{.*}}, %[[T]] : {{.*}})
  func.func @counted(%x: memref<?x4xf32> {sparseconv.name = "x"}, %status: memref<8xi64> {sparseconv.status},
                     %n: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
      -> (memref<?x4xf32> {sparseconv.name = "y"}, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %count = memref.alloc() : memref<1xindex>
    %size = memref.alloc() : memref<1xindex>
    %room = memref.dim %x, %c0 : memref<?x4xf32>
    %kept = sparseconv.kernel.exact_size %count at_most %room
    %rows = sparseconv.kernel.exact_size %size at_most %room
    %in = memref.reinterpret_cast %x to offset: [0], sizes: [], strides: [] : memref<?x4xf32> to memref<f32>
    %t = memref.alloc(%kept) : memref<?x4xf32>
    %middle = memref.reinterpret_cast %t to offset: [0], sizes: [], strides: [] : memref<?x4xf32> to memref<f32>
    %w = memref.get_global @weights : memref<2xf32>
    %y = memref.alloc(%rows) : memref<?x4xf32>
    gpu.launch_func @kernels::@scale blocks in (%kept, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%count : memref<1xindex>, %in : memref<f32>, %w : memref<2xf32>, %middle : memref<f32>)
    return %y, %size : memref<?x4xf32>, memref<1xindex>
  }

  // A result of a known capacity, of which the device says how much is used; a
  // grid of two sizes; a view as an address.
  // CHECK-LABEL: sparseconv_plan.func @part
  // CHECK-NEXT:    %status = status
  // CHECK-NEXT:    %result0.0 = slot "result0.0"
  // CHECK-NEXT:    %[[C100:.*]] = arith.constant 100 : index
  // CHECK-NEXT:    %result0 = output "result0"(%[[C100]]) sizes(%result0.0) : memref<?xf32>
  // CHECK-NEXT:    %[[C2:.*]] = arith.constant 2 : index
  // CHECK-NEXT:    %[[C16:.*]] = arith.constant 16 : index
  // CHECK-NEXT:    %[[REST:.*]] = address %result0 plus %[[C16]] : memref<?xf32>
  // CHECK-NEXT:    %{{.*}} = launch @kernels::@report grid(%[[C2]], %[[C2]]) block(2) args(%status, %[[REST]] : {{.*}}){{$}}
  // CHECK-NEXT:  }
  func.func @part(%status: memref<8xi64> {sparseconv.status})
      -> (memref<100xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %y = memref.alloc() : memref<100xf32>
    %n = memref.alloc() : memref<1xindex>
    %rest = memref.subview %y[4] [4] [1] : memref<100xf32> to memref<4xf32, strided<[1], offset: 4>>
    gpu.launch_func @kernels::@report blocks in (%c2, %c2, %c1) threads in (%c2, %c1, %c1)
        args(%status : memref<8xi64>, %rest : memref<4xf32, strided<[1], offset: 4>>)
    return %y, %n : memref<100xf32>, memref<1xindex>
  }

  // Others are left to those who call them.
  // CHECK: func.func private @helper
  func.func private @helper() {
    return
  }
}
