// RUN: sparseconv-opt %s --sparseconv-verify-network --split-input-file --verify-diagnostics

// What compiles IR from outside takes networks only: what could reach past the
// module is an error, and so is what nobody has found to be harmless.

#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @network(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %x: tensor<?x4xf16>,
                   %w: tensor<27x4x8xf16>) -> (tensor<?x8xf16> {sparseconv.name = "y"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %m = call @relate(%c) : (!set) -> !map
  %y = sparseconv.conv %f, %w, %m epilogue {
  ^bb0(%acc: f32):
    %0 = math.tanh %acc : f32
    sparseconv.yield %0 : f32
  } : tensor<?x4xf16>, tensor<27x4x8xf16>, !map -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

func.func private @relate(%c: !set) -> !map attributes {no_inline} {
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  return %m : !map
}

// -----

// A network may say that an argument has as many rows as one before it.

func.func @stated(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %x: tensor<?x4xf16> {sparseconv.rows = "points"}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op expects 'sparseconv.rows' of argument 'arg0' to name an argument before it, both with a dynamic number of rows}}
func.func @later(%x: tensor<?x4xf16> {sparseconv.rows = "y"}, %y: tensor<?x4xf16> {sparseconv.name = "y"}) {
  return
}

// -----

// expected-error @+1 {{expects 'sparseconv.rows' of argument 'x' to name an argument before it}}
func.func @known(%points: tensor<?x4xi32>, %x: tensor<8x4xf16> {sparseconv.name = "x", sparseconv.rows = "arg0"}) {
  return
}

// -----

// expected-error @+1 {{expects 'sparseconv.rows' of argument 'arg1' to name an argument before it}}
func.func @number(%n: index, %x: tensor<?x4xf16> {sparseconv.rows = "arg0"}) {
  return
}

// -----

// Functions without a body, whatever they are called.

// expected-error @+1 {{'func.func' op '@system' has no body; a network calls only what is in its module}}
func.func private @system(tensor<?xi32>)
func.func @main(%p: tensor<?xi32>) {
  call @system(%p) : (tensor<?xi32>) -> ()
  return
}

// -----

// expected-error @+1 {{'@sparseconv_cpu_sort_u64' has no body}}
func.func private @sparseconv_cpu_sort_u64(i64, i64, i64, i64, i64)

// -----

// expected-error @+1 {{'llvm.func' op is not an operation of a network}}
llvm.func @system(!llvm.ptr) -> i32

// -----

// Values that hold a function can hold any.

func.func @callee() {
  return
}
func.func @main() {
  // expected-error @+1 {{'func.constant' op is not an operation of a network}}
  %f = constant @callee : () -> ()
  call_indirect %f() : () -> ()
  return
}

// -----

func.func @assembly(%x: i64) -> i64 {
  // expected-error @+1 {{'llvm.inline_asm' op is not an operation of a network}}
  %y = llvm.inline_asm "syscall", "=r,r" %x : (i64) -> i64
  return %y : i64
}

// -----

func.func @pointer(%address: i64) -> i64 {
  // expected-error @+1 {{'llvm.inttoptr' op is not an operation of a network}}
  %p = llvm.inttoptr %address : i64 to !llvm.ptr
  %y = llvm.load %p : !llvm.ptr -> i64
  return %y : i64
}

// -----

// expected-error @+1 {{'llvm.mlir.global' op is not an operation of a network}}
llvm.mlir.global external @environ() : !llvm.ptr

// -----

// expected-error @+1 {{'memref.global' op is not an operation of a network}}
memref.global "private" @hidden : memref<4xf32>

// -----

func.func @view(%x: tensor<?xf32>) -> index {
  // expected-error @+1 {{'bufferization.to_buffer' op is not an operation of a network}}
  %m = bufferization.to_buffer %x : tensor<?xf32> to memref<?xf32>
  %a = memref.extract_aligned_pointer_as_index %m : memref<?xf32> -> index
  return %a : index
}

// -----

// expected-error @+1 {{'func.func' op has a value of type 'memref<?xf32>'; the values of a network are}}
func.func private @buffer(%m: memref<?xf32>) {
  return
}

// -----

// expected-error @+1 {{has a value of type 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<*xf32>) {
  return
}

// -----

// expected-error @+1 {{has a value of type 'tensor<?xf128>'}}
func.func @wide(%x: tensor<?xf128>) {
  return
}

// -----

func.func @abort(%x: i1) {
  // expected-error @+1 {{'cf.assert' op is not an operation of a network}}
  cf.assert %x, "no"
  return
}

// -----

// expected-error @+1 {{'gpu.module' op is not an operation of a network}}
gpu.module @kernels {
  gpu.func @kernel() kernel {
    gpu.return
  }
}

// -----

module {
  // expected-error @+1 {{'builtin.module' op is not an operation of a network}}
  module @inner {
  }
}

// -----

// Attributes that the lowering to LLVM reads.

// expected-error @+1 {{has the attribute 'llvm.emit_c_interface', which a network may not have}}
func.func @interface(%x: tensor<4xf32>) attributes {llvm.emit_c_interface} {
  return
}

// -----

// expected-error @+1 {{has the attribute 'passthrough', which a network may not have}}
func.func @through(%x: tensor<4xf32>) attributes {passthrough = ["naked"]} {
  return
}

// -----

// expected-error @+1 {{has the attribute 'llvm.noalias', which a network may not have}}
func.func @argument(%x: tensor<4xf32> {llvm.noalias}) {
  return
}

// -----

// expected-error @+1 {{has the attribute 'llvm.data_layout', which a network may not have}}
module attributes {llvm.data_layout = "e-p:8:8"} {
}

