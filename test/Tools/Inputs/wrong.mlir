// expected: custom op
hello
// -----
// expected: expected
func.func @main( {
// -----
// expected: Dialect `foo' not found
func.func @main() {
  foo.bar
  return
}
// -----
// expected: custom op 'sparseconv.convolve' is unknown
func.func @main() {
  sparseconv.convolve
  return
}
// -----
// expected: unregistered dialect
func.func @main(%x: !foo.bar) {
  return
}
// -----
// expected: undeclared SSA value
func.func @main() -> i32 {
  return %x : i32
}
// -----
// expected: expects
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%x: tensor<?x4xf32>, %w: tensor<26x4x4xf32>, %c: !set) -> tensor<?x4xf32> {
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m  : tensor<?x4xf32>, tensor<26x4x4xf32>, !map -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// -----
// expected: expects
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%x: tensor<?x4xf32>, %w: tensor<27x5x4xf32>, %c: !set) -> tensor<?x4xf32> {
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m  : tensor<?x4xf32>, tensor<27x5x4xf32>, !map -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// -----
// expected: expected
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%x: tensor<?x4xf32>, %w: tensor<27x4x4xf32>, %c: !set) -> tensor<?x4xf32> {
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m  <{dataflow = 7 : i32} : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// -----
// expected: guard
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%c: !set) {
  return
}
// -----
// expected: stride
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [0, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%c: !set) {
  return
}
// -----
// expected: 
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%c: !set) -> !map {
  %m = sparseconv.kernel_map %c to %c offsets(box<19, 1, 1>) : !sparseconv.kernel_map<19, !set to !set>
  return %m : !sparseconv.kernel_map<19, !set to !set>
}
// -----
// expected: 
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%p: tensor<?x3xi32>) {
  %c, %o, %r = sparseconv.pack %p : tensor<?x3xi32> -> !set
  return
}
// -----
// expected: 
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%x: tensor<?x4xf32>, %r: tensor<?xi64>) -> tensor<?x4xf32> {
  %y = sparseconv.gather %x, %r : tensor<?x4xf32>, tensor<?xi64> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// -----
// expected: '@system' has no body
func.func private @system(i32)
func.func @main(%x: i32) {
  call @system(%x) : (i32) -> ()
  return
}
// -----
// expected: is not an operation of a network
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = bufferization.to_buffer %x : tensor<4xf32> to memref<4xf32>
  return %x : tensor<4xf32>
}
// -----
// expected: is not an operation of a network
llvm.func @main()
// -----
// expected: is not an operation of a network
func.func @main(%b: i1) {
  cf.cond_br %b, ^a, ^b
^a:
  return
^b:
  return
}
// -----
// expected: is not an operation of a network
module {
  module {
  }
}
// -----
// expected: has a value of type
func.func @main(%x: memref<?xf32>) {
  return
}
// -----
// expected: has a value of type
func.func @main(%x: tensor<8xf8E4M3FN>) {
  return
}
// -----
// expected: has the attribute 'llvm.emit_c_interface'
func.func @main(%x: i32) attributes {llvm.emit_c_interface} {
  return
}
// -----
// expected: no memory can hold
func.func @main() -> tensor<4611686018427387904x4xf32> {
  %0 = tensor.empty() : tensor<4611686018427387904x4xf32>
  return %0 : tensor<4611686018427387904x4xf32>
}
