// The whole way of a network to GPU kernels, a host function, PTX and a plan.
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda:sm_80 -o %t.mlir
// RUN: FileCheck %s --check-prefix=HOST < %t.mlir
// RUN: FileCheck %s --check-prefix=KERNELS < %t.mlir
// RUN: sparseconv-translate %t.mlir --mlir-to-plan --chip=sm_80 --streams=1 -o %t.plan
// RUN: sparseconv-translate %t.plan --plan-to-text | FileCheck %s --check-prefix=PLAN
// RUN: sparseconv-translate %t.plan --plan-to-ptx --chip=sm_80 | FileCheck %s --check-prefix=PTX

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// The sizes of the arguments come behind them, and behind the status record; the
// sizes of the result behind it.
// HOST-LABEL: func.func @network(
// HOST-SAME: %[[POINTS:[^:]*]]: memref<?x4xi32> {sparseconv.name = "points"}, %{{[^:]*}}: memref<?x16xf32> {sparseconv.rows = "points"}, %{{[^:]*}}: memref<27x16x32xf32>, %{{[^:]*}}: memref<32xf32>, %[[STATUS:[^:]*]]: memref<8xi64>
// HOST-SAME: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}
// HOST-SAME: memref<1xindex> {sparseconv.size_of = array<i64: 1, 0>}
// HOST-SAME: -> (memref<?x32xf32> {sparseconv.name = "features"}, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
// On the host there are bounds, buffers and launches.
// HOST-NOT:  memref.load
// HOST-NOT:  memref.store
// HOST-NOT:  scf.
// HOST-NOT:  device_scalar
// HOST:      %[[ROOM:.*]] = memref.dim %[[POINTS]], %c0
// HOST:      %[[NEEDED:.*]] = arith.ceildivsi %[[ROOM]], %c256
// HOST:      %[[BLOCKS:.*]] = arith.minsi %[[NEEDED]], %c4096
// HOST:      sparseconv.kernel.exact_size %{{.*}} at_most %[[ROOM]]
// HOST:      memref.alloc(%{{[0-9]+}})
// HOST:      gpu.launch_func @sparseconv_kernels::@network_kernel_{{[0-9]+}} blocks in (%[[BLOCKS]],
// HOST-NOT:  memref.load
// HOST-NOT:  memref.store
// HOST-NOT:  scf.
// HOST-NOT:  device_scalar
// HOST:      return %{{.*}}, %{{.*}} : memref<?x32xf32>, memref<1xindex>

// Every kernel once, in one module. They take addresses.
// KERNELS:     func.func @network
// KERNELS:     gpu.module @sparseconv_kernels {
// KERNELS:       gpu.func @network_kernel_0(
// KERNELS-NOT:     memref<?
// KERNELS-SAME:  ) kernel
// KERNELS-NOT: gpu.module
// KERNELS-NOT: sparseconv.kernel

// PLAN:      plan version 9 by 'sparseconv'
// PLAN-NEXT: module 'sparseconv_kernels'
// PLAN-NEXT:   ptx sm_80 {{[1-9][0-9]+}} bytes
// PLAN-NEXT: kernel 'network_kernel_0' module #0:'sparseconv_kernels' shared 0 + 0
// PLAN:      constant 'sparseconv_constant_{{[0-9]+}}' 72 bytes
// PLAN:      function 'network' streams 1
// PLAN-NEXT:   input 'points' ?(slot [[POINTS:[0-9]+]])x4xi32
// PLAN-NEXT:   input 'arg1' ?(slot [[POINTS]])x16xf32
// PLAN-NEXT:   input 'arg2' 27x16x32xf32
// PLAN-NEXT:   input 'arg3' 32xf32
// PLAN-NEXT:   output 'features' ?(slot [[ROWS:[0-9]+]], at most exact([[ROWS]], min(cap(points, 0), 2147483646)))x32xf32
// PLAN:        slot [[POINTS]] 'points.0'
// PLAN:        slot {{[0-9]+}} 'count.0'
// PLAN:        buffer 'points' input 0 bytes ((4 * cap(points, 0)) * 4)
// PLAN:        buffer '{{.*}}' prepared steps [{{[0-9]+, [0-9]+}}] bytes (8 * exact([[POINTS]], cap(points, 0)))
// PLAN:        op 0 sparseconv.pack at '{{.*}}lower-to-gpu.mlir:{{[0-9]+}}:{{[0-9]+}}'
// PLAN:        step 0: launch #0:'network_kernel_0' grid (1, 1) block 1 prepares counts
// PLAN:          slot [[POINTS]]
// PLAN:          status
// PLAN:        step {{[0-9]+}}: launch {{.*}} grid (min(ceildiv(cap(points, 0), 256), 4096), 1) block 256
// PLAN:          slot [[ROWS]]

// PTX:     .target sm_80
// PTX-NOT: .extern .func
// PTX:     .visible .entry network_kernel_0(
// PTX:     match.any.sync.b32
func.func @network(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %x: tensor<?x16xf32>,
                   %w: tensor<27x16x32xf32>, %bias: tensor<32xf32>)
    -> (tensor<?x32xf32> {sparseconv.name = "features"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x16xf32>, tensor<?xi32> -> tensor<?x16xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %f, %w, %m epilogue(%bias : tensor<32xf32>) {
  ^bb0(%acc: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    %sum = arith.addf %acc, %b : f32
    %relu = arith.maximumf %sum, %zero : f32
    sparseconv.yield %relu : f32
  } : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
