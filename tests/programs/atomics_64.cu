// 64-bit atomics, with values whose upper halves matter, and the old values that they return.
#include "../check.h"

typedef unsigned long long u64;
enum { ADD, MAX, MIN, AND, OR, XOR, EXCH, CAS, COUNT };

__global__ void all(u64 *cell, long long *extremes, u64 *tickets, const u64 *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 v = in[i];
  tickets[i] = atomicAdd(&cell[ADD], 0x100000001ull);
  atomicMax(&cell[MAX], v);
  atomicMin(&cell[MIN], v);
  atomicAnd(&cell[AND], ~(1ull << (i % 64)));
  atomicOr(&cell[OR], 1ull << (i % 37));
  atomicXor(&cell[XOR], v);
  atomicExch(&cell[EXCH], 0xabcdef0123456789ull);
  atomicCAS(&cell[CAS], 0ull, 0xffffffff00000000ull);
  atomicMax(&extremes[0], (long long)v);
  atomicMin(&extremes[1], (long long)v);
}

int main() {
  const int blocks = 5, threads = 64, n = blocks * threads;
  Array<u64> cell(COUNT), in(n), tickets(n);
  Array<long long> extremes(2);
  u64 e[COUNT] = {};
  long long top = 0, bottom = 0;
  e[MIN] = cell[MIN] = ~0ull;
  e[AND] = cell[AND] = ~0ull;
  for (int i = 0; i < n; i++) {
    u64 v = in[i] = (u64)random_bits() << 32 | random_bits();
    e[MAX] = v > e[MAX] ? v : e[MAX];
    e[MIN] = v < e[MIN] ? v : e[MIN];
    e[AND] &= ~(1ull << (i % 64));
    e[OR] |= 1ull << (i % 37);
    e[XOR] ^= v;
    top = (long long)v > top ? (long long)v : top;
    bottom = (long long)v < bottom ? (long long)v : bottom;
  }
  e[ADD] = 0x100000001ull * n;
  e[EXCH] = 0xabcdef0123456789ull;
  e[CAS] = 0xffffffff00000000ull;
  cell.upload();
  in.upload();
  extremes.upload();
  all<<<blocks, threads>>>(cell.device, extremes.device, tickets.device, in.device);
  LAUNCHED();
  cell.download();
  tickets.download();
  extremes.download();
  for (int i = 0; i < COUNT; i++)
    EXPECT(cell[i] == e[i]);
  EXPECT(extremes[0] == top && extremes[1] == bottom);
  bool *taken = (bool *)calloc(n, 1); // every old value was returned exactly once
  for (int i = 0; i < n; i++) {
    u64 number = tickets[i] >> 32;
    EXPECT(number < (u64)n && !taken[number] && tickets[i] == number * 0x100000001ull);
    if (number < (u64)n)
      taken[number] = true;
  }
  free(taken);
  cell.show("cells");
  extremes.show("extremes");
  return verdict();
}
