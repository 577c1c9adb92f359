/* That the interface is C: a program that reports its version of the codes. */
#include "sparseconv/Runtime/CudaRuntime.h"

const char *sparseconv_test_name_from_c(void);
const char *sparseconv_test_name_from_c(void) {
  int count = 0;
  sparseconv_tensor tensor = {0, SPARSECONV_F32, 0, 0, 0};
  int code = sparseconv_instance_run(0, 0, &tensor, 1, 0, 0);
  (void)count;
  return sparseconv_code_name(code);
}
