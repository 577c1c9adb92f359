// RUN: sparseconv-opt %s --sparseconv-form-kernels --split-input-file --verify-diagnostics

// What has no form of kernels and a host that knows capacities only.

func.func private @callee()
func.func @call() {
  // expected-error @+1 {{a call that is not inlined has no form on the GPU}}
  call @callee() : () -> ()
  return
}

// -----

func.func @loop(%x: memref<8xf32>, %count: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %n = sparseconv.kernel.device_scalar %count at_most %c8 : memref<1xindex>
  // expected-error @+1 {{control flow around kernels would need a number of the device on the host}}
  scf.for %k = %c0 to %n step %c1 {
    scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
      memref.store %one, %x[%i] : memref<8xf32>
    }
  }
  return
}

// -----

func.func @while(%x: memref<8xf32>, %go: memref<1xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  // expected-error @+1 {{control flow around kernels would need a number of the device on the host}}
  scf.while : () -> () {
    %more = memref.load %go[%c0] : memref<1xi1>
    scf.condition(%more)
  } do {
    scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
      memref.store %one, %x[%i] : memref<8xf32>
    }
    scf.yield
  }
  return
}

// -----

func.func @branch(%x: memref<8xf32>, %y: memref<8xf32>, %condition: memref<1xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %is = sparseconv.kernel.device_scalar %condition : memref<1xi1>
  // expected-error @+1 {{a branch around kernels that has results would need its condition on the host}}
  %z = scf.if %is -> memref<8xf32> {
    scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
      memref.store %one, %x[%i] : memref<8xf32>
    }
    scf.yield %x : memref<8xf32>
  } else {
    scf.yield %y : memref<8xf32>
  }
  return
}

// -----

func.func @reduction(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{a parallel loop with results has no form on the GPU}}
  %sum = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%zero) -> f32 {
    %a = memref.load %x[%i] : memref<8xf32>
    scf.reduce(%a : f32) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      scf.reduce.return %s : f32
    }
  }
  return
}

// -----

// expected-error @+1 {{control flow between blocks has no form on the GPU}}
func.func @blocks() {
  cf.br ^next
^next:
  return
}

// -----

// A buffer, or a grid, of a size that has no bound.

func.func @buffer(%count: memref<1xindex>) -> memref<?xf32> {
  %n = sparseconv.kernel.device_scalar %count : memref<1xindex>
  // expected-error @+1 {{a size that only the device knows has no bound on the host}}
  %a = memref.alloc(%n) : memref<?xf32>
  return %a : memref<?xf32>
}

// -----

func.func @grid(%x: memref<8xf32>, %count: memref<1xindex>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = sparseconv.kernel.device_scalar %count : memref<1xindex>
  // expected-error @+1 {{a size that only the device knows has no bound on the host}}
  gpu.launch blocks(%b, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%tx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %one, %x[%b] : memref<8xf32>
    gpu.terminator
  }
  return
}

// -----

// Results are buffers of the function's own, from the first row on.

func.func @argument(%x: memref<8xf32>) -> memref<8xf32> {
  // expected-error @+1 {{result 0 is not a buffer of the function's own}}
  return %x : memref<8xf32>
}

// -----

func.func @middle() -> (memref<8xf32>, memref<4xf32, strided<[1], offset: 2>>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.subview %a[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  // expected-error @+1 {{result 1 is not a buffer of the function's own}}
  return %a, %b : memref<8xf32>, memref<4xf32, strided<[1], offset: 2>>
}

// -----

func.func @columns() -> memref<8x4xf32, strided<[6, 1]>> {
  %a = memref.alloc() : memref<8x6xf32>
  %b = memref.subview %a[0, 0] [8, 4] [1, 1] : memref<8x6xf32> to memref<8x4xf32, strided<[6, 1]>>
  // expected-error @+1 {{result 0 is not a buffer of the function's own}}
  return %b : memref<8x4xf32, strided<[6, 1]>>
}

// -----

// What a kernel takes: addresses, of buffers whose sizes are known.

func.func @unknown_size(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  // expected-error @+1 {{takes a buffer of which a size is not known}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @strides(%x: memref<8x?xf32, strided<[?, 1]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  // expected-error @+1 {{a buffer with strides crosses into a kernel}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %one, %x[%i, %c0] : memref<8x?xf32, strided<[?, 1]>>
  }
  return
}

// -----

func.func @scalar(%x: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{a scalar argument has to be passed in a buffer}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}

// -----

// expected-error @+1 {{argument 1 is the size of something that is no dynamic dimension}}
func.func @size_of(%x: memref<8xf32>, %count: memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>}) {
  return
}

// -----

func.func @memory(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    // expected-error @+1 {{a kernel allocates memory of its own}}
    %own = memref.alloc() : memref<4xf32>
    %v = memref.load %own[%c0] : memref<4xf32>
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}
