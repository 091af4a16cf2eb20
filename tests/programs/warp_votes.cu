// Warp votes and matches: ballot, any, all, match_any, match_all, activemask, also in divergent code.
#include "../check.h"

const unsigned FULL = 0xffffffffu;
enum {
  BALLOT,
  ANY,
  ALL,
  MATCH_ANY,
  MATCH_ALL,
  MATCH_ALL_PREDICATE,
  MATCH_ANY_64,
  HALF,
  ACTIVE_FULL,
  ACTIVE_HALF,
  COUNT
};

__global__ void votes(const int *in, unsigned *out) {
  int t = threadIdx.x, lane = t % 32, v = in[t], predicate = 0;
  unsigned *r = out + COUNT * t;
  r[BALLOT] = __ballot_sync(FULL, v > 0);
  r[ANY] = __any_sync(FULL, v == 3) != 0;
  r[ALL] = __all_sync(FULL, v < 4) != 0;
  r[MATCH_ANY] = __match_any_sync(FULL, v);
  r[MATCH_ALL] = __match_all_sync(FULL, t / 32 == 1 ? 7 : v, &predicate);
  r[MATCH_ALL_PREDICATE] = predicate != 0;
  r[MATCH_ANY_64] = __match_any_sync(FULL, (unsigned long long)v << 40);
  r[ACTIVE_FULL] = __activemask();
  r[HALF] = 0;
  r[ACTIVE_HALF] = 0;
  if (lane < 16) {
    r[HALF] = __ballot_sync(0xffffu, v % 2);
    r[ACTIVE_HALF] = __activemask();
  }
  __syncwarp();
}

int main() {
  const int n = 96;
  Array<int> in(n);
  Array<unsigned> out(COUNT * n);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 5) - (i >= 64);
  in.upload();
  votes<<<1, n>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int t = 0; t < n; t++) {
    int first = t / 32 * 32, lane = t % 32, equal = 1;
    unsigned ballot = 0, any = 0, all = 1, match = 0, half = 0;
    for (int l = 0; l < 32; l++) {
      int v = in[first + l];
      ballot |= (unsigned)(v > 0) << l;
      any |= v == 3;
      all &= v < 4;
      match |= (unsigned)(v == in[t]) << l;
      equal &= v == in[first] || t / 32 == 1;
      half |= l < 16 ? (unsigned)(v % 2 != 0) << l : 0;
    }
    unsigned *r = &out[COUNT * t];
    EXPECT(r[BALLOT] == ballot && r[ANY] == any && r[ALL] == all);
    EXPECT(r[MATCH_ANY] == match && r[MATCH_ANY_64] == match);
    EXPECT(r[MATCH_ALL] == (equal ? FULL : 0) && r[MATCH_ALL_PREDICATE] == (unsigned)equal);
    EXPECT(r[HALF] == (lane < 16 ? half : 0));
    // The hardware decides which lanes converge, but a lane is in its own mask, and no lane outside the group is.
    EXPECT((r[ACTIVE_FULL] >> lane & 1) == 1);
    EXPECT(lane < 16 ? (r[ACTIVE_HALF] >> lane & 1) == 1 && (r[ACTIVE_HALF] & ~0xffffu) == 0 : r[ACTIVE_HALF] == 0);
    r[ACTIVE_FULL] = r[ACTIVE_HALF] = 0;
  }
  out.show("votes");
  return verdict();
}
