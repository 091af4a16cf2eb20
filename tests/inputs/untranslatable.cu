// A kernel with a tensor core instruction in inline PTX, which the CPU device does not support.
__global__ void multiply(float *d, const unsigned *a, const unsigned *b) {
  float x = 0, y = 0, z = 0, w = 0;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  d[0] = x + y + z + w;
}

int main() {
  multiply<<<1, 32>>>(nullptr, nullptr, nullptr);
  return 0;
}
