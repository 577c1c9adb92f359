// Functions of one or two numbers. Arguments are scaled exactly: the reference
// rounds only what is stored.
// RUN: sparseconv-run %s --entry=angles --input x=random:500 --check --quiet
// RUN: sparseconv-run %s --entry=powers --input x=random:500 --check --quiet
// RUN: sparseconv-run %s --entry=hyperbolic --input x=random:500 --check --quiet
// RUN: sparseconv-run %s --entry=narrow --input x=random:500 --check --quiet

// Every function that the reference knows, from one table, in each type that
// features have: on tensors, and in the epilogue of a convolution.
// RUN: %python %S/math_functions.py f32 elementwise > %t.mlir
// RUN: sparseconv-run %t.mlir --input x=random:500 --check --quiet
// RUN: %python %S/math_functions.py f16 elementwise > %t.mlir
// RUN: sparseconv-run %t.mlir --input x=random:500 --check --quiet
// RUN: %python %S/math_functions.py bf16 elementwise > %t.mlir
// RUN: sparseconv-run %t.mlir --input x=random:500 --check --quiet
// RUN: %python %S/math_functions.py f32 epilogue > %t.mlir
// RUN: sparseconv-run %t.mlir --input x=random:500 --check --quiet
// RUN: %python %S/math_functions.py f16 epilogue > %t.mlir
// RUN: sparseconv-run %t.mlir --input x=random:500 --check --quiet
// RUN: %python %S/math_functions.py bf16 epilogue > %t.mlir
// RUN: sparseconv-run %t.mlir --input x=random:500 --check --quiet

#map = affine_map<(i) -> (i)>

func.func @angles(%x: tensor<?xf32> {sparseconv.name = "x"})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %far_away = arith.constant 1024.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r:7 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map, #map, #map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>)
      outs(%empty, %empty, %empty, %empty, %empty, %empty, %empty
           : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32, %o6: f32):
    %far = arith.mulf %a, %far_away : f32
    %0 = math.sin %far : f32
    %1 = math.cos %far : f32
    %2 = math.tan %a : f32
    %unit = math.sin %a : f32
    %3 = math.asin %unit : f32
    %4 = math.acos %unit : f32
    %5 = math.atan %far : f32
    %6 = math.atan2 %0, %a : f32
    linalg.yield %0, %1, %2, %3, %4, %5, %6 : f32, f32, f32, f32, f32, f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @powers(%x: tensor<?xf32> {sparseconv.name = "x"})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %eight = arith.constant 8.0 : f32
  %third = arith.constant 0.3 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r:6 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map, #map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>)
      outs(%empty, %empty, %empty, %empty, %empty, %empty
           : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32):
    %more = arith.mulf %a, %eight : f32
    %positive = math.absf %more : f32
    %0 = math.powf %positive, %a : f32
    %1 = math.exp2 %more : f32
    %2 = math.cbrt %more : f32
    %3 = math.log %positive : f32
    %4 = math.log10 %positive : f32
    %5 = arith.remf %more, %third : f32
    linalg.yield %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @hyperbolic(%x: tensor<?xf32> {sparseconv.name = "x"})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %four = arith.constant 4.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r:5 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>)
      outs(%empty, %empty, %empty, %empty, %empty
           : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32):
    %more = arith.mulf %a, %four : f32
    %0 = math.sinh %more : f32
    %1 = math.cosh %more : f32
    %2 = math.asinh %more : f32
    %3 = math.acosh %1 : f32
    %unit = math.tanh %a : f32
    %4 = math.atanh %unit : f32
    linalg.yield %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @narrow(%x: tensor<?xf16> {sparseconv.name = "x"}) -> (tensor<?xf16>, tensor<?xf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf16>
  %empty = tensor.empty(%n) : tensor<?xf16>
  %r:2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf16>) outs(%empty, %empty : tensor<?xf16>, tensor<?xf16>) {
  ^bb0(%a: f16, %o0: f16, %o1: f16):
    %0 = math.sin %a : f16
    %1 = math.cosh %a : f16
    linalg.yield %0, %1 : f16, f16
  } -> (tensor<?xf16>, tensor<?xf16>)
  return %r#0, %r#1 : tensor<?xf16>, tensor<?xf16>
}
