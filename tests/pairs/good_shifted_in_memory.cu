// The host stores pointers before and past their buffers in a device structure; one kernel moves them, the next dereferences them.
#include "../check.h"

struct Views {
  float *from_one;  // indices 1 ... n
  float *biased;    // indices first ... first + n - 1, as in one part of a larger domain
  float *backwards; // indices -2n ... -n - 1
  float *moved;     // by a kernel
};

enum { COUNT = 100, FIRST = 5000 };

__device__ __noinline__ void store(Views *v, float *to) {
  v->moved = to;
}

__global__ void move(Views *v) {
  store(v, v->from_one + 1);
  v->biased += 10;
  v->biased -= 10;
}

__global__ void add(const Views *v) {
  int i = threadIdx.x;
  v->from_one[i + 1] += 1;
  v->biased[i + FIRST] += 2;
  v->backwards[i - 2 * COUNT] += 4;
  v->moved[i] += 8;
}

int main() {
  float *freed;
  CU(cudaMalloc((void **)&freed, COUNT * sizeof(float)));
  Array<float> before(COUNT), values(COUNT), after(COUNT);
  Array<Views> views(1);
  CU(cudaFree(freed));
  views[0] = Views{values.device - 1, values.device - FIRST, values.device + 2 * COUNT, nullptr};
  values.upload();
  views.upload();
  move<<<1, 1>>>(views.device);
  add<<<1, COUNT>>>(views.device);
  LAUNCHED();
  values.download();
  for (int i = 0; i < COUNT; i++)
    EXPECT(values[i] == 15);
  values.show("values");
  return verdict();
}
