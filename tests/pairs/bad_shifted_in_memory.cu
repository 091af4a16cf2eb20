// Out-of-bounds pointers in a structure; the kernel that moves one back does not move it far enough.
// EXPECT: out-of-bounds read of 4 bytes
// EXPECT-TEXT: is 4 bytes before the start of a 400-byte buffer
// EXPECT-TEXT: its pointer is that address and is itself outside every buffer
#include "../check.h"

struct Views {
  float *from_one, *moved;
};

enum { COUNT = 100 };

__global__ void move(Views *v, int by) {
  v->moved = v->from_one + by;
}

__global__ void add(const Views *v) {
  float *to = v->moved;
  to[threadIdx.x] += 8; // BUG
}

int main() {
  float *freed;
  CU(cudaMalloc((void **)&freed, COUNT * sizeof(float)));
  Array<float> before(COUNT), values(COUNT), after(COUNT);
  Array<Views> views(1);
  CU(cudaFree(freed));
  views[0].from_one = values.device - 1;
  views.upload();
  move<<<1, 1>>>(views.device, 1);
  add<<<1, COUNT>>>(views.device);
  LAUNCHED();
  move<<<1, 1>>>(views.device, 0);
  add<<<1, COUNT>>>(views.device);
  LAUNCHED();
  return verdict();
}
