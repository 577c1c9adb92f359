// RUN: sparseconv-opt %s --sparseconv-limit-allocations | FileCheck %s

// The bytes of an allocation are a product in 64 bits. No size gets to where it
// would wrap: the runtime refuses 2^47 bytes and more.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[N:.*]]: index)
// CHECK:         %[[LIMIT:.*]] = arith.constant 8796093022209 : index
// CHECK:         %[[LIMITED:.*]] = arith.minui %[[N]], %[[LIMIT]] : index
// CHECK:         memref.alloc(%[[LIMITED]]) : memref<?x4xf32>
func.func @rows(%n: index) -> memref<?x4xf32> {
  %0 = memref.alloc(%n) : memref<?x4xf32>
  return %0 : memref<?x4xf32>
}

// The product of several is compared as a number of f64.

// CHECK-LABEL: func.func @grid(
// CHECK-SAME:    %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK:         %[[LIMIT:.*]] = arith.constant 70368744177665 : index
// CHECK:         %[[PRODUCT:.*]] = arith.mulf
// CHECK:         %[[MOST:.*]] = arith.constant 0x42D0000000000040 : f64
// CHECK:         %[[FITS:.*]] = arith.cmpf ole, %[[PRODUCT]], %[[MOST]] : f64
// CHECK:         %[[ONE:.*]] = arith.constant 1 : index
// CHECK:         %[[N1:.*]] = arith.select %[[FITS]], %[[N]], %[[LIMIT]] : index
// CHECK:         %[[M1:.*]] = arith.select %[[FITS]], %[[M]], %[[ONE]] : index
// CHECK:         memref.alloc(%[[N1]], %[[M1]]) : memref<?x?xf16>
func.func @grid(%n: index, %m: index) -> memref<?x?xf16> {
  %0 = memref.alloc(%n, %m) : memref<?x?xf16>
  return %0 : memref<?x?xf16>
}

// CHECK-LABEL: func.func @fixed(
// CHECK-NEXT:    %{{.*}} = memref.alloc() : memref<16xf32>
func.func @fixed() -> memref<16xf32> {
  %0 = memref.alloc() : memref<16xf32>
  return %0 : memref<16xf32>
}
