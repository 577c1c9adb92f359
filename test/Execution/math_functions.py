"""Prints a network that computes every scalar function of `math` that the
reference knows, on numbers of one type: math_functions.py TYPE PLACE.

PLACE is `elementwise` (a linalg operation on a tensor<?xTYPE>) or `epilogue`
(that of a convolution, on a tensor<?x1xf32>). Either way the function `main` takes numbers of -1 .. 1 and has one
result for each row of the table, under the name of its operation."""

import re
import sys

# How the argument $x of a function follows from %a, a number of -1 .. 1: by
# operations that are exact where the function is sensitive to its argument.
DOMAINS = {
    "unit": "$x = arith.mulf %a, %one : T",
    "half": "$x = arith.mulf %a, %half : T",
    "wide": "$x = arith.mulf %a, %four : T",
    "positive": "$w = arith.mulf %a, %four : T; $x = math.absf $w : T",
    "above one": "$v = math.absf %a : T; $x = arith.addf $v, %one : T",
    # Half of the numbers divide by zero.
    "infinite": "$w = arith.addf %a, %a : T; $v = math.absf $w : T;"
    "$u = math.floor $v : T; $x = arith.divf %one, $u : T",
    "not a number": "$w = arith.addf %a, %a : T; $v = math.absf $w : T;"
    "$u = math.floor $v : T; $x = arith.divf $u, $u : T",
    "whole": "$w = arith.mulf %a, %four : T; $x = arith.fptosi $w : T to i32",
    "both": "$x = arith.mulf %a, %four : T; $n = arith.fptosi $x : T to i32",
}

# Domain, operations, how they are written, the type of the result.
FLOAT = "math.{} $x : T"
TABLE = [
    ("unit", "acos asin", FLOAT, "T"),
    ("half", "atanh", FLOAT, "T"),
    ("wide", "absf asinh atan cbrt ceil cos cosh erf erfc exp exp2 expm1", FLOAT, "T"),
    ("wide", "floor round roundeven sin sinh tan tanh trunc", FLOAT, "T"),
    ("positive", "log log10 log1p log2 rsqrt sqrt", FLOAT, "T"),
    ("above one", "acosh", FLOAT, "T"),
    ("wide", "atan2 copysign", "math.{} $x, %a : T", "T"),
    ("positive", "powf", "math.{} $x, %a : T", "T"),
    ("wide", "remf", "arith.{} $x, %third : T", "T"),
    ("wide", "fma", "math.{} $x, %a, $x : T", "T"),
    ("wide", "clampf", "math.{} $x to [%a, %one] : T", "T"),
    ("both", "fpowi", "math.{} $x, $n : T, i32", "T"),
    ("infinite", "isinf isfinite isnormal", FLOAT, "i1"),
    ("not a number", "isnan", FLOAT, "i1"),
    ("whole", "absi ctlz cttz ctpop", "math.{} $x : i32", "i32"),
    ("whole", "ipowi", "math.{} $x, $x : i32", "i32"),
]
CONSTANTS = {"one": 1.0, "half": 0.5, "four": 4.0, "third": 0.3}
CONVERSIONS = {"i1": "; $z = arith.uitofp $y : i1 to T", "i32": "; $z = arith.sitofp $y : i32 to T"}
FUNCTIONS = [
    (name, f"{DOMAINS[domain]}; $y = {text.format(name)}{CONVERSIONS.get(result, '')}")
    for domain, names, text, result in TABLE
    for name in names.split()
]


def write_constants(dtype):
    return [f"%{k} = arith.constant {v} : {dtype}" for k, v in CONSTANTS.items()]


def write_functions(dtype):
    """The lines that compute %NAME of %a for every function of the table."""
    lines = []
    for name, body in FUNCTIONS:
        result = "$z" if "$z" in body else "$y"
        body = body.replace(result, f"%{name}").replace("$", f"%{name}_")
        lines += re.sub(r"\bT\b", dtype, body).split(";")
    return lines


