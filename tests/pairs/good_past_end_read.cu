// A sum of neighbours over a buffer with one element more than threads.
#include "../check.h"

__global__ void neighbours(const double *in, double *out) {
  int i = threadIdx.x;
  out[i] = in[i] + in[i + 1];
}

int main() {
  Array<double> in(65), out(64);
  for (int i = 0; i < 65; i++)
    in[i] = i * 0.5;
  in.upload();
  neighbours<<<1, 64>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < 64; i++)
    EXPECT(out[i] == in[i] + in[i + 1]);
  out.show("sums");
  return verdict();
}
