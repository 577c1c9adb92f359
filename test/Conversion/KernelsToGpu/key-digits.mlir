// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// Digits have 9 bits and are taken from the lowest up. Keys of 18 bits have
// two, which are cut out of the key as it is.

// CHECK-LABEL: func.func @as_they_are(
// CHECK-NOT:     nvvm.redux
// CHECK:         gpu.launch
// CHECK:           %[[LOW:.*]] = arith.andi %[[KEY:.*]], %c511_i32
// CHECK:           memref.atomic_rmw addi %c1_i32, %{{.*}}[%c0,
// CHECK:           %[[REST:.*]] = arith.shrui %[[KEY]], %c9_i32
// CHECK:           arith.andi %[[REST]], %c511_i32
// CHECK:           memref.atomic_rmw addi %c1_i32, %{{.*}}[%c1,
// CHECK-COUNT-2: gpu.launch
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @as_they_are(%keys: memref<?xi32>, %sorted: memref<?xi32>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi32>)
      outs(%sorted, %permutation : memref<?xi32>, memref<?xi32>) {fields = array<i64: 2, 16>}
  return
}

// A scan fills a small part of what its packing has room for, so longer keys are
// made dense first. The least and the greatest value of each field are found for
// each warp, thread block, and then all keys.

// CHECK-LABEL: func.func @dense(
// CHECK:         %[[RANGES:.*]] = memref.alloc() {{.*}} : memref<4xi32>
// CHECK:         gpu.launch {{.*}} workgroup(%[[FOUND:[^ ]*]] : memref<4xi32,
// CHECK:           gpu.barrier
// CHECK-COUNT-8:   memref.load %{{.*}} : memref<?xi32>
// CHECK:           nvvm.redux.sync umin
// CHECK:           memref.atomic_rmw minu %{{.*}}, %[[FOUND]]
// CHECK:           nvvm.redux.sync umax
// CHECK:           memref.atomic_rmw maxu %{{.*}}, %[[FOUND]]
// CHECK:           nvvm.redux.sync umin
// CHECK:           nvvm.redux.sync umax
// CHECK:           gpu.barrier
// CHECK:           memref.atomic_rmw minu %{{.*}}, %[[RANGES]]
// CHECK:           memref.atomic_rmw maxu %{{.*}}, %[[RANGES]]

// From a field its least value is taken, and it gets as many bits as what is left
// of the greatest needs: 32 without its leading zeros. How many digits there are
// is known on the device.
// CHECK:         gpu.launch
// CHECK:           %[[LEAST:.*]] = memref.load %[[RANGES]][%c0]
// CHECK:           %[[MOST:.*]] = memref.load %[[RANGES]][%c2]
// CHECK:           memref.load %[[RANGES]][%c1]
// CHECK:           memref.load %[[RANGES]][%c3]
// CHECK:           %[[RANGE:.*]] = arith.subi %[[MOST]], %[[LEAST]]
// CHECK:           %[[UNUSED:.*]] = math.ctlz %[[RANGE]]
// CHECK:           %[[BITS:.*]] = arith.subi %c32_i32, %[[UNUSED]]
// CHECK:           math.ctlz
// CHECK:           %[[DIGITS:.*]] = arith.divui %{{.*}}, %c9_i32
// CHECK:           arith.maxsi %[[DIGITS]], %c1_i32

// A kernel for each of four digits; those beyond what keys have do nothing.
// CHECK-COUNT-4: gpu.launch
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @dense(%keys: memref<?xi32>, %sorted: memref<?xi32>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi32>)
      outs(%sorted, %permutation : memref<?xi32>, memref<?xi32>) {fields = array<i64: 16, 16>}
  return
}

}
