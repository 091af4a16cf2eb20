/* test_arrays.c: CUDA arrays, mipmapped arrays, copies to and from them, and the descriptors of textures and
 * surfaces. */
#include "cpu/cuda/tests/support.h"
#include "cusafe/image.h"
#include <string.h>

static CUarray array_2d(size_t width, size_t height, CUarray_format format, unsigned channels) {
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR descriptor = {width, height, format, channels};
  OK(cuArrayCreate(&array, &descriptor));
  return array;
}

static void copies_rectangles(void **state) {
  (void)state;
  enum { W = 19, H = 7 };
  float in[H][W], out[H][W] = {{0}};
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      in[y][x] = (float)(y * 100 + x);
  CUarray array = array_2d(W, H, CU_AD_FORMAT_FLOAT, 1);
  CUDA_MEMCPY2D to = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                      .srcHost = in,
                      .srcPitch = sizeof in[0],
                      .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                      .dstArray = array,
                      .WidthInBytes = sizeof in[0],
                      .Height = H};
  OK(cuMemcpy2D(&to));
  CUDA_MEMCPY2D from = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = array,
                        .srcXInBytes = 2 * sizeof(float),
                        .srcY = 3,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = out,
                        .dstPitch = sizeof out[0],
                        .WidthInBytes = 5 * sizeof(float),
                        .Height = 4};
  OK(cuMemcpy2DAsync(&from, NULL));
  OK(cuStreamSynchronize(NULL));
  assert_true(out[0][0] == 302 && out[3][4] == 606 && out[0][5] == 0);
  from.srcY = 4; /* one row too far */
  FAILS(cuMemcpy2D(&from), CUDA_ERROR_INVALID_VALUE);
  from.srcY = 0;
  from.srcXInBytes = 1; /* not a texel */
  FAILS(cuMemcpy2D(&from), CUDA_ERROR_INVALID_VALUE);
  float row[W];
  OK(cuMemcpyAtoH(row, array, 4 * sizeof(float), 3 * sizeof(float)));
  assert_true(row[0] == 4 && row[2] == 6);
  FAILS(cuMemcpyAtoH(row, array, 4 * sizeof(float), sizeof row), CUDA_ERROR_INVALID_VALUE);
  OK(cuArrayDestroy(array));
  FAILS(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  FAILS(cuMemcpy2D(&to), CUDA_ERROR_INVALID_HANDLE);
}

static void copies_boxes(void **state) {
  (void)state;
  enum { W = 5, H = 4, D = 3 };
  short in[D][H][W], out[D][H][W];
  for (int i = 0; i < D * H * W; i++)
    (&in[0][0][0])[i] = (short)i;
  CUDA_ARRAY3D_DESCRIPTOR descriptor = {
      .Width = W, .Height = H, .Depth = D, .Format = CU_AD_FORMAT_SIGNED_INT16, .NumChannels = 1};
  CUarray array, other;
  OK(cuArray3DCreate(&array, &descriptor));
  OK(cuArray3DCreate(&other, &descriptor));
  CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = in,
                        .srcPitch = sizeof in[0][0],
                        .srcHeight = H,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = sizeof in[0][0],
                        .Height = H,
                        .Depth = D};
  OK(cuMemcpy3D(&copy));
  CUDA_MEMCPY3D between = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = array,
                           .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                           .dstArray = other,
                           .WidthInBytes = sizeof in[0][0],
                           .Height = H,
                           .Depth = D};
  OK(cuMemcpy3D(&between));
  CUDA_MEMCPY3D back = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = other,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = out,
                        .dstPitch = sizeof out[0][0],
                        .dstHeight = H,
                        .WidthInBytes = sizeof out[0][0],
                        .Height = H,
                        .Depth = D};
  OK(cuMemcpy3D(&back));
  assert_memory_equal(in, out, sizeof in);
  CUDA_ARRAY3D_DESCRIPTOR got;
  OK(cuArray3DGetDescriptor(&got, array));
  assert_memory_equal(&got, &descriptor, sizeof got);
  OK(cuArrayDestroy(array));
  OK(cuArrayDestroy(other));
}

