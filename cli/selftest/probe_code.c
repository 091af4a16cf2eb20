/* probe_code.c: probes of modules, kernels, and the order of what the host and the device write. */
#include "cli/selftest/driver.h"
#include "cli/selftest/probes.h"
#include "cusafe/abi.h"
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void cs_cli_probe_ptx(void) {
  cs_u64 words[] = {7, 8, 9}, got[3] = {0};
  int count = 3;
  cs_cli_probe_open();
  CUfunction kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "copy_words");
  CUdeviceptr from = cs_cli_probe_buffer(sizeof words), to = cs_cli_probe_buffer(sizeof got);
  CALL(MemcpyHtoD, from, words, sizeof words);
  LAUNCH(kernel, NULL, &to, &from, &count);
  CALL(MemcpyDtoH, got, to, sizeof got);
  if (got[0] != 7 || got[2] != 9)
    cs_cli_probe_end(CS_CLI_FAILS, "the kernel computed %llu and %llu instead of 7 and 9", got[0], got[2]);
}

static size_t global_size(CUmodule module, const char *name) {
  CUdeviceptr address;
  size_t bytes = 0;
  CALL(ModuleGetGlobal, &address, &bytes, module, name);
  return bytes;
}

void cs_cli_probe_checked_code(void) {
  struct cs_module header;
  CUdeviceptr address;
  size_t bytes;
  cs_cli_probe_open();
  CUmodule module = cs_cli_probe_module("checked");
  CALL(ModuleGetGlobal, &address, &bytes, module, CS_SYM_MODULE);
  CALL(MemcpyDtoH, &header, address, sizeof header);
  if (header.magic != CS_ABI_MAGIC || global_size(module, CS_SYM_STATE) < sizeof(struct cs_state))
    cs_cli_probe_end(CS_CLI_FAILS, "the module's variables do not have their initial values");
  cs_cli_probe_kernel(module, "store_at");
}

void cs_cli_probe_lazy_loading(void) {
  CUmoduleLoadingMode mode;
  cs_cli_probe_open();
  CALL(ModuleGetLoadingMode, &mode);
  CUmodule module = cs_cli_probe_module("bare");
  if (global_size(module, "selftest_variable") != 8 * sizeof(int))
    cs_cli_probe_end(CS_CLI_FAILS, "a variable has another size");
  cs_cli_probe_end(CS_CLI_HOLDS, "modules are loaded %s", mode == CU_MODULE_LAZY_LOADING ? "lazily" : "at once");
}

void cs_cli_probe_parameters(void) {
  struct {
    char before;
    long long value;
    int after[3];
  } given = {1, 2, {0, 0, 3}};
  static const size_t offsets[] = {0, 8, 40}, sizes[] = {8, 32, 2};
  short last = 4;
  long long got[4] = {0};
  cs_cli_probe_open();
  CUfunction kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "take_parameters");
  CUdeviceptr to = cs_cli_probe_buffer(sizeof got);
  LAUNCH(kernel, NULL, &to, &given, &last);
  CALL(MemcpyDtoH, got, to, sizeof got);
  if (got[0] != 1 || got[1] != 2 || got[2] != 3 || got[3] != 4)
    cs_cli_probe_end(CS_CLI_FAILS, "a kernel got other arguments than it was launched with");
  for (size_t i = 0; i < 3; i++) {
    size_t offset = 0, size = 0;
    CALL(FuncGetParamInfo, kernel, i, &offset, &size);
    if (offset != offsets[i] || size != sizes[i])
      cs_cli_probe_end(CS_CLI_FAILS, "parameter %zu is reported at %zu with %zu bytes", i, offset, size);
  }
}

void cs_cli_probe_constants(void) {
  CUdeviceptr constant;
  size_t bytes;
  cs_cli_probe_open();
  CUmodule module = cs_cli_probe_module("bare");
  CUfunction kernel = cs_cli_probe_kernel(module, "read_constant");
  CUdeviceptr to = cs_cli_probe_buffer(sizeof(int));
  CALL(ModuleGetGlobal, &constant, &bytes, module, "selftest_constant");
  for (int value = 1; value <= 50; value++) {
    int got = 0;
    CALL(MemcpyHtoD, constant, &value, sizeof value);
    LAUNCH(kernel, NULL, &to);
    CALL(MemcpyDtoH, &got, to, sizeof got);
    if (got != value)
      cs_cli_probe_end(CS_CLI_FAILS, "a kernel read %d after %d was written", got, value);
  }
}

