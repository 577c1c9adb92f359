// RUN: sparseconv-opt %s --sparseconv-find-preparation | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-find-preparation --sparseconv-schedule-plan | sparseconv-opt | FileCheck %s --check-prefix=STREAMS

// Weights are packed in every run, and sets and maps are made, unless their caller
// says that weights or points stay the same. Which steps have to do with nothing
// else is found here. They are marked, and so is the memory that they write.

gpu.module @kernels {
  gpu.func @pack(%w: memref<4xf32>, %image: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %w[%c0] : memref<4xf32>
    memref.store %v, %image[%c0] : memref<4xf32>
    gpu.return
  }
  gpu.func @gemm(%x: memref<?x4xf32>, %w: memref<4xf32>, %y: memref<?x4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0, %c0] : memref<?x4xf32>
    %f = memref.load %w[%c0] : memref<4xf32>
    %p = arith.mulf %v, %f : f32
    memref.store %p, %y[%c0, %c0] : memref<?x4xf32>
    gpu.return
  }
  gpu.func @scale(%n: memref<1xindex>, %w: memref<4xf32>, %z: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i = memref.load %n[%c0] : memref<1xindex>
    %v = memref.load %w[%i] : memref<4xf32>
    memref.store %v, %z[%c0] : memref<4xf32>
    gpu.return
  }
  gpu.func @zeros(%z: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    memref.store %f0, %z[%c0] : memref<4xf32>
    gpu.return
  }
  gpu.func @count_up(%x: memref<?x4xf32>, %z: memref<4xf32> {sparseconv.restored}, %y: memref<?x4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %z0 = memref.load %z[%c0] : memref<4xf32>
    %v = memref.load %x[%c0, %c0] : memref<?x4xf32>
    memref.store %v, %z[%c0] : memref<4xf32>
    memref.store %v, %y[%c0, %c0] : memref<?x4xf32>
    memref.store %z0, %z[%c0] : memref<4xf32>
    gpu.return
  }
  gpu.func @choose(%x: memref<?x4xf32>, %count: memref<1xindex>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0, %c0] : memref<?x4xf32>
    %i = arith.fptosi %v : f32 to i64
    %n = arith.index_cast %i : i64 to index
    memref.store %n, %count[%c0] : memref<1xindex>
    gpu.return
  }
  gpu.func @count(%n: memref<1xindex>, %points: memref<?xi32>, %keys: memref<?xi32>, %count: memref<1xindex>, %status: memref<8xi64>) kernel {
    %c0 = arith.constant 0 : index
    %rows = memref.load %n[%c0] : memref<1xindex>
    %p = memref.load %points[%c0] : memref<?xi32>
    memref.store %p, %keys[%c0] : memref<?xi32>
    memref.store %rows, %count[%c0] : memref<1xindex>
    %code = arith.extsi %p : i32 to i64
    memref.store %code, %status[%c0] : memref<8xi64>
    gpu.return
  }
  gpu.func @guard(%x: memref<?x4xf32>, %status: memref<8xi64>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0, %c0] : memref<?x4xf32>
    %code = arith.fptosi %v : f32 to i64
    memref.store %code, %status[%c0] : memref<8xi64>
    gpu.return
  }
  gpu.func @sum(%keys: memref<?xi32>, %x: memref<?x4xf32>, %y: memref<?x4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %k = memref.load %keys[%c0] : memref<?xi32>
    %i = arith.index_cast %k : i32 to index
    %v = memref.load %x[%i, %c0] : memref<?x4xf32>
    memref.store %v, %y[%c0, %c0] : memref<?x4xf32>
    gpu.return
  }
}

memref.global "private" constant @table : memref<4xf32> = dense<[1.5, -2.0, 3.0, 4.0]>

