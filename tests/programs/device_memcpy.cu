// memcpy, memset and (clang has only the builtin, nvcc none) memmove in kernels: constant and variable sizes, between global, shared and local memory.
#include "../check.h"

struct Block {
  char text[40];
  int number;
};

__global__ void copy(const Block *in, Block *out, char *bytes, int width) {
  __shared__ Block shared[32];
  Block local;
  int t = threadIdx.x;
  memcpy(&shared[t], &in[t], sizeof(Block));
  __syncthreads();
  local = shared[(t + 1) % 32];
  memset(local.text + 30, 'x', 10);
  memcpy(local.text, &t, sizeof t);
  out[t] = local;
  memset(bytes + t * width, t, width);
  memcpy(bytes + t * width, in[t].text, (size_t)(t % 9));
#ifdef __clang__
  __builtin_memmove(bytes + t * width + 3, bytes + t * width, 8);
#else
  for (int i = 7; i >= 0; i--)
    bytes[t * width + 3 + i] = bytes[t * width + i];
#endif
}

int main() {
  const int n = 32, width = 21;
  Array<Block> in(n), out(n);
  Array<char> bytes(n * width);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 40; j++)
      in[i].text[j] = (char)random_bits();
    in[i].number = i * 7;
  }
  in.upload();
  copy<<<1, n>>>(in.device, out.device, bytes.device, width);
  LAUNCHED();
  out.download();
  bytes.download();
  for (int t = 0; t < n; t++) {
    Block expected = in[(t + 1) % n];
    memset(expected.text + 30, 'x', 10);
    memcpy(expected.text, &t, sizeof t);
    EXPECT(memcmp(&expected, &out[t], sizeof expected) == 0);
    char row[width];
    memset(row, t, width);
    memcpy(row, in[t].text, (size_t)(t % 9));
    memmove(row + 3, row, 8);
    EXPECT(memcmp(row, &bytes[t * width], width) == 0);
  }
  out.show("blocks");
  bytes.show("bytes");
  return verdict();
}
