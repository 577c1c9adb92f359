// RUN: sparseconv-opt %s --sparseconv-find-counts | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-find-counts --sparseconv-schedule-plan | sparseconv-opt | FileCheck %s --check-prefix=STREAMS

// Where sizes are exact, the steps that count run first. These write a count, or
// come before such a step because of memory that both use.

gpu.module @kernels {
  gpu.func @count(%x: memref<?xf32>, %n: memref<1xindex>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf32>
    %i = arith.fptoui %v : f32 to i64
    %k = arith.index_cast %i : i64 to index
    memref.store %k, %n[%c0] : memref<1xindex>
    gpu.return
  }
  gpu.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf32>
    memref.store %v, %y[%c0] : memref<?xf32>
    gpu.return
  }
  gpu.func @multiply(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf32>
    %p = math.fma %v, %v, %v : f32
    memref.store %p, %y[%c0] : memref<?xf32>
    gpu.return
  }
}

// The first two make a count, and the third one the second count, which uses the
// first. The others use the sizes; to the last but one a count means nothing.
// CHECK-LABEL: sparseconv_plan.func @chain
// CHECK:         launch @kernels::@copy {{.*}}) counts{{$}}
// CHECK:         launch @kernels::@count {{.*}}) counts{{$}}
// CHECK:         launch @kernels::@copy {{.*}}){{$}}
// CHECK:         launch @kernels::@count {{.*}}) counts{{$}}
// CHECK:         launch @kernels::@multiply {{.*}}){{$}}
// CHECK:         launch @kernels::@copy {{.*}}){{$}}
// STREAMS-LABEL: sparseconv_plan.func @chain
// STREAMS:         launch @kernels::@copy {{.*}} counts
sparseconv_plan.func @chain {
  %size = slot "x.0"
  %x = input "x" sizes(%size) : memref<?xf32>
  %capacity = capacity %x, 0 : memref<?xf32>
  %first = slot "count.0"
  %second = slot "count.1"
  %n = exact_size %first at_most %capacity
  %m = exact_size %second at_most %n
  %y = output "y"(%m) sizes(%second) : memref<?xf32>
  %a = buffer(%capacity) : memref<?xf32>
  %b = buffer(%n) : memref<?xf32>
  %c = buffer(%m) : memref<?xf32>
  %0 = launch @kernels::@copy grid(%capacity) block(1) args(%x, %a : memref<?xf32>, memref<?xf32>)
  %1 = launch @kernels::@count grid(%capacity) block(1) args(%a, %first : memref<?xf32>, memref<1xindex>)
  %2 = launch @kernels::@copy grid(%n) block(1) args(%a, %b : memref<?xf32>, memref<?xf32>)
  %3 = launch @kernels::@count grid(%n) block(1) args(%a, %second : memref<?xf32>, memref<1xindex>)
  %4 = launch @kernels::@multiply grid(%m) block(1) args(%b, %c : memref<?xf32>, memref<?xf32>)
  %5 = launch @kernels::@copy grid(%m) block(1) args(%c, %y : memref<?xf32>, memref<?xf32>)
}

// What reads memory before a step that counts writes it counts, too: it would
// come after that step otherwise.
// CHECK-LABEL: sparseconv_plan.func @overwritten
// CHECK:         launch @kernels::@copy {{.*}}) counts{{$}}
// CHECK:         launch @kernels::@copy {{.*}}) counts{{$}}
// CHECK:         launch @kernels::@copy {{.*}}) counts{{$}}
// CHECK:         launch @kernels::@count {{.*}}) counts{{$}}
sparseconv_plan.func @overwritten {
  %size = slot "x.0"
  %x = input "x" sizes(%size) : memref<?xf32>
  %capacity = capacity %x, 0 : memref<?xf32>
  %count = slot "count.0"
  %n = exact_size %count at_most %capacity
  %y = output "y"(%n) sizes(%count) : memref<?xf32>
  %a = buffer(%capacity) : memref<?xf32>
  %0 = launch @kernels::@copy grid(%capacity) block(1) args(%x, %a : memref<?xf32>, memref<?xf32>)
  %1 = launch @kernels::@copy grid(%capacity) block(1) args(%a, %y : memref<?xf32>, memref<?xf32>)
  %2 = launch @kernels::@copy grid(%capacity) block(1) args(%x, %a : memref<?xf32>, memref<?xf32>)
  %3 = launch @kernels::@count grid(%capacity) block(1) args(%a, %count : memref<?xf32>, memref<1xindex>)
}

// The size of an input is known before any step, so no step counts it.
// CHECK-LABEL: sparseconv_plan.func @input
// CHECK:         exact_size %x.0
// CHECK:         launch @kernels::@copy {{.*}}){{$}}
sparseconv_plan.func @input {
  %size = slot "x.0"
  %x = input "x" sizes(%size) : memref<?xf32>
  %capacity = capacity %x, 0 : memref<?xf32>
  %n = exact_size %size at_most %capacity
  %y = output "y"(%n) sizes(%size) : memref<?xf32>
  %0 = launch @kernels::@copy grid(%n) block(1) args(%x, %y : memref<?xf32>, memref<?xf32>)
}

// A count that depends on products would let most of a network count. Its size
// stays a capacity, as that of what is made from it.
// CHECK-LABEL: sparseconv_plan.func @pruned
// CHECK:         %[[CAPACITY:.*]] = capacity %x, 0
// CHECK-NOT:     exact_size
// CHECK:         output "y"(%[[CAPACITY]])
// CHECK:         launch @kernels::@multiply {{.*}}){{$}}
// CHECK:         launch @kernels::@count {{.*}}){{$}}
// CHECK:         launch @kernels::@copy grid(%[[CAPACITY]]) {{.*}}){{$}}
sparseconv_plan.func @pruned {
  %size = slot "x.0"
  %x = input "x" sizes(%size) : memref<?xf32>
  %capacity = capacity %x, 0 : memref<?xf32>
  %count = slot "count.0"
  %n = exact_size %count at_most %capacity
  %y = output "y"(%n) sizes(%count) : memref<?xf32>
  %a = buffer(%capacity) : memref<?xf32>
  %0 = launch @kernels::@multiply grid(%capacity) block(1) args(%x, %a : memref<?xf32>, memref<?xf32>)
  %1 = launch @kernels::@count grid(%capacity) block(1) args(%a, %count : memref<?xf32>, memref<1xindex>)
  %2 = launch @kernels::@copy grid(%n) block(1) args(%a, %y : memref<?xf32>, memref<?xf32>)
}
