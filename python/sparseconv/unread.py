# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs on a GPU that nobody waits for, as the sizes of their results are known. What
they report is raised late, as torch does with what its kernels find."""

import threading

from .errors import Error


def is_late(error):
    """Whether an error is what an earlier run reports, which is told only once."""
    return getattr(error, "is_late", False)


class Unread:
    """Instances with such runs, those first whose last run is the longest ago."""

    def __init__(self):
        self._instances = {}  # as an ordered set
        self._lock = threading.Lock()

    def add(self, instance):
        """An instance has been given a run. It is kept until that is looked at."""
        with self._lock:
            self._instances.pop(instance, None)
            self._instances[instance] = True

    def look(self, wait=False, all=False):
        """Raises what a run reports. Without `wait` nothing is waited for: it looks at
        runs that have ended, and where one has not, at none behind it, unless
        `all` says so."""
        if not self._instances:
            return
        with self._lock:
            for instance in list(self._instances):
                try:
                    has_ended = instance.check(wait)
                except Error as error:
                    error.is_late = True
                    raise
                if has_ended:
                    del self._instances[instance]
                elif not all:
                    return
