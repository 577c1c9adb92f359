# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says on a terminal what takes long.

    for scan in sparseconv.progress.track(scans, "running"):
        net.main(scan.points, scan.features)

What takes longer than half a second has a line on stderr, which is erased at its
end: compiling a network (here and at the first call of a layer of
`sparseconv.torch`), `sparseconv.tune`, and loops in `track`. There is no line where
stderr is not a terminal, where SPARSECONV_PROGRESS is "0" in the environment, and
after `enable(False)`.
"""

import contextlib
import os
import shutil
import sys
import threading
import time

from .errors import ArgumentError

__all__ = ["enable", "is_enabled", "show", "track"]

#: Seconds before a line appears, and between two states of it.
_DELAY, _INTERVAL = 0.5, 0.1
_BAR = 24

_enabled = None
_lock = threading.Lock()
_has_line = False


def enable(on=True):
    """Turns progress on or off for this process; `None` leaves it to the
    environment, as it is at the start. On a stderr that is no terminal there is
    none in any case. Anything else is an `ArgumentError`.

        sparseconv.progress.enable(False)
    """
    global _enabled
    if on not in (True, False, None):
        raise ArgumentError(f"expects True, False or None, but found {on!r}")
    _enabled = on


def is_enabled():
    """Whether what takes long would have a line on stderr just now."""
    wanted = os.environ.get("SPARSECONV_PROGRESS") != "0" if _enabled is None else _enabled
    try:
        return wanted and sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False  # there is no stderr, or it is closed


def format_time(seconds):
    """A number of seconds as text, such as "7 s" or "2 min 05 s"."""
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


class _Line:
    """A line about work under way, written by a thread of its own, since the work
    may be one long call. Of several at a time the first one is shown."""

    def __init__(self, label):
        self.label, self.note = label, ""
        self.done, self.total = 0, None
        self._begin = time.monotonic()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def _describe(self):
        passed = time.monotonic() - self._begin
        parts = [self.label]
        if self.total:
            filled = min(_BAR, _BAR * self.done // self.total)
            parts.append(f"[{'#' * filled}{'.' * (_BAR - filled)}] {self.done}/{self.total}")
        elif self.done:
            parts.append(f"{self.done} done")
        parts.append(format_time(passed))
        if self.total and 0 < self.done < self.total:
            left = passed / self.done * (self.total - self.done)
            parts.append(f"about {format_time(left)} left")
        if self.note:
            parts.append(self.note)
        return ", ".join(parts)

    def _write(self):
        global _has_line
        if self._end.wait(_DELAY):
            return
        with _lock:
            if _has_line:
                return
            _has_line = True
        try:
            self._draw()
            while not self._end.wait(_INTERVAL):
                self._draw()
            self._draw()  # what came since, even if it is there for a moment only
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        except (OSError, ValueError):
            pass  # the terminal is gone
        finally:
            with _lock:
                _has_line = False

    def _draw(self):
        width = max(20, shutil.get_terminal_size().columns) - 1
        sys.stderr.write("\r\x1b[K" + self._describe()[:width])
        sys.stderr.flush()

    def close(self):
        self._end.set()
        self._thread.join()


class _NoLine:
    """What stands for a line where there is none."""

    label, note, done, total = "", "", 0, None

    def close(self):
        pass


@contextlib.contextmanager
def show(label, total=None):
    """A line for as long as a block runs. What it gives has `done`, a number of
    steps to be raised on the way to `total`, and `note`, a few words.

        with sparseconv.progress.show("training", total=epochs) as line:
            for epoch in range(epochs):
                line.note = f"loss {train():.3f}"
                line.done += 1
    """
    line = _Line(label) if is_enabled() else _NoLine()
    line.total = total
    try:
        yield line
    finally:
        line.close()


def track(items, label="running", total=None):
    """Gives the items of an iterable, with a line that says how many are done, and
    how long the rest will take where their number is known: `len(items)`, or
    `total`.

        for scan in sparseconv.progress.track(scans, "running"):
            ...
    """
    if total is None and hasattr(items, "__len__"):
        total = len(items)
    with show(label, total) as line:
        for item in items:
            yield item
            line.done += 1
