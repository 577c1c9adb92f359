# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions on features [rows, channels] that networks call: norms, activations and
residual sums, as lists of lines of IR."""


def elementwise(function, helper, channels, dtype):
    """A private function over all elements: norm, norm_relu or add_relu."""
    rows = f"tensor<?x{channels}x{dtype}>"
    vector = f"tensor<{channels}x{dtype}>"
    second = [("%y", rows, "d0, d1")] if helper == "add_relu" else [
        ("%scale", vector, "d1"), ("%shift", vector, "d1")]
    others = "".join(f", {name}: {type_}" for name, type_, _ in second)
    maps = ", ".join(f"affine_map<(d0, d1) -> ({m})>"
                     for m in ["d0, d1"] + [m for _, _, m in second] + ["d0, d1"])
    ins = ", ".join(["%x"] + [name for name, _, _ in second])
    types = ", ".join([rows] + [type_ for _, type_, _ in second])
    names = ["%a"] + [f"%{chr(ord('b') + i)}" for i in range(len(second))]
    lines = [
        f"  func.func private @{function}(%x: {rows}{others}) -> {rows} {{",
        "    %c0 = arith.constant 0 : index",
        f"    %n = tensor.dim %x, %c0 : {rows}",
        f"    %init = tensor.empty(%n) : {rows}",
        "    %zero = arith.constant 0.0 : f32",
        f"    %result = linalg.generic {{indexing_maps = [{maps}], "
        'iterator_types = ["parallel", "parallel"]}',
        f"        ins({ins} : {types}) outs(%init : {rows}) {{",
        f"    ^bb0({', '.join(f'{n}: {dtype}' for n in names)}, %out: {dtype}):",
    ]
    wide = names
    if dtype != "f32":
        wide = [f"%w{i}" for i in range(len(names))]
        lines += [f"      {w} = arith.extf {n} : {dtype} to f32" for w, n in zip(wide, names)]
    if helper == "add_relu":
        lines.append(f"      %sum = arith.addf {wide[0]}, {wide[1]} : f32")
    else:
        lines.append(f"      %product = arith.mulf {wide[0]}, {wide[1]} : f32")
        lines.append(f"      %sum = arith.addf %product, {wide[2]} : f32")
    result = "%sum"
    if helper != "norm":
        lines.append("      %relu = arith.maximumf %sum, %zero : f32")
        result = "%relu"
    if dtype != "f32":
        lines.append(f"      %narrow = arith.truncf {result} : f32 to {dtype}")
        result = "%narrow"
    return lines + [f"      linalg.yield {result} : {dtype}", f"    }} -> {rows}",
                    f"    return %result : {rows}", "  }"]


def standardise(function, helper, channels, dtype):
    """A private function: rows less their mean, divided by their standard deviation,
    for each channel (batch norm in training, without scale and shift)."""
    rows, vector = f"tensor<?x{channels}x{dtype}>", f"tensor<{channels}xf32>"
    all_rows, one_row, scalar = ("affine_map<(d0, d1) -> (d0, d1)>",
                                 "affine_map<(d0, d1) -> (d1)>", "affine_map<(d0) -> (d0)>")

    def generic(result, maps, iterators, ins, out, arguments, body, yielded):
        names, types = ", ".join(n for n, _ in ins), ", ".join(t for _, t in ins)
        iterators = ", ".join(f'"{i}"' for i in iterators)
        return [f"    {result} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
                f"iterator_types = [{iterators}]}}",
                f"        ins({names} : {types}) outs({out[0]} : {out[1]}) {{",
                f"    ^bb0({arguments}):"] + [f"      {line}" for line in body] + [
                f"      linalg.yield {yielded}", f"    }} -> {out[1]}"]

    widen = [] if dtype == "f32" else [f"%wide = arith.extf %a : {dtype} to f32"]
    narrow = [] if dtype == "f32" else [f"%narrow = arith.truncf %y : f32 to {dtype}"]
    a, y = ("%a", "%y") if dtype == "f32" else ("%wide", "%narrow")
    lines = [
        f"  func.func private @{function}(%x: {rows}) -> {rows} {{",
        "    %c0 = arith.constant 0 : index",
        f"    %n = tensor.dim %x, %c0 : {rows}",
        "    %count = arith.index_cast %n : index to i32",
        "    %number = arith.sitofp %count : i32 to f32",
        "    %zero = arith.constant 0.0 : f32",
        "    %epsilon = arith.constant 1.0e-5 : f32",
        f"    %vector = tensor.empty() : {vector}",
        f"    %zeros = linalg.fill ins(%zero : f32) outs(%vector : {vector}) -> {vector}",
    ]
    lines += generic("%sums", [all_rows, one_row], ["reduction", "parallel"], [("%x", rows)],
                     ("%zeros", vector), f"%a: {dtype}, %sum: f32",
                     widen + [f"%total = arith.addf %sum, {a} : f32"], "%total : f32")
    lines += generic("%mean", [scalar, scalar], ["parallel"], [("%sums", vector)],
                     ("%vector", vector), "%a: f32, %out: f32",
                     ["%y = arith.divf %a, %number : f32"], "%y : f32")
    centre = widen + [f"%centred = arith.subf {a}, %m : f32"]
    lines += generic("%squares", [all_rows, one_row, one_row], ["reduction", "parallel"],
                     [("%x", rows), ("%mean", vector)], ("%zeros", vector),
                     f"%a: {dtype}, %m: f32, %sum: f32",
                     centre + ["%square = arith.mulf %centred, %centred : f32",
                               "%total = arith.addf %sum, %square : f32"], "%total : f32")
    lines += generic("%scale", [scalar, scalar], ["parallel"], [("%squares", vector)],
                     ("%vector", vector), "%a: f32, %out: f32",
                     ["%variance = arith.divf %a, %number : f32",
                      "%shifted = arith.addf %variance, %epsilon : f32",
                      "%y = math.rsqrt %shifted : f32"], "%y : f32")
    lines += [f"    %init = tensor.empty(%n) : {rows}"]
    lines += generic("%result", [all_rows, one_row, one_row, all_rows], ["parallel", "parallel"],
                     [("%x", rows), ("%mean", vector), ("%scale", vector)], ("%init", rows),
                     f"%a: {dtype}, %m: f32, %s: f32, %out: {dtype}",
                     centre + ["%y = arith.mulf %centred, %s : f32"] + narrow, f"{y} : {dtype}")
    return lines + [f"    return %result : {rows}", "  }"]
