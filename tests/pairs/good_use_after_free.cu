// Buffers are freed after their last use, and new ones of the same size are used immediately.
#include "../check.h"

__global__ void copy(const int *in, int *out) {
  *out += *in;
}

int main() {
  Array<int> out(1);
  out.upload();
  int sum = 0;
  for (int i = 0; i < 50; i++) {
    Array<int> in(1000);
    in[0] = i * i;
    sum += in[0];
    in.upload();
    copy<<<1, 1>>>(in.device, out.device);
  }
  LAUNCHED();
  out.download();
  EXPECT(out[0] == sum);
  out.show("sum");
  return verdict();
}
