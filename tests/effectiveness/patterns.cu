// patterns.cu: correct or customary code that leaves a member on purpose: checks of fields, on by default, must stay silent.
#include "case.h"

struct Item {
  int key;
  float data[4];
  int hook[2];
};

// From a member back to the object.
__global__ void container_of(int *hook, float v, int *out) {
  Item *item = (Item *)((char *)hook - offsetof(Item, hook));
  item->data[3] = v;
  out[0] = item->key;
}

CASE(member_to_object) {
  Item *s = buffer<Item>(3);
  int *out = buffer<int>(1);
  container_of<<<1, 1>>>(s[1].hook, 5, out);
  LAUNCHED();
  EXPECT(value(&s[1].data[3]) == 5);
  release(s), release(out);
}

__global__ void array_to_object(Item *s, int i, int *out) {
  float *p = s->data;
  Item *again = (Item *)((char *)(p + i) - i * sizeof(float) - offsetof(Item, data));
  again->key = 7;
  out[0] = again->hook[1];
}

CASE(array_member_to_object) {
  Item *s = buffer<Item>(1);
  int *out = buffer<int>(1);
  array_to_object<<<1, 1>>>(s, 2, out);
  LAUNCHED();
  EXPECT(value(&s->key) == 7);
  release(s), release(out);
}

// The old form of a flexible array: one element declared, more allocated.
struct Message {
  int length;
  int body[1];
};

__global__ void fill_message(Message *m, int n) {
  m->length = n;
  for (int i = 0; i < n; i++)
    m->body[i] = i;
}

CASE(one_element_tail) {
  Message *m = (Message *)buffer<int>(1 + 20);
  fill_message<<<1, 1>>>(m, 20);
  LAUNCHED();
  EXPECT(value((int *)m + 20) == 19);
  release(m);
}

struct Flexible {
  int length;
  int body[];
};

__global__ void fill_flexible(Flexible *m, int n) {
  m->length = n;
  for (int i = 0; i < n; i++)
    m->body[i] = i;
}

CASE(flexible_tail) {
  Flexible *m = (Flexible *)buffer<int>(1 + 20);
  fill_flexible<<<1, 1>>>(m, 20);
  LAUNCHED();
  EXPECT(value((int *)m + 20) == 19);
  release(m);
}

struct Body {
  float position[3];
  float mass;
  float velocity[3];
  float charge;
};

__global__ void as_floats(Body *s, int n) {
  float *f = reinterpret_cast<float *>(s);
  for (int i = 0; i < n; i++)
    f[i] = (float)i;
}

CASE(struct_as_floats) {
  Body *s = buffer<Body>(2);
  as_floats<<<1, 1>>>(s, 16);
  LAUNCHED();
  EXPECT(value(&s[1].charge) == 15);
  release(s);
}

// From the first member across all others.
__global__ void from_first(Body *s, int n) {
  float *f = s->position;
  for (int i = 0; i < n; i++)
    f[i] = (float)i;
}

CASE(first_member_over_all) {
  Body *s = buffer<Body>(1);
  from_first<<<1, 1>>>(s, 8);
  LAUNCHED();
  EXPECT(value(&s->charge) == 7);
  release(s);
}

// A matrix accessed as one flat array.
__global__ void flatten(float (*m)[8], int rows, float *out) {
  float *flat = &m[0][0], sum = 0;
  for (int i = 0; i < rows * 8; i++)
    flat[i] = 1;
  for (int i = 0; i < rows * 8; i++)
    sum += m[0][0] + flat[i];
  out[0] = sum;
}

CASE(flat_global_matrix) {
  float (*m)[8] = (float (*)[8])buffer<float>(32), *out = buffer<float>(1);
  flatten<<<1, 1>>>(m, 4, out);
  LAUNCHED();
  EXPECT(value(out) == 64);
  release(m), release(out);
}

__global__ void flatten_local(int *out, int n, int at) {
  int m[4][8], *flat = &m[0][0];
  for (int i = 0; i < n; i++)
    flat[i] = i;
  out[0] = m[at / 8][at % 8];
}

CASE(flat_local_matrix) {
  int *out = buffer<int>(1);
  flatten_local<<<1, 1>>>(out, 32, 29);
  LAUNCHED();
  EXPECT(value(out) == 29);
  release(out);
}

__global__ void flatten_shared(int *out) {
  __shared__ int tile[4][8];
  int *flat = &tile[0][0], t = threadIdx.x;
  flat[t] = t;
  __syncthreads();
  out[t] = tile[(31 - t) / 8][(31 - t) % 8];
}

CASE(flat_shared_matrix) {
  int *out = buffer<int>(32);
  flatten_shared<<<1, 32>>>(out);
  LAUNCHED();
  EXPECT(value(out + 2) == 29);
  release(out);
}

