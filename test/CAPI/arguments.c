/* Calls every function of the compiler's C interface with arguments that make
 * no sense. Prints what does not come out as it should.
 */
#include "sparseconv-c/Compiler.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expectCode(const char *what, int code, int expected) {
  if (code == expected)
    return;
  ++failures;
  printf("%s: %s, not %s\n", what, sparseconv_compiler_code_name(code),
         sparseconv_compiler_code_name(expected));
}

static void expectEmpty(const char *what, const char *text, uint64_t size) {
  if (text && !*text && !size)
    return;
  ++failures;
  printf("%s: not empty\n", what);
}

int main(void) {
  const int invalid = SPARSECONV_COMPILER_INVALID_ARGUMENT;
  char path[16];
  const struct {
    const char *what, *folder, *name;
    char *path;
    uint64_t size;
    int code;
  } finds[] = {
      {"no name", NULL, NULL, path, 16, SPARSECONV_COMPILER_INVALID_ARGUMENT},
      {"no path", NULL, "x", NULL, 16, SPARSECONV_COMPILER_INVALID_ARGUMENT},
      {"no room", NULL, "x", path, 0, SPARSECONV_COMPILER_INVALID_ARGUMENT},
      {"one byte", NULL, "x", path, 1, SPARSECONV_COMPILER_NOT_FOUND},
      {"no folder", "", "../..", path, 16, SPARSECONV_COMPILER_NOT_FOUND},
  };
  for (size_t i = 0; i < sizeof(finds) / sizeof(*finds); ++i)
    expectCode(finds[i].what,
               sparseconv_compiler_find_program(finds[i].folder, finds[i].name,
                                                finds[i].path, finds[i].size),
               finds[i].code);

  sparseconv_compile_options options[4];
  memset(options, 0, sizeof(options));
  options[1].target = "";
  options[2].time_limit = -1;
  options[3].time_limit = NAN;
  const struct {
    const char *what, *text;
    uint64_t size;
    const sparseconv_compile_options *options;
    int code;
  } compiles[] = {
      {"no text", NULL, 1, NULL, SPARSECONV_COMPILER_INVALID_ARGUMENT},
      {"an empty target", "", 0, &options[1], SPARSECONV_COMPILER_REJECTED},
      {"a negative limit", "", 0, &options[2],
       SPARSECONV_COMPILER_INVALID_ARGUMENT},
      {"a limit that is not a number", "", 0, &options[3],
       SPARSECONV_COMPILER_INVALID_ARGUMENT},
      {"more bytes than there are", "", UINT64_MAX, &options[0],
       SPARSECONV_COMPILER_SYSTEM_ERROR},
      {"nothing", NULL, 0, NULL, SPARSECONV_COMPILER_REJECTED},
  };
  for (size_t i = 0; i < sizeof(compiles) / sizeof(*compiles); ++i) {
    sparseconv_compilation *compilation = NULL;
    expectCode(compiles[i].what,
               sparseconv_compile(compiles[i].text, compiles[i].size,
                                  compiles[i].options, &compilation),
               compiles[i].code);
    if (!*sparseconv_compilation_message(compilation))
      expectCode("a message", 0, invalid);
    sparseconv_compilation_destroy(compilation);
  }
  expectCode("no compilation", sparseconv_compile("", 0, NULL, NULL), invalid);

  uint64_t size = 1;
  expectEmpty("message", sparseconv_compilation_message(NULL), 0);
  expectEmpty("diagnostics", sparseconv_compilation_diagnostics(NULL), 0);
  const char *artifact = sparseconv_compilation_artifact(NULL, &size);
  expectEmpty("artifact", artifact, size);
  size = 1;
  const char *ptx = sparseconv_compilation_ptx(NULL, &size);
  expectEmpty("ptx", ptx, size);
  expectEmpty("ptx without a size", sparseconv_compilation_ptx(NULL, NULL), 0);
  sparseconv_compilation_destroy(NULL);
  if (strcmp(sparseconv_compiler_code_name(-1), "unknown code") != 0)
    expectCode("a name", 0, invalid);
  printf("%d failures\n", failures);
  return failures;
}
