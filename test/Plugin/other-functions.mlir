// REQUIRES: plugin
// DEFINE: %{convert} = sparseconv-select-indexing,convert-sparseconv-to-kernels,sparseconv-report-errors
// RUN: %plugin_opt %s --pass-pipeline='builtin.module(%{convert})' -o %t.converted
// RUN: FileCheck %s < %t.converted

// Of five functions one uses the dialect. The other four come out as they were, byte
// for byte: attributes, operations of any dialect, and locations.
// RUN: %plugin_opt %s --mlir-print-debuginfo --mlir-print-local-scope | %python %S/Inputs/print_function.py sum scale entry graph > %t.before
// RUN: %plugin_opt %s --pass-pipeline='builtin.module(%{convert})' --mlir-print-debuginfo --mlir-print-local-scope | %python %S/Inputs/print_function.py sum scale entry graph > %t.after
// RUN: FileCheck %s --check-prefix=FOUR < %t.before
// RUN: diff %t.before %t.after
// FOUR-COUNT-4: {{(func|ml_program)[.]func}}

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

// CHECK-LABEL: func.func @order(
// CHECK-SAME:    %[[P:[^:]*]]: tensor<?x4xi32>
// CHECK:         %[[STATUS:.*]] = memref.alloca() : memref<8xi64>
// CHECK:         sparseconv.kernel.encode {{.*}}%[[STATUS]]
// CHECK:         %[[CODE:.*]] = memref.load %[[STATUS]]
// CHECK:         %[[OK:.*]] = arith.cmpi eq, %[[CODE]], %c0
// CHECK:         cf.assert %[[OK]]
// CHECK-NEXT:    return
func.func @order(%p: tensor<?x4xi32>) -> tensor<?xi32> {
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !set
  return %order : tensor<?xi32>
}

func.func private @sum(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {host.inline = "never"} {
  %z = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}

func.func @scale(%x: tensor<4xf32> {host.name = "x"}, %f: f32) -> (tensor<4xf32> {host.name = "y"}) {
  %s = tensor.splat %f : tensor<4xf32>
  %y = arith.mulf %x, %s : tensor<4xf32>
  return %y : tensor<4xf32>
}

// Who calls the one function that has changed does not notice.
func.func @entry(%p: tensor<?x4xi32>) -> tensor<?xi32> {
  %order = call @order(%p) : (tensor<?x4xi32>) -> tensor<?xi32>
  return %order : tensor<?xi32>
}

ml_program.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  ml_program.return %y : tensor<4xf32>
}
func.func private @twice(tensor<4xf32>) -> tensor<4xf32>
