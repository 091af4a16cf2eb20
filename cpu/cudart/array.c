/* array.c: CUDA arrays and mipmapped arrays, and the formats of their channels. */
#include "cpu/cudart/array.h"

#include <string.h>

_Static_assert(cudaArrayLayered == CUDA_ARRAY3D_LAYERED && cudaArraySurfaceLoadStore == CUDA_ARRAY3D_SURFACE_LDST &&
                   cudaArrayCubemap == CUDA_ARRAY3D_CUBEMAP && cudaArrayTextureGather == CUDA_ARRAY3D_TEXTURE_GATHER,
               "array flags are passed through");

static const struct format {
  CUarray_format format;
  enum cudaChannelFormatKind kind;
  int bits;
  unsigned channels; /* 0: as the descriptor specifies */
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8, 0},
    {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16, 0},
    {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32, 0},
    {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8, 0},
    {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16, 0},
    {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32, 0},
    {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16, 0},
    {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32, 0},
    {CU_AD_FORMAT_UNORM_INT8X1, cudaChannelFormatKindUnsignedNormalized8X1, 8, 1},
    {CU_AD_FORMAT_UNORM_INT8X2, cudaChannelFormatKindUnsignedNormalized8X2, 8, 2},
    {CU_AD_FORMAT_UNORM_INT8X4, cudaChannelFormatKindUnsignedNormalized8X4, 8, 4},
    {CU_AD_FORMAT_UNORM_INT16X1, cudaChannelFormatKindUnsignedNormalized16X1, 16, 1},
    {CU_AD_FORMAT_UNORM_INT16X2, cudaChannelFormatKindUnsignedNormalized16X2, 16, 2},
    {CU_AD_FORMAT_UNORM_INT16X4, cudaChannelFormatKindUnsignedNormalized16X4, 16, 4},
    {CU_AD_FORMAT_SNORM_INT8X1, cudaChannelFormatKindSignedNormalized8X1, 8, 1},
    {CU_AD_FORMAT_SNORM_INT8X2, cudaChannelFormatKindSignedNormalized8X2, 8, 2},
    {CU_AD_FORMAT_SNORM_INT8X4, cudaChannelFormatKindSignedNormalized8X4, 8, 4},
    {CU_AD_FORMAT_SNORM_INT16X1, cudaChannelFormatKindSignedNormalized16X1, 16, 1},
    {CU_AD_FORMAT_SNORM_INT16X2, cudaChannelFormatKindSignedNormalized16X2, 16, 2},
    {CU_AD_FORMAT_SNORM_INT16X4, cudaChannelFormatKindSignedNormalized16X4, 16, 4},
};
#define FORMATS (sizeof formats / sizeof *formats)

/* One, two or four channels of the same width, in order; 0 otherwise. */
static unsigned count_channels(const struct cudaChannelFormatDesc *c) {
  int bits = c->x;
  if (bits <= 0 || (c->y && c->y != bits) || (c->z && c->z != bits) || (c->w && c->w != bits))
    return 0;
  if (c->w)
    return c->y && c->z ? 4 : 0;
  return c->z ? 0 : c->y ? 2 : 1;
}

cudaError_t cs_cudart_format(const struct cudaChannelFormatDesc *channel, CUarray_format *format, unsigned *channels) {
  *channels = count_channels(channel);
  for (size_t i = 0; *channels && i < FORMATS; i++) {
    const struct format *f = &formats[i];
    if (f->kind != channel->f || f->bits != channel->x || (f->channels && f->channels != *channels))
      continue;
    *format = f->format;
    return cudaSuccess;
  }
  if (channel->f > cudaChannelFormatKindNone)
    return cs_cudart_unsupported("a compressed or video channel format");
  return cudaErrorInvalidChannelDescriptor;
}

struct cudaChannelFormatDesc cs_cudart_channel(CUarray_format format, unsigned channels) {
  struct cudaChannelFormatDesc out = {.f = cudaChannelFormatKindNone};
  for (size_t i = 0; i < FORMATS; i++) {
    if (formats[i].format != format)
      continue;
    int bits = formats[i].bits;
    out = cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0,
                                formats[i].kind);
  }
  return out;
}

