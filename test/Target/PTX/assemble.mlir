// NVIDIA's assembler takes the kernels of whole networks, and they need
// neither a stack nor spills.
// REQUIRES: ptxas
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda:sm_80 | sparseconv-translate --mlir-to-plan --chip=sm_80 | sparseconv-translate --plan-to-ptx -o %t.80.ptx
// RUN: %ptxas -arch=sm_80 -v %t.80.ptx -o %t.80.cubin 2>&1 | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda:sm_86 | sparseconv-translate --mlir-to-plan --chip=sm_86 | sparseconv-translate --plan-to-ptx -o %t.86.ptx
// RUN: %ptxas -arch=sm_86 -v %t.86.ptx -o %t.86.cubin 2>&1 | FileCheck %s
// The kernels for sm_89 are those for sm_86 (test/Gpu/operations-sm_86-sm_89.test).
// RUN: sed 's/^\.target sm_86/.target sm_89/' %t.86.ptx > %t.89.ptx
// RUN: %ptxas -arch=sm_89 -v %t.89.ptx -o %t.89.cubin 2>&1 | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda:sm_90a | sparseconv-translate --mlir-to-plan --chip=sm_90a | sparseconv-translate --plan-to-ptx -o %t.90a.ptx
// RUN: %ptxas -arch=sm_90a -v %t.90a.ptx -o %t.90a.cubin 2>&1 | FileCheck %s

// CHECK-NOT: {{error|warning|[1-9][0-9]* bytes (stack|spill)}}
// CHECK:     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: {{error|warning|[1-9][0-9]* bytes (stack|spill)}}

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [4, 4, 4]>
#narrow = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [4, 4]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!flat = !sparseconv.coords<2, stride = [1, 1], #narrow>
!down = !sparseconv.kernel_map<27, !fine to !half>
!box = !sparseconv.kernel_map<9, !flat to !flat>

func.func @unet(%points: tensor<?x4xi32>, %x: tensor<?x16xf16>, %w: tensor<27x16x32xf16>, %bias: tensor<32xf32>,
                %up: tensor<27x32x16xf16>, %mask: tensor<?xi1>)
    -> (tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x32xf16>, tensor<2x32xf16>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %f = sparseconv.gather %x, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %h = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) : !fine -> !half
  %m = sparseconv.kernel_map %c to %h offsets(box<3, 3, 3>) : !down
  %y = sparseconv.conv %f, %w, %m epilogue(%bias : tensor<32xf32>) {
  ^bb0(%acc: f32, %b: f32):
    %sum = arith.addf %acc, %b : f32
    %e = math.exp %sum : f32
    %t = math.tanh %e : f32
    sparseconv.yield %t : f32
  } : tensor<?x16xf16>, tensor<27x16x32xf16>, !down -> tensor<?x32xf16>
  %dx = sparseconv.input_grad %y, %w, %m : tensor<?x32xf16>, tensor<27x16x32xf16>, !down -> tensor<?x16xf16>
  %m2 = sparseconv.kernel_map %h to %h offsets(box<2, 2, 2>) : !sparseconv.kernel_map<8, !half to !half>
  %p = sparseconv.pool max %y, %m2 : tensor<?x32xf16>, !sparseconv.kernel_map<8, !half to !half> -> tensor<?x32xf16>
  %g = sparseconv.global_pool avg %p, %h : tensor<?x32xf16>, !half -> tensor<2x32xf16>
  %q, %rows = sparseconv.prune %c, %mask : !fine, tensor<?xi1>
  %kept = sparseconv.gather %f, %rows : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  return %dx, %kept, %p, %g : tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x32xf16>, tensor<2x32xf16>
}

func.func @sets(%a: tensor<?x3xi32>, %b: tensor<?x3xi32>) -> (tensor<?x3xi32>, tensor<?xi32>, tensor<?x3xi32>, tensor<?x9xi32>) {
  %c, %o, %r = sparseconv.pack %a : tensor<?x3xi32> -> !flat
  %d, %p, %s = sparseconv.pack %b : tensor<?x3xi32> -> !flat
  %u, %lhs, %rhs = sparseconv.union %c, %d : !flat
  %i, %from, %to = sparseconv.intersection %c, %d : !flat
  %e = sparseconv.expand %i offsets(box<3, 3>) : !flat
  %m = sparseconv.kernel_map %c to %d offsets(box<3, 3>) : !box
  %0 = sparseconv.unpack %u : !flat -> tensor<?x3xi32>
  %1 = sparseconv.unpack %e : !flat -> tensor<?x3xi32>
  %2 = sparseconv.neighbour_table %m : !box -> tensor<?x9xi32>
  return %0, %lhs, %1, %2 : tensor<?x3xi32>, tensor<?xi32>, tensor<?x3xi32>, tensor<?x9xi32>
}

func.func @voxels(%points: tensor<?x4xi32>, %at: tensor<?x4xf32>, %x: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<2x8x8x8x8xf32>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %v = sparseconv.voxelise trilinear avg %x, %at, %c : tensor<?x8xf32>, tensor<?x4xf32>, !fine -> tensor<?x8xf32>
  %n = sparseconv.voxelise nearest max %x, %at, %c : tensor<?x8xf32>, tensor<?x4xf32>, !fine -> tensor<?x8xf32>
  %back = sparseconv.devoxelise trilinear %v, %at, %c : tensor<?x8xf32>, tensor<?x4xf32>, !fine -> tensor<?x8xf32>
  %d = sparseconv.to_dense %n, %c origin [0, 0, 0] : tensor<?x8xf32>, !fine -> tensor<2x8x8x8x8xf32>
  return %back, %n, %d : tensor<?x8xf32>, tensor<?x8xf32>, tensor<2x8x8x8x8xf32>
}
