// RUN: sparseconv-opt %s --sparseconv-approximate-math --split-input-file | FileCheck %s

// What is rounded to 16 bits in the end is made of short instructions: an activation
// behind a norm.

// CHECK-LABEL: gpu.func @norm(
// CHECK:         llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%{{.*}}) : (f32) -> f32
// CHECK:         %[[LOG2E:.*]] = arith.constant 1.4426
// CHECK:         %[[POWER:.*]] = arith.mulf %{{.*}}, %[[LOG2E]] : f32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[POWER]]) : (f32) -> f32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK-NOT:     math.
// CHECK-NOT:     arith.divf
gpu.module @kernels {
  gpu.func @norm(%x: f16, %variance: f32, %n: index, %out: memref<?xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %scale = math.rsqrt %variance : f32
    // A loop may read it, as long as it carries nothing that is made of it.
    scf.for %i = %c0 to %n step %c1 {
      %0 = arith.extf %x : f16 to f32
      %1 = arith.mulf %0, %scale : f32
      %2 = arith.negf %1 : f32
      %3 = math.exp %2 : f32
      %4 = arith.addf %one, %3 : f32
      %5 = arith.divf %1, %4 : f32
      %6 = arith.truncf %5 : f32 to f16
      memref.store %6, %out[%i] : memref<?xf16>
    }
    gpu.return
  }
}

// -----

// So are the other functions, and all on 16 bits themselves.

// CHECK-LABEL: gpu.func @functions(
// CHECK:         %[[ROOT:.*]] = llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[ROOT]])
// CHECK:         %[[A:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:         %[[B:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:         %[[Q:.*]] = llvm.call_intrinsic "llvm.nvvm.div.full"(%[[A]], %[[B]])
// CHECK:         arith.truncf %[[Q]] : f32 to bf16
gpu.module @kernels {
  gpu.func @functions(%x: f32, %a: bf16, %b: bf16, %out: memref<2xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = math.sqrt %x : f32
    %1 = math.exp2 %0 : f32
    %2 = arith.maximumf %1, %x : f32
    %3 = arith.truncf %2 : f32 to bf16
    %4 = arith.divf %a, %b : bf16
    memref.store %3, %out[%c0] : memref<2xbf16>
    memref.store %4, %out[%c1] : memref<2xbf16>
    gpu.return
  }
}

// -----

// Results that stay f32, truth values and numbers that decide something, and sums
// over a loop are computed as they are written; so is f64.

// CHECK-LABEL: gpu.func @others(
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         math.exp
// CHECK:         arith.divf
// CHECK:         math.sqrt
// CHECK:         arith.divf
// CHECK:         arith.divf %{{.*}} : f64
gpu.module @kernels {
  gpu.func @others(%x: f32, %d: f64, %n: index, %out: memref<2xf32>, %half: memref<4xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %0 = math.exp %x : f32
    memref.store %0, %out[%c0] : memref<2xf32>
    %1 = arith.truncf %0 : f32 to f16
    memref.store %1, %half[%c0] : memref<4xf16>
    %2 = arith.divf %x, %0 : f32
    %3 = arith.cmpf olt, %2, %x : f32
    %4 = arith.select %3, %2, %x : f32
    %5 = arith.truncf %4 : f32 to f16
    memref.store %5, %half[%c1] : memref<4xf16>
    %6 = math.sqrt %x : f32
    %7 = arith.fptosi %6 : f32 to i32
    %8 = arith.sitofp %7 : i32 to f16
    memref.store %8, %half[%c0] : memref<4xf16>
    %9 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %10 = arith.divf %sum, %x : f32
      %11 = arith.addf %10, %x : f32
      scf.yield %11 : f32
    }
    %12 = arith.truncf %9 : f32 to f16
    memref.store %12, %half[%c1] : memref<4xf16>
    %13 = arith.divf %d, %d : f64
    %14 = arith.truncf %13 : f64 to f16
    memref.store %14, %half[%c0] : memref<4xf16>
    gpu.return
  }
}

// -----

// A sum that may cancel is in the end no more wrong than its terms, and goes into no
// root and no divisor. One of positive terms does not cancel.

// CHECK-LABEL: gpu.func @sums(
// CHECK:         llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK:         arith.subf
// CHECK:         arith.divf
// CHECK:         arith.subf
// CHECK:         llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"
// CHECK:         math.exp
// CHECK:         arith.addf
// CHECK:         llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:         arith.addf
// CHECK:         llvm.call_intrinsic "llvm.nvvm.div.full"
gpu.module @kernels {
  gpu.func @sums(%x: f32, %y: f32, %out: memref<4xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %x, %y : f32
    %1 = arith.subf %0, %one : f32
    %2 = arith.truncf %1 : f32 to f16
    memref.store %2, %out[%c0] : memref<4xf16>
    %3 = arith.divf %y, %x : f32
    %4 = arith.mulf %3, %3 : f32
    %5 = arith.subf %one, %4 : f32
    %6 = math.sqrt %5 : f32
    %7 = arith.truncf %6 : f32 to f16
    memref.store %7, %out[%c1] : memref<4xf16>
    %8 = math.exp %x : f32
    %9 = arith.addf %8, %y : f32
    %10 = arith.divf %one, %9 : f32
    %11 = arith.truncf %10 : f32 to f16
    memref.store %11, %out[%c2] : memref<4xf16>
    %12 = math.exp %y : f32
    %13 = arith.addf %one, %12 : f32
    %14 = arith.divf %y, %13 : f32
    %15 = arith.truncf %14 : f32 to f16
    memref.store %15, %out[%c3] : memref<4xf16>
    gpu.return
  }
}