static size_t bytes_of(CUarray_format format) {
  for (size_t i = 0; i < FORMATS; i++)
    if (formats[i].format == format)
      return (size_t)formats[i].bits / 8;
  return 0;
}

cudaError_t cs_cudart_array_describe(cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR *descriptor, size_t *element) {
  if (!array)
    return cudaErrorInvalidResourceHandle;
  CUresult result = CU(Array3DGetDescriptor, descriptor, cs_cudart_driver_array(array));
  if (result != CUDA_SUCCESS)
    return cs_cudart_error(result);
  *element = bytes_of(descriptor->Format) * descriptor->NumChannels;
  return cudaSuccess;
}

static cudaError_t describe(const struct cudaChannelFormatDesc *channel, struct cudaExtent extent, unsigned flags,
                            CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  *descriptor = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
                                          .Height = extent.height,
                                          .Depth = extent.depth,
                                          .Format = CU_AD_FORMAT_FLOAT,
                                          .Flags = flags};
  return cs_cudart_format(channel, &descriptor->Format, &descriptor->NumChannels);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channel, struct cudaExtent extent,
                              unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(array && channel);
  cudaError_t error = describe(channel, extent, flags, &descriptor);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  return cs_cudart_done(CU(Array3DCreate, (CUarray *)array, &descriptor));
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channel, size_t width,
                            size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, channel, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  CS_CUDART_ENTER();
  return array ? cs_cudart_done(CU(ArrayDestroy, (CUarray)array)) : cudaSuccess;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *channel,
                                     struct cudaExtent extent, unsigned levels, unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(array && channel);
  cudaError_t error = describe(channel, extent, flags, &descriptor);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  return cs_cudart_done(CU(MipmappedArrayCreate, (CUmipmappedArray *)array, &descriptor, levels));
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  CS_CUDART_ENTER();
  return array ? cs_cudart_done(CU(MipmappedArrayDestroy, (CUmipmappedArray)array)) : cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned number) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(level);
  return cs_cudart_done(CU(MipmappedArrayGetLevel, (CUarray *)level, (CUmipmappedArray)(uintptr_t)array, number));
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *channel, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array) {
  CUDA_ARRAY3D_DESCRIPTOR d;
  size_t element;
  CS_CUDART_ENTER();
  cudaError_t error = cs_cudart_array_describe(array, &d, &element);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  if (channel)
    *channel = cs_cudart_channel(d.Format, d.NumChannels);
  if (extent)
    *extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
  if (flags)
    *flags = d.Flags;
  return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *channel, cudaArray_const_t array) {
  CS_CUDART_CHECK(channel);
  return cudaArrayGetInfo(channel, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}

_Static_assert(sizeof(struct cudaArrayMemoryRequirements) == sizeof(CUDA_ARRAY_MEMORY_REQUIREMENTS), "one layout");

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaArray_t array, int ordinal) {
  CUdevice device;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  cudaError_t error = cs_cudart_driver_device(ordinal, &device);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  return cs_cudart_done(CU(ArrayGetMemoryRequirements, (CUDA_ARRAY_MEMORY_REQUIREMENTS *)out, (CUarray)array, device));
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaMipmappedArray_t array,
                                                    int ordinal) {
  CUdevice device;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  cudaError_t error = cs_cudart_driver_device(ordinal, &device);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  return cs_cudart_done(
      CU(MipmappedArrayGetMemoryRequirements, (CUDA_ARRAY_MEMORY_REQUIREMENTS *)out, (CUmipmappedArray)array, device));
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *channel,
                                                 int ordinal) {
  CUdevice device;
  CUarray_format format;
  unsigned channels;
  CS_CUDART_READY();
  CS_CUDART_CHECK(width && channel);
  cudaError_t error = cs_cudart_driver_device(ordinal, &device);
  if (error == cudaSuccess)
    error = cs_cudart_format(channel, &format, &channels);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  return cs_cudart_done(CU(DeviceGetTexture1DLinearMaxWidth, width, format, channels, device));
}
