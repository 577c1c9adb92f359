# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structures of the C interface of the runtime."""

import ctypes


class ValueInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
    ]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("bytes", ctypes.c_uint64),
    ]


class StepInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("operation", ctypes.c_char_p),
        ("location", ctypes.c_char_p),
    ]


class InstanceInfo(ctypes.Structure):
    _fields_ = [
        ("arena_bytes", ctypes.c_uint64),
        ("scratch_bytes", ctypes.c_uint64),
        ("num_steps", ctypes.c_int64),
        ("num_streams", ctypes.c_int32),
        ("reports", ctypes.c_int32),
        ("num_growables", ctypes.c_int64),
    ]


class GrowableInfo(ctypes.Structure):
    _fields_ = [
        ("operation", ctypes.c_char_p),
        ("location", ctypes.c_char_p),
        ("capacity", ctypes.c_int64),
        ("bound", ctypes.c_int64),
    ]
