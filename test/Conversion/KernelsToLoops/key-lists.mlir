// RUN: sparseconv-opt %s -convert-sparseconv-kernels-to-loops -canonicalize -split-input-file | FileCheck %s

// The declaration is shared; the pointer of a slice includes its offset.

// CHECK:         func.func private @sparseconv_cpu_sort_u64(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-NOT:     func.func private
// CHECK-LABEL: func.func @sort
// CHECK-SAME:      (%[[KEYS:.*]]: memref<?xi64>, %[[SORTED:.*]]: memref<?xi64>, %[[PERMUTATION:.*]]: memref<?xi32>)
// CHECK-DAG:     %[[BITS:.*]] = arith.constant 50 : i64
// CHECK:         memref.extract_aligned_pointer_as_index %[[KEYS]]
// CHECK-NOT:     memref.extract_strided_metadata
// CHECK:         memref.extract_aligned_pointer_as_index %[[SORTED]]
// CHECK:         memref.extract_aligned_pointer_as_index %[[PERMUTATION]]
// CHECK:         call @sparseconv_cpu_sort_u64(%{{.*}}, %[[BITS]])
func.func @sort(%keys: memref<?xi64>, %sorted: memref<?xi64>,
                %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi64>)
      outs(%sorted, %permutation : memref<?xi64>, memref<?xi32>)
      {fields = array<i64: 50>}
  return
}

// CHECK-LABEL: func.func @sort_slice
// CHECK-SAME:      (%[[KEYS:[^:]*]]:
// CHECK-DAG:     %[[SIZE:.*]] = arith.constant 8 : i64
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[KEYS]]
// CHECK:         %[[PLACES:.*]] = arith.index_cast %[[OFFSET]] : index to i64
// CHECK:         arith.muli %[[PLACES]], %[[SIZE]]
// CHECK:         call @sparseconv_cpu_sort_u64
func.func @sort_slice(%keys: memref<?xi64, strided<[1], offset: ?>>,
                      %sorted: memref<?xi64>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi64, strided<[1], offset: ?>>)
      outs(%sorted, %permutation : memref<?xi64>, memref<?xi32>)
      {fields = array<i64: 50>}
  return
}

// -----

// CHECK:         func.func private @sparseconv_cpu_sort_u32
// CHECK-LABEL: func.func @sort_narrow
// CHECK:         call @sparseconv_cpu_sort_u32
func.func @sort_narrow(%keys: memref<?xi32>, %sorted: memref<?xi32>,
                       %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi32>)
      outs(%sorted, %permutation : memref<?xi32>, memref<?xi32>)
      {fields = array<i64: 30>}
  return
}

// -----

// CHECK-LABEL: func.func @unique
// CHECK-SAME:      (%[[SORTED:.*]]: memref<?xi64>, %{{.*}}: memref<?xi32>, %[[STATUS:.*]]: memref<8xi64>, %[[KEYS:[^:]*]]: memref<?xi64>
// CHECK-DAG:     %[[CAPACITY:.*]] = arith.constant 5000 : index
// CHECK-DAG:     %[[CODE:.*]] = arith.constant 4 : i64
// CHECK:         %[[COUNTS:.*]] = memref.alloc
// CHECK:         scf.parallel
// CHECK-NOT:       memref.store %{{.*}}, %[[KEYS]]
// CHECK:           memref.store %{{.*}}, %[[COUNTS]]
// CHECK:         %[[TOTAL:.*]] = scf.for
// CHECK:         %[[FITS:.*]] = arith.cmpi sle, %[[TOTAL]], %[[CAPACITY]]
// CHECK:         memref.store %[[CODE]], %[[STATUS]]
// CHECK:         scf.if %[[FITS]]
// CHECK:           scf.parallel
// CHECK:             memref.store %{{.*}}, %[[KEYS]]
func.func @unique(%sorted: memref<?xi64>, %permutation: memref<?xi32>,
                  %status: memref<8xi64>, %keys: memref<?xi64>,
                  %order: memref<?xi32>, %row_of: memref<?xi32>,
                  %count: memref<1xindex>) {
  sparseconv.kernel.unique
      ins(%sorted, %permutation, %status
          : memref<?xi64>, memref<?xi32>, memref<8xi64>)
      outs(%keys, %order, %row_of, %count
           : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {capacity = 5000 : i64, op_id = 3 : i64}
  return
}

// -----

// The limit of row indices is reported as such, not as a capacity.

// CHECK-LABEL: func.func @unique_of_any_size
// CHECK-SAME:      %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK-DAG:     %[[LIMIT:.*]] = arith.constant 2147483646 : index
// CHECK-DAG:     %[[CODE:.*]] = arith.constant 3 : i64
// CHECK:         arith.cmpi sle, %{{.*}}, %[[LIMIT]]
// CHECK:         memref.store %[[CODE]], %[[STATUS]]
func.func @unique_of_any_size(%sorted: memref<?xi64>,
                              %permutation: memref<?xi32>,
                              %status: memref<8xi64>, %keys: memref<?xi64>,
                              %order: memref<?xi32>, %row_of: memref<?xi32>,
                              %count: memref<1xindex>) {
  sparseconv.kernel.unique
      ins(%sorted, %permutation, %status
          : memref<?xi64>, memref<?xi32>, memref<8xi64>)
      outs(%keys, %order, %row_of, %count
           : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {capacity = 2147483646 : i64, op_id = 3 : i64}
  return
}

// -----

// CHECK-LABEL: func.func @select
// CHECK-SAME:      (%[[KEYS:.*]]: memref<?xi64>, %[[MASK:.*]]: memref<?xi1>,
// CHECK-DAG:     %[[ROWS:.*]] = memref.dim %[[KEYS]]
// CHECK-DAG:     %[[LENGTH:.*]] = memref.dim %[[MASK]]
// CHECK:         %[[SAME:.*]] = arith.cmpi eq, %[[ROWS]], %[[LENGTH]]
// CHECK:         scf.if %[[SAME]]
// CHECK-COUNT-2:   scf.parallel
// CHECK:         } else {
func.func @select(%keys: memref<?xi64>, %mask: memref<?xi1>,
                  %status: memref<8xi64>, %kept: memref<?xi64>,
                  %rows: memref<?xi32>, %count: memref<1xindex>) {
  sparseconv.kernel.select
      ins(%keys, %mask, %status : memref<?xi64>, memref<?xi1>, memref<8xi64>)
      outs(%kept, %rows, %count
           : memref<?xi64>, memref<?xi32>, memref<1xindex>) {op_id = 3 : i64}
  return
}

// -----

// One search for the first row of a block, then both lists are walked.

// CHECK-LABEL: func.func @intersect
// CHECK-COUNT-2: scf.parallel
// CHECK:           scf.while
// CHECK:           scf.for
// CHECK:             scf.while
// CHECK:               arith.cmpi ult
func.func @intersect(%lhs: memref<?xi64>, %rhs: memref<?xi64>,
                     %keys: memref<?xi64>, %lhs_rows: memref<?xi32>,
                     %rhs_rows: memref<?xi32>, %count: memref<1xindex>) {
  sparseconv.kernel.intersect
      ins(%lhs, %rhs : memref<?xi64>, memref<?xi64>)
      outs(%keys, %lhs_rows, %rhs_rows, %count
           : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
  return
}
