// RUN: sparseconv-opt %s --sparseconv-hoist-scratch | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-hoist-scratch --sparseconv-hoist-scratch --split-input-file -o %t

// 100 numbers of 4 bytes for each thread, from a multiple of 64 bytes on.
// CHECK:       func.func private @sparseconv_cpu_threads() -> i64
// CHECK-LABEL: func.func @scratch(
// CHECK-SAME:    %[[OUT:.*]]: memref<?xf32>
// CHECK:         %[[COUNT:.*]] = call @sparseconv_cpu_threads()
// CHECK:         %[[THREADS:.*]] = arith.index_cast %[[COUNT]]
// CHECK:         %[[BYTES:.*]] = arith.muli %[[THREADS]], %c448
// CHECK:         %[[ALL:.*]] = memref.alloc(%[[BYTES]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK:         omp.parallel {
// CHECK:           omp.loop_nest (%[[I:.*]]) :
// CHECK-NOT:       memref.alloc
// CHECK:           %[[NUMBER:.*]] = func.call @sparseconv_cpu_thread()
// CHECK:           %[[THREAD:.*]] = arith.index_cast %[[NUMBER]]
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[THREAD]], %c448
// CHECK:           %[[MINE:.*]] = memref.view %[[ALL]][%[[OFFSET]]][] : memref<?xi8> to memref<100xf32>
// CHECK:           memref.store %{{.*}}, %[[MINE]][%[[I]]]
// CHECK-NOT:       memref.dealloc
// CHECK:         }
// CHECK:         memref.dealloc %[[ALL]]
func.func @scratch(%out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %work = memref.alloc() : memref<100xf32>
        memref.store %one, %work[%i] : memref<100xf32>
        %v = memref.load %work[%i] : memref<100xf32>
        memref.store %v, %out[%i] : memref<?xf32>
        memref.dealloc %work : memref<100xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// What is outside of threads stays.
// CHECK-LABEL: func.func @alone(
// CHECK-NEXT:    memref.alloc() : memref<100xf32>
func.func @alone() {
  %work = memref.alloc() : memref<100xf32>
  memref.dealloc %work : memref<100xf32>
  return
}

// A scope goes where nothing in it is on the stack.
// CHECK-LABEL: func.func @scopes(
// CHECK-NOT:     memref.alloca_scope
// CHECK:         call @check()
// CHECK:         memref.alloca_scope
// CHECK:           memref.alloca()
// CHECK:         return
func.func private @check()
func.func @scopes(%x: memref<4xf32>) {
  memref.alloca_scope {
    func.call @check() : () -> ()
  }
  memref.alloca_scope {
    %work = memref.alloca() : memref<4xf32>
    memref.copy %work, %x : memref<4xf32> to memref<4xf32>
  }
  return
}
