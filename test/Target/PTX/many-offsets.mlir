// Thousands of offsets: kernels go over them as data, so that no kernel is longer
// for 3 375 offsets than for some hundred, and all compile in seconds.
// RUN: timeout 120 sparseconv-translate %s --network-to-plan --chip=sm_90a -o %t.plan
// RUN: sparseconv-translate --plan-to-ptx %t.plan -o %t.ptx
// RUN: timeout 120 sparseconv-opt %s --sparseconv-lower-to-cpu -o %t.cpu.mlir
// RUN: %python %S/Inputs/longest.py %t.ptx:4000 %t.cpu.mlir:4000

#cube = #sparseconv.packing<i64, batch = 8, bits = [16, 16, 16], guard = [8, 8, 8]>
#square = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [32, 32]>
#line = #sparseconv.packing<i32, batch = 4, bits = [20], guard = [512]>
!voxels = !sparseconv.coords<3, stride = [1, 1, 1], #cube>
!pixels = !sparseconv.coords<2, stride = [1, 1], #square>
!points = !sparseconv.coords<1, stride = [1], #line>

// A convolution on tensor cores, 15 x 15 x 15.
func.func @cube(%points: tensor<?x4xi32>, %x: tensor<?x64xf16>, %w: tensor<3375x64x64xf16>) -> tensor<?x64xf16> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !voxels
  %f = sparseconv.gather %x, %order : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  %m = sparseconv.kernel_map %c to %c offsets(box<15, 15, 15>) : !sparseconv.kernel_map<3375, !voxels to !voxels>
  %y = sparseconv.conv %f, %w, %m : tensor<?x64xf16>, tensor<3375x64x64xf16>, !sparseconv.kernel_map<3375, !voxels to !voxels> -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// A pool over 65 x 65.
func.func @square(%points: tensor<?x3xi32>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !pixels
  %f = sparseconv.gather %x, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<65, 65>) : !sparseconv.kernel_map<4225, !pixels to !pixels>
  %y = sparseconv.pool max %f, %m : tensor<?x8xf32>, !sparseconv.kernel_map<4225, !pixels to !pixels> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// A gradient by the weights of 1001 offsets on one axis, which form one column.
func.func @line(%points: tensor<?x2xi32>, %x: tensor<?x8xf32>, %dy: tensor<?x8xf32>) -> tensor<1001x8x8xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !points
  %f = sparseconv.gather %x, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %g = sparseconv.gather %dy, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<1001>) : !sparseconv.kernel_map<1001, !points to !points>
  %dw = sparseconv.weight_grad %f, %g, %m : tensor<?x8xf32>, tensor<?x8xf32>, !sparseconv.kernel_map<1001, !points to !points> -> tensor<1001x8x8xf32>
  return %dw : tensor<1001x8x8xf32>
}
