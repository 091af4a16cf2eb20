/* texture.c: texture and surface objects: from the program's descriptions to the descriptor that kernels read
 * (image.h). */
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/memory/array.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include "cusafe/image.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A texture or surface object; its handle is the address of `device`. */
struct object {
  uint32_t magic;
  struct cs_cpu_context *context;
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC sampling;
  CUDA_RESOURCE_VIEW_DESC view;
  int has_view;
  struct cs_texture device;
  struct cs_texture_level levels[CS_CPU_MAX_LEVELS];
};

static struct object *object_of(unsigned long long handle, cs_u32 magic) {
  struct object *object = (struct object *)(uintptr_t)(handle - offsetof(struct object, device));
  if (handle < 4096 || !cs_cpu_object_is(object, CS_CPU_TEXTURE) || object->device.magic != magic)
    return NULL;
  return object;
}

/* --- resources --- */

static CUresult set_format(struct cs_texture *texture, CUarray_format requested, unsigned channels) {
  const struct cs_cpu_format *format = cs_cpu_format_find(requested);
  if (!format)
    return CUDA_ERROR_NOT_SUPPORTED;
  if ((channels != 1 && channels != 2 && channels != 4) || (format->channels && format->channels != channels))
    return CUDA_ERROR_INVALID_VALUE;
  texture->channels = channels;
  texture->channel = format->channel;
  texture->channel_bytes = format->bytes;
  texture->flags |= format->fraction ? CS_TEXTURE_UNORM : 0;
  return CUDA_SUCCESS;
}

static struct cs_texture_level level_of(const struct cs_cpu_array *array, int stacked) {
  return (struct cs_texture_level){.address = cs_cpu_array_address(array),
                                   .pitch = array->pitch,
                                   .slice = array->slice,
                                   .width = (cs_u32)array->width,
                                   .height = (cs_u32)array->height,
                                   .depth = stacked ? 1 : (cs_u32)array->depth};
}

static CUresult set_arrays(struct object *object, struct cs_cpu_array *const *levels, unsigned count) {
  struct cs_texture *texture = &object->device;
  const CUDA_ARRAY3D_DESCRIPTOR *d = &levels[0]->descriptor;
  int cube = (d->Flags & CUDA_ARRAY3D_CUBEMAP) != 0, layered = (d->Flags & CUDA_ARRAY3D_LAYERED) != 0;
  int stacked = cube || layered;
  texture->shape = cube ? CS_SHAPE_CUBE : !stacked && d->Depth ? CS_SHAPE_3D : d->Height ? CS_SHAPE_2D : CS_SHAPE_1D;
  texture->flags |= layered ? CS_TEXTURE_LAYERED : 0;
  texture->flags |= d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER ? CS_TEXTURE_GATHER : 0;
  texture->layers = stacked ? (cs_u32)levels[0]->depth : 1;
  texture->level_count = count;
  for (unsigned i = 0; i < count; i++)
    object->levels[i] = level_of(levels[i], stacked);
  return set_format(texture, d->Format, d->NumChannels);
}

static CUresult check_memory(CUdeviceptr start, size_t bytes) {
  enum cs_cpu_memory_class class;
  CUresult result = start ? cs_cpu_memory_classify(start, bytes, &class) : CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS && class == CS_CPU_CLASS_PAGEABLE ? CUDA_ERROR_INVALID_VALUE : result;
}

static CUresult set_linear(struct object *object, const CUDA_RESOURCE_DESC *resource) {
  struct cs_texture *texture = &object->device;
  texture->shape = CS_SHAPE_LINEAR;
  CUresult result = set_format(texture, resource->res.linear.format, resource->res.linear.numChannels);
  if (result != CUDA_SUCCESS)
    return result;
  size_t element = (size_t)texture->channels * texture->channel_bytes;
  size_t width = resource->res.linear.sizeInBytes / element;
  if (!width || width > (size_t)1 << 28 || resource->res.linear.devPtr % element)
    return CUDA_ERROR_INVALID_VALUE;
  object->levels[0] = (struct cs_texture_level){.address = resource->res.linear.devPtr,
                                                .pitch = width * element,
                                                .slice = width * element,
                                                .width = (cs_u32)width,
                                                .height = 1,
                                                .depth = 1};
  return check_memory(resource->res.linear.devPtr, resource->res.linear.sizeInBytes);
}

#define PITCH_ALIGNMENT 32

