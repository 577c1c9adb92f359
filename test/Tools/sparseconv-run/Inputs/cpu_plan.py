"""Runs a network and its plan for CPUs at each vector level that the processor has.

usage: cpu_plan.py NETWORK PLAN FOLDER

The results have to be the same bits, with weights among the arguments or inside the
plan. Fails where a level of the processor is not in the plan.
"""

import filecmp
import os
import subprocess
import sys

import numpy as np

network, plan, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)


def path(name):
    return os.path.join(folder, name)


def run(program, level, name, *more):
    results = [path(f"{name}.{output}.npy") for output in ("y", "ones", "m")]
    outputs = [f"--output={o}={r}" for o, r in zip(("y", "ones", "m"), results)]
    command = ["sparseconv-run", program, f"--target=cpu:{level}", *outputs,
               "--input=points=random:300", "--input=features=random:300",
               "--input=n=const:17", "--seed=3", "--quiet", *more]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (results if done.returncode == 0 else None), done.stderr


random = np.random.default_rng(5)
np.save(path("w.npy"), random.standard_normal((27, 16, 16)).astype("float16"))
np.savez(path("w.npz"), weights=np.load(path("w.npy")))
weights = f"--input=weights={path('w.npy')}"
inside = path("inside.plan")
subprocess.run(
    ["sparseconv-translate", plan, "--plan-to-plan", f"--weights={path('w.npz')}", "-o", inside],
    check=True,
)
seen = 0
for level in ("sse2", "avx2", "avx512"):
    expected, error = run(network, level, f"{level}-ir", weights)
    if expected is None:
        assert "has no vectors" in error, error
        _, error = run(plan, level, f"{level}-none", weights)
        assert f"none for '{level}' that this processor runs" in error, error
        continue
    seen += 1
    for program, name, more in ((plan, "plan", [weights]), (inside, "inside", [])):
        found, error = run(program, level, f"{level}-{name}", *more)
        assert found, error
        for a, b in zip(expected, found):
            assert filecmp.cmp(a, b, shallow=False), f"{a} and {b} differ"
assert seen, "no level was run"
