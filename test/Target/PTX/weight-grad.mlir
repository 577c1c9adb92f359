// Gradients by the weights, on tensor cores and by threads: no spills, sums that
// do not race.
// REQUIRES: ptxas
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda:sm_80 | sparseconv-translate --mlir-to-plan --chip=sm_80 | sparseconv-translate --plan-to-ptx -o %t.80.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.80.ptx
// RUN: %ptxas -arch=sm_80 -v %t.80.ptx -o %t.80.cubin 2>&1 | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda:sm_86 | sparseconv-translate --mlir-to-plan --chip=sm_86 | sparseconv-translate --plan-to-ptx -o %t.86.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.86.ptx
// RUN: %ptxas -arch=sm_86 -v %t.86.ptx -o %t.86.cubin 2>&1 | FileCheck %s
// The kernels for sm_89 are those for sm_86 (test/Gpu/operations-sm_86-sm_89.test).
// RUN: sed 's/^\.target sm_86/.target sm_89/' %t.86.ptx > %t.89.ptx
// RUN: %ptxas -arch=sm_89 -v %t.89.ptx -o %t.89.cubin 2>&1 | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda:sm_90a | sparseconv-translate --mlir-to-plan --chip=sm_90a | sparseconv-translate --plan-to-ptx -o %t.90a.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.90a.ptx
// RUN: %ptxas -arch=sm_90a -v %t.90a.ptx -o %t.90a.cubin 2>&1 | FileCheck %s

// CHECK-NOT: {{error|warning|[1-9][0-9]* bytes (stack|spill)}}
// CHECK:     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: {{error|warning|[1-9][0-9]* bytes (stack|spill)}}

// Rows come in copies of 16 bytes; every sum has a place of its own.
// PTX-LABEL: .entry weight_grad_
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       cp.async.ca.shared.global [%{{[^]]*}}], [%{{[^]]*}}], 4, %r
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       cp.async.cg.shared.global [%{{[^]]*}}], [%{{[^]]*}}], 16, %r
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       st.global.v2.b32
// PTX-NOT:   {{[[:space:]](atom|red)[.]}}
// PTX:       ret;

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @f16(%p: tensor<?x4xi32>, %x: tensor<?x64xf16>, %dy: tensor<?x64xf16>) -> tensor<27x64x64xf16> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  return %dw : tensor<27x64x64xf16>
}
func.func @f32(%p: tensor<?x4xi32>, %x: tensor<?x64xf32>, %dy: tensor<?x33xf32>) -> tensor<27x64x33xf32> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m : tensor<?x64xf32>, tensor<?x33xf32>, !map -> tensor<27x64x33xf32>
  return %dw : tensor<27x64x33xf32>
}
func.func @depthwise(%p: tensor<?x4xi32>, %x: tensor<?x64xf16>, %dy: tensor<?x64xf16>) -> tensor<27x64x1x1xf16> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m groups(64) : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x1x1xf16>
  return %dw : tensor<27x64x1x1xf16>
}
func.func @wide(%p: tensor<?x4xi32>, %x: tensor<?x256xbf16>, %dy: tensor<?x128xbf16>) -> tensor<27x256x128xbf16> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m : tensor<?x256xbf16>, tensor<?x128xbf16>, !map -> tensor<27x256x128xbf16>
  return %dw : tensor<27x256x128xbf16>
}
func.func @narrow(%p: tensor<?x4xi32>, %x: tensor<?x8xf16>, %dy: tensor<?x16xf16>) -> tensor<27x8x16xf16> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m : tensor<?x8xf16>, tensor<?x16xf16>, !map -> tensor<27x8x16xf16>
  return %dw : tensor<27x8x16xf16>
}
func.func @mid(%p: tensor<?x4xi32>, %x: tensor<?x96xf16>, %dy: tensor<?x128xf16>) -> tensor<27x96x128xf16> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dw = sparseconv.weight_grad %x, %dy, %m : tensor<?x96xf16>, tensor<?x128xf16>, !map -> tensor<27x96x128xf16>
  return %dw : tensor<27x96x128xf16>
}