/* As libcusafe writes metadata words: a copy in its own stream, awaited, before the launch in the program's. */
void cs_cli_probe_write_order(void) {
  CUstream own, other;
  int one = 1;
  cs_cli_probe_open();
  CUfunction kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "copy_words");
  CUdeviceptr word = cs_cli_probe_buffer(sizeof(cs_u64)), to = cs_cli_probe_buffer(sizeof(cs_u64));
  CALL(StreamCreate, &own, CU_STREAM_NON_BLOCKING);
  CALL(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
  for (cs_u64 value = 1; value <= 200; value++) {
    cs_u64 got = 0;
    CALL(MemcpyHtoDAsync, word, &value, sizeof value, own);
    CALL(StreamSynchronize, own);
    LAUNCH(kernel, other, &to, &word, &one);
    CALL(StreamSynchronize, other);
    CALL(MemcpyDtoH, &got, to, sizeof got);
    if (got != value)
      cs_cli_probe_end(CS_CLI_FAILS, "a kernel read %llu after %llu was written", got, value);
  }
}

void cs_cli_probe_pinned_memory(void) {
  CUdeviceptr device;
  long long reads = 0;
  cs_cli_probe_open();
  CUfunction kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "await");
  volatile int *pinned = cs_cli_probe_pinned(&device);
  CUdeviceptr answers = device + 64;
  pinned[0] = 5;
  LAUNCH(kernel, NULL, &device, &answers, &reads);
  CALL(CtxSynchronize);
  if (pinned[16] != 1 || pinned[17] != 5)
    cs_cli_probe_end(CS_CLI_FAILS, "the host read %d and %d where the kernel wrote 1 and 5", pinned[16], pinned[17]);
}

static void pause_ms(long ms) {
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

void cs_cli_probe_running_kernel(void) {
  enum { PATIENCE_MS = 5000 };
  CUdeviceptr device;
  CUstream stream;
  long long reads = 1ll << 40;
  cs_cli_probe_open();
  CUfunction kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "await");
  volatile int *pinned = cs_cli_probe_pinned(&device);
  CUdeviceptr answers = device + 64;
  CALL(StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  LAUNCH(kernel, stream, &device, &answers, &reads);
  for (int waited = 0; pinned[16] != 1; waited++) {
    if (waited == PATIENCE_MS)
      cs_cli_probe_end(CS_CLI_FAILS, "the host does not see what a running kernel writes");
    pause_ms(1);
  }
  pinned[0] = 1;
  CALL(StreamSynchronize, stream);
}

void cs_cli_probe_trap(void) {
  CUdeviceptr device;
  int value = 6;
  cs_cli_probe_open();
  CUfunction kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "answer_and_trap");
  volatile int *pinned = cs_cli_probe_pinned(&device);
  LAUNCH(kernel, NULL, &device, &value);
  CUresult error = cs_cli_cuda.CtxSynchronize();
  if (!error)
    cs_cli_probe_end(CS_CLI_FAILS, "the kernel trapped, and cuCtxSynchronize returned no error");
  if (pinned[0] != value)
    cs_cli_probe_end(CS_CLI_FAILS, "what the kernel wrote before it trapped is lost");
  cs_cli_probe_end(CS_CLI_HOLDS, "%s", cs_cli_probe_error(error));
}

/* A copy of libcusafe's in its own stream, while the program captures in the strictest mode. */
void cs_cli_probe_capture(void) {
  CUstream own, captured;
  CUgraph graph;
  int one = 1;
  cs_u64 value = 1;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  cs_cli_probe_open();
  CUfunction kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "copy_words");
  CUdeviceptr word = cs_cli_probe_buffer(sizeof value), to = cs_cli_probe_buffer(sizeof value);
  CALL(StreamCreate, &own, CU_STREAM_NON_BLOCKING);
  CALL(StreamCreate, &captured, CU_STREAM_NON_BLOCKING);
  CALL(StreamBeginCapture, captured, CU_STREAM_CAPTURE_MODE_GLOBAL);
  LAUNCH(kernel, captured, &to, &word, &one);
  CALL(ThreadExchangeStreamCaptureMode, &mode);
  CALL(MemcpyHtoDAsync, word, &value, sizeof value, own);
  CALL(StreamSynchronize, own);
  CALL(ThreadExchangeStreamCaptureMode, &mode);
  CALL(StreamEndCapture, captured, &graph);
}

