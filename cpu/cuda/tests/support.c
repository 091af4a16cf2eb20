/* support.c: builds a device image from the tests' SPIR-V, and opens device 0. */
#include "cpu/cuda/tests/support.h"
#include "cusafe/image.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO_POINTERS {0, 8, 8, 1}, {8, 8, 8, 1}

static const struct kernel {
  const char *name;
  struct cs_image_param params[3];
  unsigned count, bytes, max_threads, flags;
} kernels[] = {
    {"scale", {{0, 8, 8, 1}, {8, 4, 4, 0}, {12, 4, 4, 0}}, 3, 16, 0, 0},
    {"reverse", {{0, 8, 8, 1}}, 1, 8, 256, 0},
    {"count", {{0}}, 0, 0, 0, 0},
    {"describe", {{0, 8, 8, 1}}, 1, 8, 0, 0},
    {"wait", {TWO_POINTERS, {16, 4, 4, 0}}, 3, 20, 0, 0},
    {"poke", {{0, 8, 8, 0}, {8, 4, 4, 0}}, 2, 12, 0, 0},
    {"fail", {{0, 4, 4, 0}}, 1, 4, 0, 0},
    {"print", {TWO_POINTERS}, 2, 16, 0, 0},
    {"assert_fail", {TWO_POINTERS, {16, 8, 8, 1}}, 3, 24, 0, 0},
    {"phases", {TWO_POINTERS, {16, 4, 4, 0}}, 3, 20, 0, CS_KERNEL_PHASES},
};
#define KERNELS (sizeof kernels / sizeof *kernels)
#define PARAMS (3 * KERNELS)
#define STRINGS 512

struct image {
  struct cs_image header;
  struct cs_image_global globals[2];
  struct cs_image_kernel kernels[KERNELS];
  struct cs_image_param params[PARAMS];
  char strings[STRINGS];
  char spirv[];
};

static unsigned add_string(struct image *image, const char *text) {
  unsigned at = image->header.string_bytes;
  strcpy(image->strings + at, text);
  image->header.string_bytes += (unsigned)strlen(text) + 1;
  return at;
}

static void add_kernels(struct image *image) {
  for (size_t i = 0; i < KERNELS; i++) {
    unsigned first = image->header.param_count;
    for (unsigned p = 0; p < kernels[i].count; p++)
      image->params[image->header.param_count++] = kernels[i].params[p];
    image->kernels[i] = (struct cs_image_kernel){.name = add_string(image, kernels[i].name),
                                                 .first_param = first,
                                                 .param_count = kernels[i].count,
                                                 .param_bytes = kernels[i].bytes,
                                                 .static_shared = kernels[i].flags & CS_KERNEL_PHASES ? 8 : 0,
                                                 .local_bytes = kernels[i].flags & CS_KERNEL_PHASES ? 8 : 0,
                                                 .max_threads = kernels[i].max_threads,
                                                 .flags = kernels[i].flags};
  }
}

void *test_image(void) {
  FILE *file = fopen(TEST_SPIRV, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  size_t bytes = (size_t)ftell(file);
  rewind(file);
  struct image *image = calloc(1, sizeof *image + bytes);
  assert_non_null(image);
  assert_int_equal(fread(image->spirv, 1, bytes, file), bytes);
  fclose(file);
  image->header = (struct cs_image){.magic = CS_IMAGE_MAGIC,
                                    .version = CS_IMAGE_VERSION,
                                    .total_bytes = sizeof *image + bytes,
                                    .spirv_offset = offsetof(struct image, spirv),
                                    .spirv_bytes = bytes,
                                    .kernel_count = KERNELS,
                                    .kernel_offset = offsetof(struct image, kernels),
                                    .param_offset = offsetof(struct image, params),
                                    .global_count = 2,
                                    .address_count = 2,
                                    .global_offset = offsetof(struct image, globals),
                                    .string_bytes = 1,
                                    .string_offset = offsetof(struct image, strings)};
  add_kernels(image);
  image->globals[0] = (struct cs_image_global){add_string(image, "counter"), 0, 4};
  image->globals[1] = (struct cs_image_global){add_string(image, "table"), 0, 64};
  return image;
}

static CUmodule module;

int test_start(void **state) {
  (void)state;
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  return 0;
}

int test_end(void **state) {
  (void)state;
  module = NULL;
  OK(cuDevicePrimaryCtxRelease(0));
  return 0;
}

CUfunction test_kernel(const char *name) {
  CUfunction function;
  if (!module) {
    void *image = test_image();
    OK(cuModuleLoadData(&module, image));
    free(image);
  }
  OK(cuModuleGetFunction(&function, module, name));
  return function;
}
