// fields.cu: accesses past the end of array members of global objects, into neighbouring members.
#include "case.h"

struct Pair {
  float a[4];
  float b[4];
};

__global__ void put(Pair *s, int k, int i, float v) {
  s[k].a[i] = v; // BUG: member_write member_of_element
}

__global__ void get(const Pair *s, int i, float *out) {
  out[0] = s->a[i]; // BUG: member_read
}

TWINS(member_write, int i, 5, 3) {
  Pair *s = buffer<Pair>(1);
  put<<<1, 1>>>(s, 0, i, 7);
  LAUNCHED();
  EXPECT(value(&s->b[1]) == 0);
  release(s);
}

TWINS(member_of_element, int i, 4, 0) {
  Pair *s = buffer<Pair>(10);
  put<<<1, 1>>>(s, 6, i, 7);
  LAUNCHED();
  EXPECT(value(&s[6].b[0]) == 0);
  release(s);
}

TWINS(member_read, int i, 7, 2) {
  Pair *s = buffer<Pair>(1);
  float *out = buffer<float>(1);
  get<<<1, 1>>>(s, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(s), release(out);
}

__global__ void below(Pair *s, int i, float v) {
  s->b[i] = v; // BUG: member_below
}

TWINS(member_below, int i, -1, 0) {
  Pair *s = buffer<Pair>(1);
  below<<<1, 1>>>(s, i, 7);
  LAUNCHED();
  EXPECT(value(&s->a[3]) == 0);
  release(s);
}

struct Account {
  char name[8];
  int is_admin;
};

__global__ void set_name(Account *s, const char *from, int n) {
  for (int i = 0; i < n; i++)
    s->name[i] = from[i]; // BUG: name_into_flag
}

TWINS(name_into_flag, int n, 9, 8) {
  Account *s = buffer<Account>(1);
  char *text = buffer<char>(16);
  set_name<<<1, 1>>>(s, text, n);
  LAUNCHED();
  EXPECT(value(&s->is_admin) == 0);
  release(s), release(text);
}

typedef float Matrix[4][8];

__global__ void column(Matrix *m, int row, int i, float v) {
  (*m)[row][i] = v; // BUG: row_of_matrix
}

TWINS(row_of_matrix, int i, 8, 7) {
  Matrix *m = buffer<Matrix>(1);
  column<<<1, 1>>>(m, 1, i, 7);
  LAUNCHED();
  EXPECT(value((float *)m + 16) == 0);
  release(m);
}

struct Inner {
  int head;
  int list[3];
};
struct Outer {
  Inner in[2];
  int tail[4];
};

__global__ void nested(Outer *s, int k, int i, int *out) {
  out[0] = s->in[k].list[i]; // BUG: nested_inner nested_outer
}

TWINS(nested_inner, int i, 3, 2) {
  Outer *s = buffer<Outer>(1);
  int *out = buffer<int>(1);
  nested<<<1, 1>>>(s, 0, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(s), release(out);
}

TWINS(nested_outer, int k, 2, 1) {
  Outer *s = buffer<Outer>(1);
  int *out = buffer<int>(1);
  nested<<<1, 1>>>(s, k, 0, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(s), release(out);
}

__global__ void count(Outer *s, int i) {
  atomicAdd(&s->in[0].list[i], 1); // BUG: member_atomic
}

TWINS(member_atomic, int i, 4, 1) {
  Outer *s = buffer<Outer>(1);
  count<<<1, 32>>>(s, i);
  LAUNCHED();
  EXPECT(value(&s->in[1].list[0]) == 0);
  release(s);
}

// A structure passed by value, with a member that specifies the length of its array.
struct Weights {
  int count;
  float each[8];
  float *sum;
};

__global__ void add_up(Weights w) {
  float sum = 0;
  for (int i = 0; i < w.count; i++)
    sum += w.each[i]; // BUG: loop_over_parameter
  *w.sum = sum;
}

TWINS(loop_over_parameter, int count, 9, 8) {
  float *sum = buffer<float>(1);
  add_up<<<1, 1>>>(Weights{count, {1, 2, 3, 4, 5, 6, 7, 8}, sum});
  LAUNCHED();
  EXPECT(value(sum) == 36);
  release(sum);
}
