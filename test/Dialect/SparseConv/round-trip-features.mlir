// RUN: sparseconv-opt %s | sparseconv-opt | FileCheck %s
// RUN: sparseconv-opt %s --mlir-print-op-generic | sparseconv-opt | FileCheck %s

// Every operation on features, as it is written and printed.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !fine to !half>

// CHECK: #packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
// CHECK: !coords_1_1_1 = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
// CHECK: !coords_2_2_2 = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
// CHECK: !map27 = !sparseconv.kernel_map<27, !coords_1_1_1 to !coords_2_2_2>

//===----------------------------------------------------------------------===//
// Convolution and its gradients
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:.*]]: tensor<?x32xf16>, %[[W:.*]]: tensor<27x32x64xf16>, %[[M:.*]]: !map27
func.func @conv(%x: tensor<?x32xf16>, %w: tensor<27x32x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // CHECK: sparseconv.conv %[[X]], %[[W]], %[[M]] : tensor<?x32xf16>, tensor<27x32x64xf16>, !map27 -> tensor<?x64xf16>
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// The permission to add in any order, alone, behind the other one and before an epilogue.
// CHECK-LABEL: func.func @nondeterministic(
func.func @nondeterministic(%x: tensor<?x32xf32>, %w: tensor<27x32x64xf32>, %dy: tensor<?x64xf32>, %m: !map) {
  // CHECK: sparseconv.conv %{{.*}}, %{{.*}}, %{{.*}} nondeterministic = allowed {dataflow = #sparseconv.dataflow<fetch_on_demand>} : tensor<?x32xf32>
  %y = sparseconv.conv %x, %w, %m nondeterministic = allowed {dataflow = #sparseconv.dataflow<fetch_on_demand>}
      : tensor<?x32xf32>, tensor<27x32x64xf32>, !map -> tensor<?x64xf32>
  // CHECK: sparseconv.conv %{{.*}} tf32 = allowed nondeterministic = allowed epilogue {
  %z = sparseconv.conv %x, %w, %m tf32 = allowed nondeterministic = allowed epilogue {
  ^bb0(%acc: f32):
    sparseconv.yield %acc : f32
  } : tensor<?x32xf32>, tensor<27x32x64xf32>, !map -> tensor<?x64xf32>
  // CHECK: sparseconv.input_grad %{{.*}}, %{{.*}}, %{{.*}} nondeterministic = allowed : tensor<?x64xf32>
  %dx = sparseconv.input_grad %dy, %w, %m nondeterministic = allowed
      : tensor<?x64xf32>, tensor<27x32x64xf32>, !map -> tensor<?x32xf32>
  return
}

// The permission to multiply in tf32, alone and before an epilogue.
// CHECK-LABEL: func.func @tf32(
func.func @tf32(%x: tensor<?x32xf32>, %w: tensor<27x32x64xf32>, %dy: tensor<?x64xf32>,
                %g: tensor<?x32xf32>, %m: !map) {
  // CHECK: sparseconv.conv %{{.*}}, %{{.*}}, %{{.*}} tf32 = allowed : tensor<?x32xf32>
  %y = sparseconv.conv %x, %w, %m tf32 = allowed
      : tensor<?x32xf32>, tensor<27x32x64xf32>, !map -> tensor<?x64xf32>
  // CHECK:      sparseconv.conv %{{.*}} tf32 = allowed epilogue {
  // CHECK:      } {dataflow = #sparseconv.dataflow<output_stationary>} : tensor<?x32xf32>
  %z = sparseconv.conv %x, %w, %m tf32 = allowed epilogue {
  ^bb0(%acc: f32):
    sparseconv.yield %acc : f32
  } {dataflow = #sparseconv.dataflow<output_stationary>}
      : tensor<?x32xf32>, tensor<27x32x64xf32>, !map -> tensor<?x64xf32>
  // CHECK: sparseconv.input_grad %{{.*}}, %{{.*}}, %{{.*}} tf32 = allowed : tensor<?x64xf32>
  %dx = sparseconv.input_grad %dy, %w, %m tf32 = allowed
      : tensor<?x64xf32>, tensor<27x32x64xf32>, !map -> tensor<?x32xf32>
  // CHECK: sparseconv.weight_grad %{{.*}}, %{{.*}}, %{{.*}} tf32 = allowed : tensor<?x32xf32>
  %dw = sparseconv.weight_grad %x, %dy, %m tf32 = allowed
      : tensor<?x32xf32>, tensor<?x64xf32>, !map -> tensor<27x32x64xf32>
  // CHECK: sparseconv.weight_grad %{{.*}} groups(4) tf32 = allowed : tensor<?x32xf32>
  %dg = sparseconv.weight_grad %x, %dy, %m groups(4) tf32 = allowed
      : tensor<?x32xf32>, tensor<?x64xf32>, !map -> tensor<27x4x8x16xf32>
  return
}

// A grouped convolution: [K, G, C_in/G, C_out/G]; as many groups as channels
// make it depthwise.
// CHECK-LABEL: func.func @groups(
func.func @groups(%x: tensor<?x32xbf16>, %w: tensor<27x4x8x16xbf16>, %d: tensor<27x64x1x1xbf16>,
                  %m: !map) -> (tensor<?x64xbf16>, tensor<?x64xbf16>) {
  // CHECK: sparseconv.conv %{{.*}} : tensor<?x32xbf16>, tensor<27x4x8x16xbf16>, !map27 -> tensor<?x64xbf16>
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x32xbf16>, tensor<27x4x8x16xbf16>, !map -> tensor<?x64xbf16>
  // CHECK: sparseconv.conv %{{.*}} : tensor<?x64xbf16>, tensor<27x64x1x1xbf16>, !map27 -> tensor<?x64xbf16>
  %z = sparseconv.conv %y, %d, %m
      : tensor<?x64xbf16>, tensor<27x64x1x1xbf16>, !map -> tensor<?x64xbf16>
  return %y, %z : tensor<?x64xbf16>, tensor<?x64xbf16>
}

// The epilogue sees the f32 accumulator and one scalar of each extra operand:
// of a channel operand [C_out], and of a row operand [rows, C_out].
// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME: %[[BIAS:[^:]*]]: tensor<64xf32>, %[[SKIP:[^:]*]]: tensor<?x64xf16>)
func.func @epilogue(%x: tensor<?x32xf16>, %w: tensor<27x32x64xf16>, %m: !map,
                    %bias: tensor<64xf32>, %skip: tensor<?x64xf16>) -> tensor<?x64xf16> {
  // CHECK:      sparseconv.conv %{{.*}} epilogue(%[[BIAS]], %[[SKIP]] : tensor<64xf32>, tensor<?x64xf16>) {
  // CHECK-NEXT: ^bb0(%[[ACC:acc.*]]: f32, %[[CHANNEL:channel.*]]: f32, %[[ROW:row.*]]: f16):
  // CHECK-NEXT:   %[[EXT:.*]] = arith.extf %[[ROW]] : f16 to f32
  // CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[ACC]], %[[CHANNEL]] : f32
  // CHECK-NEXT:   %[[ALL:.*]] = arith.addf %[[SUM]], %[[EXT]] : f32
  // CHECK-NEXT:   sparseconv.yield %[[ALL]] : f32
  // CHECK-NEXT: } : tensor<?x32xf16>, tensor<27x32x64xf16>, !map27 -> tensor<?x64xf16>
  %y = sparseconv.conv %x, %w, %m epilogue(%bias, %skip : tensor<64xf32>, tensor<?x64xf16>) {
  ^bb0(%acc: f32, %b: f32, %s: f16):
    %s32 = arith.extf %s : f16 to f32
    %0 = arith.addf %acc, %b : f32
    %1 = arith.addf %0, %s32 : f32
    sparseconv.yield %1 : f32
  } : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// Nothing extra is needed for an activation; comparisons, selects and constants
// are scalar arith, too.
// CHECK-LABEL: func.func @activation(
func.func @activation(%x: tensor<?x32xf32>, %w: tensor<27x32x64xf32>, %m: !map) -> tensor<?x64xf32> {
  // CHECK: sparseconv.conv %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} epilogue {
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32):
  // CHECK: sparseconv.yield
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    %zero = arith.constant 0.0 : f32
    %slope = arith.constant 0.01 : f32
    %positive = arith.cmpf ogt, %acc, %zero : f32
    %tanh = math.tanh %acc : f32
    %leak = arith.mulf %tanh, %slope : f32
    %0 = arith.select %positive, %acc, %leak : f32
    sparseconv.yield %0 : f32
  } : tensor<?x32xf32>, tensor<27x32x64xf32>, !map -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Decisions travel as attributes.
// CHECK-LABEL: func.func @decisions(
func.func @decisions(%x: tensor<?x32xf16>, %w: tensor<27x32x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // CHECK: sparseconv.conv %{{.*}} {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<row_block = 1024, rows = 6, columns = 64, lanes = 16>}
  %y = sparseconv.conv %x, %w, %m
      {dataflow = #sparseconv.dataflow<weight_stationary>,
       tiling = #sparseconv.tiling<row_block = 1024, rows = 6, columns = 64, lanes = 16>}
      : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// CHECK-LABEL: func.func @conv_gradients(
// CHECK-SAME: %[[X:.*]]: tensor<?x32xf16>, %[[W:.*]]: tensor<27x32x64xf16>, %[[M:.*]]: !map27, %[[DY:.*]]: tensor<?x64xf16>
func.func @conv_gradients(%x: tensor<?x32xf16>, %w: tensor<27x32x64xf16>, %m: !map, %dy: tensor<?x64xf16>)
    -> (tensor<?x32xf16>, tensor<27x32x64xf16>, tensor<27x4x8x16xf16>) {
  // CHECK: sparseconv.input_grad %[[DY]], %[[W]], %[[M]] : tensor<?x64xf16>, tensor<27x32x64xf16>, !map27 -> tensor<?x32xf16>
  %dx = sparseconv.input_grad %dy, %w, %m
      : tensor<?x64xf16>, tensor<27x32x64xf16>, !map -> tensor<?x32xf16>
  // CHECK: sparseconv.weight_grad %[[X]], %[[DY]], %[[M]] : tensor<?x32xf16>, tensor<?x64xf16>, !map27 -> tensor<27x32x64xf16>
  %dw = sparseconv.weight_grad %x, %dy, %m
      : tensor<?x32xf16>, tensor<?x64xf16>, !map -> tensor<27x32x64xf16>
  // CHECK: sparseconv.weight_grad %[[X]], %[[DY]], %[[M]] groups(4) : tensor<?x32xf16>, tensor<?x64xf16>, !map27 -> tensor<27x4x8x16xf16>
  %dg = sparseconv.weight_grad %x, %dy, %m groups(4)
      : tensor<?x32xf16>, tensor<?x64xf16>, !map -> tensor<27x4x8x16xf16>
  return %dx, %dw, %dg : tensor<?x32xf16>, tensor<27x32x64xf16>, tensor<27x4x8x16xf16>
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @pool(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf16>, %[[M:.*]]: !map27)
func.func @pool(%x: tensor<?x64xf16>, %m: !map) {
  // CHECK: sparseconv.pool max %[[X]], %[[M]] : tensor<?x64xf16>, !map27 -> tensor<?x64xf16>
  %0 = sparseconv.pool max %x, %m : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  // CHECK: sparseconv.pool sum %[[X]], %[[M]] : tensor<?x64xf16>, !map27 -> tensor<?x64xf16>
  %1 = sparseconv.pool sum %x, %m : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  // An average over the neighbours that are present goes without saying.
  // CHECK: sparseconv.pool avg %[[X]], %[[M]] : tensor<?x64xf16>, !map27 -> tensor<?x64xf16>
  %2 = sparseconv.pool avg %x, %m count(present) : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  // CHECK: sparseconv.pool avg %[[X]], %[[M]] count(volume) : tensor<?x64xf16>, !map27 -> tensor<?x64xf16>
  %3 = sparseconv.pool avg %x, %m count(volume) : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  return
}

// CHECK-LABEL: func.func @pool_grad(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf16>, %[[DY:.*]]: tensor<?x64xf16>, %[[M:.*]]: !map27)
func.func @pool_grad(%x: tensor<?x64xf16>, %dy: tensor<?x64xf16>, %m: !map) {
  // CHECK: sparseconv.pool_grad max %[[DY]], %[[M]] of %[[X]] : tensor<?x64xf16>, !map27, tensor<?x64xf16> -> tensor<?x64xf16>
  %0 = sparseconv.pool_grad max %dy, %m of %x
      : tensor<?x64xf16>, !map, tensor<?x64xf16> -> tensor<?x64xf16>
  // CHECK: sparseconv.pool_grad avg %[[DY]], %[[M]] count(volume) : tensor<?x64xf16>, !map27 -> tensor<?x64xf16>
  %1 = sparseconv.pool_grad avg %dy, %m count(volume)
      : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  // CHECK: sparseconv.pool_grad sum %[[DY]], %[[M]] : tensor<?x64xf16>, !map27 -> tensor<?x64xf16>
  %2 = sparseconv.pool_grad sum %dy, %m : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  return
}

// CHECK-LABEL: func.func @unpool(
func.func @unpool(%x: tensor<?x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // CHECK: sparseconv.unpool %{{.*}}, %{{.*}} : tensor<?x64xf16>, !map27 -> tensor<?x64xf16>
  %y = sparseconv.unpool %x, %m : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// The number of batch items is static, or an operand.
// CHECK-LABEL: func.func @global_pool(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf16>, %[[C:.*]]: !coords_1_1_1, %[[B:.*]]: index)
func.func @global_pool(%x: tensor<?x64xf16>, %c: !fine, %b: index) {
  // CHECK: %[[Y:.*]] = sparseconv.global_pool max %[[X]], %[[C]] : tensor<?x64xf16>, !coords_1_1_1 -> tensor<4x64xf16>
  %0 = sparseconv.global_pool max %x, %c : tensor<?x64xf16>, !fine -> tensor<4x64xf16>
  // CHECK: %[[Z:.*]] = sparseconv.global_pool avg %[[X]], %[[C]] batch(%[[B]]) : tensor<?x64xf16>, !coords_1_1_1 -> tensor<?x64xf16>
  %1 = sparseconv.global_pool avg %x, %c batch(%b) : tensor<?x64xf16>, !fine -> tensor<?x64xf16>
  // CHECK: sparseconv.global_pool_grad max %[[Y]], %[[C]] of %[[X]] : tensor<4x64xf16>, !coords_1_1_1, tensor<?x64xf16> -> tensor<?x64xf16>
  %2 = sparseconv.global_pool_grad max %0, %c of %x
      : tensor<4x64xf16>, !fine, tensor<?x64xf16> -> tensor<?x64xf16>
  // CHECK: sparseconv.global_pool_grad avg %[[Z]], %[[C]] : tensor<?x64xf16>, !coords_1_1_1 -> tensor<?x64xf16>
  %3 = sparseconv.global_pool_grad avg %1, %c : tensor<?x64xf16>, !fine -> tensor<?x64xf16>
  return
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// The result has as many rows as there are indices, known or not.
// CHECK-LABEL: func.func @gather(
func.func @gather(%x: tensor<?x64xf16>, %rows: tensor<?xi32>, %five: tensor<5xi32>) {
  // CHECK: sparseconv.gather %{{.*}}, %{{.*}} : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  %0 = sparseconv.gather %x, %rows : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  // CHECK: sparseconv.gather %{{.*}}, %{{.*}} : tensor<?x64xf16>, tensor<5xi32> -> tensor<5x64xf16>
  %1 = sparseconv.gather %x, %five : tensor<?x64xf16>, tensor<5xi32> -> tensor<5x64xf16>
  return
}

// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf16>, %[[R:.*]]: tensor<?xi32>, %[[N:.*]]: index)
func.func @scatter(%x: tensor<?x64xf16>, %rows: tensor<?xi32>, %n: index) -> tensor<?x64xf16> {
  // CHECK: sparseconv.scatter %[[X]], %[[R]] into %[[N]] : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  %y = sparseconv.scatter %x, %rows into %n
      : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// CHECK-LABEL: func.func @voxelise(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[P:.*]]: tensor<?x4xf32>, %[[C:.*]]: !coords_2_2_2)
func.func @voxelise(%x: tensor<?x8xf32>, %points: tensor<?x4xf32>, %c: !half) {
  // CHECK: %[[V:.*]] = sparseconv.voxelise nearest max %[[X]], %[[P]], %[[C]] : tensor<?x8xf32>, tensor<?x4xf32>, !coords_2_2_2 -> tensor<?x8xf32>
  %0 = sparseconv.voxelise nearest max %x, %points, %c
      : tensor<?x8xf32>, tensor<?x4xf32>, !half -> tensor<?x8xf32>
  // CHECK: sparseconv.voxelise trilinear avg %[[X]], %[[P]], %[[C]] : tensor<?x8xf32>, tensor<?x4xf32>, !coords_2_2_2 -> tensor<?x8xf32>
  %1 = sparseconv.voxelise trilinear avg %x, %points, %c
      : tensor<?x8xf32>, tensor<?x4xf32>, !half -> tensor<?x8xf32>
  // CHECK: sparseconv.devoxelise trilinear %[[V]], %[[P]], %[[C]] : tensor<?x8xf32>, tensor<?x4xf32>, !coords_2_2_2 -> tensor<?x8xf32>
  %2 = sparseconv.devoxelise trilinear %0, %points, %c
      : tensor<?x8xf32>, tensor<?x4xf32>, !half -> tensor<?x8xf32>
  return
}

// The grid is [batch, n_1, n_2, n_3, C]; its origin lies on the set's grid.
// CHECK-LABEL: func.func @dense(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf16>, %[[C:.*]]: !coords_2_2_2)
func.func @dense(%x: tensor<?x64xf16>, %c: !half) -> tensor<?x64xf16> {
  // CHECK: %[[D:.*]] = sparseconv.to_dense %[[X]], %[[C]] origin [-2, 0, 4] : tensor<?x64xf16>, !coords_2_2_2 -> tensor<2x32x32x8x64xf16>
  %d = sparseconv.to_dense %x, %c origin [-2, 0, 4]
      : tensor<?x64xf16>, !half -> tensor<2x32x32x8x64xf16>
  // CHECK: sparseconv.from_dense %[[D]], %[[C]] origin [-2, 0, 4] : tensor<2x32x32x8x64xf16>, !coords_2_2_2 -> tensor<?x64xf16>
  %y = sparseconv.from_dense %d, %c origin [-2, 0, 4]
      : tensor<2x32x32x8x64xf16>, !half -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// One to four axes: points have one column more, grids two dimensions more.
#line = #sparseconv.packing<i32, batch = 8, bits = [24], guard = [4]>
#time = #sparseconv.packing<i64, batch = 8, bits = [14, 14, 14, 14], guard = [4, 4, 4, 4]>
!line = !sparseconv.coords<1, stride = [1], #line>
!time = !sparseconv.coords<4, stride = [1, 1, 1, 1], #time>

// CHECK-LABEL: func.func @axes(
func.func @axes(%x: tensor<?x3xf32>, %p1: tensor<?x2xf32>, %p4: tensor<?x5xf32>, %c1: !line, %c4: !time) {
  // CHECK: sparseconv.devoxelise nearest %{{.*}} : tensor<?x3xf32>, tensor<?x2xf32>, !coords_1 -> tensor<?x3xf32>
  %0 = sparseconv.devoxelise nearest %x, %p1, %c1
      : tensor<?x3xf32>, tensor<?x2xf32>, !line -> tensor<?x3xf32>
  // CHECK: sparseconv.devoxelise nearest %{{.*}} : tensor<?x3xf32>, tensor<?x5xf32>, !coords_1_1_1_1 -> tensor<?x3xf32>
  %1 = sparseconv.devoxelise nearest %x, %p4, %c4
      : tensor<?x3xf32>, tensor<?x5xf32>, !time -> tensor<?x3xf32>
  // CHECK: sparseconv.to_dense %{{.*}} origin [0] : tensor<?x3xf32>, !coords_1 -> tensor<1x9x3xf32>
  %2 = sparseconv.to_dense %x, %c1 origin [0] : tensor<?x3xf32>, !line -> tensor<1x9x3xf32>
  // CHECK: sparseconv.to_dense %{{.*}} origin [0, 0, 0, 0] : tensor<?x3xf32>, !coords_1_1_1_1 -> tensor<1x2x3x4x5x3xf32>
  %3 = sparseconv.to_dense %x, %c4 origin [0, 0, 0, 0]
      : tensor<?x3xf32>, !time -> tensor<1x2x3x4x5x3xf32>
  return
}
