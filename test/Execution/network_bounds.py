"""How far the results of the networks may be from the float64 reference."""

# The largest relative L2 error of a network's results against the float64 reference, by
# --scan on a nuScenes sweep, a KITTI sweep cut to the camera's view and a ScanNet room:
# on two cores with AVX-512, and on an H200. A CPU does not round to tf32. second and
# centerpoint were measured on the last two of these scans, on the CPU alone.
MEASURED = {
    "cpu": {
        "minkunet42": {"f32": 2.8e-7, "tf32": 2.8e-7, "f16": 5.5e-4, "bf16": 4.2e-3},
        "resnet21d": {"f32": 3.3e-7, "tf32": 3.3e-7, "f16": 6.0e-4, "bf16": 3.3e-3},
        "spconvbench": {"f32": 6.7e-7, "tf32": 6.7e-7, "f16": 7.4e-4, "bf16": 5.5e-3},
        "second": {"f32": 4.2e-7, "tf32": 4.2e-7, "f16": 1.2e-3, "bf16": 9.6e-3},
        "centerpoint": {"f32": 3.5e-7, "tf32": 3.5e-7, "f16": 1.0e-3, "bf16": 8.3e-3},
    },
    "cuda": {
        "minkunet42": {"f32": 3.6e-7, "tf32": 7.2e-4, "f16": 5.6e-4, "bf16": 4.3e-3},
        "resnet21d": {"f32": 4.3e-7, "tf32": 6.5e-4, "f16": 6.2e-4, "bf16": 3.9e-3},
        "spconvbench": {"f32": 1.2e-6, "tf32": 8.0e-4, "f16": 7.5e-4, "bf16": 5.8e-3},
    },
}
ALLOWED = 3  # times what was measured


def get_error(backend, name, dtype):
    """What was measured, or what is expected of a GPU: the CPU's error, and for tf32,
    which has as many significant bits, that of f16."""
    if name in MEASURED[backend]:
        return MEASURED[backend][name][dtype]
    return MEASURED["cpu"][name]["f16" if dtype == "tf32" else dtype]


def get_bound(target, name, dtype):
    """Of the relative L2 error of a network's results."""
    return ALLOWED * get_error(target.partition(":")[0], name, dtype)
