/* array.c: CUDA arrays and mipmapped arrays: creation, destruction and queries. */
#include "cpu/cuda/memory/array.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include "cusafe/image.h"

#define KNOWN_FLAGS                                                                                                    \
  (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER |             \
   CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_COLOR_ATTACHMENT)
#define ROW_ALIGNMENT 16

const struct cs_cpu_format *cs_cpu_format_find(CUarray_format format) {
  static const struct cs_cpu_format formats[] = {
#define CS_CPU_FORMAT(name, channel, bytes, channels, fraction)                                                        \
  {CU_AD_FORMAT_##name, channel, bytes, channels, fraction},
#include "cpu/cuda/memory/formats.inc"
  };
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (formats[i].format == format)
      return &formats[i];
  cs_cpu_unsupported("a compressed or video texel format");
  return NULL;
}

CUresult cs_cpu_array_of(CUarray handle, struct cs_cpu_array **array) {
  if (!cs_cpu_object_is(handle, CS_CPU_ARRAY))
    return CUDA_ERROR_INVALID_HANDLE;
  *array = (struct cs_cpu_array *)handle;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_mipmap_of(CUmipmappedArray handle, struct cs_cpu_mipmap **mipmap) {
  if (!cs_cpu_object_is(handle, CS_CPU_MIPMAP))
    return CUDA_ERROR_INVALID_HANDLE;
  *mipmap = (struct cs_cpu_mipmap *)handle;
  return CUDA_SUCCESS;
}

/* --- valid shapes --- */

static int cube_valid(const CUDA_ARRAY3D_DESCRIPTOR *d, int layered) {
  return d->Width == d->Height && d->Width <= 32768 &&
         (layered ? d->Depth % 6 == 0 && d->Depth <= 2046 : d->Depth == 6);
}

/* The sizes that attributes.inc reports. */
static int shape_valid(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  int layered = (d->Flags & CUDA_ARRAY3D_LAYERED) != 0;
  if (!d->Width)
    return 0;
  if (d->Flags & CUDA_ARRAY3D_CUBEMAP)
    return cube_valid(d, layered);
  if (layered)
    return d->Depth && d->Width <= 32768 && d->Height <= 32768 && d->Depth <= 2048;
  if (!d->Height && !d->Depth)
    return d->Width <= 131072;
  if (!d->Depth)
    return d->Width <= 131072 && d->Height <= 65536;
  return d->Height && d->Width <= 16384 && d->Height <= 16384 && d->Depth <= 16384;
}

static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *d, const struct cs_cpu_format **format) {
  if (d->Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING))
    return cs_cpu_unsupported("a sparse CUDA array");
  if ((d->Flags & ~(unsigned)KNOWN_FLAGS) || (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4))
    return CUDA_ERROR_INVALID_VALUE;
  int flat = d->Height && !d->Depth;
  if (((d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) && !flat) || !shape_valid(d))
    return CUDA_ERROR_INVALID_VALUE;
  *format = cs_cpu_format_find(d->Format);
  if (!*format)
    return CUDA_ERROR_NOT_SUPPORTED;
  return (*format)->channels && (*format)->channels != d->NumChannels ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* --- creation and destruction --- */

/* Creates an array that is in no list. */
static CUresult make(struct cs_cpu_context *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                     struct cs_cpu_array **out) {
  const struct cs_cpu_format *format = NULL;
  CUresult result = check(descriptor, &format);
  if (result != CUDA_SUCCESS || !format)
    return result;
  struct cs_cpu_array *array = cs_cpu_object_new(CS_CPU_ARRAY, sizeof *array);
  if (!array)
    return CUDA_ERROR_OUT_OF_MEMORY;
  array->listed.context = context;
  array->descriptor = *descriptor;
  array->element = (size_t)format->bytes * descriptor->NumChannels;
  array->width = descriptor->Width;
  array->height = descriptor->Height ? descriptor->Height : 1;
  array->depth = descriptor->Depth ? descriptor->Depth : 1;
  array->pitch = (array->width * array->element + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
  array->slice = array->pitch * array->height;
  result = cs_cpu_memory_allocate(context, CS_CPU_MEMORY_DEVICE, array->slice * array->depth, 0, &array->memory);
  if (result != CUDA_SUCCESS) {
    cs_cpu_object_delete(array);
    return result;
  }
  *out = array;
  return CUDA_SUCCESS;
}

static void end(struct cs_cpu_array *array) {
  cs_cpu_memory_release(array->memory);
  cs_cpu_object_delete(array);
}

static void list(struct cs_cpu_listed *item) {
  cs_cpu_context_lock();
  item->next = item->context->arrays;
  item->context->arrays = item;
  cs_cpu_context_unlock();
}

/* Takes the array out of its context's list; 0 when another thread was faster. */
static int unlist(struct cs_cpu_listed *item) {
  cs_cpu_context_lock();
  struct cs_cpu_listed **slot = &item->context->arrays;
  while (*slot && *slot != item)
    slot = &(*slot)->next;
  int listed = *slot != NULL;
  if (listed)
    *slot = item->next;
  cs_cpu_context_unlock();
  return listed;
}

CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  struct cs_cpu_context *context;
  struct cs_cpu_array *array;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  result = make(context, descriptor, &array);
  if (result != CUDA_SUCCESS)
    return result;
  list(&array->listed);
  *out = (CUarray)array;
  return CUDA_SUCCESS;
}

CUresult cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *descriptor) {
  if (!descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR full = {.Width = descriptor->Width,
                                  .Height = descriptor->Height,
                                  .Format = descriptor->Format,
                                  .NumChannels = descriptor->NumChannels};
  return cuArray3DCreate_v2(out, &full);
}

CUresult cuArrayDestroy(CUarray handle) {
  struct cs_cpu_context *context;
  struct cs_cpu_array *array;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_array_of(handle, &array);
  if (result != CUDA_SUCCESS)
    return result;
  if (array->mipmap || !unlist(&array->listed))
    return CUDA_ERROR_INVALID_HANDLE;
  cs_cpu_wait_all();
  end(array);
  return CUDA_SUCCESS;
}

/* --- mipmapped arrays --- */

static size_t halved(size_t size) {
  return size > 1 ? size / 2 : size;
}

static unsigned max_levels(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  size_t largest = d->Width > d->Height ? d->Width : d->Height;
  if (!(d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) && d->Depth > largest)
    largest = d->Depth;
  unsigned levels = 1;
  while (largest >>= 1)
    levels++;
  return levels < CS_CPU_MAX_LEVELS ? levels : CS_CPU_MAX_LEVELS;
}

static CUresult make_levels(struct cs_cpu_mipmap *mipmap, CUDA_ARRAY3D_DESCRIPTOR descriptor, unsigned count) {
  int stacked = (descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  for (unsigned i = 0; i < count; i++) {
    CUresult result = make(mipmap->listed.context, &descriptor, &mipmap->levels[i]);
    if (result != CUDA_SUCCESS)
      return result;
    mipmap->levels[i]->mipmap = mipmap;
    mipmap->count = i + 1;
    descriptor.Width = halved(descriptor.Width);
    descriptor.Height = halved(descriptor.Height);
    descriptor.Depth = stacked ? descriptor.Depth : halved(descriptor.Depth);
  }
  return CUDA_SUCCESS;
}

static void end_levels(struct cs_cpu_mipmap *mipmap) {
  for (unsigned i = 0; i < mipmap->count; i++)
    end(mipmap->levels[i]);
  cs_cpu_object_delete(mipmap);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned int levels) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_mipmap *mipmap = cs_cpu_object_new(CS_CPU_MIPMAP, sizeof *mipmap);
  if (!mipmap)
    return CUDA_ERROR_OUT_OF_MEMORY;
  mipmap->listed.context = context;
  unsigned max = max_levels(descriptor);
  result = make_levels(mipmap, *descriptor, levels < 1 ? 1 : levels > max ? max : levels);
  if (result != CUDA_SUCCESS) {
    end_levels(mipmap);
    return result;
  }
  list(&mipmap->listed);
  *out = (CUmipmappedArray)mipmap;
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray handle, unsigned int level) {
  struct cs_cpu_context *context;
  struct cs_cpu_mipmap *mipmap;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_mipmap_of(handle, &mipmap);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || level >= mipmap->count)
    return CUDA_ERROR_INVALID_VALUE;
  *out = (CUarray)mipmap->levels[level];
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray handle) {
  struct cs_cpu_context *context;
  struct cs_cpu_mipmap *mipmap;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_mipmap_of(handle, &mipmap);
  if (result != CUDA_SUCCESS)
    return result;
  if (!unlist(&mipmap->listed))
    return CUDA_ERROR_INVALID_HANDLE;
  cs_cpu_wait_all();
  end_levels(mipmap);
  return CUDA_SUCCESS;
}

