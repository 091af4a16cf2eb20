// Pointers selected at run time and swapped in a loop: each stays in bounds of its own buffer.
#include "../check.h"

__global__ void pingpong(int *a, int *b, int na, int nb, int steps) {
  int *from = a, *to = b;
  int nf = na, nt = nb;
  for (int r = 0; r < steps; r++) {
    for (int i = 0; i < nt; i++)
      to[i] = from[i % nf] + i + r;
    int *p = from;
    from = to;
    to = p;
    int n = nf;
    nf = nt;
    nt = n;
  }
}

int main() {
  const int na = 100, nb = 25, steps = 5;
  Array<int> a(na), b(nb);
  int ea[na], eb[nb];
  for (int i = 0; i < na; i++)
    ea[i] = a[i] = i;
  a.upload();
  b.upload();
  pingpong<<<1, 1>>>(a.device, b.device, na, nb, steps);
  LAUNCHED();
  a.download();
  b.download();
  for (int r = 0; r < steps; r++) {
    if (r % 2 == 0)
      for (int i = 0; i < nb; i++)
        eb[i] = ea[i % na] + i + r;
    else
      for (int i = 0; i < na; i++)
        ea[i] = eb[i % nb] + i + r;
  }
  EXPECT(memcmp(ea, a.host, sizeof ea) == 0 && memcmp(eb, b.host, sizeof eb) == 0);
  a.show("a");
  b.show("b");
  return verdict();
}
