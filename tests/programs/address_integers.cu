// Integers made from addresses: the host stores the address of a variable, a kernel compares it with its own, takes the difference, and packs
// pointers with counters into one word.
#include "../check.h"

struct Node {
  int value;
  unsigned long long next; // the address, shifted by 16, and a counter
};
enum { NODES = 8 };
__device__ Node pool[NODES];
__device__ int table[13];
__device__ uintptr_t given, stored;
__device__ int *pointer;
__device__ unsigned long long head;

__global__ void meet_host(long *out) {
  out[0] = (long)(given - (uintptr_t)table);
  out[1] = given == (uintptr_t)&table[3];
  out[2] = given < (uintptr_t)&table[4];
  out[3] = (long)((uintptr_t)&table[5] - given) / 4;
  out[4] = pointer - table;
  out[5] = pointer == &table[3];
  out[6] = ((uintptr_t)pointer & 3) == 0;
  stored = (uintptr_t)&table[7];
  pointer = table + (pointer - table + 25) % 13;
}

__global__ void meet_device(long *out) {
  out[7] = (long)(stored - (uintptr_t)table);
  out[8] = stored == (uintptr_t)&table[7];
  *pointer += 100;
}

__global__ void push() {
  for (int i = 0; i < NODES; i++) {
    pool[i].value = i + 1;
    pool[i].next = head;
    head = (unsigned long long)(uintptr_t)&pool[i] << 16 | (unsigned)i;
  }
}

__device__ Node *node_of(unsigned long long word) {
  return (Node *)(uintptr_t)(word >> 16);
}

__global__ void walk(long *out) {
  for (unsigned long long word = head; word; word = node_of(word)->next)
    out[9] = out[9] * 10 + node_of(word)->value;
}

__global__ void pack_others(long *out) {
  const unsigned long long low = 0xffffffffffffull, word = ((uintptr_t)&table[2] & low) | 5ull << 48;
  __shared__ int tile[4];
  int own[4] = {1, 2, 3, (int)out[9]};
  *(int *)(uintptr_t)(word & low) = 42;
  unsigned long long a = (uintptr_t)&tile[threadIdx.x] << 16 | 7, b = (uintptr_t)&own[out[9] & 2] << 16 | 7;
  *(int *)(uintptr_t)(a >> 16) = 9;
  out[10] = table[2];
  out[11] = word >> 48;
  out[12] = tile[threadIdx.x] + *(int *)(uintptr_t)(b >> 16);
}

int main() {
  const long expected[] = {12, 1, 1, 2, 3, 1, 1, 28, 1, 87654321, 42, 5, 10};
  const int count = sizeof expected / sizeof *expected;
  Array<long> out(count);
  out.upload();
  int *address, last[13];
  CU(cudaGetSymbolAddress((void **)&address, table));
  address += 3;
  CU(cudaMemcpyToSymbol(given, &address, sizeof address));
  CU(cudaMemcpyToSymbol(pointer, &address, sizeof address));
  meet_host<<<1, 1>>>(out.device);
  meet_device<<<1, 1>>>(out.device);
  push<<<1, 1>>>();
  walk<<<1, 1>>>(out.device);
  pack_others<<<1, 1>>>(out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < count; i++)
    EXPECT(out[i] == expected[i]);
  CU(cudaMemcpyFromSymbol(last, table, sizeof last));
  EXPECT(last[2] == 42);
  out.show("result");
  return verdict();
}
