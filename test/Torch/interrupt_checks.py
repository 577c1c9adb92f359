# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C while a layer is compiled, and while layers run: KeyboardInterrupt comes at once,
the compiler ends, nothing half written stays behind, and the next call works."""

import os
import signal
import tempfile
import threading
import time

import sparseconv.torch as sct
import torch
import torch_checks
from sparseconv.torch import ir, programs
from torch_checks import check, expect, expect_close, make_tensor

#: Seconds; a signal comes within two ticks of the compiler's library, of 50 ms each.
SOON = 2.0

SLOW_COMPILER = """#!/bin/sh
echo $$ > {mark}
exec sleep 60
"""


def get_children():
    """Processes that this one has started and not yet waited for."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{int(entry)}/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
        except (ValueError, OSError):
            continue
        if int(fields[1]) == os.getpid():
            found.append(int(entry))
    return found


def interrupt_when(condition):
    """Sends SIGINT to this process once a condition holds; returns when it did. A thread
    other than the main one takes it, as may happen to any signal, which wakes nobody."""
    times = []

    def work():
        end = time.monotonic() + 60
        while not condition() and time.monotonic() < end:
            time.sleep(0.01)
        times.append(time.monotonic())
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    threading.Thread(target=work, daemon=True).start()
    return times


def expect_interrupt(times, function):
    try:
        function()
    except KeyboardInterrupt:
        late = time.monotonic() - times[0]
        expect(late < SOON, f"the interrupt came {late:.2f} s late")
        return
    raise AssertionError("the interrupt did not come")


@check
def compilations(device):
    before = get_children()
    x, _ = make_tensor(3, 4, device)
    with tempfile.TemporaryDirectory() as folder:
        mark, cache = os.path.join(folder, "mark"), os.path.join(folder, "cache")
        slow = os.path.join(folder, "sparseconv-translate")
        with open(slow, "w", encoding="utf-8") as file:
            file.write(SLOW_COMPILER.format(mark=mark))
        os.chmod(slow, 0o755)
        saved = {name: os.environ.get(name) for name in ("SPARSECONV_TOOLS", "SPARSECONV_CACHE")}
        os.environ.update(SPARSECONV_TOOLS=folder, SPARSECONV_CACHE=cache)
        programs._get_compiler_mark.cache_clear()
        try:
            times = interrupt_when(lambda: os.path.exists(mark) and os.path.getsize(mark))
            layer = sct.SubMConv3d(4, 12, 3).to(device)
            expect_interrupt(times, lambda: layer(x))
            expect(get_children() == before, "the compiler is still there")
            left = os.listdir(cache) if os.path.exists(cache) else []
            expect(not left, f"files stayed behind: {left}")
        finally:
            for name, value in saved.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
            programs._get_compiler_mark.cache_clear()
        expect(layer(x).features.shape[1] == 12)


@check
def files(device):
    # An interrupt after the plan was made and before its file has its name.
    text, replace = ir.transpose_table(6, False), os.replace

    def fail(*_):
        raise KeyboardInterrupt

    with tempfile.TemporaryDirectory() as cache:
        saved, os.environ["SPARSECONV_CACHE"] = os.environ.get("SPARSECONV_CACHE"), cache
        os.replace = fail
        try:
            programs.get_plan(text, "cpu:sse2")
        except KeyboardInterrupt:
            pass
        finally:
            os.replace = replace
            os.environ.pop("SPARSECONV_CACHE")
            if saved is not None:
                os.environ["SPARSECONV_CACHE"] = saved
        expect(not os.listdir(cache), f"files stayed behind: {os.listdir(cache)}")


@check
def runs(device):
    x, _ = make_tensor(3, 4, device, size=40, rows=20000)
    net = sct.SparseSequential(sct.SubMConv3d(4, 16, 3), sct.SubMConv3d(16, 16, 3)).to(device)
    expected = net(x).features.detach()
    steps = []

    def train():
        end = time.monotonic() + 60
        while time.monotonic() < end:
            y = net(x).features
            y.square().mean().backward()
            steps.append(y.detach())

    for number in (1, 3, 6):
        steps.clear()
        times = interrupt_when(lambda: len(steps) > number)  # noqa: B023
        expect_interrupt(times, train)
        expect(torch.equal(steps[0], expected), "a run after an interrupt gives other bits")
    net.zero_grad()
    net(x).features.sum().backward()
    rows = torch.full_like(net[1].bias.grad, float(len(expected)))
    expect_close(net[1].bias.grad, rows, 1e-5)


if __name__ == "__main__":
    # A shell lets its jobs in the background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    torch_checks.run()
