# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of compiled networks on a CPU: in a process of their own, and of
plans, in this one."""

import collections

from . import arrays as array_views
from .errors import ArgumentError
from .functions import Function


class _HostFunction(Function):
    """On numpy arrays alone."""

    def _view_bound(self, value, argument):
        device = array_views.get_device(argument)
        if device is not None:
            raise ArgumentError(
                f"function '{self.name}': expects '{value.name}' in host memory, "
                f"but found it on GPU {device}; the module is compiled for "
                f"{self.module.target}"
            )
        return self._view_host(value, argument)

    def __call__(self, /, *arrays, exact=True, **named):
        bound = self._bound
        arguments = self._gather(arrays, named, bound)
        views = [self._view_bound(v, a) for v, a in zip(bound.free, arguments)]
        return self._return(self._call(bound, views))


class CpuFunction(_HostFunction):
    def _call(self, bound, views):
        return self.module._server.call(self.name, self.inputs, bound.fill(views))


class CpuPlanFunction(_HostFunction):
    """Calls from several threads run side by side. Instances that no call has are
    idle; they hold nothing but what is bound."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._idle = collections.deque()  # of what is bound and an instance

    def _set_bound(self, bound):
        super()._set_bound(bound)
        self._idle.clear()

    def _call(self, bound, views):
        instance = self._take(bound)
        try:
            return instance.run(*views)
        finally:
            self._give_back(bound, instance)

    def _take(self, bound):
        return self._find_idle(bound) or self._make_instance(bound)

    def _give_back(self, bound, instance):
        if bound is self._bound:
            self._idle.append((bound, instance))

    def _find_idle(self, bound):
        while True:
            try:
                known, instance = self._idle.pop()
            except IndexError:
                return None
            if known is bound:
                return instance

    def _make_instance(self, bound):
        unknown = sum(value.shape.count(None) for value in self.inputs)
        instance = self.module._get_program().instance(self.name, [0] * unknown)
        if not bound.is_empty:
            instance.bind(0, [
                view if view is None else (view.ctypes.data, view.shape, view.nbytes)
                for view in bound.views
            ])  # fmt: skip
        return instance
