# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler, through its C interface: each compilation is a process of its
own, whose end of whatever kind comes back as a `CompileError`."""

import ctypes
import os
import threading

from . import progress
from .errors import CompileError
from .libraries import open_library


class _Options(ctypes.Structure):
    _fields_ = [
        ("target", ctypes.c_char_p),
        ("chip", ctypes.c_char_p),
        ("entry", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("tools", ctypes.c_char_p),
        ("time_limit", ctypes.c_double),
        ("tuning_database", ctypes.c_char_p),
        ("cancel", ctypes.POINTER(ctypes.c_int)),
        ("trust_tables", ctypes.c_int),
    ]


_library = None


def _get_library():
    global _library
    if _library is None:
        library = open_library("compiler", "SPARSECONV_COMPILER", "sparseconv_compile")
        library.sparseconv_compiler_code_name.restype = ctypes.c_char_p
        for part in ("message", "diagnostics"):
            function = getattr(library, "sparseconv_compilation_" + part)
            function.restype = ctypes.c_char_p
            function.argtypes = [ctypes.c_void_p]
        for part in ("artifact", "ptx"):
            function = getattr(library, "sparseconv_compilation_" + part)
            function.restype = ctypes.c_void_p
            function.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        library.sparseconv_compilation_destroy.argtypes = [ctypes.c_void_p]
        library.sparseconv_compilation_destroy.restype = None
        _library = library
    return _library


def find_program(name):
    """The path of one of the compiler's programs."""
    path = ctypes.create_string_buffer(4096)
    code = _get_library().sparseconv_compiler_find_program(
        None, name.encode(), path, ctypes.c_uint64(len(path))
    )
    text = path.value.decode(errors="replace")
    if code:
        code_name = _get_library().sparseconv_compiler_code_name(code)
        raise CompileError(text, code_name.decode())
    return text


def make_list(value):
    """Words or paths as a list, of which one may come without."""
    return [value] if isinstance(value, (str, bytes, os.PathLike)) else list(value)


class Compilation:
    """A plan as bytes, the PTX in it, and what the compiler printed. Where Ctrl-C
    interrupts it, or another exception of a signal handler, the compiler is ended."""

    def __init__(self, text, chip=None, entry=None, name=None, time_limit=None,
                 tuning_database=None, target=None, trust_tables=False):  # fmt: skip
        def encode(word):
            return None if word is None else word.encode()

        cancel = ctypes.c_int(0)
        options = _Options(
            encode(target), encode(chip), encode(entry), encode(name), None, time_limit or 0,
            None if tuning_database is None else os.fsencode(tuning_database),
            ctypes.pointer(cancel), trust_tables,
        )  # fmt: skip
        with progress.show(f"compiling {os.path.basename(name or 'a network')}"):
            code, message = self._run(text, options, cancel)
        if code:
            code_name = _get_library().sparseconv_compiler_code_name(code).decode()
            raise CompileError(message, code_name, self.diagnostics)

    def _run(self, text, options, cancel):
        """Signal handlers run in the main thread, but not within a call of the
        library. So that thread waits for another one, which owns what the call
        makes, also when nobody waits any more."""
        if threading.current_thread() is not threading.main_thread():
            return self._compile(text, options)
        outcome, done = [], threading.Event()

        def work():
            try:
                outcome.append(self._compile(text, options))
            except BaseException as error:
                outcome.append(error)
            done.set()

        try:
            threading.Thread(target=work, name="sparseconv-compile", daemon=True).start()
            # A signal that the kernel hands to another thread does not wake this one.
            while not done.wait(0.1):
                pass
        except BaseException:
            cancel.value = 1
            done.wait(5)  # the compiler ends at once; a thread that never began does not
            raise
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]

    def _compile(self, text, options):
        """Its code and message."""
        library = _get_library()
        handle = ctypes.c_void_p()
        code = library.sparseconv_compile(
            text, ctypes.c_uint64(len(text)), ctypes.byref(options), ctypes.byref(handle)
        )
        try:
            message = library.sparseconv_compilation_message(handle).decode(
                errors="replace"
            )
            self.diagnostics = library.sparseconv_compilation_diagnostics(handle).decode(
                errors="replace"
            )
            self.plan = self._read(library.sparseconv_compilation_artifact, handle)
            self.ptx = self._read(library.sparseconv_compilation_ptx, handle).decode()
        finally:
            library.sparseconv_compilation_destroy(handle)
        return code, message

    @staticmethod
    def _read(function, handle):
        size = ctypes.c_uint64()
        data = function(handle, ctypes.byref(size))
        return ctypes.string_at(data, size.value)
