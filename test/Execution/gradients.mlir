// What sparseconv-differentiate writes, for each rule: equal to central differences in
// float64 (check_gradient.py), and on a target close to the reference.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/check_gradient.py %s %t | FileCheck %s --check-prefix=EQUAL --implicit-check-not=" is "

// EQUAL-DAG: residual: {{[1-9]}} results are kept: ok
// EQUAL-DAG: batch_norm: {{[1-9]}} results are kept: ok

// RUN: sparseconv-run %t/gradient.mlir --entry=residual_gradient --weights=%t/residual.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=groups_gradient --weights=%t/groups.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=epilogue_gradient --weights=%t/epilogue.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=gradients_gradient --weights=%t/gradients.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=pools_gradient --weights=%t/pools.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=global_pools_gradient --weights=%t/global_pools.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=scatters_gradient --weights=%t/scatters.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=grids_gradient --weights=%t/grids.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=slices_gradient --weights=%t/slices.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=batch_norm_gradient --weights=%t/batch_norm.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=scalars_gradient --weights=%t/scalars.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=tensors_gradient --weights=%t/tensors.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=loss_gradient --weights=%t/loss.npz --check
// RUN: sparseconv-run %t/gradient.mlir --entry=matmul_gradient --weights=%t/matmul.npz --check

// More rows than are taken by number.
// RUN: %python %S/check_gradient.py %s %t/more --entry=scatters --rows=61 | FileCheck %s --check-prefix=MORE --implicit-check-not=" is "
// MORE: scatters: x: ok

// Few points, and none. Memory that is read before it is written is not a number.
// RUN: %python %S/check_gradient.py %s %t/few --entry=residual --entry=batch_norm --only-write --points=3
// RUN: env SPARSECONV_POISON=1 sparseconv-run %t/few/gradient.mlir --entry=residual_gradient --weights=%t/few/residual.npz --check
// RUN: env SPARSECONV_POISON=1 sparseconv-run %t/few/gradient.mlir --entry=batch_norm_gradient --weights=%t/few/batch_norm.npz --check
// RUN: %python %S/check_gradient.py %s %t/none --entry=residual --only-write --points=0
// RUN: env SPARSECONV_POISON=1 sparseconv-run %t/none/gradient.mlir --entry=residual_gradient --weights=%t/none/residual.npz --check

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!down = !sparseconv.kernel_map<8, !set to !half>
!up = !sparseconv.kernel_map<8, !half to !set>
#rows = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>

