"""Checks of what needs no GPU: on every target, on the CPU, and without one."""

import gc
import json
import os
import re
import signal
import tempfile
import threading
import time

import numpy as np
import sparseconv
from checks import (CHIP, SCALARS, Example, FakeDeviceArray, check, compile_text, expect,
                    expect_equal, expect_error, get_text, operations)  # fmt: skip
from sparseconv import weights

# Every target ----------------------------------------------------------------


@check("cpu", "none", "cuda")
def inspects(target):
    text, _ = get_text("conv", channels=5, out_channels=7, dtype="f16")
    module = compile_text(target, text)
    expect_equal(list(module.functions), ["main"])
    main = module.main
    expect_equal([value.name for value in main.inputs][0], "points")
    expect_equal([v.dtype for v in main.inputs], ["int32", "float16", "float16"])
    expect_equal(main.inputs[0].shape, (None, 4))
    expect_equal(main.inputs[1].shape, (None, 5))
    expect_equal(main.inputs[2].shape[1:], (5, 7))
    expect_equal(main.outputs[0].dtype, "float16")
    expect_equal(main.outputs[0].shape, (None, 7))
    expect("points: ?x4xint32" in repr(module), repr(module))
    expect_error(AttributeError, "no function 'other'; there are: main", getattr, module, "other")


@check("cpu", "none", "cuda")
def refuses_text(target):
    bad = "func.func @main() {\n  return %x : i32\n}\n"
    error = expect_error(sparseconv.CompileError, "<string>:2:10: error:", compile_text, target, bad)
    expect_equal(error.code, "SPARSECONV_COMPILER_REJECTED")
    expect("return %x" in error.diagnostics, error.diagnostics)
    expect_error(sparseconv.Error, "No such file", compile_text, target, "no-such-file.mlir")
    expect_error(sparseconv.ArgumentError, "but found a int", compile_text, target, 5)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bad.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(bad)
        expect_error(sparseconv.CompileError, "bad.mlir:2:10: error:", compile_text, target, path)
    text, _ = get_text("conv")
    error = expect_error(
        sparseconv.CompileError, "did not end within", compile_text, target, text, time_limit=1e-3
    )
    expect_equal(error.code, "SPARSECONV_COMPILER_TIME_LIMIT")
    expect_error(
        sparseconv.ArgumentError, "unknown target 'gpu'; there are: cpu, reference, cuda",
        sparseconv.compile, text, target="gpu",
    )  # fmt: skip
    expect_error(
        sparseconv.CompileError, "unknown chip 'sm_7' of the target 'cuda'; there are: sm_80",
        sparseconv.compile, text, chip="sm_7",
    )  # fmt: skip


# What was measured of a layer: tiles of mma.sync instead of the wgmma of the rules.
TUNED = {
    "target": "cuda:sm_90a",
    "class": "conv f16 27x64x64 1x1x1 to 1x1x1",
    "choices": [
        {
            "choice": "{dataflow = #sparseconv.dataflow<output_stationary>, tiling = "
            "#sparseconv.gemm_tiling<warp16, tile_k = 32, tile_n = 32>}",
            "measurements": [{"scan": "a", "us": 5, "error": 0}],
        }
    ],
}


@check("cpu", "none")
def takes_tuning_database(target):
    text, _ = get_text("conv", channels=64, out_channels=64, dtype="f16")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tuned.json")
        expect_error(sparseconv.CompileError, "tuned.json", compile_text, target, text,
                     tuning_database=path)  # fmt: skip
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "classes": [TUNED]}, file)
        if target == "cpu":  # which it says nothing of
            expect_equal(list(compile_text(target, text, tuning_database=path).functions), ["main"])
            expect_error(sparseconv.ArgumentError, "takes no tuning_database",
                         sparseconv.compile, text, target="reference", tuning_database=path)  # fmt: skip
            return
        tuned = compile_text(target, text, chip="sm_90a", tuning_database=path)
    expect("wgmma" not in tuned.ptx and "mma.sync" in tuned.ptx)
    expect("wgmma" in compile_text(target, text, chip="sm_90a").ptx)


