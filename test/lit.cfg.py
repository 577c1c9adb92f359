"""lit's configuration of the sparseconv tests.

Substitutions: the project's tools by their names, FileCheck, not, count and
split-file; %python is a Python 3 that has numpy and finds the packages under
python/; %scripts and %networks are the folders of the scripts and of the
generated networks; %match is what stands in for FileCheck in the bundle; %docs, %test_docs and %build are the folders of the pages, of their
tests and of the build; %features are the features below;
%mlir_include is the folder of MLIR's headers and ODS files, %mlir_lib that of its
libraries, and mlir-opt and mlir-runner are upstream's; %plugin_opt is mlir-opt with the
project's plugin, and %cpu_runtime the library that its code calls; %gpu_runtime is what
upstream's GPU host code calls, and %logged_runtime the same without a GPU.

Features: plugin, where one is built; cuda, where a driver and a device are there; ptxas, where NVIDIA's
assembler is on the path or in /usr/local/cuda (%cuda_toolkit is its folder's parent); x86_64, avx2 and avx512, the
levels of --target=cpu:LEVEL that the processor has; large, for tests that take minutes,
with SPARSECONV_LARGE=1 in the environment; jax and torch-mlir, where the Python that
SPARSECONV_JAX_PYTHON or SPARSECONV_TORCH_PYTHON names (by default %python) has jax, or
torch and iree-base-compiler: %jax_python, and %torch_python with its %iree_opt; torch,
where the latter variable's Python has torch and numpy: %eager_python, for which
%examples is the folder of the examples;
mlir-python, where SPARSECONV_MLIR_PYTHON names a Python with MLIR's bindings: %mlir_python;
matplotlib, where %python has it.

SPARSECONV_VERIFY_ROUNDTRIP=1 in the environment runs only the tests that use
sparseconv-opt, each with --verify-roundtrip: what was parsed is printed, as
text and as bytecode, parsed again and compared.
"""

import ctypes
import os
import platform
import shutil
import subprocess
import sys

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

sys.path.insert(0, os.path.dirname(__file__))
from opt_tests import OptTests

verify_roundtrip = os.environ.get("SPARSECONV_VERIFY_ROUNDTRIP") == "1"


def has_cuda_device():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return (
        driver.cuInit(0) == 0
        and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
        and count.value > 0
    )


def get_cpu_levels():
    if platform.machine() != "x86_64":
        return []
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = [line for line in file if line.startswith("flags")]
    except OSError:
        lines = []
    flags = set(lines[0].split()) if lines else set()
    levels = ["x86_64"]
    if {"avx2", "fma"} <= flags:
        levels.append("avx2")
    if {"avx512f", "avx512vl", "avx512dq"} <= flags:
        levels.append("avx512")
    return levels


def has_modules(python, *modules):
    find = "import sys; from importlib.util import find_spec as find"
    find += "; sys.exit(not all(map(find, sys.argv[1:])))"
    command = [python, "-c", find, *modules]
    try:
        found = subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return False
    return found.returncode == 0


def find_python(variable, *modules):
    """The Python that a variable of the environment names, if it has modules."""
    python = os.environ.get(variable, config.python_executable)
    return python if has_modules(python, *modules) else None