// Convolutions with a folded norm and a rectifier, a shortcut, down and up, and the
// concatenation of a skip.
// EQUAL-DAG: residual: x: ok
// EQUAL-DAG: residual: w: ok
// EQUAL-DAG: residual: scale: ok
// EQUAL-DAG: residual: shift: ok
func.func private @norm(%x: tensor<?x4xf32>, %scale: tensor<4xf32>, %shift: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %init = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#rows, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %shift : tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %product, %c : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

func.func @residual(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                    %x: tensor<?x4xf32> {sparseconv.name = "x"},
                    %w: tensor<27x4x4xf32> {sparseconv.name = "w"},
                    %scale: tensor<4xf32> {sparseconv.name = "scale"},
                    %shift: tensor<4xf32> {sparseconv.name = "shift"})
    -> (tensor<?x8xf32> {sparseconv.name = "z"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %m = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %f, %w, %m : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  %1 = call @norm(%0, %scale, %shift) : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %2 = sparseconv.conv %1, %w, %m : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  %3 = call @norm(%2, %scale, %shift) : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %4 = arith.addf %3, %f : tensor<?x4xf32>
  %coarse = sparseconv.downsample %set by [2, 2, 2] : !set -> !half
  %down = sparseconv.kernel_map %set to %coarse offsets(box<2, 2, 2>) : !down
  %up = sparseconv.transpose_map %down : !down -> !up
  %slice = tensor.extract_slice %w[0, 0, 0] [8, 4, 4] [1, 1, 1] : tensor<27x4x4xf32> to tensor<8x4x4xf32>
  %5 = sparseconv.conv %4, %slice, %down : tensor<?x4xf32>, tensor<8x4x4xf32>, !down -> tensor<?x4xf32>
  %6 = sparseconv.conv %5, %slice, %up : tensor<?x4xf32>, tensor<8x4x4xf32>, !up -> tensor<?x4xf32>
  %z = tensor.concat dim(1) %6, %4 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// Groups, and permissions, which the gradients keep.
// EQUAL-DAG: groups: x: ok
// EQUAL-DAG: groups: w: ok
func.func @groups(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                  %x: tensor<?x6xf32> {sparseconv.name = "x"},
                  %w: tensor<27x2x3x2xf32> {sparseconv.name = "w"})
    -> (tensor<?x4xf32> {sparseconv.name = "z"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x6xf32>, tensor<?xi32> -> tensor<?x6xf32>
  %m = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %z = sparseconv.conv %f, %w, %m nondeterministic = allowed : tensor<?x6xf32>, tensor<27x2x3x2xf32>, !map -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// An epilogue whose derivative reads the sum, with a channel and a row operand.
// EQUAL-DAG: epilogue: x: ok
// EQUAL-DAG: epilogue: w: ok
// EQUAL-DAG: epilogue: shift: ok
func.func @epilogue(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                    %x: tensor<?x4xf32> {sparseconv.name = "x"},
                    %w: tensor<27x4x4xf32> {sparseconv.name = "w"},
                    %shift: tensor<4xf32> {sparseconv.name = "shift"})
    -> (tensor<?x4xf32> {sparseconv.name = "z"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %m = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %z = sparseconv.conv %f, %w, %m epilogue(%shift, %f : tensor<4xf32>, tensor<?x4xf32>) {
  ^bb0(%acc: f32, %b: f32, %s: f32):
    %0 = arith.addf %acc, %b : f32
    %1 = math.tanh %0 : f32
    %2 = arith.mulf %1, %s : f32
    sparseconv.yield %2 : f32
  } : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// Gradients have gradients.
// EQUAL-DAG: gradients: x: ok
// EQUAL-DAG: gradients: y: ok
// EQUAL-DAG: gradients: w: ok
func.func @gradients(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                     %x: tensor<?x4xf32> {sparseconv.name = "x"},
                     %y: tensor<?x4xf32> {sparseconv.name = "y"},
                     %w: tensor<27x4x4xf32> {sparseconv.name = "w"})
    -> (tensor<?x4xf32> {sparseconv.name = "dx"}, tensor<27x4x4xf32> {sparseconv.name = "dw"},
        tensor<?x4xf32> {sparseconv.name = "mean"}, tensor<?x4xf32> {sparseconv.name = "all"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %fx = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %fy = sparseconv.gather %y, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %m = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %dx = sparseconv.input_grad %fy, %w, %m : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  %dw = sparseconv.weight_grad %fx, %fy, %m : tensor<?x4xf32>, tensor<?x4xf32>, !map -> tensor<27x4x4xf32>
  %mean = sparseconv.pool_grad avg %fy, %m : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  %slice = tensor.extract_slice %w[0, 0, 0] [2, 1, 4] [1, 1, 1] : tensor<27x4x4xf32> to tensor<2x4xf32>
  %all = sparseconv.global_pool_grad avg %slice, %set : tensor<2x4xf32>, !set -> tensor<?x4xf32>
  return %dx, %dw, %mean, %all : tensor<?x4xf32>, tensor<27x4x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// EQUAL-DAG: pools: x: ok
func.func @pools(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                 %x: tensor<?x4xf32> {sparseconv.name = "x"})
    -> (tensor<?x4xf32> {sparseconv.name = "largest"}, tensor<?x4xf32> {sparseconv.name = "mean"},
        tensor<?x4xf32> {sparseconv.name = "share"}, tensor<?x4xf32> {sparseconv.name = "back"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %coarse = sparseconv.downsample %set by [2, 2, 2] : !set -> !half
  %m = sparseconv.kernel_map %set to %coarse offsets(box<2, 2, 2>) : !down
  %largest = sparseconv.pool max %f, %m : tensor<?x4xf32>, !down -> tensor<?x4xf32>
  %mean = sparseconv.pool avg %f, %m : tensor<?x4xf32>, !down -> tensor<?x4xf32>
  %share = sparseconv.pool avg %f, %m count(volume) : tensor<?x4xf32>, !down -> tensor<?x4xf32>
  %sum = sparseconv.pool sum %f, %m : tensor<?x4xf32>, !down -> tensor<?x4xf32>
  %back = sparseconv.unpool %sum, %m : tensor<?x4xf32>, !down -> tensor<?x4xf32>
  return %largest, %mean, %share, %back : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// EQUAL-DAG: global_pools: x: ok
func.func @global_pools(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                        %x: tensor<?x4xf32> {sparseconv.name = "x"})
    -> (tensor<3x4xf32> {sparseconv.name = "largest"}, tensor<3x4xf32> {sparseconv.name = "mean"},
        tensor<?x4xf32> {sparseconv.name = "sum"}) {
  %items = arith.constant 3 : index
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %largest = sparseconv.global_pool max %f, %set : tensor<?x4xf32>, !set -> tensor<3x4xf32>
  %mean = sparseconv.global_pool avg %f, %set : tensor<?x4xf32>, !set -> tensor<3x4xf32>
  %sum = sparseconv.global_pool sum %f, %set batch(%items) : tensor<?x4xf32>, !set -> tensor<?x4xf32>
  return %largest, %mean, %sum : tensor<3x4xf32>, tensor<3x4xf32>, tensor<?x4xf32>
}

// Rows that are -1 are skipped, and rows that nothing reaches stay 0.
// EQUAL-DAG: scatters: x: ok
func.func @scatters(%rows: tensor<?xi32> {sparseconv.name = "rows"},
                    %x: tensor<?x4xf32> {sparseconv.name = "x"})
    -> (tensor<?x4xf32> {sparseconv.name = "sum"}, tensor<?x4xf32> {sparseconv.name = "mean"},
        tensor<?x4xf32> {sparseconv.name = "largest"}) {
  %n = arith.constant 100 : index
  %f = sparseconv.gather %x, %rows : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %square = arith.mulf %f, %f : tensor<?x4xf32>
  %sum = sparseconv.scatter %square, %rows into %n : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %rows, %c0 : tensor<?xi32>
  %first = tensor.extract_slice %x[0, 0] [%size, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %mean = sparseconv.scatter avg %first, %rows into %n : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %largest = sparseconv.scatter max %first, %rows into %n : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  return %sum, %mean, %largest : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// EQUAL-DAG: grids: x: ok
// EQUAL-DAG: grids: dense: ok
func.func @grids(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                 %x: tensor<?x4xf32> {sparseconv.name = "x"},
                 %dense: tensor<2x6x6x6x4xf32> {sparseconv.name = "dense"})
    -> (tensor<2x6x6x6x4xf32> {sparseconv.name = "grid"}, tensor<?x4xf32> {sparseconv.name = "z"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %grid = sparseconv.to_dense %f, %set origin [-3, -3, -3] : tensor<?x4xf32>, !set -> tensor<2x6x6x6x4xf32>
  %z = sparseconv.from_dense %dense, %set origin [-3, -3, -3] : tensor<2x6x6x6x4xf32>, !set -> tensor<?x4xf32>
  return %grid, %z : tensor<2x6x6x6x4xf32>, tensor<?x4xf32>
}

// What moves elements of tensors.
// EQUAL-DAG: slices: x: ok
// EQUAL-DAG: slices: w: ok
func.func @slices(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                  %x: tensor<?x4xf32> {sparseconv.name = "x"},
                  %w: tensor<8x4x4xf32> {sparseconv.name = "w"})
    -> (tensor<?x9xf32> {sparseconv.name = "rows"}, tensor<4x2x4x4xf32> {sparseconv.name = "shapes"}) {
  %c0 = arith.constant 0 : index
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %n = tensor.dim %f, %c0 : tensor<?x4xf32>
  %odd = tensor.extract_slice %f[0, 1] [%n, 2] [1, 2] : tensor<?x4xf32> to tensor<?x2xf32>
  %doubled = arith.addf %odd, %odd : tensor<?x2xf32>
  %inserted = tensor.insert_slice %doubled into %f[0, 2] [%n, 2] [1, 1] : tensor<?x2xf32> into tensor<?x4xf32>
  %first = tensor.extract_slice %f[0, 3] [%n, 1] [1, 1] : tensor<?x4xf32> to tensor<?x1xf32>
  %rows = tensor.concat dim(1) %first, %inserted, %f : (tensor<?x1xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x9xf32>
  %flat = tensor.collapse_shape %w [[0, 1], [2]] : tensor<8x4x4xf32> into tensor<32x4xf32>
  %square = arith.mulf %flat, %flat : tensor<32x4xf32>
  %shapes = tensor.expand_shape %square [[0, 1, 2], [3]] output_shape [4, 2, 4, 4] : tensor<32x4xf32> into tensor<4x2x4x4xf32>
  %loose = tensor.cast %shapes : tensor<4x2x4x4xf32> to tensor<?x2x4x4xf32>
  %tight = tensor.cast %loose : tensor<?x2x4x4xf32> to tensor<4x2x4x4xf32>
  return %rows, %tight : tensor<?x9xf32>, tensor<4x2x4x4xf32>
}

// Reductions over rows: a norm by the mean and the variance of the batch.
// EQUAL-DAG: batch_norm: x: ok
// EQUAL-DAG: batch_norm: scale: ok
// EQUAL-DAG: batch_norm: shift: ok
func.func @batch_norm(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                      %x: tensor<?x4xf32> {sparseconv.name = "x"},
                      %scale: tensor<4xf32> {sparseconv.name = "scale"},
                      %shift: tensor<4xf32> {sparseconv.name = "shift"})
    -> (tensor<?x4xf32> {sparseconv.name = "z"}) {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %size = sparseconv.size %set : !set
  %integer = arith.index_cast %size : index to i32
  %count = arith.sitofp %integer : i32 to f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%f : tensor<?x4xf32>) outs(%zeros : tensor<4xf32>) dimensions = [0]
  %mean = linalg.map ins(%sum : tensor<4xf32>) outs(%empty : tensor<4xf32>) (%s: f32, %out: f32) {
    %part = arith.divf %s, %count : f32
    linalg.yield %part : f32
  }
  %variance = linalg.generic {indexing_maps = [#rows, #channels, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%f, %mean : tensor<?x4xf32>, tensor<4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%value: f32, %m: f32, %total: f32):
    %difference = arith.subf %value, %m : f32
    %square = arith.mulf %difference, %difference : f32
    %part = arith.divf %square, %count : f32
    %next = arith.addf %part, %total : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %z = linalg.generic {indexing_maps = [#channels, #channels, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%mean, %variance, %scale, %shift : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      outs(%f : tensor<?x4xf32>) {
  ^bb0(%m: f32, %v: f32, %a: f32, %b: f32, %value: f32):
    %centred = arith.subf %value, %m : f32
    %above = arith.addf %v, %epsilon : f32
    %factor = math.rsqrt %above : f32
    %normal = arith.mulf %centred, %factor : f32
    %result = math.fma %normal, %a, %b : f32
    linalg.yield %result : f32
  } -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// All scalar rules, in bodies.
// EQUAL-DAG: scalars: x: ok
// EQUAL-DAG: scalars: scale: ok
func.func @scalars(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                   %x: tensor<?x4xf32> {sparseconv.name = "x"},
                   %scale: tensor<4xf32> {sparseconv.name = "scale"})
    -> (tensor<?x4xf32> {sparseconv.name = "z"}, tensor<?x4xf32> {sparseconv.name = "steps"}) {
  %half = arith.constant 0.5 : f32
  %beside = arith.constant 2.44140625e-4 : f32
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %zs:2 = linalg.generic {indexing_maps = [#rows, #channels, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%f, %scale : tensor<?x4xf32>, tensor<4xf32>) outs(%f, %f : tensor<?x4xf32>, tensor<?x4xf32>) {
  ^bb0(%in: f32, %b: f32, %unused: f32, %start: f32):
    // a is anything but where a step or a corner is, p is positive.
    %a = arith.addf %in, %beside : f32
    %square = arith.mulf %a, %a : f32
    %p = arith.addf %square, %half : f32
    %0 = math.exp %a : f32
    %1 = math.exp2 %a : f32
    %2 = math.expm1 %a : f32
    %3 = math.log %p : f32
    %4 = math.log2 %p : f32
    %5 = math.log10 %p : f32
    %6 = math.log1p %p : f32
    %7 = math.sqrt %p : f32
    %8 = math.rsqrt %p : f32
    %9 = math.tanh %a : f32
    %10 = math.sin %a : f32
    %11 = math.cos %a : f32
    %12 = math.atan %a : f32
    %13 = math.erf %a : f32
    %14 = math.absf %a : f32
    %15 = math.powf %p, %b : f32
    %16 = arith.divf %a, %p : f32
    %17 = arith.minimumf %a, %b : f32
    %18 = arith.maxnumf %a, %b : f32
    %19 = arith.minnumf %b, %a : f32
    %20 = arith.negf %b : f32
    %isLarge = arith.cmpf ogt, %a, %half : f32
    %21 = arith.select %isLarge, %square, %b : f32
    %s0 = arith.mulf %0, %1 : f32
    %s1 = arith.addf %s0, %2 : f32
    %s2 = arith.mulf %s1, %3 : f32
    %s3 = arith.addf %s2, %4 : f32
    %s4 = arith.mulf %5, %6 : f32
    %s5 = arith.subf %s3, %s4 : f32
    %s6 = arith.divf %7, %8 : f32
    %s7 = arith.addf %s5, %s6 : f32
    %s8 = math.fma %9, %10, %11 : f32
    %s9 = arith.mulf %s7, %s8 : f32
    %s10 = arith.mulf %12, %13 : f32
    %s11 = arith.addf %s9, %s10 : f32
    %s12 = arith.mulf %14, %15 : f32
    %s13 = arith.subf %s12, %16 : f32
    %s14 = arith.mulf %17, %18 : f32
    %s15 = arith.mulf %19, %20 : f32
    %s16 = arith.addf %s13, %s14 : f32
    %s17 = arith.addf %s15, %21 : f32
    %s18 = arith.mulf %s16, %s17 : f32
    %s19 = arith.addf %s11, %s18 : f32
    // Steps have no slope.
    %22 = math.floor %a : f32
    %23 = math.ceil %a : f32
    %24 = math.round %a : f32
    %25 = math.roundeven %a : f32
    %26 = math.trunc %a : f32
    %t0 = arith.addf %22, %23 : f32
    %t1 = arith.addf %24, %25 : f32
    %t2 = arith.addf %t0, %t1 : f32
    %t3 = arith.addf %t2, %26 : f32
    %t4 = arith.mulf %t3, %start : f32
    linalg.yield %s19, %t4 : f32, f32
  } -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %zs#0, %zs#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// The same rules on whole tensors, named operations of linalg, and a choice between
// tensors by one condition.
// EQUAL-DAG: tensors: x: ok
// EQUAL-DAG: tensors: scale: ok
func.func @tensors(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                   %x: tensor<?x4xf32> {sparseconv.name = "x"},
                   %scale: tensor<4xf32> {sparseconv.name = "scale"})
    -> (tensor<?x4xf32> {sparseconv.name = "z"}) {
  %c0 = arith.constant 0 : index
  %many = arith.constant 20 : index
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %n = tensor.dim %f, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %wide = linalg.broadcast ins(%scale : tensor<4xf32>) outs(%empty : tensor<?x4xf32>) dimensions = [0]
  %0 = linalg.mul ins(%f, %wide : tensor<?x4xf32>, tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.tanh ins(%0 : tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = math.exp %1 : tensor<?x4xf32>
  %3 = arith.divf %f, %2 : tensor<?x4xf32>
  %half = arith.truncf %3 : tensor<?x4xf32> to tensor<?x4xf16>
  %4 = arith.extf %half : tensor<?x4xf16> to tensor<?x4xf32>
  %isLarge = arith.cmpf ogt, %4, %f : tensor<?x4xf32>
  %5 = arith.select %isLarge, %4, %0 : tensor<?x4xi1>, tensor<?x4xf32>
  %areMany = arith.cmpi ugt, %n, %many : index
  %6 = arith.select %areMany, %5, %f : tensor<?x4xf32>
  %7 = arith.subf %6, %1 : tensor<?x4xf32>
  return %7 : tensor<?x4xf32>
}

// A loss that is a part of the network. One result is computed from the other.
// EQUAL-DAG: loss: x: ok
func.func @loss(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                %x: tensor<?x4xf32> {sparseconv.name = "x"})
    -> (tensor<f32> {sparseconv.name = "sum"}, tensor<?x4xf32> {sparseconv.name = "f"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %sum = linalg.generic {indexing_maps = [#rows, affine_map<(i, c) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%f : tensor<?x4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %total: f32):
    %square = arith.mulf %a, %a : f32
    %next = arith.addf %total, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %sum, %f : tensor<f32>, tensor<?x4xf32>
}

// A product of matrices is a sum like any other.
// EQUAL-DAG: matmul: x: ok
// EQUAL-DAG: matmul: w: ok
func.func @matmul(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                  %x: tensor<?x4xf32> {sparseconv.name = "x"},
                  %w: tensor<4x3xf32> {sparseconv.name = "w"})
    -> (tensor<2x3xf32> {sparseconv.name = "z"}) {
  %zero = arith.constant 0.0 : f32
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %mean = sparseconv.global_pool avg %f, %set : tensor<?x4xf32>, !set -> tensor<2x4xf32>
  %empty = tensor.empty() : tensor<2x3xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = linalg.matmul ins(%mean, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%zeros : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}