@check("cpu", "cuda")
def names_inputs_whose_rows_disagree(target):
    example = Example(target)
    inputs, judge = example.make(129)
    more = {**inputs, "features": np.zeros((130, inputs["features"].shape[1]), np.float32)}
    text = "'features' has 130 rows, but 'points' has 129: both need the same number"
    error = expect_error(sparseconv.Error, text, example.module, **more)
    expect(str(error).endswith(text), str(error))
    judge(example.module(**inputs))


@check("cpu", "cuda")
def computes(target):
    for parameters in ({"channels": 16, "dtype": "f16"}, {"channels": 3, "dtype": "bf16"}, {}):
        example = Example(target, **parameters)
        for size in (31, 129, 1, 0):
            inputs, judge = example.make(size)
            judge(example.module.main(*inputs.values()))
            judge(example.module(**inputs))
            judge(example.module(**inputs, exact=True))
    example = Example(target, "pool", kind="max")
    inputs, judge = example.make(200)
    judge(example.module(**inputs))


VOXELS = """
#packing = #sparseconv.packing<i64, batch = 8, bits = [14, 14, 10], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
func.func @main(%points: tensor<?x3xf32> {sparseconv.name = "points"},
                %x: tensor<?x2xf32> {sparseconv.name = "x"})
    -> (tensor<?x4xi32>, tensor<?xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %q = sparseconv.quantise %points origin [0.0, -8.0, -2.0] size [0.5, 0.5, 0.25]
      : tensor<?x3xf32> -> tensor<?x4xi32>
  %set, %order, %row_of = sparseconv.pack %q clip(<[0, 0, 0] to [32, 32, 16]>) : tensor<?x4xi32> -> !set
  %voxels = sparseconv.unpack %set : !set -> tensor<?x4xi32>
  %n = sparseconv.size %set : !set
  %mean = sparseconv.scatter avg %x, %row_of into %n : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %largest = sparseconv.scatter max %x, %row_of into %n : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %sum = sparseconv.scatter %x, %row_of into %n : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %first = sparseconv.gather %x, %order : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  return %voxels, %row_of, %mean, %largest, %sum, %first
      : tensor<?x4xi32>, tensor<?xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
"""