static CUresult set_pitched(struct object *object, const CUDA_RESOURCE_DESC *resource) {
  struct cs_texture *texture = &object->device;
  size_t width = resource->res.pitch2D.width, height = resource->res.pitch2D.height;
  size_t pitch = resource->res.pitch2D.pitchInBytes;
  texture->shape = CS_SHAPE_2D;
  CUresult result = set_format(texture, resource->res.pitch2D.format, resource->res.pitch2D.numChannels);
  if (result != CUDA_SUCCESS)
    return result;
  size_t element = (size_t)texture->channels * texture->channel_bytes;
  if (!width || !height || width > 131072 || height > 65000 || pitch > 2097120 || pitch < width * element ||
      pitch % PITCH_ALIGNMENT || resource->res.pitch2D.devPtr % PITCH_ALIGNMENT)
    return CUDA_ERROR_INVALID_VALUE;
  object->levels[0] = (struct cs_texture_level){.address = resource->res.pitch2D.devPtr,
                                                .pitch = pitch,
                                                .slice = pitch * height,
                                                .width = (cs_u32)width,
                                                .height = (cs_u32)height,
                                                .depth = 1};
  return check_memory(resource->res.pitch2D.devPtr, pitch * (height - 1) + width * element);
}

static CUresult set_resource(struct object *object, const CUDA_RESOURCE_DESC *resource) {
  struct cs_cpu_array *array;
  struct cs_cpu_mipmap *mipmap;
  CUresult result;
  object->resource = *resource;
  object->device.layers = object->device.level_count = 1;
  switch (resource->resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    result = cs_cpu_array_of(resource->res.array.hArray, &array);
    return result == CUDA_SUCCESS ? set_arrays(object, &array, 1) : result;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    result = cs_cpu_mipmap_of(resource->res.mipmap.hMipmappedArray, &mipmap);
    return result == CUDA_SUCCESS ? set_arrays(object, mipmap->levels, mipmap->count) : result;
  case CU_RESOURCE_TYPE_LINEAR:
    return set_linear(object, resource);
  case CU_RESOURCE_TYPE_PITCH2D:
    return set_pitched(object, resource);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/* --- views --- */

static CUresult view_format(struct cs_texture *texture, CUresourceViewFormat view) {
  static const CUarray_format by_three[] = {
      CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
      CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
  if (view == CU_RES_VIEW_FORMAT_NONE)
    return CUDA_SUCCESS;
  if (view > CU_RES_VIEW_FORMAT_FLOAT_4X32)
    return cs_cpu_unsupported("a block-compressed resource view");
  cs_u32 before = texture->channels * texture->channel_bytes;
  texture->flags &= ~CS_TEXTURE_UNORM;
  CUresult result = set_format(texture, by_three[(view - 1) / 3], 1u << (view - 1) % 3);
  int same_size = texture->channels * texture->channel_bytes == before;
  return result != CUDA_SUCCESS || same_size ? result : CUDA_ERROR_INVALID_VALUE;
}

static CUresult set_view(struct object *object, const CUDA_RESOURCE_VIEW_DESC *view) {
  struct cs_texture *texture = &object->device;
  const struct cs_texture_level *first = &object->levels[0];
  object->view = *view;
  object->has_view = 1;
  if (texture->shape == CS_SHAPE_LINEAR || object->resource.resType == CU_RESOURCE_TYPE_PITCH2D)
    return CUDA_ERROR_INVALID_VALUE;
  if ((view->width && view->width != first->width) || (view->height && view->height != first->height) ||
      (texture->shape == CS_SHAPE_3D && view->depth && view->depth != first->depth))
    return CUDA_ERROR_INVALID_VALUE;
  if (view->firstMipmapLevel > view->lastMipmapLevel || view->lastMipmapLevel >= texture->level_count ||
      view->firstLayer > view->lastLayer || view->lastLayer >= texture->layers)
    return CUDA_ERROR_INVALID_VALUE;
  texture->level_count = view->lastMipmapLevel - view->firstMipmapLevel + 1;
  memmove(object->levels, object->levels + view->firstMipmapLevel, texture->level_count * sizeof *object->levels);
  if (texture->layers > 1) { /* a view of zeros names only the first layer, as documented */
    texture->layers = view->lastLayer - view->firstLayer + 1;
    for (unsigned i = 0; i < texture->level_count; i++)
      object->levels[i].address += view->firstLayer * object->levels[i].slice;
  }
  return view_format(texture, view->format);
}

/* --- sampling --- */

static CUresult set_sampling(struct object *object, const CUDA_TEXTURE_DESC *d) {
  const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                         CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
  struct cs_texture *texture = &object->device;
  object->sampling = *d;
  if ((d->flags & ~known) || d->filterMode > CU_TR_FILTER_MODE_LINEAR || d->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR)
    return CUDA_ERROR_INVALID_VALUE;
  int normalized = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  int integer = texture->channel != CS_CHANNEL_FLOAT;
  if (integer && texture->channel_bytes < 4 && !(d->flags & CU_TRSF_READ_AS_INTEGER))
    texture->flags |= CS_TEXTURE_UNORM;
  if (texture->level_count > 1 && !normalized)
    return CUDA_ERROR_INVALID_VALUE;
  texture->flags |= d->flags & CU_TRSF_SEAMLESS_CUBEMAP ? CS_TEXTURE_SEAMLESS : 0;
  if ((d->flags & CU_TRSF_SRGB) && (texture->flags & CS_TEXTURE_UNORM) && texture->channel_bytes == 1)
    texture->flags |= CS_TEXTURE_SRGB;
  if (texture->shape == CS_SHAPE_LINEAR)
    return CUDA_SUCCESS; /* fetched by index: neither filtered nor wrapped */
  texture->flags |= normalized || texture->shape == CS_SHAPE_CUBE ? CS_TEXTURE_NORMALIZED : 0;
  texture->filter = d->filterMode;
  texture->level_filter = d->mipmapFilterMode;
  if (integer && !(texture->flags & CS_TEXTURE_UNORM) && (texture->filter || texture->level_filter))
    return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < 3; i++) {
    if (d->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
      return CUDA_ERROR_INVALID_VALUE;
    int foldable = normalized || d->addressMode[i] == CU_TR_ADDRESS_MODE_BORDER;
    texture->address_mode[i] = foldable ? (cs_u32)d->addressMode[i] : CS_ADDRESS_CLAMP; /* as documented */
  }
  texture->level_bias = d->mipmapLevelBias;
  texture->level_min = d->minMipmapLevelClamp;
  texture->level_max = d->maxMipmapLevelClamp;
  memcpy(texture->border, d->borderColor, sizeof texture->border);
  return CUDA_SUCCESS;
}

static unsigned long long publish(struct object *object, cs_u32 magic) {
  object->device.level = object->levels[0];
  object->device.levels = (cs_u64)(uintptr_t)object->levels;
  object->device.magic = magic;
  return (unsigned long long)(uintptr_t)&object->device;
}

/* --- the calls --- */

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampling,
                           const CUDA_RESOURCE_VIEW_DESC *view) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !resource || !sampling || resource->flags)
    return CUDA_ERROR_INVALID_VALUE;
  struct object *object = cs_cpu_object_new(CS_CPU_TEXTURE, sizeof *object);
  if (!object)
    return CUDA_ERROR_OUT_OF_MEMORY;
  object->context = context;
  result = set_resource(object, resource);
  if (result == CUDA_SUCCESS && view)
    result = set_view(object, view);
  if (result == CUDA_SUCCESS)
    result = set_sampling(object, sampling);
  if (result == CUDA_SUCCESS)
    *out = publish(object, CS_TEXTURE_MAGIC);
  else
    cs_cpu_object_delete(object);
  return result;
}

CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *resource) {
  struct cs_cpu_context *context;
  struct cs_cpu_array *array;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !resource || resource->flags || resource->resType != CU_RESOURCE_TYPE_ARRAY)
    return CUDA_ERROR_INVALID_VALUE;
  result = cs_cpu_array_of(resource->res.array.hArray, &array);
  if (result == CUDA_SUCCESS && !(array->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  struct object *object = cs_cpu_object_new(CS_CPU_TEXTURE, sizeof *object);
  if (!object)
    return CUDA_ERROR_OUT_OF_MEMORY;
  object->context = context;
  result = set_resource(object, resource);
  if (result == CUDA_SUCCESS)
    *out = publish(object, CS_SURFACE_MAGIC);
  else
    cs_cpu_object_delete(object);
  return result;
}

/* Waits for kernels that were launched with the handle and may still read the descriptor. */
static CUresult destroy(unsigned long long handle, cs_u32 magic) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  struct object *object = object_of(handle, magic);
  if (!object)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_wait_all();
  object->device.magic = 0;
  cs_cpu_object_delete(object);
  return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject handle) {
  return destroy(handle, CS_TEXTURE_MAGIC);
}

CUresult cuSurfObjectDestroy(CUsurfObject handle) {
  return destroy(handle, CS_SURFACE_MAGIC);
}

static CUresult find(unsigned long long handle, cs_u32 magic, const void *out, struct object **object) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  *object = object_of(handle, magic);
  return *object && out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject handle) {
  struct object *object;
  CUresult result = find(handle, CS_TEXTURE_MAGIC, out, &object);
  if (result == CUDA_SUCCESS)
    *out = object->resource;
  return result;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject handle) {
  struct object *object;
  CUresult result = find(handle, CS_TEXTURE_MAGIC, out, &object);
  if (result == CUDA_SUCCESS)
    *out = object->sampling;
  return result;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject handle) {
  struct object *object;
  CUresult result = find(handle, CS_TEXTURE_MAGIC, out, &object);
  if (result == CUDA_SUCCESS && !object->has_view)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *out = object->view;
  return result;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject handle) {
  struct object *object;
  CUresult result = find(handle, CS_SURFACE_MAGIC, out, &object);
  if (result == CUDA_SUCCESS)
    *out = object->resource;
  return result;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned channels, CUdevice device) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_device_at(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!width || !cs_cpu_format_find(format) || (channels != 1 && channels != 2 && channels != 4))
    return CUDA_ERROR_INVALID_VALUE;
  *width = (size_t)1 << 28;
  return CUDA_SUCCESS;
}
