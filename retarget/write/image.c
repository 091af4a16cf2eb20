/* image.c: writes the device image of cusafe/image.h. */
#include "retarget/write/image.h"
#include "ir/memory.h"
#include "report/print.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool {
  char *text;
  cs_u32 bytes;
};

static cs_u32 intern(struct pool *pool, const char *text) {
  cs_u32 at = pool->bytes, length = (cs_u32)strlen(text) + 1;
  pool->text = cs_ir_resized(pool->text, at + length);
  memcpy(pool->text + at, text, length);
  pool->bytes += length;
  return at;
}

static cs_u64 aligned(cs_u64 bytes) {
  return (bytes + 7) & ~7ull;
}

static cs_u32 total_params(const struct cs_rt_unit *unit) {
  cs_u32 count = 0;
  for (unsigned i = 0; i < unit->kernel_count; i++)
    count += unit->kernels[i].param_count;
  return count;
}

static void fill_kernels(const struct cs_rt_unit *unit, char *image, const struct cs_image *header, struct pool *pool) {
  struct cs_image_kernel *kernel = (struct cs_image_kernel *)(void *)(image + header->kernel_offset);
  struct cs_image_param *param = (struct cs_image_param *)(void *)(image + header->param_offset);
  cs_u32 next = 0;
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    const struct cs_rt_kernel *k = &unit->kernels[i];
    kernel[i] = (struct cs_image_kernel){
        .name = intern(pool, k->name),
        .first_param = next,
        .param_count = k->param_count,
        .param_bytes = k->param_bytes,
        .static_shared = k->static_shared,
        .local_bytes = k->local_bytes,
        .max_threads = k->max_threads,
        .flags = (unit->debug ? CS_KERNEL_DEBUG : 0) | (k->uses_warp ? CS_KERNEL_USES_WARP : 0) |
                 (k->phases ? CS_KERNEL_PHASES : 0) | (k->shaped ? CS_KERNEL_SHAPED : 0) |
                 (k->waits ? CS_KERNEL_WAITS : 0) | (k->fails ? CS_KERNEL_FAILS : 0)};
    for (unsigned p = 0; p < k->param_count; p++)
      param[next++] = (struct cs_image_param){k->params[p].offset, k->params[p].size, k->params[p].align,
                                              (cs_u32)k->params[p].is_pointer};
  }
}

/* A SPIR-V module in the image. */
struct span {
  cs_u64 offset, bytes;
};

static struct span copy_code(LLVMMemoryBufferRef code, char *image, cs_u64 at) {
  struct span span = {at, LLVMGetBufferSize(code)};
  memcpy(image + at, LLVMGetBufferStart(code), span.bytes);
  return span;
}

static void fill_code(const struct cs_rt_unit *unit, char *image, const struct cs_image *header, cs_u64 at) {
  struct cs_image_kernel *kernel = (struct cs_image_kernel *)(void *)(image + header->kernel_offset);
  struct span *spans = cs_ir_allocate((size_t)unit->kernel_count + 1, sizeof *spans);
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    LLVMMemoryBufferRef code = unit->kernels[i].spirv;
    spans[i] = code ? copy_code(code, image, at) : spans[i - 1]; /* the module of its group */
    at = code ? aligned(at + spans[i].bytes) : at;
  }
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    kernel[i].spirv_offset = spans[i].offset;
    kernel[i].spirv_bytes = spans[i].bytes;
  }
  free(spans);
}

static cs_u32 flags_of(const struct cs_rt_variable *v) {
  return (v->is_constant ? CS_GLOBAL_CONSTANT : 0) | (LLVMIsDeclaration(v->global) ? CS_GLOBAL_EXTERNAL : 0);
}

static void fill_globals(const struct cs_rt_unit *unit, char *image, const struct cs_image *header, struct pool *pool) {
  struct cs_image_global *global = (struct cs_image_global *)(void *)(image + header->global_offset);
  for (unsigned i = 0; i < unit->variable_count; i++)
    global[i] = (struct cs_image_global){intern(pool, unit->variables[i].name), flags_of(&unit->variables[i]),
                                         unit->variables[i].size};
}

