// RUN: sparseconv-opt %s --allow-unregistered-dialect --sparseconv-raise-custom-calls --cse | FileCheck %s

// A submanifold convolution as JAX calls it. The set is made of the points, rows of
// features come into its order, and the result's go back to that of the points.

// CHECK-DAG: #[[$PACKING:.*]] = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [4, 4, 4]>
// CHECK-DAG: ![[$FINE:.*]] = !sparseconv.coords<3, stride = [1, 1, 1], #[[$PACKING]]>

// CHECK-LABEL: func.func @submanifold(
// CHECK-SAME:    %[[POINTS:.*]]: tensor<100x4xi32>, %[[X:.*]]: tensor<100x4xf32>, %[[W:.*]]: tensor<27x4x8xf32>)
// CHECK-NEXT:    %[[SET:.*]], %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack %[[POINTS]] : tensor<100x4xi32> -> ![[$FINE]]
// CHECK-NEXT:    %[[MAP:.*]] = sparseconv.kernel_map %[[SET]] to %[[SET]] offsets(box<3, 3, 3>)
// CHECK-NEXT:    %[[ROWS:.*]] = sparseconv.gather %[[X]], %[[ORDER]]
// CHECK-NEXT:    %[[SUM:.*]] = sparseconv.conv %[[ROWS]], %[[W]], %[[MAP]]
// CHECK-NEXT:    %[[Y:.*]] = sparseconv.gather %[[SUM]], %[[ROW_OF]]
// CHECK-SAME:      -> tensor<100x8xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @submanifold(%points: tensor<100x4xi32>, %x: tensor<100x4xf32>,
                       %w: tensor<27x4x8xf32>) -> tensor<100x8xf32> {
  %y = "stablehlo.custom_call"(%points, %points, %x, %w) <{
      call_target_name = "sparseconv.conv", has_side_effect = false,
      operand_layouts = [dense<[1, 0]> : tensor<2xindex>], api_version = 4 : i32}> {
      mhlo.backend_config = {kernel_size = dense<3> : tensor<3xi64>,
                             bits = [8, 20, 20, 16], guard = 4}}
      : (tensor<100x4xi32>, tensor<100x4xi32>, tensor<100x4xf32>, tensor<27x4x8xf32>)
      -> tensor<100x8xf32>
  return %y : tensor<100x8xf32>
}

// Where sizes are symbols, JAX appends the shapes of results as operands. They are
// not needed. A second convolution at the same points shares the set and the map.

// CHECK-LABEL: func.func @symbols(
// CHECK-COUNT-1: sparseconv.pack
// CHECK-COUNT-1: sparseconv.kernel_map
// CHECK-COUNT-2: sparseconv.conv
// CHECK-NOT:     stablehlo.custom_call
func.func @symbols(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w: tensor<27x4x4xf32>,
                   %shape: tensor<2xi32>) -> tensor<?x4xf32> {
  %0 = "stablehlo.custom_call"(%points, %points, %x, %w, %shape) <{
      call_target_name = "sparseconv.conv"}> {
      indices_of_shape_operands = dense<4> : tensor<1xi64>,
      mhlo.backend_config = {kernel_size = 3, bits = [8, 20, 20, 16], guard = 4}}
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xf32>, tensor<27x4x4xf32>, tensor<2xi32>)
      -> tensor<?x4xf32>
  %1 = "stablehlo.custom_call"(%points, %points, %0, %w, %shape) <{
      call_target_name = "sparseconv.conv"}> {
      indices_of_shape_operands = dense<4> : tensor<1xi64>,
      mhlo.backend_config = {kernel_size = 3, bits = [8, 20, 20, 16], guard = 4}}
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xf32>, tensor<27x4x4xf32>, tensor<2xi32>)
      -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// Who packs the points first and downsamples has coordinates that are a set's, in
// its order. No rows move then, and nothing is packed twice.

