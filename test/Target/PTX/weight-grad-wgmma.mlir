// REQUIRES: ptxas
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda:sm_90a | sparseconv-translate --mlir-to-plan --chip=sm_90a | sparseconv-translate --plan-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %ptxas -arch=sm_90a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s

// Gradients by the weights whose main loop is wgmma, which takes both sides from
// shared memory. They assemble without spills.

// CHECK-NOT: {{error|warning|[1-9][0-9]* bytes (stack|spill)}}
// CHECK: Used {{[0-9]+}} registers
// CHECK-NOT: {{error|warning|[1-9][0-9]* bytes (stack|spill)}}

// PTX-LABEL: .entry weight_grad_
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       cp.async.ca.shared.global [%{{[^]]*}}], [%{{[^]]*}}], 4, %r
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       cp.async.cg.shared.global [%{{[^]]*}}], [%{{[^]]*}}], 16, %r
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       fence.proxy.async.shared::cta
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       st.global.v2.b32
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       ret;

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @small(%p: tensor<?x4xi32>, %x: tensor<?x64xf16>, %dy: tensor<?x64xf16>) -> tensor<27x64x64xf16> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m
      {tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 64, tile_out = 64, piece_in = 64, piece_out = 64, stages = 4, blocks = 2>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  return %dw : tensor<27x64x64xf16>
}
func.func @wide(%p: tensor<?x4xi32>, %x: tensor<?x64xbf16>, %dy: tensor<?x128xbf16>) -> tensor<27x64x128xbf16> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m
      {tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 64, tile_out = 128, piece_in = 64, piece_out = 128, stages = 4>}
      : tensor<?x64xbf16>, tensor<?x128xbf16>, !map -> tensor<27x64x128xbf16>
  return %dw : tensor<27x64x128xbf16>
}
func.func @square(%p: tensor<?x4xi32>, %x: tensor<?x128xf16>, %dy: tensor<?x128xf16>) -> tensor<27x128x128xf16> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m
      {tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 128, tile_out = 128, piece_in = 128, piece_out = 128, stages = 4>}
      : tensor<?x128xf16>, tensor<?x128xf16>, !map -> tensor<27x128x128xf16>
  return %dw : tensor<27x128x128xf16>
}
func.func @alone(%p: tensor<?x4xi32>, %x: tensor<?x128xf16>, %dy: tensor<?x128xf16>) -> tensor<27x128x128xf16> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m
      {tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 128, tile_out = 128, piece_in = 128, piece_out = 128, stages = 4, blocks = 3>}
      : tensor<?x128xf16>, tensor<?x128xf16>, !map -> tensor<27x128x128xf16>
  return %dw : tensor<27x128x128xf16>
}
func.func @chosen(%p: tensor<?x4xi32>, %x: tensor<?x256xf16>, %dy: tensor<?x256xf16>, %z: tensor<?x72xf16>) -> (tensor<27x256x256xf16>, tensor<27x256x72xf16>) {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m : tensor<?x256xf16>, tensor<?x256xf16>, !map -> tensor<27x256x256xf16>
  %dv = sparseconv.weight_grad %x, %z, %m : tensor<?x256xf16>, tensor<?x72xf16>, !map -> tensor<27x256x72xf16>
  return %dw, %dv : tensor<27x256x256xf16>, tensor<27x256x72xf16>
}
