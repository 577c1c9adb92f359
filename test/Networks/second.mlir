// SECOND's middle encoder: convolutions that cover at each level.
// Written by: python3 -m sparseconv.networks second --dtype f32

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [64, 64, 64]>
!set_1_1_1 = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map27_0_0 = !sparseconv.kernel_map<27, !set_1_1_1 to !set_1_1_1>
!set_2_2_2 = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map27_0_1 = !sparseconv.kernel_map<27, !set_1_1_1 to !set_2_2_2>
!map27_1_1 = !sparseconv.kernel_map<27, !set_2_2_2 to !set_2_2_2>
!set_4_4_4 = !sparseconv.coords<3, stride = [4, 4, 4], #packing>
!map27_1_2 = !sparseconv.kernel_map<27, !set_2_2_2 to !set_4_4_4>
!map27_2_2 = !sparseconv.kernel_map<27, !set_4_4_4 to !set_4_4_4>
!set_8_8_8 = !sparseconv.coords<3, stride = [8, 8, 8], #packing>
!map27_2_3 = !sparseconv.kernel_map<27, !set_4_4_4 to !set_8_8_8>
!map27_3_3 = !sparseconv.kernel_map<27, !set_8_8_8 to !set_8_8_8>
!set_8_8_16 = !sparseconv.coords<3, stride = [8, 8, 16], #packing>
!map3_3_4 = !sparseconv.kernel_map<3, !set_8_8_8 to !set_8_8_16>

