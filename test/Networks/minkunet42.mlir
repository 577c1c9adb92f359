// MinkUNet-42: a U-Net for the labels of a LiDAR sweep.
// Written by: python3 -m sparseconv.networks minkunet42 --dtype f32

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [64, 64, 64]>
!set_1_1_1 = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map27_0_0 = !sparseconv.kernel_map<27, !set_1_1_1 to !set_1_1_1>
!set_2_2_2 = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map8_0_1 = !sparseconv.kernel_map<8, !set_1_1_1 to !set_2_2_2>
!map27_1_1 = !sparseconv.kernel_map<27, !set_2_2_2 to !set_2_2_2>
!set_4_4_4 = !sparseconv.coords<3, stride = [4, 4, 4], #packing>
!map8_1_2 = !sparseconv.kernel_map<8, !set_2_2_2 to !set_4_4_4>
!map27_2_2 = !sparseconv.kernel_map<27, !set_4_4_4 to !set_4_4_4>
!map1_2_2 = !sparseconv.kernel_map<1, !set_4_4_4 to !set_4_4_4>
!set_8_8_8 = !sparseconv.coords<3, stride = [8, 8, 8], #packing>
!map8_2_3 = !sparseconv.kernel_map<8, !set_4_4_4 to !set_8_8_8>
!map27_3_3 = !sparseconv.kernel_map<27, !set_8_8_8 to !set_8_8_8>
!map1_3_3 = !sparseconv.kernel_map<1, !set_8_8_8 to !set_8_8_8>
!set_16_16_16 = !sparseconv.coords<3, stride = [16, 16, 16], #packing>
!map8_3_4 = !sparseconv.kernel_map<8, !set_8_8_8 to !set_16_16_16>
!map27_4_4 = !sparseconv.kernel_map<27, !set_16_16_16 to !set_16_16_16>
!map1_4_4 = !sparseconv.kernel_map<1, !set_16_16_16 to !set_16_16_16>
!map8_4_3 = !sparseconv.kernel_map<8, !set_16_16_16 to !set_8_8_8>
!map8_3_2 = !sparseconv.kernel_map<8, !set_8_8_8 to !set_4_4_4>
!map8_2_1 = !sparseconv.kernel_map<8, !set_4_4_4 to !set_2_2_2>
!map1_1_1 = !sparseconv.kernel_map<1, !set_2_2_2 to !set_2_2_2>
!map8_1_0 = !sparseconv.kernel_map<8, !set_2_2_2 to !set_1_1_1>
!map1_0_0 = !sparseconv.kernel_map<1, !set_1_1_1 to !set_1_1_1>

