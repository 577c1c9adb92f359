// RUN: sparseconv-opt %s --sparseconv-serialize-kernels --split-input-file --verify-diagnostics | FileCheck %s

// CHECK:     gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_86">, assembly = "{{.*}}.target sm_86{{.*}}.entry nothing
// CHECK-NOT: gpu.module
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_86">} {
  gpu.module @kernels {
    llvm.func @nothing() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

module {
  // expected-error @+1 {{is for no chip: the target of the module around it is cpu:avx2}}
  gpu.module @kernels {
  }
}

// -----

// Each kernel is translated by itself. What several kernels name is declared
// once, in the text that they share.

// CHECK:          gpu.binary @several
// CHECK-SAME:     .target sm_86
// CHECK-NOT:      .target
// CHECK-SAME:     .extern .shared .align 16 .b8 dynamic[]
// CHECK-SAME:     .global .align 16 .b8 table[
// CHECK-NOT:      .shared
// CHECK-NOT:      .global
// CHECK-SAME:     .visible .entry first(
// CHECK-SAME:     .visible .entry second(
// CHECK-SAME:     .visible .entry third(
// CHECK-NOT:      .entry
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_86">} {
  gpu.module @several {
    llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.mlir.global internal constant @table(dense<[3, 5, 8, 13]> : tensor<4xi32>) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
    llvm.func @first(%out: !llvm.ptr<1>, %i: i64) attributes {gpu.kernel, nvvm.kernel} {
      %table = llvm.mlir.addressof @table : !llvm.ptr<1>
      %shared = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
      %at = llvm.getelementptr %table[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      %found = llvm.load %at : !llvm.ptr<1> -> i32
      llvm.store volatile %found, %shared : i32, !llvm.ptr<3>
      llvm.store %found, %out : i32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @second(%out: !llvm.ptr<1>, %i: i64) attributes {gpu.kernel, nvvm.kernel} {
      %table = llvm.mlir.addressof @table : !llvm.ptr<1>
      %shared = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
      %at = llvm.getelementptr %table[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      %found = llvm.load %at : !llvm.ptr<1> -> i32
      llvm.store volatile %found, %shared : i32, !llvm.ptr<3>
      llvm.store %found, %out : i32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @third() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}
