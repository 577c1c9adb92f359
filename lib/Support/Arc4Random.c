/*===- Arc4Random.c - what glibc 2.35 lacks ----------------------------------===*\
|*                                                                            *|
|* Part of the sparseconv project, under the Apache License v2.0 with LLVM    *|
|* Exceptions. See LICENSE for licence information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The archives of Debian 12 (LLVM's, libstdc++ and libarchive) call          *|
|* arc4random, which glibc has since 2.36. A static build takes it from here, *|
|* so that it runs on glibc 2.35, which Ubuntu 22.04 has. The symbols are     *|
|* hidden: a program that loads our libraries keeps its own.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void arc4random_buf(void *buffer, size_t size) {
  char *bytes = buffer;
  while (size != 0) {
    size_t step = size < 256 ? size : 256; /* the most that getentropy gives */
    if (getentropy(bytes, step) != 0)
      abort(); /* glibc's own ends the program, too */
    bytes += step;
    size -= step;
  }
}

HIDDEN uint32_t arc4random(void) {
  uint32_t value;
  arc4random_buf(&value, sizeof(value));
  return value;
}