// CHECK-LABEL: func.func @encoder(
// CHECK:         %[[SET:.*]], %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack
// CHECK:         %[[X:.*]] = sparseconv.gather %{{.*}}, %[[ORDER]]
// CHECK:         %[[HALF:.*]] = sparseconv.downsample %[[SET]] by [2, 2, 2]
// CHECK:         %[[POINTS:.*]] = sparseconv.unpack %[[HALF]]
// CHECK:         %[[DOWN:.*]] = sparseconv.kernel_map %[[SET]] to %[[HALF]] offsets(box<2, 2, 2>)
// CHECK-NEXT:    %[[Y:.*]] = sparseconv.conv %[[X]], %{{.*}}, %[[DOWN]] tf32 = allowed
// CHECK-NEXT:    return %[[POINTS]], %[[Y]]
func.func @encoder(%points: tensor<?x4xi32>, %x: tensor<?x16xf32>, %w: tensor<8x16x32xf32>)
    -> (tensor<?x4xi32>, tensor<?x32xf32>) {
  %set, %order, %row_of = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.pack",
      backend_config = {bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>) -> (tensor<?x4xi32>, tensor<?xi32>, tensor<?xi32>)
  %rows = "stablehlo.custom_call"(%x, %order) <{
      call_target_name = "sparseconv.gather", backend_config = ""}>
      : (tensor<?x16xf32>, tensor<?xi32>) -> tensor<?x16xf32>
  %half = "stablehlo.custom_call"(%set) <{
      call_target_name = "sparseconv.downsample",
      backend_config = {by = 2, bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>) -> tensor<?x4xi32>
  %y = "stablehlo.custom_call"(%set, %half, %rows, %w) <{
      call_target_name = "sparseconv.conv",
      backend_config = {kernel_size = 2, out_stride = 2, allow_tf32 = true,
                        bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x16xf32>, tensor<8x16x32xf32>)
      -> tensor<?x32xf32>
  return %half, %y : tensor<?x4xi32>, tensor<?x32xf32>
}

// The gradients are the adjoints of the call: rows that several points share add up.

// CHECK-LABEL: func.func @gradient(
// CHECK:         %[[SET:.*]], %[[ORDER:.*]], %[[ROW_OF:.*]] = sparseconv.pack
// CHECK:         %[[SIZE:.*]] = sparseconv.size %[[SET]]
// CHECK:         %[[DY:.*]] = sparseconv.scatter %{{.*}}, %[[ROW_OF]] into %[[SIZE]]
// CHECK:         %[[DX:.*]] = sparseconv.input_grad %[[DY]]
// CHECK:         %[[POINTS:.*]] = arith.constant 100 : index
// CHECK:         %[[OUT:.*]] = sparseconv.scatter %[[DX]], %[[ORDER]] into %[[POINTS]]
// CHECK:         %[[CAST:.*]] = tensor.cast %[[OUT]] : tensor<?x4xf16> to tensor<100x4xf16>
// CHECK:         return %[[CAST]]
func.func @gradient(%points: tensor<100x4xi32>, %dy: tensor<100x8xf16>,
                    %w: tensor<27x4x8xf16>) -> tensor<100x4xf16> {
  %dx = "stablehlo.custom_call"(%points, %points, %dy, %w) <{
      call_target_name = "sparseconv.input_grad",
      backend_config = {kernel_size = [3, 3, 3], bits = [8, 20, 20, 16], guard = [4, 4, 4]}}>
      : (tensor<100x4xi32>, tensor<100x4xi32>, tensor<100x8xf16>, tensor<27x4x8xf16>)
      -> tensor<100x4xf16>
  return %dx : tensor<100x4xf16>
}

// A composite has its attributes in `composite_attributes`; its decomposition is
// not needed any more, which is for symbol-dce to see. Points of batch index -1 are
// none where a region clips the sets: so a host pads to a static size.

// CHECK-LABEL: func.func @composite(
// CHECK:         %[[SET:.*]], %[[ORDER:.*]], %{{.*}} = sparseconv.pack %{{.*}} clip(<[0, 0] to [64, 64]>)
// CHECK:         %[[ROWS:.*]] = sparseconv.gather %{{.*}}, %[[ORDER]]
// CHECK:         sparseconv.global_pool avg %[[ROWS]], %[[SET]]
func.func @composite(%points: tensor<100x3xi32>, %x: tensor<100x4xbf16>) -> tensor<2x4xbf16> {
  %y = "stablehlo.composite"(%points, %x) <{
      name = "sparseconv.global_pool", decomposition = @pool, version = 1 : i32,
      composite_attributes = {kind = "avg", bits = [4, 12, 12], key_width = 32, guard = 1,
                              clip = [0, 0, 64, 64]}}>
      : (tensor<100x3xi32>, tensor<100x4xbf16>) -> tensor<2x4xbf16>
  return %y : tensor<2x4xbf16>
}
func.func private @pool(tensor<100x3xi32>, tensor<100x4xbf16>) -> tensor<2x4xbf16>

// torch-mlir has attributes as constant operands, in the table's order, and types of
// its own: the casts are those that its conversion to a backend makes and removes.

// CHECK-LABEL: func.func @torch(
// CHECK-SAME:    %[[POINTS:.*]]: !torch.vtensor<[?,4],si32>, %[[X:.*]]: !torch.vtensor<[?,4],f32>,
// CHECK:         %[[P:.*]] = "torch_c.to_builtin_tensor"(%[[POINTS]]) : (!torch.vtensor<[?,4],si32>) -> tensor<?x4xi32>
// CHECK:         %[[SET:.*]], %{{.*}}, %{{.*}} = sparseconv.pack %[[P]]
// CHECK:         sparseconv.kernel_map %[[SET]] to %[[SET]] offsets(box<3, 3, 1, dilation = [2, 2, 2]>)
// CHECK:         sparseconv.conv
// CHECK:         %[[Y:.*]] = sparseconv.gather
// CHECK:         %[[OUT:.*]] = "torch_c.from_builtin_tensor"(%[[Y]]) : (tensor<?x8xf32>) -> !torch.vtensor<[?,8],f32>
// CHECK:         return %[[OUT]]
func.func @torch(%points: !torch.vtensor<[?,4],si32>, %x: !torch.vtensor<[?,4],f32>,
                 %w: !torch.vtensor<[9,4,8],f32>) -> !torch.vtensor<[?,8],f32> {
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %8 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
  %16 = "torch.constant.int"() <{value = 16 : i64}> : () -> !torch.int
  %kernel = "torch.prim.ListConstruct"(%3, %3, %1) : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %bits = "torch.prim.ListConstruct"(%8, %16, %16, %16) : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %guard = "torch.prim.ListConstruct"(%8) : (!torch.int) -> !torch.list<int>
  %dilation = "torch.prim.ListConstruct"(%2) : (!torch.int) -> !torch.list<int>
  %corner = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %y = "torch.operator"(%points, %points, %x, %w, %kernel, %bits, %guard, %dilation, %corner) <{
      name = "torch.sparseconv.conv"}>
      : (!torch.vtensor<[?,4],si32>, !torch.vtensor<[?,4],si32>, !torch.vtensor<[?,4],f32>,
         !torch.vtensor<[9,4,8],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>,
         !torch.list<int>, !torch.bool) -> !torch.vtensor<[?,8],f32>
  return %y : !torch.vtensor<[?,8],f32>
}

// What is no call for us stays, and needs no remark.

// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    "stablehlo.custom_call"{{.*}}call_target_name = "Sharding"
// CHECK-NEXT:    "torch.operator"{{.*}}name = "torch.quantized.linear"
func.func @others(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = "Sharding"}> : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "torch.operator"(%0) <{name = "torch.quantized.linear"}> : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
