// RUN: sparseconv-opt %s --sparseconv-merge-kernels --split-input-file | FileCheck %s

// Outlining gives each launch a module of its own. Kernels that differ in names
// only become one; all stand in one module.

// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK:      gpu.module @sparseconv_kernels {
// CHECK-NEXT:   gpu.func @one_0(
// CHECK:          arith.constant 1.0
// CHECK:        gpu.func @two_1(
// CHECK:          arith.constant 2.0
// CHECK-NOT:    gpu.func
// CHECK-NOT:  gpu.module
// CHECK:      gpu.launch_func @sparseconv_kernels::@one_0
// CHECK:      gpu.launch_func @sparseconv_kernels::@one_0
// CHECK:      gpu.launch_func @sparseconv_kernels::@two_1
module attributes {gpu.container_module} {
  gpu.module @a {
    gpu.func @one(%x: memref<8xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      %one = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      memref.store %one, %x[%i] : memref<8xf32>
      gpu.return
    }
  }
  gpu.module @b {
    gpu.func @again(%y: memref<8xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
      %c = arith.constant 1.0 : f32
      %j = gpu.thread_id x
      memref.store %c, %y[%j] : memref<8xf32>
      gpu.return
    }
  }
  gpu.module @c {
    gpu.func @two(%x: memref<8xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      %two = arith.constant 2.0 : f32
      %i = gpu.thread_id x
      memref.store %two, %x[%i] : memref<8xf32>
      gpu.return
    }
  }
  func.func @f(%x: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    gpu.launch_func @a::@one blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8xf32>)
    gpu.launch_func @b::@again blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8xf32>)
    gpu.launch_func @c::@two blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8xf32>)
    return
  }
}

// -----

// The same text for blocks of another size, or with other memory of a block, is
// another kernel.

// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK:        gpu.func @same_0(
// CHECK:        gpu.func @same_1(
// CHECK:        gpu.func @same_2(
// CHECK:      gpu.launch_func @sparseconv_kernels::@same_0
// CHECK:      gpu.launch_func @sparseconv_kernels::@same_1
// CHECK:      gpu.launch_func @sparseconv_kernels::@same_2
module attributes {gpu.container_module} {
  gpu.module @a {
    gpu.func @same() kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      gpu.return
    }
  }
  gpu.module @b {
    gpu.func @same() kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
      gpu.return
    }
  }
  gpu.module @c {
    gpu.func @same() workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      gpu.return
    }
  }
  func.func @f() {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    gpu.launch_func @a::@same blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
    gpu.launch_func @b::@same blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1)
    gpu.launch_func @c::@same blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
    return
  }
}

// -----

// Memory that kernels share by its name is there once; a kernel keeps no grid, as
// another launch of it has its own.

// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK:      gpu.module @sparseconv_kernels {
// CHECK-NEXT:   memref.global "private" @shared
// CHECK-NOT:    memref.global
// CHECK:        gpu.func @grid_0(
// CHECK-SAME:     kernel attributes {known_block_size = array<i32: 8, 1, 1>, nvvm.minctasm = 1 : i32} {
// CHECK:        gpu.func @other_1(
// CHECK-NOT:  known_grid_size
module attributes {gpu.container_module} {
  gpu.module @a {
    memref.global "private" @shared : memref<8xf32, 3> = uninitialized
    gpu.func @grid() kernel attributes {known_block_size = array<i32: 8, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
      %s = memref.get_global @shared : memref<8xf32, 3>
      gpu.return
    }
  }
  gpu.module @b {
    memref.global "private" @shared : memref<8xf32, 3> = uninitialized
    gpu.func @other() kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      %s = memref.get_global @shared : memref<8xf32, 3>
      %one = arith.constant 1.0 : f32
      gpu.return
    }
  }
  func.func @f() {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    gpu.launch_func @a::@grid blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
    gpu.launch_func @b::@other blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
    return
  }
}

// -----

// Memory of one name that is not the same gets another name. Kernels of which as many
// do not have to fit are not the same, either.

// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK:      gpu.module @sparseconv_kernels {
// CHECK-DAG:    memref.global "private" @shared : memref<8xf32, 3>
// CHECK-DAG:    memref.global "private" @[[OTHER:shared_.*]] : memref<16xf32, 3>
// CHECK:        gpu.func @kernel_0(
// CHECK-SAME:     nvvm.minctasm = 1 : i32
// CHECK:          memref.get_global @shared
// CHECK:        gpu.func @kernel_1(
// CHECK-SAME:     nvvm.minctasm = 1 : i32
// CHECK:          memref.get_global @[[OTHER]]
// CHECK:        gpu.func @kernel_2(
// CHECK-SAME:     nvvm.minctasm = 4 : i32
// CHECK:          memref.get_global @shared
module attributes {gpu.container_module} {
  gpu.module @a {
    memref.global "private" @shared : memref<8xf32, 3> = uninitialized
    gpu.func @kernel() kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      %s = memref.get_global @shared : memref<8xf32, 3>
      gpu.return
    }
  }
  gpu.module @b {
    memref.global "private" @shared : memref<16xf32, 3> = uninitialized
    gpu.func @kernel() kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      %s = memref.get_global @shared : memref<16xf32, 3>
      gpu.return
    }
  }
  gpu.module @c {
    memref.global "private" @shared : memref<8xf32, 3> = uninitialized
    gpu.func @kernel() kernel attributes {known_block_size = array<i32: 8, 1, 1>, nvvm.minctasm = 4 : i32} {
      %s = memref.get_global @shared : memref<8xf32, 3>
      gpu.return
    }
  }
  func.func @f() {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    gpu.launch_func @a::@kernel blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
    gpu.launch_func @b::@kernel blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
    gpu.launch_func @c::@kernel blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
    return
  }
}

// -----

// Two thread blocks of 512 threads have to fit a multiprocessor at once, or six of 128,
// unless the kernel says how many do.

// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK:        gpu.func @large_0(
// CHECK-SAME:     nvvm.minctasm = 2 : i32
// CHECK:        gpu.func @own_1(
// CHECK-SAME:     nvvm.minctasm = 1 : i32
// CHECK:        gpu.func @small_2(
// CHECK-SAME:     nvvm.minctasm = 6 : i32
module attributes {gpu.container_module} {
  gpu.module @a {
    gpu.func @large() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
      gpu.return
    }
  }
  gpu.module @b {
    gpu.func @own() kernel attributes {known_block_size = array<i32: 512, 1, 1>, nvvm.minctasm = 1 : i32} {
      %one = arith.constant 1.0 : f32
      gpu.return
    }
  }
  gpu.module @c {
    gpu.func @small() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %two = arith.constant 2.0 : f32
      gpu.return
    }
  }
  func.func @f() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    gpu.launch_func @a::@large blocks in (%c1, %c1, %c1) threads in (%c512, %c1, %c1)
    gpu.launch_func @b::@own blocks in (%c1, %c1, %c1) threads in (%c512, %c1, %c1)
    gpu.launch_func @c::@small blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
    return
  }
}

// -----

// Without kernels there is no module.
// CHECK-NOT: gpu.module
// CHECK: func.func @none
func.func @none() {
  return
}

// -----

// A kernel is called as the function that it came from, in characters that PTX takes.
// What stands in the module already keeps its name.

// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK:      gpu.module @[[MERGED:sparseconv_kernels_.*]] {
// CHECK:        gpu.func @kernel_llvm_a_b_kernel_0(
// CHECK:        gpu.func @kernel_1_kernel_1(
// CHECK:      func.func @sparseconv_kernels(
// CHECK:      gpu.launch_func @[[MERGED]]::@kernel_llvm_a_b_kernel_0
// CHECK:      gpu.launch_func @[[MERGED]]::@kernel_1_kernel_1
module attributes {gpu.container_module} {
  gpu.module @a {
    gpu.func @"llvm.a b_kernel"(%x: memref<8xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      %one = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      memref.store %one, %x[%i] : memref<8xf32>
      gpu.return
    }
  }
  gpu.module @b {
    gpu.func @"1_kernel"(%x: memref<8xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      %two = arith.constant 2.0 : f32
      %i = gpu.thread_id x
      memref.store %two, %x[%i] : memref<8xf32>
      gpu.return
    }
  }
  func.func @sparseconv_kernels(%x: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    gpu.launch_func @a::@"llvm.a b_kernel" blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8xf32>)
    gpu.launch_func @b::@"1_kernel" blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%x : memref<8xf32>)
    return
  }
}
