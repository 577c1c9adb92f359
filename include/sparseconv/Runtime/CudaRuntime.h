//===- CudaRuntime.h - running compiled networks --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
/*
 * The C interface of the runtime: it loads a plan that the compiler wrote and
 * runs its functions, on a GPU through the CUDA driver, which it opens at run
 * time, or on the CPU. It needs no CUDA toolkit, no MLIR and no LLVM; this
 * header is C99 and C++.
 *
 *   context    a device                        sparseconv_context_create
 *   program    a loaded plan                   sparseconv_program_load
 *   instance   a function and its memory for   sparseconv_instance_create
 *              given capacities
 *   run        on the caller's stream and      sparseconv_instance_run
 *              pointers; nothing synchronises
 *   results    exact sizes and status          sparseconv_instance_results
 *   plan       what a file holds, no device    sparseconv_plan_read
 *
 * Functions return a sparseconv_code; a text that says more is kept for each
 * thread (sparseconv_last_error). The few that return a name or a number return
 * NULL or 0 where there is none, and keep a text too; those that destroy an
 * object return nothing. An object that is NULL is an error, but to destroy it
 * does nothing. No call ends the process:
 * where the host has no memory it returns SPARSECONV_OUT_OF_MEMORY.
 *
 * All functions may be called from any thread. Calls on one instance take
 * turns. An object may be destroyed before what was made from it: it lives on
 * as long as it is needed. Nobody may use it after that, or meanwhile. What a
 * call is given is read before it returns, but for memory of the device and
 * streams, which a run uses until it is done. docs/runtime.md has all rules.
 *
 * A dynamic dimension has a capacity, known on the host when an instance is
 * created, and an exact size that may differ from run to run. Tensors are
 * contiguous and row major at their exact sizes; inputs need no padding. Inputs
 * of which the network needs equally many rows, such as points and their
 * features, are compared before a run starts: SPARSECONV_INVALID_ARGUMENT with
 * both names and numbers.
 */

#ifndef SPARSECONV_RUNTIME_CUDARUNTIME_H
#define SPARSECONV_RUNTIME_CUDARUNTIME_H

#include <stdint.h>

