// Textures and surfaces through objects: fetches from linear memory, point and linear filtering, layers, volumes, normalised
// coordinates and values, surface reads and writes.
#include "../check.h"
#include <cmath>

enum { W = 16, H = 8, D = 4 };

__global__ void fetches(cudaTextureObject_t line, cudaTextureObject_t point, cudaTextureObject_t linear,
                        cudaTextureObject_t bytes, cudaTextureObject_t volume, float *out) {
  int x = (int)threadIdx.x, y = (int)threadIdx.y, i = y * W + x;
  out[i] = tex1Dfetch<float>(line, i);
  out[W * H + i] = tex2D<float>(point, x + 0.5f, y + 0.5f);
  out[2 * W * H + i] = tex2D<float>(linear, x + 0.75f, y + 0.5f);
  float4 v = tex2D<float4>(bytes, (x + 0.5f) / W, (y + 0.5f) / H);
  out[3 * W * H + i] = v.x + 2 * v.y + 4 * v.z + 8 * v.w;
  out[4 * W * H + i] = tex3D<float>(volume, x + 0.5f, y + 0.5f, 2.5f);
  out[5 * W * H + i] = tex2D<float>(point, x - 3.5f, y + 20.f); // clamped
}

__global__ void surfaces(cudaSurfaceObject_t surface) {
  int x = (int)threadIdx.x, y = (int)threadIdx.y;
  float old;
  surf2Dread(&old, surface, x * (int)sizeof(float), y);
  surf2Dwrite(old * 2 + 1, surface, x * (int)sizeof(float), y);
}

static cudaTextureObject_t texture(cudaArray_t array, cudaTextureFilterMode filter, cudaTextureReadMode read,
                                   int normalized) {
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};
  cudaTextureObject_t object;
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  for (int i = 0; i < 3; i++)
    how.addressMode[i] = cudaAddressModeClamp;
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalized;
  CU(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  return object;
}

int main() {
  Array<float> plane(W * H * D), out(6 * W * H);
  Array<uchar4> pixels(W * H);
  for (int i = 0; i < W * H * D; i++)
    plane[i] = (float)(random_bits() % 1000) / 4;
  for (int i = 0; i < W * H; i++)
    pixels[i] = make_uchar4(random_bits() & 255, random_bits() & 255, random_bits() & 255, random_bits() & 255);
  plane.upload();
  cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), bytes = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array, small, volume;
  CU(cudaMallocArray(&array, &floats, W, H, cudaArraySurfaceLoadStore));
  CU(cudaMallocArray(&small, &bytes, W, H));
  CU(cudaMalloc3DArray(&volume, &floats, make_cudaExtent(W, H, D)));
  CU(cudaMemcpy2DToArray(array, 0, 0, plane.host, W * 4, W * 4, H, cudaMemcpyHostToDevice));
  CU(cudaMemcpy2DToArray(small, 0, 0, pixels.host, W * 4, W * 4, H, cudaMemcpyHostToDevice));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(plane.host, W * 4, W, H);
  copy.dstArray = volume;
  copy.extent = make_cudaExtent(W, H, D);
  copy.kind = cudaMemcpyHostToDevice;
  CU(cudaMemcpy3D(&copy));
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = plane.device;
  resource.res.linear.desc = floats;
  resource.res.linear.sizeInBytes = W * H * sizeof(float);
  cudaTextureObject_t line;
  CU(cudaCreateTextureObject(&line, &resource, &how, nullptr));
  cudaTextureObject_t point = texture(array, cudaFilterModePoint, cudaReadModeElementType, 0);
  cudaTextureObject_t linear = texture(array, cudaFilterModeLinear, cudaReadModeElementType, 0);
  cudaTextureObject_t norm = texture(small, cudaFilterModePoint, cudaReadModeNormalizedFloat, 1);
  cudaTextureObject_t depth = texture(volume, cudaFilterModePoint, cudaReadModeElementType, 0);
  fetches<<<1, dim3(W, H)>>>(line, point, linear, norm, depth, out.device);
  LAUNCHED();
  out.download();
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int i = y * W + x, next = x + 1 < W ? x + 1 : x;
      uchar4 p = pixels[i];
      EXPECT(out[i] == plane[i] && out[W * H + i] == plane[i]);
      EXPECT(fabsf(out[2 * W * H + i] - (0.75f * plane[i] + 0.25f * plane[y * W + next])) < 1e-3f);
      EXPECT(fabsf(out[3 * W * H + i] - (p.x + 2 * p.y + 4 * p.z + 8 * p.w) / 255.f) < 1e-3f);
      EXPECT(out[4 * W * H + i] == plane[2 * W * H + i]);
      EXPECT(out[5 * W * H + i] == plane[(H - 1) * W + (x > 3 ? x - 4 : 0)]);
    }
  cudaResourceDesc target = {};
  target.resType = cudaResourceTypeArray;
  target.res.array.array = array;
  cudaSurfaceObject_t surface;
  CU(cudaCreateSurfaceObject(&surface, &target));
  surfaces<<<1, dim3(W, H)>>>(surface);
  LAUNCHED();
  Array<float> back(W * H);
  CU(cudaMemcpy2DFromArray(back.host, W * 4, array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
  for (int i = 0; i < W * H; i++)
    EXPECT(back[i] == plane[i] * 2 + 1);
  for (cudaTextureObject_t t : {line, point, linear, norm, depth})
    CU(cudaDestroyTextureObject(t));
  CU(cudaDestroySurfaceObject(surface));
  CU(cudaFreeArray(array));
  CU(cudaFreeArray(small));
  CU(cudaFreeArray(volume));
  out.show("fetches");
  back.show("surface");
  return verdict();
}
