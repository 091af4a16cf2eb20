// CUDA arrays: created, queried, copied to and from in one, two and three dimensions. No kernel reads them.
#include "../check.h"
#include <string.h>

static const int w = 37, h = 11, d = 5;

static void two_dimensions() {
  cudaArray_t array, other;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float2>(), got;
  CU(cudaMallocArray(&array, &channel, w, h));
  CU(cudaMallocArray(&other, &channel, w, h));
  static float2 in[h][w], out[h][w];
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      in[y][x] = make_float2(x, -y);
  CU(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], h, cudaMemcpyHostToDevice));
  CU(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, sizeof in[0], h));
  float2 *device;
  size_t pitch;
  CU(cudaMallocPitch((void **)&device, &pitch, sizeof in[0], h));
  CU(cudaMemcpy2DFromArray(device, pitch, other, 0, 0, sizeof in[0], h, cudaMemcpyDeviceToDevice));
  CU(cudaMemcpy2D(out, sizeof out[0], device, pitch, sizeof out[0], h, cudaMemcpyDeviceToHost));
  EXPECT(memcmp(in, out, sizeof in) == 0);
  memset(out, 0, sizeof out);
  CU(cudaMemcpy2DFromArray(out, sizeof out[0], array, 3 * sizeof(float2), 2, 4 * sizeof(float2), 5,
                           cudaMemcpyDeviceToHost));
  EXPECT(out[0][0].x == 3 && out[0][0].y == -2 && out[4][3].x == 6 && out[4][3].y == -6);
  EXPECT(cudaMemcpy2DToArray(array, 0, h, in, sizeof in[0], sizeof in[0], 1, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);
  cudaExtent extent;
  unsigned flags;
  CU(cudaArrayGetInfo(&got, &extent, &flags, array));
  EXPECT(got.x == 32 && got.y == 32 && got.z == 0 && got.f == cudaChannelFormatKindFloat);
  EXPECT(extent.width == w && extent.height == h && extent.depth == 0);
  CU(cudaFree(device));
  CU(cudaFreeArray(array));
  CU(cudaFreeArray(other));
  cudaGetLastError();
}

static void three_dimensions() {
  cudaArray_t array;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<short>();
  CU(cudaMalloc3DArray(&array, &channel, make_cudaExtent(w, h, d)));
  static short in[d][h][w], out[d][h][w];
  for (int i = 0; i < w * h * d; i++)
    (&in[0][0][0])[i] = (short)(i * 7);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(in, sizeof in[0][0], w, h);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(w, h, d); // in elements, because one operand is an array
  copy.kind = cudaMemcpyHostToDevice;
  CU(cudaMemcpy3D(&copy));
  cudaMemcpy3DParms back = {};
  back.srcArray = array;
  back.srcPos = make_cudaPos(2, 3, 1);
  back.dstPtr = make_cudaPitchedPtr(out, sizeof out[0][0], w, h);
  back.extent = make_cudaExtent(10, 4, 3);
  back.kind = cudaMemcpyDeviceToHost;
  CU(cudaMemcpy3D(&back));
  long sum = 0;
  for (int z = 0; z < 3; z++)
    for (int y = 0; y < 4; y++)
      for (int x = 0; x < 10; x++) {
        EXPECT(out[z][y][x] == in[z + 1][y + 3][x + 2]);
        sum += out[z][y][x];
      }
  printf("box: %ld\n", sum);
  CU(cudaFreeArray(array));
}

int main() {
  two_dimensions();
  three_dimensions();
  cudaChannelFormatDesc three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
  cudaArray_t array;
  EXPECT(cudaMallocArray(&array, &three, 16) == cudaErrorInvalidChannelDescriptor);
  cudaGetLastError();
  return verdict();
}
