// count.h: counts a kernel's accesses and checks for `bench/run --sectors`: the pass inserts a call to __cs_count at
// each of them. Eight blocks of every launch are logged, thread by thread; the host then combines the lanes of each
// warp.
#ifndef CUSAFE_BENCH_COUNT_H
#define CUSAFE_BENCH_COUNT_H

#define _Static_assert static_assert
#include "cusafe/layout.h"
#undef _Static_assert
#include "pass/counted.h"
#include <algorithm>
#include <map>
#include <unordered_map>

struct Event {
  unsigned long long address;
  unsigned what;   // kind and instruction
  unsigned thread; // block * 1,024 + the thread's number in the block
};
static const unsigned LOG_EVENTS = 12u << 20;

__device__ Event *count_log;
__device__ unsigned count_head;

extern "C" __device__ __attribute__((used)) void __cs_count(unsigned what, unsigned long long address) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned stride = gridDim.x * gridDim.y * gridDim.z / 8;
  if (stride > 1 && block % stride != 0)
    return;
  unsigned at = atomicAdd(&count_head, 1u);
  if (at >= LOG_EVENTS)
    return;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  count_log[at].address = address;
  count_log[at].what = what;
  count_log[at].thread = block * 1024 + thread;
}

struct Counts {
  unsigned long accesses = 0, checks = 0;     // per thread, to all kinds of memory
  unsigned long warp_accesses = 0, data = 0;  // to global memory, per warp, and the 32-byte sectors they touch
  unsigned long warp_words = 0, metadata = 0; // the same for metadata words
  bool truncated = false;                     // the log overflowed: it has only the first part of the launch
};

// A sector that a warp touches. The n-th executions of an instruction by all its lanes are one access of the warp.
struct Touch {
  unsigned warp, launch, instruction, turn;
  unsigned long long sector;
  bool operator<(const Touch &o) const {
    return std::tie(warp, launch, instruction, turn, sector) <
           std::tie(o.warp, o.launch, o.instruction, o.turn, o.sector);
  }
  bool same_access(const Touch &o) const {
    return std::tie(warp, launch, instruction, turn) == std::tie(o.warp, o.launch, o.instruction, o.turn);
  }
};

struct Lane {
  unsigned launch = 0;
  std::unordered_map<unsigned, unsigned> turns; // executions of each instruction in this launch
};

static inline void sum_up(std::vector<Touch> &touches, unsigned long &accesses, unsigned long &sectors) {
  std::sort(touches.begin(), touches.end());
  for (size_t i = 0; i < touches.size(); i++) {
    bool next = i == 0 || !touches[i].same_access(touches[i - 1]);
    accesses += next;
    sectors += next || touches[i].sector != touches[i - 1].sector;
  }
}

static inline Counts counts_of(const std::vector<Event> &log) {
  Counts counts;
  std::unordered_map<unsigned, Lane> lanes;
  std::vector<Touch> data, words;
  for (const Event &e : log) {
    Lane &lane = lanes[e.thread];
    unsigned kind = e.what >> 24, instruction = e.what & 0xffffff;
    bool word = kind == CS_PASS_COUNTED_GLOBAL && e.address - CS_TABLE_BASE < CS_TABLE_BYTES;
    if (kind == CS_PASS_COUNTED_BEGIN) {
      lane.launch++;
      lane.turns.clear();
    }
    counts.checks += kind == CS_PASS_COUNTED_CHECK;
    counts.accesses +=
        !word && (kind == CS_PASS_COUNTED_GLOBAL || kind == CS_PASS_COUNTED_SHARED || kind == CS_PASS_COUNTED_LOCAL);
    if (kind == CS_PASS_COUNTED_GLOBAL)
      (word ? words : data)
          .push_back({e.thread / 32, lane.launch, instruction, lane.turns[instruction]++, e.address / 32});
  }
  sum_up(data, counts.warp_accesses, counts.data);
  sum_up(words, counts.warp_words, counts.metadata);
  return counts;
}

static inline Counts counted(Work &work) {
  unsigned head = 0;
  Event *log = nullptr;
  CU(cudaMalloc((void **)&log, LOG_EVENTS * sizeof(Event)));
  CU(cudaMemcpyToSymbol(count_log, &log, sizeof log));
  work.prepare();
  CU(cudaDeviceSynchronize());
  CU(cudaMemcpyToSymbol(count_head, &head, sizeof head));
  work.launch();
  CU(cudaDeviceSynchronize());
  CU(cudaMemcpyFromSymbol(&head, count_head, sizeof head));
  std::vector<Event> events(std::min(head, LOG_EVENTS));
  CU(cudaMemcpy(events.data(), log, events.size() * sizeof(Event), cudaMemcpyDeviceToHost));
  CU(cudaFree(log));
  Counts counts = counts_of(events);
  counts.truncated = head > LOG_EVENTS;
  return counts;
}

static inline void print_counts(Work &work) {
  Counts c = counted(work);
  printf("%lu %lu %lu %lu %lu %lu %d\n", c.accesses, c.checks, c.warp_accesses, c.data, c.warp_words, c.metadata,
         c.truncated);
}

#endif
