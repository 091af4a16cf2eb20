// caching_pool.h: a memory pool in the shape of PyTorch's, which tells CuSafe about its blocks in one of several ways,
// or not at all.
#ifndef CUSAFE_TESTS_CACHING_POOL_H
#define CUSAFE_TESTS_CACHING_POOL_H

#include "check.h"
#include <cusafe/cusafe.h>
#include <map>
#include <tuple>
#include <vector>

struct Unannotated {
  static void segment(char *, size_t) {}
  static void released(char *) {}
  static char *handed_out(char *block, size_t) { return block; }
  static char *given_back(void *pointer, cudaStream_t) { return (char *)pointer; }
};

// By cusafe/cusafe.h.
struct Carved : Unannotated {
  static char *handed_out(char *block, size_t bytes) { return (char *)cusafe_carve(block, bytes); }
  static char *given_back(void *pointer, cudaStream_t stream) { return (char *)cusafe_give_back(pointer, stream); }
};

// Blocks are a multiple of 512 bytes, segments 2 and 20 MiB; free blocks are listed by stream, split and merged.
struct Block {
  char *address;
  size_t bytes;
  cudaStream_t stream;
  bool used;
  Block *before, *after; // in the segment
};

template <class Annotation> class CachingPool {
  using Key = std::tuple<cudaStream_t, size_t, char *>;
  static constexpr size_t kBlock = 512, kSmall = 1 << 20, kSmallSegment = 2 << 20, kLargeSegment = 20 << 20;
  std::map<Key, Block *> free_[2];
  std::map<void *, Block *> used_;
  std::vector<char *> segments_;

  static int kind(const Block *b) { return b->bytes > kSmall; }
  static Key key(const Block *b) { return Key(b->stream, b->bytes, b->address); }

  Block *find(size_t bytes, cudaStream_t stream, int large) {
    for (int list = large; list < 2; list++) {
      auto i = free_[list].lower_bound(Key(stream, bytes, nullptr));
      if (i == free_[list].end() || std::get<0>(i->first) != stream)
        continue;
      Block *b = i->second;
      free_[list].erase(i);
      return b;
    }
    void *segment;
    size_t room = large ? kLargeSegment : kSmallSegment;
    room = bytes > room ? bytes : room;
    CU(cudaMalloc(&segment, room));
    Annotation::segment((char *)segment, room);
    segments_.push_back((char *)segment);
    return new Block{(char *)segment, room, stream, false, nullptr, nullptr};
  }

  void split(Block *b, size_t bytes) {
    if (b->bytes - bytes < kBlock)
      return;
    Block *rest = new Block{b->address + bytes, b->bytes - bytes, b->stream, false, b, b->after};
    if (b->after)
      b->after->before = rest;
    b->after = rest;
    b->bytes = bytes;
    free_[kind(rest)].emplace(key(rest), rest);
  }

  void merge(Block *b, Block *next) {
    b->bytes += next->bytes;
    b->after = next->after;
    if (b->after)
      b->after->before = b;
    delete next;
  }

public:
  char *allocate(size_t bytes, cudaStream_t stream = 0) {
    size_t rounded = (bytes + kBlock - 1) / kBlock * kBlock;
    Block *b = find(rounded, stream, rounded > kSmall);
    split(b, rounded);
    b->used = true;
    used_[b->address] = b;
    return Annotation::handed_out(b->address, bytes);
  }

  void free(void *pointer, cudaStream_t stream = 0) {
    auto i = used_.find(Annotation::given_back(pointer, stream));
    if (i == used_.end())
      return;
    Block *b = i->second;
    used_.erase(i);
    b->used = false;
    if (b->after && !b->after->used) {
      free_[kind(b->after)].erase(key(b->after));
      merge(b, b->after);
    }
    if (b->before && !b->before->used) {
      Block *before = b->before;
      free_[kind(before)].erase(key(before));
      merge(before, b);
      b = before;
    }
    free_[kind(b)].emplace(key(b), b);
  }

  template <typename T> T *array(size_t count) { return (T *)allocate(count * sizeof(T)); }

  void release() {
    for (char *segment : segments_) {
      Annotation::released(segment);
      CU(cudaFree(segment));
    }
    segments_.clear();
  }
};

#endif
