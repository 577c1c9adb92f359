"""Decomposes layers, runs them by upstream's passes and runner alone, and compares
what they give with our own kernels.

usage: decompose.py WORK_FOLDER MLIR_OPT MLIR_RUNNER SHARED_LIBRARY...
"""

import os
import re
import subprocess
import sys

import numpy as np

SETS = """
#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [4, 4, 4]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!same = !sparseconv.kernel_map<27, !fine to !fine>
!down = !sparseconv.kernel_map<8, !fine to !half>
!back = !sparseconv.kernel_map<8, !half to !fine>
"""
MAPS = """
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %half = sparseconv.downsample %set by [2, 2, 2] : !fine -> !half
  %same = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !same
  %down = sparseconv.kernel_map %set to %half offsets(box<2, 2, 2>) : !down
"""
EPILOGUE = """epilogue(%bias, %skip : tensor<4x{T}>, tensor<?x4x{T}>) {{
  ^bb0(%sum: f32, %b: {T}, %s: {T}):
    {widen}
    %0 = arith.addf %sum, %b32 : f32
    %1 = arith.mulf %0, %s32 : f32
    sparseconv.yield %1 : f32
  }}"""
WIDEN = {
    "f16": "%b32 = arith.extf %b : f16 to f32\n    %s32 = arith.extf %s : f16 to f32",
    "bf16": "%b32 = arith.extf %b : bf16 to f32\n    %s32 = arith.extf %s : bf16 to f32",
    "f32": "%z = arith.constant 0.0 : f32\n    %b32 = arith.addf %b, %z : f32\n"
    "    %s32 = arith.addf %s, %z : f32",
}
# The map, the shapes of arguments, the operation and its result. n and m are the rows
# of the finer and the coarser set; a float of each name has other elements.
LAYERS = [
    ("same", {"x": "nx3", "w": "27x3x5"}, "conv %x, %w, %map", "?x5"),
    ("same", {"x": "nx6", "w": "27x3x2x3"}, "conv %x, %w, %map", "?x9"),
    ("down", {"x": "nx1", "w": "8x1x1x7"}, "conv %x, %w, %map", "?x7"),
    (
        "same",
        {"x": "nx3", "w": "27x3x4", "bias": "4", "skip": "nx4"},
        "conv %x, %w, %map EPILOGUE",
        "?x4",
    ),
    ("same", {"dy": "nx5", "w": "27x3x5"}, "input_grad %dy, %w, %map", "?x3"),
    ("down", {"dy": "mx6", "w": "8x3x1x2"}, "input_grad %dy, %w, %map", "?x3"),
    ("same", {"x": "nx3", "dy": "nx5"}, "weight_grad %x, %dy, %map", "27x3x5"),
    (
        "down",
        {"x": "nx6", "dy": "mx4"},
        "weight_grad %x, %dy, %map groups(2)",
        "8x2x3x2",
    ),
    ("same", {"x": "nx3"}, "pool max %x, %map", "?x3"),
    ("down", {"x": "nx5"}, "pool avg %x, %map", "?x5"),
    ("down", {"x": "nx5"}, "pool avg %x, %map count(volume)", "?x5"),
    ("same", {"x": "nx1"}, "pool sum %x, %map", "?x1"),
    ("same", {"dy": "nx3", "x": "nx3"}, "pool_grad max %dy, %map of %x", "?x3"),
    ("same", {"dy": "nx3", "ties": "nx3"}, "pool_grad max %dy, %map of %ties", "?x3"),
    ("same", {"dy": "nx3", "nan": "nx3"}, "pool_grad max %dy, %map of %nan", "?x3"),
    ("down", {"dy": "mx5"}, "pool_grad avg %dy, %map", "?x5"),
    ("down", {"dy": "mx5"}, "pool_grad sum %dy, %map", "?x5"),
    ("down", {"x": "mx3"}, "unpool %x, %map", "?x3"),
    ("back", {"x": "mx3", "w": "8x3x4"}, "conv %x, %w, %map", "?x4"),
    ("back", {"dy": "nx3", "w": "8x4x3"}, "input_grad %dy, %w, %map", "?x4"),
    ("", {"x": "nx3", "rows": "n"}, "gather %x, %rows", "?x3"),
    ("", {"x": "nx3", "rows": "n"}, "scatter %x, %rows into %n", "?x3"),
    ("", {"x": "nx3", "rows": "n"}, "scatter avg %x, %rows into %n", "?x3"),
    ("", {"x": "nx3", "rows": "n"}, "scatter max %x, %rows into %n", "?x3"),
    ("", {"table": "nx8", "rows": "n"}, "renumber_table out %table, %rows", "?x8"),
    ("", {"table": "nx8", "rows": "n"}, "renumber_table in %table, %rows", "?x8"),
]
#: Arguments whose elements are rows, or -1.
INDICES = ("rows", "table")
PASSES = [
    "--convert-elementwise-to-linalg",
    "--one-shot-bufferize=bufferize-function-boundaries",
    "--buffer-deallocation-pipeline",
    "--convert-bufferization-to-memref",
    "--convert-linalg-to-loops",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-arith-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
]
SIZES = (0, 1, 31, 129)


