// Results that are one value or may be, parts of tensors, and points whose number is
// known: none, or some.

// RUN: sparseconv-run %s --entry=twice --input points=random:70 --check | FileCheck %s
// RUN: sparseconv-run %s --entry=none --input points=random:0 --check | FileCheck %s
// RUN: sparseconv-run %s --entry=some --input points=random:60 --input x=random:60 --check | FileCheck %s
// RUN: sparseconv-run %s --entry=either --input x=random:9 --input first=const:0 --check | FileCheck %s
// RUN: sparseconv-run %s --entry=either --input x=random:9 --input first=const:1 --check | FileCheck %s
// RUN: sparseconv-run %s --entry=columns --input x=random --input n=const:7 --check | FileCheck %s

// CHECK-DAG: check 'a': ok
// CHECK-DAG: check 'b': ok

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [9, 9]>
!set = !sparseconv.coords<2, stride = [1, 1], #packing>

func.func @twice(%points: tensor<?x3xi32> {sparseconv.name = "points"})
    -> (tensor<?x3xi32> {sparseconv.name = "a"}, tensor<?x3xi32> {sparseconv.name = "b"}) {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %0 = sparseconv.unpack %coords : !set -> tensor<?x3xi32>
  %1 = sparseconv.unpack %coords : !set -> tensor<?x3xi32>
  return %0, %1 : tensor<?x3xi32>, tensor<?x3xi32>
}

func.func @none(%points: tensor<0x3xi32> {sparseconv.name = "points"})
    -> (tensor<?x3xi32> {sparseconv.name = "a"}, tensor<0xi32> {sparseconv.name = "b"}) {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<0x3xi32> -> !set
  %0 = sparseconv.unpack %coords : !set -> tensor<?x3xi32>
  return %0, %row_of : tensor<?x3xi32>, tensor<0xi32>
}

func.func @some(%points: tensor<60x3xi32> {sparseconv.name = "points"},
                %x: tensor<?x16xf32> {sparseconv.name = "x"})
    -> (tensor<?x16xf32> {sparseconv.name = "a"}, tensor<?x3xi32> {sparseconv.name = "b"}) {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<60x3xi32> -> !set
  %rows = sparseconv.size %coords : !set
  %0 = sparseconv.scatter %x, %row_of into %rows : tensor<?x16xf32>, tensor<60xi32> -> tensor<?x16xf32>
  %1 = sparseconv.unpack %coords : !set -> tensor<?x3xi32>
  return %0, %1 : tensor<?x16xf32>, tensor<?x3xi32>
}

func.func @either(%x: tensor<?x8xf32> {sparseconv.name = "x"}, %first: i1 {sparseconv.name = "first"})
    -> (tensor<?x8xf32> {sparseconv.name = "a"}, tensor<?x8xf32> {sparseconv.name = "b"}) {
  %y = arith.addf %x, %x : tensor<?x8xf32>
  %w = math.exp %x : tensor<?x8xf32>
  %z = scf.if %first -> tensor<?x8xf32> {
    scf.yield %y : tensor<?x8xf32>
  } else {
    scf.yield %w : tensor<?x8xf32>
  }
  return %y, %z : tensor<?x8xf32>, tensor<?x8xf32>
}

// Rows of 20 columns, of which 7 are left.
func.func @columns(%x: tensor<16x20xf32> {sparseconv.name = "x"}, %n: index {sparseconv.name = "n"})
    -> (tensor<16x?xf32> {sparseconv.name = "a"}, tensor<16x?xf32> {sparseconv.name = "b"}) {
  %y = math.exp %x : tensor<16x20xf32>
  %a = tensor.extract_slice %y[0, 0] [16, %n] [1, 1] : tensor<16x20xf32> to tensor<16x?xf32>
  %b = math.sin %a : tensor<16x?xf32>
  return %a, %b : tensor<16x?xf32>, tensor<16x?xf32>
}