module {
  func.func @second(
      %points: tensor<?x4xi32> {sparseconv.name = "points"},
      %features: tensor<?x4xf32> {sparseconv.name = "features"},
      %input_weight: tensor<27x4x16xf32> {sparseconv.name = "input.weight"},
      %input_scale: tensor<16xf32> {sparseconv.name = "input.scale"},
      %input_shift: tensor<16xf32> {sparseconv.name = "input.shift"},
      %stage_0_0_weight: tensor<27x16x16xf32> {sparseconv.name = "stage.0.0.weight"},
      %stage_0_0_scale: tensor<16xf32> {sparseconv.name = "stage.0.0.scale"},
      %stage_0_0_shift: tensor<16xf32> {sparseconv.name = "stage.0.0.shift"},
      %stage_1_down_weight: tensor<27x16x32xf32> {sparseconv.name = "stage.1.down.weight"},
      %stage_1_down_scale: tensor<32xf32> {sparseconv.name = "stage.1.down.scale"},
      %stage_1_down_shift: tensor<32xf32> {sparseconv.name = "stage.1.down.shift"},
      %stage_1_0_weight: tensor<27x32x32xf32> {sparseconv.name = "stage.1.0.weight"},
      %stage_1_0_scale: tensor<32xf32> {sparseconv.name = "stage.1.0.scale"},
      %stage_1_0_shift: tensor<32xf32> {sparseconv.name = "stage.1.0.shift"},
      %stage_1_1_weight: tensor<27x32x32xf32> {sparseconv.name = "stage.1.1.weight"},
      %stage_1_1_scale: tensor<32xf32> {sparseconv.name = "stage.1.1.scale"},
      %stage_1_1_shift: tensor<32xf32> {sparseconv.name = "stage.1.1.shift"},
      %stage_2_down_weight: tensor<27x32x64xf32> {sparseconv.name = "stage.2.down.weight"},
      %stage_2_down_scale: tensor<64xf32> {sparseconv.name = "stage.2.down.scale"},
      %stage_2_down_shift: tensor<64xf32> {sparseconv.name = "stage.2.down.shift"},
      %stage_2_0_weight: tensor<27x64x64xf32> {sparseconv.name = "stage.2.0.weight"},
      %stage_2_0_scale: tensor<64xf32> {sparseconv.name = "stage.2.0.scale"},
      %stage_2_0_shift: tensor<64xf32> {sparseconv.name = "stage.2.0.shift"},
      %stage_2_1_weight: tensor<27x64x64xf32> {sparseconv.name = "stage.2.1.weight"},
      %stage_2_1_scale: tensor<64xf32> {sparseconv.name = "stage.2.1.scale"},
      %stage_2_1_shift: tensor<64xf32> {sparseconv.name = "stage.2.1.shift"},
      %stage_2_2_weight: tensor<27x64x64xf32> {sparseconv.name = "stage.2.2.weight"},
      %stage_2_2_scale: tensor<64xf32> {sparseconv.name = "stage.2.2.scale"},
      %stage_2_2_shift: tensor<64xf32> {sparseconv.name = "stage.2.2.shift"},
      %stage_3_down_weight: tensor<27x64x64xf32> {sparseconv.name = "stage.3.down.weight"},
      %stage_3_down_scale: tensor<64xf32> {sparseconv.name = "stage.3.down.scale"},
      %stage_3_down_shift: tensor<64xf32> {sparseconv.name = "stage.3.down.shift"},
      %stage_3_0_weight: tensor<27x64x64xf32> {sparseconv.name = "stage.3.0.weight"},
      %stage_3_0_scale: tensor<64xf32> {sparseconv.name = "stage.3.0.scale"},
      %stage_3_0_shift: tensor<64xf32> {sparseconv.name = "stage.3.0.shift"},
      %stage_3_1_weight: tensor<27x64x64xf32> {sparseconv.name = "stage.3.1.weight"},
      %stage_3_1_scale: tensor<64xf32> {sparseconv.name = "stage.3.1.scale"},
      %stage_3_1_shift: tensor<64xf32> {sparseconv.name = "stage.3.1.shift"},
      %stage_3_2_weight: tensor<27x64x64xf32> {sparseconv.name = "stage.3.2.weight"},
      %stage_3_2_scale: tensor<64xf32> {sparseconv.name = "stage.3.2.scale"},
      %stage_3_2_shift: tensor<64xf32> {sparseconv.name = "stage.3.2.shift"},
      %out_weight: tensor<3x64x64xf32> {sparseconv.name = "out.weight"},
      %out_scale: tensor<64xf32> {sparseconv.name = "out.scale"},
      %out_shift: tensor<64xf32> {sparseconv.name = "out.shift"})
      -> (tensor<?x64xf32> {sparseconv.name = "features"}, tensor<?x4xi32> {sparseconv.name = "coordinates"}) {
    %set0, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set_1_1_1
    %0 = sparseconv.gather %features, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
    %map3x3x3_0_0 = sparseconv.kernel_map %set0 to %set0 offsets(box<3, 3, 3>) : !map27_0_0
    %1 = sparseconv.conv %0, %input_weight, %map3x3x3_0_0 : tensor<?x4xf32>, tensor<27x4x16xf32>, !map27_0_0 -> tensor<?x16xf32>
    %2 = call @norm_relu_16(%1, %input_scale, %input_shift) : (tensor<?x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<?x16xf32>

    // Stage 0: 16 channels.
    %3 = sparseconv.conv %2, %stage_0_0_weight, %map3x3x3_0_0 : tensor<?x16xf32>, tensor<27x16x16xf32>, !map27_0_0 -> tensor<?x16xf32>
    %4 = call @norm_relu_16(%3, %stage_0_0_scale, %stage_0_0_shift) : (tensor<?x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<?x16xf32>

    // Stage 1: 32 channels.
    %set1 = sparseconv.downsample %set0 by [2, 2, 2] cover offsets(box<3, 3, 3>) : !set_1_1_1 -> !set_2_2_2
    %map3x3x3_0_1 = sparseconv.kernel_map %set0 to %set1 offsets(box<3, 3, 3>) : !map27_0_1
    %5 = sparseconv.conv %4, %stage_1_down_weight, %map3x3x3_0_1 : tensor<?x16xf32>, tensor<27x16x32xf32>, !map27_0_1 -> tensor<?x32xf32>
    %6 = call @norm_relu_32(%5, %stage_1_down_scale, %stage_1_down_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %map3x3x3_1_1 = sparseconv.kernel_map %set1 to %set1 offsets(box<3, 3, 3>) : !map27_1_1
    %7 = sparseconv.conv %6, %stage_1_0_weight, %map3x3x3_1_1 : tensor<?x32xf32>, tensor<27x32x32xf32>, !map27_1_1 -> tensor<?x32xf32>
    %8 = call @norm_relu_32(%7, %stage_1_0_scale, %stage_1_0_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %9 = sparseconv.conv %8, %stage_1_1_weight, %map3x3x3_1_1 : tensor<?x32xf32>, tensor<27x32x32xf32>, !map27_1_1 -> tensor<?x32xf32>
    %10 = call @norm_relu_32(%9, %stage_1_1_scale, %stage_1_1_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>

    // Stage 2: 64 channels.
    %set2 = sparseconv.downsample %set1 by [2, 2, 2] cover offsets(box<3, 3, 3>) : !set_2_2_2 -> !set_4_4_4
    %map3x3x3_1_2 = sparseconv.kernel_map %set1 to %set2 offsets(box<3, 3, 3>) : !map27_1_2
    %11 = sparseconv.conv %10, %stage_2_down_weight, %map3x3x3_1_2 : tensor<?x32xf32>, tensor<27x32x64xf32>, !map27_1_2 -> tensor<?x64xf32>
    %12 = call @norm_relu_64(%11, %stage_2_down_scale, %stage_2_down_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %map3x3x3_2_2 = sparseconv.kernel_map %set2 to %set2 offsets(box<3, 3, 3>) : !map27_2_2
    %13 = sparseconv.conv %12, %stage_2_0_weight, %map3x3x3_2_2 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_2_2 -> tensor<?x64xf32>
    %14 = call @norm_relu_64(%13, %stage_2_0_scale, %stage_2_0_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %15 = sparseconv.conv %14, %stage_2_1_weight, %map3x3x3_2_2 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_2_2 -> tensor<?x64xf32>
    %16 = call @norm_relu_64(%15, %stage_2_1_scale, %stage_2_1_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %17 = sparseconv.conv %16, %stage_2_2_weight, %map3x3x3_2_2 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_2_2 -> tensor<?x64xf32>
    %18 = call @norm_relu_64(%17, %stage_2_2_scale, %stage_2_2_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>

    // Stage 3: 64 channels.
    %set3 = sparseconv.downsample %set2 by [2, 2, 2] cover offsets(box<3, 3, corner 3>) : !set_4_4_4 -> !set_8_8_8
    %map3x3xc3_2_3 = sparseconv.kernel_map %set2 to %set3 offsets(box<3, 3, corner 3>) : !map27_2_3
    %19 = sparseconv.conv %18, %stage_3_down_weight, %map3x3xc3_2_3 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_2_3 -> tensor<?x64xf32>
    %20 = call @norm_relu_64(%19, %stage_3_down_scale, %stage_3_down_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %map3x3x3_3_3 = sparseconv.kernel_map %set3 to %set3 offsets(box<3, 3, 3>) : !map27_3_3
    %21 = sparseconv.conv %20, %stage_3_0_weight, %map3x3x3_3_3 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_3_3 -> tensor<?x64xf32>
    %22 = call @norm_relu_64(%21, %stage_3_0_scale, %stage_3_0_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %23 = sparseconv.conv %22, %stage_3_1_weight, %map3x3x3_3_3 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_3_3 -> tensor<?x64xf32>
    %24 = call @norm_relu_64(%23, %stage_3_1_scale, %stage_3_1_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %25 = sparseconv.conv %24, %stage_3_2_weight, %map3x3x3_3_3 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_3_3 -> tensor<?x64xf32>
    %26 = call @norm_relu_64(%25, %stage_3_2_scale, %stage_3_2_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>

    // Flattens the last axis.
    %set4 = sparseconv.downsample %set3 by [1, 1, 2] cover offsets(box<1, 1, corner 3>) : !set_8_8_8 -> !set_8_8_16
    %map1x1xc3_3_4 = sparseconv.kernel_map %set3 to %set4 offsets(box<1, 1, corner 3>) : !map3_3_4
    %27 = sparseconv.conv %26, %out_weight, %map1x1xc3_3_4 : tensor<?x64xf32>, tensor<3x64x64xf32>, !map3_3_4 -> tensor<?x64xf32>
    %28 = call @norm_relu_64(%27, %out_scale, %out_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>

    // The features of the last set, and its coordinates.
    %coordinates = sparseconv.unpack %set4 : !set_8_8_16 -> tensor<?x4xi32>
    return %28, %coordinates : tensor<?x64xf32>, tensor<?x4xi32>
  }

  func.func private @norm_relu_16(%x: tensor<?x16xf32>, %scale: tensor<16xf32>, %shift: tensor<16xf32>) -> tensor<?x16xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x16xf32>
    %init = tensor.empty(%n) : tensor<?x16xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%init : tensor<?x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x16xf32>
    return %result : tensor<?x16xf32>
  }

  func.func private @norm_relu_32(%x: tensor<?x32xf32>, %scale: tensor<32xf32>, %shift: tensor<32xf32>) -> tensor<?x32xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x32xf32>
    %init = tensor.empty(%n) : tensor<?x32xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) outs(%init : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x32xf32>
    return %result : tensor<?x32xf32>
  }

  func.func private @norm_relu_64(%x: tensor<?x64xf32>, %scale: tensor<64xf32>, %shift: tensor<64xf32>) -> tensor<?x64xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x64xf32>
    %init = tensor.empty(%n) : tensor<?x64xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%init : tensor<?x64xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x64xf32>
    return %result : tensor<?x64xf32>
  }
}