def to_bits(value):
    """A bfloat16, rounded to even: as two bytes, for numpy has no such type."""
    bits = value.astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(value), 0x7FC0, rounded).astype(np.uint16).view("V2")


def to_floats(value):
    if value.dtype != np.dtype("V2"):
        return value.astype(np.float64)
    bits = value.view(np.uint16).astype(np.uint32) << 16
    return bits.view(np.float32).astype(np.float64)


def run(command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


class Layer:
    """A layer of LAYERS with elements of `element`, and its arguments."""

    def __init__(self, row, number, element, counts, random):
        self.map, shapes, operation, result = row
        self.name, self.element, self.counts = f"layer{number}", element, counts
        epilogue = EPILOGUE.format(T=element, widen=WIDEN[element])
        self.operation = operation.replace("EPILOGUE", epilogue)
        self.result_element = "i32" if "table" in shapes else element
        self.result = f"tensor<{result}x{self.result_element}>"
        self.values, self.types = {}, {}
        for name, shape in shapes.items():
            sizes = [
                counts.get(size) or int(size) if size not in counts else counts[size]
                for size in shape.split("x")
            ]
            self.values[name] = self.make(name, sizes, random)
            width = "i32" if name in INDICES else element
            dynamic = ["?" if size in counts else size for size in shape.split("x")]
            self.types[name] = f"tensor<{'x'.join(dynamic)}x{width}>"

    def make(self, name, sizes, random):
        if name in INDICES:
            return random.integers(
                -1, max(sizes[0], 1) if sizes[0] else 0, sizes, dtype=np.int32
            )
        value = random.uniform(-1, 1, sizes)
        if name == "ties":
            value = np.round(value * 2) / 2
        if name == "nan" and value.size:
            value.reshape(-1)[::7] = np.nan
        if self.element == "bf16":
            return to_bits(value)
        return value.astype({"f32": np.float32, "f16": np.float16}[self.element])

    def get_operation(self):
        """The operation with its types, on %map and the arguments."""
        written = re.findall(r"%(\w+)", self.operation.split("epilogue")[0])
        types = [
            f"!{self.map}" if name == "map" else self.types[name]
            for name in written
            if name != "n"
        ]
        return f"sparseconv.{self.operation} : {', '.join(types)} -> {self.result}"

    def get_function(self):
        """The layer alone, on a map that the caller gives."""
        arguments = [f"%{name}: {type}" for name, type in self.types.items()]
        if self.map:
            arguments.insert(0, f"%map: !{self.map}")
        if self.operation.endswith("%n"):
            arguments.append("%n: index")
        return (
            f"func.func @{self.name}({', '.join(arguments)}) -> {self.result} {{\n"
            f"  %y = {self.get_operation()}\n  return %y : {self.result}\n}}\n"
        )


def run_ours(layers, points, folder):
    """The results of our kernels, and the tables of the maps."""
    body, arguments, command = MAPS, [f"%points: tensor<?x4xi32>"], []
    body += "  %back = sparseconv.transpose_map %down : !down -> !back\n"
    body += "  %n = sparseconv.size %set : !fine\n"
    results = []
    for name, volume in (("same", 27), ("down", 8), ("back", 8)):
        results.append((name, f"tensor<?x{volume}xi32>"))
        body += f"  %table_{name} = sparseconv.neighbour_table %{name} : !{name} -> "
        body += f"tensor<?x{volume}xi32>\n"
    names = [f"%table_{name}" for name, _ in results]
    np.save(f"{folder}/points.npy", points)
    command.append(f"--input={folder}/points.npy")
    for layer in layers:
        given = []
        if layer.map:
            given.append((f"%{layer.map}", f"!{layer.map}"))
        for name, type in layer.types.items():
            argument = f"{layer.name}_{name}"
            arguments.append(f"%{argument}: {type}")
            np.save(f"{folder}/{argument}.npy", layer.values[name])
            command.append(f"--input={folder}/{argument}.npy")
            given.append((f"%{argument}", type))
        if layer.operation.endswith("%n"):
            given.append(("%n", "index"))
        body += (
            f"  %{layer.name} = call @{layer.name}("
            f"{', '.join(value for value, _ in given)}) : "
            f"({', '.join(type for _, type in given)}) -> {layer.result}\n"
        )
        results.append((layer.name, layer.result))
        names.append(f"%{layer.name}")
    types = ", ".join(type for _, type in results)
    private = "".join(layer.get_function() for layer in layers).replace(
        "func.func @", "func.func private @"
    )
    module = (
        f"{SETS}{private}func.func @main({', '.join(arguments)}) -> ({types}) {{"
        f"{body}  return {', '.join(names)} : {types}\n}}\n"
    )
    with open(f"{folder}/ours.mlir", "w", encoding="utf-8") as file:
        file.write(module)
    for name, _ in results:
        command.append(f"--output={folder}/result-{name}.npy")
    run(["sparseconv-run", f"{folder}/ours.mlir", "--entry=main", "--quiet", *command])
    return {name: np.load(f"{folder}/result-{name}.npy") for name, _ in results}


def write_constant(value):
    element = {"f4": "f32", "f2": "f16", "V2": "bf16", "i4": "i32"}[value.dtype.str[1:]]
    shape = "x".join(str(size) for size in (*value.shape, element))
    data = f'"0x{value.tobytes().hex().upper()}"' if value.size else ""
    return f"arith.constant dense<{data}> : tensor<{shape}>", f"tensor<{shape}>"


def write_main(layers, tables):
    """A function that calls every decomposed layer and prints its result."""
    lines = [
        "func.func private @printMemrefF32(tensor<*xf32>) "
        "attributes {llvm.emit_c_interface}",
        "func.func @main() {",
    ]
    for layer in layers:
        given, number = [], 0
        values = list(layer.values.items())
        if layer.map:
            values.insert(0, ("table", tables[layer.map]))
        for name, value in values:
            constant, static = write_constant(value)
            type = layer.types.get(name, f"tensor<?x{value.shape[-1]}xi32>")
            place = f"%{layer.name}_{name}"
            lines.append(f"  {place}_0 = {constant}")
            lines.append(f"  {place} = tensor.cast {place}_0 : {static} to {type}")
            given.append((place, type))
        rows = {"same": "n", "down": "n", "back": "m", "": "n"}[layer.map]
        if layer.map or layer.operation.endswith("%n"):
            count = f"%{layer.name}_rows_of_map"
            lines.append(f"  {count} = arith.constant {layer.counts[rows]} : index")
            given.insert(1 if layer.map else len(given), (count, "index"))
        y = f"%{layer.name}_y"
        lines.append(
            f"  {y} = call @{layer.name}({', '.join(v for v, _ in given)}) : "
            f"({', '.join(t for _, t in given)}) -> {layer.result}"
        )
        wide = layer.result.replace(f"x{layer.result_element}>", "xf32>")
        if wide != layer.result:
            widen = "sitofp" if layer.result_element == "i32" else "extf"
            lines.append(f"  {y}w = arith.{widen} {y} : {layer.result} to {wide}")
            y += "w"
        lines.append(f"  {y}u = tensor.cast {y} : {wide} to tensor<*xf32>")
        lines.append(f"  call @printMemrefF32({y}u) : (tensor<*xf32>) -> ()")
    return "\n".join([*lines, "  return", "}"])


def run_decomposed(layers, tables, folder, tools):
    """The results of the decomposed layers by upstream's passes alone."""
    mlir_opt, mlir_runner, *libraries = tools
    text = SETS + "".join(layer.get_function() for layer in layers)
    plain = run(["sparseconv-opt", "--sparseconv-decompose", "-"], input=text)
    if "sparseconv" in plain:
        sys.exit(f"operations of sparseconv are left:\n{plain}")
    plain = plain.rstrip().removesuffix("}") + write_main(layers, tables) + "\n}\n"
    with open(f"{folder}/plain.mlir", "w", encoding="utf-8") as file:
        file.write(plain)
    lowered = run([mlir_opt, f"{folder}/plain.mlir", *PASSES])
    shared = [f"--shared-libs={library}" for library in libraries]
    printed = run(
        [mlir_runner, "-e", "main", "--entry-point-result=void", *shared], input=lowered
    )
    results = []
    for part in printed.split("Unranked Memref")[1:]:
        sizes = re.search(r"sizes = \[(.*?)\]", part).group(1).split(",")
        data = re.findall(
            r"-?(?:nan|inf|[\d.]+(?:e[-+]?\d+)?)", part.split("data =")[1]
        )
        shape = [int(size) for size in sizes]
        results.append(
            np.array([float(x) for x in data[: np.prod(shape)]]).reshape(shape)
        )
    return results


def main(folder, *tools):
    os.makedirs(folder, exist_ok=True)
    for size in SIZES:
        random = np.random.default_rng(size)
        points = random.integers(-3, 4, (size, 4)).astype(np.int32)
        points[:, 0] %= 2
        fine = np.unique(points, axis=0)
        half = np.unique(fine * [1, 0, 0, 0] + fine // 2 * [0, 2, 2, 2], axis=0)
        counts = {"n": len(fine), "m": len(half)}
        layers = [
            Layer(row, number, element, counts, random)
            for element in ("f32", "f16", "bf16")
            for number, row in enumerate(LAYERS)
        ]
        for number, layer in enumerate(layers):
            layer.name = f"layer{number}"
        ours = run_ours(layers, fine, folder)
        plain = run_decomposed(layers, ours, folder, tools)
        wrong = 0
        for layer, found in zip(layers, plain, strict=True):
            wanted = to_floats(ours[layer.name])
            # The runner prints six digits; what is narrow is rounded once in either.
            bound = {"f32": 1e-4, "f16": 2e-3, "bf16": 1.6e-2}[layer.element]
            same = found.shape == wanted.shape and np.allclose(
                found, wanted, rtol=bound, atol=bound, equal_nan=True
            )
            wrong += not same
            if not same:
                print(f"{layer.operation} of {layer.element}: wrong\n{found}\n{wanted}")
        print(f"{size} points: {len(layers) - wrong} of {len(layers)} layers agree")


main(*sys.argv[1:])
