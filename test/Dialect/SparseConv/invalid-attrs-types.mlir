// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of attributes and types refuse, and what they say.

//===----------------------------------------------------------------------===//
// packing
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expects keys of type i32 or i64, but found i48}}
#a = #sparseconv.packing<i48, batch = 8, bits = [10, 10], guard = [1, 1]>

// -----

// expected-error @+1 {{expects keys of type i32 or i64, but found 'ui32'}}
#a = #sparseconv.packing<ui32, batch = 8, bits = [10, 10], guard = [1, 1]>

// -----

// expected-error @+1 {{invalid kind of type specified: expected builtin.integer, but found 'f32'}}
#a = #sparseconv.packing<f32, batch = 8, bits = [10, 10], guard = [1, 1]>

// -----

// expected-error @+1 {{expects 1 to 4 axes, but found 0}}
#a = #sparseconv.packing<i64, batch = 8, bits = [], guard = []>

// -----

// expected-error @+1 {{expects 1 to 4 axes, but found 5}}
#a = #sparseconv.packing<i64, batch = 8, bits = [8, 8, 8, 8, 8], guard = [1, 1, 1, 1, 1]>

// -----

// expected-error @+1 {{expects one guard for each axis: 3 axes have bits, but 2 have a guard}}
#a = #sparseconv.packing<i64, batch = 8, bits = [8, 8, 8], guard = [1, 1]>

// -----

// expected-error @+1 {{expects at most 31 batch bits, but found 32}}
#a = #sparseconv.packing<i64, batch = 32, bits = [8], guard = [1]>

// -----

// expected-error @+1 {{expects 2 to 32 bits on axis 1, but found 1}}
#a = #sparseconv.packing<i64, batch = 8, bits = [8, 1], guard = [1, 1]>

// -----

// expected-error @+1 {{expects 2 to 32 bits on axis 0, but found 33}}
#a = #sparseconv.packing<i64, batch = 8, bits = [33], guard = [1]>

// -----

// Without a guard an offset could carry into the next field.
// expected-error @+1 {{expects a guard of at least 1 on axis 1, but found 0}}
#a = #sparseconv.packing<i64, batch = 8, bits = [8, 8], guard = [1, 0]>

// -----

// expected-error @+1 {{axis 0 holds no coordinate: guard 128 leaves nothing of 8 bits}}
#a = #sparseconv.packing<i64, batch = 8, bits = [8], guard = [128]>

// -----

// expected-error @+1 {{the fields take 33 bits, but a key has 32}}
#a = #sparseconv.packing<i32, batch = 8, bits = [8, 8, 9], guard = [1, 1, 1]>

// -----

//===----------------------------------------------------------------------===//
// box
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expects 1 to 4 axes, but found 5}}
#a = #sparseconv.box<3, 3, 3, 3, 3>

// -----

// expected-error @+1 {{expects 1 to 4 axes, but found 0}}
#a = #sparseconv.box<dilation = [1]>

// -----

// expected-error @+1 {{expects at least one offset on axis 1, but found 0}}
#a = #sparseconv.box<3, 0>

// -----

// expected-error @+1 {{expects one dilation for each of 2 axes, but found 1}}
#a = #sparseconv.box<3, 3, dilation = [1]>

// -----

// expected-error @+1 {{expects a dilation of at least 1 on axis 0, but found 0}}
#a = #sparseconv.box<3, 3, dilation = [0, 1]>

// -----

// expected-error @+1 {{expects a dilation of at most 2^31 on axis 0, but found 4294967296}}
#a = #sparseconv.box<3, dilation = [4294967296]>

// -----

// expected-error @+1 {{expects at most 2^20 offsets, but found 1024 x 1024 x 2}}
#a = #sparseconv.box<1024, 1024, 2>

// -----

// expected-error @+1 {{expects at most 2^20 offsets, but found 9223372036854775807}}
#a = #sparseconv.box<9223372036854775807>

// -----

//===----------------------------------------------------------------------===//
// list
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expects at least one offset of 1 to 4 numbers}}
#a = #sparseconv.list<>

// -----

// expected-error @+1 {{expects at least one offset of 1 to 4 numbers}}
#a = #sparseconv.list<[]>

// -----

// expected-error @+1 {{expects an offset of 0 numbers, but found 1}}
#a = #sparseconv.list<[], [1]>

// -----

// expected-error @+1 {{expects an offset of 2 numbers, but found 1}}
#a = #sparseconv.list<[0, 0], [1]>

// -----

// expected-error @+1 {{expects 1 to 4 axes, but found 5}}
#a = #sparseconv.list<[0, 0, 0, 0, 0]>

// -----

// expected-error @+1 {{the offset [0, 1] is written twice}}
#a = #sparseconv.list<[0, 1], [1, 0], [0, 1]>

// -----

// expected-error @+1 {{expects offsets within 2^31, but found 4294967296}}
#a = #sparseconv.list<[4294967296]>

// -----

//===----------------------------------------------------------------------===//
// region
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expects bounds of equal length, but found 2 and 1}}
#a = #sparseconv.region<[0, 0] to [8]>

