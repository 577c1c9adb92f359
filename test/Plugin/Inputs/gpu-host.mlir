// What a host adds to the functions of gpu.mlir: memory that the GPU sees, calls, and
// looks at the results. Results are the caller's.
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printI64(i64)
func.func private @printNewline()
memref.global "private" constant @points : memref<3x4xi32> = dense<[[0, 5, 5, 6], [0, 5, 5, 5], [0, 1, 1, 1]]>
memref.global "private" constant @beyond : memref<1x4xi32> = dense<[[0, 5, 5, 9999999]]>
memref.global "private" constant @features : memref<3x1xf32> = dense<[[1.0], [10.0], [100.0]]>

func.func private @release(%any: memref<*xf32>) {
  %buffer = memref.cast %any : memref<*xf32> to memref<?x?xf32>
  %stream = gpu.wait async
  %freed = gpu.dealloc async [%stream] %buffer : memref<?x?xf32>
  gpu.wait [%freed]
  return
}

// What a result holds, if it has rows.
func.func private @print(%any: memref<*xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %any, %c0 : memref<*xf32>
  %number = arith.index_cast %rows : index to i64
  call @printI64(%number) : (i64) -> ()
  call @printNewline() : () -> ()
  %some = arith.cmpi ne, %rows, %c0 : index
  scf.if %some {
    func.call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  }
  return
}

func.func private @call(%points: memref<?x4xi32>, %features: memref<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %n = memref.dim %points, %c0 : memref<?x4xi32>
  %p = gpu.alloc host_shared (%n) : memref<?x4xi32>
  %x = gpu.alloc host_shared (%n) : memref<?x1xf32>
  %status = gpu.alloc host_shared () : memref<8xi64>
  memref.copy %points, %p : memref<?x4xi32> to memref<?x4xi32>
  memref.copy %features, %x : memref<?x1xf32> to memref<?x1xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %zero, %status[%i] : memref<8xi64>
  }

  %y = call @narrow(%p, %x, %status) : (memref<?x4xi32>, memref<?x1xf32>, memref<8xi64>) -> memref<?x1xf32>
  %z = call @wide(%p, %x, %status) : (memref<?x4xi32>, memref<?x1xf32>, memref<8xi64>) -> memref<?x64xf32>
  %code = memref.load %status[%c0] : memref<8xi64>
  %any_y = memref.cast %y : memref<?x1xf32> to memref<*xf32>
  %any_z = memref.cast %z : memref<?x64xf32> to memref<*xf32>
  call @printI64(%code) : (i64) -> ()
  call @printNewline() : () -> ()
  call @print(%any_y) : (memref<*xf32>) -> ()
  call @print(%any_z) : (memref<*xf32>) -> ()
  call @release(%any_y) : (memref<*xf32>) -> ()
  call @release(%any_z) : (memref<*xf32>) -> ()

  %stream = gpu.wait async
  %1 = gpu.dealloc async [%stream] %p : memref<?x4xi32>
  %2 = gpu.dealloc async [%1] %x : memref<?x1xf32>
  %3 = gpu.dealloc async [%2] %status : memref<8xi64>
  gpu.wait [%3]
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %all = memref.get_global @points : memref<3x4xi32>
  %far = memref.get_global @beyond : memref<1x4xi32>
  %x = memref.get_global @features : memref<3x1xf32>
  %points = memref.cast %all : memref<3x4xi32> to memref<?x4xi32>
  %beyond = memref.cast %far : memref<1x4xi32> to memref<?x4xi32>
  %features = memref.cast %x : memref<3x1xf32> to memref<?x1xf32>
  %one = memref.reinterpret_cast %x to offset: [0], sizes: [1, 1], strides: [1, 1] : memref<3x1xf32> to memref<1x1xf32>
  %feature = memref.cast %one : memref<1x1xf32> to memref<?x1xf32>
  %no_points = memref.reinterpret_cast %all to offset: [0], sizes: [%c0, 4], strides: [4, 1] : memref<3x4xi32> to memref<?x4xi32>
  %no_features = memref.reinterpret_cast %x to offset: [0], sizes: [%c0, 1], strides: [1, 1] : memref<3x1xf32> to memref<?x1xf32>
  call @call(%points, %features) : (memref<?x4xi32>, memref<?x1xf32>) -> ()
  call @call(%no_points, %no_features) : (memref<?x4xi32>, memref<?x1xf32>) -> ()
  call @call(%beyond, %feature) : (memref<?x4xi32>, memref<?x1xf32>) -> ()
  return
}
}
