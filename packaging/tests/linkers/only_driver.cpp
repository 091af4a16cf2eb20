// only_driver.cpp: a fill past the end of a buffer, by the driver API alone.
#include <cuda.h>

int main() {
  CUdevice device;
  CUcontext context;
  CUdeviceptr buffer;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) ||
      cuMemAlloc(&buffer, 100))
    return 1;
  return cuMemsetD8(buffer, 0, 101) != CUDA_SUCCESS;
}
