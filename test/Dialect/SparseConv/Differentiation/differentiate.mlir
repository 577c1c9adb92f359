// RUN: sparseconv-opt %s --sparseconv-differentiate --cse | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-differentiate=wrt=w --cse | FileCheck %s --check-prefix=WRT
// RUN: sparseconv-opt %s --sparseconv-differentiate="functions=net wrt=2" --cse | FileCheck %s --check-prefix=WRT
// RUN: sparseconv-opt %s --sparseconv-differentiate=keep=results --cse | FileCheck %s --check-prefix=KEEP
// RUN: sparseconv-opt %s --sparseconv-differentiate=functions=plain,callee | FileCheck %s --check-prefix=PLAIN

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
#rows = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>

// The function stays, and beside it stands one that computes its results and the gradients by
// its arguments: the features and the weights, and not the points, which are integers. It
// takes the gradient by each result that has one.

// CHECK-LABEL: func.func @net(
// CHECK-LABEL: func.func @net_gradient(
// CHECK-SAME:    %[[POINTS:[^:]*]]: tensor<?x4xi32> {sparseconv.name = "points"},
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x4xf32> {sparseconv.name = "x"},
// CHECK-SAME:    %[[W:[^:]*]]: tensor<27x4x8xf32> {sparseconv.name = "w"},
// CHECK-SAME:    %[[DZ:[^:]*]]: tensor<?x8xf32> {sparseconv.name = "z.gradient"})
// CHECK-SAME:    -> (tensor<?x8xf32> {sparseconv.name = "z"}, tensor<?x4xi32>,
// CHECK-SAME:    tensor<?x4xf32> {sparseconv.name = "x.gradient"},
// CHECK-SAME:    tensor<27x4x8xf32> {sparseconv.name = "w.gradient"}) {

// The forward pass, in which the call has become what it calls.
// CHECK:         %[[SET:.*]], %[[ORDER:.*]], %{{.*}} = sparseconv.pack %[[POINTS]]
// CHECK:         %[[F:.*]] = sparseconv.gather %[[X]], %[[ORDER]]
// CHECK:         %[[MAP:.*]] = sparseconv.kernel_map %[[SET]] to %[[SET]]
// CHECK:         %[[Y:.*]] = sparseconv.conv %[[F]], %[[W]], %[[MAP]]
// CHECK:         %[[Z:.*]] = math.tanh %[[Y]]
// CHECK:         %[[COORDS:.*]] = sparseconv.unpack %[[SET]]

// The backward pass, from the last operation to the first.
// CHECK:         %[[DY:.*]] = linalg.generic {{.*}} ins(%[[Y]], %[[DZ]] :
// CHECK:         %[[DF:.*]] = sparseconv.input_grad %[[DY]], %[[W]], %[[MAP]]
// CHECK:         %[[DW:.*]] = sparseconv.weight_grad %[[F]], %[[DY]], %[[MAP]]
// CHECK:         %[[ROWS:.*]] = tensor.dim %[[X]]
// CHECK:         %[[DX:.*]] = sparseconv.scatter %[[DF]], %[[ORDER]] into %[[ROWS]]
// CHECK:         return %[[Z]], %[[COORDS]], %[[DX]], %[[DW]] :

// By the weights alone, nothing else is computed. They have a name and a position.
// WRT-LABEL:   func.func @net_gradient(
// WRT-SAME:      -> (tensor<?x8xf32> {sparseconv.name = "z"}, tensor<?x4xi32>,
// WRT-SAME:      tensor<27x4x8xf32> {sparseconv.name = "w.gradient"}) {
// WRT-NOT:       sparseconv.input_grad
// WRT-NOT:       sparseconv.scatter
// WRT:           sparseconv.weight_grad
// WRT:           return

