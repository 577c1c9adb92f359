// RUN: sparseconv-opt %s --pass-pipeline="builtin.module(gpu.module(sparseconv-export-dynamic-shared))" | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-lower-gpu-to-nvvm | FileCheck %s --check-prefix=LOWER

// The array of no elements in shared memory is what a launch asks for; others
// stay as they are.
// CHECK-LABEL: gpu.module @kernels
gpu.module @kernels {
  // CHECK: llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64}
  llvm.mlir.global internal @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK: llvm.mlir.global internal @static() {addr_space = 3 : i32, alignment = 16 : i64}
  llvm.mlir.global internal @static() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
  // CHECK: llvm.mlir.global internal @constant() {addr_space = 4 : i32}
  llvm.mlir.global internal @constant() {addr_space = 4 : i32} : !llvm.array<0 x i8>
}

// LOWER-LABEL: gpu.module @user
// LOWER: llvm.mlir.global external @{{.*}}dynamic_shmem{{.*}}alignment = 1024
// LOWER: llvm.func @fill
// LOWER-SAME: nvvm.kernel
gpu.module @user {
  gpu.func @fill(%value: f32) kernel {
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %zero = arith.constant 0 : index
    %view = memref.view %memory[%zero][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %value, %view[%zero] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
