// oracle.h: runs random kernels on the host, one thread after another, and determines for every access whether it is
// valid.
//
// A plan specifies the size of each buffer. The oracle first runs a kernel with unbounded buffers, to measure what it
// accesses; then each buffer gets exactly that size, or a little less.
#ifndef CUSAFE_TESTS_ORACLE_H
#define CUSAFE_TESTS_ORACLE_H

#include "common.h"
#include <initializer_list>
#include <map>
#include <string>
#include <ucontext.h>
#include <utility>
#include <vector>

enum { MARGIN = 1 << 16, UNBOUNDED = 1 << 21 };

// The accessed range, while measuring.
struct Range {
  long low = 0, high = 0;
  bool touched = false;
  void add(long from, long to) {
    low = touched && low < from ? low : from;
    high = touched && high > to ? high : to;
    touched = true;
  }
};

struct Object : Range {
  long bytes = 0, shift = 0; // `shift` bytes precede the address that the kernel gets
  State state = LIVE;
  unsigned char *memory = nullptr;
  std::map<int, Range> blocks; // by each block
  Object(long bytes = 0, long shift = 0, State state = LIVE) : bytes(bytes), shift(shift), state(state) {}
};

static bool measuring;
static int current_number; // of the block
static std::map<std::pair<int, std::string>, long> errors;

static bool invalid(int line, const char *kind) {
  if (!measuring)
    errors[{line, kind}]++;
  return false;
}

// Whether an access to `size` bytes at `at` is valid; records an error if not. `at` is relative to the address that the
// kernel gets.
static bool is_valid(Object *o, long at, long size, long align, int line) {
  long from = at + o->shift;
  bool inside = from >= 0 && from + size <= o->bytes;
  if (measuring && inside) {
    o->add(at, at + size);
    o->blocks[current_number].add(at, at + size);
  }
  if (o->state == NONE)
    return invalid(line, "null-pointer");
  if (o->state == FREED)
    return invalid(line, "use-after-free");
  if (!inside)
    return invalid(line, "out-of-bounds");
  if (from % align != 0) // allocations themselves have a larger alignment
    return invalid(line, "misaligned");
  return true;
}

template <typename T> struct P {
  Object *object;
  long at;
  template <typename I> P operator+(I n) const { return {object, at + (long)n * (long)sizeof(T)}; }
  template <typename I> P operator-(I n) const { return {object, at - (long)n * (long)sizeof(T)}; }
  template <typename I> P &operator+=(I n) { return *this = *this + n; }
  template <typename I> P &operator-=(I n) { return *this = *this - n; }
  template <typename U> P<U> as() const { return {object, at}; }
};

template <typename T> static T load_at(P<T> p, long at, int line) {
  T v;
  memset(&v, 0, sizeof v);
  if (is_valid(p.object, at, sizeof v, sizeof v, line))
    memcpy(&v, p.object->memory + p.object->shift + at, sizeof v);
  return v;
}
template <typename T> static void store_at(P<T> p, long at, T v, int line) {
  if (is_valid(p.object, at, sizeof v, sizeof v, line))
    memcpy(p.object->memory + p.object->shift + at, &v, sizeof v);
}
template <typename T, typename I> static T load(P<T> p, I i, int line) {
  return load_at(p, p.at + (long)i * (long)sizeof(T), line);
}
template <typename T, typename I> static void store(P<T> p, I i, T v, int line) {
  store_at(p, p.at + (long)i * (long)sizeof(T), v, line);
}
template <typename T, typename I> static void atomic(char operation, P<T> p, I i, T v, int line) {
  long at = p.at + (long)i * (long)sizeof(T);
  T old;
  if (!is_valid(p.object, at, sizeof v, sizeof v, line))
    return;
  memcpy(&old, p.object->memory + p.object->shift + at, sizeof v);
  switch (operation) {
  case '+':
    old += v;
    break;
  case '>':
    old = old > v ? old : v;
    break;
  case '|':
    old |= v;
    break;
  case '^':
    old ^= v;
    break;
  }
  memcpy(p.object->memory + p.object->shift + at, &old, sizeof v);
}

