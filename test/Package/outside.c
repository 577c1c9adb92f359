/* A program in C on the compiler's library alone, from the installed package:
 * the compiler's programs are found beside the library. */
#include "sparseconv-c/Compiler.h"
#include <stdio.h>
#include <string.h>

static const char network[] =
    "#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16],\n"
    "                            guard = [32, 32, 32]>\n"
    "func.func @main(%points: tensor<?x4xi32>) -> tensor<?xi32> {\n"
    "  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32>\n"
    "    -> !sparseconv.coords<3, stride = [1, 1, 1], #pack>\n"
    "  return %row_of : tensor<?xi32>\n"
    "}\n";

int main(void) {
  sparseconv_compile_options options = {0};
  options.chip = "sm_80";
  options.time_limit = 60;
  sparseconv_compilation *compilation = NULL;
  int code = sparseconv_compile(network, sizeof(network) - 1, &options,
                                &compilation);
  uint64_t size = 0;
  sparseconv_compilation_artifact(compilation, &size);
  if (code || !size ||
      !strstr(sparseconv_compilation_ptx(compilation, NULL), ".target sm_80"))
    fprintf(stderr, "outside: %s: %s\n%s", sparseconv_compiler_code_name(code),
            sparseconv_compilation_message(compilation),
            sparseconv_compilation_diagnostics(compilation));
  sparseconv_compilation_destroy(compilation);
  return code || !size;
}
