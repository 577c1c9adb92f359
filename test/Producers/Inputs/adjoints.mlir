// Calls by points, and the calls that are said to be their adjoints.

func.func @main(%points: tensor<?x4xi32>, %coarse: tensor<?x4xi32>, %x: tensor<?x4xf32>,
                %w: tensor<8x4x6xf32>, %dy: tensor<?x6xf32>, %dp: tensor<?x4xf32>, %dm: tensor<2x4xf32>)
    -> (tensor<?x6xf32>, tensor<?x4xf32>, tensor<8x4x6xf32>,
        tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>, tensor<?x4xf32>) {
  %y = "stablehlo.custom_call"(%points, %coarse, %x, %w) <{call_target_name = "sparseconv.conv",
      backend_config = {kernel_size = 2, out_stride = 2, bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xf32>, tensor<8x4x6xf32>) -> tensor<?x6xf32>
  %dx = "stablehlo.custom_call"(%points, %coarse, %dy, %w) <{call_target_name = "sparseconv.input_grad",
      backend_config = {kernel_size = 2, out_stride = 2, bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x6xf32>, tensor<8x4x6xf32>) -> tensor<?x4xf32>
  %dw = "stablehlo.custom_call"(%points, %coarse, %x, %dy) <{call_target_name = "sparseconv.weight_grad",
      backend_config = {kernel_size = 2, out_stride = 2, bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xf32>, tensor<?x6xf32>) -> tensor<8x4x6xf32>
  %pooled = "stablehlo.custom_call"(%points, %coarse, %x) <{call_target_name = "sparseconv.pool",
      backend_config = {kernel_size = 2, out_stride = 2, kind = "avg", bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %dpooled = "stablehlo.custom_call"(%points, %coarse, %dp, %x) <{call_target_name = "sparseconv.pool_grad",
      backend_config = {kernel_size = 2, out_stride = 2, kind = "avg", bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %mean = "stablehlo.custom_call"(%points, %x) <{call_target_name = "sparseconv.global_pool",
      backend_config = {kind = "avg", bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>, tensor<?x4xf32>) -> tensor<2x4xf32>
  %dmean = "stablehlo.custom_call"(%points, %dm, %x) <{call_target_name = "sparseconv.global_pool_grad",
      backend_config = {kind = "avg", bits = [8, 20, 20, 16], guard = 4}}>
      : (tensor<?x4xi32>, tensor<2x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y, %dx, %dw, %pooled, %dpooled, %mean, %dmean
      : tensor<?x6xf32>, tensor<?x4xf32>, tensor<8x4x6xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>, tensor<?x4xf32>
}
