// RUN: sparseconv-translate %s --mlir-to-plan --streams=2 -o %t.two
// RUN: sparseconv-translate %t.two --plan-to-text | FileCheck %s
// RUN: sparseconv-translate %s --mlir-to-plan --streams=1 -o %t.one
// RUN: sparseconv-translate %t.one --plan-to-text | FileCheck %s --check-prefix=ONE
// RUN: not sparseconv-translate %s --mlir-to-plan --streams=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not sparseconv-translate %s --mlir-to-plan --streams=17 2>&1 | FileCheck %s --check-prefix=MANY

// Steps that do not depend on each other run in two streams, as far as kernels
// say in their bodies what they read and write.

// NONE: error: expected 1 to 16 streams, but found 0
// MANY: error: expected 1 to 16 streams, but found 17

module attributes {gpu.container_module} {
  gpu.module @sparseconv_kernels {
    gpu.func @copy(%x: memref<4xf32>, %y: memref<4xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%c0] : memref<4xf32>
      memref.store %v, %y[%c0] : memref<4xf32>
      gpu.return
    }
    gpu.func @add(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%c0] : memref<4xf32>
      %w = memref.load %y[%c0] : memref<4xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %z[%c0] : memref<4xf32>
      gpu.return
    }
    gpu.func @report(%status: memref<8xi64>, %x: memref<4xf32>, %y: memref<4xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i64
      %v = memref.load %x[%c0] : memref<4xf32>
      memref.store %v, %y[%c0] : memref<4xf32>
      memref.store %one, %status[%c0] : memref<8xi64>
      gpu.return
    }
  }

  // Two chains on one input meet in a sum.
  // CHECK-LABEL: function 'diamond' streams 2
  // CHECK:   step 0: launch #0:'copy' {{.*}} block 1 prepares op 0{{$}}
  // CHECK:   step 1: launch #0:'copy' {{.*}} block 1 stream 1 prepares op 2{{$}}
  // CHECK:   step 2: launch #0:'copy' {{.*}} block 1 prepares op 1{{$}}
  // CHECK:   step 3: launch #0:'copy' {{.*}} block 1 stream 1 prepares op 3{{$}}
  // CHECK:   step 4: launch #1:'add' {{.*}} block 1 after 3 op 4{{$}}
  // ONE-LABEL: function 'diamond' streams 1
  // ONE:       step 0: launch #0:'copy'
  // ONE-NOT:   stream
  // ONE-NOT:   after
  // ONE-LABEL: function 'reports' streams 1
  func.func @diamond(%x: memref<4xf32>, %status: memref<8xi64> {sparseconv.status}) -> memref<4xf32> {
    %c1 = arith.constant 1 : index
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    %c = memref.alloc() : memref<4xf32>
    %d = memref.alloc() : memref<4xf32>
    %y = memref.alloc() : memref<4xf32>
    gpu.launch_func @sparseconv_kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<4xf32>, %a : memref<4xf32>)
    gpu.launch_func @sparseconv_kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<4xf32>, %b : memref<4xf32>)
    gpu.launch_func @sparseconv_kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<4xf32>, %c : memref<4xf32>)
    gpu.launch_func @sparseconv_kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%c : memref<4xf32>, %d : memref<4xf32>)
    gpu.launch_func @sparseconv_kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%b : memref<4xf32>, %d : memref<4xf32>, %y : memref<4xf32>)
    return %y : memref<4xf32>
  }

  // Those who report do so one after the other, in the order of the program.
  // CHECK-LABEL: function 'reports' streams 1
  // CHECK:   step 0: launch #2:'report'
  // CHECK:     buffer #1:'result0'
  // CHECK:   step 1: launch #2:'report'
  // CHECK:     buffer #2:'result1'
  func.func @reports(%x: memref<4xf32>, %status: memref<8xi64> {sparseconv.status}) -> (memref<4xf32>, memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    gpu.launch_func @sparseconv_kernels::@report blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%status : memref<8xi64>, %x : memref<4xf32>, %a : memref<4xf32>)
    gpu.launch_func @sparseconv_kernels::@report blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%status : memref<8xi64>, %x : memref<4xf32>, %b : memref<4xf32>)
    return %a, %b : memref<4xf32>, memref<4xf32>
  }
}
