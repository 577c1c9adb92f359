// Gradients in f16 and bf16: values are rounded where they are stored, sums over rows after
// their last term. Nothing here has a corner, beside which a rounding would change a slope.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/check_gradient.py %s %t --only-write --points=300 --extent=5
// RUN: sparseconv-run %t/gradient.mlir --entry=half_gradient --weights=%t/half.npz --convert-weights --check
// RUN: sparseconv-run %t/gradient.mlir --entry=brain_gradient --weights=%t/brain.npz --convert-weights --check

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!down = !sparseconv.kernel_map<8, !set to !half>
#rows = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>

func.func @half(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                %x: tensor<?x8xf16> {sparseconv.name = "x"},
                %w0: tensor<27x8x16xf16> {sparseconv.name = "w0"},
                %scale: tensor<16xf16> {sparseconv.name = "scale"},
                %shift: tensor<16xf16> {sparseconv.name = "shift"},
                %w1: tensor<8x24x16xf16> {sparseconv.name = "w1"})
    -> (tensor<?x16xf16> {sparseconv.name = "z"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x8xf16>, tensor<?xi32> -> tensor<?x8xf16>
  %m = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %f, %w0, %m : tensor<?x8xf16>, tensor<27x8x16xf16>, !map -> tensor<?x16xf16>
  %1 = linalg.generic {indexing_maps = [#rows, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%0, %scale, %shift : tensor<?x16xf16>, tensor<16xf16>, tensor<16xf16>) outs(%0 : tensor<?x16xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
    %wide_a = arith.extf %a : f16 to f32
    %wide_b = arith.extf %b : f16 to f32
    %wide_c = arith.extf %c : f16 to f32
    %product = arith.mulf %wide_a, %wide_b : f32
    %sum = arith.addf %product, %wide_c : f32
    %tanh = math.tanh %sum : f32
    %y = arith.truncf %tanh : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x16xf16>
  %2 = tensor.concat dim(1) %1, %f : (tensor<?x16xf16>, tensor<?x8xf16>) -> tensor<?x24xf16>
  %d = sparseconv.downsample %set by [2, 2, 2] : !set -> !half
  %down = sparseconv.kernel_map %set to %d offsets(box<2, 2, 2>) : !down
  %3 = sparseconv.conv %2, %w1, %down : tensor<?x24xf16>, tensor<8x24x16xf16>, !down -> tensor<?x16xf16>
  return %3 : tensor<?x16xf16>
}

func.func @brain(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                 %x: tensor<?x8xbf16> {sparseconv.name = "x"},
                 %w: tensor<27x8x16xbf16> {sparseconv.name = "w"},
                 %scale: tensor<16xbf16> {sparseconv.name = "scale"})
    -> (tensor<?x16xbf16> {sparseconv.name = "z"}, tensor<2x16xbf16> {sparseconv.name = "mean"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x8xbf16>, tensor<?xi32> -> tensor<?x8xbf16>
  %m = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %f, %w, %m epilogue(%scale : tensor<16xbf16>) {
  ^bb0(%acc: f32, %s: bf16):
    %wide = arith.extf %s : bf16 to f32
    %product = arith.mulf %acc, %wide : f32
    sparseconv.yield %product : f32
  } : tensor<?x8xbf16>, tensor<27x8x16xbf16>, !map -> tensor<?x16xbf16>
  %1 = arith.mulf %0, %0 : tensor<?x16xbf16>
  %mean = sparseconv.global_pool avg %1, %set : tensor<?x16xbf16>, !set -> tensor<2x16xbf16>
  return %1, %mean : tensor<?x16xbf16>, tensor<2x16xbf16>
}
