// device_heap.cu: memory that kernels allocate and free themselves.
#include "case.h"
#include <new>

__global__ void in_kernel(int *out, int n, int i, int j) {
  int *p = (int *)malloc(n * sizeof(int));
  p[j] = 3;
  p[i] = 5; // BUG: past_end_write before_start
  out[0] = p[j];
  free(p);
}

TWINS(past_end_write, int i, 10, 9) {
  int *out = buffer<int>(1);
  in_kernel<<<1, 1>>>(out, 10, i, 2);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}

TWINS(before_start, int i, -1, 0) {
  int *out = buffer<int>(1);
  in_kernel<<<1, 1>>>(out, 10, i, 2);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}

// One kernel allocates, the others use and free.
__global__ void make(int **box, int n) {
  int *p = (int *)malloc(n * sizeof(int));
  for (int k = 0; k < n; k++)
    p[k] = k;
  box[threadIdx.x] = p;
}

__global__ void use(int *const *box, int which, int i, int *out) {
  out[0] = box[which][i]; // BUG: past_end_read use_after_free use_after_free_reused
}

__global__ void end(int *const *box, int which, int offset) {
  free(box[which] + offset); // BUG: double_free interior_free
}

TWINS(past_end_read, int i, 7, 6) {
  int **box = buffer<int *>(32), *out = buffer<int>(1);
  make<<<1, 32>>>(box, 7);
  use<<<1, 1>>>(box, 20, i, out);
  end<<<1, 1>>>(box, 20, 0);
  LAUNCHED();
  EXPECT(value(out) == 6);
  release(box), release(out);
}

TWINS(use_after_free, bool early, true, false) {
  int **box = buffer<int *>(1), *out = buffer<int>(1);
  make<<<1, 1>>>(box, 8);
  if (early)
    end<<<1, 1>>>(box, 0, 0);
  use<<<1, 1>>>(box, 0, 6, out);
  LAUNCHED();
  EXPECT(value(out) == 6);
  if (!early)
    end<<<1, 1>>>(box, 0, 0);
  LAUNCHED();
  release(box), release(out);
}

// The memory is allocated again before the old pointer is dereferenced.
TWINS(use_after_free_reused, bool early, true, false) {
  int **box = buffer<int *>(1), **later = buffer<int *>(64), *out = buffer<int>(1);
  make<<<1, 1>>>(box, 8);
  if (early)
    end<<<1, 1>>>(box, 0, 0);
  make<<<1, 64>>>(later, 8);
  use<<<1, 1>>>(box, 0, 6, out);
  LAUNCHED();
  EXPECT(value(out) == 6);
  release(box), release(later), release(out);
}

TWINS(double_free, bool twice, true, false) {
  int **box = buffer<int *>(2);
  make<<<1, 2>>>(box, 8);
  end<<<1, 1>>>(box, 0, 0);
  end<<<1, 1>>>(box, twice ? 0 : 1, 0);
  LAUNCHED();
  release(box);
}

TWINS(interior_free, int offset, 2, 0) {
  int **box = buffer<int *>(1);
  make<<<1, 1>>>(box, 8);
  end<<<1, 1>>>(box, 0, offset);
  LAUNCHED();
  release(box);
}

__global__ void free_argument(int *p, int n, bool own) {
  int *mine = (int *)malloc(n);
  free(own ? mine : p); // BUG: free_of_cuda_malloc
}

TWINS(free_of_cuda_malloc, bool own, false, true) {
  int *a = buffer<int>(16);
  free_argument<<<1, 1>>>(a, 64, own);
  LAUNCHED();
  release(a);
}

__global__ void by_new(int *out, int n, int i, int j) {
  int *p = new int[n];
  p[j] = 3;
  p[i] = 5; // BUG: new_past_end
  out[0] = p[j];
  delete[] p;
}

TWINS(new_past_end, int i, 10, 9) {
  int *out = buffer<int>(1);
  by_new<<<1, 1>>>(out, 10, i, 2);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}

struct Shape {
  int sides, area;
};

__global__ void make_shape(Shape **box, int sides) {
  box[0] = new Shape{sides, sides * sides};
}

__global__ void end_shape(Shape **box) {
  delete box[0]; // BUG: delete_twice
}

__global__ void use_shape(Shape **box, int *out) {
  out[0] = box[0]->area; // BUG: use_after_delete
}