// An array inside an object: element `index` of `length`, at offset `at`. An invalid index that stays in the object is
// reported, and the access is executed.
static void in_array(Object *o, long at, long size, long index, long length, int line) {
  if ((index < 0 || index >= length) && o->state != NONE && o->state != FREED && at + o->shift >= 0 &&
      at + o->shift + size <= o->bytes)
    invalid(line, "field-overflow");
}
template <typename T> static T load_field(P<T> p, long at, long index, long length, int line) {
  at += p.at + index * (long)sizeof(T);
  in_array(p.object, at, sizeof(T), index, length, line);
  return load_at(p, at, line);
}
template <typename T> static void store_field(P<T> p, long at, long index, long length, T v, int line) {
  at += p.at + index * (long)sizeof(T);
  in_array(p.object, at, sizeof(T), index, length, line);
  store_at(p, at, v, line);
}

struct Bytes16 {
  unsigned words[4];
};
template <typename T, typename I> static Bytes16 copy16(P<T> p, I i, int line) {
  Bytes16 v;
  long at = p.at + (long)i * (long)sizeof(T);
  memset(&v, 0, sizeof v);
  if (is_valid(p.object, at, sizeof v, 1, line))
    memcpy(&v, p.object->memory + p.object->shift + at, sizeof v);
  return v;
}

// A local or shared array.
template <typename T, int N> struct Array {
  Object object;
  unsigned char memory[N * sizeof(T)];
  Array() { object.bytes = sizeof memory, object.memory = memory, memset(memory, 0, sizeof memory); }
  Array(std::initializer_list<T> values) : Array() { memcpy(memory, values.begin(), sizeof memory); }
  P<T> p() { return {&object, 0}; }
};

// Memory that a kernel allocates.
struct Heap {
  Object object;
  std::vector<unsigned char> memory;
  explicit Heap(long bytes) : memory(bytes) { object.bytes = bytes, object.memory = memory.data(); }
};

struct Block;
struct Thread {
  int tx, ty, bx, by, ntx, nty, nbx, nby;
  Block *block;
  void barrier();
};
struct Block {
  ucontext_t scheduler;
  std::vector<ucontext_t> contexts;
  std::vector<char> done;
  size_t current;
};
inline void Thread::barrier() {
  swapcontext(&block->contexts[block->current], &block->scheduler);
}

struct Arguments {
  Object *buffers;
  const int *values;
  void *shared;
};
struct Kernel {
  int number, buffers, values, barriers, grid_x, grid_y, block_x, block_y;
  void (*run)(Thread &, const Arguments &);
  size_t shared_bytes;
  void (*make_shared)(void *);
  const int *elements; // bytes of each buffer's elements; 0 for dynamic shared memory
};

static const Kernel *current_kernel;
static const Arguments *current_arguments;
static Thread *current_threads;
static Block *current_block;
static void enter(int index) {
  current_kernel->run(current_threads[index], *current_arguments);
  current_block->done[index] = 1;
}

static void run_block(const Kernel &k, const Arguments &a, std::vector<Thread> &threads) {
  Block block;
  for (Thread &t : threads)
    t.block = &block;
  if (!k.barriers) {
    for (Thread &t : threads)
      k.run(t, a);
    return;
  }
  static std::vector<std::vector<char>> stacks;
  while (stacks.size() < threads.size())
    stacks.emplace_back(1 << 16);
  current_kernel = &k, current_arguments = &a, current_threads = threads.data(), current_block = &block;
  block.contexts.resize(threads.size());
  block.done.assign(threads.size(), 0);
  for (size_t i = 0; i < threads.size(); i++) {
    getcontext(&block.contexts[i]);
    block.contexts[i].uc_stack.ss_sp = stacks[i].data();
    block.contexts[i].uc_stack.ss_size = stacks[i].size();
    block.contexts[i].uc_link = &block.scheduler;
    makecontext(&block.contexts[i], (void (*)())enter, 1, (int)i);
  }
  for (bool busy = true; busy;) {
    busy = false;
    for (block.current = 0; block.current < threads.size(); block.current++)
      if (!block.done[block.current])
        swapcontext(&block.scheduler, &block.contexts[block.current]), busy = true;
  }
}