module {
  func.func @minkunet42(
      %points: tensor<?x4xi32> {sparseconv.name = "points"},
      %features: tensor<?x4xf32> {sparseconv.name = "features"},
      %stem_0_weight: tensor<27x4x32xf32> {sparseconv.name = "stem.0.weight"},
      %stem_0_scale: tensor<32xf32> {sparseconv.name = "stem.0.scale"},
      %stem_0_shift: tensor<32xf32> {sparseconv.name = "stem.0.shift"},
      %stem_1_weight: tensor<27x32x32xf32> {sparseconv.name = "stem.1.weight"},
      %stem_1_scale: tensor<32xf32> {sparseconv.name = "stem.1.scale"},
      %stem_1_shift: tensor<32xf32> {sparseconv.name = "stem.1.shift"},
      %encoder_0_down_weight: tensor<8x32x32xf32> {sparseconv.name = "encoder.0.down.weight"},
      %encoder_0_down_scale: tensor<32xf32> {sparseconv.name = "encoder.0.down.scale"},
      %encoder_0_down_shift: tensor<32xf32> {sparseconv.name = "encoder.0.down.shift"},
      %encoder_0_block0_conv0_weight: tensor<27x32x32xf32> {sparseconv.name = "encoder.0.block0.conv0.weight"},
      %encoder_0_block0_conv0_scale: tensor<32xf32> {sparseconv.name = "encoder.0.block0.conv0.scale"},
      %encoder_0_block0_conv0_shift: tensor<32xf32> {sparseconv.name = "encoder.0.block0.conv0.shift"},
      %encoder_0_block0_conv1_weight: tensor<27x32x32xf32> {sparseconv.name = "encoder.0.block0.conv1.weight"},
      %encoder_0_block0_conv1_scale: tensor<32xf32> {sparseconv.name = "encoder.0.block0.conv1.scale"},
      %encoder_0_block0_conv1_shift: tensor<32xf32> {sparseconv.name = "encoder.0.block0.conv1.shift"},
      %encoder_0_block1_conv0_weight: tensor<27x32x32xf32> {sparseconv.name = "encoder.0.block1.conv0.weight"},
      %encoder_0_block1_conv0_scale: tensor<32xf32> {sparseconv.name = "encoder.0.block1.conv0.scale"},
      %encoder_0_block1_conv0_shift: tensor<32xf32> {sparseconv.name = "encoder.0.block1.conv0.shift"},
      %encoder_0_block1_conv1_weight: tensor<27x32x32xf32> {sparseconv.name = "encoder.0.block1.conv1.weight"},
      %encoder_0_block1_conv1_scale: tensor<32xf32> {sparseconv.name = "encoder.0.block1.conv1.scale"},
      %encoder_0_block1_conv1_shift: tensor<32xf32> {sparseconv.name = "encoder.0.block1.conv1.shift"},
      %encoder_1_down_weight: tensor<8x32x32xf32> {sparseconv.name = "encoder.1.down.weight"},
      %encoder_1_down_scale: tensor<32xf32> {sparseconv.name = "encoder.1.down.scale"},
      %encoder_1_down_shift: tensor<32xf32> {sparseconv.name = "encoder.1.down.shift"},
      %encoder_1_block0_conv0_weight: tensor<27x32x64xf32> {sparseconv.name = "encoder.1.block0.conv0.weight"},
      %encoder_1_block0_conv0_scale: tensor<64xf32> {sparseconv.name = "encoder.1.block0.conv0.scale"},
      %encoder_1_block0_conv0_shift: tensor<64xf32> {sparseconv.name = "encoder.1.block0.conv0.shift"},
      %encoder_1_block0_conv1_weight: tensor<27x64x64xf32> {sparseconv.name = "encoder.1.block0.conv1.weight"},
      %encoder_1_block0_conv1_scale: tensor<64xf32> {sparseconv.name = "encoder.1.block0.conv1.scale"},
      %encoder_1_block0_conv1_shift: tensor<64xf32> {sparseconv.name = "encoder.1.block0.conv1.shift"},
      %encoder_1_block0_shortcut_weight: tensor<1x32x64xf32> {sparseconv.name = "encoder.1.block0.shortcut.weight"},
      %encoder_1_block0_shortcut_scale: tensor<64xf32> {sparseconv.name = "encoder.1.block0.shortcut.scale"},
      %encoder_1_block0_shortcut_shift: tensor<64xf32> {sparseconv.name = "encoder.1.block0.shortcut.shift"},
      %encoder_1_block1_conv0_weight: tensor<27x64x64xf32> {sparseconv.name = "encoder.1.block1.conv0.weight"},
      %encoder_1_block1_conv0_scale: tensor<64xf32> {sparseconv.name = "encoder.1.block1.conv0.scale"},
      %encoder_1_block1_conv0_shift: tensor<64xf32> {sparseconv.name = "encoder.1.block1.conv0.shift"},
      %encoder_1_block1_conv1_weight: tensor<27x64x64xf32> {sparseconv.name = "encoder.1.block1.conv1.weight"},
      %encoder_1_block1_conv1_scale: tensor<64xf32> {sparseconv.name = "encoder.1.block1.conv1.scale"},
      %encoder_1_block1_conv1_shift: tensor<64xf32> {sparseconv.name = "encoder.1.block1.conv1.shift"},
      %encoder_2_down_weight: tensor<8x64x64xf32> {sparseconv.name = "encoder.2.down.weight"},
      %encoder_2_down_scale: tensor<64xf32> {sparseconv.name = "encoder.2.down.scale"},
      %encoder_2_down_shift: tensor<64xf32> {sparseconv.name = "encoder.2.down.shift"},
      %encoder_2_block0_conv0_weight: tensor<27x64x128xf32> {sparseconv.name = "encoder.2.block0.conv0.weight"},
      %encoder_2_block0_conv0_scale: tensor<128xf32> {sparseconv.name = "encoder.2.block0.conv0.scale"},
      %encoder_2_block0_conv0_shift: tensor<128xf32> {sparseconv.name = "encoder.2.block0.conv0.shift"},
      %encoder_2_block0_conv1_weight: tensor<27x128x128xf32> {sparseconv.name = "encoder.2.block0.conv1.weight"},
      %encoder_2_block0_conv1_scale: tensor<128xf32> {sparseconv.name = "encoder.2.block0.conv1.scale"},
      %encoder_2_block0_conv1_shift: tensor<128xf32> {sparseconv.name = "encoder.2.block0.conv1.shift"},
      %encoder_2_block0_shortcut_weight: tensor<1x64x128xf32> {sparseconv.name = "encoder.2.block0.shortcut.weight"},
      %encoder_2_block0_shortcut_scale: tensor<128xf32> {sparseconv.name = "encoder.2.block0.shortcut.scale"},
      %encoder_2_block0_shortcut_shift: tensor<128xf32> {sparseconv.name = "encoder.2.block0.shortcut.shift"},
      %encoder_2_block1_conv0_weight: tensor<27x128x128xf32> {sparseconv.name = "encoder.2.block1.conv0.weight"},
      %encoder_2_block1_conv0_scale: tensor<128xf32> {sparseconv.name = "encoder.2.block1.conv0.scale"},
      %encoder_2_block1_conv0_shift: tensor<128xf32> {sparseconv.name = "encoder.2.block1.conv0.shift"},
      %encoder_2_block1_conv1_weight: tensor<27x128x128xf32> {sparseconv.name = "encoder.2.block1.conv1.weight"},
      %encoder_2_block1_conv1_scale: tensor<128xf32> {sparseconv.name = "encoder.2.block1.conv1.scale"},
      %encoder_2_block1_conv1_shift: tensor<128xf32> {sparseconv.name = "encoder.2.block1.conv1.shift"},
      %encoder_3_down_weight: tensor<8x128x128xf32> {sparseconv.name = "encoder.3.down.weight"},
      %encoder_3_down_scale: tensor<128xf32> {sparseconv.name = "encoder.3.down.scale"},
      %encoder_3_down_shift: tensor<128xf32> {sparseconv.name = "encoder.3.down.shift"},
      %encoder_3_block0_conv0_weight: tensor<27x128x256xf32> {sparseconv.name = "encoder.3.block0.conv0.weight"},
      %encoder_3_block0_conv0_scale: tensor<256xf32> {sparseconv.name = "encoder.3.block0.conv0.scale"},
      %encoder_3_block0_conv0_shift: tensor<256xf32> {sparseconv.name = "encoder.3.block0.conv0.shift"},
      %encoder_3_block0_conv1_weight: tensor<27x256x256xf32> {sparseconv.name = "encoder.3.block0.conv1.weight"},
      %encoder_3_block0_conv1_scale: tensor<256xf32> {sparseconv.name = "encoder.3.block0.conv1.scale"},
      %encoder_3_block0_conv1_shift: tensor<256xf32> {sparseconv.name = "encoder.3.block0.conv1.shift"},
      %encoder_3_block0_shortcut_weight: tensor<1x128x256xf32> {sparseconv.name = "encoder.3.block0.shortcut.weight"},
      %encoder_3_block0_shortcut_scale: tensor<256xf32> {sparseconv.name = "encoder.3.block0.shortcut.scale"},
      %encoder_3_block0_shortcut_shift: tensor<256xf32> {sparseconv.name = "encoder.3.block0.shortcut.shift"},
      %encoder_3_block1_conv0_weight: tensor<27x256x256xf32> {sparseconv.name = "encoder.3.block1.conv0.weight"},
      %encoder_3_block1_conv0_scale: tensor<256xf32> {sparseconv.name = "encoder.3.block1.conv0.scale"},
      %encoder_3_block1_conv0_shift: tensor<256xf32> {sparseconv.name = "encoder.3.block1.conv0.shift"},
      %encoder_3_block1_conv1_weight: tensor<27x256x256xf32> {sparseconv.name = "encoder.3.block1.conv1.weight"},
      %encoder_3_block1_conv1_scale: tensor<256xf32> {sparseconv.name = "encoder.3.block1.conv1.scale"},
      %encoder_3_block1_conv1_shift: tensor<256xf32> {sparseconv.name = "encoder.3.block1.conv1.shift"},
      %decoder_0_up_weight: tensor<8x256x256xf32> {sparseconv.name = "decoder.0.up.weight"},
      %decoder_0_up_scale: tensor<256xf32> {sparseconv.name = "decoder.0.up.scale"},
      %decoder_0_up_shift: tensor<256xf32> {sparseconv.name = "decoder.0.up.shift"},
      %decoder_0_block0_conv0_weight: tensor<27x384x256xf32> {sparseconv.name = "decoder.0.block0.conv0.weight"},
      %decoder_0_block0_conv0_scale: tensor<256xf32> {sparseconv.name = "decoder.0.block0.conv0.scale"},
      %decoder_0_block0_conv0_shift: tensor<256xf32> {sparseconv.name = "decoder.0.block0.conv0.shift"},
      %decoder_0_block0_conv1_weight: tensor<27x256x256xf32> {sparseconv.name = "decoder.0.block0.conv1.weight"},
      %decoder_0_block0_conv1_scale: tensor<256xf32> {sparseconv.name = "decoder.0.block0.conv1.scale"},
      %decoder_0_block0_conv1_shift: tensor<256xf32> {sparseconv.name = "decoder.0.block0.conv1.shift"},
      %decoder_0_block0_shortcut_weight: tensor<1x384x256xf32> {sparseconv.name = "decoder.0.block0.shortcut.weight"},
      %decoder_0_block0_shortcut_scale: tensor<256xf32> {sparseconv.name = "decoder.0.block0.shortcut.scale"},
      %decoder_0_block0_shortcut_shift: tensor<256xf32> {sparseconv.name = "decoder.0.block0.shortcut.shift"},
      %decoder_0_block1_conv0_weight: tensor<27x256x256xf32> {sparseconv.name = "decoder.0.block1.conv0.weight"},
      %decoder_0_block1_conv0_scale: tensor<256xf32> {sparseconv.name = "decoder.0.block1.conv0.scale"},
      %decoder_0_block1_conv0_shift: tensor<256xf32> {sparseconv.name = "decoder.0.block1.conv0.shift"},
      %decoder_0_block1_conv1_weight: tensor<27x256x256xf32> {sparseconv.name = "decoder.0.block1.conv1.weight"},
      %decoder_0_block1_conv1_scale: tensor<256xf32> {sparseconv.name = "decoder.0.block1.conv1.scale"},
      %decoder_0_block1_conv1_shift: tensor<256xf32> {sparseconv.name = "decoder.0.block1.conv1.shift"},
      %decoder_1_up_weight: tensor<8x256x128xf32> {sparseconv.name = "decoder.1.up.weight"},
      %decoder_1_up_scale: tensor<128xf32> {sparseconv.name = "decoder.1.up.scale"},
      %decoder_1_up_shift: tensor<128xf32> {sparseconv.name = "decoder.1.up.shift"},
      %decoder_1_block0_conv0_weight: tensor<27x192x128xf32> {sparseconv.name = "decoder.1.block0.conv0.weight"},
      %decoder_1_block0_conv0_scale: tensor<128xf32> {sparseconv.name = "decoder.1.block0.conv0.scale"},
      %decoder_1_block0_conv0_shift: tensor<128xf32> {sparseconv.name = "decoder.1.block0.conv0.shift"},
      %decoder_1_block0_conv1_weight: tensor<27x128x128xf32> {sparseconv.name = "decoder.1.block0.conv1.weight"},
      %decoder_1_block0_conv1_scale: tensor<128xf32> {sparseconv.name = "decoder.1.block0.conv1.scale"},
      %decoder_1_block0_conv1_shift: tensor<128xf32> {sparseconv.name = "decoder.1.block0.conv1.shift"},
      %decoder_1_block0_shortcut_weight: tensor<1x192x128xf32> {sparseconv.name = "decoder.1.block0.shortcut.weight"},
      %decoder_1_block0_shortcut_scale: tensor<128xf32> {sparseconv.name = "decoder.1.block0.shortcut.scale"},
      %decoder_1_block0_shortcut_shift: tensor<128xf32> {sparseconv.name = "decoder.1.block0.shortcut.shift"},
      %decoder_1_block1_conv0_weight: tensor<27x128x128xf32> {sparseconv.name = "decoder.1.block1.conv0.weight"},
      %decoder_1_block1_conv0_scale: tensor<128xf32> {sparseconv.name = "decoder.1.block1.conv0.scale"},
      %decoder_1_block1_conv0_shift: tensor<128xf32> {sparseconv.name = "decoder.1.block1.conv0.shift"},
      %decoder_1_block1_conv1_weight: tensor<27x128x128xf32> {sparseconv.name = "decoder.1.block1.conv1.weight"},
      %decoder_1_block1_conv1_scale: tensor<128xf32> {sparseconv.name = "decoder.1.block1.conv1.scale"},
      %decoder_1_block1_conv1_shift: tensor<128xf32> {sparseconv.name = "decoder.1.block1.conv1.shift"},
      %decoder_2_up_weight: tensor<8x128x96xf32> {sparseconv.name = "decoder.2.up.weight"},
      %decoder_2_up_scale: tensor<96xf32> {sparseconv.name = "decoder.2.up.scale"},
      %decoder_2_up_shift: tensor<96xf32> {sparseconv.name = "decoder.2.up.shift"},
      %decoder_2_block0_conv0_weight: tensor<27x128x96xf32> {sparseconv.name = "decoder.2.block0.conv0.weight"},
      %decoder_2_block0_conv0_scale: tensor<96xf32> {sparseconv.name = "decoder.2.block0.conv0.scale"},
      %decoder_2_block0_conv0_shift: tensor<96xf32> {sparseconv.name = "decoder.2.block0.conv0.shift"},
      %decoder_2_block0_conv1_weight: tensor<27x96x96xf32> {sparseconv.name = "decoder.2.block0.conv1.weight"},
      %decoder_2_block0_conv1_scale: tensor<96xf32> {sparseconv.name = "decoder.2.block0.conv1.scale"},
      %decoder_2_block0_conv1_shift: tensor<96xf32> {sparseconv.name = "decoder.2.block0.conv1.shift"},
      %decoder_2_block0_shortcut_weight: tensor<1x128x96xf32> {sparseconv.name = "decoder.2.block0.shortcut.weight"},
      %decoder_2_block0_shortcut_scale: tensor<96xf32> {sparseconv.name = "decoder.2.block0.shortcut.scale"},
      %decoder_2_block0_shortcut_shift: tensor<96xf32> {sparseconv.name = "decoder.2.block0.shortcut.shift"},
      %decoder_2_block1_conv0_weight: tensor<27x96x96xf32> {sparseconv.name = "decoder.2.block1.conv0.weight"},
      %decoder_2_block1_conv0_scale: tensor<96xf32> {sparseconv.name = "decoder.2.block1.conv0.scale"},
      %decoder_2_block1_conv0_shift: tensor<96xf32> {sparseconv.name = "decoder.2.block1.conv0.shift"},
      %decoder_2_block1_conv1_weight: tensor<27x96x96xf32> {sparseconv.name = "decoder.2.block1.conv1.weight"},
      %decoder_2_block1_conv1_scale: tensor<96xf32> {sparseconv.name = "decoder.2.block1.conv1.scale"},
      %decoder_2_block1_conv1_shift: tensor<96xf32> {sparseconv.name = "decoder.2.block1.conv1.shift"},
      %decoder_3_up_weight: tensor<8x96x96xf32> {sparseconv.name = "decoder.3.up.weight"},
      %decoder_3_up_scale: tensor<96xf32> {sparseconv.name = "decoder.3.up.scale"},
      %decoder_3_up_shift: tensor<96xf32> {sparseconv.name = "decoder.3.up.shift"},
      %decoder_3_block0_conv0_weight: tensor<27x128x96xf32> {sparseconv.name = "decoder.3.block0.conv0.weight"},
      %decoder_3_block0_conv0_scale: tensor<96xf32> {sparseconv.name = "decoder.3.block0.conv0.scale"},
      %decoder_3_block0_conv0_shift: tensor<96xf32> {sparseconv.name = "decoder.3.block0.conv0.shift"},
      %decoder_3_block0_conv1_weight: tensor<27x96x96xf32> {sparseconv.name = "decoder.3.block0.conv1.weight"},
      %decoder_3_block0_conv1_scale: tensor<96xf32> {sparseconv.name = "decoder.3.block0.conv1.scale"},
      %decoder_3_block0_conv1_shift: tensor<96xf32> {sparseconv.name = "decoder.3.block0.conv1.shift"},
      %decoder_3_block0_shortcut_weight: tensor<1x128x96xf32> {sparseconv.name = "decoder.3.block0.shortcut.weight"},
      %decoder_3_block0_shortcut_scale: tensor<96xf32> {sparseconv.name = "decoder.3.block0.shortcut.scale"},
      %decoder_3_block0_shortcut_shift: tensor<96xf32> {sparseconv.name = "decoder.3.block0.shortcut.shift"},
      %decoder_3_block1_conv0_weight: tensor<27x96x96xf32> {sparseconv.name = "decoder.3.block1.conv0.weight"},
      %decoder_3_block1_conv0_scale: tensor<96xf32> {sparseconv.name = "decoder.3.block1.conv0.scale"},
      %decoder_3_block1_conv0_shift: tensor<96xf32> {sparseconv.name = "decoder.3.block1.conv0.shift"},
      %decoder_3_block1_conv1_weight: tensor<27x96x96xf32> {sparseconv.name = "decoder.3.block1.conv1.weight"},
      %decoder_3_block1_conv1_scale: tensor<96xf32> {sparseconv.name = "decoder.3.block1.conv1.scale"},
      %decoder_3_block1_conv1_shift: tensor<96xf32> {sparseconv.name = "decoder.3.block1.conv1.shift"},
      %head_weight: tensor<1x96x20xf32> {sparseconv.name = "head.weight"},
      %head_bias: tensor<20xf32> {sparseconv.name = "head.bias"})
      -> (tensor<?x20xf32> {sparseconv.name = "features"}, tensor<?x4xi32> {sparseconv.name = "coordinates"}) {
    %set0, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set_1_1_1
    %0 = sparseconv.gather %features, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>

    // Stem.
    %map3x3x3_0_0 = sparseconv.kernel_map %set0 to %set0 offsets(box<3, 3, 3>) : !map27_0_0
    %1 = sparseconv.conv %0, %stem_0_weight, %map3x3x3_0_0 : tensor<?x4xf32>, tensor<27x4x32xf32>, !map27_0_0 -> tensor<?x32xf32>
    %2 = call @norm_relu_32(%1, %stem_0_scale, %stem_0_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %3 = sparseconv.conv %2, %stem_1_weight, %map3x3x3_0_0 : tensor<?x32xf32>, tensor<27x32x32xf32>, !map27_0_0 -> tensor<?x32xf32>
    %4 = call @norm_relu_32(%3, %stem_1_scale, %stem_1_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>

    // Encoder 0: half the resolution, 32 channels.
    %set1 = sparseconv.downsample %set0 by [2, 2, 2] : !set_1_1_1 -> !set_2_2_2
    %map2x2x2_0_1 = sparseconv.kernel_map %set0 to %set1 offsets(box<2, 2, 2>) : !map8_0_1
    %5 = sparseconv.conv %4, %encoder_0_down_weight, %map2x2x2_0_1 : tensor<?x32xf32>, tensor<8x32x32xf32>, !map8_0_1 -> tensor<?x32xf32>
    %6 = call @norm_relu_32(%5, %encoder_0_down_scale, %encoder_0_down_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %map3x3x3_1_1 = sparseconv.kernel_map %set1 to %set1 offsets(box<3, 3, 3>) : !map27_1_1
    %7 = sparseconv.conv %6, %encoder_0_block0_conv0_weight, %map3x3x3_1_1 : tensor<?x32xf32>, tensor<27x32x32xf32>, !map27_1_1 -> tensor<?x32xf32>
    %8 = call @norm_relu_32(%7, %encoder_0_block0_conv0_scale, %encoder_0_block0_conv0_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %9 = sparseconv.conv %8, %encoder_0_block0_conv1_weight, %map3x3x3_1_1 : tensor<?x32xf32>, tensor<27x32x32xf32>, !map27_1_1 -> tensor<?x32xf32>
    %10 = call @norm_32(%9, %encoder_0_block0_conv1_scale, %encoder_0_block0_conv1_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %11 = call @add_relu_32(%10, %6) : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    %12 = sparseconv.conv %11, %encoder_0_block1_conv0_weight, %map3x3x3_1_1 : tensor<?x32xf32>, tensor<27x32x32xf32>, !map27_1_1 -> tensor<?x32xf32>
    %13 = call @norm_relu_32(%12, %encoder_0_block1_conv0_scale, %encoder_0_block1_conv0_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %14 = sparseconv.conv %13, %encoder_0_block1_conv1_weight, %map3x3x3_1_1 : tensor<?x32xf32>, tensor<27x32x32xf32>, !map27_1_1 -> tensor<?x32xf32>
    %15 = call @norm_32(%14, %encoder_0_block1_conv1_scale, %encoder_0_block1_conv1_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %16 = call @add_relu_32(%15, %11) : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>

    // Encoder 1: half the resolution, 64 channels.
    %set2 = sparseconv.downsample %set1 by [2, 2, 2] : !set_2_2_2 -> !set_4_4_4
    %map2x2x2_1_2 = sparseconv.kernel_map %set1 to %set2 offsets(box<2, 2, 2>) : !map8_1_2
    %17 = sparseconv.conv %16, %encoder_1_down_weight, %map2x2x2_1_2 : tensor<?x32xf32>, tensor<8x32x32xf32>, !map8_1_2 -> tensor<?x32xf32>
    %18 = call @norm_relu_32(%17, %encoder_1_down_scale, %encoder_1_down_shift) : (tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %map3x3x3_2_2 = sparseconv.kernel_map %set2 to %set2 offsets(box<3, 3, 3>) : !map27_2_2
    %19 = sparseconv.conv %18, %encoder_1_block0_conv0_weight, %map3x3x3_2_2 : tensor<?x32xf32>, tensor<27x32x64xf32>, !map27_2_2 -> tensor<?x64xf32>
    %20 = call @norm_relu_64(%19, %encoder_1_block0_conv0_scale, %encoder_1_block0_conv0_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %21 = sparseconv.conv %20, %encoder_1_block0_conv1_weight, %map3x3x3_2_2 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_2_2 -> tensor<?x64xf32>
    %22 = call @norm_64(%21, %encoder_1_block0_conv1_scale, %encoder_1_block0_conv1_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %map1x1x1_2_2 = sparseconv.kernel_map %set2 to %set2 offsets(box<1, 1, 1>) : !map1_2_2
    %23 = sparseconv.conv %18, %encoder_1_block0_shortcut_weight, %map1x1x1_2_2 : tensor<?x32xf32>, tensor<1x32x64xf32>, !map1_2_2 -> tensor<?x64xf32>
    %24 = call @norm_64(%23, %encoder_1_block0_shortcut_scale, %encoder_1_block0_shortcut_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %25 = call @add_relu_64(%22, %24) : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    %26 = sparseconv.conv %25, %encoder_1_block1_conv0_weight, %map3x3x3_2_2 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_2_2 -> tensor<?x64xf32>
    %27 = call @norm_relu_64(%26, %encoder_1_block1_conv0_scale, %encoder_1_block1_conv0_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %28 = sparseconv.conv %27, %encoder_1_block1_conv1_weight, %map3x3x3_2_2 : tensor<?x64xf32>, tensor<27x64x64xf32>, !map27_2_2 -> tensor<?x64xf32>
    %29 = call @norm_64(%28, %encoder_1_block1_conv1_scale, %encoder_1_block1_conv1_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %30 = call @add_relu_64(%29, %25) : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>

    // Encoder 2: half the resolution, 128 channels.
    %set3 = sparseconv.downsample %set2 by [2, 2, 2] : !set_4_4_4 -> !set_8_8_8
    %map2x2x2_2_3 = sparseconv.kernel_map %set2 to %set3 offsets(box<2, 2, 2>) : !map8_2_3
    %31 = sparseconv.conv %30, %encoder_2_down_weight, %map2x2x2_2_3 : tensor<?x64xf32>, tensor<8x64x64xf32>, !map8_2_3 -> tensor<?x64xf32>
    %32 = call @norm_relu_64(%31, %encoder_2_down_scale, %encoder_2_down_shift) : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    %map3x3x3_3_3 = sparseconv.kernel_map %set3 to %set3 offsets(box<3, 3, 3>) : !map27_3_3
    %33 = sparseconv.conv %32, %encoder_2_block0_conv0_weight, %map3x3x3_3_3 : tensor<?x64xf32>, tensor<27x64x128xf32>, !map27_3_3 -> tensor<?x128xf32>
    %34 = call @norm_relu_128(%33, %encoder_2_block0_conv0_scale, %encoder_2_block0_conv0_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %35 = sparseconv.conv %34, %encoder_2_block0_conv1_weight, %map3x3x3_3_3 : tensor<?x128xf32>, tensor<27x128x128xf32>, !map27_3_3 -> tensor<?x128xf32>
    %36 = call @norm_128(%35, %encoder_2_block0_conv1_scale, %encoder_2_block0_conv1_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %map1x1x1_3_3 = sparseconv.kernel_map %set3 to %set3 offsets(box<1, 1, 1>) : !map1_3_3
    %37 = sparseconv.conv %32, %encoder_2_block0_shortcut_weight, %map1x1x1_3_3 : tensor<?x64xf32>, tensor<1x64x128xf32>, !map1_3_3 -> tensor<?x128xf32>
    %38 = call @norm_128(%37, %encoder_2_block0_shortcut_scale, %encoder_2_block0_shortcut_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %39 = call @add_relu_128(%36, %38) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
    %40 = sparseconv.conv %39, %encoder_2_block1_conv0_weight, %map3x3x3_3_3 : tensor<?x128xf32>, tensor<27x128x128xf32>, !map27_3_3 -> tensor<?x128xf32>
    %41 = call @norm_relu_128(%40, %encoder_2_block1_conv0_scale, %encoder_2_block1_conv0_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %42 = sparseconv.conv %41, %encoder_2_block1_conv1_weight, %map3x3x3_3_3 : tensor<?x128xf32>, tensor<27x128x128xf32>, !map27_3_3 -> tensor<?x128xf32>
    %43 = call @norm_128(%42, %encoder_2_block1_conv1_scale, %encoder_2_block1_conv1_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %44 = call @add_relu_128(%43, %39) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>

    // Encoder 3: half the resolution, 256 channels.
    %set4 = sparseconv.downsample %set3 by [2, 2, 2] : !set_8_8_8 -> !set_16_16_16
    %map2x2x2_3_4 = sparseconv.kernel_map %set3 to %set4 offsets(box<2, 2, 2>) : !map8_3_4
    %45 = sparseconv.conv %44, %encoder_3_down_weight, %map2x2x2_3_4 : tensor<?x128xf32>, tensor<8x128x128xf32>, !map8_3_4 -> tensor<?x128xf32>
    %46 = call @norm_relu_128(%45, %encoder_3_down_scale, %encoder_3_down_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %map3x3x3_4_4 = sparseconv.kernel_map %set4 to %set4 offsets(box<3, 3, 3>) : !map27_4_4
    %47 = sparseconv.conv %46, %encoder_3_block0_conv0_weight, %map3x3x3_4_4 : tensor<?x128xf32>, tensor<27x128x256xf32>, !map27_4_4 -> tensor<?x256xf32>
    %48 = call @norm_relu_256(%47, %encoder_3_block0_conv0_scale, %encoder_3_block0_conv0_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %49 = sparseconv.conv %48, %encoder_3_block0_conv1_weight, %map3x3x3_4_4 : tensor<?x256xf32>, tensor<27x256x256xf32>, !map27_4_4 -> tensor<?x256xf32>
    %50 = call @norm_256(%49, %encoder_3_block0_conv1_scale, %encoder_3_block0_conv1_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %map1x1x1_4_4 = sparseconv.kernel_map %set4 to %set4 offsets(box<1, 1, 1>) : !map1_4_4
    %51 = sparseconv.conv %46, %encoder_3_block0_shortcut_weight, %map1x1x1_4_4 : tensor<?x128xf32>, tensor<1x128x256xf32>, !map1_4_4 -> tensor<?x256xf32>
    %52 = call @norm_256(%51, %encoder_3_block0_shortcut_scale, %encoder_3_block0_shortcut_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %53 = call @add_relu_256(%50, %52) : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>
    %54 = sparseconv.conv %53, %encoder_3_block1_conv0_weight, %map3x3x3_4_4 : tensor<?x256xf32>, tensor<27x256x256xf32>, !map27_4_4 -> tensor<?x256xf32>
    %55 = call @norm_relu_256(%54, %encoder_3_block1_conv0_scale, %encoder_3_block1_conv0_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %56 = sparseconv.conv %55, %encoder_3_block1_conv1_weight, %map3x3x3_4_4 : tensor<?x256xf32>, tensor<27x256x256xf32>, !map27_4_4 -> tensor<?x256xf32>
    %57 = call @norm_256(%56, %encoder_3_block1_conv1_scale, %encoder_3_block1_conv1_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %58 = call @add_relu_256(%57, %53) : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>

    // Decoder 0: twice the resolution, 256 channels.
    %up4_3 = sparseconv.transpose_map %map2x2x2_3_4 : !map8_3_4 -> !map8_4_3
    %59 = sparseconv.conv %58, %decoder_0_up_weight, %up4_3 : tensor<?x256xf32>, tensor<8x256x256xf32>, !map8_4_3 -> tensor<?x256xf32>
    %60 = call @norm_relu_256(%59, %decoder_0_up_scale, %decoder_0_up_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %61 = tensor.concat dim(1) %60, %44 : (tensor<?x256xf32>, tensor<?x128xf32>) -> tensor<?x384xf32>
    %62 = sparseconv.conv %61, %decoder_0_block0_conv0_weight, %map3x3x3_3_3 : tensor<?x384xf32>, tensor<27x384x256xf32>, !map27_3_3 -> tensor<?x256xf32>
    %63 = call @norm_relu_256(%62, %decoder_0_block0_conv0_scale, %decoder_0_block0_conv0_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %64 = sparseconv.conv %63, %decoder_0_block0_conv1_weight, %map3x3x3_3_3 : tensor<?x256xf32>, tensor<27x256x256xf32>, !map27_3_3 -> tensor<?x256xf32>
    %65 = call @norm_256(%64, %decoder_0_block0_conv1_scale, %decoder_0_block0_conv1_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %66 = sparseconv.conv %61, %decoder_0_block0_shortcut_weight, %map1x1x1_3_3 : tensor<?x384xf32>, tensor<1x384x256xf32>, !map1_3_3 -> tensor<?x256xf32>
    %67 = call @norm_256(%66, %decoder_0_block0_shortcut_scale, %decoder_0_block0_shortcut_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %68 = call @add_relu_256(%65, %67) : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>
    %69 = sparseconv.conv %68, %decoder_0_block1_conv0_weight, %map3x3x3_3_3 : tensor<?x256xf32>, tensor<27x256x256xf32>, !map27_3_3 -> tensor<?x256xf32>
    %70 = call @norm_relu_256(%69, %decoder_0_block1_conv0_scale, %decoder_0_block1_conv0_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %71 = sparseconv.conv %70, %decoder_0_block1_conv1_weight, %map3x3x3_3_3 : tensor<?x256xf32>, tensor<27x256x256xf32>, !map27_3_3 -> tensor<?x256xf32>
    %72 = call @norm_256(%71, %decoder_0_block1_conv1_scale, %decoder_0_block1_conv1_shift) : (tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %73 = call @add_relu_256(%72, %68) : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>

    // Decoder 1: twice the resolution, 128 channels.
    %up3_2 = sparseconv.transpose_map %map2x2x2_2_3 : !map8_2_3 -> !map8_3_2
    %74 = sparseconv.conv %73, %decoder_1_up_weight, %up3_2 : tensor<?x256xf32>, tensor<8x256x128xf32>, !map8_3_2 -> tensor<?x128xf32>
    %75 = call @norm_relu_128(%74, %decoder_1_up_scale, %decoder_1_up_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %76 = tensor.concat dim(1) %75, %30 : (tensor<?x128xf32>, tensor<?x64xf32>) -> tensor<?x192xf32>
    %77 = sparseconv.conv %76, %decoder_1_block0_conv0_weight, %map3x3x3_2_2 : tensor<?x192xf32>, tensor<27x192x128xf32>, !map27_2_2 -> tensor<?x128xf32>
    %78 = call @norm_relu_128(%77, %decoder_1_block0_conv0_scale, %decoder_1_block0_conv0_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %79 = sparseconv.conv %78, %decoder_1_block0_conv1_weight, %map3x3x3_2_2 : tensor<?x128xf32>, tensor<27x128x128xf32>, !map27_2_2 -> tensor<?x128xf32>
    %80 = call @norm_128(%79, %decoder_1_block0_conv1_scale, %decoder_1_block0_conv1_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %81 = sparseconv.conv %76, %decoder_1_block0_shortcut_weight, %map1x1x1_2_2 : tensor<?x192xf32>, tensor<1x192x128xf32>, !map1_2_2 -> tensor<?x128xf32>
    %82 = call @norm_128(%81, %decoder_1_block0_shortcut_scale, %decoder_1_block0_shortcut_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %83 = call @add_relu_128(%80, %82) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
    %84 = sparseconv.conv %83, %decoder_1_block1_conv0_weight, %map3x3x3_2_2 : tensor<?x128xf32>, tensor<27x128x128xf32>, !map27_2_2 -> tensor<?x128xf32>
    %85 = call @norm_relu_128(%84, %decoder_1_block1_conv0_scale, %decoder_1_block1_conv0_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %86 = sparseconv.conv %85, %decoder_1_block1_conv1_weight, %map3x3x3_2_2 : tensor<?x128xf32>, tensor<27x128x128xf32>, !map27_2_2 -> tensor<?x128xf32>
    %87 = call @norm_128(%86, %decoder_1_block1_conv1_scale, %decoder_1_block1_conv1_shift) : (tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    %88 = call @add_relu_128(%87, %83) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>

    // Decoder 2: twice the resolution, 96 channels.
    %up2_1 = sparseconv.transpose_map %map2x2x2_1_2 : !map8_1_2 -> !map8_2_1
    %89 = sparseconv.conv %88, %decoder_2_up_weight, %up2_1 : tensor<?x128xf32>, tensor<8x128x96xf32>, !map8_2_1 -> tensor<?x96xf32>
    %90 = call @norm_relu_96(%89, %decoder_2_up_scale, %decoder_2_up_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %91 = tensor.concat dim(1) %90, %16 : (tensor<?x96xf32>, tensor<?x32xf32>) -> tensor<?x128xf32>
    %92 = sparseconv.conv %91, %decoder_2_block0_conv0_weight, %map3x3x3_1_1 : tensor<?x128xf32>, tensor<27x128x96xf32>, !map27_1_1 -> tensor<?x96xf32>
    %93 = call @norm_relu_96(%92, %decoder_2_block0_conv0_scale, %decoder_2_block0_conv0_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %94 = sparseconv.conv %93, %decoder_2_block0_conv1_weight, %map3x3x3_1_1 : tensor<?x96xf32>, tensor<27x96x96xf32>, !map27_1_1 -> tensor<?x96xf32>
    %95 = call @norm_96(%94, %decoder_2_block0_conv1_scale, %decoder_2_block0_conv1_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %map1x1x1_1_1 = sparseconv.kernel_map %set1 to %set1 offsets(box<1, 1, 1>) : !map1_1_1
    %96 = sparseconv.conv %91, %decoder_2_block0_shortcut_weight, %map1x1x1_1_1 : tensor<?x128xf32>, tensor<1x128x96xf32>, !map1_1_1 -> tensor<?x96xf32>
    %97 = call @norm_96(%96, %decoder_2_block0_shortcut_scale, %decoder_2_block0_shortcut_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %98 = call @add_relu_96(%95, %97) : (tensor<?x96xf32>, tensor<?x96xf32>) -> tensor<?x96xf32>
    %99 = sparseconv.conv %98, %decoder_2_block1_conv0_weight, %map3x3x3_1_1 : tensor<?x96xf32>, tensor<27x96x96xf32>, !map27_1_1 -> tensor<?x96xf32>
    %100 = call @norm_relu_96(%99, %decoder_2_block1_conv0_scale, %decoder_2_block1_conv0_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %101 = sparseconv.conv %100, %decoder_2_block1_conv1_weight, %map3x3x3_1_1 : tensor<?x96xf32>, tensor<27x96x96xf32>, !map27_1_1 -> tensor<?x96xf32>
    %102 = call @norm_96(%101, %decoder_2_block1_conv1_scale, %decoder_2_block1_conv1_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %103 = call @add_relu_96(%102, %98) : (tensor<?x96xf32>, tensor<?x96xf32>) -> tensor<?x96xf32>

    // Decoder 3: twice the resolution, 96 channels.
    %up1_0 = sparseconv.transpose_map %map2x2x2_0_1 : !map8_0_1 -> !map8_1_0
    %104 = sparseconv.conv %103, %decoder_3_up_weight, %up1_0 : tensor<?x96xf32>, tensor<8x96x96xf32>, !map8_1_0 -> tensor<?x96xf32>
    %105 = call @norm_relu_96(%104, %decoder_3_up_scale, %decoder_3_up_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %106 = tensor.concat dim(1) %105, %4 : (tensor<?x96xf32>, tensor<?x32xf32>) -> tensor<?x128xf32>
    %107 = sparseconv.conv %106, %decoder_3_block0_conv0_weight, %map3x3x3_0_0 : tensor<?x128xf32>, tensor<27x128x96xf32>, !map27_0_0 -> tensor<?x96xf32>
    %108 = call @norm_relu_96(%107, %decoder_3_block0_conv0_scale, %decoder_3_block0_conv0_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %109 = sparseconv.conv %108, %decoder_3_block0_conv1_weight, %map3x3x3_0_0 : tensor<?x96xf32>, tensor<27x96x96xf32>, !map27_0_0 -> tensor<?x96xf32>
    %110 = call @norm_96(%109, %decoder_3_block0_conv1_scale, %decoder_3_block0_conv1_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %map1x1x1_0_0 = sparseconv.kernel_map %set0 to %set0 offsets(box<1, 1, 1>) : !map1_0_0
    %111 = sparseconv.conv %106, %decoder_3_block0_shortcut_weight, %map1x1x1_0_0 : tensor<?x128xf32>, tensor<1x128x96xf32>, !map1_0_0 -> tensor<?x96xf32>
    %112 = call @norm_96(%111, %decoder_3_block0_shortcut_scale, %decoder_3_block0_shortcut_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %113 = call @add_relu_96(%110, %112) : (tensor<?x96xf32>, tensor<?x96xf32>) -> tensor<?x96xf32>
    %114 = sparseconv.conv %113, %decoder_3_block1_conv0_weight, %map3x3x3_0_0 : tensor<?x96xf32>, tensor<27x96x96xf32>, !map27_0_0 -> tensor<?x96xf32>
    %115 = call @norm_relu_96(%114, %decoder_3_block1_conv0_scale, %decoder_3_block1_conv0_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %116 = sparseconv.conv %115, %decoder_3_block1_conv1_weight, %map3x3x3_0_0 : tensor<?x96xf32>, tensor<27x96x96xf32>, !map27_0_0 -> tensor<?x96xf32>
    %117 = call @norm_96(%116, %decoder_3_block1_conv1_scale, %decoder_3_block1_conv1_shift) : (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<?x96xf32>
    %118 = call @add_relu_96(%117, %113) : (tensor<?x96xf32>, tensor<?x96xf32>) -> tensor<?x96xf32>

    // Head.
    %119 = sparseconv.conv %118, %head_weight, %map1x1x1_0_0 epilogue(%head_bias : tensor<20xf32>) {
    ^bb0(%acc: f32, %b: f32):
      %sum = arith.addf %acc, %b : f32
      sparseconv.yield %sum : f32
    } : tensor<?x96xf32>, tensor<1x96x20xf32>, !map1_0_0 -> tensor<?x20xf32>

    // The features of the last set, and its coordinates.
    %coordinates = sparseconv.unpack %set0 : !set_1_1_1 -> tensor<?x4xi32>
    return %119, %coordinates : tensor<?x20xf32>, tensor<?x4xi32>
  }

  func.func private @add_relu_128(%x: tensor<?x128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x128xf32>
    %init = tensor.empty(%n) : tensor<?x128xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<?x128xf32>, tensor<?x128xf32>) outs(%init : tensor<?x128xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x128xf32>
    return %result : tensor<?x128xf32>
  }

  func.func private @add_relu_256(%x: tensor<?x256xf32>, %y: tensor<?x256xf32>) -> tensor<?x256xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x256xf32>
    %init = tensor.empty(%n) : tensor<?x256xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<?x256xf32>, tensor<?x256xf32>) outs(%init : tensor<?x256xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x256xf32>
    return %result : tensor<?x256xf32>
  }

  func.func private @add_relu_32(%x: tensor<?x32xf32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x32xf32>
    %init = tensor.empty(%n) : tensor<?x32xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<?x32xf32>, tensor<?x32xf32>) outs(%init : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x32xf32>
    return %result : tensor<?x32xf32>
  }

  func.func private @add_relu_64(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x64xf32>
    %init = tensor.empty(%n) : tensor<?x64xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>) outs(%init : tensor<?x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x64xf32>
    return %result : tensor<?x64xf32>
  }

  func.func private @add_relu_96(%x: tensor<?x96xf32>, %y: tensor<?x96xf32>) -> tensor<?x96xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x96xf32>
    %init = tensor.empty(%n) : tensor<?x96xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<?x96xf32>, tensor<?x96xf32>) outs(%init : tensor<?x96xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x96xf32>
    return %result : tensor<?x96xf32>
  }

  func.func private @norm_128(%x: tensor<?x128xf32>, %scale: tensor<128xf32>, %shift: tensor<128xf32>) -> tensor<?x128xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x128xf32>
    %init = tensor.empty(%n) : tensor<?x128xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) outs(%init : tensor<?x128xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      linalg.yield %sum : f32
    } -> tensor<?x128xf32>
    return %result : tensor<?x128xf32>
  }

  func.func private @norm_256(%x: tensor<?x256xf32>, %scale: tensor<256xf32>, %shift: tensor<256xf32>) -> tensor<?x256xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x256xf32>
    %init = tensor.empty(%n) : tensor<?x256xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) outs(%init : tensor<?x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      linalg.yield %sum : f32
    } -> tensor<?x256xf32>
    return %result : tensor<?x256xf32>
  }

  func.func private @norm_32(%x: tensor<?x32xf32>, %scale: tensor<32xf32>, %shift: tensor<32xf32>) -> tensor<?x32xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x32xf32>
    %init = tensor.empty(%n) : tensor<?x32xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) outs(%init : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      linalg.yield %sum : f32
    } -> tensor<?x32xf32>
    return %result : tensor<?x32xf32>
  }

  func.func private @norm_64(%x: tensor<?x64xf32>, %scale: tensor<64xf32>, %shift: tensor<64xf32>) -> tensor<?x64xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x64xf32>
    %init = tensor.empty(%n) : tensor<?x64xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%init : tensor<?x64xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      linalg.yield %sum : f32
    } -> tensor<?x64xf32>
    return %result : tensor<?x64xf32>
  }

  func.func private @norm_96(%x: tensor<?x96xf32>, %scale: tensor<96xf32>, %shift: tensor<96xf32>) -> tensor<?x96xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x96xf32>
    %init = tensor.empty(%n) : tensor<?x96xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) outs(%init : tensor<?x96xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      linalg.yield %sum : f32
    } -> tensor<?x96xf32>
    return %result : tensor<?x96xf32>
  }

  func.func private @norm_relu_128(%x: tensor<?x128xf32>, %scale: tensor<128xf32>, %shift: tensor<128xf32>) -> tensor<?x128xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x128xf32>
    %init = tensor.empty(%n) : tensor<?x128xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x128xf32>, tensor<128xf32>, tensor<128xf32>) outs(%init : tensor<?x128xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x128xf32>
    return %result : tensor<?x128xf32>
  }

  func.func private @norm_relu_256(%x: tensor<?x256xf32>, %scale: tensor<256xf32>, %shift: tensor<256xf32>) -> tensor<?x256xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x256xf32>
    %init = tensor.empty(%n) : tensor<?x256xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x256xf32>, tensor<256xf32>, tensor<256xf32>) outs(%init : tensor<?x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x256xf32>
    return %result : tensor<?x256xf32>
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

  func.func private @norm_relu_96(%x: tensor<?x96xf32>, %scale: tensor<96xf32>, %shift: tensor<96xf32>) -> tensor<?x96xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x96xf32>
    %init = tensor.empty(%n) : tensor<?x96xf32>
    %zero = arith.constant 0.0 : f32
    %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %scale, %shift : tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) outs(%init : tensor<?x96xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %product, %c : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<?x96xf32>
    return %result : tensor<?x96xf32>
  }
}