// Weights that are an input, and a constant, in two steps. What computes with
// features does not prepare.
// CHECK-LABEL: sparseconv_plan.func @network
// CHECK:         %[[A:.*]] = buffer prepared : memref<4xf32>
// CHECK-NEXT:    %[[B:.*]] = buffer prepared : memref<4xf32>
// CHECK-NEXT:    %[[C:.*]] = buffer prepared : memref<4xf32>
// CHECK-NEXT:    %[[T:.*]] = buffer(%{{.*}}) : memref<?x4xf32>
// CHECK:         launch @kernels::@pack {{.*}} args(%w, %[[A]] : {{.*}}) prepares{{$}}
// CHECK:         launch @kernels::@gemm {{.*}}){{$}}
// CHECK:         launch @kernels::@pack {{.*}} args(%{{.*}}, %[[B]] : {{.*}}) prepares{{$}}
// CHECK:         launch @kernels::@pack {{.*}} args(%[[B]], %[[C]] : {{.*}}) prepares{{$}}
// CHECK:         launch @kernels::@gemm {{.*}}){{$}}
// STREAMS-LABEL: sparseconv_plan.func @network streams(2)
// STREAMS:         launch @kernels::@pack {{.*}} prepares
// STREAMS:         launch @kernels::@pack {{.*}} stream(1) prepares
sparseconv_plan.func @network {
  %n = slot "x.0"
  %x = input "x" sizes(%n) : memref<?x4xf32>
  %w = input "w" : memref<4xf32>
  %rows = capacity %x, 0 : memref<?x4xf32>
  %y = output "y"(%rows) sizes(%n) : memref<?x4xf32>
  %table = memref.get_global @table : memref<4xf32>
  %a = buffer : memref<4xf32>
  %b = buffer : memref<4xf32>
  %c = buffer : memref<4xf32>
  %t = buffer(%rows) : memref<?x4xf32>
  %c1 = arith.constant 1 : index
  %0 = launch @kernels::@pack grid(%c1) block(1) args(%w, %a : memref<4xf32>, memref<4xf32>)
  %1 = launch @kernels::@gemm grid(%rows) block(1) args(%x, %a, %t : memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>)
  %2 = launch @kernels::@pack grid(%c1) block(1) args(%table, %b : memref<4xf32>, memref<4xf32>)
  %3 = launch @kernels::@pack grid(%c1) block(1) args(%b, %c : memref<4xf32>, memref<4xf32>)
  %4 = launch @kernels::@gemm grid(%rows) block(1) args(%t, %c, %y : memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>)
}

// Points may be bound, too. What counts them, reports what is wrong with them, and
// reads how many they are, is done ahead of runs then: sets and maps are made once.
// What computes with the features of a run is not.
// CHECK-LABEL: sparseconv_plan.func @points
// CHECK:         %[[KEYS:.*]] = buffer(%{{.*}}) prepared : memref<?xi32>
// CHECK:         launch @kernels::@count {{.*}} prepares{{$}}
// CHECK:         launch @kernels::@sum {{.*}}){{$}}
sparseconv_plan.func @points {
  %n = slot "points.0"
  %count = slot "count"
  %status = status
  %points = input "points" sizes(%n) : memref<?xi32>
  %x = input "x" sizes(%n) : memref<?x4xf32>
  %rows = capacity %points, 0 : memref<?xi32>
  %keys = buffer(%rows) : memref<?xi32>
  %y = output "y"(%rows) sizes(%count) : memref<?x4xf32>
  %0 = launch @kernels::@count grid(%rows) block(1) args(%n, %points, %keys, %count, %status : memref<1xindex>, memref<?xi32>, memref<?xi32>, memref<1xindex>, memref<8xi64>)
  %1 = launch @kernels::@sum grid(%rows) block(1) args(%keys, %x, %y : memref<?xi32>, memref<?x4xf32>, memref<?x4xf32>)
}

// Reports of all steps are in the order of the program. So one that prepares may
// wait for one that does not, where both have the status record; made ahead of a
// run it waits for none.
// CHECK-LABEL: sparseconv_plan.func @reports
// CHECK:         launch @kernels::@guard {{.*}}){{$}}
// CHECK:         launch @kernels::@count {{.*}} prepares{{$}}
// STREAMS-LABEL: sparseconv_plan.func @reports
// STREAMS:         launch @kernels::@guard
// STREAMS:         launch @kernels::@count {{.*}} prepares
sparseconv_plan.func @reports {
  %n = slot "points.0"
  %count = slot "count"
  %status = status
  %points = input "points" sizes(%n) : memref<?xi32>
  %x = input "x" sizes(%n) : memref<?x4xf32>
  %rows = capacity %points, 0 : memref<?xi32>
  %keys = buffer(%rows) : memref<?xi32>
  %y = output "y"(%rows) sizes(%count) : memref<?x4xf32>
  %0 = launch @kernels::@guard grid(%rows) block(1) args(%x, %status : memref<?x4xf32>, memref<8xi64>)
  %1 = launch @kernels::@count grid(%rows) block(1) args(%n, %points, %keys, %count, %status : memref<1xindex>, memref<?xi32>, memref<?xi32>, memref<1xindex>, memref<8xi64>)
  %2 = launch @kernels::@sum grid(%rows) block(1) args(%keys, %x, %y : memref<?xi32>, memref<?x4xf32>, memref<?x4xf32>)
}

