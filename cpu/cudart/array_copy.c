/* array_copy.c: copies that name CUDA arrays, and three-dimensional copies as the driver describes them. */
#include "cpu/cudart/array.h"
#include "cpu/cudart/copy_kind.h"

/* --- three dimensions --- */

/* Where an array takes part, the extent counts its elements; a position counts elements only on the array's side. */
static cudaError_t element_sizes(const struct cudaMemcpy3DParms *p, size_t *from, size_t *to, size_t *unit) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  *from = *to = *unit = 1;
  cudaError_t error = p->srcArray ? cs_cudart_array_describe(p->srcArray, &descriptor, from) : cudaSuccess;
  if (error == cudaSuccess && p->dstArray)
    error = cs_cudart_array_describe(p->dstArray, &descriptor, to);
  if (error != cudaSuccess)
    return error;
  if (p->srcArray && p->dstArray && *from != *to)
    return cudaErrorInvalidValue;
  *unit = p->srcArray ? *from : *to;
  return cudaSuccess;
}

static cudaError_t check_linear(const struct cudaPitchedPtr *p, size_t width) {
  if (!p->ptr)
    return cudaErrorInvalidValue;
  return width > p->pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
}

cudaError_t cs_cudart_copy_describe(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *copy) {
  size_t from, to, unit;
  if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
    return cudaErrorInvalidValue; /* exactly one of them, as documented */
  cudaError_t error = element_sizes(p, &from, &to, &unit);
  if (error != cudaSuccess)
    return error;
  *copy = (CUDA_MEMCPY3D){.srcXInBytes = p->srcPos.x * from,
                          .srcY = p->srcPos.y,
                          .srcZ = p->srcPos.z,
                          .srcMemoryType = p->srcArray ? CU_MEMORYTYPE_ARRAY
                                                       : cs_cudart_memory_type(p->kind, cs_cudart_host_source(p->kind)),
                          .srcHost = p->srcPtr.ptr,
                          .srcDevice = cs_cudart_address(p->srcPtr.ptr),
                          .srcArray = cs_cudart_driver_array(p->srcArray),
                          .srcPitch = p->srcPtr.pitch,
                          .srcHeight = p->srcPtr.ysize,
                          .dstXInBytes = p->dstPos.x * to,
                          .dstY = p->dstPos.y,
                          .dstZ = p->dstPos.z,
                          .dstMemoryType = p->dstArray ? CU_MEMORYTYPE_ARRAY
                                                       : cs_cudart_memory_type(p->kind, cs_cudart_host_target(p->kind)),
                          .dstHost = p->dstPtr.ptr,
                          .dstDevice = cs_cudart_address(p->dstPtr.ptr),
                          .dstArray = cs_cudart_driver_array(p->dstArray),
                          .dstPitch = p->dstPtr.pitch,
                          .dstHeight = p->dstPtr.ysize,
                          .WidthInBytes = p->extent.width * unit,
                          .Height = p->extent.height,
                          .Depth = p->extent.depth};
  if (!copy->WidthInBytes || !copy->Height || !copy->Depth)
    return cudaSuccess;
  error = p->srcArray ? cudaSuccess : check_linear(&p->srcPtr, copy->WidthInBytes);
  return error == cudaSuccess && !p->dstArray ? check_linear(&p->dstPtr, copy->WidthInBytes) : error;
}

static size_t element_of(CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  size_t element = 0;
  return cs_cudart_array_describe((cudaArray_const_t)array, &descriptor, &element) == cudaSuccess && element ? element
                                                                                                             : 1;
}

static void *pointer_of(CUmemorytype type, const void *host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_ARRAY ? NULL : type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)host : (void *)device;
}

