/* Registers the dialect and the passes through MLIR's C interface, parses the
 * file that is named, runs a pipeline, and prints the module or writes its
 * plan.
 *
 * usage: capi-dialects FILE.mlir PIPELINE [FILE.plan]
 */
#include "sparseconv-c/Dialects.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include <stdio.h>
#include <stdlib.h>

static void print(MlirStringRef text, void *file) {
  fwrite(text.data, 1, text.length, (FILE *)file);
}

static MlirLogicalResult writePlan(MlirModule module, const char *path) {
  MlirModule none = {NULL};
  if (mlirLogicalResultIsSuccess(
          mlirSparseConvTranslateToPlan(none, print, stdout)) ||
      mlirLogicalResultIsSuccess(
          mlirSparseConvTranslateToPlan(module, NULL, NULL)))
    return mlirLogicalResultFailure();
  FILE *file = fopen(path, "wb");
  if (!file)
    return mlirLogicalResultFailure();
  MlirLogicalResult result = mlirSparseConvTranslateToPlan(module, print, file);
  if (fclose(file))
    result = mlirLogicalResultFailure();
  return result;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    return 2;
  static char text[1 << 16];
  FILE *file = fopen(argv[1], "rb");
  if (!file)
    return 2;
  size_t size = fread(text, 1, sizeof(text), file);
  fclose(file);

  MlirDialectRegistry registry = {NULL};
  mlirRegisterSparseConvDialects(registry); /* does nothing */
  mlirRegisterSparseConvOwnDialects(registry);
  registry = mlirDialectRegistryCreate();
  mlirRegisterSparseConvDialects(registry);
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/0);
  mlirDialectRegistryDestroy(registry);
  MlirDialectHandle handle = mlirGetDialectHandle__sparseconv__();
  mlirDialectHandleLoadDialect(handle, context);
  MlirStringRef name = mlirDialectHandleGetNamespace(handle);
  printf("dialect: %.*s\n", (int)name.length, name.data);

  int failed = 1;
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreate(text, size));
  if (!mlirModuleIsNull(module)) {
    mlirRegisterSparseConvPasses();
    MlirPassManager passes = mlirPassManagerCreate(context);
    MlirLogicalResult result = mlirParsePassPipeline(
        mlirPassManagerGetAsOpPassManager(passes),
        mlirStringRefCreateFromCString(argv[2]), print, stderr);
    if (mlirLogicalResultIsSuccess(result))
      result = mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module));
    if (mlirLogicalResultIsSuccess(result) && argc == 4)
      result = writePlan(module, argv[3]);
    failed = mlirLogicalResultIsFailure(result);
    if (!failed && argc == 3)
      mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
    mlirPassManagerDestroy(passes);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  return failed;
}
