// calls.cu: functions that are called with pointers and references to local variables: a call that is not inlined, and a ray tracer
// with virtual calls.
#include "bench.h"
#include <new>

// The result comes back through a pointer to a local variable.
__device__ __noinline__ void scale(float value, float factor, float *result) {
  *result = value * factor;
}

extern "C" __global__ void passed_on(const float *values, int count, float *sums) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < count; i++) {
    float scaled;
    scale(values[i], (float)(t % 64), &scaled);
    sum += scaled;
  }
  sums[t] = sum;
}

struct PassedOn : Work {
  static const int COUNT = 484, BLOCK = 64;
  int n;
  Floats values, sums;
  explicit PassedOn(int n) : n(n), values(COUNT, 1), sums(n) {}
  void launch() override { passed_on<<<n / BLOCK, BLOCK>>>(values.device, COUNT, sums.device); }
  void verify(Verdict &v) override {
    double sum = 0;
    for (float value : values.host)
      sum += value;
    std::vector<double> expected(n);
    for (int t = 0; t < n; t++)
      expected[t] = sum * (t % 64);
    v.all("sums", sums.result(), expected);
  }
};
static Register<PassedOn> register_passed_on("passed_on", 16384, 262144);

#define BOTH __host__ __device__

struct Vector {
  float x, y, z;
};
BOTH inline Vector operator+(const Vector &a, const Vector &b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
BOTH inline Vector operator-(const Vector &a, const Vector &b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
BOTH inline Vector operator*(float s, const Vector &a) {
  return {s * a.x, s * a.y, s * a.z};
}
BOTH inline Vector operator*(const Vector &a, const Vector &b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
BOTH inline float dot(const Vector &a, const Vector &b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
BOTH inline Vector normal(const Vector &a) {
  return (1 / sqrtf(dot(a, a))) * a;
}

struct Ray {
  Vector from, direction;
};

struct Random {
  uint32_t state;
  BOTH float next() {
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 16777216.0f;
  }
  BOTH Vector direction() { return normal({next() - 0.5f, next() - 0.5f, next() - 0.5f}); }
};

struct Material;
struct Hit {
  float distance;
  Vector at, normal;
  const Material *material;
};

struct Material {
  BOTH virtual bool scatter(const Ray &in, const Hit &hit, Vector &colour, Ray &out, Random &random) const = 0;
};
struct Matt : Material {
  Vector colour;
  BOTH explicit Matt(Vector c) : colour(c) {}
  BOTH bool scatter(const Ray &, const Hit &hit, Vector &c, Ray &out, Random &random) const override {
    out = {hit.at, hit.normal + 0.9f * random.direction()};
    c = colour;
    return true;
  }
};
struct Mirror : Material {
  Vector colour;
  float rough;
  BOTH Mirror(Vector c, float r) : colour(c), rough(r) {}
  BOTH bool scatter(const Ray &in, const Hit &hit, Vector &c, Ray &out, Random &random) const override {
    Vector d = normal(in.direction);
    out = {hit.at, d - (2 * dot(d, hit.normal)) * hit.normal + rough * random.direction()};
    c = colour;
    return dot(out.direction, hit.normal) > 0;
  }
};

struct Shape {
  BOTH virtual bool hit(const Ray &ray, float nearest, float farthest, Hit &hit) const = 0;
};
struct Sphere : Shape {
  Vector centre;
  float radius;
  const Material *material;
  BOTH Sphere(Vector c, float r, const Material *m) : centre(c), radius(r), material(m) {}
  BOTH bool hit(const Ray &ray, float nearest, float farthest, Hit &hit) const override {
    Vector from = ray.from - centre;
    float a = dot(ray.direction, ray.direction), b = dot(from, ray.direction);
    float square = b * b - a * (dot(from, from) - radius * radius);
    if (square <= 0)
      return false;
    float t = (-b - sqrtf(square)) / a;
    if (t <= nearest || t >= farthest)
      t = (-b + sqrtf(square)) / a;
    if (t <= nearest || t >= farthest)
      return false;
    hit.distance = t;
    hit.at = ray.from + t * ray.direction;
    hit.normal = (1 / radius) * (hit.at - centre);
    hit.material = material;
    return true;
  }
};
struct Floor : Shape {
  float height;
  const Material *material;
  BOTH Floor(float h, const Material *m) : height(h), material(m) {}
  BOTH bool hit(const Ray &ray, float nearest, float farthest, Hit &hit) const override {
    float t = (height - ray.from.y) / ray.direction.y;
    if (!(t > nearest && t < farthest))
      return false;
    hit.distance = t;
    hit.at = ray.from + t * ray.direction;
    hit.normal = {0, 1, 0};
    hit.material = material;
    return true;
  }
};
struct World : Shape {
  Shape **shapes;
  int count;
  BOTH World(Shape **s, int n) : shapes(s), count(n) {}
  BOTH Shape *const *begin() const { return shapes; }
  BOTH Shape *const *end() const { return shapes + count; }
  BOTH bool hit(const Ray &ray, float nearest, float farthest, Hit &hit) const override {
    Hit found;
    bool any = false;
    for (const Shape *shape : *this)
      if (shape->hit(ray, nearest, farthest, found)) {
        any = true;
        farthest = found.distance;
        hit = found;
      }
    return any;
  }
};

// All objects in one buffer, one in each slot.
struct alignas(16) Slot {
  char bytes[64];
};
#define SHAPES 24

BOTH inline void build(Slot *slots, Shape **shapes) {
  for (int i = 0; i < SHAPES; i++) {
    Random r{(uint32_t)i * 77u + 5u};
    Vector colour = {0.3f + 0.7f * r.next(), 0.3f + 0.7f * r.next(), 0.3f + 0.7f * r.next()};
    Slot *s = &slots[1 + 2 * i];
    Material *m = i % 3 ? (Material *)new (s) Matt(colour) : (Material *)new (s) Mirror(colour, 0.2f * r.next());
    Vector centre = {(float)(i % 6) - 2.5f, 0.2f * r.next(), (float)(i / 6) - 1.5f};
    shapes[i] = i ? (Shape *)new (s + 1) Sphere(centre, 0.45f, m) : (Shape *)new (s + 1) Floor(-0.45f, m);
  }
  new (slots) World(shapes, SHAPES);
}

BOTH inline Vector trace(const Shape *world, Ray ray, Random &random) {
  Vector light = {1, 1, 1};
  for (int depth = 0; depth < 8; depth++) {
    Hit hit;
    Ray out;
    Vector colour;
    if (!world->hit(ray, 1e-3f, 1e30f, hit)) {
      float t = 0.5f * (normal(ray.direction).y + 1);
      return light * Vector{1 - 0.5f * t, 1 - 0.3f * t, 1};
    }
    if (!hit.material->scatter(ray, hit, colour, out, random))
      break;
    light = light * colour;
    ray = out;
  }
  return {0, 0, 0};
}

BOTH inline Vector pixel(const Shape *world, int x, int y, int n) {
  Random random{(uint32_t)(y * n + x) * 9781u + 1u};
  Vector sum = {0, 0, 0};
  for (int s = 0; s < 4; s++) {
    float u = ((float)x + random.next()) / (float)n - 0.5f, v = ((float)y + random.next()) / (float)n - 0.5f;
    sum = sum + trace(world, {{0, 1.5f, 6}, {u, -v - 0.2f, -1}}, random);
  }
  return 0.25f * sum;
}

extern "C" __global__ void build_world(Slot *slots, Shape **shapes) {
  build(slots, shapes);
}
extern "C" __global__ void ray_tracer(const Slot *slots, Vector *image, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    image[y * n + x] = pixel((const Shape *)slots, x, y, n);
}

struct RayTracer : Work {
  int n;
  Buffer<Slot> slots;
  Buffer<Shape *> shapes;
  Buffer<Vector> image;
  explicit RayTracer(int n) : n(n), slots(1 + 2 * SHAPES), shapes(SHAPES), image((size_t)n * n) {}
  void launch() override {
    build_world<<<1, 1>>>(slots.device, shapes.device);
    ray_tracer<<<over(n, n), TILE>>>(slots.device, image.device, n);
  }
  // A path that grazes a sphere goes elsewhere with another rounding.
  void verify(Verdict &v) override {
    build(slots.host.data(), shapes.host.data());
    std::vector<Vector> got = image.result();
    long other = 0;
    for (int i = 0; i < n * n; i++) {
      Vector d = got[i] - pixel((const Shape *)slots.host.data(), i % n, i / n, n);
      other += !(dot(d, d) < 1e-4f);
    }
    v.expect(other * 20 <= (long)n * n, "pixels that differ", n * n, (double)other, 0);
  }
};
static Register<RayTracer> register_ray_tracer("ray_tracer", 128, 512);
