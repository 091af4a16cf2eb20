// Loads a module of PTX, looks up its kernel and launches it: prints the milliseconds that this takes, in wall time or,
// with BENCH_CLOCK=cpu, in CPU time of this process and the lifter.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <initializer_list>
#include <sys/resource.h>
#include <time.h>

static double now() {
  const char *clock = getenv("BENCH_CLOCK");
  timespec t;
  clock_gettime(clock && strcmp(clock, "cpu") == 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  double ms = (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
  rusage children;
  getrusage(RUSAGE_CHILDREN, &children);
  if (clock && strcmp(clock, "cpu") == 0)
    for (timeval used : {children.ru_utime, children.ru_stime})
      ms += (double)used.tv_sec * 1e3 + (double)used.tv_usec * 1e-3;
  return ms;
}

static void call(CUresult result) {
  if (result == CUDA_SUCCESS)
    return;
  fprintf(stderr, "error %d\n", result);
  exit(1);
}

int main(int, char **argv) {
  CUcontext context;
  CUmodule module;
  CUfunction scale;
  CUdeviceptr buffer;
  unsigned count = 1000;
  float by = 2;
  call(cuInit(0));
  call(cuDevicePrimaryCtxRetain(&context, 0));
  call(cuCtxSetCurrent(context));
  call(cuMemAlloc(&buffer, count * sizeof(float)));
  void *arguments[] = {&buffer, &by, &count};
  double start = now();
  call(cuModuleLoad(&module, argv[1]));
  call(cuModuleGetFunction(&scale, module, "scale"));
  call(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  call(cuCtxSynchronize());
  printf("%.2f\n", now() - start);
  call(cuMemFree(buffer));
}
