/* Compiles the IR on standard input through the C interface and prints what
 * comes out.
 *
 * usage: capi-compile [chip=C] [entry=E] [name=N] [tools=FOLDER] [target=T]
 *                     [limit=SECONDS] [cancel=SECONDS] [artifact=FILE]
 *                     [ptx=FILE]
 */
#include "sparseconv-c/Compiler.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int isCancelled = 0;

static void cancel(int signal) { isCancelled = signal; }

static const char *find(int argc, char **argv, const char *name) {
  size_t length = strlen(name);
  for (int i = 1; i < argc; ++i)
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
      return argv[i] + length + 1;
  return NULL;
}

static char *readAll(FILE *file, size_t *size) {
  size_t room = 1 << 16;
  char *text = malloc(room);
  *size = 0;
  for (;;) {
    size_t found = fread(text + *size, 1, room - *size, file);
    *size += found;
    if (!found)
      return text;
    if (*size == room)
      text = realloc(text, room *= 2);
  }
}

static void writeFile(const char *path, const void *data, uint64_t size) {
  FILE *file = path ? fopen(path, "wb") : NULL;
  if (!file)
    return;
  fwrite(data, 1, size, file);
  fclose(file);
}

int main(int argc, char **argv) {
  sparseconv_compile_options options;
  memset(&options, 0, sizeof(options));
  options.target = find(argc, argv, "target");
  options.chip = find(argc, argv, "chip");
  options.entry = find(argc, argv, "entry");
  options.name = find(argc, argv, "name");
  options.tools = find(argc, argv, "tools");
  const char *limit = find(argc, argv, "limit");
  options.time_limit = limit ? atof(limit) : 0;

  const char *patience = find(argc, argv, "cancel");
  options.cancel = &isCancelled;
  signal(SIGALRM, cancel);
  alarm(patience ? (unsigned)atoi(patience) : 0);

  size_t size = 0;
  char *text = readAll(stdin, &size);
  sparseconv_compilation *compilation = NULL;
  int code = sparseconv_compile(text, size, &options, &compilation);
  free(text);
  printf("code: %s\n", sparseconv_compiler_code_name(code));
  printf("message: %s\n", sparseconv_compilation_message(compilation));
  printf("diagnostics: %s\n", sparseconv_compilation_diagnostics(compilation));
  uint64_t bytes = 0;
  const void *artifact = sparseconv_compilation_artifact(compilation, &bytes);
  printf("artifact: %s\n", bytes ? "some" : "none");
  writeFile(find(argc, argv, "artifact"), artifact, bytes);
  const char *ptx = sparseconv_compilation_ptx(compilation, &bytes);
  printf("ptx: %s\n", bytes && strlen(ptx) == bytes ? "some" : "none");
  writeFile(find(argc, argv, "ptx"), ptx, bytes);
  sparseconv_compilation_destroy(compilation);
  return code;
}
