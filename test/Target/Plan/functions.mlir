// RUN: sparseconv-translate %s --mlir-to-plan -o %t.plan
// RUN: sparseconv-translate %t.plan --plan-to-text | FileCheck %s
// RUN: sparseconv-translate %t.plan --plan-to-ptx | FileCheck %s --check-prefix=PTX

// The plan's operations, with kernels as IR still, are written the same.
// RUN: sparseconv-opt %s --sparseconv-build-plan --cse --sparseconv-schedule-plan --mlir-print-debuginfo | sparseconv-translate --mlir-to-plan -o %t.built.plan
// RUN: cmp %t.plan %t.built.plan

// Each public function of a module is a function of the plan, on one set of
// kernels and constants.

// PTX:     .target sm_90a
// PTX:     .visible .entry scale(
// PTX-NOT: .visible .entry

// CHECK:      plan version 9 by 'sparseconv'
// CHECK-NEXT: module 'sparseconv_kernels'
// CHECK-NEXT:   ptx sm_90a
// CHECK-NEXT: kernel 'scale' module #0:'sparseconv_kernels' shared 0 + 0
// CHECK-NEXT: constant 'weights' 8 bytes

module attributes {gpu.container_module, sparseconv.op_table = [["linalg.mul", loc("net.mlir":3:8)], ["linalg.add", loc(unknown)]]} {
  gpu.module @sparseconv_kernels {
    gpu.func @scale(%count: memref<1xindex>, %x: memref<f32>, %w: memref<2xf32>, %y: memref<f32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[] : memref<f32>
      %s = memref.load %w[%c0] : memref<2xf32>
      %p = arith.mulf %v, %s : f32
      memref.store %p, %y[] : memref<f32>
      gpu.return
    }
  }
  memref.global "private" constant @weights : memref<2xf32> = dense<[1.5, -2.0]>

  // The input's size is in a slot and has a bound for the grid. A scratch
  // buffer lives from the first step that uses it to the last. The result has
  // the size of a slot. A launch belongs to the operation at its location; in a
  // function that was inlined, to one at the call.
  // CHECK-NEXT: function 'main' streams 1
  // CHECK-NEXT:   input 'x' ?(slot 0)x4xf32
  // CHECK-NEXT:   output 'y' ?(slot 0, at most cap(x, 0))x4xf32
  // CHECK-NEXT:   slot 0 'x.0'
  // CHECK-NEXT:   buffer 'x' input 0 bytes ((4 * cap(x, 0)) * 4)
  // CHECK-NEXT:   buffer 'y' output 0 bytes ((4 * cap(x, 0)) * 4)
  // CHECK-NEXT:   buffer 'buffer2' scratch steps [0, 1] bytes ((4 * cap(x, 0)) * 4)
  // CHECK-NEXT:   buffer 'weights' constant 0 bytes 8
  // CHECK-NEXT:   op 0 linalg.mul at 'net.mlir:3:8'
  // CHECK-NEXT:   op 1 linalg.add at ''
  // CHECK-NEXT:   op 2 linalg.mul at 'net.mlir:9:1'
  // CHECK-NEXT:   step 0: launch #0:'scale' grid (ceildiv(cap(x, 0), 64), 1) block 64 op 0
  // CHECK-NEXT:     slot 0
  // CHECK-NEXT:     buffer #0:'x'
  // CHECK-NEXT:     buffer #3:'weights'
  // CHECK-NEXT:     buffer #2:'buffer2'
  // CHECK-NEXT:   step 1: launch #0:'scale' grid (ceildiv(cap(x, 0), 64), 1) block 64 op 2
  // CHECK-NEXT:     slot 0
  // CHECK-NEXT:     buffer #2:'buffer2'
  // CHECK-NEXT:     buffer #3:'weights'
  // CHECK-NEXT:     buffer #1:'y'
  func.func @main(%x: memref<?x4xf32> {sparseconv.name = "x"}, %status: memref<8xi64> {sparseconv.status},
                  %n: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
      -> (memref<?x4xf32> {sparseconv.name = "y"}, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %room = memref.dim %x, %c0 : memref<?x4xf32>
    %grid = arith.ceildivui %room, %c64 : index
    %in = memref.reinterpret_cast %x to offset: [0], sizes: [], strides: [] : memref<?x4xf32> to memref<f32>
    %t = memref.alloc(%room) : memref<?x4xf32>
    %middle = memref.reinterpret_cast %t to offset: [0], sizes: [], strides: [] : memref<?x4xf32> to memref<f32>
    %w = memref.get_global @weights : memref<2xf32>
    %y = memref.alloc(%room) : memref<?x4xf32>
    %out = memref.reinterpret_cast %y to offset: [0], sizes: [], strides: [] : memref<?x4xf32> to memref<f32>
    gpu.launch_func @sparseconv_kernels::@scale blocks in (%grid, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%n : memref<1xindex>, %in : memref<f32>, %w : memref<2xf32>, %middle : memref<f32>) loc("net.mlir":3:8)
    gpu.launch_func @sparseconv_kernels::@scale blocks in (%grid, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%n : memref<1xindex>, %middle : memref<f32>, %w : memref<2xf32>, %out : memref<f32>) loc(callsite("net.mlir":3:8 at "net.mlir":9:1))
    memref.dealloc %t : memref<?x4xf32>
    return %y, %n : memref<?x4xf32>, memref<1xindex>
  }

  // A result of a buffer of a known size, of which the device says how much is
  // used.
  // CHECK:      function 'part' streams 1
  // CHECK-NEXT:   output 'result0' ?(slot 0, at most 100)xi32
  // CHECK-NEXT:   slot 0 'result0.0'
  // CHECK-NEXT:   buffer 'result0' output 0 bytes 400
  func.func @part(%status: memref<8xi64> {sparseconv.status})
      -> (memref<100xi32>, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
    %y = memref.alloc() : memref<100xi32>
    %n = memref.alloc() : memref<1xindex>
    return %y, %n : memref<100xi32>, memref<1xindex>
  }

  // Numbers are tensors of one element; an i1 takes a byte.
  // CHECK:      function 'numbers' streams 1
  // CHECK-NEXT:   input 'arg0' 1xf32
  // CHECK-NEXT:   output 'result0' 1xi64
  // CHECK-NEXT:   output 'result1' 3xi1
  // CHECK-NEXT:   buffer 'arg0' input 0 bytes 4
  // CHECK-NEXT:   buffer 'result0' output 0 bytes 8
  // CHECK-NEXT:   buffer 'result1' output 1 bytes 3
  func.func @numbers(%scale: memref<1xf32>, %status: memref<8xi64> {sparseconv.status}) -> (memref<1xindex>, memref<3xi1>) {
    %n = memref.alloc() : memref<1xindex>
    %mask = memref.alloc() : memref<3xi1>
    return %n, %mask : memref<1xindex>, memref<3xi1>
  }

  // CHECK-NOT: function 'helper'
  func.func private @helper() {
    return
  }
}
