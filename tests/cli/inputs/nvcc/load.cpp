// Loads a module with the driver API and runs its kernel; with a second argument, on one element too many.
#include <cstdio>
#include <cuda.h>

int main(int argc, char **argv) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr p;
  int host[4] = {1, 2, 3, 4};
  void *arguments[] = {&p};
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) ||
      cuModuleLoad(&module, argv[1]) || cuModuleGetFunction(&function, module, "twice") ||
      cuMemAlloc(&p, sizeof host) || cuMemcpyHtoD(p, host, sizeof host) ||
      cuLaunchKernel(function, 1, 1, 1, argc > 2 ? 5 : 4, 1, 1, 0, nullptr, arguments, nullptr) ||
      cuMemcpyDtoH(host, p, sizeof host))
    return 1;
  printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  return 0;
}
