/* bugs.c: a few bugs in each kind of memory, with checked kernels, and their twins. Once CuSafe has found the bug, the
 * calls that follow may fail: their results are ignored. */
#include "cli/selftest/bugs.h"
#include "cli/selftest/driver.h"
#include <stdint.h>
#include <string.h>

enum { COUNT = 8, BYTES = COUNT * (int)sizeof(int) };

static CUmodule module;

static void launch(const char *name, CUstream stream, void **arguments) {
  CUfunction kernel = cs_cli_probe_kernel(module, name);
  cs_cli_cuda.LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

static void store(CUdeviceptr to, long long index) {
  launch("store_at", NULL, (void *[]){&to, &index});
  cs_cli_cuda.CtxSynchronize();
}

static void store_in_own(const char *kernel, long long index) {
  CUdeviceptr to = cs_cli_probe_buffer(BYTES);
  launch(kernel, NULL, (void *[]){&to, &index});
  cs_cli_cuda.CtxSynchronize();
}

static void store_past_end(int has_bug) {
  store(cs_cli_probe_buffer(BYTES), has_bug ? COUNT : COUNT - 1);
}

static void store_before_start(int has_bug) {
  store(cs_cli_probe_buffer(BYTES), has_bug ? -1 : 0);
}

static void load_past_end(int has_bug) {
  CUdeviceptr from = cs_cli_probe_buffer(BYTES), to = cs_cli_probe_buffer(BYTES);
  long long index = has_bug ? COUNT : COUNT - 1;
  launch("load_at", NULL, (void *[]){&to, &from, &index});
  cs_cli_cuda.CtxSynchronize();
}

static void store_misaligned(int has_bug) {
  store_in_own("store_at_byte", has_bug ? 2 : 4);
}

static void store_to_null(int has_bug) {
  store(has_bug ? 0 : cs_cli_probe_buffer(BYTES), 1);
}

static void store_after_free(int has_bug) {
  CUdeviceptr buffer = cs_cli_probe_buffer(BYTES);
  if (has_bug)
    CALL(MemFree, buffer);
  store(buffer, 1);
}

static void store_after_stream_free(int has_bug) {
  CUdeviceptr buffer;
  CUstream stream;
  long long index = 1;
  CALL(StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CALL(MemAllocAsync, &buffer, BYTES, stream);
  if (has_bug)
    CALL(MemFreeAsync, buffer, stream);
  launch("store_at", stream, (void *[]){&buffer, &index});
  cs_cli_cuda.StreamSynchronize(stream);
}

static void free_twice(int has_bug) {
  CUdeviceptr buffer = cs_cli_probe_buffer(BYTES);
  CALL(MemFree, buffer);
  if (has_bug)
    cs_cli_cuda.MemFree(buffer);
}

static void free_inside(int has_bug) {
  cs_cli_cuda.MemFree(cs_cli_probe_buffer(BYTES) + (has_bug ? sizeof(int) : 0));
}

static void shared_variable(int has_bug) {
  store_in_own("store_shared_at", has_bug ? COUNT : 0);
}

static void local_variable(int has_bug) {
  store_in_own("store_local_at", has_bug ? COUNT : 0);
}

static void device_variable(int has_bug) {
  store_in_own("store_variable_at", has_bug ? COUNT : 0);
}

static void managed_buffer(int has_bug) {
  CUdeviceptr buffer;
  CALL(MemAllocManaged, &buffer, BYTES, CU_MEM_ATTACH_GLOBAL);
  store(buffer, has_bug ? COUNT : COUNT - 1);
}

static void pinned_buffer(int has_bug) {
  void *memory;
  CALL(MemHostAlloc, &memory, BYTES, 0);
  store((CUdeviceptr)(uintptr_t)memory, has_bug ? COUNT : COUNT - 1);
}

static void copy_past_end(int has_bug) {
  static const char data[BYTES + 1];
  cs_cli_cuda.MemcpyHtoD(cs_cli_probe_buffer(BYTES), data, has_bug ? BYTES + 1 : BYTES);
}

static void kernel_in_graph(int has_bug) {
  CUstream stream;
  CUgraph graph;
  CUgraphExec executable;
  CUdeviceptr buffer = cs_cli_probe_buffer(BYTES);
  long long index = has_bug ? COUNT : COUNT - 1;
  CALL(StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CALL(StreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  launch("store_at", stream, (void *[]){&buffer, &index});
  CALL(StreamEndCapture, stream, &graph);
  CALL(GraphInstantiateWithFlags, &executable, graph, 0);
  CALL(GraphLaunch, executable, stream);
  cs_cli_cuda.StreamSynchronize(stream);
}

int cs_cli_bug_run(const char *name, int has_bug) {
  static const struct {
    const char *name;
    void (*run)(int has_bug);
  } bugs[] = {
#define CS_CLI_BUG(name, kind) {#name, name},
#include "cli/selftest/bugs.inc"
  };
  for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
    if (!strcmp(bugs[i].name, name)) {
      cs_cli_probe_open();
      module = cs_cli_probe_module("checked");
      bugs[i].run(has_bug);
      return 0;
    }
  return -1;
}
