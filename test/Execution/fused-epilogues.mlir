// Elementwise operations that become epilogues, over element types, channels and what
// carries a convolution out. The reference computes the network as it is written.

// DEFINE: %{norm} = --input scale=random --input shift=random

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; [np.save(f'%t/{n}.npy', np.random.default_rng(n).integers(0, 12, (n, 4), np.int32) % np.int32([2, 12, 12, 12])) for n in (0, 1, 129, 700)]"
// RUN: sparseconv-run %s --entry=residual --input points=%t/700.npy --input features=random:700 --input w0=random --input w1=random --input w2=random %{norm} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=residual --input points=%t/129.npy --input features=random:129 --input w0=random --input w1=random --input w2=random %{norm} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=residual --input points=%t/0.npy --input features=random:0 --input w0=random --input w1=random --input w2=random %{norm} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=odd --input points=%t/700.npy --input features=random:700 --input w=random %{norm} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=odd --input points=%t/1.npy --input features=random:1 --input w=random %{norm} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=groups --input points=%t/700.npy --input features=random:700 --input w=random --input v=random %{norm} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=many --input points=%t/129.npy --input features=random:129 --input w=random %{norm} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=many --input points=%t/700.npy --input features=random:700 --input w=random %{norm} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=allowed --input points=%t/700.npy --input features=random:700 --input w=random %{norm} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=half --input points=%t/700.npy --input features=random:700 --input w=random --input bias=random --check | FileCheck %s
// CHECK: check 'y': ok

// Rows that do not agree are an error of the operation that is written, on each target.
// RUN: not sparseconv-run %s --entry=mismatch --input points=%t/129.npy --input features=random:129 --input w=random --input skip=random:7 2>&1 | FileCheck %s --check-prefix=MISMATCH
// RUN: not sparseconv-run %s --entry=mismatch --input points=%t/129.npy --input features=random:129 --input w=random --input skip=random:7 --target=reference 2>&1 | FileCheck %s --check-prefix=MISMATCH
// MISMATCH: fused-epilogues.mlir:{{[0-9]+}}:{{[0-9]+}}: linalg.add: operand 1 has size 7 on axis 0, expected 127

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!point = !sparseconv.kernel_map<1, !set to !set>
#rows = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>

