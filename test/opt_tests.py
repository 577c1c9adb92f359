"""A test format of lit: the shell tests that name sparseconv-opt.

In a module of its own because lit sends formats to its worker processes by
name, which a class in lit.cfg.py does not have.
"""

import re

import lit.formats

RUN_LINE = re.compile(r"RUN:.*\bsparseconv-opt\b")


class OptTests(lit.formats.ShTest):
    def getTestsForPath(self, suite, path, lit_config, local_config):
        for test in super().getTestsForPath(suite, path, lit_config, local_config):
            with open(test.getSourcePath(), encoding="utf-8") as source:
                if RUN_LINE.search(source.read()):
                    yield test
