// Vector types: aligned loads and stores of 8 and 16 bytes, members, and arrays of them in shared memory.
#include "../check.h"

__global__ void vectors(const float4 *in, float4 *out, int2 *ints, double2 *doubles, uchar4 *bytes, short3 *shorts) {
  __shared__ float4 part[64];
  int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  float4 a = part[t], b = part[63 - t];
  out[t] = make_float4(a.x + b.w, a.y + b.z, a.z + b.y, a.w + b.x);
  ints[t] = make_int2((int)a.x, (int)b.y);
  doubles[t].x = a.x * 0.5;
  doubles[t].y = b.w;
  bytes[t] = make_uchar4((unsigned char)t, (unsigned char)(t + 1), (unsigned char)(255 - t), 7);
  shorts[t] = make_short3((short)t, (short)-t, (short)(t * t));
}

int main() {
  const int n = 64;
  Array<float4> in(n), out(n);
  Array<int2> ints(n);
  Array<double2> doubles(n);
  Array<uchar4> bytes(n);
  Array<short3> shorts(n);
  for (int i = 0; i < n; i++)
    in[i] = make_float4((float)i, (float)(i * 2), (float)(i * 3), (float)(random_bits() % 100));
  in.upload();
  vectors<<<1, n>>>(in.device, out.device, ints.device, doubles.device, bytes.device, shorts.device);
  LAUNCHED();
  out.download();
  ints.download();
  doubles.download();
  bytes.download();
  shorts.download();
  for (int t = 0; t < n; t++) {
    float4 a = in[t], b = in[63 - t], o = out[t];
    EXPECT(o.x == a.x + b.w && o.y == a.y + b.z && o.z == a.z + b.y && o.w == a.w + b.x);
    EXPECT(ints[t].x == (int)a.x && ints[t].y == (int)b.y);
    EXPECT(doubles[t].x == a.x * 0.5 && doubles[t].y == b.w);
    EXPECT(bytes[t].x == t && bytes[t].y == t + 1 && bytes[t].z == 255 - t && bytes[t].w == 7);
    EXPECT(shorts[t].x == t && shorts[t].y == -t && shorts[t].z == t * t);
  }
  out.show("float4");
  ints.show("int2");
  doubles.show("double2");
  bytes.show("uchar4");
  shorts.show("short3");
  return verdict();
}
