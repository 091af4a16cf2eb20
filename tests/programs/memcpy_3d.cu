// Three-dimensional pitched memory: sets and copies of boxes with positions.
#include "../check.h"

const int X = 10, Y = 6, Z = 4;

__global__ void add_index(cudaPitchedPtr p) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  int *row = (int *)((char *)p.ptr + (z * p.ysize + y) * p.pitch);
  row[x] += 10000 * z + 100 * y + x;
}

int main() {
  cudaExtent extent = make_cudaExtent(X * sizeof(int), Y, Z);
  cudaPitchedPtr device;
  CU(cudaMalloc3D(&device, extent));
  EXPECT(device.pitch >= X * sizeof(int) && device.ysize == (size_t)Y);
  CU(cudaMemset3D(device, 0x01, extent));
  add_index<<<Z, dim3(X, Y)>>>(device);
  LAUNCHED();

  static int all[Z][Y][X], box[2][3][4];
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = device;
  copy.dstPtr = make_cudaPitchedPtr(all, sizeof all[0][0], X, Y);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  CU(cudaMemcpy3D(&copy));
  for (int z = 0; z < Z; z++)
    for (int y = 0; y < Y; y++)
      for (int x = 0; x < X; x++)
        EXPECT(all[z][y][x] == 0x01010101 + 10000 * z + 100 * y + x);
  show("all", all, sizeof all);

  cudaMemcpy3DParms part = {};
  part.srcPtr = device;
  part.srcPos = make_cudaPos(3 * sizeof(int), 2, 1);
  part.dstPtr = make_cudaPitchedPtr(box, sizeof box[0][0], 4, 3);
  part.extent = make_cudaExtent(4 * sizeof(int), 3, 2);
  part.kind = cudaMemcpyDeviceToHost;
  CU(cudaMemcpy3D(&part));
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 3; y++)
      for (int x = 0; x < 4; x++)
        EXPECT(box[z][y][x] == all[z + 1][y + 2][x + 3]);
  show("box", box, sizeof box);
  CU(cudaFree(device.ptr));
  return verdict();
}
