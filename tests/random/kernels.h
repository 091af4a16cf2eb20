// kernels.h: launches random kernels as specified by a plan, which the oracle writes.
#ifndef CUSAFE_TESTS_RANDOM_KERNELS_H
#define CUSAFE_TESTS_RANDOM_KERNELS_H

#include "../check.h"
#include "common.h"
#include <initializer_list>
#include <vector>

struct Buffer {
  long bytes, shift;
  int state; // enum State
  unsigned char *memory;
  void *p() const { return state == NONE ? nullptr : memory + shift; }
};
enum { TABLE = 40000 };
struct Launch {
  std::vector<Buffer> buffers;
  std::vector<int> values;
  size_t shared() const {
    for (const Buffer &b : buffers)
      if (b.state == SHARED)
        return b.bytes;
    return 0;
  }
  // A table of the buffers' addresses, on the device.
  template <typename T> T table(std::initializer_list<int> which) const {
    std::vector<void *> pointers;
    void *memory;
    for (int i : which)
      pointers.push_back(buffers[i].p());
    CU(cudaMalloc(&memory, TABLE)); // a separate size class, so that no pointer past its buffer points here
    CU(cudaMemcpy(memory, pointers.data(), pointers.size() * sizeof(void *), cudaMemcpyHostToDevice));
    return (T)memory;
  }
};
struct Entry {
  int number, buffers, values;
  void (*run)(const Launch &);
  bool apart;   // the host passes out-of-bounds pointers: no other buffer may be at their addresses
  int launches; // in a row, each with its own values; 0 is 1
};
extern const Entry entries[];
extern const int entry_count;

// Buffers of kernels that get out-of-bounds pointers. They stay allocated, because a pointer into a freed buffer is
// ambiguous.
static std::vector<Buffer> allocated;
enum { APART = 64 }; // bytes around a pointer, and around its buffer, where no other buffer may be

static bool is_apart(const Buffer &b) {
  const unsigned char *p = b.memory + b.shift;
  for (const Buffer &o : allocated) {
    const unsigned char *from = o.memory - APART, *to = o.memory + o.bytes + APART;
    if ((p >= from && p < to) || (b.memory < to && b.memory + b.bytes > from))
      return false;
  }
  return true;
}

static void allocate(Buffer &b) {
  CU(cudaMalloc((void **)&b.memory, b.bytes));
  allocated.push_back(b);
}

// Allocates until the pointer is outside all other buffers. Between two attempts it allocates small buffers of the same
// size class, which move the next one.
static void allocate_apart(Buffer &b) {
  Buffer between = {b.bytes < 256 ? 8 : 256, 0, 0, nullptr};
  while (b.bytes >= between.bytes * 2)
    between.bytes *= 2;
  for (int tries = 0; tries < 20; tries++) {
    CU(cudaMalloc((void **)&b.memory, b.bytes));
    bool apart = is_apart(b);
    allocated.push_back(b);
    if (apart)
      return;
    for (int i = 0; i <= tries; i++)
      allocate(between);
  }
  printf("no address for a buffer of %ld bytes with a pointer at %ld\n", b.bytes, b.shift);
  exit(3);
}

static void begin(Buffer &b, int index, bool apart) {
  std::vector<unsigned char> content(b.bytes);
  if (b.state == SHARED)
    return;
  fill(content.data(), b.bytes, b.shift, index);
  if (apart)
    allocate_apart(b);
  else
    CU(cudaMalloc((void **)&b.memory, b.bytes));
  CU(cudaMemcpy(b.memory, content.data(), b.bytes, cudaMemcpyHostToDevice));
  if (b.state == FREED)
    CU(cudaFree(b.memory));
}

static uint64_t end(uint64_t sum, const Buffer &b, bool apart) {
  std::vector<unsigned char> content(b.bytes);
  if (b.state == LIVE) {
    CU(cudaMemcpy(content.data(), b.memory, b.bytes, cudaMemcpyDeviceToHost));
    sum = checksum(sum, content.data(), b.bytes);
  }
  if (b.state != FREED && b.state != SHARED && !apart)
    CU(cudaFree(b.memory));
  return sum;
}

static void run_plan(const Entry &e, FILE *plan) {
  Launch launch;
  for (int i = 0; i < e.buffers; i++) {
    Buffer b;
    if (fscanf(plan, "%ld %ld %d", &b.bytes, &b.shift, &b.state) != 3)
      exit(3);
    launch.buffers.push_back(b);
  }
  for (bool past : {false, true}) // pointers past their buffers are last, so that no later buffer gets their address
    for (int i = 0; i < e.buffers; i++)
      if ((launch.buffers[i].shift >= launch.buffers[i].bytes) == past)
        begin(launch.buffers[i], i, e.apart);
  for (int turn = 0; turn < (e.launches ? e.launches : 1); turn++) {
    launch.values.resize(e.values);
    for (int &v : launch.values)
      if (fscanf(plan, "%d", &v) != 1)
        exit(3);
    e.run(launch);
    LAUNCHED();
  }
  for (Buffer &b : launch.buffers)
    if (b.state == LATER) {
      CU(cudaFree(b.memory));
      b.state = FREED;
      e.run(launch);
      LAUNCHED();
    }
  uint64_t sum = 0;
  for (const Buffer &b : launch.buffers)
    sum = end(sum, b, e.apart);
  printf("result %d %016llx\n", e.number, (unsigned long long)sum);
  fflush(stdout);
}

// The file contains lines "launch <number> <buffers> <values>"; other lines are the oracle's verdict.
int main(int argc, char **argv) {
  FILE *plan = argc == 2 ? fopen(argv[1], "r") : nullptr;
  char word[64];
  int number;
  if (!plan)
    return 3;
  while (fscanf(plan, "%63s", word) == 1)
    if (strcmp(word, "launch") == 0 && fscanf(plan, "%d", &number) == 1) {
      for (int i = 0; i < entry_count; i++)
        if (entries[i].number == number)
          run_plan(entries[i], plan);
    }
  fclose(plan);
  return 0;
}

#endif