static int write_file(const char *path, const char *image, size_t bytes) {
  FILE *file = fopen(path, "wb");
  size_t written = file ? fwrite(image, 1, bytes, file) : 0;
  if (!file || fclose(file) != 0 || written != bytes) {
    cs_report_print(stderr, "cusafe-retarget: cannot write %s: %s\n", path, strerror(errno));
    return -1;
  }
  return 0;
}

static char *image_of(const struct cs_rt_unit *unit, cs_u64 *bytes) {
  struct cs_image header = {.magic = CS_IMAGE_MAGIC,
                            .version = CS_IMAGE_VERSION,
                            .checked = unit->checked,
                            .spirv_bytes = unit->spirv ? LLVMGetBufferSize(unit->spirv) : 0,
                            .kernel_count = unit->kernel_count,
                            .param_count = total_params(unit),
                            .global_count = unit->variable_count,
                            .address_count = unit->address_count,
                            .failing_slot = unit->failing_slot,
                            .failing_bytes = unit->shares_failing ? LLVMGetBufferSize(unit->failing) : 0};
  cs_u64 at = sizeof header;
  header.kernel_offset = (cs_u32)at; /* sizeof header is a multiple of 8 */
  at += header.kernel_count * sizeof(struct cs_image_kernel);
  header.param_offset = (cs_u32)at;
  at += header.param_count * sizeof(struct cs_image_param);
  header.global_offset = (cs_u32)(at = aligned(at));
  at += header.global_count * sizeof(struct cs_image_global);
  header.spirv_offset = at = aligned(at);
  at = aligned(at + header.spirv_bytes);
  header.failing_offset = at;
  cs_u64 kernel_code = at = aligned(at + header.failing_bytes);
  for (unsigned i = 0; i < unit->kernel_count; i++)
    at = aligned(at + (unit->kernels[i].spirv ? LLVMGetBufferSize(unit->kernels[i].spirv) : 0));
  header.string_offset = (cs_u32)at;
  struct pool pool = {NULL, 0};
  char *image = memset(cs_ir_resized(NULL, at), 0, at);
  intern(&pool, "");
  fill_kernels(unit, image, &header, &pool);
  fill_code(unit, image, &header, kernel_code);
  fill_globals(unit, image, &header, &pool);
  if (unit->spirv)
    memcpy(image + header.spirv_offset, LLVMGetBufferStart(unit->spirv), header.spirv_bytes);
  if (header.failing_bytes)
    memcpy(image + header.failing_offset, LLVMGetBufferStart(unit->failing), header.failing_bytes);
  header.string_bytes = pool.bytes;
  header.total_bytes = at + pool.bytes;
  memcpy(image, &header, sizeof header);
  image = cs_ir_resized(image, header.total_bytes);
  memcpy(image + at, pool.text, pool.bytes);
  free(pool.text);
  *bytes = header.total_bytes;
  return image;
}

static char *append(char *image, cs_u64 *bytes, const char *second, cs_u64 second_bytes) {
  cs_u64 at = aligned(*bytes);
  image = cs_ir_resized(image, at + second_bytes);
  memset(image + *bytes, 0, at - *bytes);
  memcpy(image + at, second, second_bytes);
  *bytes = at + second_bytes;
  struct cs_image *header = (struct cs_image *)(void *)image;
  header->debug_offset = (cs_u32)at;
  header->total_bytes = *bytes;
  return image;
}

int cs_rt_write_code(const struct cs_rt_unit *unit, const char *path) {
  return write_file(path, LLVMGetBufferStart(unit->spirv), LLVMGetBufferSize(unit->spirv));
}

int cs_rt_write_image(const struct cs_rt_unit *unit, const struct cs_rt_unit *debugged, const char *path) {
  cs_u64 bytes, second_bytes;
  char *image = image_of(unit, &bytes), *second = debugged ? image_of(debugged, &second_bytes) : NULL;
  if (second && aligned(bytes) + second_bytes < 1ull << 32)
    image = append(image, &bytes, second, second_bytes);
  int failed = write_file(path, image, bytes);
  free(second);
  free(image);
  return failed;
}
