// Devices, streams and events that do not exist; names and descriptions of errors.
#include "../check.h"

static void fails(const char *name, cudaError_t error, cudaError_t expected) {
  printf("%s: %s\n", name, cudaGetErrorName(error));
  EXPECT(error == expected);
  EXPECT(cudaPeekAtLastError() == expected);
  EXPECT(cudaGetLastError() == expected);
  EXPECT(cudaPeekAtLastError() == cudaSuccess);
}

int main() {
  int count = 0, device = -1, value = 0;
  CU(cudaGetDeviceCount(&count));
  EXPECT(count >= 1);
  CU(cudaSetDevice(0));
  cudaDeviceProp properties;
  fails("set device", cudaSetDevice(count), cudaErrorInvalidDevice);
  fails("set device -1", cudaSetDevice(-1), cudaErrorInvalidDevice);
  fails("properties", cudaGetDeviceProperties(&properties, count), cudaErrorInvalidDevice);
  fails("attribute", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0), cudaErrorInvalidValue);
  CU(cudaGetDevice(&device));
  EXPECT(device == 0);

  cudaEvent_t first, second;
  float milliseconds;
  CU(cudaEventCreate(&first));
  CU(cudaEventCreate(&second));
  fails("not recorded", cudaEventElapsedTime(&milliseconds, first, second), cudaErrorInvalidResourceHandle);
  CU(cudaEventDestroy(first));
  CU(cudaEventDestroy(second));

  EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
  EXPECT(strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorInvalidDevice), "invalid device ordinal") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
  EXPECT(strcmp(cudaGetErrorString((cudaError_t)54321), "unrecognized error code") == 0);
  return verdict();
}