@check("cpu", "cuda")
def makes_voxels_of_points(target):
    """Points in metres become voxels with the mean, largest, summed and first
    features of each; those outside the region are left out."""
    module, random = compile_text(target, VOXELS), np.random.default_rng(1)
    for size in (0, 1, 3000):
        points = random.uniform(-20, 20, (size, 3)).astype(np.float32)
        points[::50, 1] = np.nan
        x = random.integers(-64, 64, (size, 2)).astype(np.float32)  # whose sums are exact
        voxels, row_of, mean, largest, total, first = module(points, x)
        at = np.floor((points - np.float32([0, -8, -2])) / np.float32([0.5, 0.5, 0.25]))
        kept = ((at >= 0) & (at < [32, 32, 16])).all(axis=1)
        known, index, inverse, counts = np.unique(
            at[kept], axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        expect_equal(voxels[:, 1:].tolist(), known.tolist())
        expect_equal(row_of[kept].tolist(), inverse.reshape(-1).tolist())
        expect((row_of[~kept] == -1).all(), "a point outside has a row")
        expect_equal(first.tolist(), x[kept][index].tolist())
        sums, most = np.zeros_like(total), np.full_like(total, -np.inf)
        np.add.at(sums, inverse.reshape(-1), x[kept])
        np.maximum.at(most, inverse.reshape(-1), x[kept])
        expect_equal(total.tolist(), sums.tolist())
        expect_equal(largest.tolist(), most.tolist())
        expect(np.allclose(mean, sums / counts[:, None], rtol=1e-6), "a mean is wrong")


@check("cpu", "cuda")
def takes_host_arrays(target):
    example = Example(target)
    inputs, judge = example.make(50)
    # Strides are no matter in host memory.
    inputs = {name: np.asfortranarray(array) for name, array in inputs.items()}
    judge(example.module(**inputs))
    module = compile_text(target, SCALARS)
    for value in (21, np.int64(21), np.array(21), np.array([21])):
        expect_equal(module.main(value).tolist(), [42])
    expect_equal(module.other(7).tolist(), [7])


@check("cpu", "cuda")
def refuses_arguments(target):
    example = Example(target, channels=4, out_channels=6)
    inputs, judge = example.make(20)
    points, features, weights = inputs.values()
    names = list(inputs)
    main, kind = example.module.main, sparseconv.ArgumentError
    expect_error(kind, "there is no array for 'weights'", main, points, features)
    expect_error(kind, "takes 3 arrays, but found 4", main, points, features, weights, weights)
    expect_error(
        kind, f"no array for 'weights'; it takes {', '.join(map(repr, names))}, not 'other'",
        main, points, features, other=weights,
    )  # fmt: skip
    expect_error(kind, f"two arrays for '{names[0]}'", main, *inputs.values(), **{names[0]: points})
    expect_error(kind, f"expects {names[1]}: ?x4xfloat32, but found 20x4xfloat64", main,
                 points, features.astype(np.float64), weights)  # fmt: skip
    expect_error(kind, f"expects {names[1]}: ?x4xfloat32, but found 20x3xfloat32", main,
                 points, features[:, :3], weights)  # fmt: skip
    crowd = {f"other{number}": weights for number in range(5000)}
    error = expect_error(kind, "and 4990 more", main, points, features, weights, **crowd)
    assert len(str(error)) < 400, str(error)
    expect_error(kind, "but found 80xfloat32", main, points, features.reshape(-1), weights)
    judge(main(points, features, weights))


@check("cpu", "cuda")
def binds_weights(target):
    """What is bound stays; calls take the rest."""
    example = Example(target, channels=16, dtype="f16")
    main, kind = example.module.main, sparseconv.ArgumentError
    for size, seed in ((40, 1), (300, 2), (0, 2), (7, 2)):
        inputs, judge = example.make(size, seed=seed)
        weights = inputs.pop("weights")
        main.bind(weights=weights)  # of another seed: other weights
        judge(main(**inputs))
        judge(main(*inputs.values()))
        expect_error(kind, "'weights' stays from bind", main, **inputs, weights=weights)
        expect_error(kind, "takes 2 arrays, but found 3", main, *inputs.values(), weights)
    # Memory whose data has changed is bound again.
    first, _ = example.make(50, seed=1)
    inputs, judge = example.make(50, seed=2)
    memory = first["weights"].copy()
    main.bind(weights=memory)
    memory[...] = inputs.pop("weights")
    main.bind(weights=memory)
    judge(main(**inputs))
    expect_error(kind, "no input 'other'", main.bind, other=memory)
    expect_error(kind, "expects weights: 27x16x32xfloat16", main.bind, weights=memory[:5])
    judge(main(**inputs))
    main.bind()
    expect_error(kind, "no array for 'weights'", main, **inputs)
    judge(main(**inputs, weights=memory))


@check("cpu", "cuda")
def binds_points(target):
    """Points stay, and features come and go; a copy of the function takes others."""
    example = Example(target, channels=16, dtype="f16")
    main, kind = example.module.main, sparseconv.ArgumentError
    points, features, weights = (value.name for value in main.inputs)
    copy = main.copy()
    for size, seed in ((40, 1), (1300, 2), (0, 3), (31, 4), (129, 5)):
        inputs, judge = example.make(size, seed=seed)
        copy.bind(**{name: inputs[name] for name in (points, weights)})
        for _ in range(4):
            judge(copy(inputs[features]))
        judge(main(**inputs))
        zeros = copy(np.zeros_like(inputs[features]))
        assert not np.any(np.asarray(zeros[0] if isinstance(zeros, tuple) else zeros))
        judge(copy(inputs[features]))
        expect_error(sparseconv.Error, "both need the same number", copy,
                     np.zeros((size + 1, inputs[features].shape[1]), np.float16))  # fmt: skip
    # Points without weights, which come with each call then.
    inputs, judge = example.make(70, seed=6)
    copy.bind(**{points: inputs.pop(points)})
    judge(copy(**inputs))
    # What is wrong with points is known with the first call.
    inputs, judge = example.make(70, seed=7)
    far = inputs[points].copy()
    far[3] = 10**8
    copy.bind(**{points: far, weights: inputs[weights]})
    expect_error(sparseconv.Error, "is outside", copy, inputs[features])
    copy.bind(**{points: inputs[points], weights: inputs[weights]})
    judge(copy(inputs[features]))
    expect_error(kind, "expects points", copy.bind, **{points: inputs[features]})


@check("cpu", "cuda")
def reports_what_programs_report(target):
    example = Example(target)
    inputs, judge = example.make(20)
    far = dict(inputs, points=inputs["points"] * 0 + 10**8)
    error = expect_error(sparseconv.Error, "sparseconv.pack", example.module.main, **far)
    expect_equal(error.code, "SPARSECONV_PROGRAM_ERROR")
    judge(example.module(**inputs))


@check("cpu", "cuda")
def runs_in_threads(target):
    example = Example(target, channels=8)
    problems = []

    def work(seed):
        try:
            for size in (70, 20, 90):
                inputs, judge = example.make(size, seed)
                judge(example.module(**inputs))
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not problems, f"in a thread: {problems}")


