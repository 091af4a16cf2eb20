// escapes.cu: correct programs that do unusual things with pointers: CuSafe must stay silent, and their results must be correct.
#include "case.h"

__global__ void round_trip(int *a, unsigned long long offset, int *out) {
  unsigned long long number = (unsigned long long)a;
  out[0] = *(int *)(number + offset);
}

CASE(integer_round_trip) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  round_trip<<<1, 1>>>(a, 15 * sizeof(int), out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

// An address split into two 32-bit words and reassembled.
__global__ void cut(int *a, unsigned *words) {
  words[0] = (unsigned)(unsigned long long)a;
  words[1] = (unsigned)((unsigned long long)a >> 32);
}

__global__ void join(const unsigned *words, int v) {
  *(int *)((unsigned long long)words[1] << 32 | words[0]) = v;
}

CASE(two_words) {
  int *a = buffer<int>(4);
  unsigned *words = buffer<unsigned>(2);
  cut<<<1, 1>>>(a + 3, words);
  join<<<1, 1>>>(words, 7);
  LAUNCHED();
  EXPECT(value(a + 3) == 7);
  release(a), release(words);
}

union Word {
  int *pointer;
  unsigned long long number;
  unsigned char bytes[8];
};

__global__ void through_union(Word *w, int *a, int i, int v) {
  w[0].pointer = a;
  w[1].number = w[0].number + i * sizeof(int);
  for (int k = 0; k < 8; k++)
    w[2].bytes[k] = w[1].bytes[k];
  *w[2].pointer = v;
}

CASE(pointer_in_union) {
  int *a = buffer<int>(8);
  Word *w = buffer<Word>(3);
  through_union<<<1, 1>>>(w, a, 7, 5);
  LAUNCHED();
  EXPECT(value(a + 7) == 5);
  release(a), release(w);
}

// An XOR linked list: each link is the exclusive or of both neighbours' addresses.
struct Link {
  unsigned long long both;
  int number;
};

__global__ void walk_both_ways(Link *n, int count, int *out) {
  for (int i = 0; i < count; i++) {
    unsigned long long before = i ? (unsigned long long)&n[i - 1] : 0;
    unsigned long long after = i + 1 < count ? (unsigned long long)&n[i + 1] : 0;
    n[i].both = before ^ after;
    n[i].number = i;
  }
  unsigned long long last = 0;
  int sum = 0;
  for (Link *at = n; at;) {
    sum += at->number;
    unsigned long long next = at->both ^ last;
    last = (unsigned long long)at;
    at = (Link *)next;
  }
  out[0] = sum;
}

CASE(xor_list) {
  Link *n = buffer<Link>(20);
  int *out = buffer<int>(1);
  walk_both_ways<<<1, 1>>>(n, 20, out);
  LAUNCHED();
  EXPECT(value(out) == 190);
  release(n), release(out);
}

// The exclusive or of pointers to different buffers.
__global__ void xor_of_two(int *a, int *b, unsigned long long *mix, int which) {
  mix[0] = (unsigned long long)a ^ (unsigned long long)b;
  int *other = (int *)(mix[0] ^ (unsigned long long)(which ? a : b));
  *other = 7;
}

CASE(xor_of_buffers) {
  int *a = buffer<int>(1), *b = buffer<int>(1000);
  unsigned long long *mix = buffer<unsigned long long>(1);
  xor_of_two<<<1, 1>>>(a, b, mix, 1);
  LAUNCHED();
  EXPECT(value(a) == 0 && value(b) == 7);
  release(a), release(b), release(mix);
}

__global__ void relations(const int *a, const int *b, int n, long *out) {
  const int *end = a + n, *far = a + 1000000;
  out[0] = end - a;
  out[1] = far - a;
  out[2] = (a < end) + 2 * (end <= a) + 4 * (a == b) + 8 * (far > end) + 16 * (a != nullptr);
  out[3] = (b > a) == ((unsigned long long)b > (unsigned long long)a);
}

CASE(comparison_and_difference) {
  int *a = buffer<int>(10), *b = buffer<int>(10);
  long *out = buffer<long>(4);
  relations<<<1, 1>>>(a, b, 10, out);
  LAUNCHED();
  EXPECT(value(out) == 10 && value(out + 1) == 1000000);
  EXPECT(value(out + 2) == 1 + 8 + 16 && value(out + 3) == 1);
  release(a), release(b), release(out);
}

__global__ void iterate(const int *begin, const int *end, int *out) {
  int sum = 0;
  for (const int *p = begin; p != end; ++p)
    sum += *p;
  for (const int *p = end; p-- != begin;)
    sum -= *p;
  out[0] = sum;
}

CASE(one_past_the_end) {
  int *a = buffer<int>(64), *out = buffer<int>(1);
  iterate<<<1, 1>>>(a, a + 64, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

// One-based arrays, as in code translated from Fortran.
__global__ void from_one(int *a, int n) {
  int *base = a - 1;
  for (int i = 1; i <= n; i++)
    base[i] = i;
}

CASE(one_based_array) {
  int *a = buffer<int>(10);
  from_one<<<1, 1>>>(a, 10);
  LAUNCHED();
  EXPECT(value(a) == 1 && value(a + 9) == 10);
  release(a);
}

// The pointer first moves out of the buffer, and back before it is dereferenced.
__global__ void centred(int *middle, int radius, int *out) {
  int *left = middle - 2 * radius;
  out[0] = left[radius] + left[2 * radius] + left[3 * radius - 1];
}

CASE(outside_and_back) {
  int *a = buffer<int>(100), *out = buffer<int>(1);
  centred<<<1, 1>>>(a + 50, 50, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

// Flags in a pointer's lowest bits.
__global__ void low_bits(int *a, unsigned long long *box, int i) {
  box[0] = (unsigned long long)&a[i] | 3;
  *(int *)(box[0] & ~3ull) = (int)(box[0] & 3);
}

CASE(flags_in_low_bits) {
  int *a = buffer<int>(5);
  unsigned long long *box = buffer<unsigned long long>(1);
  low_bits<<<1, 1>>>(a, box, 4);
  LAUNCHED();
  EXPECT(value(a + 4) == 3);
  release(a), release(box);
}

// A counter in a pointer's 16 highest bits, which addresses do not use.
__global__ void high_bits(int *a, unsigned long long *box, int i) {
  box[0] = (unsigned long long)&a[i] | 0xabcdull << 48;
  *(int *)(box[0] & 0xffffffffffffull) = (int)(box[0] >> 48);
}

CASE(counter_in_high_bits) {
  int *a = buffer<int>(5);
  unsigned long long *box = buffer<unsigned long long>(1);
  high_bits<<<1, 1>>>(a, box, 4);
  LAUNCHED();
  EXPECT(value(a + 4) == 0xabcd);
  release(a), release(box);
}