static enum cudaMemcpyKind kind_of(const CUDA_MEMCPY3D *c) {
  if (c->srcMemoryType == CU_MEMORYTYPE_UNIFIED || c->dstMemoryType == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  if (c->srcMemoryType == CU_MEMORYTYPE_HOST)
    return c->dstMemoryType == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return c->dstMemoryType == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

struct cudaMemcpy3DParms cs_cudart_copy_parameters(const CUDA_MEMCPY3D *c) {
  int from_array = c->srcMemoryType == CU_MEMORYTYPE_ARRAY, to_array = c->dstMemoryType == CU_MEMORYTYPE_ARRAY;
  size_t from = from_array ? element_of(c->srcArray) : 1, to = to_array ? element_of(c->dstArray) : 1;
  size_t unit = from_array ? from : to;
  return (struct cudaMemcpy3DParms){
      .srcArray = from_array ? (cudaArray_t)c->srcArray : NULL,
      .srcPos = {c->srcXInBytes / from, c->srcY, c->srcZ},
      .srcPtr = {pointer_of(c->srcMemoryType, c->srcHost, c->srcDevice), c->srcPitch, c->WidthInBytes, c->srcHeight},
      .dstArray = to_array ? (cudaArray_t)c->dstArray : NULL,
      .dstPos = {c->dstXInBytes / to, c->dstY, c->dstZ},
      .dstPtr = {pointer_of(c->dstMemoryType, c->dstHost, c->dstDevice), c->dstPitch, c->WidthInBytes, c->dstHeight},
      .extent = {c->WidthInBytes / unit, c->Height, c->Depth},
      .kind = kind_of(c)};
}

/* --- two dimensions: offsets and widths count bytes --- */

struct rectangle {
  CUDA_MEMCPY2D copy;
  enum cudaMemcpyKind kind;
  int asynchronous;
  CUstream stream;
};

static void to_array(struct rectangle *r, cudaArray_t array, size_t x, size_t y) {
  r->copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  r->copy.dstArray = cs_cudart_driver_array(array);
  r->copy.dstXInBytes = x;
  r->copy.dstY = y;
}

static void from_array(struct rectangle *r, cudaArray_const_t array, size_t x, size_t y) {
  r->copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  r->copy.srcArray = cs_cudart_driver_array(array);
  r->copy.srcXInBytes = x;
  r->copy.srcY = y;
}

static void to_memory(struct rectangle *r, void *to, size_t pitch) {
  r->copy.dstMemoryType = cs_cudart_memory_type(r->kind, cs_cudart_host_target(r->kind));
  r->copy.dstHost = to;
  r->copy.dstDevice = cs_cudart_address(to);
  r->copy.dstPitch = pitch;
}

static void from_memory(struct rectangle *r, const void *from, size_t pitch) {
  r->copy.srcMemoryType = cs_cudart_memory_type(r->kind, cs_cudart_host_source(r->kind));
  r->copy.srcHost = from;
  r->copy.srcDevice = cs_cudart_address(from);
  r->copy.srcPitch = pitch;
}

static CUresult copy_rows(struct rectangle *r, size_t width, size_t height) {
  r->copy.WidthInBytes = width;
  r->copy.Height = height;
  if (!width || !height)
    return CUDA_SUCCESS;
  return r->asynchronous ? CU(Memcpy2DAsync, &r->copy, r->stream) : CU(Memcpy2DUnaligned, &r->copy);
}

#define CS_CUDART_DIRECTION(kind, allowed)                                                                             \
  do {                                                                                                                 \
    if ((unsigned)(kind) > cudaMemcpyDefault || !(allowed))                                                            \
      return cs_cudart_fail(cudaErrorInvalidMemcpyDirection);                                                          \
  } while (0)

static cudaError_t copy_2d_to(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                              size_t height, struct rectangle r) {
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(r.kind, !cs_cudart_host_target(r.kind));
  if (width > pitch)
    return cs_cudart_fail(cudaErrorInvalidPitchValue);
  to_array(&r, to, x, y);
  from_memory(&r, from, pitch);
  return cs_cudart_done(copy_rows(&r, width, height));
}

static cudaError_t copy_2d_from(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                size_t height, struct rectangle r) {
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(r.kind, !cs_cudart_host_source(r.kind));
  if (width > pitch)
    return cs_cudart_fail(cudaErrorInvalidPitchValue);
  from_array(&r, from, x, y);
  to_memory(&r, to, pitch);
  return cs_cudart_done(copy_rows(&r, width, height));
}

#define SYNC(direction) ((struct rectangle){.kind = (direction)})
#define ASYNC(direction, in) ((struct rectangle){.kind = (direction), .asynchronous = 1, .stream = (in)})

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind) {
  return copy_2d_to(to, x, y, from, pitch, width, height, SYNC(kind));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_2d_to(to, x, y, from, pitch, width, height, ASYNC(kind, stream));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind) {
  return copy_2d_from(to, pitch, from, x, y, width, height, SYNC(kind));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_2d_from(to, pitch, from, x, y, width, height, ASYNC(kind, stream));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  struct rectangle r = SYNC(kind);
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(kind, !cs_cudart_host_source(kind) && !cs_cudart_host_target(kind));
  to_array(&r, to, to_x, to_y);
  from_array(&r, from, from_x, from_y);
  return cs_cudart_done(copy_rows(&r, width, height));
}

/* --- runs of bytes that continue in the next row --- */

/* A run of bytes as up to three rectangles: the end of the first row, whole rows, the start of the last. `aim` sets
 * both sides of the rectangle to byte `done` of the run, which starts at (x, y) in the array. */
struct run {
  struct rectangle r;
  cudaArray_const_t array;
  size_t x, y, row;
  char *memory;
  int into_array;
};

static void aim(struct run *run, size_t done) {
  size_t at = run->x + done;
  if (run->into_array) {
    to_array(&run->r, (cudaArray_t)(uintptr_t)run->array, at % run->row, run->y + at / run->row);
    from_memory(&run->r, run->memory + done, run->row);
  } else {
    from_array(&run->r, run->array, at % run->row, run->y + at / run->row);
    to_memory(&run->r, run->memory + done, run->row);
  }
}

static cudaError_t copy_run(struct run *run, size_t size) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  size_t element, done = 0;
  cudaError_t error = cs_cudart_array_describe(run->array, &descriptor, &element);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  run->row = descriptor.Width * element;
  CS_CUDART_CHECK(run->row && run->x < run->row);
  while (done < size) {
    size_t left = run->row - (run->x + done) % run->row, width = size - done < left ? size - done : left;
    size_t rows = width == run->row ? (size - done) / run->row : 1;
    aim(run, done);
    CUresult result = copy_rows(&run->r, width, rows);
    if (result != CUDA_SUCCESS)
      return cs_cudart_done(result);
    done += width * rows;
  }
  return cudaSuccess;
}

