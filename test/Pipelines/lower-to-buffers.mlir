// What all targets share: from a network to kernel operations on buffers.
// RUN: sparseconv-opt %s --sparseconv-lower-to-buffers | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: sparseconv-opt %s --sparseconv-lower-to-buffers=target=cuda:sm_80 | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: not sparseconv-opt %s --sparseconv-lower-to-buffers=target=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not sparseconv-opt %s --sparseconv-lower-to-gpu=target=cpu 2>&1 | FileCheck %s --check-prefix=NO-GPU

// UNKNOWN: error: unknown target 'abacus'; there are: cpu, cuda
// NO-GPU: error: expects the target of the module to be a GPU, as sparseconv-set-target sets it

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// CPU: module attributes {{.*}}sparseconv.target = #sparseconv.target<cpu, chip = "avx2">
// GPU: module attributes {{.*}}sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">

// CHECK-LABEL: func.func @layer
// CHECK-SAME: %[[STATUS:.*]]: memref<8xi64> {sparseconv.status}) -> memref<?x32xf32>
// CHECK: sparseconv.kernel.encode
// CHECK: sparseconv.kernel.sort
// CHECK: sparseconv.kernel.unique
// CHECK: sparseconv.kernel.gather_rows
// CHECK: sparseconv.kernel.search
// The dataflow decides which operations carry out a convolution.
// CPU: sparseconv.kernel.pair_lists
// CPU: sparseconv.kernel.gather_gemm_scatter
// GPU: sparseconv.kernel.tile_rows
// GPU: sparseconv.kernel.tiled_gemm
// A buffer goes back when its last reader is done; the result stays.
// CHECK: memref.dealloc
// CHECK: return %{{.*}} : memref<?x32xf32>
// CHECK-NOT: tensor<?
func.func @layer(%points: tensor<?x4xi32>, %x: tensor<?x16xf32>, %w: tensor<27x16x32xf32>) -> tensor<?x32xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x16xf32>, tensor<?xi32> -> tensor<?x16xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %f, %w, %m : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// The host of a GPU runs straight through its launches: no calls, no loops
// around kernels, no branches. On the CPU they stay.
func.func private @twice(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {no_inline} {
  %r = linalg.add ins(%x, %x : tensor<?x8xf32>, tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @control_flow
// CPU:     scf.for
// CPU:       call @twice
// CPU:     scf.if
// GPU-NOT: scf.for
// GPU-NOT: call
// GPU:     linalg.generic
// GPU:     linalg.generic
// GPU-NOT: scf.for
// CHECK:   return
func.func @control_flow(%x: tensor<?x8xf32>, %is: i1) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %grown = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %x) -> tensor<?x8xf32> {
    %next = func.call @twice(%t) {no_inline} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %next : tensor<?x8xf32>
  }
  %r = scf.if %is -> tensor<?x8xf32> {
    scf.yield %grown : tensor<?x8xf32>
  } else {
    scf.yield %x : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// A layer of a U-Net: two convolutions with norms, a pointwise shortcut with another, and
// the sum of both. Nothing stands between the convolutions.
#rows = affine_map<(d0, d1) -> (d0, d1)>
#channels = affine_map<(d0, d1) -> (d1)>
!point = !sparseconv.kernel_map<1, !set to !set>

func.func private @norm(%x: tensor<?x32xf16>, %scale: tensor<32xf16>) -> tensor<?x32xf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x32xf16>
  %init = tensor.empty(%n) : tensor<?x32xf16>
  %r = linalg.generic {indexing_maps = [#rows, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale : tensor<?x32xf16>, tensor<32xf16>) outs(%init : tensor<?x32xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %wide_a = arith.extf %a : f16 to f32
    %wide_b = arith.extf %b : f16 to f32
    %product = arith.mulf %wide_a, %wide_b : f32
    %relu = arith.maximumf %product, %zero : f32
    %y = arith.truncf %relu : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x32xf16>
  return %r : tensor<?x32xf16>
}

// CHECK-LABEL: func.func @residual
// CHECK-NOT:     linalg{{.*}} ins(
// CPU:           sparseconv.kernel.gather_gemm_scatter
// CPU:           arith.maximumf
// GPU:           sparseconv.kernel.tiled_gemm
// GPU:           arith.maximumf
// CHECK-NOT:     linalg{{.*}} ins(
// CPU:           sparseconv.kernel.gather_gemm_scatter
// GPU:           sparseconv.kernel.tiled_gemm
// CHECK-NOT:     linalg{{.*}} ins(
// CPU:           sparseconv.kernel.gather_gemm_scatter
// GPU:           sparseconv.kernel.tiled_gemm
// CHECK:         arith.maximumf
// CHECK:         arith.addf
// CHECK-NOT:     linalg{{.*}} ins(
// CHECK:         return
func.func @residual(%points: tensor<?x4xi32>, %features: tensor<?x16xf16>, %w0: tensor<27x16x32xf16>, %w1: tensor<27x32x32xf16>, %w2: tensor<1x16x32xf16>, %scale: tensor<32xf16>) -> tensor<?x32xf16> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %p = sparseconv.kernel_map %c to %c offsets(box<1, 1, 1>) : !point
  %0 = sparseconv.conv %x, %w0, %m : tensor<?x16xf16>, tensor<27x16x32xf16>, !map -> tensor<?x32xf16>
  %1 = call @norm(%0, %scale) : (tensor<?x32xf16>, tensor<32xf16>) -> tensor<?x32xf16>
  %2 = sparseconv.conv %1, %w1, %m : tensor<?x32xf16>, tensor<27x32x32xf16>, !map -> tensor<?x32xf16>
  %3 = call @norm(%2, %scale) : (tensor<?x32xf16>, tensor<32xf16>) -> tensor<?x32xf16>
  %4 = sparseconv.conv %x, %w2, %p : tensor<?x16xf16>, tensor<1x16x32xf16>, !point -> tensor<?x32xf16>
  %5 = call @norm(%4, %scale) : (tensor<?x32xf16>, tensor<32xf16>) -> tensor<?x32xf16>
  %r = linalg.add ins(%3, %5 : tensor<?x32xf16>, tensor<?x32xf16>) outs(%3 : tensor<?x32xf16>) -> tensor<?x32xf16>
  return %r : tensor<?x32xf16>
}

#column = affine_map<(d0, d1) -> (d1)>
#groups = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#group = affine_map<(d0, d1, d2) -> (d0, d1)>

// Work on elements is one loop nest, also where shapes change between.
// CHECK-LABEL: func.func @fused
// CHECK: linalg.generic {{.*}}memref<3x4xf32>) outs(
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: math.absf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @fused(%x: tensor<?x12xf32>, %mean: tensor<?x3xf32>, %w: tensor<12xf32>) -> tensor<?x12xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x12xf32>
  %g = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 3, 4] : tensor<?x12xf32> into tensor<?x3x4xf32>
  %e3 = tensor.empty(%n) : tensor<?x3x4xf32>
  %a = linalg.generic {indexing_maps = [#groups, #group, #groups], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g, %mean : tensor<?x3x4xf32>, tensor<?x3xf32>) outs(%e3 : tensor<?x3x4xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  } -> tensor<?x3x4xf32>
  %c = tensor.collapse_shape %a [[0], [1, 2]] : tensor<?x3x4xf32> into tensor<?x12xf32>
  %e2 = tensor.empty(%n) : tensor<?x12xf32>
  %b = linalg.generic {indexing_maps = [#rows, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%c, %w : tensor<?x12xf32>, tensor<12xf32>) outs(%e2 : tensor<?x12xf32>) {
  ^bb0(%in: f32, %f: f32, %out: f32):
    %0 = arith.mulf %in, %f : f32
    linalg.yield %0 : f32
  } -> tensor<?x12xf32>
  %d = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<?x12xf32>) outs(%e2 : tensor<?x12xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.absf %in : f32
    linalg.yield %0 : f32
  } -> tensor<?x12xf32>
  return %d : tensor<?x12xf32>
}
