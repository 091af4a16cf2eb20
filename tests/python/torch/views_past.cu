// The same for elements outside of the view.
extern "C" __global__ void views_past(float *t, int n, int stride) {
  int i = threadIdx.x;
  if (i < n)
    t[i * stride] += 1; // BUG: out-of-bounds
}