static cudaError_t run_to(cudaArray_t to, size_t x, size_t y, const void *from, size_t size, struct rectangle r) {
  struct run run = {r, to, x, y, 0, (char *)(uintptr_t)from, 1};
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(r.kind, !cs_cudart_host_target(r.kind));
  return copy_run(&run, size);
}

static cudaError_t run_from(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, struct rectangle r) {
  struct run run = {r, from, x, y, 0, to, 0};
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(r.kind, !cs_cudart_host_source(r.kind));
  return copy_run(&run, size);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                              enum cudaMemcpyKind kind) {
  return run_to(to, x, y, from, size, SYNC(kind));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                                   enum cudaMemcpyKind kind, cudaStream_t stream) {
  return run_to(to, x, y, from, size, ASYNC(kind, stream));
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                enum cudaMemcpyKind kind) {
  return run_from(to, from, x, y, size, SYNC(kind));
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
  return run_from(to, from, x, y, size, ASYNC(kind, stream));
}

/* The rows of the arrays may differ in length, so each step copies to the end of the shorter rest. */
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t size, enum cudaMemcpyKind kind) {
  CUDA_ARRAY3D_DESCRIPTOR a, b;
  size_t to_element, from_element, done = 0;
  struct rectangle r = SYNC(kind);
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(kind, !cs_cudart_host_source(kind) && !cs_cudart_host_target(kind));
  cudaError_t error = cs_cudart_array_describe(to, &a, &to_element);
  if (error == cudaSuccess)
    error = cs_cudart_array_describe(from, &b, &from_element);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  size_t to_row = a.Width * to_element, from_row = b.Width * from_element;
  CS_CUDART_CHECK(to_row && from_row && to_x < to_row && from_x < from_row);
  while (done < size) {
    size_t to_at = to_x + done, from_at = from_x + done, width = size - done;
    size_t to_left = to_row - to_at % to_row, from_left = from_row - from_at % from_row;
    width = width < to_left ? width : to_left;
    width = width < from_left ? width : from_left;
    to_array(&r, to, to_at % to_row, to_y + to_at / to_row);
    from_array(&r, from, from_at % from_row, from_y + from_at / from_row);
    CUresult result = copy_rows(&r, width, 1);
    if (result != CUDA_SUCCESS)
      return cs_cudart_done(result);
    done += width;
  }
  return cudaSuccess;
}