def write_elementwise(dtype):
    count = len(FUNCTIONS)
    tensor = f"tensor<?x{dtype}>"
    tensors = ", ".join([tensor] * count)
    results = ", ".join(f'{tensor} {{sparseconv.name = "{f[0]}"}}' for f in FUNCTIONS)
    outs = ", ".join(["%empty"] * count)
    blocks = "".join(f", %o{i}: {dtype}" for i in range(count))
    yields = ", ".join(f"%{f[0]}" for f in FUNCTIONS)
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (count + 1))
    return [
        f'func.func @main(%x: {tensor} {{sparseconv.name = "x"}}) -> ({results}) {{',
        "%c0 = arith.constant 0 : index",
        f"%n = tensor.dim %x, %c0 : {tensor}",
        f"%empty = tensor.empty(%n) : {tensor}",
        *write_constants(dtype),
        f'%r:{count} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}',
        f"ins(%x : {tensor}) outs({outs} : {tensors}) {{",
        f"^bb0(%a: {dtype}{blocks}):",
        *write_functions(dtype),
        f"linalg.yield {yields} : {', '.join([dtype] * count)}",
        f"}} -> ({tensors})",
        "return " + ", ".join(f"%r#{i}" for i in range(count)) + f" : {tensors}",
        "}",
    ]


def write_epilogue(dtype):
    """One convolution by 1, whose channel c has function c; its columns are the
    results."""
    count = len(FUNCTIONS)
    wide, column = f"tensor<?x{count}xf32>", "tensor<?x1xf32>"
    results = ", ".join(f'{column} {{sparseconv.name = "{f[0]}"}}' for f in FUNCTIONS)
    numbers = ", ".join(f"{float(i)}" for i in range(count))
    lines = [
        "#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>",
        "!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>",
        "!map = !sparseconv.kernel_map<1, !set to !set>",
        f'func.func @main(%x: {column} {{sparseconv.name = "x"}}) -> ({results}) {{',
        # Point i is (0, i, 0, 0).
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        f"%rows = tensor.dim %x, %c0 : {column}",
        "%empty = tensor.empty(%rows) : tensor<?x4xi32>",
        "%points = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],",
        'iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x4xi32>) {',
        "^bb0(%out: i32):",
        "%i = linalg.index 0 : index",
        "%j = linalg.index 1 : index",
        "%is = arith.cmpi eq, %j, %c1 : index",
        "%axis = arith.select %is, %i, %c0 : index",
        "%point = arith.index_cast %axis : index to i32",
        "linalg.yield %point : i32",
        "} -> tensor<?x4xi32>",
        "%c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set",
        f"%f = sparseconv.gather %x, %order : {column}, tensor<?xi32> -> {column}",
        "%m = sparseconv.kernel_map %c to %c offsets(box<1, 1, 1>) : !map",
        f"%w = arith.constant dense<1.0> : tensor<1x1x{count}xf32>",
        f"%numbers = arith.constant dense<[{numbers}]> : tensor<{count}xf32>",
        f"%y = sparseconv.conv %f, %w, %m epilogue(%numbers : tensor<{count}xf32>) {{",
        "^bb0(%acc: f32, %number: f32):",
        *write_constants(dtype),
    ]
    if dtype == "f32":
        lines += ["%none = arith.constant 0.0 : f32", "%a = arith.addf %acc, %none : f32"]
    else:
        narrow = "extf" if dtype == "f64" else "truncf"
        lines.append(f"%a = arith.{narrow} %acc : f32 to {dtype}")
    lines += write_functions(dtype)
    chosen = f"%{FUNCTIONS[0][0]}"
    for i, (name, _) in list(enumerate(FUNCTIONS))[1:]:
        lines += [
            f"%number{i} = arith.constant {float(i)} : f32",
            f"%is{i} = arith.cmpf oeq, %number, %number{i} : f32",
            f"%chosen{i} = arith.select %is{i}, %{name}, {chosen} : {dtype}",
        ]
        chosen = f"%chosen{i}"
    if dtype != "f32":
        widen = "truncf" if dtype == "f64" else "extf"
        lines.append(f"%result = arith.{widen} {chosen} : {dtype} to f32")
        chosen = "%result"
    lines += [
        f"sparseconv.yield {chosen} : f32",
        f"}} : {column}, tensor<1x1x{count}xf32>, !map -> {wide}",
        f"%size = tensor.dim %y, %c0 : {wide}",
    ]
    for i in range(count):
        lines.append(
            f"%r{i} = tensor.extract_slice %y[0, {i}] [%size, 1] [1, 1] : {wide} to {column}"
        )
    values = ", ".join(f"%r{i}" for i in range(count))
    return [*lines, f"return {values} : {', '.join([column] * count)}", "}"]


if __name__ == "__main__":
    write = {"elementwise": write_elementwise, "epilogue": write_epilogue}[sys.argv[2]]
    print("\n".join(write(sys.argv[1])))
