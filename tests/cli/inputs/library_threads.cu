// Threads that launch, all at once, the first kernel of a library in a new context. Every launch makes one error.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>
#include <thread>
#include <vector>

extern "C" __global__ void outside(int *p, int n) {
  p[n] = 1;
}

static const void *image;
extern "C" void **__cudaRegisterFatBinary(void *wrapper) {
  image = wrapper;
  return ((void **(*)(void *))dlsym(RTLD_NEXT, "__cudaRegisterFatBinary"))(wrapper);
}

static void check(CUresult result) {
  if (result != CUDA_SUCCESS)
    printf("error %d\n", result), exit(3);
}

int main(int, char **argv) {
  enum { THREADS = 4 };
  int contexts = atoi(argv[1]);
  CUdevice device;
  CUcontext context;
  CUlibrary library;
  CUkernel kernel;
  check(cuInit(0)), check(cuDeviceGet(&device, 0)), check(cuCtxCreate(&context, nullptr, 0, device));
  check(cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  check(cuLibraryGetKernel(&kernel, library, "outside"));
  for (int i = 0; i < contexts; i++) {
    CUdeviceptr p;
    check(cuCtxCreate(&context, nullptr, 0, device)), check(cuMemAlloc(&p, 400));
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++)
      threads.emplace_back([&] {
        CUfunction function;
        int n = 100;
        void *parameters[] = {&p, &n};
        check(cuCtxSetCurrent(context)), check(cuKernelGetFunction(&function, kernel));
        ready++;
        while (ready < THREADS)
          ;
        check(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
      });
    for (auto &thread : threads)
      thread.join();
    check(cuCtxSynchronize()), check(cuMemFree(p)), check(cuCtxDestroy(context));
  }
  printf("errors made: %d\n", contexts * THREADS);
}
