"""Checks on a GPU that look at what the runtime asks of the driver, and at what
kernels leave in memory."""

import ctypes
import re
import subprocess
import sys
import tempfile

import numpy as np
import sparseconv
from checks import Skip, as_package, check, expect, expect_equal, get_text, operations
from driver_watch import DriverWatch
from run_cases import compare, oracle
from run_replays import SIZES, make_points, make_tensors, replay
from sparseconv import runtime

# Nothing between the first kernel of a network and its last is known to the host:
# all that is asked for there is work of the device, in order.
WORK_OF_THE_DEVICE = {
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuMemsetD8Async",
    "cuMemsetD32Async",
    "cuMemcpyDtoDAsync",
    "cuEventRecord",
    "cuStreamWaitEvent",
}
LAUNCHES = ("cuLaunchKernel", "cuLaunchKernelEx")


def count_parameters(ptx):
    """The number of parameters of each kernel."""
    entries = re.findall(r"\.entry (\w+)\((.*?)\)", ptx, re.S)
    return {name: parameters.count(".param") for name, parameters in entries}


def expect_no_host_between_kernels(driver, calls):
    """Returns the number of launches."""
    launches = [i for i, call in enumerate(calls) if call.name in LAUNCHES]
    between = calls[launches[0] : launches[-1] + 1]
    others = {call.name for call in between} - WORK_OF_THE_DEVICE
    expect(not others, f"between the first kernel and the last: {sorted(others)}")
    # Nor does any of it reach memory of the host, where a kernel could poll.
    spans = driver.get_spans("pinned memory")
    for call in between:
        words = call.parameters
        if call.name.startswith("cuMem"):
            words = call.arguments[: 2 if call.name == "cuMemcpyDtoDAsync" else 1]
        for word in words:
            inside = any(first <= word < last for first, last in spans)
            expect(not inside, f"{call.name} {call.kernel or ''} takes memory of the host")
    return len(launches)


