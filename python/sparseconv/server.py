# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU target: a process of `sparseconv-serve` that compiles a network once
and runs its functions.

Machine code and its thread pool stay out of the caller's process: that needs no
LLVM, clashes with no other copy of LLVM or OpenMP, and survives whatever happens
to the compiler. Arrays go through pipes."""

import json
import os
import select
import signal
import subprocess
import threading

import numpy as np

from .arrays import get_numpy_dtype
from .compiler import find_program
from .errors import CompileError, Error

_NAMES = {
    "i1": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32",
    "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32",
    "f64": "float64",
}  # fmt: skip
_KINDS = {name: kind for kind, name in _NAMES.items()}


class Server:
    """A module in a process of its own. Calls from several threads take turns."""

    def __init__(self, text, name, target, num_threads=None, time_limit=None):
        command = [find_program("sparseconv-serve"), f"--target={target}"]
        if num_threads:
            command.append(f"--num-threads={num_threads}")
        self._lock = threading.Lock()
        self._diagnostics = os.memfd_create("sparseconv-diagnostics")
        environment = dict(os.environ, LLVM_DISABLE_SYMBOLIZATION="1")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._diagnostics,
            env=environment,
        )
        request = {"module": len(text), "name": name}
        reply = self._ask(request, [text], time_limit)
        if "error" in reply:
            self.close()
            text = self._read_diagnostics()
            lines = [line for line in text.splitlines() if "error: " in line]
            message = lines[0] if lines else reply["error"]
            raise CompileError(message, "SPARSECONV_COMPILER_REJECTED", text)
        self.functions = reply["functions"]
        self.diagnostics = self._read_diagnostics()

    @staticmethod
    def get_dtype(value):
        return _NAMES[value["dtype"]]

    def call(self, function, values, arrays):
        """The results of a function on numpy arrays that fit its inputs."""
        arguments = [
            {"dtype": _KINDS[value.dtype], "shape": list(array.shape)}
            for value, array in zip(values, arrays)
        ]
        request = {"call": function, "arguments": arguments}
        with self._lock:
            reply = self._ask(request, [a.reshape(-1).view(np.uint8) for a in arrays])
            if "error" in reply:
                raise Error(reply["error"], "SPARSECONV_PROGRAM_ERROR")
            return [self._read_array(value) for value in reply["results"]]

    def _ask(self, request, parts, time_limit=None):
        if self._process.stdin.closed:
            raise self._make_crash()
        line = b""
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            for part in parts:
                self._process.stdin.write(part)
            self._process.stdin.flush()
            if time_limit:
                ready, _, _ = select.select([self._process.stdout], [], [], time_limit)
                if not ready:
                    self._process.kill()
                    self.close()
                    raise CompileError(
                        f"the compiler did not end within {time_limit:g} seconds",
                        "SPARSECONV_COMPILER_TIME_LIMIT",
                        self._read_diagnostics(),
                    )
            line = self._process.stdout.readline()
        except BrokenPipeError:
            pass
        if not line.endswith(b"\n"):
            raise self._make_crash()
        return json.loads(line)

    def _read_array(self, value):
        dtype = get_numpy_dtype(self.get_dtype(value))
        array = np.empty(value["shape"], dtype)
        target = memoryview(array.reshape(-1).view(np.uint8))
        while target:
            count = self._process.stdout.readinto(target)
            if not count:
                raise self._make_crash()
            target = target[count:]
        return array

    def _make_crash(self):
        status = self.close()
        how = f"with status {status}"
        if status < 0:
            name = signal.strsignal(-status)
            how = f"by signal {-status} ({name})"
        return CompileError(
            f"the process that runs the network ended {how}",
            "SPARSECONV_COMPILER_CRASHED",
            self._read_diagnostics(),
        )

    def _read_diagnostics(self):
        size = os.fstat(self._diagnostics).st_size
        return os.pread(self._diagnostics, size, 0).decode(errors="replace")

    def close(self):
        """Ends the process; returns its exit status."""
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                pipe.close()
            except OSError:
                pass
        return self._process.wait()

    def __del__(self):
        if hasattr(self, "_process"):
            self.close()
        if hasattr(self, "_diagnostics"):
            os.close(self._diagnostics)
