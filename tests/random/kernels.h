// kernels.h: launches random kernels as a plan says, which the oracle has written.
#ifndef CUSAFE_TESTS_RANDOM_KERNELS_H
#define CUSAFE_TESTS_RANDOM_KERNELS_H

#include "../check.h"
#include "common.h"
#include <initializer_list>
#include <vector>

struct Buffer {
  long bytes, shift;
  int state; // of enum State in oracle.h
  unsigned char *memory;
  void *p() const { return state == 2 ? nullptr : memory + shift; }
};
struct Launch {
  std::vector<Buffer> buffers;
  std::vector<int> values;
  size_t shared() const {
    for (const Buffer &b : buffers)
      if (b.state == 3)
        return b.bytes;
    return 0;
  }
  // A table of the buffers' addresses, on the device.
  template <typename T> T table(std::initializer_list<int> which) const {
    std::vector<void *> pointers;
    void *memory;
    for (int i : which)
      pointers.push_back(buffers[i].p());
    CU(cudaMalloc(&memory, pointers.size() * sizeof(void *)));
    CU(cudaMemcpy(memory, pointers.data(), pointers.size() * sizeof(void *), cudaMemcpyHostToDevice));
    return (T)memory;
  }
};
struct Entry {
  int number, buffers, values;
  void (*run)(const Launch &);
};
extern const Entry entries[];
extern const int entry_count;

static void begin(Buffer &b, int index) {
  std::vector<unsigned char> content(b.bytes);
  if (b.state == 3)
    return;
  fill(content.data(), b.bytes, b.shift, index);
  CU(cudaMalloc((void **)&b.memory, b.bytes));
  CU(cudaMemcpy(b.memory, content.data(), b.bytes, cudaMemcpyHostToDevice));
  if (b.state == 1)
    CU(cudaFree(b.memory));
}

static uint64_t end(uint64_t sum, const Buffer &b) {
  std::vector<unsigned char> content(b.bytes);
  if (b.state == 0) {
    CU(cudaMemcpy(content.data(), b.memory, b.bytes, cudaMemcpyDeviceToHost));
    sum = checksum(sum, content.data(), b.bytes);
  }
  if (b.state != 1 && b.state != 3)
    CU(cudaFree(b.memory));
  return sum;
}

static void play(const Entry &e, FILE *plan) {
  Launch launch;
  for (int i = 0; i < e.buffers; i++) {
    Buffer b;
    if (fscanf(plan, "%ld %ld %d", &b.bytes, &b.shift, &b.state) != 3)
      exit(3);
    begin(b, i);
    launch.buffers.push_back(b);
  }
  for (int i = 0; i < e.values; i++) {
    int v;
    if (fscanf(plan, "%d", &v) != 1)
      exit(3);
    launch.values.push_back(v);
  }
  e.run(launch);
  LAUNCHED();
  for (Buffer &b : launch.buffers)
    if (b.state == 4) {
      CU(cudaFree(b.memory));
      b.state = 1;
      e.run(launch);
      LAUNCHED();
    }
  uint64_t sum = 0;
  for (const Buffer &b : launch.buffers)
    sum = end(sum, b);
  printf("result %d %016llx\n", e.number, (unsigned long long)sum);
  fflush(stdout);
}

// The file holds lines "launch <number> <buffers> <values>"; other lines are the oracle's verdict.
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
          play(entries[i], plan);
    }
  fclose(plan);
  return 0;
}

#endif
