// Dynamic shared memory: as one type, carved into several, alongside static shared memory, and of different sizes in each launch.
#include "../check.h"

extern __shared__ unsigned char raw[];

__global__ void reverse(int *data, int n) {
  int *s = (int *)raw;
  s[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = s[n - 1 - threadIdx.x];
}

__global__ void carve(double *doubles, float *floats, short *shorts, int n) {
  __shared__ int fixed[4];
  double *d = (double *)raw;
  float *f = (float *)(d + n);
  short *s = (short *)(f + n);
  int t = threadIdx.x;
  if (t < 4)
    fixed[t] = 100 * t;
  d[t] = t * 0.5;
  f[t] = t * 0.25f;
  s[t] = (short)(t * 3);
  __syncthreads();
  int other = (t + 7) % n;
  doubles[t] = d[other] + fixed[t % 4];
  floats[t] = f[other];
  shorts[t] = s[other];
}

int main() {
  for (int n : {32, 200, 1000}) {
    Array<int> data(n);
    for (int i = 0; i < n; i++)
      data[i] = i * i;
    data.upload();
    reverse<<<1, n, n * sizeof(int)>>>(data.device, n);
    LAUNCHED();
    data.download();
    for (int i = 0; i < n; i++)
      EXPECT(data[i] == (n - 1 - i) * (n - 1 - i));
    data.show("reversed");
  }
  const int n = 96;
  Array<double> d(n);
  Array<float> f(n);
  Array<short> s(n);
  carve<<<1, n, n * (sizeof(double) + sizeof(float) + sizeof(short))>>>(d.device, f.device, s.device, n);
  LAUNCHED();
  d.download();
  f.download();
  s.download();
  for (int t = 0; t < n; t++) {
    int other = (t + 7) % n;
    EXPECT(d[t] == other * 0.5 + 100 * (t % 4) && f[t] == other * 0.25f && s[t] == other * 3);
  }
  d.show("doubles");
  f.show("floats");
  s.show("shorts");
  return verdict();
}
