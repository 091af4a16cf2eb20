// Virtual functions: one kernel constructs objects on the device, another uses them.
#include "../check.h"
#include <new>

struct Shape {
  int a;
  __device__ Shape(int v) : a(v) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int sides() const { return 4; }
};
struct Square : Shape {
  __device__ Square(int v) : Shape(v) {}
  __device__ int area() const override { return a * a; }
};
struct Triangle : Shape {
  int height;
  __device__ Triangle(int v, int h) : Shape(v), height(h) {}
  __device__ int area() const override { return a * height / 2; }
  __device__ int sides() const override { return 3; }
};

union Storage {
  char square[sizeof(Square)];
  char triangle[sizeof(Triangle)];
  double align;
};

__global__ void make(Storage *storage, Shape **shapes) {
  int i = threadIdx.x;
  if (i % 2)
    shapes[i] = new (&storage[i]) Square(i);
  else
    shapes[i] = new (&storage[i]) Triangle(i, 10);
}

__global__ void use(Shape **shapes, int *out) {
  const Shape *s = shapes[threadIdx.x];
  out[threadIdx.x] = s->area() * 10 + s->sides();
}

int main() {
  const int n = 70;
  Array<Storage> storage(n);
  Array<Shape *> shapes(n);
  Array<int> out(n);
  make<<<1, n>>>(storage.device, shapes.device);
  use<<<1, n>>>(shapes.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < n; i++)
    EXPECT(out[i] == (i % 2 ? i * i * 10 + 4 : i * 5 * 10 + 3));
  out.show("areas");
  return verdict();
}
