/* test_threads.c: libcusafe and eight threads that also manage pools, on a driver without memory (threads_cuda.c). This
 * program is linked with libcusafe's own files, so that ThreadSanitizer sees their accesses. Every error that a kernel
 * makes is counted; a race ends the process. */
#include "cusafe/cusafe.h"
#include <assert.h>
#include <cuda.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#undef cuMemAlloc
#undef cuMemFree
enum { THREADS = 8 };

static unsigned long long made; /* errors */
static CUlibrary library;
static pthread_barrier_t start;
static int rounds = 10;
static int has_graphs; /* with them, regions of NVTX are no longer checked */

static void work_in_context(void) {
  CUcontext context;
  assert(!cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context));
}

/* Kernels get how many errors to make. */
static void launch(CUfunction function, unsigned long long errors, CUstream stream) {
  void *parameters[] = {&errors};
  __atomic_add_fetch(&made, errors, __ATOMIC_RELAXED);
  assert(!cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

static void use_buffers(unsigned seed, CUstream stream) {
  CUdeviceptr p[8];
  for (unsigned i = 0; i < 8; i++) {
    size_t bytes = (size_t)1 << (4 + (seed + i) % 20);
    assert(!(i % 2 ? cuMemAllocAsync(&p[i], bytes, stream) : cuMemAlloc_v2(&p[i], bytes)));
    assert(!cuMemsetD8Async(p[i], 0, bytes, stream));
  }
  for (unsigned i = 0; i < 8; i++)
    assert(!((seed + i) % 3 ? cuMemFreeAsync(p[i], stream) : cuMemFree_v2(p[i])));
}

/* ---- pools ---- */

extern const struct cusafe_interface cusafe_interface_1; /* of this program: no library has to be found */
static CUdeviceptr common;
enum { BLOCKS = 16, BLOCK = 4096 };

/* Sub-allocations of a buffer; `first` is the thread's own part of it. */
static void carve_blocks(char *first, CUstream stream) {
  const struct cusafe_interface *pool = &cusafe_interface_1;
  char *blocks[BLOCKS];
  for (int i = 0; i < BLOCKS; i++) {
    blocks[i] = pool->carve(first + i * BLOCK, (size_t)(i * 250));
    pool->name(blocks[i], i % 2 ? "odd" : "even");
  }
  for (int i = 1; i < BLOCKS; i++) {
    assert(pool->in_bounds(blocks[i], (size_t)(i * 250)) && !pool->in_bounds(blocks[i], BLOCK));
    blocks[i] = pool->resize(blocks[i], BLOCK, stream);
    assert(!cuMemsetD8Async((CUdeviceptr)blocks[i], 0, BLOCK, stream));
    pool->poison(blocks[i] + 64, 64);
    pool->unpoison(blocks[i] + 64, i % 2 ? 64 : 32);
  }
  for (int i = 0; i < BLOCKS; i++)
    assert(pool->give_back(blocks[i], i % 2 ? stream : NULL) == first + i * BLOCK);
}

/* NVTX's functions, by slot (hooks/nvtx.c). */
static intptr_t slots[16];
struct nvtx_range {
  size_t size;
  const void *pointer;
};
int InitializeInjectionNvtxExtension(void *info);

static void attach_nvtx(void) {
  struct {
    size_t id, count;
    intptr_t *slots;
  } segment = {0, sizeof slots / sizeof *slots, slots};
  struct {
    uint16_t version, bytes, module, compatible;
    size_t count;
    void *segments;
  } info = {3, sizeof info, 1, 1, 1, &segment};
  assert(InitializeInjectionNvtxExtension(&info) == 1);
}

/* Regions of a heap that this thread registers. */
static void register_regions(char *start, size_t bytes) {
  struct nvtx_range whole = {bytes, start}, part = {1000, start + 4096};
  const struct {
    uint16_t version, bytes;
    uint32_t reserved, usage, type;
    size_t described_bytes;
    const void *described;
  } heap = {1, sizeof heap, 0, 1, 1, sizeof whole, &whole};
  const struct {
    uint16_t version, bytes;
    uint32_t type;
    const void *heap;
    size_t count, element;
    const void *elements;
    void *handles;
  } regions = {1, sizeof regions, 1, start, 1, sizeof part, &part, NULL};
  const struct {
    uint16_t version, bytes;
    uint32_t type;
    size_t count, element;
    const void *elements;
  } resized = {1, sizeof resized, 1, 1, sizeof part, &part},
    ended = {1, sizeof ended, 1, 1, sizeof(void *), &part.pointer};
  void *handle = ((void *(*)(void *, const void *))slots[0])(NULL, &heap);
  for (int i = 0; i < 4; i++) {
    ((void (*)(void *, const void *))slots[3])(NULL, &regions);
    part.size = 500;
    ((void (*)(void *, const void *))slots[4])(NULL, &resized);
    ((void (*)(void *, const void *))slots[5])(NULL, &ended);
    part.size = 1000;
  }
  ((void (*)(void *, void *))slots[1])(NULL, handle);
}

static void use_pools(unsigned thread, CUstream stream) {
  CUdeviceptr own;
  assert(!cuMemAlloc_v2(&own, BLOCKS * BLOCK));
  carve_blocks((char *)own, stream);
  carve_blocks((char *)common + (size_t)thread * BLOCKS * BLOCK, stream);
  cusafe_interface_1.stream_checks(stream, 0);
  register_regions((char *)own, BLOCKS * BLOCK);
  cusafe_interface_1.stream_checks(stream, 1);
  cusafe_interface_1.carve((char *)own, 100); /* it ends with the buffer */
  assert(!cuMemFree_v2(own));
}

static void *work(void *argument) {
  static unsigned threads;
  unsigned seed = *(unsigned *)argument, thread = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % THREADS;
  CUstream stream;
  CUkernel kernel;
  work_in_context();
  assert(!cuStreamCreate(&stream, 0) && !cuLibraryGetKernel(&kernel, library, "fails"));
  pthread_barrier_wait(&start);
  launch((CUfunction)kernel, 1, stream); /* all threads meet the library */
  for (int i = 0; i < rounds; i++, seed = seed * 1103515245u + 12345u) {
    CUmodule module;
    CUfunction function;
    use_buffers(seed >> 8, stream);
    use_pools(thread, stream);
    launch((CUfunction)kernel, seed >> 8 & 1, stream);
    if (i % 8 == 0) {
      assert(!cuModuleLoadData(&module, "") && !cuModuleGetFunction(&function, module, "fails"));
      launch(function, 2, stream);
      if (has_graphs) {
        __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
        assert(!cuGraphLaunch((CUgraphExec)module, stream));
      }
      assert(!cuModuleUnload(module));
    }
    assert(!(i % 2 ? cuStreamSynchronize(stream) : cuCtxSynchronize()));
  }
  return NULL;
}

/* Without a current context, so that the threads connect the library. */
static void load_library(void) {
  assert(!cuCtxSetCurrent(NULL) && !cuLibraryLoadData(&library, "", NULL, NULL, 0, NULL, NULL, 0));
}

static void run_threads(void) {
  pthread_t threads[THREADS];
  unsigned seeds[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    seeds[i] = 7919 * i + 1;
    assert(!pthread_create(&threads[i], NULL, work, &seeds[i]));
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

/* Runs `act` in a process of its own, with its output in `output`. Returns its exit status, or 128 and the signal. */
static char output[1 << 20];
static int run(const char *self, const char *mode) {
  char command[4096];
  snprintf(command, sizeof command,
           "CUSAFE_OPTIONS=on_error=continue:print_limit=1:stream_order=1 timeout 100 %s %s 2>&1", self, mode);
  FILE *pipe = popen(command, "r");
  assert(pipe);
  output[fread(output, 1, sizeof output - 1, pipe)] = 0;
  int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int failed(const char *what) {
  printf("%s:\n%s\n", what, output);
  return 1;
}

static int expect_all_errors(const char *self) {
  char expected[100];
  unsigned long long counted;
  int status = run(self, "work");
  const char *line = strstr(output, "errors made: ");
  if (status != 86 || !line || sscanf(line, "errors made: %llu", &counted) != 1)
    return failed("eight threads did not end with errors alone");
  snprintf(expected, sizeof expected, "cusafe: %llu invalid accesses", counted);
  return strstr(output, expected) ? 0 : failed("an error was lost");
}

/* One thread ends the process while the others work. */
static int expect_end(const char *self, const char *mode) {
  return run(self, mode) == 86 ? 0 : failed(mode);
}

int main(int argc, char **argv) {
  if (argc == 1) {
    int failures = expect_all_errors(argv[0]);
    for (int i = 0; i < 3; i++)
      failures += expect_end(argv[0], "exit") + expect_end(argv[0], "_exit");
    return failures != 0;
  }
  assert(!cuInit(0) && !pthread_barrier_init(&start, NULL, THREADS));
  work_in_context();
  assert(!cuMemAlloc_v2(&common, (size_t)THREADS * BLOCKS * BLOCK));
  attach_nvtx();
  if (strcmp(argv[1], "work") == 0) {
    for (int i = 0; i < 8; i++) {
      has_graphs = i >= 4;
      load_library();
      run_threads();
    }
    printf("errors made: %llu\n", made);
    return 0;
  }
  static unsigned seeds[THREADS];
  pthread_t thread;
  rounds = 1 << 20;
  load_library();
  for (unsigned i = 0; i < THREADS; i++)
    assert(!pthread_create(&thread, NULL, work, &seeds[i]));
  usleep(200000);
  if (strcmp(argv[1], "exit") == 0)
    exit(0);
  _exit(0);
}