// -----

// expected-error @+1 {{axis 1 ends at 3, before it begins at 4}}
#a = #sparseconv.region<[0, 4] to [8, 3]>

// -----

// expected-error @+1 {{expects 1 to 4 axes, but found 5}}
#a = #sparseconv.region<[0, 0, 0, 0, 0] to [1, 1, 1, 1, 1]>

// -----

// expected-error @+1 {{expects bounds of -2^62 to 2^62, but found -9223372036854775808 on axis 0}}
#a = #sparseconv.region<[-9223372036854775808] to [-9223372036854775808]>

// -----

//===----------------------------------------------------------------------===//
// dataflow, tiling
//===----------------------------------------------------------------------===//

// expected-error @+1 {{expects epsilon of 0 to 100 per cent, but found 101}}
#a = #sparseconv.dataflow<grouped, epsilon = 101>

// -----

// expected-error @+1 {{expects s of at least 0, but found -1}}
#a = #sparseconv.dataflow<grouped, s = -1>

// -----

// expected-error @+1 {{expects split_k of 1 to 65536, but found 0}}
#a = #sparseconv.dataflow<output_stationary, split_k = 0>

// -----

// expected-error @+1 {{expects norm of at least 1, but found 0}}
#a = #sparseconv.dataflow<hybrid, norm = 0>

// -----

// expected-error @+1 {{expects rows of 1 to 65536, but found 0}}
#a = #sparseconv.tiling<row_block = 64, rows = 0, columns = 8, lanes = 8>

// -----

// expected-error @+1 {{expects row_block of 1 to 65536, but found 4611686018427387904}}
#t = #sparseconv.tiling<row_block = 4611686018427387904, rows = 6, columns = 8, lanes = 8>

// -----

// expected-error @+1 {{expects lanes of at most 64, but found 128}}
#t = #sparseconv.tiling<row_block = 64, rows = 6, columns = 128, lanes = 128>

// -----

// expected-error @+1 {{expects rows of columns that are at most 1024 vectors, but found 262144}}
#t = #sparseconv.tiling<row_block = 64, rows = 64, columns = 4096, lanes = 1>

// -----

// expected-error @+1 {{expects row_block and columns of at most 16777216 sums, but found 268435456}}
#t = #sparseconv.tiling<row_block = 65536, rows = 1, columns = 4096, lanes = 64>

// -----

// expected-error @+1 {{expects lanes that divide columns, but found 8 and 20}}
#a = #sparseconv.tiling<row_block = 64, rows = 6, columns = 20, lanes = 8>

// -----

//===----------------------------------------------------------------------===//
// coords
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
// expected-error @+1 {{expects 1 to 4 axes, but found 5}}
!t = !sparseconv.coords<5, stride = [1, 1, 1, 1, 1], #p>

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
// expected-error @+1 {{expects 1 to 4 axes, but found 0}}
!t = !sparseconv.coords<0, stride = [1], #p>

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
// expected-error @+1 {{expects a stride for each of 2 axes, but found 1}}
!t = !sparseconv.coords<2, stride = [1], #p>

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
// expected-error @+1 {{expects a packing of 3 axes, but found one of 2}}
!t = !sparseconv.coords<3, stride = [1, 1, 1], #p>

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
// expected-error @+1 {{expects a stride of at least 1 on axis 1, but found 0}}
!t = !sparseconv.coords<2, stride = [1, 0], #p>

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
// expected-error @+1 {{stride 2044 on axis 0 is beyond the packing's largest coordinate 2043}}
!t = !sparseconv.coords<2, stride = [2044, 1], #p>

// -----

//===----------------------------------------------------------------------===//
// kernel_map
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
// expected-error @+1 {{expects at least one offset, but found 0}}
!t = !sparseconv.kernel_map<0, !fine to !fine>

// -----

// Sides of another dimension have another packing, too.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
#q = #sparseconv.packing<i32, batch = 2, bits = [12], guard = [4]>
!line = !sparseconv.coords<1, stride = [1], #q>
// expected-error @+1 {{expects sides of one packing, but found}}
!t = !sparseconv.kernel_map<9, !fine to !line>

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
#q = #sparseconv.packing<i64, batch = 2, bits = [12, 12], guard = [4, 4]>
!wide = !sparseconv.coords<2, stride = [1, 1], #q>
// expected-error @+1 {{expects sides of one packing, but found}}
!t = !sparseconv.kernel_map<9, !fine to !wide>

// -----

// expected-error @+1 {{expects warps of 1 to 65536, but found 0}}
#tiling = #sparseconv.gemm_tiling<ring64, warps = 0>

// -----

// expected-error @+1 {{expects stages of 1 to 65536, but found 1152921504606846976}}
#tiling = #sparseconv.gemm_tiling<ring64, stages = 1152921504606846976>

// -----

// expected-error @+1 {{expects slices of 1 to 65536, but found 0}}
#tiling = #sparseconv.weight_grad_tiling<mma, slices = 0>

// -----

// expected-error @+1 {{expected 'half'}}
#search = #sparseconv.search<hash, quarter>