static void expect_copied(CUdeviceptr to, cs_u64 value) {
  cs_u64 got = 0;
  CALL(MemcpyDtoH, &got, to, sizeof got);
  if (got != value)
    cs_cli_probe_end(CS_CLI_FAILS, "a kernel of the graph computed %llu instead of %llu", got, value);
}

/* A captured graph that copies a word. */
static CUgraph capture_copy(CUfunction kernel, CUstream stream, CUdeviceptr to, CUdeviceptr from) {
  CUgraph graph;
  int one = 1;
  CALL(StreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  LAUNCH(kernel, stream, &to, &from, &one);
  CALL(StreamEndCapture, stream, &graph);
  return graph;
}

static void launch_graph(CUgraphExec executable, CUstream stream) {
  CALL(GraphLaunch, executable, stream);
  CALL(StreamSynchronize, stream);
}

static void set_kernel(CUgraphExec executable, CUgraphNode node, CUfunction kernel, void **parameters) {
  CUDA_KERNEL_NODE_PARAMS changed = {.func = kernel,
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 1,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = parameters};
  CALL(GraphExecKernelNodeSetParams, executable, node, &changed);
}

void cs_cli_probe_graphs(void) {
  CUstream stream;
  CUgraphExec executable;
  CUgraphNode node;
  size_t count = 1;
  int one = 1;
  cs_u64 value = 11;
  cs_cli_probe_open();
  CUfunction kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "copy_words");
  CUdeviceptr from = cs_cli_probe_buffer(sizeof value), to = cs_cli_probe_buffer(sizeof value),
              other = cs_cli_probe_buffer(sizeof value);
  CALL(MemcpyHtoD, from, &value, sizeof value);
  CALL(StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CUgraph graph = capture_copy(kernel, stream, to, from);
  CALL(GraphInstantiateWithFlags, &executable, graph, 0);
  launch_graph(executable, stream);
  expect_copied(to, value);
  CALL(GraphGetNodes, graph, &node, &count);
  set_kernel(executable, node, kernel, (void *[]){&other, &from, &one});
  launch_graph(executable, stream);
  expect_copied(other, value);
}

/* As libcusafe changes the form of a kernel (host/hooks/graph_forms.c). */
void cs_cli_probe_graph_forms(void) {
  CUstream stream;
  CUgraph clone;
  CUgraphExec executable;
  CUgraphNode node, ours;
  size_t count = 1;
  int one = 1;
  cs_u64 value = 12, index = 0;
  cs_cli_probe_open();
  CUmodule module = cs_cli_probe_module("bare");
  CUfunction kernel = cs_cli_probe_kernel(module, "copy_words"), other = cs_cli_probe_kernel(module, "store_at");
  CUdeviceptr from = cs_cli_probe_buffer(sizeof value), to = cs_cli_probe_buffer(sizeof value);
  CALL(MemcpyHtoD, from, &value, sizeof value);
  CALL(StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CUgraph graph = capture_copy(kernel, stream, to, from);
  CALL(GraphClone, &clone, graph);
  CALL(GraphGetNodes, graph, &node, &count);
  CALL(GraphNodeFindInClone, &ours, node, clone);
  CALL(GraphInstantiateWithFlags, &executable, clone, 0);
  CALL(GraphDestroy, graph);
  set_kernel(executable, ours, other, (void *[]){&from, &index}); /* its low half becomes 1 */
  launch_graph(executable, stream);
  set_kernel(executable, ours, kernel, (void *[]){&to, &from, &one});
  launch_graph(executable, stream);
  expect_copied(to, 1);
}

void cs_cli_probe_fork(void) {
  int status;
  cs_cli_probe_open();
  pid_t child = fork();
  if (child == 0) {
    CUdeviceptr buffer;
    _exit(cs_cli_cuda.MemAlloc(&buffer, 100) ? 0 : 1);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || WIFSIGNALED(status))
    cs_cli_probe_end(CS_CLI_FAILS, "the child crashed");
  if (WEXITSTATUS(status))
    cs_cli_probe_end(CS_CLI_FAILS, "cuMemAlloc succeeded in the child");
}
