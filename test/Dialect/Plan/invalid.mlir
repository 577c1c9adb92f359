// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What a plan cannot hold.

sparseconv_plan.func @other {
  // expected-error @+1 {{'memref.alloc' op is not part of a plan}}
  %0 = memref.alloc() : memref<8xf32>
}

// -----

sparseconv_plan.func @float {
  // expected-error @+1 {{'arith.constant' op is not part of a plan}}
  %0 = arith.constant 1.0 : f32
}

// -----

sparseconv_plan.func @size(){
// expected-error @-1 {{expected '{' to begin a region}}
}

// -----

// expected-error @+1 {{attribute 'streams' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 16}}
sparseconv_plan.func @streams streams(17) {
}

// -----

// expected-error @+1 {{expected pairs of a name and a place in 'op_table'}}
sparseconv_plan.func @table attributes {op_table = ["sparseconv.pack"]} {
}

// -----

sparseconv_plan.func @input {
  // expected-error @+1 {{expected 1 sizes, one for each dynamic dimension of 'memref<?x4xf32>', but found 0}}
  %x = input "x" : memref<?x4xf32>
}

// -----

sparseconv_plan.func @output {
  %n = slot "n"
  %c = arith.constant 8 : index
  // expected-error @+1 {{expected 2 sizes, one for each dynamic dimension of 'memref<?x?xf32>', but found 1}}
  %y = output "y"(%c, %c) sizes(%n) : memref<?x?xf32>
}

// -----

sparseconv_plan.func @output {
  %n = slot "n"
  %c = arith.constant 8 : index
  // expected-error @+1 {{expected 0 capacities, one for each dynamic dimension of 'memref<4xf32>', but found 1}}
  %y = output "y"(%c) sizes(%n) : memref<4xf32>
}

// -----

sparseconv_plan.func @buffer {
  // expected-error @+1 {{expected 1 sizes, one for each dynamic dimension of 'memref<?xf32>', but found 0}}
  %x = buffer : memref<?xf32>
}

// -----

sparseconv_plan.func @address {
  %n = slot "n"
  %c = arith.constant 8 : index
  // expected-error @+1 {{expected a buffer, an input or an output}}
  %x = address %n plus %c : memref<1xindex>
}

// -----

sparseconv_plan.func @capacity {
  %x = buffer : memref<8xf32>
  // expected-error @+1 {{expected an input of the function}}
  %c = capacity %x, 0 : memref<8xf32>
}

// -----

sparseconv_plan.func @capacity {
  %x = input "x" : memref<8xf32>
  // expected-error @+1 {{dimension 0 of 'memref<8xf32>' is static}}
  %c = capacity %x, 0 : memref<8xf32>
}

// -----

sparseconv_plan.func @capacity {
  %x = input "x" : memref<8xf32>
  // expected-error @+1 {{dimension 1 of 'memref<8xf32>' does not exist}}
  %c = capacity %x, 1 : memref<8xf32>
}

// -----

