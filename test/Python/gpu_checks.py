"""Checks of the Python package on a GPU."""

import os
import subprocess
import tempfile

import numpy as np
import sparseconv
from checks import (Example, FakeDeviceArray, Skip, check, expect, expect_equal, expect_error,
                    get_text)  # fmt: skip
from failure_checks import seal
from run_cases import HERE as EXECUTION
from sparseconv import runtime
from sparseconv.compiler import find_program


@check("cuda")
def grows_and_reserves(target):
    example = Example(target)
    main = example.module.main
    for size in (100, 20, 3000, 2999, 1):
        inputs, judge = example.make(size)
        judge(main(**inputs))
    rows = {v.name: 500 for v in main.inputs if None in v.shape}
    main.reserve(**rows)
    inputs, judge = example.make(500)
    judge(main(**inputs))
    inputs, _ = example.make(501)
    expect_error(sparseconv.CapacityError, "is 501, more than the capacity of 500", main, **inputs)
    inputs, judge = example.make(7)
    judge(main(**inputs))
    expect_error(sparseconv.ArgumentError, "no input of unknown size 'other'", main.reserve,
                 **rows, other=4)  # fmt: skip
    expect_error(sparseconv.ArgumentError, "expects 1 size for", main.reserve)


@check("cuda")
def takes_device_arrays(target):
    example = Example(target, channels=16, dtype="bf16")
    module, main = example.module, example.module.main
    for size in (300, 40, 0):
        inputs, judge = example.make(size)
        held = {name: module.to_device(array) for name, array in inputs.items()}
        first = main(**held)
        judge(first)
        run = main.start(**held)
        again = run.results()
        expect(run.done)
        judge(again)
        judge(first)  # the results of one call are not another's
        expect_equal(run.results()[0] if isinstance(again, tuple) else run.results(),
                     again[0] if isinstance(again, tuple) else again)  # fmt: skip
    # Several runs at a time, one dropped without a look.
    inputs, judge = example.make(200)
    held = {name: module.to_device(array) for name, array in inputs.items()}
    runs = [main.start(**held) for _ in range(5)]
    del runs[2]
    for run in runs:
        judge(run.results())
    far = dict(held, points=module.to_device(inputs["points"] * 0 + 10**8))
    expect_error(sparseconv.Error, "sparseconv.pack", main, **far)
    judge(main(**held))


@check("cuda")
def runs_with_exact_sizes(target):
    example = Example(target, channels=16, dtype="bf16")
    module, main = example.module, example.module.main
    for size in (300, 40, 0, 299):
        inputs, judge = example.make(size)
        held = {name: module.to_device(array) for name, array in inputs.items()}
        for arrays in (inputs, held):
            found = main(**arrays, exact=True)
            judge(found)
            for result, other in zip(found, main(**arrays), strict=True):
                bits, wanted = (a if isinstance(a, np.ndarray) else a.numpy() for a in (result, other))
                expect_equal(bits.tobytes(), wanted.tobytes())
        judge(main.start(**held, exact=True).results())


@check("cuda")
def refuses_device_arrays(target):
    example = Example(target, channels=8)
    module, main = example.module, example.module.main
    inputs, judge = example.make(30)
    held = {name: module.to_device(array) for name, array in inputs.items()}
    kind = sparseconv.ArgumentError
    name = main.inputs[1].name
    expect_error(kind, f"expects '{name}' on GPU 0, but found it in host memory", main,
                 **dict(held, **{name: inputs[name]}))  # fmt: skip
    expect_error(kind, f"expects '{name}' on GPU 0, but found it on GPU 5", main,
                 **dict(held, **{name: FakeDeviceArray(None, 5)}))  # fmt: skip
    expect_error(kind, "a stream is for arrays on a GPU", main, stream=0, **inputs)
    wrong = module.to_device(inputs[name].astype(np.float64))
    expect_error(kind, "but found 30x8xfloat64", main, **dict(held, **{name: wrong}))

    class Strided:
        interface = dict(held[name].__cuda_array_interface__, strides=(4, 120))
        __cuda_array_interface__ = interface

    expect_error(kind, "to be contiguous and row major", main, **dict(held, **{name: Strided()}))

    class Shifted:
        interface = dict(held[name].__cuda_array_interface__)
        interface["data"] = (interface["data"][0] + 4, False)
        __cuda_array_interface__ = interface

    expect_error(kind, "to be aligned to 16 bytes", main, **dict(held, **{name: Shifted()}))
    judge(main(**held))


@check("cuda")
def profiles(target):
    example = Example(target, channels=16, dtype="f16")
    inputs, judge = example.make(1000)
    judge(example.module(**inputs))
    main = example.module.main
    instance, _ = main._take([array.shape for array in inputs.values()], main._bound, False)
    steps = instance.profile(*inputs.values())
    expect(len(steps) > 3 and all(0 <= s[3] <= s[4] < 1 for s in steps), repr(steps))
    expect(any(step[1] == "sparseconv.conv" for step in steps), repr(steps))