@check("cuda")
def does_not_synchronise(target):
    """MinkUNet-42 as a stream of calls and as a graph."""
    text = subprocess.run(
        [sys.executable, "-m", "sparseconv.networks", "minkunet42", "--dtype", "f16"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    random, size = np.random.default_rng(1), 20_000
    with DriverWatch() as driver:
        module = sparseconv.compile(text, target="cuda")
        driver.parameter_counts = count_parameters(module.ptx)
        program = module._get_program()
        values, _ = program.signature("minkunet42")
        held = {"points": module.to_device(make_points(size))}
        for value in values[1:]:
            shape = [size if n is None else n for n in value.shape]
            array = (random.standard_normal(shape) * 0.1).astype(value.dtype)
            held[value.name] = module.to_device(array)
        capacities = [size for v in values for n in v.shape if n is None]
        instance = program.instance("minkunet42", capacities)
        inputs, kept = make_tensors(values, held)
        number, none = ctypes.c_int64(len(values)), ctypes.c_int64(0)

        driver.take_calls()
        runtime._call("instance_run", instance.handle, None, inputs, number, None, none)
        calls = driver.take_calls()
        instance.wait()
        count = expect_no_host_between_kernels(driver, calls)
        expect(count >= 42, f"a network of {count} kernels")
        counted = sum(bool(call.parameters) for call in calls)
        expect(counted >= 42, f"parameters of {counted} kernels were looked at")
        expected = instance.read_all()
        expect(len(expected[0]), "the network has no rows")

        runtime._call("instance_capture", instance.handle, inputs, number, None, none)
        names = [call.name for call in driver.take_calls()]
        expect_equal(names.count("cuGraphAddKernelNode"), count)
        expect(not set(names).intersection(LAUNCHES), f"a capture launches: {names}")
        runtime._call("instance_replay", instance.handle, None, inputs, number)
        names = [call.name for call in driver.take_calls()]
        expect_equal(names.count("cuGraphLaunch"), 1)
        expect(not set(names).intersection(LAUNCHES), f"a replay is more than its graph: {names}")
        instance.wait()
        found = instance.read_all()
        expect(all(f.tobytes() == e.tobytes() for f, e in zip(found, expected)),
               "the graph gives other bits")  # fmt: skip
        del kept, instance


@check("cuda")
def replays_scenes(target):
    """Ten rounds of what run_replays.py does, with all bits of every result."""
    with DriverWatch() as driver:

        def get_used_bytes():
            """By this process: others may use the device, too."""
            return sum(nbytes for _, nbytes in driver.get_live().values())

        replay("resnet21d", "f16", 10 * len(SIZES), get_used_bytes)


# What kernels do ---------------------------------------------------------------


def compile_in_order(chip, text):
    """The plan of a network with all its steps in one stream."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        command = ["sparseconv-translate", "--network-to-plan", f"--chip={chip}", "--streams=1"]
        done = subprocess.run([*command, file.name], capture_output=True, check=False)
    expect(done.returncode == 0, done.stderr.decode())
    return done.stdout


# Of a mainloop: the type of the features, what its plan is compiled for, its sizes,
# and the rows of a tile.
MAINLOOPS = {
    "ring64": ("f16", "sm_90a", "warps = 12, tile_k = 128, tile_n = 128, stages = 6",
               64),
    "producer64": ("f16", "sm_90a", "warps = 12, tile_k = 64, tile_n = 128, stages = 4",
                   64),
    "fma16": ("f32", "sm_80", "blocks = 3, tile_k = 32, tile_n = 128, stages = 2", 16),
    "warp16": ("f16", "sm_80", "warps = 16, tile_k = 32, tile_n = 64", 16),
}  # fmt: skip


#: Of a convolution whose sums are split, at least.
COUNTERS = 16384


def check_split(mainloop, parts):
    """Registers a check of what a mainloop leaves in scratch memory: the sums of
    all parts of every tile but the one that ends last, and nothing else. Main loops
    that plan splits may find that fewer parts are faster."""
    dtype, chip, sizes, tile = MAINLOOPS[mainloop]

    def run(target):
        channels = 128
        decision = (
            f"{{dataflow = #sparseconv.dataflow<output_stationary, split_k = {parts}>, "
            f"tiling = #sparseconv.gemm_tiling<{mainloop}, {sizes}>}}"
        )
        text, values = get_text("conv", channels=channels, out_channels=channels, dtype=dtype,
                                decision=decision)  # fmt: skip
        case = operations.make("conv", values, 180, 1, "", 1)
        tiles = -(-len(case.expected["coords_out"]) // tile)
        part = tiles * tile * channels
        with DriverWatch() as driver:
            context = runtime.Context()
            if chip.endswith("a") and context.chip != chip:
                raise Skip(f"{mainloop} is for {chip}")
            plan = compile_in_order(chip, text)
            ptx = subprocess.run(["sparseconv-translate", "--plan-to-ptx"], input=plan,
                                 capture_output=True, check=True).stdout.decode()  # fmt: skip
            driver.parameter_counts = count_parameters(ptx)
            # What is not written stays poison.
            instance = runtime.Program(context, plan).instance("main", [180, 180], runtime.POISON)
            results = instance.run(*case.inputs.values())
            problem = compare(results[0], case.expected["y"], case.dtype)
            expect(not problem, problem)
            gemm = [c for c in driver.calls if (c.kernel or "").startswith("tiled_gemm")]
            expect_equal([len(call.parameters) for call in gemm], [11])
            scratch = np.empty(2 * parts * part, np.uint32)
            context.download(0, scratch.ctypes.data, gemm[0].parameters[9], scratch.nbytes)
            written = scratch != 0x7FFF7FFF
            left, rest = divmod(int(written[: parts * part].sum()), part)
            fewest = 1 if mainloop in ("ring64", "producer64") else parts - 1
            expect(fewest <= left < parts and rest == 0, f"{left} parts and {rest} numbers")
            expect_equal(int(written[parts * part :].sum()), 0)
            # Counters are filled once: each run leaves the zeros that it found.
            for _ in range(2):
                counters = np.empty(COUNTERS, np.uint32)
                context.download(0, counters.ctypes.data, gemm[0].parameters[10], counters.nbytes)
                expect(not counters.any(), "counters that are not zero")
                again = instance.run(*case.inputs.values())
                expect(again[0].tobytes() == results[0].tobytes(), "another run, other bits")
            del instance

    run.__name__ = f"splits_offsets_{mainloop}_{parts}"
    check("cuda")(run)


for mainloop, parts in (
    ("ring64", 2),
    ("ring64", 8),
    ("producer64", 8),
    ("fma16", 8),
    ("warp16", 4),
    ("warp16", 8),
):
    check_split(mainloop, parts)


@check("cuda")
def skips_absent_offsets(target):
    """A weight that is NaN shows for which rows an offset is multiplied. 6000
    voxels are in a row along x and one is above it, so that most offsets are in no
    tile and those to the one above in few."""
    points = np.zeros((6001, 4), np.int32)
    points[:, 1] = np.arange(6001) - 3000
    points[-1, 1:] = 7, 0, 1
    points = np.random.default_rng(2).permutation(points)
    coords, order, _ = oracle.pack(points, [1, 1, 1])
    offsets = oracle.get_offsets("box<3, 3, 3>")
    table = np.asarray(oracle.neighbours(coords, coords, offsets))
    absent = (table < 0).all(axis=0)
    rare = ~absent & ((table >= 0).sum(axis=0) < 4)
    expect(absent.sum() >= 18 and rare.sum() == 6, f"{absent.sum()} absent, {rare.sum()} rare")
    touched = (table[:, rare] >= 0).any(axis=1)

    # What is for this chip, and mma.sync where it has wgmma.
    for chip, dtype, tf32, channels in (
        (None, "f32", "no", 16),
        (None, "f32", "allowed", 16),
        (None, "f32", "allowed", 64),
        (None, "f16", "no", 16),
        (None, "f16", "no", 64),
        (None, "f16", "no", 128),
        (None, "bf16", "no", 64),
        (None, "bf16", "no", 128),
        ("sm_80", "f16", "no", 16),
        ("sm_80", "f16", "no", 64),
        ("sm_80", "bf16", "no", 128),
    ):
        what = f"{chip or 'this chip'}, {dtype}, tf32 {tf32}, {channels} channels"
        text, _ = get_text("conv", channels=channels, out_channels=channels, dtype=dtype, tf32=tf32)
        main = sparseconv.compile(text, target="cuda", chip=chip).main
        random = np.random.default_rng(channels)
        # Of integers so small that every sum is exact.
        x = random.integers(-2, 3, (len(points), channels)).astype(np.float32)
        w = random.integers(-1, 2, (27, channels, channels)).astype(np.float32)
        rows = np.concatenate([x[order], np.zeros((1, channels), np.float32)])
        expected = sum(rows[table[:, k]] @ w[k] for k in range(27))
        expect(np.abs(expected).max() <= 256, "a bf16 does not hold the sums")

        def run(w):
            found = main(points, *(as_package(oracle.encode(a, dtype)) for a in (x, w)))[0]
            return oracle.decode(found.view("V2") if dtype == "bf16" else found)

        w[absent] = np.nan
        wrong = int((run(w) != expected).any(axis=1).sum())
        expect_equal((what, wrong), (what, 0))

        w[rare] = np.nan
        y = run(w)
        reached = np.isnan(y).any(axis=1)
        expect(reached[touched].all(), f"{what}: rows miss an offset that they have")
        # The tiles of the rows that have them: 64 rows at most.
        expect(reached.sum() <= 64 * touched.sum(), f"{what}: an offset of "
               f"{int(touched.sum())} rows was multiplied for {int(reached.sum())}")  # fmt: skip
        expect_equal(int((y != expected)[~reached].sum()), 0)