static void refuses_shapes(void **state) {
  (void)state;
  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 3};
  FAILS(cuArray3DCreate(&array, &d), CUDA_ERROR_INVALID_VALUE);
  d.NumChannels = 1;
  d.Depth = 2; /* depth without height */
  FAILS(cuArray3DCreate(&array, &d), CUDA_ERROR_INVALID_VALUE);
  d.Flags = CUDA_ARRAY3D_CUBEMAP;
  d.Height = 8;
  FAILS(cuArray3DCreate(&array, &d), CUDA_ERROR_INVALID_VALUE);
  d.Depth = 6;
  OK(cuArray3DCreate(&array, &d));
  OK(cuArrayDestroy(array));
  d.Flags = CUDA_ARRAY3D_SPARSE;
  FAILS(cuArray3DCreate(&array, &d), CUDA_ERROR_NOT_SUPPORTED);
  d.Flags = 0;
  d.Format = CU_AD_FORMAT_NV12;
  FAILS(cuArray3DCreate(&array, &d), CUDA_ERROR_NOT_SUPPORTED);
}

static const struct cs_texture *descriptor_of(unsigned long long handle) {
  return (const struct cs_texture *)(uintptr_t)handle;
}

static void describes_textures(void **state) {
  (void)state;
  CUarray array = array_2d(6, 4, CU_AD_FORMAT_UNSIGNED_INT8, 4);
  CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array}, got;
  CUDA_TEXTURE_DESC sampling = {.addressMode = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_BORDER},
                                .filterMode = CU_TR_FILTER_MODE_LINEAR,
                                .borderColor = {1, 2, 3, 4}};
  CUtexObject texture;
  OK(cuTexObjectCreate(&texture, &resource, &sampling, NULL));
  const struct cs_texture *t = descriptor_of(texture);
  assert_int_equal(t->magic, CS_TEXTURE_MAGIC);
  assert_int_equal(t->shape, CS_SHAPE_2D);
  assert_int_equal(t->channels * 10 + t->channel_bytes, 41);
  assert_int_equal(t->flags, CS_TEXTURE_UNORM);
  assert_int_equal(t->level.width * 10 + t->level.height, 64);
  assert_int_equal(t->address_mode[0], CS_ADDRESS_CLAMP); /* wrapping needs normalized coordinates */
  assert_int_equal(t->address_mode[1], CS_ADDRESS_BORDER);
  assert_true(t->border[2] == 3);
  unsigned char texels[4][24];
  for (int i = 0; i < 96; i++)
    (&texels[0][0])[i] = (unsigned char)i;
  CUDA_MEMCPY2D to = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                      .srcHost = texels,
                      .srcPitch = 24,
                      .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                      .dstArray = array,
                      .WidthInBytes = 24,
                      .Height = 4};
  OK(cuMemcpy2D(&to));
  const unsigned char *texel = (const unsigned char *)(uintptr_t)(t->level.address + 2 * t->level.pitch + 3 * 4);
  assert_int_equal(*texel, 2 * 24 + 3 * 4);
  OK(cuTexObjectGetResourceDesc(&got, texture));
  assert_ptr_equal(got.res.array.hArray, array);
  OK(cuTexObjectDestroy(texture));
  assert_int_equal(t->magic, 0);
  FAILS(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
  sampling.flags = CU_TRSF_READ_AS_INTEGER; /* integers cannot be filtered */
  FAILS(cuTexObjectCreate(&texture, &resource, &sampling, NULL), CUDA_ERROR_INVALID_VALUE);
  OK(cuArrayDestroy(array));
}

static void describes_linear_memory(void **state) {
  (void)state;
  CUdeviceptr p;
  CUtexObject texture;
  size_t width;
  OK(cuMemAlloc(&p, 4096));
  CUDA_TEXTURE_DESC sampling = {.flags = CU_TRSF_READ_AS_INTEGER};
  CUDA_RESOURCE_DESC line = {
      .resType = CU_RESOURCE_TYPE_LINEAR,
      .res.linear = {.devPtr = p, .format = CU_AD_FORMAT_FLOAT, .numChannels = 4, .sizeInBytes = 4096}};
  OK(cuTexObjectCreate(&texture, &line, &sampling, NULL));
  assert_int_equal(descriptor_of(texture)->shape, CS_SHAPE_LINEAR);
  assert_int_equal(descriptor_of(texture)->level.width, 256);
  assert_true(descriptor_of(texture)->level.address == p);
  OK(cuTexObjectDestroy(texture));
  line.res.linear.sizeInBytes = 8192; /* past the end of the allocation */
  FAILS(cuTexObjectCreate(&texture, &line, &sampling, NULL), CUDA_ERROR_INVALID_VALUE);
  CUDA_RESOURCE_DESC rows = {.resType = CU_RESOURCE_TYPE_PITCH2D,
                             .res.pitch2D = {.devPtr = p,
                                             .format = CU_AD_FORMAT_SIGNED_INT32,
                                             .numChannels = 1,
                                             .width = 100,
                                             .height = 8,
                                             .pitchInBytes = 512}};
  OK(cuTexObjectCreate(&texture, &rows, &sampling, NULL));
  assert_int_equal(descriptor_of(texture)->shape, CS_SHAPE_2D);
  assert_int_equal(descriptor_of(texture)->level.pitch, 512);
  OK(cuTexObjectDestroy(texture));
  rows.res.pitch2D.pitchInBytes = 500;
  FAILS(cuTexObjectCreate(&texture, &rows, &sampling, NULL), CUDA_ERROR_INVALID_VALUE);
  OK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 1, 0));
  assert_true(width >= 1 << 27);
  OK(cuMemFree(p));
}