def import_library(name):
    try:
        library = __import__(name)
    except ImportError as error:
        raise Skip(f"there is no {name}: {error}") from error
    return library


@check("cuda")
def works_with_torch(target):
    torch = import_library("torch")
    if not torch.cuda.is_available():
        raise Skip("torch finds no GPU")
    for dtype in ("f32", "f16", "bf16"):
        example = Example(target, channels=16, dtype=dtype)
        module, main = example.module, example.module.main
        inputs, judge = example.make(400)

        def to_torch(array):
            tensor = torch.from_numpy(np.array(array).view(
                np.int16 if array.dtype == np.uint16 else array.dtype))  # fmt: skip
            tensor = tensor.cuda()
            return tensor.view(torch.bfloat16) if array.dtype == np.uint16 else tensor

        held = {name: to_torch(array) for name, array in inputs.items()}

        def as_results(results):
            results = results if isinstance(results, tuple) else (results,)
            tensors = [torch.from_dlpack(result) for result in results]
            expect(all(t.is_cuda and t.is_contiguous() for t in tensors))
            return tensors

        tensors = as_results(main(**held))
        if dtype == "bf16":
            expect_equal(tensors[0].dtype, torch.bfloat16)
        judge(tuple(t.view(torch.int16).cpu().numpy().view(np.uint16)
                    if t.dtype == torch.bfloat16 else t.cpu().numpy() for t in tensors))  # fmt: skip
        expected = [t.clone() for t in tensors]
        torch.cuda.synchronize()
        # On a stream of the caller's, with work before and after on it.
        stream = torch.cuda.Stream()
        for round_ in range(50):
            with torch.cuda.stream(stream):
                name = main.inputs[1].name
                torch.cuda._sleep(200000)
                fresh = dict(held, **{name: held[name] * 2 / 2})
                found = as_results(main.start(**fresh).results())
                equal = [torch.equal(f, e) for f, e in zip(found, expected)]
            expect(all(equal), f"round {round_}: other bits on a stream")
            del found, fresh
        found = as_results(main.start(stream=stream, **held).results())
        expect(all(torch.equal(f, e) for f, e in zip(found, expected)))
        # A run waits for the stream that its arguments are made on.
        other = torch.cuda.Stream()
        for round_ in range(20):
            with torch.cuda.stream(stream):
                torch.cuda._sleep(2000000)
                fresh = dict(held, **{name: held[name] * 2 / 2})
                found = as_results(main.start(stream=other, **fresh).results())
            expect(all(torch.equal(f, e) for f, e in zip(found, expected)),
                   f"round {round_}: other bits behind another stream")  # fmt: skip

        name = main.inputs[2].name
        kind = sparseconv.ArgumentError
        turned = held[name].transpose(1, 2).contiguous().transpose(1, 2)
        expect_error(kind, "contiguous", main, **dict(held, **{name: turned}))
        longer = held[name].to(torch.float64)
        expect_error(kind, "xfloat64", main, **dict(held, **{name: longer}))
        gradient = held[name].clone().requires_grad_()
        expect_error(kind, "cannot be taken", main, **dict(held, **{name: gradient}))
        expect_error(kind, "but found it in host memory", main, **dict(held, **{name: held[name].cpu()}))
        del tensors, found
    if dtype == "bf16":
        example = Example(target)
        inputs, judge = example.make(60)
        judge(example.module(**{n: torch.from_numpy(a) for n, a in inputs.items()}))


@check("cuda")
def works_with_cupy(target):
    cupy = import_library("cupy")
    example = Example(target, channels=32, dtype="f16")
    main = example.module.main
    inputs, judge = example.make(400)
    held = {name: cupy.asarray(array) for name, array in inputs.items()}
    results = main(**held)
    results = results if isinstance(results, tuple) else (results,)
    judge(tuple(cupy.asnumpy(cupy.from_dlpack(result)) for result in results))
    judge(tuple(cupy.asnumpy(cupy.asarray(result)) for result in results))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        name = main.inputs[1].name
        fresh = dict(held, **{name: held[name] * 2 / 2})
        judge(main(**fresh))
        judge(main(stream=stream, **fresh))
    expect_error(sparseconv.ArgumentError, "contiguous", main,
                 **dict(held, **{name: cupy.asfortranarray(held[name])}))  # fmt: skip