TWINS(use_after_delete, bool early, true, false) {
  Shape **box = buffer<Shape *>(1);
  int *out = buffer<int>(1);
  make_shape<<<1, 1>>>(box, 3);
  if (early)
    end_shape<<<1, 1>>>(box);
  use_shape<<<1, 1>>>(box, out);
  LAUNCHED();
  EXPECT(value(out) == 9);
  release(box), release(out);
}

TWINS(delete_twice, bool twice, true, false) {
  Shape **box = buffer<Shape *>(1);
  make_shape<<<1, 1>>>(box, 3);
  end_shape<<<1, 1>>>(box);
  if (twice)
    end_shape<<<1, 1>>>(box);
  LAUNCHED();
  release(box);
}

// malloc returns null when the heap is exhausted.
__global__ void unchecked(int *out, size_t bytes, int i, int j) {
  int *p = (int *)malloc(bytes);
  p[i] = 5; // BUG: malloc_failed
  out[0] = p[j];
  free(p);
}

TWINS(malloc_failed, size_t bytes, 1ull << 40, 64) {
  int *out = buffer<int>(1);
  unchecked<<<1, 1>>>(out, bytes, 1, 1);
  LAUNCHED();
  EXPECT(value(out) == 5);
  release(out);
}

// An allocation that the optimiser removes as unused, and a store that is dead because the memory is freed.
__global__ void unused(int times, int i, int *out) {
  int *p = (int *)malloc(4 * sizeof(int));
  p[0] = 1;
  out[0] = p[0];
  p[i] = 2; // BUG: dead_store
  free(p);
  if (times > 1)
    free(p); // BUG: unused_twice
}

TWINS(unused_twice, int times, 2, 1) {
  int *out = buffer<int>(1);
  unused<<<1, 1>>>(times, 3, out);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(out);
}

TWINS(dead_store, int i, 4, 3) {
  int *out = buffer<int>(1);
  unused<<<1, 1>>>(1, i, out);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(out);
}

// The size of a pointer instead of that of the structure.
struct Leaf {
  Leaf *next;
  int key, count;
};

template <size_t Bytes> __global__ void plant(Leaf **leaves) {
  Leaf *leaf = (Leaf *)malloc(Bytes);
  leaf->key = threadIdx.x; // BUG: size_of_pointer
  leaf->next = nullptr;
  leaves[threadIdx.x] = leaf;
}

__global__ void fell(Leaf **leaves, int *keys) {
  Leaf *leaf = leaves[threadIdx.x];
  keys[threadIdx.x] = leaf->next ? -1 : leaf->key;
  free(leaf);
}

TWINS(size_of_pointer, bool whole, false, true) {
  Leaf **leaves = buffer<Leaf *>(8);
  int *keys = buffer<int>(8);
  if (whole)
    plant<sizeof(Leaf)><<<1, 8>>>(leaves);
  else
    plant<sizeof(Leaf *)><<<1, 8>>>(leaves);
  fell<<<1, 8>>>(leaves, keys);
  LAUNCHED();
  EXPECT(value(keys) == 0 && value(keys + 7) == 7);
  release(leaves), release(keys);
}

// The optimiser merges the load of the first leaf with that of the next one: then the report names the line that uses it.
__global__ void grow(Leaf **lists, int length) {
  Leaf *first = nullptr;
  for (int k = 0; k < length; k++) {
    Leaf *leaf = (Leaf *)malloc(sizeof(Leaf));
    leaf->next = first;
    leaf->count = k;
    first = leaf;
  }
  lists[threadIdx.x] = first;
}

__device__ inline void release(Leaf *leaf, bool keep) {
  if (!keep)
    free(leaf);
}

__global__ void wither(Leaf **lists, bool keep) {
  Leaf *leaf = lists[threadIdx.x];
  while (leaf) { // BUG: next_of_freed
    release(leaf, keep);
    leaf = leaf->next;
  }
  lists[threadIdx.x] = nullptr;
}

TWINS(next_of_freed, bool keep, false, true) {
  Leaf **lists = buffer<Leaf *>(4);
  grow<<<1, 4>>>(lists, 3);
  wither<<<1, 4>>>(lists, keep);
  LAUNCHED();
  EXPECT(value(lists) == nullptr);
  release(lists);
}