static void launch(const Kernel &k, Object *buffers, const int *values) {
  for (int by = 0; by < k.grid_y; by++)
    for (int bx = 0; bx < k.grid_x; bx++) {
      std::vector<char> shared(k.shared_bytes + 64);
      void *aligned = (void *)(((size_t)shared.data() + 15) & ~(size_t)15);
      k.make_shared(aligned);
      current_number = by * k.grid_x + bx;
      Arguments a = {buffers, values, aligned};
      std::vector<Thread> threads;
      for (int y = 0; y < k.block_y; y++)
        for (int x = 0; x < k.block_x; x++)
          threads.push_back({x, y, bx, by, k.block_x, k.block_y, k.grid_x, k.grid_y, nullptr});
      run_block(k, a, threads);
    }
}

// ---- plans ----

enum Mode {
  IN_BOUNDS,
  PAST_END,
  BEFORE_START,
  TRUNCATED,
  FREE,
  NULL_POINTER,
  MISALIGN,
  SHORT,
  FIXED, // the buffers are not measured
  /* Sizes without slack: */
  EXACT,
  ONE_PAST,   // one element is missing at the end
  ONE_BEFORE, // or at the start
  ONE_BLOCK,  // all blocks but one are in bounds
  GROWN       // the first launch is in bounds
};
struct Plan {
  const Kernel *kernel;
  int mode;
  unsigned dice;
  std::vector<int> values;   // of all launches, one after another
  std::vector<Object> fixed; // the buffers in mode FIXED
  int launches = 1;
};

static void launch_all(const Plan &plan, Object *buffers, const int *values, int launches) {
  for (int i = 0; i < launches; i++)
    launch(*plan.kernel, buffers, values + i * plan.kernel->values);
}

static unsigned state;
static unsigned dice(unsigned n) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % n;
}

static void measure(const Plan &plan, std::vector<Object> &buffers, const int *values) {
  const Kernel &k = *plan.kernel;
  std::vector<std::vector<unsigned char>> memory;
  for (int i = 0; i < k.buffers; i++) {
    Object o;
    memory.emplace_back(MARGIN + UNBOUNDED);
    fill(memory.back().data(), MARGIN + UNBOUNDED, MARGIN, i);
    o.bytes = MARGIN + UNBOUNDED, o.shift = MARGIN, o.memory = memory.back().data();
    buffers.push_back(o);
  }
  measuring = true;
  launch_all(plan, buffers.data(), values, plan.mode == GROWN ? 1 : plan.launches);
  measuring = false;
}

static long round_up(long n, long to) {
  return (n + to - 1) / to * to;
}

// Sets the size to what the kernel accesses, or a little more. The address that the kernel gets is aligned to 16 bytes.
static void fit(Object &o, bool slack) {
  long low = o.touched && o.low < 0 ? round_up(-o.low, 16) : 0;
  if (slack && dice(4) == 0)
    low += 16 * dice(9);
  o.shift = low;
  o.bytes = low + (o.touched && o.high > 0 ? o.high : 0);
  if (slack && dice(4) == 0)
    o.bytes += dice(40);
  if (o.bytes == 0)
    o.bytes = 8;
}

// The end of what all blocks access but the one that goes furthest; the end of all accesses if no block goes further
// than the others.
static long end_without_one(const Object &o) {
  long first = 0, second = 0;
  for (const auto &b : o.blocks) {
    long high = b.second.high;
    second = high > first ? first : high > second ? high : second;
    first = high > first ? high : first;
  }
  return second > 0 ? second : o.high;
}

