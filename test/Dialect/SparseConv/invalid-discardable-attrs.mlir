// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// Attributes of the dialect on other operations, on arguments and on results.

// expected-error @+1 {{has the attribute 'sparseconv.taget', which is none of an operation}}
module attributes {sparseconv.taget = #sparseconv.target<cuda>} {
}

// -----

// expected-error @+1 {{has the attribute 'sparseconv.nmae', which is none of an argument}}
func.func @f(%x: tensor<?x4xf32> {sparseconv.nmae = "x"}) {
  return
}

// -----

// expected-error @+1 {{expects 'sparseconv.name' to be a string}}
func.func @f(%x: tensor<?x4xf32> {sparseconv.name = 5}) {
  return
}

// -----

// expected-error @+1 {{expects 'sparseconv.rows' to be a string}}
func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32> {sparseconv.rows = 0}) {
  return
}

// -----

// expected-error @+1 {{has the attribute 'sparseconv.rows', which is none of a result}}
func.func @f(%x: tensor<?x4xf32>) -> (tensor<?x4xf32> {sparseconv.rows = "x"}) {
  return %x : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{expects 'sparseconv.name' to be a string}}
func.func @f(%x: tensor<?x4xf32>) -> (tensor<?x4xf32> {sparseconv.name}) {
  return %x : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{expects 'sparseconv.status' to be without a value, and of a memref<8xi64>}}
func.func @f(%status: memref<7xi64> {sparseconv.status}) {
  return
}

// -----

// expected-error @+1 {{expects 'sparseconv.status' to be without a value, and of a memref<8xi64>}}
func.func @f(%status: memref<8xi64> {sparseconv.status = 1}) {
  return
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{expects 'sparseconv.restored' to be without a value}}
  gpu.func @f(%counters: memref<4xi32> {sparseconv.restored = 1}) kernel {
    gpu.return
  }
}

// -----

func.func @f(%x: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expects 'sparseconv.op_id' to be the number of an operation (i64)}}
  %0 = tensor.extract %x[%c0] {sparseconv.op_id = -5.0} : tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expects 'sparseconv.trusted' to be without a value}}
  %0 = tensor.extract %x[%c0] {sparseconv.trusted = 1} : tensor<?xf32>
  return
}

// -----

// expected-error @+1 {{expects 'sparseconv.op_table' to be pairs of a name and a location}}
module attributes {sparseconv.op_table = ["sparseconv.pack"]} {
}

// -----

// A size is that of a dimension that is there.

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @one_number(memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 0>})

// -----

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @no_argument(memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 2, 0>})

// -----

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @no_dimension(memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 0, 2>})

// -----

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @result(memref<?x8xf32>) -> (memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 7, 0>})

// -----

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @no_shape(index, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