# The CPU ---------------------------------------------------------------------


@check("cpu")
def refuses_gpu_arrays(target):
    example = Example(target)
    inputs, _ = example.make(5)
    inputs["points"] = FakeDeviceArray(inputs["points"])
    expect_error(
        sparseconv.ArgumentError, "expects 'points' in host memory, but found it on GPU 0",
        example.module, **inputs,
    )  # fmt: skip


@check("cpu-plan")
def saves_and_loads(target):
    """A plan gives the same bits from its file, at each level, in several threads."""
    example = Example(target, channels=16)
    inputs, judge = example.make(200)
    expected = example.module(**inputs)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.plan")
        example.module.save(path)
        loaded = sparseconv.load(path, num_threads=1)
        for result, other in zip(loaded(**inputs), expected, strict=True):
            expect_equal(result.tobytes(), other.tobytes())
    # Without a level a plan runs whose code is for less than the processor has.
    text, _ = get_text("conv", channels=16)
    narrow = sparseconv.compile(text, target="cpu:sse2", in_process=True)
    loaded = sparseconv.load(narrow.plan)
    for result, other in zip(loaded(**inputs), narrow(**inputs), strict=True):
        expect_equal(result.tobytes(), other.tobytes())
    error = expect_error(
        sparseconv.Error, "there are avx512, avx2 and sse2",
        sparseconv.load(example.module.plan, level="mmx"), **inputs,
    )  # fmt: skip
    expect_equal(error.code, "SPARSECONV_WRONG_CHIP")
    expect_error(
        sparseconv.ArgumentError, "in_process is for the target 'cpu'",
        sparseconv.compile, "\n", target="cuda", in_process=True,
    )  # fmt: skip


