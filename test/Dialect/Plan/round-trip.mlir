// RUN: sparseconv-opt %s | sparseconv-opt | FileCheck %s
// RUN: sparseconv-opt %s --mlir-print-op-generic | sparseconv-opt | FileCheck %s
// RUN: sparseconv-opt %s --canonicalize --cse | FileCheck %s

// The host side of a network: what there is, and what is launched on it. Within
// a function the dialect's name is left out.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%n: memref<1xindex>, %w: memref<2xf32>, %x: memref<?x4xf32>, %y: memref<?x4xf32>) kernel {
      gpu.return
    }
    gpu.func @report(%status: memref<8xi64>, %y: memref<?x4xf32>) kernel {
      gpu.return
    }
  }
  gpu.binary @compiled [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "// PTX">]
  memref.global "private" constant @weights : memref<2xf32> = dense<[1.5, -2.0]>

  // CHECK-LABEL: sparseconv_plan.func @main streams(2)
  // CHECK-SAME:    attributes {op_table = {{\[\[}}"linalg.mul", "net.mlir:3:8"], ["linalg.add", ""]]} {
  // CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
  // CHECK:         %x.0 = slot "x.0"
  // CHECK-NEXT:    %x = input "x" sizes(%x.0) : memref<?x4xf32>
  // CHECK-NEXT:    %status = status
  // CHECK-NEXT:    %[[ROOM:.*]] = capacity %x, 0 : memref<?x4xf32>
  // CHECK-NEXT:    %y = output "y"(%[[ROOM]]) sizes(%x.0) : memref<?x4xf32>
  // CHECK-NEXT:    %z = output "z" : memref<3xf16>
  // CHECK-NEXT:    %[[W:.*]] = memref.get_global @weights : memref<2xf32>
  // CHECK-NEXT:    %[[T:.*]] = buffer(%[[ROOM]]) : memref<?x4xf32>
  // CHECK-NEXT:    %[[FLAG:.*]] = buffer : memref<8xi1>
  // CHECK-NEXT:    %[[BLOCKS:.*]] = arith.ceildivui %[[ROOM]], %[[C64]] : index
  // CHECK-NEXT:    %[[REST:.*]] = address %[[T]] plus %[[C64]] : memref<?x4xf32>
  // CHECK-NEXT:    %[[FIRST:.*]] = launch @kernels::@scale grid(%[[BLOCKS]]) block(64)
  // CHECK-SAME:      args(%x.0, %[[W]], %x, %[[T]] : memref<1xindex>, memref<2xf32>, memref<?x4xf32>, memref<?x4xf32>) op(0){{$}}
  // CHECK-NEXT:    %{{.*}} = launch @kernels::@report grid(%[[BLOCKS]], %[[C2]]) block(32) shared(1024)
  // CHECK-SAME:      args(%status, %[[REST]] : memref<8xi64>, memref<?x4xf32>) stream(1) after(%[[FIRST]]) op(1)
  // CHECK-NEXT:    %{{.*}} = launch @compiled::@any grid(%{{.*}}) block(1) args(%[[FLAG]] : memref<8xi1>){{$}}
  sparseconv_plan.func @main streams(2) attributes {op_table = [["linalg.mul", "net.mlir:3:8"], ["linalg.add", ""]]} {
    %c64 = arith.constant 64 : index
    %c2 = arith.constant 2 : index
    %n = slot "x.0"
    %x = input "x" sizes(%n) : memref<?x4xf32>
    %status = status
    %room = capacity %x, 0 : memref<?x4xf32>
    %y = output "y"(%room) sizes(%n) : memref<?x4xf32>
    %z = output "z" : memref<3xf16>
    %w = memref.get_global @weights : memref<2xf32>
    %t = buffer(%room) : memref<?x4xf32>
    %flag = buffer : memref<8xi1>
    %blocks = arith.ceildivui %room, %c64 : index
    %rest = address %t plus %c64 : memref<?x4xf32>
    %0 = launch @kernels::@scale grid(%blocks) block(64)
        args(%n, %w, %x, %t : memref<1xindex>, memref<2xf32>, memref<?x4xf32>, memref<?x4xf32>) op(0)
    %1 = launch @kernels::@report grid(%blocks, %c2) block(32) shared(1024)
        args(%status, %rest : memref<8xi64>, memref<?x4xf32>) stream(1) after(%0) op(1)
    %2 = launch @compiled::@any grid(%c2) block(1) args(%flag : memref<8xi1>)
  }

  // A capacity that grows is an expression like those of inputs, and a number in
  // memory for kernels. Nobody has to use it.

  // CHECK-LABEL: sparseconv_plan.func @growing
  // CHECK:         %[[ROOM:.*]] = capacity %x, 0 : memref<?x4xf32>
  // CHECK:         %limit = slot "limit"
  // CHECK-NEXT:    %[[ROWS:.*]] = growable_capacity %limit from %{{.*}} at_most %[[ROOM]] op(1){{$}}
  // CHECK-NEXT:    %y = output "y"(%[[ROWS]]) sizes(%{{.*}}) : memref<?x4xf32>
  // CHECK:         %{{.*}} = growable_capacity %unused from %[[ROWS]] at_most %[[ROOM]] op(0){{$}}
  sparseconv_plan.func @growing attributes {op_table = [["sparseconv.pack", ""], ["sparseconv.expand", ""]]} {
    %c64 = arith.constant 64 : index
    %n = slot "x.0"
    %x = input "x" sizes(%n) : memref<?x4xf32>
    %room = capacity %x, 0 : memref<?x4xf32>
    %m = slot "y.0"
    %limit = slot "limit"
    %rows = growable_capacity %limit from %c64 at_most %room op(1)
    %y = output "y"(%rows) sizes(%m) : memref<?x4xf32>
    %unused = slot "unused"
    %other = growable_capacity %unused from %rows at_most %room op(0)
    %0 = launch @kernels::@scale grid(%rows) block(64)
        args(%limit, %limit, %x, %y : memref<1xindex>, memref<1xindex>, memref<?x4xf32>, memref<?x4xf32>)
  }

  // A size that steps count, and one of an input.
  // CHECK-LABEL: sparseconv_plan.func @exact
  // CHECK:         %[[ROOM:.*]] = capacity %x, 0 : memref<?x4xf32>
  // CHECK:         %[[N:.*]] = exact_size %x.0 at_most %[[ROOM]]{{$}}
  // CHECK:         %[[M:.*]] = exact_size %count.0 at_most %[[ROOM]]{{$}}
  // CHECK:         %{{.*}} = launch @kernels::@scale grid(%[[N]]) block(64) args({{.*}}) counts{{$}}
  // CHECK:         %{{.*}} = launch @kernels::@scale grid(%[[M]]) block(64) args({{.*}}){{$}}
  sparseconv_plan.func @exact {
    %n = slot "x.0"
    %x = input "x" sizes(%n) : memref<?x4xf32>
    %room = capacity %x, 0 : memref<?x4xf32>
    %count = slot "count.0"
    %rows = exact_size %n at_most %room
    %kept = exact_size %count at_most %room
    %y = output "y"(%kept) sizes(%count) : memref<?x4xf32>
    %0 = launch @kernels::@scale grid(%rows) block(64)
        args(%n, %count, %x, %y : memref<1xindex>, memref<1xindex>, memref<?x4xf32>, memref<?x4xf32>) counts
    %1 = launch @kernels::@scale grid(%kept) block(64)
        args(%n, %n, %x, %y : memref<1xindex>, memref<1xindex>, memref<?x4xf32>, memref<?x4xf32>)
  }

  // CHECK-LABEL: sparseconv_plan.func @nothing {
  // CHECK-NEXT:  }
  sparseconv_plan.func @nothing {
  }
}
