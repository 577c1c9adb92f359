// RUN: sparseconv-opt %s --sparseconv-expand-device-math --split-input-file --verify-diagnostics | FileCheck %s

// Operations that have instructions are intrinsics of the backend's, ...

// CHECK-LABEL: gpu.func @exact(
// CHECK-NOT: math.
// CHECK: llvm.call_intrinsic "llvm.sqrt"(%{{.*}}) : (f32) -> f32
// CHECK: llvm.call_intrinsic "llvm.fabs"(%{{.*}}) : (f64) -> f64
// CHECK: llvm.call_intrinsic "llvm.floor"
// CHECK: llvm.call_intrinsic "llvm.ceil"
// CHECK: llvm.call_intrinsic "llvm.trunc"
// CHECK: llvm.call_intrinsic "llvm.round"
// CHECK: llvm.call_intrinsic "llvm.roundeven"
// CHECK: llvm.call_intrinsic "llvm.copysign"
gpu.module @kernels {
  gpu.func @exact(%x: f32, %d: f64, %out: memref<8xf32>, %outd: memref<1xf64>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.sqrt %x : f32
    %1 = math.absf %d : f64
    %2 = math.floor %0 : f32
    %3 = math.ceil %2 : f32
    %4 = math.trunc %3 : f32
    %5 = math.round %4 : f32
    %6 = math.roundeven %5 : f32
    %7 = math.copysign %6, %x : f32
    memref.store %7, %out[%c0] : memref<8xf32>
    memref.store %1, %outd[%c0] : memref<1xf64>
    gpu.return
  }
}

// -----

// ... others are arithmetic; on narrow types that of f32.

// CHECK-LABEL: gpu.func @approximated(
// CHECK-NOT: math.{{exp|tanh|erf|log|rsqrt}}
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK-NOT: math.{{exp|tanh|erf|log|rsqrt}}
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT: math.{{exp|tanh|erf|log|rsqrt}}
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @approximated(%x: f32, %h: f16, %out: memref<8xf32>, %outh: memref<1xf16>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.exp %x : f32
    %1 = math.tanh %0 : f32
    %2 = math.erf %1 : f32
    %3 = math.log %2 : f32
    %4 = math.rsqrt %3 : f32
    %5 = math.exp %h : f16
    memref.store %4, %out[%c0] : memref<8xf32>
    memref.store %5, %outh[%c0] : memref<1xf16>
    gpu.return
  }
}

// -----

// The rest would be calls of a library.

gpu.module @kernels {
  gpu.func @far(%x: f32, %out: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'math.sin' on 'f32' has no form on the GPU}}
    %0 = math.sin %x : f32
    memref.store %0, %out[%c0] : memref<1xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @double(%x: f64, %out: memref<1xf64>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'math.exp' on 'f64' has no form on the GPU}}
    %0 = math.exp %x : f64
    memref.store %0, %out[%c0] : memref<1xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @remainder(%x: f32, %out: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'arith.remf' on 'f32' has no form on the GPU}}
    %0 = arith.remf %x, %x : f32
    memref.store %0, %out[%c0] : memref<1xf32>
    gpu.return
  }
}