@check("cpu-plan")
def refuses_damaged_plans(target):
    plan = Example(target).module.plan
    for place in (0, 9, 50, len(plan) // 2, len(plan) - 1):
        damaged = bytearray(plan)
        damaged[place] ^= 0x40
        error = expect_error(sparseconv.Error, "", sparseconv.load, bytes(damaged))
        expect_equal(error.code, "SPARSECONV_INVALID_PLAN")


@check("cpu")
def survives_its_process(target):
    example = Example(target)
    inputs, judge = example.make(5)
    example.module._server._process.kill()
    example.module._server._process.wait()
    error = expect_error(sparseconv.Error, "ended by signal 9", example.module, **inputs)
    expect_equal((type(error), error.code), (sparseconv.Error, "SPARSECONV_COMPILER_CRASHED"))
    judge(example.module(**inputs))
    judge(example.module(**inputs))


@check("cpu")
def forgets_interrupted_calls(target):
    """Ctrl-C in the middle of a call, while its process works."""
    example = Example(target)
    server = example.module._server
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for size in (40, 60):
            inputs, _ = example.make(size)
            os.kill(server._process.pid, signal.SIGSTOP)
            timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            expect_error(KeyboardInterrupt, "", example.module, **inputs)
            timer.join()
            inputs, judge = example.make(size + 10)
            judge(example.module(**inputs))
            judge(example.module(**inputs))
    finally:
        signal.signal(signal.SIGINT, before)


@check("cpu")
def takes_no_answer_of_another_call(target):
    example = Example(target)
    inputs, judge = example.make(20)
    pipe = example.module._server._process.stdin
    pipe.write(b'{"call": "another", "arguments": []}\n')
    pipe.flush()
    expect_error(sparseconv.Error, "answers request", example.module, **inputs)
    judge(example.module(**inputs))


@check("cpu")
def computes_in_forked_processes(target):
    """Each has a process of its own, and leaves that of its parent alone."""
    example = Example(target)
    cases = [example.make(size) for size in (30, 50, 70)]
    children = []
    for inputs, judge in cases:
        child = os.fork()
        if child == 0:
            try:
                judge(example.module(**inputs))
                del example, inputs
                gc.collect()
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    for inputs, judge in cases:
        judge(example.module(**inputs))
    expect_equal([os.waitpid(child, 0)[1] for child in children], [0, 0, 0])
    judge(example.module(**inputs))


@check("cpu")
def computes_behind_a_call_of_another_thread(target):
    """In a process that was forked while a thread was within a call."""
    example = Example(target)
    small, judge = example.make(30)
    large, _ = example.make(100000)
    thread = threading.Thread(target=lambda: [example.module(**large) for _ in range(5)])
    thread.start()
    while not example.module._server._is_busy:
        time.sleep(0.001)
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            judge(example.module(**small))
            os._exit(0)
        finally:
            os._exit(1)
    thread.join()
    expect_equal(os.waitpid(child, 0)[1], 0)
    judge(example.module(**small))


@check("cpu")
def takes_numbers_as_they_are(target):
    """Python's numbers where the type of a scalar has them, and arrays of either byte
    order."""
    names = {"h": "bf16", "e": "i8", "b": "i1", "f": "f32"}
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in names.items())
    types = ", ".join(names.values())
    text = f"func.func @main({arguments}) -> ({types}) {{\n  return %h, %e, %b, %f : {types}\n}}\n"
    for named in ({"in_process": True}, {}):
        module = sparseconv.compile(text, target="cpu", **named)
        found = module(h=1.0, e=-7, b=True, f=np.array(2.5, ">f4"))
        expect_equal([value.item() for value in found], [0x3F80, -7, True, 2.5])
        for name, wrong in (("e", 300), ("e", 1.5), ("b", 2.5), ("h", "1")):
            given = {"h": 1.0, "e": 1, "b": False, "f": 1.0, name: wrong}
            expect_error(sparseconv.ArgumentError, "expects", module, **given)
    error = sparseconv.ArgumentError
    for wrong in ("2", 10**5, 1.5, -1):
        expect_error(error, "num_threads: expects an integer of 0 to 4096", sparseconv.compile,
                     text, target="cpu", num_threads=wrong)  # fmt: skip


@check("cpu")
def refuses_more_rows_than_there_are_indices(target):
    text = "func.func @main(%x: tensor<?xi8>) -> tensor<?xi8> {\n  return %x : tensor<?xi8>\n}\n"
    module = sparseconv.compile(text, target="cpu")
    many = np.broadcast_to(np.int8(0), (2**31 + 2,))
    expect_error(sparseconv.ArgumentError, "'x' has 2147483650 rows, more than 2147483646",
                 module, many)  # fmt: skip
    expect_equal(module(many[:3]).tolist(), [0, 0, 0])