/* NOLINTBEGIN: C names and C types. */
#ifdef __cplusplus
extern "C" {
#endif

typedef enum sparseconv_code {
  SPARSECONV_OK = 0,
  SPARSECONV_INVALID_ARGUMENT = 1,
  SPARSECONV_NO_DRIVER = 2,
  SPARSECONV_NO_DEVICE = 3,
  SPARSECONV_DRIVER_TOO_OLD = 4,
  /* The plan is damaged, of another version or not well formed. */
  SPARSECONV_INVALID_PLAN = 5,
  /* No code in the plan runs on this device. */
  SPARSECONV_WRONG_CHIP = 6,
  /* The device's memory, or the host's. */
  SPARSECONV_OUT_OF_MEMORY = 7,
  /* A size beyond the capacity that the instance was created for. */
  SPARSECONV_OVER_CAPACITY = 8,
  /* The run is not done yet. */
  SPARSECONV_NOT_READY = 9,
  /* Any other failure of the driver. */
  SPARSECONV_CUDA_ERROR = 10,
  /* The data given to the program is wrong, as the program found. */
  SPARSECONV_PROGRAM_ERROR = 11,
  /* A file cannot be read. */
  SPARSECONV_FILE_ERROR = 12,
  /* A run needed more memory than was set aside; there is more now, so run
   * again. */
  SPARSECONV_REPEAT = 13
} sparseconv_code;

typedef enum sparseconv_type {
  SPARSECONV_I1 = 0,
  SPARSECONV_I8 = 1,
  SPARSECONV_U8 = 2,
  SPARSECONV_I16 = 3,
  SPARSECONV_I32 = 4,
  SPARSECONV_I64 = 5,
  SPARSECONV_F16 = 6,
  SPARSECONV_BF16 = 7,
  SPARSECONV_F32 = 8,
  SPARSECONV_F64 = 9
} sparseconv_type;

enum { SPARSECONV_DYNAMIC = -1 };

typedef struct sparseconv_context sparseconv_context;
typedef struct sparseconv_program sparseconv_program;
typedef struct sparseconv_instance sparseconv_instance;
typedef struct sparseconv_plan sparseconv_plan;
/* A CUstream (cudaStream_t); NULL is the default stream. */
typedef void *sparseconv_stream;

/* The text of the calling thread's last failure, never NULL. It stays valid
 * until the thread's next failing call. */
const char *sparseconv_last_error(void);
/* "SPARSECONV_OK", ... */
const char *sparseconv_code_name(int code);

/*===----------------------------------------------------------------------===
 * Devices
 *===----------------------------------------------------------------------===*/

/* Fails without a usable driver. */
int sparseconv_device_count(int *count);
/* On the primary context of a device, which other libraries share. */
int sparseconv_context_create(int device, sparseconv_context **context);
/* On this machine's processor, for plans of machine code for CPUs. `level` is
 * "avx512", "avx2" or "sse2", or NULL for the widest vectors that there are;
 * with 0 threads as many run as the system offers. Where it does not give as
 * many as are asked for, fewer run. Needs libsparseconv-cpu-runtime.so beside
 * this library.
 *
 * Device memory is then the host's, streams are NULL, and a run is over when it
 * returns. The sizes of outputs are known after a run: without data they go to
 * memory of the instance, where they lie until its next run. They also do where
 * a run returns SPARSECONV_OVER_CAPACITY as one of them does not fit the memory
 * of the caller's. Of the flags of instances SPARSECONV_POISON is refused, and
 * the others change nothing. There are no
 * graphs, no profiles and no growable capacities, whose calls are
 * SPARSECONV_INVALID_ARGUMENT, and capacities bound nothing but
 * sparseconv_instance_input_buffer. */
int sparseconv_context_create_cpu(const char *level, int num_threads,
                                  sparseconv_context **context);
void sparseconv_context_destroy(sparseconv_context *context);
/* The chip to compile for, so as to use all that the device has: "sm_90a" */
const char *sparseconv_context_chip(const sparseconv_context *context);
/* "NVIDIA H200" */
const char *sparseconv_context_device_name(const sparseconv_context *context);
/* Gives memory that is kept for later instances back to the device. */
int sparseconv_context_trim(sparseconv_context *context);
/* Waits for all work on the device. */
int sparseconv_context_synchronise(sparseconv_context *context);

/*===----------------------------------------------------------------------===
 * Programs
 *===----------------------------------------------------------------------===*/

/* The bytes are copied. */
int sparseconv_program_load(sparseconv_context *context, const void *bytes,
                            uint64_t size, sparseconv_program **program);
int sparseconv_program_load_file(sparseconv_context *context, const char *path,
                                 sparseconv_program **program);
void sparseconv_program_destroy(sparseconv_program *program);

/* Brings the data of a constant that the plan holds by reference, before the
 * first instance that needs it is created. The bytes are copied to the device;
 * they have to be those that the program was compiled with. */
int sparseconv_program_bind_constant(sparseconv_program *program,
                                     const char *name, const void *bytes,
                                     uint64_t size);

int64_t sparseconv_program_num_functions(const sparseconv_program *program);
/* NULL where there is no such function. */
const char *sparseconv_program_function_name(const sparseconv_program *program,
                                             int64_t index);

/* What an input or output is. The pointers live as long as the program. */
typedef struct sparseconv_value_info {
  const char *name;
  int32_t type; /* a sparseconv_type */
  int32_t rank;
  const int64_t *sizes; /* SPARSECONV_DYNAMIC where dynamic */
} sparseconv_value_info;

int sparseconv_program_num_values(const sparseconv_program *program,
                                  const char *function, int64_t *num_inputs,
                                  int64_t *num_outputs);
int sparseconv_program_input(const sparseconv_program *program,
                             const char *function, int64_t index,
                             sparseconv_value_info *info);
int sparseconv_program_output(const sparseconv_program *program,
                              const char *function, int64_t index,
                              sparseconv_value_info *info);

/* The functions of a plan, without a driver or device. The bytes are copied. */
int sparseconv_plan_read(const void *bytes, uint64_t size,
                         sparseconv_plan **plan);
void sparseconv_plan_destroy(sparseconv_plan *plan);
/* What the plan is for: "cuda" or "cpu". */
const char *sparseconv_plan_target(const sparseconv_plan *plan);
int64_t sparseconv_plan_num_functions(const sparseconv_plan *plan);
const char *sparseconv_plan_function_name(const sparseconv_plan *plan,
                                          int64_t index);
int sparseconv_plan_num_values(const sparseconv_plan *plan,
                               const char *function, int64_t *num_inputs,
                               int64_t *num_outputs);
int sparseconv_plan_input(const sparseconv_plan *plan, const char *function,
                          int64_t index, sparseconv_value_info *info);
int sparseconv_plan_output(const sparseconv_plan *plan, const char *function,
                           int64_t index, sparseconv_value_info *info);

/*===----------------------------------------------------------------------===
 * Memory, for callers that have no allocator of their own
 *===----------------------------------------------------------------------===*/

/* Memory for work that is enqueued on `stream` from now on. The context has to
 * live until it is freed. */
int sparseconv_memory_allocate(sparseconv_context *context,
                               sparseconv_stream stream, uint64_t bytes,
                               void **data);
/* After the work that is on `stream` now. */
int sparseconv_memory_free(sparseconv_context *context,
                           sparseconv_stream stream, void *data);
/* Copies on `stream` and waits. */
int sparseconv_memory_upload(sparseconv_context *context,
                             sparseconv_stream stream, void *data,
                             const void *host, uint64_t bytes);
int sparseconv_memory_download(sparseconv_context *context,
                               sparseconv_stream stream, void *host,
                               const void *data, uint64_t bytes);
/* What is enqueued on `stream` from now on waits for what is on `other`. */
int sparseconv_stream_wait(sparseconv_context *context,
                           sparseconv_stream stream, sparseconv_stream other);

/*===----------------------------------------------------------------------===
 * Instances
 *===----------------------------------------------------------------------===*/

enum {
  /* Fills scratch memory and outputs with NaN (as integers: far out of bounds)
   * before each run, and the instance's own input buffers behind the exact
   * size. Finds kernels that read what nobody wrote. */
  SPARSECONV_POISON = 1,
  /* Waits after each step, so that a fault names its kernel. */
  SPARSECONV_SYNCHRONOUS = 2,
  /* Growable capacities stay as they are; a run that needs more ends with
   * SPARSECONV_OVER_CAPACITY. */
  SPARSECONV_FIXED_CAPACITIES = 4,
  /* Memory and grids of the sizes that a run has, in place of capacities: each
   * run first counts the rows of its sets, waits for the counts, and then does
   * the rest. So sparseconv_instance_run waits for a part of its run. Inputs
   * and outputs, and what the counts are made from, keep their capacities.
   * sparseconv_instance_capture and sparseconv_instance_profile are refused. */
  SPARSECONV_EXACT = 8
};

/* `capacities` are those of the inputs' dynamic dimensions, input by input, in
 * order, each at most 2^31 - 2. Allocates all memory that runs need, but that
 * of outputs and inputs that the instance owns. Waits for the device. */
int sparseconv_instance_create(sparseconv_program *program,
                               const char *function, const int64_t *capacities,
                               int64_t num_capacities, uint32_t flags,
                               sparseconv_instance **instance);
/* Waits for the last run. */
void sparseconv_instance_destroy(sparseconv_instance *instance);

typedef struct sparseconv_tensor {
  void *data;           /* aligned to 16 bytes; may be NULL where empty */
  int32_t type;         /* a sparseconv_type */
  int32_t rank;         /* of `sizes`; 0 and unused for an output */
  const int64_t *sizes; /* exact sizes of an input */
  uint64_t bytes;       /* that may be accessed at `data` */
} sparseconv_tensor;

/* What a run tells that the host does not know before it. It changes where
 * inputs are bound: what is counted and found wrong ahead of runs is known. */
enum {
  SPARSECONV_REPORTS_ERRORS = 1, /* an error of the program's */
  SPARSECONV_REPORTS_SIZES = 2   /* a size that is not one of an input */
};

typedef struct sparseconv_instance_info {
  uint64_t arena_bytes;   /* allocated at creation, and by an exact run */
  uint64_t scratch_bytes; /* what scratch buffers would take without reuse */
  int64_t num_steps;
  int32_t num_streams;
  int32_t reports; /* SPARSECONV_REPORTS_*, or 0 where the host knows all that
                      a run could tell it; outputs then need room for their
                      exact sizes only */
  int64_t num_growables;
} sparseconv_instance_info;
int sparseconv_instance_describe(const sparseconv_instance *instance,
                                 sparseconv_instance_info *info);

/* A growable capacity: the rows that there is memory for of a set that could
 * have many times those of the set that it is made from. It starts far below
 * its bound. A call that waits for its run (sparseconv_instance_run_host,
 * sparseconv_instance_profile) repeats one that made more rows, with memory for
 * them. After sparseconv_instance_run and sparseconv_instance_replay,
 * sparseconv_instance_results sets the memory aside and returns
 * SPARSECONV_REPEAT: the outputs need the room that
 * sparseconv_instance_output_capacity says then, and the run has to be enqueued
 * again. It grows once for each operation at most, if inputs do not change. A
 * graph is captured again by itself, if its outputs have room. */
typedef struct sparseconv_growable_info {
  const char *operation; /* that makes the set: "sparseconv.downsample" */
  const char *location;  /* "net.mlir:3:8", or empty */
  int64_t capacity;      /* rows that there is memory for */
  int64_t bound;         /* that it never exceeds */
} sparseconv_growable_info;
/* `index` is less than num_growables of sparseconv_instance_describe. The
 * pointers live as long as the instance. */
int sparseconv_instance_growable(const sparseconv_instance *instance,
                                 int64_t index, sparseconv_growable_info *info);
/* Sets memory aside for at least `capacities[i]` rows, one number for each
 * growable capacity, each up to its bound. Where one grows, that waits for the
 * last run, whose results are gone. */
int sparseconv_instance_reserve(sparseconv_instance *instance,
                                const int64_t *capacities,
                                int64_t num_capacities);

/* Says which inputs lie where they are and stay as they are: those with `data`,
 * which is device memory that the instance may read until they are bound anew.
 * What depends on them and on constants alone is done now and left out of runs:
 * weights are packed once, and where points are bound, all sets and maps that
 * are made of them. A capacity that this needs grows at once, unless the
 * instance has SPARSECONV_FIXED_CAPACITIES; what is wrong with points is an
 * error of this call, on a CPU of the runs. An input that is bound has no data
 * in runs (data == NULL), or the same; its type and sizes are not looked at.
 * One without rows is bound by any address that is not NULL. Replaces what was
 * bound before, so call it again when weights have changed; with inputs == NULL
 * nothing is bound. After an error of the arguments what was bound stays so,
 * after any other one nothing is bound. Comes after what is on `stream`, and
 * waits for that and for the last run, whose results are gone.
 *
 * Sizes of inputs of static shape are not looked at. What a step does with
 * integers alone is done ahead; what it does with an input of floats whose size
 * is dynamic, is not.
 *
 * Where no input has to be bound for it, as with weights that are constants of
 * the plan, that is done when the instance is created. */
int sparseconv_instance_bind(sparseconv_instance *instance,
                             sparseconv_stream stream,
                             const sparseconv_tensor *inputs,
                             int64_t num_inputs);

/* Enqueues one run on `stream`, on device memory. An output needs room for its
 * capacity (sparseconv_instance_output_capacity); one with data == NULL, or all
 * of them with outputs == NULL, goes to a buffer that the instance owns. Runs
 * of one instance on several streams are ordered as they were enqueued.
 *
 * From its third run on an instance launches its steps as one CUDA graph, which
 * is told where the caller's memory lies, so nothing is copied. Up to the fifth
 * run it makes a graph for each place that it finds the memory at. */
int sparseconv_instance_run(sparseconv_instance *instance,
                            sparseconv_stream stream,
                            const sparseconv_tensor *inputs, int64_t num_inputs,
                            const sparseconv_tensor *outputs,
                            int64_t num_outputs);

/* Captures the function as a CUDA graph on fixed device memory: `data` of each
 * tensor, with room for its capacity, or a buffer of the instance where it is
 * NULL (or inputs, or outputs, are NULL). Sizes are not looked at. */
int sparseconv_instance_capture(sparseconv_instance *instance,
                                const sparseconv_tensor *inputs,
                                int64_t num_inputs,
                                const sparseconv_tensor *outputs,
                                int64_t num_outputs);
/* Enqueues the captured graph for inputs of the given exact sizes, any within
 * the capacities. Inputs elsewhere than in the captured memory are copied there
 * first. */
int sparseconv_instance_replay(sparseconv_instance *instance,
                               sparseconv_stream stream,
                               const sparseconv_tensor *inputs,
                               int64_t num_inputs);

/* One run on host memory; waits, and reports what the program reports. Read
 * the outputs with sparseconv_instance_read_output. */
int sparseconv_instance_run_host(sparseconv_instance *instance,
                                 const sparseconv_tensor *inputs,
                                 int64_t num_inputs);

/* What became of the last run: SPARSECONV_OK, SPARSECONV_NOT_READY,
 * SPARSECONV_REPEAT, the status that the program reports with its message, or
 * the driver's failure. With `wait` it waits for the run. Where `reports` of
 * sparseconv_instance_describe is 0, a run on the default stream counts as over
 * when all work that is on that stream at the time of this call is. */
int sparseconv_instance_results(sparseconv_instance *instance, int wait);

/* For callers that enqueue one run after the other and do not ask for the
 * results of each: what became of the runs that nobody has asked about. A
 * failure is returned once, however many there were, with the message of one of
 * them; SPARSECONV_NOT_READY where none is known and some are under way, which
 * `wait` waits for. A set that needed more memory than there was is
 * SPARSECONV_OVER_CAPACITY here, and no memory is set aside for it. */
int sparseconv_instance_check(sparseconv_instance *instance, int wait);

/* Bytes and (where `sizes` is not NULL) sizes that an output can have. */
int sparseconv_instance_output_capacity(sparseconv_instance *instance,
                                        int64_t index, int64_t *sizes,
                                        uint64_t *bytes);
/* After successful results: exact sizes and bytes, and where the output lies
 * on the device: in the memory that the run was given for it, or the
 * instance's. */
int sparseconv_instance_output(sparseconv_instance *instance, int64_t index,
                               int64_t *sizes, uint64_t *bytes, void **data);
/* After successful results: the exact sizes of all outputs, those of each
 * behind those of the output before. `num_sizes` is the number of them all, the
 * sum of the ranks. */
int sparseconv_instance_output_sizes(sparseconv_instance *instance,
                                     int64_t *sizes, int64_t num_sizes);
/* After successful results: copies an output of exactly `bytes` bytes to the
 * host and waits. */
int sparseconv_instance_read_output(sparseconv_instance *instance,
                                    int64_t index, void *host, uint64_t bytes);
/* The instance's own buffer for an input, with room for its capacity. */
int sparseconv_instance_input_buffer(sparseconv_instance *instance,
                                     int64_t index, void **data,
                                     uint64_t *bytes);

/*===----------------------------------------------------------------------===
 * Profiles
 *===----------------------------------------------------------------------===*/

/* One step of a function. The pointers live as long as the instance; a text is
 * empty where there is none. */
typedef struct sparseconv_step_info {
  const char *name;      /* of a kernel, or "memset", "copy" */
  const char *operation; /* that it belongs to: "sparseconv.pack" */
  const char *location;  /* of the operation: "net.mlir:3:8" */
} sparseconv_step_info;
/* `index` is less than num_steps of sparseconv_instance_describe. */
int sparseconv_instance_step(const sparseconv_instance *instance, int64_t index,
                             sparseconv_step_info *info);

/* One run on host memory, as sparseconv_instance_run_host, that takes the time
 * of each step: `times` gets one number more than there are steps, seconds on
 * the device since the first step began. Step i lasts from number i to number
 * i + 1; steps of several streams run one after the other. */
int sparseconv_instance_profile(sparseconv_instance *instance,
                                const sparseconv_tensor *inputs,
                                int64_t num_inputs, double *times);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif /* SPARSECONV_RUNTIME_CUDARUNTIME_H */
