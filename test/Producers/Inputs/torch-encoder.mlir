// Written by torch 2.15.0 and the importer of torch-mlir in iree-base-compiler 3.13.0:
// python3 torch_encoder.py
"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[?,4],si32>, !torch.vtensor<[?,4],f32>, !torch.vtensor<[27,4,8],f32>, !torch.vtensor<[27,8,8],f32>, !torch.vtensor<[8,8,16],f32>) -> (!torch.vtensor<[?,4],si32>, !torch.vtensor<[?,16],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[?,4],si32>, %arg1: !torch.vtensor<[?,4],f32>, %arg2: !torch.vtensor<[27,4,8],f32>, %arg3: !torch.vtensor<[27,8,8],f32>, %arg4: !torch.vtensor<[8,8,16],f32>):
    %0 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
    %1 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %2 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %3 = "torch.constant.int"() <{value = 16 : i64}> : () -> !torch.int
    %4 = "torch.prim.ListConstruct"(%0, %1, %2, %3) : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %5 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %6 = "torch.prim.ListConstruct"(%5) : (!torch.int) -> !torch.list<int>
    %7 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %8 = "torch.prim.ListConstruct"(%7) : (!torch.int) -> !torch.list<int>
    %9:3 = "torch.operator"(%arg0, %4, %6, %8) <{name = "torch.sparseconv.pack"}> : (!torch.vtensor<[?,4],si32>, !torch.list<int>, !torch.list<int>, !torch.list<int>) -> (!torch.vtensor<[?,4],si32>, !torch.vtensor<[?],si32>, !torch.vtensor<[?],si32>)
    %10 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %11 = "torch.aten.size.int"(%9#0, %10) : (!torch.vtensor<[?,4],si32>, !torch.int) -> !torch.int
    %12 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %13 = "torch.aten.ge.int"(%11, %12) : (!torch.int, !torch.int) -> !torch.bool
    %14 = "torch.aten.Int.bool"(%13) : (!torch.bool) -> !torch.int
    %15 = "torch.constant.str"() <{value = "Runtime assertion failed for expression u0 >= 0 on node 'ge'"}> : () -> !torch.str
    "torch.aten._assert_scalar"(%14, %15) : (!torch.int, !torch.str) -> ()
    %16 = "torch.operator"(%arg1, %9#1) <{name = "torch.sparseconv.gather"}> : (!torch.vtensor<[?,4],f32>, !torch.vtensor<[?],si32>) -> !torch.vtensor<[?,4],f32>
    %17 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    %18 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    %19 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    %20 = "torch.prim.ListConstruct"(%17, %18, %19) : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %21 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
    %22 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %23 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %24 = "torch.constant.int"() <{value = 16 : i64}> : () -> !torch.int
    %25 = "torch.prim.ListConstruct"(%21, %22, %23, %24) : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %26 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %27 = "torch.prim.ListConstruct"(%26) : (!torch.int) -> !torch.list<int>
    %28 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %29 = "torch.prim.ListConstruct"(%28) : (!torch.int) -> !torch.list<int>
    %30 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %31 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %32 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %33 = "torch.prim.ListConstruct"(%32) : (!torch.int) -> !torch.list<int>
    %34 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %35 = "torch.prim.ListConstruct"(%34) : (!torch.int) -> !torch.list<int>
    %36 = "torch.operator"(%9#0, %9#0, %16, %arg2, %20, %25, %27, %29, %30, %31, %33, %35) <{name = "torch.sparseconv.conv"}> : (!torch.vtensor<[?,4],si32>, !torch.vtensor<[?,4],si32>, !torch.vtensor<[?,4],f32>, !torch.vtensor<[27,4,8],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.bool, !torch.list<int>, !torch.list<int>) -> !torch.vtensor<[?,8],f32>
    %37 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    %38 = "torch.prim.ListConstruct"(%37) : (!torch.int) -> !torch.list<int>
    %39 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
    %40 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %41 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %42 = "torch.constant.int"() <{value = 16 : i64}> : () -> !torch.int
    %43 = "torch.prim.ListConstruct"(%39, %40, %41, %42) : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %44 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %45 = "torch.prim.ListConstruct"(%44) : (!torch.int) -> !torch.list<int>
    %46 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %47 = "torch.prim.ListConstruct"(%46) : (!torch.int) -> !torch.list<int>
    %48 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %49 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %50 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %51 = "torch.prim.ListConstruct"(%50) : (!torch.int) -> !torch.list<int>
    %52 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %53 = "torch.prim.ListConstruct"(%52) : (!torch.int) -> !torch.list<int>
    %54 = "torch.operator"(%9#0, %9#0, %36, %arg3, %38, %43, %45, %47, %48, %49, %51, %53) <{name = "torch.sparseconv.conv"}> : (!torch.vtensor<[?,4],si32>, !torch.vtensor<[?,4],si32>, !torch.vtensor<[?,8],f32>, !torch.vtensor<[27,8,8],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.bool, !torch.list<int>, !torch.list<int>) -> !torch.vtensor<[?,8],f32>
    %55 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %56 = "torch.prim.ListConstruct"(%55) : (!torch.int) -> !torch.list<int>
    %57 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
    %58 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %59 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %60 = "torch.constant.int"() <{value = 16 : i64}> : () -> !torch.int
    %61 = "torch.prim.ListConstruct"(%57, %58, %59, %60) : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %62 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %63 = "torch.prim.ListConstruct"(%62) : (!torch.int) -> !torch.list<int>
    %64 = "torch.operator"(%9#0, %56, %61, %63) <{name = "torch.sparseconv.downsample"}> : (!torch.vtensor<[?,4],si32>, !torch.list<int>, !torch.list<int>, !torch.list<int>) -> !torch.vtensor<[?,4],si32>
    %65 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %66 = "torch.aten.size.int"(%64, %65) : (!torch.vtensor<[?,4],si32>, !torch.int) -> !torch.int
    %67 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %68 = "torch.aten.ge.int"(%66, %67) : (!torch.int, !torch.int) -> !torch.bool
    %69 = "torch.aten.Int.bool"(%68) : (!torch.bool) -> !torch.int
    %70 = "torch.constant.str"() <{value = "Runtime assertion failed for expression u1 >= 0 on node 'ge_1'"}> : () -> !torch.str
    "torch.aten._assert_scalar"(%69, %70) : (!torch.int, !torch.str) -> ()
    %71 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %72 = "torch.prim.ListConstruct"(%71) : (!torch.int) -> !torch.list<int>
    %73 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
    %74 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %75 = "torch.constant.int"() <{value = 20 : i64}> : () -> !torch.int
    %76 = "torch.constant.int"() <{value = 16 : i64}> : () -> !torch.int
    %77 = "torch.prim.ListConstruct"(%73, %74, %75, %76) : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %78 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %79 = "torch.prim.ListConstruct"(%78) : (!torch.int) -> !torch.list<int>
    %80 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %81 = "torch.prim.ListConstruct"(%80) : (!torch.int) -> !torch.list<int>
    %82 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %83 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %84 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %85 = "torch.prim.ListConstruct"(%84) : (!torch.int) -> !torch.list<int>
    %86 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %87 = "torch.prim.ListConstruct"(%86) : (!torch.int) -> !torch.list<int>
    %88 = "torch.operator"(%9#0, %64, %54, %arg4, %72, %77, %79, %81, %82, %83, %85, %87) <{name = "torch.sparseconv.conv"}> : (!torch.vtensor<[?,4],si32>, !torch.vtensor<[?,4],si32>, !torch.vtensor<[?,8],f32>, !torch.vtensor<[8,8,16],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.bool, !torch.list<int>, !torch.list<int>) -> !torch.vtensor<[?,16],f32>
    "func.return"(%64, %88) : (!torch.vtensor<[?,4],si32>, !torch.vtensor<[?,16],f32>) -> ()
  }) {torch.assume_strict_symbolic_shapes} : () -> ()
}) : () -> ()