static void describes_surfaces(void **state) {
  (void)state;
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 4,
                               .Height = 4,
                               .Depth = 2,
                               .Format = CU_AD_FORMAT_FLOAT,
                               .NumChannels = 2,
                               .Flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST};
  CUarray array, plain = array_2d(4, 4, CU_AD_FORMAT_FLOAT, 1);
  CUsurfObject surface;
  OK(cuArray3DCreate(&array, &d));
  CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
  OK(cuSurfObjectCreate(&surface, &resource));
  const struct cs_texture *s = descriptor_of(surface);
  assert_int_equal(s->magic, CS_SURFACE_MAGIC);
  assert_int_equal(s->layers, 2);
  assert_int_equal(s->flags, CS_TEXTURE_LAYERED);
  assert_int_equal(s->level.depth, 1);
  FAILS(cuTexObjectDestroy(surface), CUDA_ERROR_INVALID_VALUE);
  OK(cuSurfObjectDestroy(surface));
  resource.res.array.hArray = plain; /* not created for surfaces */
  FAILS(cuSurfObjectCreate(&surface, &resource), CUDA_ERROR_INVALID_VALUE);
  OK(cuArrayDestroy(array));
  OK(cuArrayDestroy(plain));
}

static void describes_levels(void **state) {
  (void)state;
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 12, .Height = 8, .Format = CU_AD_FORMAT_HALF, .NumChannels = 1}, got;
  CUmipmappedArray mipmap;
  CUarray level;
  CUtexObject texture;
  OK(cuMipmappedArrayCreate(&mipmap, &d, 99));
  OK(cuMipmappedArrayGetLevel(&level, mipmap, 3));
  OK(cuArray3DGetDescriptor(&got, level));
  assert_int_equal(got.Width * 10 + got.Height, 11);
  FAILS(cuMipmappedArrayGetLevel(&level, mipmap, 4), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuArrayDestroy(level), CUDA_ERROR_INVALID_HANDLE);
  CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap.hMipmappedArray = mipmap};
  CUDA_TEXTURE_DESC sampling = {.flags = CU_TRSF_NORMALIZED_COORDINATES, .maxMipmapLevelClamp = 3};
  CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_SINT_1X16, .firstMipmapLevel = 1, .lastMipmapLevel = 2};
  OK(cuTexObjectCreate(&texture, &resource, &sampling, NULL));
  assert_int_equal(descriptor_of(texture)->level_count, 4);
  OK(cuTexObjectDestroy(texture));
  view.width = 12;
  view.height = 8;
  sampling.flags |= CU_TRSF_READ_AS_INTEGER;
  OK(cuTexObjectCreate(&texture, &resource, &sampling, &view));
  const struct cs_texture *t = descriptor_of(texture);
  assert_int_equal(t->level_count, 2);
  assert_int_equal(t->channel, CS_CHANNEL_SIGNED);
  assert_int_equal(((const struct cs_texture_level *)(uintptr_t)t->levels)[1].width, 3);
  assert_int_equal(t->level.width, 6);
  OK(cuTexObjectDestroy(texture));
  OK(cuMipmappedArrayDestroy(mipmap));
  FAILS(cuMipmappedArrayDestroy(mipmap), CUDA_ERROR_INVALID_HANDLE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(copies_rectangles),       cmocka_unit_test(copies_boxes),
                                     cmocka_unit_test(refuses_shapes),          cmocka_unit_test(describes_textures),
                                     cmocka_unit_test(describes_linear_memory), cmocka_unit_test(describes_surfaces),
                                     cmocka_unit_test(describes_levels)};
  return cmocka_run_group_tests(tests, test_start, test_end);
}
