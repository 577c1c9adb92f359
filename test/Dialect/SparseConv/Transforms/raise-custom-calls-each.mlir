// RUN: sparseconv-opt %s --allow-unregistered-dialect --sparseconv-raise-custom-calls --cse --canonicalize | FileCheck %s

// Each call that raise-custom-calls.mlir does not show, on the set of 50 points.

// CHECK-LABEL: func.func @upsample(
// CHECK:         sparseconv.upsample %{{.*}} by [2, 1] offsets(box<corner 2, corner 2>) : !{{.*}} -> !{{.*}}
// CHECK:         sparseconv.unpack
func.func @upsample(%points: tensor<?x3xi32>) -> tensor<?x3xi32> {
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.upsample",
      backend_config = {by = [2, 1], stride = [4, 2], kernel_size = 2, corner = true, bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<?x3xi32>) -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// CHECK-LABEL: func.func @downsample(
// CHECK:         sparseconv.pack %{{.*}} : tensor<?x3xi32>
// CHECK:         sparseconv.downsample %{{.*}} by [3, 3] cover offsets(box<3, 1>) clip(<[0, 0] to [8, 16]>)
// CHECK:         sparseconv.unpack
func.func @downsample(%points: tensor<?x3xi32>) -> tensor<?x3xi32> {
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.downsample",
      backend_config = {by = 3, kernel_size = [3, 1], clip = [0, 0, 8, 16], bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<?x3xi32>) -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// CHECK-LABEL: func.func @weight_grad(
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %arg0 :
// CHECK:         %[[X:.*]] = sparseconv.gather %arg1, %[[ORDER]]
// CHECK:         %[[DY:.*]] = sparseconv.scatter %arg2, %[[ROW_OF]] into %{{.*}}
// CHECK:         sparseconv.weight_grad %[[X]], %[[DY]], %{{.*}} groups(2)
func.func @weight_grad(%points: tensor<50x3xi32>, %x: tensor<50x4xf32>, %dy: tensor<50x6xf32>) -> tensor<9x2x2x3xf32> {
  %0 = "stablehlo.custom_call"(%points, %points, %x, %dy) <{
      call_target_name = "sparseconv.weight_grad",
      backend_config = {kernel_size = 3, bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<50x3xi32>, tensor<50x3xi32>, tensor<50x4xf32>, tensor<50x6xf32>) -> tensor<9x2x2x3xf32>
  return %0 : tensor<9x2x2x3xf32>
}

// CHECK-LABEL: func.func @pool(
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %arg0 :
// CHECK:         sparseconv.pack %arg1
// CHECK:         %[[X:.*]] = sparseconv.gather %arg2, %[[ORDER]]
// CHECK:         sparseconv.pool avg %[[X]], %{{.*}} count(volume)
// CHECK:         sparseconv.gather
func.func @pool(%points: tensor<50x3xi32>, %coarse: tensor<20x3xi32>, %x: tensor<50x4xf32>) -> tensor<20x4xf32> {
  %0 = "stablehlo.custom_call"(%points, %coarse, %x) <{
      call_target_name = "sparseconv.pool",
      backend_config = {kernel_size = 2, out_stride = 2, kind = "avg", count = "volume", bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<50x3xi32>, tensor<20x3xi32>, tensor<50x4xf32>) -> tensor<20x4xf32>
  return %0 : tensor<20x4xf32>
}

// CHECK-LABEL: func.func @pool_grad(
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %arg0 :
// CHECK:         %[[X:.*]] = sparseconv.gather %arg2, %[[ORDER]]
// CHECK:         %[[DY:.*]] = sparseconv.scatter %arg1, %[[ROW_OF]] into
// CHECK:         %[[DX:.*]] = sparseconv.pool_grad max %[[DY]], %{{.*}} of %[[X]]
// CHECK:         sparseconv.scatter %[[DX]], %[[ORDER]] into %c50
func.func @pool_grad(%points: tensor<50x3xi32>, %dy: tensor<50x4xf32>, %x: tensor<50x4xf32>) -> tensor<50x4xf32> {
  %0 = "stablehlo.custom_call"(%points, %points, %dy, %x) <{
      call_target_name = "sparseconv.pool_grad",
      backend_config = {kernel_size = 3, bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<50x3xi32>, tensor<50x3xi32>, tensor<50x4xf32>, tensor<50x4xf32>) -> tensor<50x4xf32>
  return %0 : tensor<50x4xf32>
}

// CHECK-LABEL: func.func @unpool(
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %arg0 :
// CHECK:         %[[COARSE:.*]], %[[FIRST:.*]], %{{.*}} = sparseconv.pack %arg1
// CHECK:         %[[X:.*]] = sparseconv.gather %arg2, %[[FIRST]]
// CHECK:         %[[Y:.*]] = sparseconv.unpool %[[X]]
// CHECK:         sparseconv.gather %[[Y]], %[[ROW_OF]]
func.func @unpool(%points: tensor<50x3xi32>, %coarse: tensor<20x3xi32>, %x: tensor<20x4xf32>) -> tensor<50x4xf32> {
  %0 = "stablehlo.custom_call"(%points, %coarse, %x) <{
      call_target_name = "sparseconv.unpool",
      backend_config = {kernel_size = 2, out_stride = 2, bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<50x3xi32>, tensor<20x3xi32>, tensor<20x4xf32>) -> tensor<50x4xf32>
  return %0 : tensor<50x4xf32>
}

// CHECK-LABEL: func.func @global_pool_grad(
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %arg0 :
// CHECK:         %[[DX:.*]] = sparseconv.global_pool_grad sum %arg1, %{{[^ ]*}} :
// CHECK:         sparseconv.scatter %[[DX]], %[[ORDER]]
func.func @global_pool_grad(%points: tensor<50x3xi32>, %dy: tensor<2x4xf32>, %x: tensor<50x4xf32>) -> tensor<50x4xf32> {
  %0 = "stablehlo.custom_call"(%points, %dy, %x) <{
      call_target_name = "sparseconv.global_pool_grad",
      backend_config = {kind = "sum", bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<50x3xi32>, tensor<2x4xf32>, tensor<50x4xf32>) -> tensor<50x4xf32>
  return %0 : tensor<50x4xf32>
}

// CHECK-LABEL: func.func @voxelise(
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %arg2 :
// CHECK:         %[[Y:.*]] = sparseconv.voxelise trilinear sum %arg0, %arg1
// CHECK:         sparseconv.gather %[[Y]], %[[ROW_OF]]
func.func @voxelise(%x: tensor<80x4xf32>, %positions: tensor<80x3xf32>, %points: tensor<50x3xi32>) -> tensor<50x4xf32> {
  %0 = "stablehlo.custom_call"(%x, %positions, %points) <{
      call_target_name = "sparseconv.voxelise",
      backend_config = {interpolation = "trilinear", stride = 2, bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<80x4xf32>, tensor<80x3xf32>, tensor<50x3xi32>) -> tensor<50x4xf32>
  return %0 : tensor<50x4xf32>
}

// CHECK-LABEL: func.func @devoxelise(
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %arg2 :
// CHECK:         %[[X:.*]] = sparseconv.gather %arg0, %[[ORDER]]
// CHECK:         sparseconv.devoxelise nearest %[[X]], %arg1
func.func @devoxelise(%x: tensor<50x4xf32>, %positions: tensor<80x3xf32>, %points: tensor<50x3xi32>) -> tensor<80x4xf32> {
  %0 = "stablehlo.custom_call"(%x, %positions, %points) <{
      call_target_name = "sparseconv.devoxelise",
      backend_config = {stride = 2, bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<50x4xf32>, tensor<80x3xf32>, tensor<50x3xi32>) -> tensor<80x4xf32>
  return %0 : tensor<80x4xf32>
}

// CHECK-LABEL: func.func @to_dense(
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %arg0 :
// CHECK:         %[[X:.*]] = sparseconv.gather %arg1, %[[ORDER]]
// CHECK:         sparseconv.to_dense %[[X]], %{{.*}} origin [-8, 0]
func.func @to_dense(%points: tensor<50x3xi32>, %x: tensor<50x4xf32>) -> tensor<2x16x8x4xf32> {
  %0 = "stablehlo.custom_call"(%points, %x) <{
      call_target_name = "sparseconv.to_dense",
      backend_config = {origin = [-8, 0], bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<50x3xi32>, tensor<50x4xf32>) -> tensor<2x16x8x4xf32>
  return %0 : tensor<2x16x8x4xf32>
}

// CHECK-LABEL: func.func @from_dense(
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %arg0 :
// CHECK:         %[[X:.*]] = sparseconv.from_dense %arg1, %{{.*}} origin [0, 0]
// CHECK:         sparseconv.gather %[[X]], %[[ROW_OF]]
func.func @from_dense(%points: tensor<50x3xi32>, %dense: tensor<2x16x8x4xf32>) -> tensor<50x4xf32> {
  %0 = "stablehlo.custom_call"(%points, %dense) <{
      call_target_name = "sparseconv.from_dense",
      backend_config = {origin = 0, bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<50x3xi32>, tensor<2x16x8x4xf32>) -> tensor<50x4xf32>
  return %0 : tensor<50x4xf32>
}

// Coordinates that are named twice make one set only if both have one stride.

// CHECK-LABEL: func.func @two_strides(
// CHECK-DAG:     %[[FINE:.*]], %{{.*}}, %{{.*}} = sparseconv.pack %arg0 : tensor<?x3xi32> -> !coords_1_1
// CHECK-DAG:     %[[HALF:.*]], %{{.*}}, %{{.*}} = sparseconv.pack %arg0 : tensor<?x3xi32> -> !coords_2_2
// CHECK:         sparseconv.kernel_map %[[FINE]] to %[[HALF]]
func.func @two_strides(%points: tensor<?x3xi32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = "stablehlo.custom_call"(%points, %points, %x) <{
      call_target_name = "sparseconv.pool",
      backend_config = {kernel_size = 2, out_stride = 2, bits = [8, 16, 16], guard = [4, 8]}}>
      : (tensor<?x3xi32>, tensor<?x3xi32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @expand(
// CHECK:         %[[GROWN:.*]] = sparseconv.expand %{{.*}} offsets(box<3, 3>) transposed clip(<[0, 0] to [8, 16]>)
// CHECK-NEXT:    sparseconv.unpack %[[GROWN]]
func.func @expand(%points: tensor<?x3xi32>) -> tensor<?x3xi32> {
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.expand",
      backend_config = {kernel_size = 3, transposed = true, clip = [0, 0, 8, 16], bits = [4, 16, 16], guard = [4, 8]}}>
      : (tensor<?x3xi32>) -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK:         %[[SUM:.*]] = sparseconv.scatter avg %arg0, %arg1 into %c20
// CHECK-NEXT:    tensor.cast %[[SUM]] : tensor<?x4xf32> to tensor<20x4xf32>
func.func @scatter(%x: tensor<?x4xf32>, %rows: tensor<?xi32>) -> tensor<20x4xf32> {
  %0 = "stablehlo.custom_call"(%x, %rows) <{
      call_target_name = "sparseconv.scatter", backend_config = {size = 20, kind = "avg"}}>
      : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<20x4xf32>
  return %0 : tensor<20x4xf32>
}