void cs_cpu_arrays_close(struct cs_cpu_context *context) {
  cs_cpu_context_lock();
  struct cs_cpu_listed *item = context->arrays;
  context->arrays = NULL;
  cs_cpu_context_unlock();
  while (item) {
    struct cs_cpu_listed *next = item->next;
    if (item->magic == CS_CPU_ARRAY)
      end((struct cs_cpu_array *)item);
    else
      end_levels((struct cs_cpu_mipmap *)item);
    item = next;
  }
}

/* --- queries --- */

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray handle) {
  struct cs_cpu_context *context;
  struct cs_cpu_array *array;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_array_of(handle, &array);
  if (result == CUDA_SUCCESS && !descriptor)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *descriptor = array->descriptor;
  return result;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR full;
  CUresult result = descriptor ? cuArray3DGetDescriptor_v2(&full, array) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *descriptor = (CUDA_ARRAY_DESCRIPTOR){full.Width, full.Height, full.Format, full.NumChannels};
  return result;
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, CUarray handle, CUdevice device) {
  struct cs_cpu_context *context;
  struct cs_cpu_array *array;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_device_at(device) ? cs_cpu_array_of(handle, &array) : CUDA_ERROR_INVALID_DEVICE;
  if (result == CUDA_SUCCESS && !needs)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *needs = (CUDA_ARRAY_MEMORY_REQUIREMENTS){.size = array->slice * array->depth, .alignment = CS_CPU_PITCH};
  return result;
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, CUmipmappedArray handle,
                                               CUdevice device) {
  struct cs_cpu_context *context;
  struct cs_cpu_mipmap *mipmap;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_device_at(device) ? cs_cpu_mipmap_of(handle, &mipmap) : CUDA_ERROR_INVALID_DEVICE;
  if (result == CUDA_SUCCESS && !needs)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  *needs = (CUDA_ARRAY_MEMORY_REQUIREMENTS){.alignment = CS_CPU_PITCH};
  for (unsigned i = 0; i < mipmap->count; i++)
    needs->size += mipmap->levels[i]->slice * mipmap->levels[i]->depth;
  return CUDA_SUCCESS;
}
