// The layers of spconv's benchmark network.
// Written by: python3 -m sparseconv.networks spconvbench --dtype f32

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [64, 64, 64]>
!set_1_1_1 = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map27_0_0 = !sparseconv.kernel_map<27, !set_1_1_1 to !set_1_1_1>
!set_2_2_2 = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map8_0_1 = !sparseconv.kernel_map<8, !set_1_1_1 to !set_2_2_2>
!map27_1_1 = !sparseconv.kernel_map<27, !set_2_2_2 to !set_2_2_2>
!set_4_4_4 = !sparseconv.coords<3, stride = [4, 4, 4], #packing>
!map8_1_2 = !sparseconv.kernel_map<8, !set_2_2_2 to !set_4_4_4>
!map27_2_2 = !sparseconv.kernel_map<27, !set_4_4_4 to !set_4_4_4>
!set_8_8_8 = !sparseconv.coords<3, stride = [8, 8, 8], #packing>
!map8_2_3 = !sparseconv.kernel_map<8, !set_4_4_4 to !set_8_8_8>
!map27_3_3 = !sparseconv.kernel_map<27, !set_8_8_8 to !set_8_8_8>
!set_16_16_16 = !sparseconv.coords<3, stride = [16, 16, 16], #packing>
!map8_3_4 = !sparseconv.kernel_map<8, !set_8_8_8 to !set_16_16_16>
!map27_4_4 = !sparseconv.kernel_map<27, !set_16_16_16 to !set_16_16_16>
!set_32_32_32 = !sparseconv.coords<3, stride = [32, 32, 32], #packing>
!map8_4_5 = !sparseconv.kernel_map<8, !set_16_16_16 to !set_32_32_32>
!map27_5_5 = !sparseconv.kernel_map<27, !set_32_32_32 to !set_32_32_32>
!set_64_64_64 = !sparseconv.coords<3, stride = [64, 64, 64], #packing>
!map8_5_6 = !sparseconv.kernel_map<8, !set_32_32_32 to !set_64_64_64>
!map27_6_6 = !sparseconv.kernel_map<27, !set_64_64_64 to !set_64_64_64>

