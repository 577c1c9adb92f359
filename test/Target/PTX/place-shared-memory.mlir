// RUN: sparseconv-opt %s --pass-pipeline="builtin.module(gpu.module(sparseconv-place-shared-memory))" | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-lower-gpu-to-nvvm | FileCheck %s --check-prefix=LOWER
// RUN: sparseconv-opt %s --sparseconv-lower-gpu-to-nvvm --sparseconv-serialize-kernels=chips=sm_80 | FileCheck %s --check-prefix=PTX

// The array of no elements in shared memory is what a launch asks for; others
// begin at multiples of 16 bytes, which is what LLVM counts on.
// CHECK-LABEL: gpu.module @kernels
gpu.module @kernels {
  // CHECK: llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64}
  llvm.mlir.global internal @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK: llvm.mlir.global internal @static() {addr_space = 3 : i32, alignment = 16 : i64}
  llvm.mlir.global internal @static() {addr_space = 3 : i32} : !llvm.array<36 x i8>
  // CHECK: llvm.mlir.global internal @wide() {addr_space = 3 : i32, alignment = 128 : i64}
  llvm.mlir.global internal @wide() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<64 x i8>
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

// Two stores that come together behind an array of 36 bytes. What PTX says is
// what joins them.
// PTX: .shared .align 16 .b8 {{[^[]*}}[36]
// PTX: .shared .align 16 .b8 {{[^[]*}}[512]
// PTX: st.shared.v2
gpu.module @joined {
  gpu.func @pairs(%out: memref<64x2xf32>, %x: f32, %y: f32)
      workgroup(%first: memref<9xf32, #gpu.address_space<workgroup>>,
                %second: memref<64x2xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %thread = gpu.thread_id x
    %i = arith.divui %thread, %eight : index
    memref.store %x, %first[%i] : memref<9xf32, #gpu.address_space<workgroup>>
    memref.store %x, %second[%thread, %zero] : memref<64x2xf32, #gpu.address_space<workgroup>>
    memref.store %y, %second[%thread, %one] : memref<64x2xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %last = arith.constant 63 : index
    %other = arith.subi %last, %thread : index
    %a = memref.load %second[%other, %one] : memref<64x2xf32, #gpu.address_space<workgroup>>
    %b = memref.load %first[%i] : memref<9xf32, #gpu.address_space<workgroup>>
    %s = arith.addf %a, %b : f32
    memref.store %s, %out[%thread, %zero] : memref<64x2xf32>
    gpu.return
  }
}