@check("cuda")
def binds_device_arrays(target):
    example = Example(target, channels=32, dtype="f16")
    module, main = example.module, example.module.main
    for seed in (1, 2):
        inputs, judge = example.make(500, seed=seed)
        held = {name: module.to_device(array) for name, array in inputs.items()}
        main.bind(weights=held.pop("weights"))
        runs = [main.start(**held) for _ in range(4)]
        for run in runs:
            judge(run.results())
        # Points from the host, weights on the device.
        del inputs["weights"]
        judge(main(**inputs))
        # A run goes on with what was bound when it was started.
        run = main.start(**held)
        main.bind(weights=np.zeros((27, 32, 32), np.float16))
        judge(run.results())
        expect(not np.any(np.asarray(main(**inputs)[0])))


@check("cuda")
def launches_graphs(target):
    """One instance, which captures its third run, on memory and sizes that change."""
    example = Example(target, channels=16, dtype="f16")
    module, main = example.module, example.module.main
    main.reserve(**{v.name: 400 for v in main.inputs if None in v.shape})
    kept = []
    for size in (400, 31, 129, 0, 1, 400, 257):
        inputs, judge = example.make(size, seed=size)
        held = {name: module.to_device(array) for name, array in inputs.items()}
        kept.append((main(**held), judge))
        judge(kept[-1][0])
        judge(main(**inputs))
    for results, judge in kept:
        judge(results)  # no run wrote into those of another


@check("cuda")
def takes_weights_of_plans(target):
    """Weights inside a plan, and by reference: missing, others, and the right."""
    example = Example(target, channels=16)
    inputs, judge = example.make(70)
    weights = {name: inputs.pop(name) for name in list(inputs) if name == "weights"}
    expect_equal(len(weights), 1)
    with tempfile.TemporaryDirectory() as folder:

        def rewrite(*options):
            output = os.path.join(folder, "new.plan")
            subprocess.run([find_program("sparseconv-translate"), "--plan-to-plan", plan, "-o",
                            output, f"--weights={archive}", *options], check=True)  # fmt: skip
            with open(output, "rb") as file:
                return file.read()

        plan, archive = os.path.join(folder, "net.plan"), os.path.join(folder, "net.npz")
        example.module.save(plan)
        np.savez(archive, **weights)
        inside, outside = rewrite(), rewrite("--weights-by-reference")
    expect(len(inside) - len(outside) >= weights["weights"].nbytes, "the weights are in neither")
    judge(sparseconv.load(inside).main(**inputs))
    judge(sparseconv.load(outside, weights=weights).main(**inputs))
    other = {"weights": weights["weights"] * 2}
    for given, text in (({}, "'weights' is by reference: bind its data first"),
                        (other, "is not what the program was compiled with")):  # fmt: skip
        expect_error(sparseconv.Error, text, sparseconv.load(outside, weights=given).main, **inputs)


def translate(option, *options, data):
    command = [find_program("sparseconv-translate"), option, *options]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


@check("cuda")
def runs_plan_of_sample_compiler(target):
    """What a compiler outside of the project wrote, with machine code, gives on the GPU
    what that compiler computed on a CPU."""
    if runtime.Context().chip != "sm_90a":
        raise Skip("the machine code is for sm_90a")
    path = os.path.join(EXECUTION, "Inputs", "sample")
    if not os.path.exists(path + ".plan"):
        raise Skip(f"there is no {path}.plan, which scripts/bundle makes")
    module = sparseconv.load(path + ".plan")
    with np.load(path + ".npz") as arrays:
        points, features, expected = (arrays[name] for name in ("points", "features", "result"))
    found = module.main(points, features)
    expect_equal(found.shape, expected.shape)
    # Convolutions may round to tf32; bound as in network_bounds.py.
    error = np.linalg.norm(found - expected) / np.linalg.norm(expected)
    expect(error <= 2.2e-3, f"relative L2 {error:.2g}")


@check("cuda")
def runs_machine_code(target):
    """A plan with a cubin and spoilt PTX: no other code can have run."""
    if runtime.Context().chip != "sm_90a":
        raise Skip("the machine code is for sm_90a")
    # As scripts/bundle makes the plan.
    parameters = {"channels": 64, "out_channels": 64, "dtype": "f16"}
    path = os.path.join(EXECUTION, "Inputs", "cubin.plan")
    if os.path.exists(path):
        with open(path, "rb") as file:
            plan = file.read()
    else:
        code, plan, error = translate("--network-to-plan", "--chip=sm_90a", "--cubin",
                                      data=get_text("conv", **parameters)[0].encode())  # fmt: skip
        if code:
            raise Skip(f"there is no {path}, and none can be made: {error.strip()}")
    expect("cubin sm_90a" in translate("--plan-to-text", data=plan)[1].decode(), "no machine code")
    ptx = translate("--plan-to-ptx", data=plan)[1]
    expect_equal((plan.count(ptx), b".entry" in ptx), (1, True))
    example = Example(target, **parameters)
    example.module = sparseconv.load(seal(plan.replace(ptx, ptx.replace(b".entry", b".entri"))))
    for size in (300, 5000):
        inputs, judge = example.make(size)
        judge(example.module(**inputs))
