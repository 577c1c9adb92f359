// RUN: sparseconv-opt %s --sparseconv-differentiate=functions=quotient,larger,casts,choice,steps,whole | FileCheck %s

// Rules of scalars, on tensors and in bodies. test/Execution/gradients.mlir has numbers for
// all of them.

// Of a quotient.
// CHECK-LABEL: func.func @quotient_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>, %[[DZ:[^:]*]]: tensor<4xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[Y]], %[[DZ]] :
// CHECK-NEXT:    ^bb0(%[[B:.*]]: f32, %[[D:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[SHARE:.*]] = arith.divf %[[D]], %[[B]]
// CHECK-NEXT:      linalg.yield %[[SHARE]]
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[Y]], %[[DZ]] :
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[D:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[Z:.*]] = arith.divf %[[A]], %[[B]]
// CHECK-NEXT:      %[[SHARE:.*]] = arith.divf %[[D]], %[[B]]
// CHECK-NEXT:      %[[PRODUCT:.*]] = arith.mulf %[[SHARE]], %[[Z]]
// CHECK-NEXT:      %[[DB:.*]] = arith.negf %[[PRODUCT]]
// CHECK-NEXT:      linalg.yield %[[DB]]
func.func @quotient(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.divf %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}

// Of two equal operands the left one gets the gradient, once.
// CHECK-LABEL: func.func @larger_gradient(
// CHECK:         arith.cmpf oge, %[[A:.*]], %[[B:.*]] : f32
// CHECK:         arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
func.func @larger(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.maximumf %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}

// CHECK-LABEL: func.func @casts_gradient(
// CHECK-SAME:    %[[DZ:[^:]*]]: tensor<4xf16>)
// CHECK:         %[[DY:.*]] = linalg.generic {{.*}} ins(%[[DZ]] : tensor<4xf16>) outs(%{{.*}} : tensor<4xf32>)
// CHECK:           arith.extf
// CHECK:         %[[DX:.*]] = linalg.generic {{.*}} ins(%[[DY]] : tensor<4xf32>) outs(%{{.*}} : tensor<4xbf16>)
// CHECK:           arith.truncf
// CHECK:         return %{{.*}}, %[[DX]] :
func.func @casts(%x: tensor<4xbf16>) -> tensor<4xf16> {
  %y = arith.extf %x : tensor<4xbf16> to tensor<4xf32>
  %z = arith.truncf %y : tensor<4xf32> to tensor<4xf16>
  return %z : tensor<4xf16>
}

// One condition for whole tensors.
// CHECK-LABEL: func.func @choice_gradient(
// CHECK-SAME:    %[[IF:[^:]*]]: i1, %{{[^:]*}}: tensor<4xf32>, %{{[^:]*}}: tensor<4xf32>, %[[DZ:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[ZEROS:.*]] = linalg.fill
// CHECK:         %[[DX:.*]] = arith.select %[[IF]], %[[DZ]], %[[ZEROS]]
// CHECK:         %[[DY:.*]] = arith.select %[[IF]], %[[ZEROS]], %[[DZ]]
// CHECK:         return %{{.*}}, %[[DX]], %[[DY]] :
func.func @choice(%if: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.select %if, %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}

// What jumps has no slope: the gradient is zeros.
// CHECK-LABEL: func.func @steps_gradient(
// CHECK:         %[[ZEROS:.*]] = linalg.fill
// CHECK:         return %{{.*}}, %[[ZEROS]] :
func.func @steps(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.floor %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// An integer passes nothing on, and needs no rule.
// CHECK-LABEL: func.func @whole_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[DZ:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[WHOLE:.*]] = arith.fptosi %[[X]]
// CHECK:         %[[BACK:.*]] = arith.sitofp %[[WHOLE]]
// CHECK:         linalg.generic {{.*}} ins(%[[BACK]], %[[DZ]] :
// CHECK:           arith.mulf
func.func @whole(%x: tensor<4xf32>) -> tensor<4xf32> {
  %whole = arith.fptosi %x : tensor<4xf32> to tensor<4xi32>
  %back = arith.sitofp %whole : tensor<4xi32> to tensor<4xf32>
  %y = arith.mulf %x, %back : tensor<4xf32>
  return %y : tensor<4xf32>
}