gpu.binary @kernels [#gpu.object<#nvvm.target, "">]
sparseconv_plan.func @grid {
  %c = arith.constant 8 : index
  // expected-error @+1 {{expected a grid of one or two sizes, but found 3}}
  %0 = launch @kernels::@any grid(%c, %c, %c) block(32) args()
}

// -----

gpu.binary @kernels [#gpu.object<#nvvm.target, "">]
sparseconv_plan.func @block {
  %c = arith.constant 8 : index
  // expected-error @+1 {{attribute 'block' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 1024}}
  %0 = launch @kernels::@any grid(%c) block(2048) args()
}

// -----

gpu.binary @kernels [#gpu.object<#nvvm.target, "">]
sparseconv_plan.func @stream streams(2) {
  %c = arith.constant 8 : index
  // expected-error @+1 {{stream 2 of a function with 2 streams}}
  %0 = launch @kernels::@any grid(%c) block(32) args() stream(2)
}

// -----

gpu.binary @kernels [#gpu.object<#nvvm.target, "">]
sparseconv_plan.func @op attributes {op_table = [["sparseconv.pack", ""]]} {
  %c = arith.constant 8 : index
  // expected-error @+1 {{operation 1 of a function that lists 1 operations}}
  %0 = launch @kernels::@any grid(%c) block(32) args() op(1)
}

// -----

gpu.binary @kernels [#gpu.object<#nvvm.target, "">]
sparseconv_plan.func @module {
  %c = arith.constant 8 : index
  // expected-error @+1 {{expected a kernel in a module, but found @kernels}}
  %0 = launch @kernels grid(%c) block(32) args()
}

// -----

gpu.module @kernels {
}
sparseconv_plan.func @missing {
  %c = arith.constant 8 : index
  // expected-error @+1 {{there is no kernel @kernels::@any}}
  %0 = launch @kernels::@any grid(%c) block(32) args()
}

// -----

gpu.module @kernels {
  gpu.func @any(%x: memref<8xf32>) kernel {
    gpu.return
  }
}
sparseconv_plan.func @arguments {
  %c = arith.constant 8 : index
  // expected-error @+1 {{kernel @kernels::@any takes 1 arguments, but found 0}}
  %0 = launch @kernels::@any grid(%c) block(32) args()
}

// -----

func.func @outside() {
  // expected-error @+1 {{expects parent op 'sparseconv_plan.func'}}
  %n = sparseconv_plan.slot "n"
  return
}

// -----

sparseconv_plan.func @growable attributes {op_table = [["sparseconv.expand", ""]]} {
  %c = arith.constant 8 : index
  %limit = slot "limit"
  // expected-error @+1 {{operation 1 of a function that lists 1 operations}}
  %rows = growable_capacity %limit from %c at_most %c op(1)
}

// -----

sparseconv_plan.func @growable attributes {op_table = [["sparseconv.expand", ""]]} {
  %c = arith.constant 8 : index
  %limit = buffer : memref<1xindex>
  // expected-error @+1 {{expected a slot of its own}}
  %rows = growable_capacity %limit from %c at_most %c op(0)
}

// -----

sparseconv_plan.func @growable attributes {op_table = [["sparseconv.expand", ""]]} {
  %c = arith.constant 8 : index
  %limit = slot "limit"
  // expected-error @+1 {{expected a slot of its own, but 'sparseconv_plan.output' has it, too}}
  %rows = growable_capacity %limit from %c at_most %c op(0)
  %y = output "y"(%rows) sizes(%limit) : memref<?x4xf32>
}

// -----

sparseconv_plan.func @growable attributes {op_table = [["sparseconv.expand", ""]]} {
  %c = arith.constant 8 : index
  %limit = slot "limit"
  // expected-error @+1 {{expected a slot of its own, but 'sparseconv_plan.growable_capacity' has it, too}}
  %rows = growable_capacity %limit from %c at_most %c op(0)
  %other = growable_capacity %limit from %c at_most %c op(0)
}

// -----

gpu.module @kernels {
  gpu.func @any(%a: memref<?x4xf32>) kernel {
    gpu.return
  }
}
sparseconv_plan.func @preparation {
  %c = arith.constant 8 : index
  %rows = slot "rows"
  %x = output "x"(%c) sizes(%rows) : memref<?x4xf32>
  // expected-error @+1 {{prepares, but uses memory other than constants, inputs, slots, the status record and prepared buffers}}
  %0 = launch @kernels::@any grid(%c) block(32) args(%x : memref<?x4xf32>) prepares
}

// -----

gpu.module @kernels {
  gpu.func @any() kernel {
    gpu.return
  }
}
sparseconv_plan.func @preparation streams(2) {
  %c = arith.constant 8 : index
  %0 = launch @kernels::@any grid(%c) block(32) args()
  // expected-error @+1 {{prepares, but waits for a launch that does not}}
  %1 = launch @kernels::@any grid(%c) block(32) args() stream(1) after(%0) prepares
}

// -----

sparseconv_plan.func @exact_size {
  %c = arith.constant 8 : index
  %count = buffer : memref<1xindex>
  // expected-error @+1 {{expected a slot}}
  %rows = exact_size %count at_most %c
}

// -----

gpu.module @kernels {
  gpu.func @any() kernel {
    gpu.return
  }
}
sparseconv_plan.func @counts streams(2) {
  %c = arith.constant 8 : index
  %0 = launch @kernels::@any grid(%c) block(32) args()
  // expected-error @+1 {{counts, but waits for a launch that does not}}
  %1 = launch @kernels::@any grid(%c) block(32) args() stream(1) after(%0) counts
}

// -----

sparseconv_plan.func @input {
  %size = buffer : memref<1xindex>
  // expected-error @+1 {{expected size 0 to be a slot}}
  %x = input "x" sizes(%size) : memref<?x4xf32>
}

// -----

sparseconv_plan.func @output {
  %c = arith.constant 8 : index
  %size = buffer : memref<1xindex>
  // expected-error @+1 {{expected size 0 to be a slot}}
  %y = output "y"(%c) sizes(%size) : memref<?x4xf32>
}