// A slot that a step of a run writes is none of what is there ahead of it.
// CHECK-LABEL: sparseconv_plan.func @counted
// CHECK-NOT:     prepare
sparseconv_plan.func @counted {
  %n = slot "x.0"
  %count = slot "count"
  %x = input "x" sizes(%n) : memref<?x4xf32>
  %w = input "w" : memref<4xf32>
  %a = buffer : memref<4xf32>
  %b = buffer : memref<4xf32>
  %c1 = arith.constant 1 : index
  %0 = launch @kernels::@choose grid(%c1) block(1) args(%x, %count : memref<?x4xf32>, memref<1xindex>)
  %1 = launch @kernels::@scale grid(%c1) block(1) args(%count, %w, %a : memref<1xindex>, memref<4xf32>, memref<4xf32>)
  %2 = launch @kernels::@pack grid(%c1) block(1) args(%a, %b : memref<4xf32>, memref<4xf32>)
}

// An output is memory of the caller's, new in every run.
// CHECK-LABEL: sparseconv_plan.func @output
// CHECK-NOT:     prepare
sparseconv_plan.func @output {
  %w = input "w" : memref<4xf32>
  %y = output "y" : memref<4xf32>
  %c1 = arith.constant 1 : index
  %0 = launch @kernels::@pack grid(%c1) block(1) args(%w, %y : memref<4xf32>, memref<4xf32>)
}

// Memory that is written a second time after it was read cannot be kept.
// CHECK-LABEL: sparseconv_plan.func @reused
// CHECK-NOT:     prepare
sparseconv_plan.func @reused {
  %n = slot "x.0"
  %x = input "x" sizes(%n) : memref<?x4xf32>
  %w = input "w" : memref<4xf32>
  %v = input "v" : memref<4xf32>
  %rows = capacity %x, 0 : memref<?x4xf32>
  %y = output "y"(%rows) sizes(%n) : memref<?x4xf32>
  %a = buffer : memref<4xf32>
  %c1 = arith.constant 1 : index
  %0 = launch @kernels::@pack grid(%c1) block(1) args(%w, %a : memref<4xf32>, memref<4xf32>)
  %1 = launch @kernels::@gemm grid(%rows) block(1) args(%x, %a, %y : memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>)
  %2 = launch @kernels::@pack grid(%c1) block(1) args(%v, %a : memref<4xf32>, memref<4xf32>)
  %3 = launch @kernels::@gemm grid(%rows) block(1) args(%x, %a, %y : memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>)
}

// Who leaves what it found, as split sums leave the zeros of their counters, does not
// keep memory from being prepared: it is filled once for any number of them.
// CHECK-LABEL: sparseconv_plan.func @restored
// CHECK:         %[[Z:.*]] = buffer prepared : memref<4xf32>
// CHECK:         launch @kernels::@zeros {{.*}} args(%[[Z]] : {{.*}}) prepares{{$}}
// CHECK:         launch @kernels::@count_up {{.*}}){{$}}
// CHECK:         launch @kernels::@count_up {{.*}}){{$}}
sparseconv_plan.func @restored {
  %n = slot "x.0"
  %x = input "x" sizes(%n) : memref<?x4xf32>
  %rows = capacity %x, 0 : memref<?x4xf32>
  %t = buffer(%rows) : memref<?x4xf32>
  %y = output "y"(%rows) sizes(%n) : memref<?x4xf32>
  %z = buffer : memref<4xf32>
  %c1 = arith.constant 1 : index
  %0 = launch @kernels::@zeros grid(%c1) block(1) args(%z : memref<4xf32>)
  %1 = launch @kernels::@count_up grid(%rows) block(1) args(%x, %z, %t : memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>)
  %2 = launch @kernels::@count_up grid(%rows) block(1) args(%t, %z, %y : memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>)
}

// One that comes before the zeros would find others in the next run.
// CHECK-LABEL: sparseconv_plan.func @restored_before
// CHECK-NOT:     prepare
sparseconv_plan.func @restored_before {
  %n = slot "x.0"
  %x = input "x" sizes(%n) : memref<?x4xf32>
  %rows = capacity %x, 0 : memref<?x4xf32>
  %t = buffer(%rows) : memref<?x4xf32>
  %y = output "y"(%rows) sizes(%n) : memref<?x4xf32>
  %z = buffer : memref<4xf32>
  %c1 = arith.constant 1 : index
  %0 = launch @kernels::@count_up grid(%rows) block(1) args(%x, %z, %t : memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>)
  %1 = launch @kernels::@zeros grid(%c1) block(1) args(%z : memref<4xf32>)
  %2 = launch @kernels::@count_up grid(%rows) block(1) args(%t, %z, %y : memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>)
}
