// Every 32-bit atomic on global and shared memory; the results do not depend on the order of the threads.
#include "../check.h"

enum { ADD, SUB, MIN, MAX, AND, OR, XOR, INC, DEC, EXCH, CAS, UMIN, UMAX, SHARED_ADD, SHARED_MAX, COUNT };

__global__ void all(int *cell, const int *in) {
  __shared__ int sum, top;
  if (threadIdx.x == 0) {
    sum = 0;
    top = -1000000;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  unsigned *u = (unsigned *)cell;
  atomicAdd(&cell[ADD], v);
  atomicSub(&cell[SUB], v);
  atomicMin(&cell[MIN], v);
  atomicMax(&cell[MAX], v);
  atomicAnd(&cell[AND], ~(1 << (i % 20)));
  atomicOr(&cell[OR], 1 << (i % 13));
  atomicXor(&cell[XOR], v);
  atomicInc(&u[INC], 9);
  atomicDec(&u[DEC], 6);
  atomicExch(&cell[EXCH], 77);
  atomicCAS(&cell[CAS], 0, 5);
  atomicMin(&u[UMIN], (unsigned)v);
  atomicMax(&u[UMAX], (unsigned)v);
  atomicAdd(&sum, v);
  atomicMax(&top, v);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&cell[SHARED_ADD], sum);
    atomicMax(&cell[SHARED_MAX], top);
  }
}

int main() {
  const int blocks = 9, threads = 100, n = blocks * threads;
  Array<int> cell(COUNT), in(n);
  int e[COUNT] = {}, inc = 0, dec = 0;
  e[AND] = cell[AND] = -1;
  e[UMIN] = cell[UMIN] = -1;
  e[MIN] = cell[MIN] = 1 << 30;
  e[MAX] = cell[MAX] = e[SHARED_MAX] = cell[SHARED_MAX] = -(1 << 30);
  for (int i = 0; i < n; i++) {
    int v = in[i] = (int)(random_bits() % 20001) - 10000;
    e[ADD] += v;
    e[SUB] -= v;
    e[MIN] = v < e[MIN] ? v : e[MIN];
    e[MAX] = v > e[MAX] ? v : e[MAX];
    e[AND] &= ~(1 << (i % 20));
    e[OR] |= 1 << (i % 13);
    e[XOR] ^= v;
    inc = inc >= 9 ? 0 : inc + 1;
    dec = dec == 0 || dec > 6 ? 6 : dec - 1;
    e[UMIN] = (unsigned)v < (unsigned)e[UMIN] ? v : e[UMIN];
    e[UMAX] = (unsigned)v > (unsigned)e[UMAX] ? v : e[UMAX];
  }
  e[INC] = inc;
  e[DEC] = dec;
  e[EXCH] = 77;
  e[CAS] = 5;
  e[SHARED_ADD] = e[ADD];
  e[SHARED_MAX] = e[MAX];
  cell.upload();
  in.upload();
  all<<<blocks, threads>>>(cell.device, in.device);
  LAUNCHED();
  cell.download();
  for (int i = 0; i < COUNT; i++) {
    EXPECT(cell[i] == e[i]);
    if (cell[i] != e[i])
      printf("atomic %d: %d, expected %d\n", i, cell[i], e[i]);
  }
  cell.show("cells");
  return verdict();
}
