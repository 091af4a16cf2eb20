// textures.cu: textures and surfaces: every dimension, filters, address modes, normalised coordinates and values.
#include "conformance.h"
#include <cmath>

enum { W = 16, H = 8, D = 4 };

static float texel(int x, int y = 0, int z = 0) {
  return (float)((x * 37 + y * 11 + z * 101) % 64);
}

struct Texture {
  cudaTextureObject_t object = 0;
  cudaArray_t array = nullptr;
  cudaTextureDesc how = {};
  Texture() {
    for (auto &mode : how.addressMode)
      mode = cudaAddressModeClamp;
  }
  ~Texture() {
    CU(cudaDestroyTextureObject(object));
    if (array)
      CU(cudaFreeArray(array));
  }
  void make(cudaResourceDesc &from) { CU(cudaCreateTextureObject(&object, &from, &how, nullptr)); }
  // An array of w x h x d texels with the values of the function above.
  void fill(size_t w, size_t h, size_t d, unsigned flags = 0) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    std::vector<float> data;
    size_t rows = h ? h : 1, slices = d ? d : 1;
    for (size_t z = 0; z < slices; z++)
      for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < w; x++)
          data.push_back(texel((int)x, (int)y, (int)z));
    CU(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(data.data(), w * 4, w, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, rows, slices);
    copy.kind = cudaMemcpyHostToDevice;
    CU(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    make(resource);
  }
};

CASE(fetch_1d_from_linear_memory) {
  Array<float> data(100);
  for (int i = 0; i < 100; i++)
    data[i] = texel(i);
  data.upload();
  Texture t;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data.device;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = data.bytes();
  t.make(resource);
  auto object = t.object;
  auto got = each<float>(128, [=] __device__(int i) { return tex1Dfetch<float>(object, i - 14); });
  for (int i = 0; i < 128; i++) // out of range reads 0
    EXPECT(got[i] == (i < 14 || i >= 114 ? 0 : texel(i - 14)));
}

CASE(fetch_integers_and_vectors) {
  Array<int4> data(20);
  Array<unsigned char> bytes(20);
  for (int i = 0; i < 20; i++)
    data[i] = make_int4(i, -i, i * i, 7), bytes[i] = (unsigned char)(i * 13);
  data.upload(), bytes.upload();
  Texture t, u;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data.device;
  resource.res.linear.desc = cudaCreateChannelDesc<int4>();
  resource.res.linear.sizeInBytes = data.bytes();
  t.make(resource);
  resource.res.linear.devPtr = bytes.device;
  resource.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
  resource.res.linear.sizeInBytes = bytes.bytes();
  u.make(resource);
  auto a = t.object, b = u.object;
  auto got = each<int>(20, [=] __device__(int i) {
    int4 v = tex1Dfetch<int4>(a, i);
    return v.x + v.y + v.z + v.w + 1000 * tex1Dfetch<unsigned char>(b, i);
  });
  for (int i = 0; i < 20; i++)
    EXPECT(got[i] == i * i + 7 + 1000 * (i * 13 & 255));
}

CASE(point_filter_2d) {
  Texture t;
  t.fill(W, H, 0);
  auto object = t.object;
  auto got = each<float>(
      W * H, [=] __device__(int i) { return tex2D<float>(object, (float)(i % W) + 0.9f, (float)(i / W) + 0.1f); });
  for (int i = 0; i < W * H; i++)
    EXPECT(got[i] == texel(i % W, i / W));
}

CASE(address_mode_clamp) {
  Texture t;
  t.fill(W, H, 0);
  auto object = t.object;
  auto got = each<float>(
      64, [=] __device__(int i) { return tex2D<float>(object, (float)(i - 20) + 0.5f, (float)(i - 30) + 0.5f); });
  for (int i = 0; i < 64; i++)
    EXPECT(got[i] == texel(std::min(std::max(i - 20, 0), W - 1), std::min(std::max(i - 30, 0), H - 1)));
}

CASE(address_mode_border) {
  Texture t;
  t.how.addressMode[0] = t.how.addressMode[1] = cudaAddressModeBorder;
  t.how.borderColor[0] = 0;
  t.fill(W, H, 0);
  auto object = t.object;
  auto got = each<float>(64, [=] __device__(int i) { return tex2D<float>(object, (float)(i - 20) + 0.5f, 2.5f); });
  for (int i = 0; i < 64; i++)
    EXPECT(got[i] == (i < 20 || i >= 20 + W ? 0 : texel(i - 20, 2)));
}

