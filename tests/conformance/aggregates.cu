// aggregates.cu: structures as values: selected in branches, returned, passed and stored in arrays.
#include "conformance.h"

CASE(select_with_a_constant_structure) {
  auto f = [] __host__ __device__(int t) {
    double sum = 0;
    bool inside = true;
    for (int i = 0; i < t; i++)
      sum += i * 0.5, inside = inside && sum != 7.5;
    return inside ? make_double2(sum / 100, sum * sum / 7) : make_double2(-1e9, 0);
  };
  auto got = each<double2>(32, [=] __device__(int t) { return f(t); });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t].x == f(t).x && got[t].y == f(t).y);
}

struct Mixed {
  char kind;
  double weight;
  short codes[3];
};
__host__ __device__ static Mixed made(int t) {
  switch (t % 4) {
  case 0:
    return {'a', 1.5, {1, 2, 3}};
  case 1:
    return {(char)t, t / 4.0, {(short)t, 0, 0}};
  case 2:
    return {};
  default:
    Mixed m = made(t - 3);
    m.codes[2] = (short)(t * 2);
    return m;
  }
}
CASE(structure_from_a_switch) {
  auto got = each<Mixed>(64, [] __device__(int t) { return made(t); });
  for (int t = 0; t < 64; t++) {
    Mixed expected = made(t);
    EXPECT(got[t].kind == expected.kind && got[t].weight == expected.weight &&
           !memcmp(got[t].codes, expected.codes, sizeof expected.codes));
  }
}

CASE(structures_swapped_in_arrays) {
  auto f = [] __host__ __device__(int t) {
    int2 a[6];
    for (int i = 0; i < 6; i++)
      a[i] = make_int2((i * 5 + t) % 6, i);
    for (int i = 0; i < 6; i++)
      for (int j = i + 1; j < 6; j++)
        if (a[j].x < a[i].x) {
          int2 swap = a[i];
          a[i] = a[j], a[j] = swap;
        }
    return a[t % 6].y * 10 + a[(t + 1) % 6].x;
  };
  auto got = each<int>(32, [=] __device__(int t) { return f(t); });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == f(t));
}
