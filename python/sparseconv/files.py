# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are there as a whole, or not at all."""

import contextlib
import os
import secrets
import shutil


@contextlib.contextmanager
def replace(path):
    """A file to write bytes to, which takes the place of the one at a path once all of it
    is there. Where that fails, the old one stays."""
    path = os.fsdecode(path)
    if os.path.exists(path) and not os.path.isfile(path):
        # A device or a pipe has nothing to lose. A folder is an error.
        with open(path, "wb") as file:
            yield file
        return
    path = os.path.realpath(path)  # a symbolic link stays one
    # In the same folder, as a file moves at once within a file system alone.
    temporary = f"{path}.{secrets.token_hex(4)}.tmp"
    try:
        with open(temporary, "xb") as file:
            yield file
        with contextlib.suppress(OSError):
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename == temporary:
            error.filename = path  # the name that the caller knows
        raise


def write(path, content):
    """Writes bytes to a file, as a whole or not at all."""
    with replace(path) as file:
        file.write(content)
