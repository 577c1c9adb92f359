# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU target: a process of `sparseconv-serve` that compiles a network once
and runs its functions.

Machine code and its thread pool stay out of the caller's process. So the caller
needs no LLVM, clashes with no other copy of LLVM or OpenMP, and survives whatever
happens to the compiler. Arrays go through pipes."""

import json
import os
import re
import select
import signal
import subprocess
import threading

import numpy as np

from . import progress
from .arrays import get_numpy_dtype
from .compiler import find_program
from .errors import ArgumentError, CompileError, Error, shorten

_NAMES = {
    "i1": "bool", "i8": "int8", "ui8": "uint8", "i16": "int16", "i32": "int32",
    "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32",
    "f64": "float64",
}  # fmt: skip
_KINDS = {name: kind for kind, name in _NAMES.items()}
#: What a function says of arguments that do not fit each other; sizes that do not fit a
#: function never get that far.
_UNEQUAL_ROWS = re.compile(r"'.*' has \d+ rows, but '.*' has \d+: both need the same number")

#: Processes of a parent, whose pipes are never closed here by what buffers them.
_inherited = []


class Server:
    """A module in a process of its own. Calls from several threads take turns.

    A call that is interrupted half way, by Ctrl-C for example, leaves a process
    of which nobody knows what it will send next. That process is ended, and the
    next call starts another one, which compiles the network again. So does the
    next call after one in which the process has died, and a call in a process
    that was forked from this one."""

    def __init__(self, text, name, target, num_threads=None, time_limit=None,
                 tuning_database=None):  # fmt: skip
        self._command = [find_program("sparseconv-serve"), f"--target={target}"]
        if num_threads:
            self._command.append(f"--num-threads={num_threads}")
        if tuning_database is not None:
            self._command.append(f"--tuning-database={os.fsdecode(tuning_database)}")
        self._text, self._name, self._time_limit = text, name, time_limit
        self._lock, self._locker = threading.Lock(), os.getpid()
        self._process = self._owner = None
        with self._lock:
            self._start()

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
        if self._locker != os.getpid():
            # Another thread may have held it when the process was forked.
            self._lock, self._locker = threading.Lock(), os.getpid()
        with self._lock:
            if self._is_busy or self._process is None or self._owner != os.getpid():
                self._start()
            return self._exchange(request, [a.reshape(-1).view(np.uint8) for a in arrays])

    def _start(self):
        """Starts a process and lets it compile."""
        self._end()
        #: Whether an exchange has begun and not come to its end.
        self._is_busy = True
        #: Of the last request; the first one is to compile.
        self._number = 0
        self._diagnostics = os.memfd_create("sparseconv-diagnostics")
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._diagnostics,
            env=dict(os.environ, LLVM_DISABLE_SYMBOLIZATION="1"),
            # Not in the terminal's group: Ctrl-C is for this process, which
            # says what becomes of the other.
            start_new_session=True,
        )
        self._owner = os.getpid()
        request = {"module": len(self._text), "name": self._name}
        try:
            with progress.show(f"compiling {os.path.basename(self._name)}"):
                reply = self._ask(request, [self._text], self._time_limit)
        except BaseException:
            self._end()
            raise
        if "error" in reply:
            text = self._read_diagnostics()
            self._end()
            lines = [line for line in text.splitlines() if "error: " in line]
            message = lines[0] if lines else reply["error"]
            raise CompileError(message, "SPARSECONV_COMPILER_REJECTED", text)
        self.functions = reply["functions"]
        self.diagnostics = self._read_diagnostics()
        self._is_busy = False

    def _exchange(self, request, parts):
        """Sends a request and reads all of its reply, or ends the process."""
        self._is_busy = True
        try:
            reply = self._ask(request, parts)
            results = [self._read_array(value) for value in reply.get("results", ())]
        except BaseException:
            self._end()
            raise
        self._is_busy = False
        if "error" in reply:
            if _UNEQUAL_ROWS.fullmatch(reply["error"]):
                raise ArgumentError(reply["error"], "SPARSECONV_INVALID_ARGUMENT")
            raise Error(reply["error"], "SPARSECONV_PROGRAM_ERROR")
        return results

    def _ask(self, request, parts, time_limit=None):
        line = b""
        self._number += 1
        try:
            request = json.dumps(dict(request, id=self._number))
            self._process.stdin.write(request.encode() + b"\n")
            for part in parts:
                self._process.stdin.write(part)
            self._process.stdin.flush()
            if time_limit:
                ready, _, _ = select.select([self._process.stdout], [], [], time_limit)
                if not ready:
                    raise CompileError(
                        f"the compiler did not end within {time_limit:g} seconds",
                        "SPARSECONV_COMPILER_TIME_LIMIT",
                        self._read_diagnostics(),
                    )
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = self._process.stdout.readline()  # why it reads no more
        if not line.endswith(b"\n"):
            raise self._make_crash()
        reply = json.loads(line)
        if reply.get("id") != self._number:
            raise Error(
                f"the process that runs the network answers request {reply.get('id')}, "
                f"not {self._number}"
            )
        return reply

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
        status = self._close()
        how = f"with status {status}"
        if status < 0:
            name = signal.strsignal(-status)
            how = f"by signal {-status} ({name})"
        text, code = self._read_diagnostics(), "SPARSECONV_COMPILER_CRASHED"
        if self._number == 1:
            return CompileError(f"the process that compiles the network ended {how}", code, text)
        printed = text.removeprefix(self.diagnostics).strip().partition("\n")[0]
        reason = f": {shorten(printed)}" if printed else ""
        return Error(f"the process that runs the network ended {how}{reason}", code)

    def _read_diagnostics(self):
        size = os.fstat(self._diagnostics).st_size
        return os.pread(self._diagnostics, size, 0).decode(errors="replace")

    def _close(self):
        """Waits for the process to end with its input; returns its status."""
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                pipe.close()
            except OSError:
                pass
        return self._process.wait()

    def _end(self):
        """Ends the process, whatever it does, and drops what belongs to it."""
        process, self._process = self._process, None
        if process is None:
            return
        os.close(self._diagnostics)
        if self._owner != os.getpid():
            # The process is the parent's. A thread of it may have been at a pipe when
            # this process was forked: what it left there is not to be written.
            _inherited.append(process)
            for pipe in (process.stdin, process.stdout):
                os.close(pipe.fileno())
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            try:
                pipe.close()
            except OSError:
                pass
        process.wait()

    def __del__(self):
        if getattr(self, "_process", None) is not None:
            self._end()
