// RUN: sparseconv-opt %s --sparseconv-merge-reductions | FileCheck %s

#rows = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>

// The gradients of a scale and of a shift are sums over the rows of %dy.
//
// CHECK-LABEL: func @norm
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[DY:.*]]: tensor<?x8xf32>, %[[ZEROS:.*]]: tensor<8xf32>)
// CHECK: %[[SUMS:.*]]:2 = linalg.generic
// CHECK-SAME: ins(%[[X]], %[[DY]], %[[DY]] : {{.*}}) outs(%[[ZEROS]], %[[ZEROS]] :
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[SCALE:.*]]: f32, %[[SHIFT:.*]]: f32):
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK: %[[FIRST:.*]] = arith.addf %[[SCALE]], %[[PRODUCT]]
// CHECK: %[[SECOND:.*]] = arith.addf %[[SHIFT]], %[[C]]
// CHECK: linalg.yield %[[FIRST]], %[[SECOND]]
// CHECK-NOT: linalg.generic
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUMS]]#0
// CHECK: return %[[ROUNDED]], %[[SUMS]]#1
func.func @norm(%x: tensor<?x8xf32>, %dy: tensor<?x8xf32>, %zeros: tensor<8xf32>) -> (tensor<8xf16>, tensor<8xf32>) {
  %scale = linalg.generic {indexing_maps = [#rows, #rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x, %dy : tensor<?x8xf32>, tensor<?x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %rounded = arith.truncf %scale : tensor<8xf32> to tensor<8xf16>
  %shift = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%dy : tensor<?x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%b: f32, %sum: f32):
    %next = arith.addf %sum, %b : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  return %rounded, %shift : tensor<8xf16>, tensor<8xf32>
}

// A variance needs the mean; rows of two tensors may differ in number; and sums over
// channels have a result for each row.
//
// CHECK-LABEL: func @others
// CHECK-COUNT-4: linalg.generic
// CHECK-LABEL: func @scalar
func.func @others(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %zeros: tensor<8xf32>, %rows: tensor<?xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<?xf32>) {
  %mean = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %variance = linalg.generic {indexing_maps = [#rows, #channels, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x, %mean : tensor<?x8xf32>, tensor<8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %m: f32, %sum: f32):
    %difference = arith.subf %a, %m : f32
    %square = arith.mulf %difference, %difference : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %other = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%y : tensor<?x8xf32>) outs(%mean : tensor<8xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %sums = linalg.generic {indexing_maps = [#rows, affine_map<(i, c) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%rows : tensor<?xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  return %variance, %other, %sums : tensor<8xf32>, tensor<8xf32>, tensor<?xf32>
}

// What a body uses of the function around it has to be there, too.
//
// CHECK-COUNT-2: linalg.generic
func.func @scalar(%x: tensor<?x8xf32>, %zeros: tensor<8xf32>, %n: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %sum = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %before: f32):
    %next = arith.addf %before, %a : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %number = tensor.extract %n[] : tensor<f32>
  %mean = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %before: f32):
    %part = arith.divf %a, %number : f32
    %next = arith.addf %before, %part : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  return %sum, %mean : tensor<8xf32>, tensor<8xf32>
}
