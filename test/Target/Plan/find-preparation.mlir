// RUN: sparseconv-opt %s --sparseconv-find-preparation | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-find-preparation --sparseconv-schedule-plan | sparseconv-opt | FileCheck %s --check-prefix=STREAMS

// Weights are packed in every run, unless their caller says that they stay the
// same. Which steps have to do with nothing else is found here. They are marked,
// and so is the memory that they write.

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

// A step that reads a size, or whose grid depends on a capacity, belongs to a
// run, and so does what reads what it wrote.
// CHECK-LABEL: sparseconv_plan.func @sizes
// CHECK-NOT:     prepare
sparseconv_plan.func @sizes {
  %n = slot "x.0"
  %x = input "x" sizes(%n) : memref<?x4xf32>
  %w = input "w" : memref<4xf32>
  %rows = capacity %x, 0 : memref<?x4xf32>
  %a = buffer : memref<4xf32>
  %b = buffer : memref<4xf32>
  %c = buffer : memref<4xf32>
  %c1 = arith.constant 1 : index
  %0 = launch @kernels::@scale grid(%c1) block(1) args(%n, %w, %a : memref<1xindex>, memref<4xf32>, memref<4xf32>)
  %1 = launch @kernels::@pack grid(%c1) block(1) args(%a, %b : memref<4xf32>, memref<4xf32>)
  %2 = launch @kernels::@pack grid(%rows) block(1) args(%w, %c : memref<4xf32>, memref<4xf32>)
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