// -----

// expected-error @+1 {{has the attribute 'sparseconv.op_table', which a network may not have}}
module attributes {sparseconv.op_table = []} {
}

// -----

// Sizes that no memory can hold.

func.func @large() {
  // expected-error @+1 {{has a tensor that no memory can hold: 'tensor<4611686018427387904x4xf32>'}}
  %0 = tensor.empty() : tensor<4611686018427387904x4xf32>
  return
}

// -----

func.func @constant() -> tensor<1073741824x4xf32> {
  // expected-error @+1 {{has more than 2147483648 bytes: 'tensor<1073741824x4xf32>'}}
  %0 = arith.constant dense<0.0> : tensor<1073741824x4xf32>
  return %0 : tensor<1073741824x4xf32>
}

// -----

// Kernel operations read and write where their operands say.

func.func @kernel(%table: tensor<?x27xi32>, %in: tensor<?xi32>, %out: tensor<?xi32>, %segments: tensor<?x28xi64>) {
  // expected-error @+1 {{'sparseconv.kernel.pair_lists' op is not an operation of a network}}
  %0:3 = sparseconv.kernel.pair_lists ins(%table : tensor<?x27xi32>)
      outs(%in, %out, %segments : tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>)
      {row_block = 128 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x28xi64>)
  return
}

// -----

// Accesses that nothing compares with their tensor at run time: several threads run
// the body of a structured operation.

#rows = affine_map<(d0) -> (d0)>
func.func @body(%x: tensor<?xf32>, %at: tensor<?xindex>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel"]}
      ins(%at : tensor<?xindex>) outs(%x : tensor<?xf32>) {
  ^bb0(%i: index, %out: f32):
    // expected-error @+1 {{'tensor.extract' op may not stand in the body of 'linalg.generic'}}
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

#shifted = affine_map<(d0) -> (d0 + 9)>
#rows = affine_map<(d0) -> (d0)>
func.func @window(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{has tensors of dynamic sizes and the indexing map affine_map<(d0) -> (d0 + 9)>, whose results are not loops}}
  %0 = linalg.generic {indexing_maps = [#shifted, #rows], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%v: f32, %out: f32):
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @axis(%x: tensor<?xf32>, %axis: index) -> index {
  // expected-error @+1 {{expects a constant that is an axis of 'tensor<?xf32>'}}
  %0 = tensor.dim %x, %axis : tensor<?xf32>
  return %0 : index
}

// -----

func.func @divide(%x: tensor<?xf32>, %n: index) -> tensor<?x?xf32> {
  // expected-error @+1 {{makes several dynamic sizes of one}}
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%n, %n] : tensor<?xf32> into tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @pad(%x: tensor<?xf32>, %low: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'tensor.pad' op is not an operation of a network}}
  %0 = tensor.pad %x low[%low] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// That tables are right is for the caller of a program to say, not for a network.
#p = #sparseconv.packing<i64, batch = 4, bits = [12], guard = [8]>
!set = !sparseconv.coords<1, stride = [1], #p>
func.func @main(%points: tensor<?x2xi32>, %table: tensor<?x3xi32>) -> tensor<?x3xi32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  // expected-error @+1 {{has the attribute 'sparseconv.trusted', which a network may not have}}
  %m = sparseconv.map_from_table %table, %c to %c {sparseconv.trusted} : tensor<?x3xi32>, !sparseconv.kernel_map<3, !set to !set>
  %0 = sparseconv.neighbour_table %m : !sparseconv.kernel_map<3, !set to !set> -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// -----

// Sizes that are written twice are the same.
func.func @expand(%x: tensor<?x8xf32>, %n: index) -> tensor<?x4x2xf32> {
  // expected-error @+1 {{'tensor.expand_shape' op expects the sizes of its result, but found 7 in place of 2}}
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 4, 7] : tensor<?x8xf32> into tensor<?x4x2xf32>
  return %y : tensor<?x4x2xf32>
}

// -----

// Threads would add to one element at the same time.
func.func @race(%x: tensor<?x16xf32>, %sums: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{'linalg.generic' op has the parallel loop 0, on which the indexing map affine_map<(d0, d1) -> (d1)> of a result does not depend; such a loop is a reduction}}
  %y = linalg.generic {indexing_maps = [affine_map<(i, c) -> (i, c)>, affine_map<(i, c) -> (c)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x16xf32>) outs(%sums : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// -----

// expected-error @+1 {{'func.func' op calls itself, or is called by what it calls}}
func.func @recursion(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = call @step(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func private @step(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = call @recursion(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Operations of linalg without loops have no form on any target.
func.func @softmax(%x: tensor<7x16xf32>, %y: tensor<7x16xf32>) -> tensor<7x16xf32> {
  // expected-error @+1 {{'linalg.softmax' op is not an operation of a network}}
  %0 = linalg.softmax dimension(1) ins(%x : tensor<7x16xf32>) outs(%y : tensor<7x16xf32>) -> tensor<7x16xf32>
  return %0 : tensor<7x16xf32>
}

// -----

// Linalg itself notes the indexing maps of such an operation as an attribute.
func.func @dot(%x: tensor<?xf32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Names become texts of C, which end with a zero byte.

// expected-error @+1 {{'func.func' op expects a name}}
func.func @""(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expects the name of the function to have no zero byte}}
func.func @"a\00b"(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expects the name of argument 0 to have no zero byte}}
func.func @main(%x: tensor<4xf32> {sparseconv.name = "a\00b"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expects the name of result 0 to have no zero byte}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {sparseconv.name = "\00"}) {
  return %x : tensor<4xf32>
}
