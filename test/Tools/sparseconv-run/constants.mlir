// What `const:` gives is what the type can hold.

// DEFINE: %{run} = sparseconv-run %s --target=reference --print
// RUN: %{run} --input a=const:-128:1 --input b=const:2147483647:1 --input c=const:1.1:1 --input d=const:1:1 | FileCheck %s
// CHECK:      'result0'
// CHECK-NEXT: {{^ *}}-128{{$}}
// CHECK:      'result1'
// CHECK-NEXT: {{^ *}}2147483647{{$}}
// CHECK:      'result2'
// CHECK-NEXT: {{^ *}}1.09961{{$}}
// CHECK:      'result3'
// CHECK-NEXT: {{^ *}}1{{$}}
// RUN: %{run} --input a=const:1:1 --input b=const:1:1 --input c=const:inf:1 --input d=const:0:1 | FileCheck %s --check-prefix=INFINITE
// INFINITE:      'result2'
// INFINITE-NEXT: {{^ *}}inf{{$}}

// RUN: not %{run} --input a=const:300:1 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: 'a' has elements of i8, which cannot be 300
// RUN: not %{run} --input b=const:2147483648:1 2>&1 | FileCheck %s --check-prefix=END
// END: error: 'b' has elements of i32, which cannot be 2147483648
// RUN: not %{run} --input b=const:nan:1 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: 'b' has elements of i32, which cannot be nan
// RUN: not %{run} --input b=const:1.5:1 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: 'b' has elements of i32, which cannot be 1.5
// RUN: not %{run} --input c=const:70000:1 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error: 'c' has elements of f16, which cannot be 70000
// RUN: not %{run} --input d=const:2:1 2>&1 | FileCheck %s --check-prefix=BOOL
// BOOL: error: 'd' has elements of i1, which cannot be 2

func.func @main(%a: tensor<?xi8> {sparseconv.name = "a"}, %b: tensor<?xi32> {sparseconv.name = "b"},
                %c: tensor<?xf16> {sparseconv.name = "c"}, %d: tensor<?xi1> {sparseconv.name = "d"})
    -> (tensor<?xi8>, tensor<?xi32>, tensor<?xf16>, tensor<?xi1>) {
  return %a, %b, %c, %d : tensor<?xi8>, tensor<?xi32>, tensor<?xf16>, tensor<?xi1>
}