config.name = "sparseconv"
format_class = OptTests if verify_roundtrip else lit.formats.ShTest
config.test_format = format_class(execute_external=not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["CMakeLists.txt", "Fuzz", "Inputs", "Package"]
config.excludes += ["lit.cfg.py", "opt_tests.py", "assemble.py", "assemble_operations.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.sparseconv_obj_root, "test")

tools_dir = os.path.join(config.sparseconv_obj_root, "bin")
opt_arguments = ["--verify-roundtrip"] if verify_roundtrip else []
llvm_config.with_environment("PATH", [tools_dir, config.llvm_tools_dir], append_path=True)
llvm_config.with_environment("FILECHECK_OPTS", "-enable-var-scope")
# Threads that wait for work leave the cores to the tests beside them.
llvm_config.with_environment("KMP_BLOCKTIME", "0")
# Which of the mutants that scripts/mutate builds together the tools are.
llvm_config.with_system_environment("SPARSECONV_MUTANT")
llvm_config.add_tool_substitutions(
    [
        ToolSubst("sparseconv-opt", extra_args=opt_arguments, unresolved="ignore"),
        ToolSubst("sparseconv-run", unresolved="ignore"),
        ToolSubst("sparseconv-translate", unresolved="ignore"),
        ToolSubst("sparseconv-lsp-server", unresolved="ignore"),
        ToolSubst("sparseconv-serve", unresolved="ignore"),
        ToolSubst("sparseconv-tune", unresolved="ignore"),
        ToolSubst("sparseconv-fuzz-operations", unresolved="ignore"),
        ToolSubst("sparseconv-sweep", unresolved="ignore"),
        ToolSubst("gpu-gemm-kernels", unresolved="ignore"),
        ToolSubst("capi-arguments", unresolved="ignore"),
        ToolSubst("capi-compile", unresolved="ignore"),
        ToolSubst("capi-dialects", unresolved="ignore"),
        ToolSubst("mlir-opt", unresolved="ignore"),
        ToolSubst("mlir-runner", unresolved="ignore"),
        "FileCheck",
        "count",
        "mlir-tblgen",
        "not",
        "split-file",
    ],
    [tools_dir, config.llvm_tools_dir],
)
llvm_config.with_environment(
    "PYTHONPATH", os.path.join(config.sparseconv_src_root, "python")
)
libraries = os.path.join(config.sparseconv_obj_root, "lib")
llvm_config.with_environment(
    "SPARSECONV_COMPILER", os.path.join(libraries, "libsparseconv-compiler.so")
)
llvm_config.with_environment(
    "SPARSECONV_RUNTIME",
    os.path.join(libraries, "libsparseconv-runtime.so"),
)
config.substitutions.append(("%python", f'"{config.python_executable}"'))
config.substitutions.append(("%mlir_include", config.mlir_include_dir))
config.substitutions.append(("%mlir_lib", os.path.join(config.llvm_tools_dir, os.pardir, "lib")))
config.substitutions.append(
    ("%scripts", os.path.join(config.sparseconv_src_root, "scripts"))
)
config.substitutions.append(
    ("%match", os.path.join(config.test_source_root, "Execution", "match_lines.py"))
)
config.substitutions.append(
    ("%networks", os.path.join(config.test_source_root, "Networks"))
)

# Upstream's tools are not instrumented, and cannot load what is.
plugin = os.path.join(libraries, "SparseConvPlugin.so")
if os.path.exists(plugin) and not config.sparseconv_sanitize:
    config.available_features.add("plugin")
    loads = f"--load-dialect-plugin={plugin} --load-pass-plugin={plugin}"
    config.substitutions.append(("%plugin_opt", f"mlir-opt {loads}"))
    config.substitutions.append(
        ("%cpu_runtime", os.path.join(libraries, "libsparseconv-cpu-runtime.so"))
    )
    for name in ("gpu", "logged"):
        library = os.path.join(libraries, f"libsparseconv-test-{name}-runtime.so")
        config.substitutions.append((f"%{name}_runtime", library))

config.substitutions.append(("%test_docs", os.path.join(config.test_source_root, "Docs")))
config.substitutions.append(("%docs", os.path.join(config.sparseconv_src_root, "docs")))
config.substitutions.append(("%build", config.sparseconv_obj_root))

if config.sparseconv_sanitize:
    # libMLIR is not instrumented: it poisons its arenas by hand.
    llvm_config.with_environment("ASAN_OPTIONS", "allow_user_poisoning=0")
    llvm_config.with_environment("UBSAN_OPTIONS", "print_stacktrace=1")
    config.available_features.add("sanitize")

if os.environ.get("SPARSECONV_LARGE") == "1":
    config.available_features.add("large")

ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(ptxas)))
    config.substitutions.append(("%cuda_toolkit", toolkit))

if has_cuda_device():
    config.available_features.add("cuda")
else:
    lit_config.note("feature 'cuda' is missing: no driver, or no device")

packages = os.path.join(config.sparseconv_obj_root, "python_packages", "sparseconv")
config.substitutions.append(("%bindings", packages))
python_sources = os.path.join(config.sparseconv_src_root, "python")
config.substitutions.append(("%sparseconv_python", python_sources))
mlir_c = os.path.join(libraries, "libsparseconv-test-mlir-c.so")
config.substitutions.append(("%mlir_c", mlir_c))
own_mlir = os.path.join(libraries, "libsparseconv-test-own-mlir.so")
config.substitutions.append(("%own_mlir", own_mlir))
llvm_config.with_environment("SPARSECONV_PLUGIN", plugin)
if has_modules(config.python_executable, "matplotlib"):
    config.available_features.add("matplotlib")
else:
    lit_config.note("feature 'matplotlib' is missing: %python has no matplotlib")
mlir_python = find_python("SPARSECONV_MLIR_PYTHON", "mlir.ir")
if mlir_python:
    config.available_features.add("mlir-python")
    config.substitutions.append(("%mlir_python", f'"{mlir_python}"'))
else:
    lit_config.note("feature 'mlir-python' is missing: SPARSECONV_MLIR_PYTHON has no mlir")

jax_python = find_python("SPARSECONV_JAX_PYTHON", "jax")
if jax_python:
    config.available_features.add("jax")
    config.substitutions.append(("%jax_python", f'env JAX_PLATFORMS=cpu "{jax_python}"'))
else:
    lit_config.note("feature 'jax' is missing: SPARSECONV_JAX_PYTHON has no jax")

torch_python = find_python(
    "SPARSECONV_TORCH_PYTHON", "torch", "iree.compiler.extras.fx_importer"
)
if torch_python:
    config.available_features.add("torch-mlir")
    iree_opt = os.path.join(os.path.dirname(torch_python), "iree-opt")
    config.substitutions.append(("%torch_python", f'"{torch_python}"'))
    config.substitutions.append(("%iree_opt", f'"{iree_opt}"'))
else:
    lit_config.note(
        "feature 'torch-mlir' is missing: SPARSECONV_TORCH_PYTHON has no torch, or no "
        "iree-base-compiler"
    )

examples = os.path.join(config.sparseconv_src_root, "python", "examples")
config.substitutions.append(("%examples", examples))
eager_python = find_python("SPARSECONV_TORCH_PYTHON", "torch", "numpy")
if eager_python:
    config.available_features.add("torch")
    config.substitutions.append(("%eager_python", f'"{eager_python}"'))
else:
    lit_config.note("feature 'torch' is missing: SPARSECONV_TORCH_PYTHON has no torch")

cpu_levels = get_cpu_levels()
config.available_features.update(cpu_levels)
for level in ("avx2", "avx512"):
    if level not in cpu_levels:
        lit_config.note(f"feature '{level}' is missing: the processor has none")
config.substitutions.append(("%features", " ".join(sorted(config.available_features))))