CASE(address_modes_wrap_and_mirror) {
  Texture t, u;
  t.how.normalizedCoords = u.how.normalizedCoords = 1;
  t.how.addressMode[0] = t.how.addressMode[1] = cudaAddressModeWrap;
  u.how.addressMode[0] = u.how.addressMode[1] = cudaAddressModeMirror;
  t.fill(W, H, 0), u.fill(W, H, 0);
  auto a = t.object, b = u.object;
  auto got = each<float2>(64, [=] __device__(int i) {
    float x = ((float)(i - 24) + 0.5f) / W, y = 1.5f / H;
    return make_float2(tex2D<float>(a, x, y), tex2D<float>(b, x, y));
  });
  for (int i = 0; i < 64; i++) {
    int x = i - 24, wrapped = (x + 10 * W) % W, turn = (x + 10 * W) % (2 * W),
        mirrored = turn < W ? turn : 2 * W - 1 - turn;
    EXPECT(got[i].x == texel(wrapped, 1) && got[i].y == texel(mirrored, 1));
  }
}

// Filter weights have eight fractional bits.
CASE(linear_filter_1d) {
  Texture t;
  t.how.filterMode = cudaFilterModeLinear;
  t.fill(W, 0, 0);
  auto object = t.object;
  auto got = each<float>(256, [=] __device__(int i) { return tex1D<float>(object, (float)i / 16); });
  for (int i = 0; i < 256; i++) {
    float x = (float)i / 16 - 0.5f, low = floorf(x);
    int a = std::max((int)low, 0), b = std::min((int)low + 1, W - 1);
    float expected = texel(a) + (x - low) * (texel(b) - texel(a));
    EXPECT(fabsf(got[i] - expected) <= 64.f / 256);
    EXPECT(x != low || got[i] == expected);
  }
}

CASE(linear_filter_2d) {
  Texture t;
  t.how.filterMode = cudaFilterModeLinear;
  t.fill(W, H, 0);
  auto object = t.object;
  auto got = each<float>(
      240, [=] __device__(int i) { return tex2D<float>(object, (float)(i % 30) / 2 + 0.5f, (float)(i / 30) + 0.5f); });
  for (int i = 0; i < 240; i++) { // halves are exact weights
    int a = i % 30 / 2, b = std::min(a + i % 2, W - 1), y = i / 30;
    EXPECT(got[i] == (texel(a, y) + texel(b, y)) / 2);
  }
}

CASE(volume_3d) {
  Texture t;
  t.fill(W, H, D);
  auto object = t.object;
  auto got = each<float>(W * H * D, [=] __device__(int i) {
    return tex3D<float>(object, (float)(i % W) + 0.5f, (float)(i / W % H) + 0.5f, (float)(i / W / H) + 0.5f);
  });
  for (int i = 0; i < W * H * D; i++)
    EXPECT(got[i] == texel(i % W, i / W % H, i / W / H));
}

CASE(layers) {
  Texture t;
  t.fill(W, H, D, cudaArrayLayered);
  auto object = t.object;
  auto got = each<float>(W * H * D, [=] __device__(int i) {
    return tex2DLayered<float>(object, (float)(i % W) + 0.5f, (float)(i / W % H) + 0.5f, i / W / H);
  });
  for (int i = 0; i < W * H * D; i++)
    EXPECT(got[i] == texel(i % W, i / W % H, i / W / H));
}

