// RUN: sparseconv-translate %s --mlir-to-plan --split-input-file --verify-diagnostics

// What a plan has no place for.

// expected-error @+1 {{argument 0 is not a memref, which is all that a plan takes: networks are lowered first}}
func.func @number(%n: index, %status: memref<8xi64> {sparseconv.status}) {
  return
}

// -----

// expected-error @+1 {{a plan has no elements of type 'i4'}}
func.func @element(%x: memref<8xi4>, %status: memref<8xi64> {sparseconv.status}) {
  return
}

// -----

func.func @buffer(%status: memref<8xi64> {sparseconv.status}) -> memref<8xi4> {
  // expected-error @+1 {{a plan has no elements of type 'i4'}}
  %x = memref.alloc() : memref<8xi4>
  return %x : memref<8xi4>
}

// -----

func.func @store(%x: memref<8xf32>, %status: memref<8xi64> {sparseconv.status}) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 0.0 : f32
  // expected-error @+1 {{'memref.store' is no step of a plan}}
  memref.store %v, %x[%c0] : memref<8xf32>
  return
}

// -----

func.func @size(%x: memref<?xf32>, %status: memref<8xi64> {sparseconv.status}, %n: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
  %c0 = arith.constant 0 : index
  %room = memref.dim %x, %c0 : memref<?xf32>
  %square = arith.xori %room, %room : index
  // expected-error @+1 {{a size is computed by 'arith.xori'}}
  %y = memref.alloc(%square) : memref<?xf32>
  return
}

// -----

func.func @argument(%x: memref<8xf32>, %status: memref<8xi64> {sparseconv.status}) -> memref<8xf32> {
  // expected-error @+1 {{result 0 is no buffer of the function}}
  return %x : memref<8xf32>
}

// -----

func.func @twice(%status: memref<8xi64> {sparseconv.status}) -> (memref<8xf32>, memref<8xf32>) {
  %x = memref.alloc() : memref<8xf32>
  // expected-error @+1 {{a buffer is returned twice}}
  return %x, %x : memref<8xf32>, memref<8xf32>
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @read(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  memref.global "private" constant @far : memref<8xf32>
  func.func @unknown(%status: memref<8xi64> {sparseconv.status}) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{a plan holds constants with known contents only}}
    %x = memref.get_global @far : memref<8xf32>
    gpu.launch_func @kernels::@read blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<8xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @read(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func @block(%x: memref<8xf32>, %y: memref<?xf32>, %status: memref<8xi64> {sparseconv.status}, %n: memref<1xindex> {sparseconv.size_of = array<i64: 1, 0>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %room = memref.dim %y, %c0 : memref<?xf32>
    // expected-error @+1 {{the size of a block is not constant}}
    gpu.launch_func @kernels::@read blocks in (%c1, %c1, %c1) threads in (%room, %c1, %c1) args(%x : memref<8xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @read(%x: memref<4xf32, strided<[1], offset: ?>>) kernel {
      gpu.return
    }
  }
  func.func @view(%x: memref<8xf32>, %y: memref<?xf32>, %status: memref<8xi64> {sparseconv.status}, %n: memref<1xindex> {sparseconv.size_of = array<i64: 1, 0>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %room = memref.dim %y, %c0 : memref<?xf32>
    %rest = memref.subview %x[%room] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    // expected-error @+1 {{a view starts where only the device knows}}
    gpu.launch_func @kernels::@read blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%rest : memref<4xf32, strided<[1], offset: ?>>)
    return
  }
}

// -----

func.func @sizes(%x: memref<?xf32>, %status: memref<8xi64> {sparseconv.status}, %n: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %room = memref.dim %x, %c0 : memref<?xf32>
  %y = memref.alloc(%room) : memref<?xf32>
  // expected-error @+1 {{the size of dimension 0 of result 0 is not returned}}
  return %y : memref<?xf32>
}

// -----

// expected-error @+1 {{argument 2 is a size, so it has to be a memref<1xindex>}}
func.func @argument_size(%x: memref<?xf32>, %status: memref<8xi64> {sparseconv.status}, %n: memref<1xi32> {sparseconv.size_of = array<i64: 0, 0>}) {
  return
}

// -----

func.func @result_size(%x: memref<8xf32>, %status: memref<8xi64> {sparseconv.status}) -> (memref<8xf32>, memref<2xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
  %y = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<2xindex>
  // expected-error @+1 {{result 1 is a size, so it has to be a memref<1xindex>}}
  return %y, %n : memref<8xf32>, memref<2xindex>
}

// -----

// expected-error @+1 {{is not one block that returns, which is all that a plan is made of}}
func.func @branch(%status: memref<8xi64> {sparseconv.status}) {
  cf.br ^end
^end:
  return
}
