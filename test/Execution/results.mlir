// Results that are one value, and points whose number is known: none, or some.

// RUN: sparseconv-run %s --entry=twice --input points=random:70 --check | FileCheck %s
// RUN: sparseconv-run %s --entry=none --input points=random:0 --check | FileCheck %s
// RUN: sparseconv-run %s --entry=some --input points=random:60 --input x=random:60 --check | FileCheck %s

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