CASE(normalised_values) {
  Array<uchar4> pixels(W * H);
  for (int i = 0; i < W * H; i++)
    pixels[i] = make_uchar4((unsigned char)i, (unsigned char)(255 - i), 255, 0);
  Texture t;
  t.how.readMode = cudaReadModeNormalizedFloat;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  CU(cudaMallocArray(&t.array, &format, W, H));
  CU(cudaMemcpy2DToArray(t.array, 0, 0, pixels.host, W * 4, W * 4, H, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = t.array;
  t.make(resource);
  auto object = t.object;
  auto got = each<float4>(
      W * H, [=] __device__(int i) { return tex2D<float4>(object, (float)(i % W) + 0.5f, (float)(i / W) + 0.5f); });
  for (int i = 0; i < W * H; i++) {
    EXPECT(fabsf(got[i].x - (float)i / 255) < 1e-6f && fabsf(got[i].y - (float)(255 - i) / 255) < 1e-6f);
    EXPECT(got[i].z == 1 && got[i].w == 0);
  }
}

CASE(pitched_2d) {
  float *data;
  size_t pitch;
  std::vector<float> host(W * H);
  for (int i = 0; i < W * H; i++)
    host[i] = texel(i % W, i / W);
  CU(cudaMallocPitch(&data, &pitch, W * 4, H));
  CU(cudaMemcpy2D(data, pitch, host.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
  {
    Texture t;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = data;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = W, resource.res.pitch2D.height = H, resource.res.pitch2D.pitchInBytes = pitch;
    t.make(resource);
    auto object = t.object;
    auto got = each<float>(
        W * H, [=] __device__(int i) { return tex2D<float>(object, (float)(i % W) + 0.5f, (float)(i / W) + 0.5f); });
    for (int i = 0; i < W * H; i++)
      EXPECT(got[i] == host[i]);
  }
  CU(cudaFree(data));
}

CASE(gather) {
  Texture t;
  t.fill(W, H, 0, cudaArrayTextureGather);
  auto object = t.object;
  auto got = each<float4>(W - 1, [=] __device__(int i) { return tex2Dgather<float4>(object, (float)i + 1.f, 3.f, 0); });
  for (int i = 0; i < W - 1; i++) // counterclockwise from the lower left
    EXPECT(got[i].x == texel(i, 3) && got[i].y == texel(i + 1, 3) && got[i].z == texel(i + 1, 2) &&
           got[i].w == texel(i, 2));
}

struct Surface {
  cudaSurfaceObject_t object = 0;
  cudaArray_t array = nullptr;
  Surface(size_t w, size_t h, size_t d) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CU(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CU(cudaCreateSurfaceObject(&object, &resource));
  }
  ~Surface() {
    CU(cudaDestroySurfaceObject(object));
    CU(cudaFreeArray(array));
  }
};

CASE(surface_2d) {
  Surface s(W, H, 0);
  auto object = s.object;
  on_device(1, dim3(W, H), [=] __device__() {
    surf2Dwrite((int)(threadIdx.x + 100 * threadIdx.y), object, threadIdx.x * 4, threadIdx.y);
  });
  auto got = each<int>(W * H, [=] __device__(int i) {
    int v = surf2Dread<int>(object, i % W * 4, i / W);
    return v * 2;
  });
  int back[W * H];
  CU(cudaMemcpy2DFromArray(back, W * 4, s.array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
  for (int i = 0; i < W * H; i++)
    EXPECT(back[i] == i % W + 100 * (i / W) && got[i] == 2 * back[i]);
}

CASE(surface_1d_and_3d) {
  Surface line(W, 0, 0), volume(W, H, D);
  auto a = line.object, b = volume.object;
  on_device(D, dim3(W, H), [=] __device__() {
    int x = (int)threadIdx.x, y = (int)threadIdx.y, z = (int)blockIdx.x;
    surf3Dwrite(x + 100 * y + 10000 * z, b, x * 4, y, z);
    if (y == 0 && z == 0)
      surf1Dwrite(x * x, a, x * 4);
  });
  auto got = each<int>(W * H * D, [=] __device__(int i) {
    return surf3Dread<int>(b, i % W * 4, i / W % H, i / W / H) + 1000000 * surf1Dread<int>(a, i % W * 4);
  });
  for (int i = 0; i < W * H * D; i++)
    EXPECT(got[i] == i % W + 100 * (i / W % H) + 10000 * (i / W / H) + 1000000 * (i % W) * (i % W));
}

CASE(surface_boundary_modes) {
  Surface s(W, H, 0);
  auto object = s.object;
  on_device(1, dim3(W, H),
            [=] __device__() { surf2Dwrite((int)threadIdx.x + 1, object, threadIdx.x * 4, threadIdx.y); });
  auto got = each<int>(32, [=] __device__(int i) {
    int x = (i - 8) * 4;
    surf2Dwrite(-5, object, -4, 0, cudaBoundaryModeZero); // ignored
    return surf2Dread<int>(object, x, 3, cudaBoundaryModeZero) +
           100 * surf2Dread<int>(object, x, 3, cudaBoundaryModeClamp);
  });
  for (int i = 0; i < 32; i++) {
    int x = i - 8, inside = x >= 0 && x < W ? x + 1 : 0, clamped = std::min(std::max(x, 0), W - 1) + 1;
    EXPECT(got[i] == inside + 100 * clamped);
  }
}