module {
  func.func @spconvbench(
      %points: tensor<?x4xi32> {sparseconv.name = "points"},
      %features: tensor<?x3xf32> {sparseconv.name = "features"},
      %pair_0_conv0_weight: tensor<27x3x64xf32> {sparseconv.name = "pair.0.conv0.weight"},
      %pair_0_conv1_weight: tensor<27x64x64xf32> {sparseconv.name = "pair.0.conv1.weight"},
      %pair_1_conv0_weight: tensor<27x64x96xf32> {sparseconv.name = "pair.1.conv0.weight"},
      %pair_1_conv1_weight: tensor<27x96x96xf32> {sparseconv.name = "pair.1.conv1.weight"},
      %pair_2_conv0_weight: tensor<27x96x128xf32> {sparseconv.name = "pair.2.conv0.weight"},
      %pair_2_conv1_weight: tensor<27x128x128xf32> {sparseconv.name = "pair.2.conv1.weight"},
      %pair_3_conv0_weight: tensor<27x128x160xf32> {sparseconv.name = "pair.3.conv0.weight"},
      %pair_3_conv1_weight: tensor<27x160x160xf32> {sparseconv.name = "pair.3.conv1.weight"},
      %pair_4_conv0_weight: tensor<27x160x192xf32> {sparseconv.name = "pair.4.conv0.weight"},
      %pair_4_conv1_weight: tensor<27x192x192xf32> {sparseconv.name = "pair.4.conv1.weight"},
      %pair_5_conv0_weight: tensor<27x192x224xf32> {sparseconv.name = "pair.5.conv0.weight"},
      %pair_5_conv1_weight: tensor<27x224x224xf32> {sparseconv.name = "pair.5.conv1.weight"},
      %pair_6_conv0_weight: tensor<27x224x256xf32> {sparseconv.name = "pair.6.conv0.weight"},
      %pair_6_conv1_weight: tensor<27x256x256xf32> {sparseconv.name = "pair.6.conv1.weight"})
      -> (tensor<?x256xf32> {sparseconv.name = "features"}, tensor<?x4xi32> {sparseconv.name = "coordinates"}) {
    %set0, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set_1_1_1
    %0 = sparseconv.gather %features, %order : tensor<?x3xf32>, tensor<?xi32> -> tensor<?x3xf32>

    // Pair 0: 64 channels.
    %map3x3x3_0_0 = sparseconv.kernel_map %set0 to %set0 offsets(box<3, 3, 3>) : !map27_0_0
    %1 = sparseconv.conv %0, %pair_0_conv0_weight, %map3x3x3_0_0 : tensor<?x3xf32>, tensor<27x3x64xf32>, !map27_0_0 -> tensor<?x64xf32>
    %2 = sparseconv.conv %1, %pair_0_conv1_weight, %map3x3x3_0_0 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_0_0 -> tensor<?x64xf32>
    %set1 = sparseconv.downsample %set0 by [2, 2, 2] : !set_1_1_1 -> !set_2_2_2
    %map2x2x2_0_1 = sparseconv.kernel_map %set0 to %set1 offsets(box<2, 2, 2>) : !map8_0_1
    %3 = sparseconv.pool max %2, %map2x2x2_0_1 : tensor<?x64xf32>, !map8_0_1 -> tensor<?x64xf32>

    // Pair 1: 96 channels.
    %map3x3x3_1_1 = sparseconv.kernel_map %set1 to %set1 offsets(box<3, 3, 3>) : !map27_1_1
    %4 = sparseconv.conv %3, %pair_1_conv0_weight, %map3x3x3_1_1 : tensor<?x64xf32>, tensor<27x64x96xf32>, !map27_1_1 -> tensor<?x96xf32>
    %5 = sparseconv.conv %4, %pair_1_conv1_weight, %map3x3x3_1_1 : tensor<?x96xf32>, tensor<27x96x96xf32>, !map27_1_1 -> tensor<?x96xf32>
    %set2 = sparseconv.downsample %set1 by [2, 2, 2] : !set_2_2_2 -> !set_4_4_4
    %map2x2x2_1_2 = sparseconv.kernel_map %set1 to %set2 offsets(box<2, 2, 2>) : !map8_1_2
    %6 = sparseconv.pool max %5, %map2x2x2_1_2 : tensor<?x96xf32>, !map8_1_2 -> tensor<?x96xf32>

    // Pair 2: 128 channels.
    %map3x3x3_2_2 = sparseconv.kernel_map %set2 to %set2 offsets(box<3, 3, 3>) : !map27_2_2
    %7 = sparseconv.conv %6, %pair_2_conv0_weight, %map3x3x3_2_2 : tensor<?x96xf32>, tensor<27x96x128xf32>, !map27_2_2 -> tensor<?x128xf32>
    %8 = sparseconv.conv %7, %pair_2_conv1_weight, %map3x3x3_2_2 : tensor<?x128xf32>, tensor<27x128x128xf32>, !map27_2_2 -> tensor<?x128xf32>
    %set3 = sparseconv.downsample %set2 by [2, 2, 2] : !set_4_4_4 -> !set_8_8_8
    %map2x2x2_2_3 = sparseconv.kernel_map %set2 to %set3 offsets(box<2, 2, 2>) : !map8_2_3
    %9 = sparseconv.pool max %8, %map2x2x2_2_3 : tensor<?x128xf32>, !map8_2_3 -> tensor<?x128xf32>

    // Pair 3: 160 channels.
    %map3x3x3_3_3 = sparseconv.kernel_map %set3 to %set3 offsets(box<3, 3, 3>) : !map27_3_3
    %10 = sparseconv.conv %9, %pair_3_conv0_weight, %map3x3x3_3_3 : tensor<?x128xf32>, tensor<27x128x160xf32>, !map27_3_3 -> tensor<?x160xf32>
    %11 = sparseconv.conv %10, %pair_3_conv1_weight, %map3x3x3_3_3 : tensor<?x160xf32>, tensor<27x160x160xf32>, !map27_3_3 -> tensor<?x160xf32>
    %set4 = sparseconv.downsample %set3 by [2, 2, 2] : !set_8_8_8 -> !set_16_16_16
    %map2x2x2_3_4 = sparseconv.kernel_map %set3 to %set4 offsets(box<2, 2, 2>) : !map8_3_4
    %12 = sparseconv.pool max %11, %map2x2x2_3_4 : tensor<?x160xf32>, !map8_3_4 -> tensor<?x160xf32>

    // Pair 4: 192 channels.
    %map3x3x3_4_4 = sparseconv.kernel_map %set4 to %set4 offsets(box<3, 3, 3>) : !map27_4_4
    %13 = sparseconv.conv %12, %pair_4_conv0_weight, %map3x3x3_4_4 : tensor<?x160xf32>, tensor<27x160x192xf32>, !map27_4_4 -> tensor<?x192xf32>
    %14 = sparseconv.conv %13, %pair_4_conv1_weight, %map3x3x3_4_4 : tensor<?x192xf32>, tensor<27x192x192xf32>, !map27_4_4 -> tensor<?x192xf32>
    %set5 = sparseconv.downsample %set4 by [2, 2, 2] : !set_16_16_16 -> !set_32_32_32
    %map2x2x2_4_5 = sparseconv.kernel_map %set4 to %set5 offsets(box<2, 2, 2>) : !map8_4_5
    %15 = sparseconv.pool max %14, %map2x2x2_4_5 : tensor<?x192xf32>, !map8_4_5 -> tensor<?x192xf32>

    // Pair 5: 224 channels.
    %map3x3x3_5_5 = sparseconv.kernel_map %set5 to %set5 offsets(box<3, 3, 3>) : !map27_5_5
    %16 = sparseconv.conv %15, %pair_5_conv0_weight, %map3x3x3_5_5 : tensor<?x192xf32>, tensor<27x192x224xf32>, !map27_5_5 -> tensor<?x224xf32>
    %17 = sparseconv.conv %16, %pair_5_conv1_weight, %map3x3x3_5_5 : tensor<?x224xf32>, tensor<27x224x224xf32>, !map27_5_5 -> tensor<?x224xf32>
    %set6 = sparseconv.downsample %set5 by [2, 2, 2] : !set_32_32_32 -> !set_64_64_64
    %map2x2x2_5_6 = sparseconv.kernel_map %set5 to %set6 offsets(box<2, 2, 2>) : !map8_5_6
    %18 = sparseconv.pool max %17, %map2x2x2_5_6 : tensor<?x224xf32>, !map8_5_6 -> tensor<?x224xf32>

    // Pair 6: 256 channels.
    %map3x3x3_6_6 = sparseconv.kernel_map %set6 to %set6 offsets(box<3, 3, 3>) : !map27_6_6
    %19 = sparseconv.conv %18, %pair_6_conv0_weight, %map3x3x3_6_6 : tensor<?x224xf32>, tensor<27x224x256xf32>, !map27_6_6 -> tensor<?x256xf32>
    %20 = sparseconv.conv %19, %pair_6_conv1_weight, %map3x3x3_6_6 : tensor<?x256xf32>, tensor<27x256x256xf32>, !map27_6_6 -> tensor<?x256xf32>

    // The features of the last set, and its coordinates.
    %coordinates = sparseconv.unpack %set6 : !set_64_64_64 -> tensor<?x4xi32>
    return %20, %coordinates : tensor<?x256xf32>, tensor<?x4xi32>
  }
}
