/* texture.c: texture and surface objects. */
#include "cpu/cudart/array.h"

#include <string.h>

_Static_assert((int)cudaResourceTypePitch2D == (int)CU_RESOURCE_TYPE_PITCH2D, "resource types are the driver's");
_Static_assert((int)cudaAddressModeBorder == (int)CU_TR_ADDRESS_MODE_BORDER, "address modes, too");
_Static_assert((int)cudaFilterModeLinear == (int)CU_TR_FILTER_MODE_LINEAR, "filters, too");
_Static_assert((int)cudaResViewFormatUnsignedBlockCompressed7 == (int)CU_RES_VIEW_FORMAT_UNSIGNED_BC7, "views, too");
_Static_assert(sizeof(struct cudaResourceViewDesc) == sizeof(CUDA_RESOURCE_VIEW_DESC), "with one layout");

static cudaError_t to_driver(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *out) {
  *out = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)r->resType, .flags = r->flags};
  switch (r->resType) {
  case cudaResourceTypeArray:
    out->res.array.hArray = (CUarray)r->res.array.array;
    return cudaSuccess;
  case cudaResourceTypeMipmappedArray:
    out->res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
    return cudaSuccess;
  case cudaResourceTypeLinear:
    out->res.linear.devPtr = cs_cudart_address(r->res.linear.devPtr);
    out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
    return cs_cudart_format(&r->res.linear.desc, &out->res.linear.format, &out->res.linear.numChannels);
  case cudaResourceTypePitch2D:
    out->res.pitch2D.devPtr = cs_cudart_address(r->res.pitch2D.devPtr);
    out->res.pitch2D.width = r->res.pitch2D.width;
    out->res.pitch2D.height = r->res.pitch2D.height;
    out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
    return cs_cudart_format(&r->res.pitch2D.desc, &out->res.pitch2D.format, &out->res.pitch2D.numChannels);
  default:
    return cudaErrorInvalidValue;
  }
}

static void from_driver(const CUDA_RESOURCE_DESC *r, struct cudaResourceDesc *out) {
  memset(out, 0, sizeof *out);
  out->resType = (enum cudaResourceType)r->resType;
  out->flags = r->flags;
  switch (r->resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    out->res.array.array = (cudaArray_t)r->res.array.hArray;
    break;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    out->res.mipmap.mipmap = (cudaMipmappedArray_t)r->res.mipmap.hMipmappedArray;
    break;
  case CU_RESOURCE_TYPE_LINEAR:
    out->res.linear.devPtr = (void *)r->res.linear.devPtr;
    out->res.linear.desc = cs_cudart_channel(r->res.linear.format, r->res.linear.numChannels);
    out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
    break;
  default:
    out->res.pitch2D.devPtr = (void *)r->res.pitch2D.devPtr;
    out->res.pitch2D.desc = cs_cudart_channel(r->res.pitch2D.format, r->res.pitch2D.numChannels);
    out->res.pitch2D.width = r->res.pitch2D.width;
    out->res.pitch2D.height = r->res.pitch2D.height;
    out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
  }
}

static CUDA_TEXTURE_DESC sampling(const struct cudaTextureDesc *t) {
  CUDA_TEXTURE_DESC out = {.filterMode = (CUfilter_mode)t->filterMode,
                           .maxAnisotropy = t->maxAnisotropy,
                           .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
                           .mipmapLevelBias = t->mipmapLevelBias,
                           .minMipmapLevelClamp = t->minMipmapLevelClamp,
                           .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
  out.flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
              (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) | (t->sRGB ? CU_TRSF_SRGB : 0u) |
              (t->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
              (t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
  for (int i = 0; i < 3; i++)
    out.addressMode[i] = (CUaddress_mode)t->addressMode[i];
  memcpy(out.borderColor, t->borderColor, sizeof out.borderColor);
  return out;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view) {
  CUDA_RESOURCE_DESC driver;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out && resource && texture);
  cudaError_t error = to_driver(resource, &driver);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  CUDA_TEXTURE_DESC how = sampling(texture);
  return cs_cudart_done(CU(TexObjectCreate, out, &driver, &how, (const CUDA_RESOURCE_VIEW_DESC *)view));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  CS_CUDART_ENTER();
  return texture ? cs_cudart_done(CU(TexObjectDestroy, texture)) : cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t texture) {
  CUDA_RESOURCE_DESC driver;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  CUresult result = CU(TexObjectGetResourceDesc, &driver, texture);
  if (result == CUDA_SUCCESS)
    from_driver(&driver, out);
  return cs_cudart_done(result);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t texture) {
  CUDA_TEXTURE_DESC t;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  CUresult result = CU(TexObjectGetTextureDesc, &t, texture);
  if (result != CUDA_SUCCESS)
    return cs_cudart_done(result);
  *out = (struct cudaTextureDesc){
      .filterMode = (enum cudaTextureFilterMode)t.filterMode,
      .readMode = t.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
      .sRGB = (t.flags & CU_TRSF_SRGB) != 0,
      .normalizedCoords = (t.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
      .maxAnisotropy = t.maxAnisotropy,
      .mipmapFilterMode = (enum cudaTextureFilterMode)t.mipmapFilterMode,
      .mipmapLevelBias = t.mipmapLevelBias,
      .minMipmapLevelClamp = t.minMipmapLevelClamp,
      .maxMipmapLevelClamp = t.maxMipmapLevelClamp,
      .disableTrilinearOptimization = (t.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
      .seamlessCubemap = (t.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
  for (int i = 0; i < 3; i++)
    out->addressMode[i] = (enum cudaTextureAddressMode)t.addressMode[i];
  memcpy(out->borderColor, t.borderColor, sizeof out->borderColor);
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t texture) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  return cs_cudart_done(CU(TexObjectGetResourceViewDesc, (CUDA_RESOURCE_VIEW_DESC *)out, texture));
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *resource) {
  CUDA_RESOURCE_DESC driver;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out && resource);
  cudaError_t error = to_driver(resource, &driver);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  return cs_cudart_done(CU(SurfObjectCreate, out, &driver));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  CS_CUDART_ENTER();
  return surface ? cs_cudart_done(CU(SurfObjectDestroy, surface)) : cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t surface) {
  CUDA_RESOURCE_DESC driver;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  CUresult result = CU(SurfObjectGetResourceDesc, &driver, surface);
  if (result == CUDA_SUCCESS)
    from_driver(&driver, out);
  return cs_cudart_done(result);
}