static void inject_error(Object &o, int mode, int element) {
  long low = o.shift + o.low;
  switch (mode) {
  case PAST_END:
    o.bytes = o.shift + o.high - (dice(3) ? element : 1 + dice(element));
    break;
  case ONE_PAST:
    o.bytes = o.shift + o.high - element;
    break;
  case ONE_BEFORE:
    low = low + element < o.shift ? low + element : o.shift;
    o.bytes -= low, o.shift -= low;
    break;
  case ONE_BLOCK:
    o.bytes = o.shift + end_without_one(o);
    break;
  case BEFORE_START: // removes bytes at the start, before the address that the kernel gets
    low += (dice(3) ? element : round_up(dice((unsigned)(o.high - o.low)), element));
    low = low < o.shift ? low : o.shift;
    o.bytes -= low, o.shift -= low;
    break;
  case TRUNCATED:
    o.bytes = o.shift + o.low + dice((unsigned)(o.high - o.low));
    break;
  case FREE:
    o.state = dice(2) ? FREED : LATER;
    break;
  case NULL_POINTER:
    if (o.low >= 0 && o.high < 60000)
      o.state = NONE, o.shift = 0;
    break;
  case MISALIGN:
    if (element > 1)
      o.shift += 1, o.bytes += 1;
    break;
  }
  if (o.bytes <= o.shift) // an out-of-bounds argument could not be attributed to this buffer
    o.bytes = o.shift + 1;
}

static void size_shared(Object &o) {
  o.state = SHARED;
  o.bytes -= o.shift, o.shift = 0;
  if (o.bytes > 4096)
    o.bytes = 4096;
}

static void size_buffers(const Plan &plan, std::vector<Object> &buffers) {
  if (plan.mode == FIXED) {
    buffers = plan.fixed;
    return;
  }
  std::vector<int> touched;
  std::vector<int> less = plan.values;
  if (plan.mode == SHORT)
    for (int &v : less)
      v = v > 1 && v < 1000 ? v - 1 : v;
  measure(plan, buffers, less.data());
  for (int i = 0; i < plan.kernel->buffers; i++) {
    fit(buffers[i], plan.mode < EXACT);
    if (plan.kernel->elements[i] == 0)
      size_shared(buffers[i]);
    if (buffers[i].touched)
      touched.push_back(i);
  }
  if (plan.mode == IN_BOUNDS || plan.mode == SHORT || plan.mode == EXACT || plan.mode == GROWN || touched.empty())
    return;
  int victim = touched[dice((unsigned)touched.size())];
  if (buffers[victim].state == SHARED)
    inject_error(buffers[victim], dice(2) ? PAST_END : TRUNCATED, 4);
  else
    inject_error(buffers[victim], plan.mode, plan.kernel->elements[victim]);
}

// A site is reported once, with its count at that time.
static void launch_reported(const Plan &plan, std::vector<Object> &buffers, int number) {
  auto before = errors;
  launch(*plan.kernel, buffers.data(), plan.values.data() + number * plan.kernel->values);
  for (auto &e : before)
    errors[e.first] = e.second;
}

// One line for the kernel's launches, one for each faulting site, one for the result.
static void judge(const Plan &plan) {
  std::vector<Object> buffers;
  std::vector<std::vector<unsigned char>> memory;
  state = plan.dice;
  size_buffers(plan, buffers);
  errors.clear();
  printf("launch %d", plan.kernel->number);
  for (int i = 0; i < plan.kernel->buffers; i++) {
    Object &o = buffers[i];
    memory.emplace_back(o.bytes + 1);
    fill(memory.back().data(), o.bytes, o.shift, i);
    o.memory = memory.back().data();
    printf(" %ld %ld %d", o.bytes, o.shift, (int)o.state);
  }
  for (int v : plan.values)
    printf(" %d", v);
  puts("");
  for (int i = 0; i < plan.launches; i++)
    launch_reported(plan, buffers, i);
  for (Object &o : buffers)
    if (o.state == LATER) {
      o.state = FREED;
      launch_reported(plan, buffers, plan.launches - 1);
    }
  for (auto &e : errors)
    printf("error %d %d %s %ld\n", plan.kernel->number, e.first.first, e.first.second.c_str(), e.second);
  uint64_t sum = 0;
  for (int i = 0; i < plan.kernel->buffers; i++)
    if (buffers[i].state == LIVE)
      sum = checksum(sum, buffers[i].memory, buffers[i].bytes);
  printf("result %d %016llx\n", plan.kernel->number, (unsigned long long)sum);
}

#endif
