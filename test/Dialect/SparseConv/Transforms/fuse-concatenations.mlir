// RUN: sparseconv-opt %s --sparseconv-fuse-concatenations --canonicalize | FileCheck %s

// The decoder of a U-Net sets the features that came up beside a skip. An
// implicit GEMM gathers from both, and nothing puts them side by side.

#tiling = #sparseconv.gemm_tiling<ring64, warps = 12, tile_k = 128, tile_n = 96, stages = 6>
#narrow = #sparseconv.gemm_tiling<warp16, tile_k = 16, tile_n = 96>

// The operands of the epilogue stay behind what is beside x. Both readers change.
// CHECK-LABEL: func.func @skip(
// CHECK-SAME:    %[[X:.*]]: tensor<9x96xf16>, %[[SKIP:.*]]: tensor<9x32xf16>, %[[BIAS:.*]]: tensor<96xf16>
// CHECK-NOT:     tensor.concat
// CHECK:         tiled_gemm ins(%[[X]], {{.*}}, %[[SKIP]], %[[BIAS]] : tensor<9x96xf16>, {{.*}}, tensor<9x32xf16>, tensor<96xf16>)
// CHECK:         tiled_gemm ins(%[[X]], {{.*}}, %[[SKIP]] : tensor<9x96xf16>, {{.*}}, tensor<3xindex>, tensor<9x32xf16>)
func.func @skip(%x: tensor<9x96xf16>, %skip: tensor<9x32xf16>, %bias: tensor<96xf16>, %image: tensor<663552xi8>,
                %table: tensor<27x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                %y: tensor<9x96xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) -> (tensor<9x96xf16>, tensor<9x96xf16>) {
  %both = tensor.concat dim(1) %x, %skip : (tensor<9x96xf16>, tensor<9x32xf16>) -> tensor<9x128xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%both, %image, %table, %order, %masks, %sizes, %bias
          : tensor<9x128xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<96xf16>)
      outs(%y, %s, %c : tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling} epilogue {
  ^bb0(%sum: f32, %b: f16):
    sparseconv.yield %sum : f32
  } -> (tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>)
  %q:3 = sparseconv.kernel.tiled_gemm
      ins(%both, %image, %table, %order, %masks, %sizes
          : tensor<9x128xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %s, %c : tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling}
      -> (tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0, %q#0 : tensor<9x96xf16>, tensor<9x96xf16>
}

// What something else reads has to be there anyway.
// CHECK-LABEL: func.func @other_reader(
// CHECK:         %[[BOTH:.*]] = tensor.concat
// CHECK:         tiled_gemm ins(%[[BOTH]],
func.func @other_reader(%x: tensor<9x96xf16>, %skip: tensor<9x32xf16>, %image: tensor<663552xi8>,
                        %table: tensor<27x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                        %y: tensor<9x96xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) -> (tensor<9x96xf16>, tensor<9x128xf16>) {
  %both = tensor.concat dim(1) %x, %skip : (tensor<9x96xf16>, tensor<9x32xf16>) -> tensor<9x128xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%both, %image, %table, %order, %masks, %sizes
          : tensor<9x128xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %s, %c : tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling}
      -> (tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0, %both : tensor<9x96xf16>, tensor<9x128xf16>
}

