// A kernel with a tensor core instruction on numbers of four bits in inline PTX, which the CPU device does not support.
__global__ void multiply(int *d, const unsigned *a, const unsigned *b) {
  int x = 0, y = 0, z = 0, w = 0;
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+r"(x), "+r"(y), "+r"(z), "+r"(w)
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  d[0] = x + y + z + w;
}

int main() {
  multiply<<<1, 32>>>(nullptr, nullptr, nullptr);
  return 0;
}
