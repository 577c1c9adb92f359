// A network that allows tf32 multiplies on tensor cores on every chip, forward and
// for both gradients, without spills; one that does not multiplies f32.
// REQUIRES: ptxas
// RUN: sparseconv-translate %s --network-to-plan --chip=sm_80 | sparseconv-translate --plan-to-ptx -o %t.80.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.80.ptx
// RUN: %ptxas -arch=sm_80 -v %t.80.ptx -o %t.80.cubin 2>&1 | FileCheck %s
// RUN: sparseconv-translate %s --network-to-plan --chip=sm_86 | sparseconv-translate --plan-to-ptx -o %t.86.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.86.ptx
// RUN: %ptxas -arch=sm_86 -v %t.86.ptx -o %t.86.cubin 2>&1 | FileCheck %s
// The kernels for sm_89 are those for sm_86 (test/Gpu/operations-sm_86-sm_89.test).
// RUN: sed 's/^\.target sm_86/.target sm_89/' %t.86.ptx > %t.89.ptx
// RUN: %ptxas -arch=sm_89 -v %t.89.ptx -o %t.89.cubin 2>&1 | FileCheck %s
// RUN: sparseconv-translate %s --network-to-plan --chip=sm_90a | sparseconv-translate --plan-to-ptx -o %t.90a.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.90a.ptx
// RUN: %ptxas -arch=sm_90a -v %t.90a.ptx -o %t.90a.cubin 2>&1 | FileCheck %s
// RUN: sed 's/ tf32 = allowed//' %s | sparseconv-translate --network-to-plan --chip=sm_80 | sparseconv-translate --plan-to-ptx | FileCheck %s --check-prefix=F32

// CHECK-NOT: {{error|warning}}
// CHECK-NOT: {{properties for (pack_weights|tiled_gemm|weight_grad)_[0-9]+[[:space:]]+[1-9]}}
// CHECK:     properties for {{tiled_gemm_[0-9]+[[:space:]]+}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: {{error|warning}}
// CHECK-NOT: {{properties for (pack_weights|tiled_gemm|weight_grad)_[0-9]+[[:space:]]+[1-9]}}

// Weights are rounded as they are packed, rows as they are multiplied.
// PTX:     .entry pack_weights_
// PTX:     cvt.rna.tf32.f32
// PTX:     .entry tiled_gemm_
// PTX:     cvt.rna.tf32.f32
// PTX:     mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTX:     .entry weight_grad_
// PTX:     cp.async.cg.shared.global
// PTX:     cvt.rna.tf32.f32
// PTX:     mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32

// F32-NOT: {{tf32|mma}}
// F32:     fma.rn.f32
// F32-NOT: {{tf32|mma}}

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @forward(%p: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w0: tensor<27x4x33xf32>,
                   %w1: tensor<27x33x128xf32>, %bias: tensor<128xf32>) -> tensor<?x128xf32> {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w0, %m tf32 = allowed : tensor<?x4xf32>, tensor<27x4x33xf32>, !map -> tensor<?x33xf32>
  %z = sparseconv.conv %y, %w1, %m tf32 = allowed epilogue(%bias : tensor<128xf32>) {
  ^bb0(%acc: f32, %b: f32):
    %sum = arith.addf %acc, %b : f32
    sparseconv.yield %sum : f32
  } : tensor<?x33xf32>, tensor<27x33x128xf32>, !map -> tensor<?x128xf32>
  return %z : tensor<?x128xf32>
}

func.func @gradients0(%p: tensor<?x4xi32>, %x: tensor<?x4xf32>, %dy: tensor<?x4xf32>, %w: tensor<27x4x4xf32>)
    -> (tensor<?x4xf32>, tensor<27x4x4xf32>) {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dx = sparseconv.input_grad %dy, %w, %m tf32 = allowed : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  %dw = sparseconv.weight_grad %x, %dy, %m tf32 = allowed : tensor<?x4xf32>, tensor<?x4xf32>, !map -> tensor<27x4x4xf32>
  return %dx, %dw : tensor<?x4xf32>, tensor<27x4x4xf32>
}

func.func @gradients1(%p: tensor<?x4xi32>, %x: tensor<?x20xf32>, %dy: tensor<?x48xf32>, %w: tensor<27x20x48xf32>)
    -> (tensor<?x20xf32>, tensor<27x20x48xf32>) {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dx = sparseconv.input_grad %dy, %w, %m tf32 = allowed : tensor<?x48xf32>, tensor<27x20x48xf32>, !map -> tensor<?x20xf32>
  %dw = sparseconv.weight_grad %x, %dy, %m tf32 = allowed : tensor<?x20xf32>, tensor<?x48xf32>, !map -> tensor<27x20x48xf32>
  return %dx, %dw : tensor<?x20xf32>, tensor<27x20x48xf32>
}

func.func @gradients2(%p: tensor<?x4xi32>, %x: tensor<?x64xf32>, %dy: tensor<?x64xf32>, %w: tensor<27x64x64xf32>)
    -> (tensor<?x64xf32>, tensor<27x64x64xf32>) {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dx = sparseconv.input_grad %dy, %w, %m tf32 = allowed : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  %dw = sparseconv.weight_grad %x, %dy, %m tf32 = allowed : tensor<?x64xf32>, tensor<?x64xf32>, !map -> tensor<27x64x64xf32>
  return %dx, %dw : tensor<?x64xf32>, tensor<27x64x64xf32>
}

func.func @gradients3(%p: tensor<?x4xi32>, %x: tensor<?x96xf32>, %dy: tensor<?x128xf32>, %w: tensor<27x96x128xf32>)
    -> (tensor<?x96xf32>, tensor<27x96x128xf32>) {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dx = sparseconv.input_grad %dy, %w, %m tf32 = allowed : tensor<?x128xf32>, tensor<27x96x128xf32>, !map -> tensor<?x96xf32>
  %dw = sparseconv.weight_grad %x, %dy, %m tf32 = allowed : tensor<?x96xf32>, tensor<?x128xf32>, !map -> tensor<27x96x128xf32>
  return %dx, %dw : tensor<?x96xf32>, tensor<27x96x128xf32>
}

func.func @gradients4(%p: tensor<?x4xi32>, %x: tensor<?x256xf32>, %dy: tensor<?x256xf32>, %w: tensor<27x256x256xf32>)
    -> (tensor<?x256xf32>, tensor<27x256x256xf32>) {
  %c, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %dx = sparseconv.input_grad %dy, %w, %m tf32 = allowed : tensor<?x256xf32>, tensor<27x256x256xf32>, !map -> tensor<?x256xf32>
  %dw = sparseconv.weight_grad %x, %dy, %m tf32 = allowed : tensor<?x256xf32>, tensor<?x256xf32>, !map -> tensor<27x256x256xf32>
  return %dx, %dw : tensor<?x256xf32>, tensor<27x256x256xf32>
}
