// expected: control flow around kernels
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
!down = !sparseconv.kernel_map<8, !set to !half>
func.func @main(%p: tensor<?x4xi32> {sparseconv.name = "p"}, %n: index {sparseconv.name = "n"}) -> (tensor<?x4xi32> {sparseconv.name = "u"}) {
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %g = scf.for %i = %zero to %n step %one iter_args(%s = %c) -> !set {
    %e = sparseconv.expand %s offsets(list<[0, 0, 0], [0, 0, 1]>) : !set
    scf.yield %e : !set
  }
  %u = sparseconv.unpack %g : !set -> tensor<?x4xi32>
  return %u : tensor<?x4xi32>
}

// -----
// expected: control flow around kernels
func.func @main(%n: index, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<?x8xf32>) -> (index, tensor<?x8xf32>) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %a : index, tensor<?x8xf32>
  } do {
  ^bb0(%i: index, %a: tensor<?x8xf32>):
    %twice = linalg.add ins(%a, %a : tensor<?x8xf32>, tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %twice : index, tensor<?x8xf32>
  }
  return %r#1 : tensor<?x8xf32>
}
// -----
// expected: 'math.sin' on 'f64' has no form on the GPU
func.func @main(%x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = math.sin %x : tensor<?xf64>
  return %0 : tensor<?xf64>
}
// -----
// expected: 'arith.remf' on 'f64' has no form on the GPU
func.func @main(%x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = arith.remf %x, %x : tensor<?xf64>
  return %0 : tensor<?xf64>
}
// -----
// expected: in a branch with tensors has no form on the GPU
func.func @main(%is: i1, %x: tensor<?xf32>, %i: index) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %r = scf.if %is -> tensor<4xf32> {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %f = linalg.fill ins(%v : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  } else {
    scf.yield %empty : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
// -----
// expected: no public function of tensors and scalars
#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%c: !set) -> !set {
  return %c : !set
}
