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
// CHECK: llvm.call_intrinsic "llvm.maxnum"(%{{.*}}) : (f32, f32) -> f32
// CHECK: arith.extf
// CHECK: llvm.call_intrinsic "llvm.minnum"(%{{.*}}) : (f32, f32) -> f32
// CHECK: arith.truncf
gpu.module @kernels {
  gpu.func @exact(%x: f32, %d: f64, %out: memref<8xf32>, %outd: memref<1xf64>, %h: f16, %outh: memref<1xf16>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.sqrt %x : f32
    %1 = math.absf %d : f64
    %2 = math.floor %0 : f32
    %3 = math.ceil %2 : f32
    %4 = math.trunc %3 : f32
    %5 = math.round %4 : f32
    %6 = math.roundeven %5 : f32
    %7 = math.copysign %6, %x : f32
    %8 = arith.maxnumf %7, %x : f32
    %9 = arith.minnumf %h, %h : f16
    memref.store %8, %out[%c0] : memref<8xf32>
    memref.store %9, %outh[%c0] : memref<1xf16>
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
    %3 = math.log1p %2 : f32
    %4 = math.rsqrt %3 : f32
    %5 = math.exp %h : f16
    memref.store %4, %out[%c0] : memref<8xf32>
    memref.store %5, %outh[%c0] : memref<1xf16>
    gpu.return
  }
}

// -----

// ... and others are arithmetic on f64, rounded once.

// CHECK-LABEL: gpu.func @wide(
// CHECK-NOT: math.{{[ac]*(sin|cos|tan)|pow|cbrt|log|exp}}
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: scf.if
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK-NOT: math.{{[ac]*(sin|cos|tan)|pow|cbrt|log|exp}}
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: scf.while
// CHECK-NOT: arith.remf
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @wide(%x: f32, %y: f32, %n: i32, %h: bf16, %out: memref<2xf32>, %outh: memref<2xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = math.sin %x : f32
    %1 = math.cos %0 : f32
    %2 = math.tan %1 : f32
    %3 = math.asin %2 : f32
    %4 = math.acos %3 : f32
    %5 = math.atan %4 : f32
    %6 = math.sinh %5 : f32
    %7 = math.cosh %6 : f32
    %8 = math.asinh %7 : f32
    %9 = math.acosh %8 : f32
    %10 = math.atanh %9 : f32
    %11 = math.log %10 : f32
    %12 = math.log2 %11 : f32
    %13 = math.log10 %12 : f32
    %14 = math.exp2 %13 : f32
    %15 = math.cbrt %14 : f32
    %16 = math.powf %15, %y : f32
    %17 = math.atan2 %16, %y : f32
    %18 = math.fpowi %17, %n : f32, i32
    %19, %20 = math.sincos %18 : f32
    %21 = math.fpowi %h, %n : bf16, i32
    %22, %23 = math.sincos %21 : bf16
    %24 = arith.remf %19, %y : f32
    %25 = arith.addf %24, %20 : f32
    memref.store %25, %out[%c0] : memref<2xf32>
    memref.store %22, %outh[%c0] : memref<2xbf16>
    memref.store %23, %outh[%c1] : memref<2xbf16>
    gpu.return
  }
}

// -----

// Whole numbers and questions are arithmetic, too.

// CHECK-LABEL: gpu.func @whole(
// CHECK-NOT: math.{{ipowi|isinf|isnormal|clampf}}
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @whole(%x: i32, %y: f32, %out: memref<1xi32>, %outy: memref<1xf32>, %is: memref<2xi1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = math.ipowi %x, %x : i32
    %1 = math.isinf %y : f32
    %2 = math.isnormal %y : f32
    %3 = math.clampf %y to [%y, %y] : f32
    memref.store %0, %out[%c0] : memref<1xi32>
    memref.store %1, %is[%c0] : memref<2xi1>
    memref.store %2, %is[%c1] : memref<2xi1>
    memref.store %3, %outy[%c0] : memref<1xf32>
    gpu.return
  }
}

// -----

// The backend makes the opposite of a truth value of a number.

// CHECK-LABEL: gpu.func @truths(
// CHECK: %[[NUMBER:.*]] = arith.fptoui %{{.*}} : f32 to i32
// CHECK: arith.trunci %[[NUMBER]] : i32 to i1
// CHECK: %[[NUMBERS:.*]] = arith.fptosi %{{.*}} : vector<4xf16> to vector<4xi32>
// CHECK: arith.trunci %[[NUMBERS]] : vector<4xi32> to vector<4xi1>
// CHECK: arith.fptoui %{{.*}} : f32 to i8
gpu.module @kernels {
  gpu.func @truths(%x: f32, %v: vector<4xf16>, %is: memref<1xi1>, %are: memref<1xvector<4xi1>>, %out: memref<1xi8>) kernel {
    %c0 = arith.constant 0 : index
    %0 = arith.fptoui %x : f32 to i1
    %1 = arith.fptosi %v : vector<4xf16> to vector<4xi1>
    %2 = arith.fptoui %x : f32 to i8
    memref.store %0, %is[%c0] : memref<1xi1>
    memref.store %1, %are[%c0] : memref<1xvector<4xi1>>
    memref.store %2, %out[%c0] : memref<1xi8>
    gpu.return
  }
}

// -----

// The rest would be calls of a library.

gpu.module @kernels {
  gpu.func @far(%x: f64, %out: memref<1xf64>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'math.sin' on 'f64' has no form on the GPU}}
    %0 = math.sin %x : f64
    memref.store %0, %out[%c0] : memref<1xf64>
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
  gpu.func @remainder(%x: f64, %out: memref<1xf64>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'arith.remf' on 'f64' has no form on the GPU}}
    %0 = arith.remf %x, %x : f64
    memref.store %0, %out[%c0] : memref<1xf64>
    gpu.return
  }
}
