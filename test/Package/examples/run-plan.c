/* Runs a plan on one scan, on a stream and memory of the caller's, and prints a
 * summary of each result.
 *
 * usage: run-plan NET.plan SCAN.bin [TARGET [VOXEL-SIZE]]
 *
 * TARGET is cuda, or cpu (cpu:avx2, ...) for a plan for CPUs.
 *
 * The plan's function takes points [?, 4] of i32 and features [?, 4] of f32;
 * weights are in the plan (sparseconv-translate --plan-to-plan --weights=...).
 */
#include "device.h"
#include "scan.h"
#include <time.h>

enum { MAX_OUTPUTS = 16, MAX_RANK = 8 };

static device target;

/* Prints what the runtime says of a call that failed. */
static int check(int code) {
  if (code)
    fprintf(stderr, "run-plan: %s: %s\n", sparseconv_code_name(code),
            sparseconv_last_error());
  return code;
}

/* The same for a call of the CUDA driver. */
static int check_device(int code, const char *what) {
  if (code)
    fprintf(stderr, "run-plan: %s failed: CUDA error %d\n", what, code);
  return code;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Whether the function takes a scan and nothing else. */
static int takes_scan(sparseconv_program *program, const char *function,
                      int64_t *num_outputs) {
  sparseconv_value_info points, features;
  int64_t num_inputs = 0;
  if (check(sparseconv_program_num_values(program, function, &num_inputs,
                                          num_outputs)))
    return 0;
  if (num_inputs == 2 && *num_outputs <= MAX_OUTPUTS &&
      !sparseconv_program_input(program, function, 0, &points) &&
      !sparseconv_program_input(program, function, 1, &features) &&
      points.type == SPARSECONV_I32 && points.rank == 2 &&
      points.sizes[1] == 4 && features.type == SPARSECONV_F32 &&
      features.rank == 2 && features.sizes[1] == 4)
    return 1;
  fprintf(stderr,
          "run-plan: '%s' does not take points [?, 4] of i32 and features "
          "[?, 4] of f32 alone\n",
          function);
  return 0;
}

/* "result 'y': 6112x20, min -5.3921, mean -0.0564714, max 5.0191" */
static void print_result(const sparseconv_value_info *info,
                         const int64_t *sizes, const void *data,
                         uint64_t bytes) {
  const float *values = (const float *)data;
  uint64_t count = bytes / sizeof(float), i;
  float low = INFINITY, high = -INFINITY;
  double sum = 0;
  int32_t axis;
  printf("result '%s': ", info->name);
  for (axis = 0; axis != info->rank; ++axis)
    printf(axis ? "x%lld" : "%lld", (long long)sizes[axis]);
  if (info->type == SPARSECONV_F32 && count) {
    for (i = 0; i != count; ++i) {
      low = fminf(low, values[i]);
      high = fmaxf(high, values[i]);
      sum += values[i];
    }
    printf(", min %.6g, mean %.6g, max %.6g", low, sum / (double)count, high);
  }
  printf("\n");
}

/* Memory of the caller's for outputs, with room for what they can become. On a
 * CPU that is known after the run: there results are left to the instance. */
static int place_outputs(sparseconv_program *program, const char *function,
                         sparseconv_instance *instance, int64_t num_outputs,
                         sparseconv_tensor *outputs) {
  int64_t i;
  for (i = 0; i != num_outputs && !target.is_cpu; ++i) {
    sparseconv_value_info info;
    uint64_t bytes = 0;
    if (check(sparseconv_program_output(program, function, i, &info)) ||
        check(sparseconv_instance_output_capacity(instance, i, NULL, &bytes)))
      return 1;
    if (outputs[i].bytes >= bytes && outputs[i].data)
      continue;
    device_free(&target, outputs[i].data);
    if (check_device(device_allocate(&target, &outputs[i].data, bytes),
                     "allocating memory"))
      return 1;
    outputs[i].type = info.type;
    outputs[i].bytes = bytes;
  }
  return 0;
}

static int print_outputs(sparseconv_program *program, const char *function,
                         sparseconv_instance *instance, int64_t num_outputs,
                         void *stream) {
  int64_t i;
  for (i = 0; i != num_outputs; ++i) {
    sparseconv_value_info info;
    int64_t sizes[MAX_RANK] = {0};
    uint64_t bytes = 0;
    void *data = NULL, *host;
    int failed;
    if (check(sparseconv_program_output(program, function, i, &info)) ||
        check(sparseconv_instance_output(instance, i, sizes, &bytes, &data)))
      return 1;
    host = malloc(bytes ? bytes : 1);
    failed = !host ||
             check_device(device_download(&target, host, data, bytes, stream),
                          "copying a result");
    if (!failed)
      print_result(&info, sizes, host, bytes);
    free(host);
    if (failed)
      return 1;
  }
  return 0;
}

/* Everything behind the loading of the plan, on the caller's stream. */
static int run(sparseconv_program *program, const char *function,
               int64_t num_outputs, const scan *points,
               const int32_t *coordinates, void *stream) {
  const uint64_t bytes = (uint64_t)points->rows * 16;
  const int64_t capacities[] = {points->rows, points->rows};
  const int64_t sizes[] = {points->rows, 4};
  void *places[2] = {NULL, NULL};
  sparseconv_tensor inputs[2], outputs[MAX_OUTPUTS];
  sparseconv_instance *instance = NULL;
  int code = 1, i;
  memset(outputs, 0, sizeof(outputs));
  if (check(sparseconv_instance_create(program, function, capacities, 2, 0,
                                       &instance)))
    return 1;
  for (i = 0; i != 2; ++i) {
    const void *source = i ? (const void *)points->points : coordinates;
    if (check_device(device_allocate(&target, &places[i], bytes),
                     "allocating memory") ||
        check_device(device_upload(&target, places[i], source, bytes, stream),
                     "copying the scan"))
      goto done;
    inputs[i].data = places[i];
    inputs[i].type = i ? SPARSECONV_F32 : SPARSECONV_I32;
    inputs[i].rank = 2;
    inputs[i].sizes = sizes;
    inputs[i].bytes = bytes;
  }
  /* A run that needed more memory than was set aside is enqueued again. */
  do {
    if (place_outputs(program, function, instance, num_outputs, outputs) ||
        check(sparseconv_instance_run(instance, stream, inputs, 2, outputs,
                                      num_outputs)))
      goto done;
    code = sparseconv_instance_results(instance, /*wait=*/1);
  } while (code == SPARSECONV_REPEAT);
  code = check(code) ||
         print_outputs(program, function, instance, num_outputs, stream);
done:
  /* First the instance, which waits for its run; then what the run borrowed. */
  sparseconv_instance_destroy(instance);
  for (i = 0; i != 2; ++i)
    device_free(&target, places[i]);
  for (i = 0; i != num_outputs; ++i)
    device_free(&target, outputs[i].data);
  return code;
}

static int run_on_stream(sparseconv_program *program, const scan *points,
                         const int32_t *coordinates) {
  const char *function = sparseconv_program_function_name(program, 0);
  int64_t num_outputs = 0;
  void *stream = NULL;
  int code = 1;
  if (!takes_scan(program, function, &num_outputs))
    return 1;
  if (!check_device(device_enter(&target), "opening the GPU") &&
      !check_device(device_create_stream(&target, &stream), "cuStreamCreate")) {
    code = run(program, function, num_outputs, points, coordinates, stream);
    device_destroy_stream(&target, stream);
  }
  device_leave(&target);
  return code;
}

int main(int argc, char **argv) {
  sparseconv_context *context = NULL;
  sparseconv_program *program = NULL;
  scan points = {0, NULL};
  int32_t *coordinates = NULL;
  double size = argc > 4 ? atof(argv[4]) : 0.05, start;
  int code = 1;
  if (argc < 3 || argc > 5 || !(size > 0)) {
    fprintf(stderr,
            "usage: run-plan NET.plan SCAN.bin [TARGET [VOXEL-SIZE]]\n");
    return 2;
  }
  if (read_scan(argv[2], &points))
    return 1;
  coordinates = (int32_t *)malloc(points.rows ? (size_t)points.rows * 16 : 1);
  if (!coordinates || quantise(points.points, points.rows, size, coordinates)) {
    fprintf(stderr, "%s: a point has no coordinate\n", argv[2]);
  } else if (!check(
                 open_target(argc > 3 ? argv[3] : "cuda", &target, &context))) {
    start = now();
    if (!check(sparseconv_program_load_file(context, argv[1], &program))) {
      printf("loaded in %.1f ms\n", now() - start);
      code = run_on_stream(program, &points, coordinates);
    }
  }
  sparseconv_program_destroy(program);
  sparseconv_context_destroy(context);
  free(coordinates);
  free(points.points);
  return code;
}