// f16, as networks have it: a norm and an activation, another norm, a shortcut with a norm of
// its own, and the sum of both.
func.func private @norm_f16(%x: tensor<?x64xf16>, %scale: tensor<64xf16>, %shift: tensor<64xf16>) -> tensor<?x64xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf16>
  %init = tensor.empty(%n) : tensor<?x64xf16>
  %r = linalg.generic {indexing_maps = [#rows, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %shift : tensor<?x64xf16>, tensor<64xf16>, tensor<64xf16>) outs(%init : tensor<?x64xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
    %wide_a = arith.extf %a : f16 to f32
    %wide_b = arith.extf %b : f16 to f32
    %wide_c = arith.extf %c : f16 to f32
    %product = arith.mulf %wide_a, %wide_b : f32
    %sum = arith.addf %product, %wide_c : f32
    %y = arith.truncf %sum : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x64xf16>
  return %r : tensor<?x64xf16>
}

func.func @residual(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                    %features: tensor<?x32xf16> {sparseconv.name = "features"},
                    %w0: tensor<27x32x64xf16> {sparseconv.name = "w0"},
                    %w1: tensor<27x64x64xf16> {sparseconv.name = "w1"},
                    %w2: tensor<1x32x64xf16> {sparseconv.name = "w2"},
                    %scale: tensor<64xf16> {sparseconv.name = "scale"},
                    %shift: tensor<64xf16> {sparseconv.name = "shift"})
    -> (tensor<?x64xf16> {sparseconv.name = "y"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x32xf16>, tensor<?xi32> -> tensor<?x32xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %point = sparseconv.kernel_map %set to %set offsets(box<1, 1, 1>) : !point
  %0 = sparseconv.conv %x, %w0, %map : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
  %1 = call @norm_f16(%0, %scale, %shift) : (tensor<?x64xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %2 = sparseconv.conv %1, %w1, %map : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  %3 = call @norm_f16(%2, %scale, %shift) : (tensor<?x64xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %4 = sparseconv.conv %x, %w2, %point : tensor<?x32xf16>, tensor<1x32x64xf16>, !point -> tensor<?x64xf16>
  %5 = call @norm_f16(%4, %scale, %shift) : (tensor<?x64xf16>, tensor<64xf16>, tensor<64xf16>) -> tensor<?x64xf16>
  %n = tensor.dim %3, %c0 : tensor<?x64xf16>
  %init = tensor.empty(%n) : tensor<?x64xf16>
  %y = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%3, %5 : tensor<?x64xf16>, tensor<?x64xf16>) outs(%init : tensor<?x64xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %wide_a = arith.extf %a : f16 to f32
    %wide_b = arith.extf %b : f16 to f32
    %sum = arith.addf %wide_a, %wide_b : f32
    %relu = arith.maximumf %sum, %zero : f32
    %result = arith.truncf %relu : f32 to f16
    linalg.yield %result : f16
  } -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// bf16 and 33 channels, which no vector divides; channel operands of two types, and %x as the
// row operand.
func.func @odd(%points: tensor<?x4xi32> {sparseconv.name = "points"},
               %features: tensor<?x33xbf16> {sparseconv.name = "features"},
               %w: tensor<27x33x33xbf16> {sparseconv.name = "w"},
               %scale: tensor<33xf32> {sparseconv.name = "scale"},
               %shift: tensor<33xbf16> {sparseconv.name = "shift"})
    -> (tensor<?x33xbf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x33xbf16>, tensor<?xi32> -> tensor<?x33xbf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %w, %map : tensor<?x33xbf16>, tensor<27x33x33xbf16>, !map -> tensor<?x33xbf16>
  %y = linalg.generic {indexing_maps = [#rows, #channels, #rows, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%0, %scale, %x, %shift : tensor<?x33xbf16>, tensor<33xf32>, tensor<?x33xbf16>, tensor<33xbf16>) outs(%x : tensor<?x33xbf16>) {
  ^bb0(%a: bf16, %b: f32, %c: bf16, %d: bf16, %out: bf16):
    %wide_a = arith.extf %a : bf16 to f32
    %wide_c = arith.extf %c : bf16 to f32
    %wide_d = arith.extf %d : bf16 to f32
    %product = arith.mulf %wide_a, %b : f32
    %sum = arith.addf %product, %wide_c : f32
    %difference = arith.subf %sum, %wide_d : f32
    %tanh = math.tanh %difference : f32
    %result = arith.truncf %tanh : f32 to bf16
    linalg.yield %result : bf16
  } -> tensor<?x33xbf16>
  return %y : tensor<?x33xbf16>
}

func.func private @norm_f32(%x: tensor<?x24xf32>, %scale: tensor<24xf32>, %shift: tensor<24xf32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x24xf32>
  %init = tensor.empty(%n) : tensor<?x24xf32>
  %r = linalg.generic {indexing_maps = [#rows, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %shift : tensor<?x24xf32>, tensor<24xf32>, tensor<24xf32>) outs(%init : tensor<?x24xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %product, %c : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<?x24xf32>
  return %r : tensor<?x24xf32>
}

// Groups, then each channel apart, and the sum with what went in.
func.func @groups(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                  %features: tensor<?x24xf32> {sparseconv.name = "features"},
                  %w: tensor<27x3x8x8xf32> {sparseconv.name = "w"},
                  %v: tensor<27x24x1x1xf32> {sparseconv.name = "v"},
                  %scale: tensor<24xf32> {sparseconv.name = "scale"},
                  %shift: tensor<24xf32> {sparseconv.name = "shift"})
    -> (tensor<?x24xf32> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x24xf32>, tensor<?xi32> -> tensor<?x24xf32>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %w, %map : tensor<?x24xf32>, tensor<27x3x8x8xf32>, !map -> tensor<?x24xf32>
  %1 = call @norm_f32(%0, %scale, %shift) : (tensor<?x24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<?x24xf32>
  %2 = sparseconv.conv %1, %v, %map : tensor<?x24xf32>, tensor<27x24x1x1xf32>, !map -> tensor<?x24xf32>
  %3 = call @norm_f32(%2, %scale, %shift) : (tensor<?x24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<?x24xf32>
  %y = linalg.add ins(%3, %1 : tensor<?x24xf32>, tensor<?x24xf32>) outs(%3 : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %y : tensor<?x24xf32>
}

func.func private @norm_256(%x: tensor<?x256xf16>, %scale: tensor<256xf32>, %shift: tensor<256xf32>) -> tensor<?x256xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x256xf16>
  %init = tensor.empty(%n) : tensor<?x256xf16>
  %r = linalg.generic {indexing_maps = [#rows, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %shift : tensor<?x256xf16>, tensor<256xf32>, tensor<256xf32>) outs(%init : tensor<?x256xf16>) {
  ^bb0(%a: f16, %b: f32, %c: f32, %out: f16):
    %wide = arith.extf %a : f16 to f32
    %product = arith.mulf %wide, %b : f32
    %sum = arith.addf %product, %c : f32
    %y = arith.truncf %sum : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x256xf16>
  return %r : tensor<?x256xf16>
}

// Few rows of many channels: where a GPU splits the sum, the epilogue is behind all splits.
func.func @many(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                %features: tensor<?x256xf16> {sparseconv.name = "features"},
                %w: tensor<27x256x256xf16> {sparseconv.name = "w"},
                %scale: tensor<256xf32> {sparseconv.name = "scale"},
                %shift: tensor<256xf32> {sparseconv.name = "shift"})
    -> (tensor<?x256xf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x256xf16>, tensor<?xi32> -> tensor<?x256xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %w, %map : tensor<?x256xf16>, tensor<27x256x256xf16>, !map -> tensor<?x256xf16>
  %1 = call @norm_256(%0, %scale, %shift) : (tensor<?x256xf16>, tensor<256xf32>, tensor<256xf32>) -> tensor<?x256xf16>
  %y = linalg.add ins(%1, %x : tensor<?x256xf16>, tensor<?x256xf16>) outs(%x : tensor<?x256xf16>) -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// Rounded to tf32 where the target can, and channels that end within a column tile.
func.func @allowed(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                   %features: tensor<?x40xf32> {sparseconv.name = "features"},
                   %w: tensor<27x40x24xf32> {sparseconv.name = "w"},
                   %scale: tensor<24xf32> {sparseconv.name = "scale"},
                   %shift: tensor<24xf32> {sparseconv.name = "shift"})
    -> (tensor<?x24xf32> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x40xf32>, tensor<?xi32> -> tensor<?x40xf32>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %w, %map tf32 = allowed : tensor<?x40xf32>, tensor<27x40x24xf32>, !map -> tensor<?x24xf32>
  %y = call @norm_f32(%0, %scale, %shift) : (tensor<?x24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<?x24xf32>
  return %y : tensor<?x24xf32>
}

// Computed in f16, by named operations on broadcasts and fills.
func.func @half(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                %features: tensor<?x16xf16> {sparseconv.name = "features"},
                %w: tensor<27x16x20xf16> {sparseconv.name = "w"},
                %bias: tensor<20xf16> {sparseconv.name = "bias"})
    -> (tensor<?x20xf16> {sparseconv.name = "y"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %w, %map : tensor<?x16xf16>, tensor<27x16x20xf16>, !map -> tensor<?x20xf16>
  %n = tensor.dim %0, %c0 : tensor<?x20xf16>
  %init = tensor.empty(%n) : tensor<?x20xf16>
  %biases = linalg.broadcast ins(%bias : tensor<20xf16>) outs(%init : tensor<?x20xf16>) dimensions = [0]
  %sum = linalg.add ins(%0, %biases : tensor<?x20xf16>, tensor<?x20xf16>) outs(%init : tensor<?x20xf16>) -> tensor<?x20xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%init : tensor<?x20xf16>) -> tensor<?x20xf16>
  %relu = linalg.max ins(%sum, %zeros : tensor<?x20xf16>, tensor<?x20xf16>) outs(%init : tensor<?x20xf16>) -> tensor<?x20xf16>
  %negated = linalg.negf ins(%relu : tensor<?x20xf16>) outs(%init : tensor<?x20xf16>) -> tensor<?x20xf16>
  %y = linalg.exp ins(%negated : tensor<?x20xf16>) outs(%init : tensor<?x20xf16>) -> tensor<?x20xf16>
  return %y : tensor<?x20xf16>
}

func.func @mismatch(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                    %features: tensor<?x8xf32> {sparseconv.name = "features"},
                    %w: tensor<27x8x8xf32> {sparseconv.name = "w"},
                    %skip: tensor<?x8xf32> {sparseconv.name = "skip"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %y = linalg.add ins(%0, %skip : tensor<?x8xf32>, tensor<?x8xf32>) outs(%0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