@check("cpu")
def makes_weights_of_the_types_that_a_network_states(target):
    names = ("f16", "bf16", "f32")
    arguments = [f'%{n}: tensor<5x{n}> {{sparseconv.name = "{n}.scale"}}' for n in names]
    types = ", ".join(f"tensor<5x{n}>" for n in names)
    text = f"""func.func @main({", ".join(arguments)}) -> ({types}) {{
  return %{", %".join(names)} : {types}
}}
"""
    module = sparseconv.compile(text, target="cpu")
    made = weights.make_weights(text, seed=1)
    # An argument without sparseconv.name has the name of the text.
    plain = re.sub(r'%(\w+)(: tensor<\w+>) \{.*?\}', r"%\1_\2", text)
    plain += "func.func private @other(%y: tensor<3xf32>) { return }\n"
    expect_equal(list(weights.make_weights(plain)), [f"{n}_" for n in names])
    expect_equal([a.dtype.name for a in made.values()], ["float16", "uint16", "float32"])
    with tempfile.TemporaryDirectory() as folder:
        # Neither a suffix nor a name is numpy's.
        path = os.path.join(folder, "net.weights")
        weights.save(path, {"file": made["f32.scale"]})
        with np.load(path) as file:
            expect_equal(list(file), ["file"])
        path = os.path.join(folder, "net.npz")
        weights.save(path, made)
        with np.load(path) as file:
            for given in (made, dict(file)):
                for result, expected in zip(module(**given), made.values()):
                    expect_equal(result.tobytes(), expected.tobytes())
    for name in names[:2]:
        other = dict(made, **{f"{name}.scale": made["f32.scale"]})
        expect_error(sparseconv.ArgumentError, "but found 5xfloat32", module, **other)


@check("cpu")
def converts_where_asked(target):
    """To the nearest, ties to even; of a double too, in one rounding."""
    half = 2.0**-8  # of the last place of a bfloat16 at 1
    for value, expected in (
        (1.0, 0x3F80),
        (1 + half, 0x3F80),
        (1 + 3 * half, 0x3F82),
        (1 + half + 2.0**-40, 0x3F81),
        (1 + half - 2.0**-40, 0x3F80),
        (-1 - half - 2.0**-40, 0xBF81),
        (1e300, 0x7F80),
        (-np.inf, 0xFF80),
        (0.0, 0),
        (1e-300, 0),
        (9.2e-41, 1),
    ):
        expect_equal((value, int(sparseconv.convert(np.float64(value), "bfloat16"))),
                     (value, expected))  # fmt: skip
    expect_equal(sparseconv.convert(np.array([np.nan]), "bfloat16")[0] & 0x7FFF, 0x7FC0)
    expect_equal(sparseconv.convert([1.5], "float16").dtype, np.float16)
    for array, dtype in (([1], "float32"), ([1.0], "int32"), ([1.0], "bfloat"), ("x", "float32")):
        expect_error(sparseconv.ArgumentError, "floats are converted", sparseconv.convert,
                     array, dtype)  # fmt: skip


@check("cpu")
def agrees_with_the_reference(target):
    text, values = get_text("conv", channels=9)
    case = operations.make("conv", values, 100, 1, "", 3)
    results = [
        sparseconv.compile(text, target=name)(**case.inputs) for name in ("reference", "cpu")
    ]
    for expected, found in zip(*results):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


# No GPU ----------------------------------------------------------------------


@check("none")
def needs_a_driver(target):
    text, _ = get_text("conv")
    error = expect_error(sparseconv.Error, "name a chip", sparseconv.compile, text)
    expect_equal(error.code, "SPARSECONV_NO_DRIVER")
    module = sparseconv.compile(text, chip=CHIP)
    expect(".target sm_80" in module.ptx, "no PTX for sm_80")
    inputs, _ = Example("none").make(5)
    error = expect_error(sparseconv.Error, "driver", module, **inputs)
    expect_equal(error.code, "SPARSECONV_NO_DRIVER")


@check("none", "cuda")
def keeps_plans(target):
    text, _ = get_text("conv", channels=6)
    module = sparseconv.compile(text, chip=CHIP)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.plan")
        module.save(path)
        for plan in (path, module.plan):
            expect_equal(repr(sparseconv.load(plan)), repr(module))
    expect_error(sparseconv.Error, "SPARSECONV_INVALID_PLAN", sparseconv.load, b"no plan")
    expect_error(sparseconv.Error, "No such file", sparseconv.load, "no-such-file.plan")
    only = sparseconv.compile(SCALARS, chip=CHIP, entry="other")
    expect_equal(list(only.functions), ["other"])
    expect_error(
        sparseconv.CompileError, "no function '@third'", sparseconv.compile, SCALARS,
        chip=CHIP, entry="third",
    )  # fmt: skip
