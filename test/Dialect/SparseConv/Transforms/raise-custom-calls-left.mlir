// RUN: sparseconv-opt %s --allow-unregistered-dialect --sparseconv-raise-custom-calls --split-input-file --verify-diagnostics | FileCheck %s

// A call that is not understood stays as it was, and one remark says why.

// CHECK-NOT:     sparseconv.pack
// CHECK-LABEL: func.func @unknown_name(
// CHECK-NEXT:    "stablehlo.custom_call"
func.func @unknown_name(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{left as it is: there is no 'sparseconv.attention', but pack, downsample, upsample, expand, conv, input_grad, weight_grad, pool, pool_grad, unpool, global_pool, global_pool_grad, gather, scatter, voxelise, devoxelise, to_dense, from_dense}}
  %y = "stablehlo.custom_call"(%x) <{call_target_name = "sparseconv.attention"}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @wrong_number_of_operands(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{left as it is: 'sparseconv.conv' takes (coordinates, out_coordinates, x, w), which are 4 values and not 2}}
  %y = "stablehlo.custom_call"(%points, %x) <{call_target_name = "sparseconv.conv"}>
      : (tensor<?x4xi32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @wrong_number_of_results(%x: tensor<?x4xf32>, %rows: tensor<?xi32>) {
  // expected-remark@+1 {{left as it is: 'sparseconv.gather' gives (y), which are 1 values and not 0}}
  "stablehlo.custom_call"(%x, %rows) <{call_target_name = "sparseconv.gather"}> : (tensor<?x4xf32>, tensor<?xi32>) -> ()
  return
}

// -----

func.func @unknown_attribute(%points: tensor<?x4xi32>) -> (tensor<?x4xi32>, tensor<?xi32>, tensor<?xi32>) {
  // expected-remark@+1 {{left as it is: 'sparseconv.pack' has no attribute 'padding', but bits, guard, stride = 1, key_width = 64, clip = none}}
  %0:3 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.pack", backend_config = {padding = 1}}>
      : (tensor<?x4xi32>) -> (tensor<?x4xi32>, tensor<?xi32>, tensor<?xi32>)
  return %0#0, %0#1, %0#2 : tensor<?x4xi32>, tensor<?xi32>, tensor<?xi32>
}

// -----

func.func @missing_attribute(%points: tensor<?x4xi32>) -> tensor<?x4xi32> {
  // expected-remark@+1 {{left as it is: the attribute 'guard' is missing}}
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.downsample", backend_config = {by = 2, bits = [8, 20, 20, 16]}}>
      : (tensor<?x4xi32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// -----

func.func @attribute_twice(%points: tensor<?x4xi32>) -> tensor<?x4xi32> {
  // expected-remark@+1 {{left as it is: it has the attribute 'by' twice}}
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.downsample", backend_config = {by = 2}}> {mhlo.backend_config = {by = 4}}
      : (tensor<?x4xi32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// -----

func.func @opaque_attributes(%points: tensor<?x4xi32>) -> tensor<?x4xi32> {
  // expected-remark@+1 {{left as it is: 'backend_config' is no dictionary}}
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.downsample", backend_config = "{by: 2}"}>
      : (tensor<?x4xi32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// -----

func.func @wrong_attributes(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>) -> (tensor<?x4xi32>, tensor<?x4xi32>, tensor<2x4xf32>) {
  // expected-remark@+1 {{left as it is: 'bits' has 3 numbers, where one or 4 are expected}}
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.downsample", backend_config = {by = 2, bits = [8, 16, 16], guard = 1}}>
      : (tensor<?x4xi32>) -> tensor<?x4xi32>
  // expected-remark@+1 {{left as it is: 'guard' is no list of integers: "one"}}
  %1 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.downsample", backend_config = {by = 2, bits = [8, 16, 16, 16], guard = "one"}}>
      : (tensor<?x4xi32>) -> tensor<?x4xi32>
  // expected-remark@+1 {{left as it is: 'kind' does not take "median"}}
  %2 = "stablehlo.custom_call"(%points, %x) <{
      call_target_name = "sparseconv.global_pool", backend_config = {kind = "median", bits = [8, 16, 16, 16], guard = 1}}>
      : (tensor<?x4xi32>, tensor<?x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<?x4xi32>, tensor<?x4xi32>, tensor<2x4xf32>
}

// -----

// What the types and the operations of the dialect refuse is refused here.

// CHECK-LABEL: func.func @refused(
// CHECK-NEXT:    "stablehlo.custom_call"
// CHECK-NEXT:    "stablehlo.custom_call"
// CHECK-NEXT:    "stablehlo.custom_call"
// CHECK-NEXT:    "stablehlo.custom_call"
// CHECK-NEXT:    return
func.func @refused(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w: tensor<27x8x8xf32>, %v: tensor<125x4x4xf32>)
    -> (tensor<?x4xi32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x4xi32>) {
  // expected-remark@+1 {{left as it is: the fields take 68 bits, but a key has 64}}
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.downsample", backend_config = {by = 2, bits = [8, 20, 20, 20], guard = 1}}>
      : (tensor<?x4xi32>) -> tensor<?x4xi32>
  // expected-remark@+1 {{left as it is: 'sparseconv.conv' op expects}}
  %1 = "stablehlo.custom_call"(%points, %points, %x, %w) <{
      call_target_name = "sparseconv.conv", backend_config = {kernel_size = 3, bits = [8, 16, 16, 16], guard = 1}}>
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xf32>, tensor<27x8x8xf32>) -> tensor<?x8xf32>
  // expected-remark@+1 {{left as it is: 'sparseconv.kernel_map' op}}
  %2 = "stablehlo.custom_call"(%points, %points, %x, %v) <{
      call_target_name = "sparseconv.conv", backend_config = {kernel_size = 5, bits = [8, 16, 16, 16], guard = 1}}>
      : (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xf32>, tensor<125x4x4xf32>) -> tensor<?x4xf32>
  // expected-remark@+1 {{left as it is: a stride of 1 cannot be divided by 2}}
  %3 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.upsample", backend_config = {by = 2, bits = [8, 16, 16, 16], guard = 1}}>
      : (tensor<?x4xi32>) -> tensor<?x4xi32>
  return %0, %1, %2, %3 : tensor<?x4xi32>, tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x4xi32>
}

// -----

func.func @wrong_operand(%points: tensor<?x4xi64>, %x: tensor<*xf32>) -> (tensor<?x4xi64>, tensor<?x4xf32>) {
  // expected-remark@+1 {{left as it is: 'coordinates' is 'tensor<?x4xi64>', where a tensor of i32 with 1 to 4 axes behind the batch index is expected}}
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.downsample", backend_config = {by = 2, bits = [8, 16, 16, 16], guard = 1}}>
      : (tensor<?x4xi64>) -> tensor<?x4xi64>
  // expected-remark@+1 {{left as it is: 'x' is no tensor of known rank, but 'tensor<*xf32>'}}
  %1 = "stablehlo.custom_call"(%x, %points) <{call_target_name = "sparseconv.gather"}>
      : (tensor<*xf32>, tensor<?x4xi64>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xi64>, tensor<?x4xf32>
}

// -----

// Only the run knows how many coordinates a coarser set has.

func.func @static_result(%points: tensor<100x4xi32>) -> tensor<100x4xi32> {
  // expected-remark@+1 {{left as it is: 'out_coordinates' is 'tensor<100x4xi32>', where the operands give 'tensor<?x4xi32>'}}
  %0 = "stablehlo.custom_call"(%points) <{
      call_target_name = "sparseconv.downsample", backend_config = {by = 2, bits = [8, 16, 16, 16], guard = 1}}>
      : (tensor<100x4xi32>) -> tensor<100x4xi32>
  return %0 : tensor<100x4xi32>
}

// -----

func.func @side_effects(%x: tensor<?x4xf32>, %rows: tensor<?xi32>) -> tensor<?x4xf32> {
  // expected-remark@+1 {{left as it is: it has side effects, which no operation of sparseconv has}}
  %y = "stablehlo.custom_call"(%x, %rows) <{call_target_name = "sparseconv.gather", has_side_effect = true}>
      : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// An attribute of a torch operator that is computed is none that can be compiled in.

func.func @computed(%points: !torch.vtensor<[?,4],si32>, %by: !torch.int) -> !torch.vtensor<[?,4],si32> {
  // expected-remark@+1 {{left as it is: 'by' is no constant, and has to be one}}
  %y = "torch.operator"(%points, %by) <{name = "torch.sparseconv.downsample"}>
      : (!torch.vtensor<[?,4],si32>, !torch.int) -> !torch.vtensor<[?,4],si32>
  return %y : !torch.vtensor<[?,4],si32>
}

// -----

func.func @torch_type(%points: !torch.vtensor, %x: !torch.vtensor<[?,4],f32>) -> !torch.vtensor<[?,4],f32> {
  // expected-remark@+1 {{left as it is: 'rows' is no tensor of known rank, but '!torch.vtensor'}}
  %y = "torch.operator"(%x, %points) <{name = "torch.sparseconv.gather"}>
      : (!torch.vtensor<[?,4],f32>, !torch.vtensor) -> !torch.vtensor<[?,4],f32>
  return %y : !torch.vtensor<[?,4],f32>
}

// -----

// A list of lists is none of numbers, not even where lists are elements of each other.

%0 = "torch.prim.ListConstruct"(%1) : (!torch.list<int>) -> !torch.list<int>
%1 = "torch.prim.ListConstruct"(%0) : (!torch.list<int>) -> !torch.list<int>
%points = "test.points"() : () -> !torch.vtensor<[?,4],si32>
// expected-remark@+1 {{left as it is: 'by' is no constant, and has to be one}}
%y = "torch.operator"(%points, %0) <{name = "torch.sparseconv.downsample"}>
    : (!torch.vtensor<[?,4],si32>, !torch.list<int>) -> !torch.vtensor<[?,4],si32>

// -----

// Types of torch-mlir whose text is none of a tensor that we know.

func.func @torch_types(%a: !torch.vtensor<[4,-3],f32>, %b: !torch.vtensor<[?,4],unk>,
                       %c: !torch.vtensor<[99999999999999999999,4],f32>, %rows: !torch.vtensor<[?],si32>) {
  // expected-remark@+1 {{left as it is: 'x' is no tensor of known rank, but '!torch.vtensor<[4,-3],f32>'}}
  %0 = "torch.operator"(%a, %rows) <{name = "torch.sparseconv.gather"}>
      : (!torch.vtensor<[4,-3],f32>, !torch.vtensor<[?],si32>) -> !torch.vtensor<[?,4],f32>
  // expected-remark@+1 {{left as it is: 'x' is no tensor of known rank, but '!torch.vtensor<[?,4],unk>'}}
  %1 = "torch.operator"(%b, %rows) <{name = "torch.sparseconv.gather"}>
      : (!torch.vtensor<[?,4],unk>, !torch.vtensor<[?],si32>) -> !torch.vtensor<[?,4],f32>
  // expected-remark@+1 {{left as it is: 'x' is no tensor of known rank, but '!torch.vtensor<[99999999999999999999,4],f32>'}}
  %2 = "torch.operator"(%c, %rows) <{name = "torch.sparseconv.gather"}>
      : (!torch.vtensor<[99999999999999999999,4],f32>, !torch.vtensor<[?],si32>) -> !torch.vtensor<[?,4],f32>
  return
}

// -----

// None of our operations has regions or successors.

func.func @regions(%points: tensor<?x4xi32>) -> tensor<?x4xi32> {
  // expected-remark@+1 {{left as it is: a call has regions or successors, which none of ours has}}
  %0 = "stablehlo.custom_call"(%points) <{call_target_name = "sparseconv.downsample", backend_config = {bits = [8, 20, 20, 16], guard = 4, by = 2}}> ({
    "other.operation"() : () -> ()
  }) : (tensor<?x4xi32>) -> tensor<?x4xi32>
  return %0 : tensor<?x4xi32>
}

// -----

// No set has as many axes.

func.func @columns(%points: tensor<?x2000000000xi32>) -> tensor<?x2000000000xi32> {
  // expected-remark@+1 {{left as it is: 'coordinates' is 'tensor<?x2000000000xi32>', where a tensor of i32 with 1 to 4 axes behind the batch index is expected}}
  %0 = "stablehlo.custom_call"(%points) <{call_target_name = "sparseconv.downsample", backend_config = {bits = [8, 20], guard = dense<4> : tensor<1xindex>, by = 2, clip = [0, 4]}}>
      : (tensor<?x2000000000xi32>) -> tensor<?x2000000000xi32>
  return %0 : tensor<?x2000000000xi32>
}