// A row is gathered in pieces of 64 bytes, which tile_k = 16 halves; and numbers
// of rows that may differ are another operation's mistake to report.
// CHECK-LABEL: func.func @pieces(
// CHECK:         %[[BOTH:.*]] = tensor.concat
// CHECK:         tiled_gemm ins(%[[BOTH]],
func.func @pieces(%x: tensor<9x96xf16>, %skip: tensor<9x32xf16>, %image: tensor<663552xi8>,
                  %table: tensor<27x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                  %y: tensor<9x96xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) -> tensor<9x96xf16> {
  %both = tensor.concat dim(1) %x, %skip : (tensor<9x96xf16>, tensor<9x32xf16>) -> tensor<9x128xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%both, %image, %table, %order, %masks, %sizes
          : tensor<9x128xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %s, %c : tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #narrow}
      -> (tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0 : tensor<9x96xf16>
}

// CHECK-LABEL: func.func @rows(
// CHECK:         %[[BOTH:.*]] = tensor.concat
// CHECK:         tiled_gemm ins(%[[BOTH]],
func.func @rows(%x: tensor<?x96xf16>, %skip: tensor<?x32xf16>, %image: tensor<663552xi8>,
                %table: tensor<27x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                %y: tensor<?x96xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) -> tensor<?x96xf16> {
  %both = tensor.concat dim(1) %x, %skip : (tensor<?x96xf16>, tensor<?x32xf16>) -> tensor<?x128xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%both, %image, %table, %order, %masks, %sizes
          : tensor<?x128xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %s, %c : tensor<?x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling}
      -> (tensor<?x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0 : tensor<?x96xf16>
}

// Groups see parts of one row.
// CHECK-LABEL: func.func @groups(
// CHECK:         %[[BOTH:.*]] = tensor.concat
// CHECK:         tiled_gemm ins(%[[BOTH]],
func.func @groups(%x: tensor<9x96xf16>, %skip: tensor<9x32xf16>, %image: tensor<663552xi8>,
                  %table: tensor<27x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                  %y: tensor<9x96xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) -> tensor<9x96xf16> {
  %both = tensor.concat dim(1) %x, %skip : (tensor<9x96xf16>, tensor<9x32xf16>) -> tensor<9x128xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%both, %image, %table, %order, %masks, %sizes
          : tensor<9x128xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %s, %c : tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>) {groups = 2 : i64, tiling = #tiling}
      -> (tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0 : tensor<9x96xf16>
}

// A GEMM gathers from two tensors, not from three.
// CHECK-LABEL: func.func @beside_another(
// CHECK:         %[[BOTH:.*]] = tensor.concat
// CHECK:         tiled_gemm ins(%{{[^,]*}}, {{.*}}, %[[BOTH]] :
func.func @beside_another(%x: tensor<9x32xf16>, %skip: tensor<9x64xf16>, %image: tensor<663552xi8>,
                          %table: tensor<27x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                          %y: tensor<9x96xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) -> tensor<9x96xf16> {
  %both = tensor.concat dim(1) %x, %skip : (tensor<9x32xf16>, tensor<9x64xf16>) -> tensor<9x96xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %both
          : tensor<9x32xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<9x96xf16>)
      outs(%y, %s, %c : tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling}
      -> (tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0 : tensor<9x96xf16>
}

// What an epilogue reads is another operand.
// CHECK-LABEL: func.func @shortcut(
// CHECK:         %[[BOTH:.*]] = tensor.concat
// CHECK:         tiled_gemm ins(%{{[^,]*}}, {{.*}}, %[[BOTH]] :
func.func @shortcut(%x: tensor<9x128xf16>, %left: tensor<9x64xf16>, %right: tensor<9x32xf16>, %image: tensor<663552xi8>,
                    %table: tensor<27x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                    %y: tensor<9x96xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>) -> tensor<9x96xf16> {
  %both = tensor.concat dim(1) %left, %right : (tensor<9x64xf16>, tensor<9x32xf16>) -> tensor<9x96xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %both
          : tensor<9x128xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<9x96xf16>)
      outs(%y, %s, %c : tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling} epilogue {
  ^bb0(%sum: f32, %row: f16):
    %wide = arith.extf %row : f16 to f32
    %total = arith.addf %sum, %wide : f32
    sparseconv.yield %total : f32
  } -> (tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0 : tensor<9x96xf16>
}

// Rows one behind the other are no channels, and three inputs are one too many.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: tensor.concat
// CHECK:         return
func.func @others(%x: tensor<9x32xf16>, %image: tensor<663552xi8>, %table: tensor<27x?xi32>, %order: tensor<?xi32>,
                  %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %y: tensor<9x96xf16>, %s: tensor<1xf32>,
                  %c: tensor<1xi32>) -> (tensor<9x96xf16>, tensor<9x96xf16>) {
  %tall = tensor.concat dim(0) %x, %x : (tensor<9x32xf16>, tensor<9x32xf16>) -> tensor<18x32xf16>
  %wide = tensor.concat dim(1) %x, %x, %x : (tensor<9x32xf16>, tensor<9x32xf16>, tensor<9x32xf16>) -> tensor<9x96xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%tall, %image, %table, %order, %masks, %sizes
          : tensor<18x32xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %s, %c : tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling}
      -> (tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>)
  %q:3 = sparseconv.kernel.tiled_gemm
      ins(%wide, %image, %table, %order, %masks, %sizes
          : tensor<9x96xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %s, %c : tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling}
      -> (tensor<9x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0, %q#0 : tensor<9x96xf16>, tensor<9x96xf16>
}