// As two functions: the one returns behind its results what the other takes in front of the
// gradients. Sets and maps are made twice.
// KEEP-LABEL:  func.func @net_forward(
// KEEP-SAME:     %{{[^:]*}}: tensor<27x4x8xf32> {sparseconv.name = "w"})
// KEEP-SAME:     -> (tensor<?x8xf32> {sparseconv.name = "z"}, tensor<?x4xi32>,
// KEEP-SAME:     tensor<?x4xf32> {sparseconv.name = "kept.0"}, tensor<?x8xf32> {sparseconv.name = "kept.1"}) {
// KEEP:          %[[F:.*]] = sparseconv.gather
// KEEP:          %[[Y:.*]] = sparseconv.conv
// KEEP:          %[[Z:.*]] = math.tanh %[[Y]]
// KEEP:          %[[COORDS:.*]] = sparseconv.unpack
// KEEP-NEXT:     return %[[Z]], %[[COORDS]], %[[F]], %[[Y]] :
// KEEP-LABEL:  func.func @net_backward(
// KEEP-SAME:     %[[F:[^:]*]]: tensor<?x4xf32> {sparseconv.name = "kept.0"}, %[[Y:[^:]*]]: tensor<?x8xf32> {sparseconv.name = "kept.1"},
// KEEP-SAME:     %[[DZ:[^:]*]]: tensor<?x8xf32> {sparseconv.name = "z.gradient"})
// KEEP-SAME:     -> (tensor<?x4xf32> {sparseconv.name = "x.gradient"}, tensor<27x4x8xf32> {sparseconv.name = "w.gradient"}) {
// KEEP-NOT:      sparseconv.gather
// KEEP-NOT:      sparseconv.conv
// KEEP:          sparseconv.kernel_map
// KEEP:          %[[DY:.*]] = linalg.generic {{.*}} ins(%[[Y]], %[[DZ]] :
// KEEP:          sparseconv.weight_grad %[[F]], %[[DY]]
// KEEP:          return
func.func private @activate(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = math.tanh %x : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

func.func @net(%points: tensor<?x4xi32> {sparseconv.name = "points"},
               %x: tensor<?x4xf32> {sparseconv.name = "x"},
               %w: tensor<27x4x8xf32> {sparseconv.name = "w"})
    -> (tensor<?x8xf32> {sparseconv.name = "z"}, tensor<?x4xi32>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %f, %w, %m : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  %z = call @activate(%y) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %coords = sparseconv.unpack %c : !set -> tensor<?x4xi32>
  return %z, %coords : tensor<?x8xf32>, tensor<?x4xi32>
}

// A function may use the dialect by its calls.
// CHECK-LABEL: func.func @caller_gradient(
// CHECK:         sparseconv.gather
// CHECK:         sparseconv.scatter
func.func private @callee(%x: tensor<?x4xf32>, %rows: tensor<?xi32>) -> tensor<?x4xf32> {
  %y = sparseconv.gather %x, %rows : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
func.func @caller(%x: tensor<?x4xf32> {sparseconv.name = "x"}, %w: tensor<2xf32> {sparseconv.name = "w"}, %rows: tensor<?xi32>) -> tensor<?x4xf32> {
  %y = call @callee(%x, %rows) : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// A private function has a gradient that can be called if it is named.
// PLAIN-LABEL: func.func @callee_gradient(

// One without floats has no gradient, unless it is named, which is an error.
// CHECK-NOT:   @rows_gradient
func.func @rows(%points: tensor<?x4xi32>) -> tensor<?xi32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  return %order : tensor<?xi32>
}

// A function that does not use the dialect has a gradient if it is named. What is added to a
// result passes its gradient on as it is, and an argument that no result depends on has a
// gradient of zeros. What does not depend on floats needs no rule, as this loop.
// CHECK-NOT:   @plain_gradient
// PLAIN-NOT:   @net_gradient
// PLAIN-LABEL: func.func @plain_gradient(
// PLAIN-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>, %{{[^:]*}}: tensor<2xf32>, %[[N:[^:]*]]: index,
// PLAIN-SAME:    %[[DZ:[^:]*]]: tensor<4xf32>)
// PLAIN:         %[[COUNT:.*]] = scf.for
// PLAIN:         %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2xf32>
// PLAIN:         return %{{.*}}, %[[COUNT]], %[[DZ]], %[[DZ]], %[[ZEROS]] :
func.func @plain(%x: tensor<4xf32>, %y: tensor<4xf32>, %unused: tensor<2xf32>, %n: index)
    -> (tensor<4xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.addf %x, %y : tensor<4xf32>
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> index {
    %next = arith.addi %sum, %i : index
    scf.yield %next : index
  }
  return %z, %count : tensor<4xf32>, index
}

// Of what is kept, the operands need not be: the sum alone is, which the last convolution
// reads, and not its terms.
// KEEP-LABEL:  func.func @terms_forward(
// KEEP-SAME:     -> (tensor<?x4xf32>, tensor<?x4xf32> {sparseconv.name = "kept.0"}) {
// KEEP:          %[[SUM:.*]] = arith.addf
// KEEP:          return %{{.*}}, %[[SUM]] :
func.func @terms(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %v: tensor<27x4x4xf32>,
                 %w: tensor<27x4x4xf32> {sparseconv.name = "w"}) -> tensor<?x4xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %map = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %a = sparseconv.conv %x, %v, %map : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  %b = sparseconv.conv %x, %w, %map : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  %sum = arith.addf %a, %b : tensor<?x4xf32>
  %y = sparseconv.conv %sum, %w, %map : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
