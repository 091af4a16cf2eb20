// Adds 1 to n elements of a tensor, for views.py.
extern "C" __global__ void views(float *t, int n, int stride) {
  int i = threadIdx.x;
  if (i < n)
    t[i * stride] += 1;
}