__global__ void clear_all(Body *s, Item *t) {
  memset(&s->position, 0, sizeof *s);
  memset(&t->key, 0, sizeof *t);
}

CASE(memset_by_first_member) {
  Body *s = buffer<Body>(1);
  Item *t = buffer<Item>(1);
  as_floats<<<1, 1>>>(s, 8);
  clear_all<<<1, 1>>>(s, t);
  LAUNCHED();
  EXPECT(value(&s->charge) == 0);
  release(s), release(t);
}

// Two adjacent members copied with one memcpy.
__global__ void copy_both(Body *to, const Body *from) {
  memcpy(to->position, from->position, sizeof to->position + sizeof to->mass);
}

CASE(memcpy_over_two_members) {
  Body *s = buffer<Body>(2);
  as_floats<<<1, 1>>>(s, 8);
  copy_both<<<1, 1>>>(s + 1, s);
  LAUNCHED();
  EXPECT(value(&s[1].mass) == 3 && value(&s[1].velocity[0]) == 0);
  release(s);
}

// x, y and z indexed as an array, in memory and on the stack.
__global__ void components(float4 *a, int i, int j, float *out) {
  float *f = &a->x;
  f[i] = 5;
  float3 v = make_float3(1, 2, 3);
  out[0] = f[i] + (&v.x)[j];
}

CASE(vector_components) {
  float4 *a = buffer<float4>(1);
  float *out = buffer<float>(1);
  components<<<1, 1>>>(a, 3, 2, out);
  LAUNCHED();
  EXPECT(value(out) == 8 && value(a).w == 5);
  release(a), release(out);
}

union Colour {
  unsigned rgba;
  unsigned char part[4];
  struct {
    unsigned char r, g, b, a;
  } named;
};

__global__ void parts(Colour *c, int i, unsigned *out) {
  c->rgba = 0x04030201;
  out[0] = c->part[i] + c->named.a + (&c->named.r)[i];
}

CASE(union_of_arrays) {
  Colour *c = buffer<Colour>(1);
  unsigned *out = buffer<unsigned>(1);
  parts<<<1, 1>>>(c, 2, out);
  LAUNCHED();
  EXPECT(value(out) == 10);
  release(c), release(out);
}

// The end of one member is the start of the next.
__global__ void between(Item *s, float *out) {
  float sum = 0;
  for (float *p = s->data; p != s->data + 4; p++)
    sum += *p + 1;
  for (float *p = s->data; p != (float *)s->hook; p++)
    sum += *p + 1;
  out[0] = sum;
}

CASE(up_to_next_member) {
  Item *s = buffer<Item>(1);
  float *out = buffer<float>(1);
  between<<<1, 1>>>(s, out);
  LAUNCHED();
  EXPECT(value(out) == 8);
  release(s), release(out);
}

// From a derived object to its base and back.
struct Base {
  int tags[2];
};
struct Derived : Base {
  int extra[6];
};

__global__ void downcast(Base *b, int i, int v) {
  static_cast<Derived *>(b)->extra[i] = v;
}

CASE(base_to_derived) {
  Derived *d = buffer<Derived>(1);
  downcast<<<1, 1>>>(d, 5, 7);
  LAUNCHED();
  EXPECT(value(&d->extra[5]) == 7);
  release(d);
}

// A tile that is indexed by global indices: the base pointer is far below the tile.
__noinline__ __device__ int at(const int *base, long i) {
  return base[i];
}

__global__ void far_base(const int *tile, long first, int n, int *out) {
  const int *base = tile - first;
  int sum = 0;
  for (long i = first; i < first + n; i++)
    sum += at(base, i);
  out[0] = sum;
}

CASE(base_far_below) {
  int *tile = buffer<int>(25), *out = buffer<int>(1);
  int ones[25];
  for (int &one : ones)
    one = 1;
  CU(cudaMemcpy(tile, ones, sizeof ones, cudaMemcpyHostToDevice));
  for (long first : {1l, 1000l, 1l << 20, 1l << 28}) {
    far_base<<<1, 1>>>(tile, first, 25, out);
    LAUNCHED();
    EXPECT(value(out) == 25);
  }
  release(tile), release(out);
}

// Arrays with an arbitrary lower bound, by pointer arithmetic on the array.
__global__ void counted_from(int first, int *out) {
  __shared__ int shared[16];
  int local[16];
  for (int i = 0; i < 16; i++)
    local[i] = i, shared[i] = i;
  int sum = 0;
  for (int i = first; i < first + 16; i++)
    sum += at(local - first, i) + at(shared - first, i);
  out[0] = sum;
}

CASE(arbitrary_lower_bound) {
  int *out = buffer<int>(1);
  for (int first : {1, 16, 100}) {
    counted_from<<<1, 1>>>(first, out);
    LAUNCHED();
    EXPECT(value(out) == 240);
  }
  release(out);
}
