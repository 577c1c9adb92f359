// RUN: sparseconv-opt %s --sparseconv-schedule-plan | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-schedule-plan=streams=1 | FileCheck %s --check-prefix=ONE
// RUN: not sparseconv-opt %s --sparseconv-schedule-plan=streams=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not sparseconv-opt %s --sparseconv-schedule-plan=streams=17 2>&1 | FileCheck %s --check-prefix=MANY

// Steps that do not depend on each other overlap in several streams, as far as
// kernels say in their bodies what they read and write.

// NONE: error: expected 1 to 16 streams, but found 0
// MANY: error: expected 1 to 16 streams, but found 17

gpu.module @kernels {
  gpu.func @copy(%x: memref<4xf32>, %y: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xf32>
    memref.store %v, %y[%c0] : memref<4xf32>
    gpu.return
  }
  gpu.func @add(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xf32>
    %w = memref.load %y[%c0] : memref<4xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %z[%c0] : memref<4xf32>
    gpu.return
  }
  gpu.func @wait(%x: memref<4xf32>, %y: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xf32>
    nvvm.griddepcontrol wait
    memref.store %v, %y[%c0] : memref<4xf32>
    gpu.return
  }
  gpu.func @let(%x: memref<4xf32>, %y: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xf32>
    nvvm.griddepcontrol launch_dependents
    memref.store %v, %y[%c0] : memref<4xf32>
    gpu.return
  }
}

// Two chains on one input meet in a sum, which waits for the one that is not in
// its own stream.
// CHECK-LABEL: sparseconv_plan.func @diamond streams(2)
// CHECK:         launch @kernels::@copy {{.*}} args(%x, %[[A:.*]] : {{.*}}){{$}}
// CHECK-NEXT:    launch @kernels::@copy {{.*}} args(%x, %[[C:.*]] : {{.*}}) stream(1){{$}}
// CHECK-NEXT:    launch @kernels::@copy {{.*}} args(%[[A]], %[[B:.*]] : {{.*}}){{$}}
// CHECK-NEXT:    %[[DONE:.*]] = launch @kernels::@copy {{.*}} args(%[[C]], %[[D:.*]] : {{.*}}) stream(1){{$}}
// CHECK-NEXT:    launch @kernels::@add {{.*}} args(%[[B]], %[[D]], %y : {{.*}}) after(%[[DONE]]){{$}}
// ONE-LABEL:   sparseconv_plan.func @diamond {
// ONE:           %[[A:.*]] = buffer
// ONE:           launch @kernels::@copy {{.*}} args(%x, %[[A]] :
// ONE-NEXT:      launch @kernels::@copy {{.*}} args(%[[A]],
// ONE-NOT:       stream
// ONE-NOT:       after
sparseconv_plan.func @diamond {
  %x = input "x" : memref<4xf32>
  %y = output "y" : memref<4xf32>
  %a = buffer : memref<4xf32>
  %b = buffer : memref<4xf32>
  %c = buffer : memref<4xf32>
  %d = buffer : memref<4xf32>
  %c1 = arith.constant 1 : index
  %0 = launch @kernels::@copy grid(%c1) block(1) args(%x, %a : memref<4xf32>, memref<4xf32>)
  %1 = launch @kernels::@copy grid(%c1) block(1) args(%a, %b : memref<4xf32>, memref<4xf32>)
  %2 = launch @kernels::@copy grid(%c1) block(1) args(%x, %c : memref<4xf32>, memref<4xf32>)
  %3 = launch @kernels::@copy grid(%c1) block(1) args(%c, %d : memref<4xf32>, memref<4xf32>)
  %4 = launch @kernels::@add grid(%c1) block(1) args(%b, %d, %y : memref<4xf32>, memref<4xf32>, memref<4xf32>)
}

// Two addresses in a buffer are one piece of memory.
// CHECK-LABEL: sparseconv_plan.func @halves {
// CHECK:         launch @kernels::@copy
// CHECK-NEXT:    launch @kernels::@copy
sparseconv_plan.func @halves {
  %x = input "x" : memref<4xf32>
  %y = output "y" : memref<8xf32>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %high = address %y plus %c16 : memref<8xf32>
  %0 = launch @kernels::@copy grid(%c1) block(1) args(%x, %y : memref<4xf32>, memref<8xf32>)
  %1 = launch @kernels::@copy grid(%c1) block(1) args(%x, %high : memref<4xf32>, memref<8xf32>)
}

// Of a kernel that says where it waits for those before it, the launch says that it has
// a prologue.
// CHECK-LABEL: sparseconv_plan.func @prologue {
// CHECK:         launch @kernels::@let {{.*}}>){{$}}
// CHECK-NEXT:    launch @kernels::@wait {{.*}}) prologue{{$}}
sparseconv_plan.func @prologue {
  %x = input "x" : memref<4xf32>
  %y = output "y" : memref<4xf32>
  %a = buffer : memref<4xf32>
  %c1 = arith.constant 1 : index
  %0 = launch @kernels::@let grid(%c1) block(1) args(%x, %a : memref<4xf32>, memref<4xf32>)
  %1 = launch @kernels::@wait grid(%c1) block(1) args(%a, %y : memref<4xf32>, memref<4xf32>)
}
