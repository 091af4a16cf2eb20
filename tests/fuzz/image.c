/* image.c: a device image in a file. What a valid one leads to is read, as loading it and launching its kernels
 * would. */
#include "cpu/cuda/code/image.h"
#include "tests/fuzz/fuzz.h"

static volatile size_t used; /* keeps the reads */

static void read_bytes(const struct cs_image *image, uint64_t offset, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++)
    used += ((const unsigned char *)image)[offset + i];
}

static void read_kernel(const struct cs_image *image, const struct cs_image_kernel *kernel) {
  used += strlen(cs_cpu_image_string(image, kernel->name));
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const struct cs_image_param *param = &cs_cpu_image_params(image)[kernel->first_param + i];
    if (param->offset + param->size > kernel->param_bytes)
      abort();
  }
  read_bytes(image, kernel->spirv_offset, kernel->spirv_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct cs_image *image;
  void *file;
  setenv("CUSAFE_CPU_DEBUG", "1", 1); /* reads the image for debuggers as well */
  if (cs_cpu_image_read(fuzz_file(data, size), &file) != CUDA_SUCCESS)
    return 0;
  if (cs_cpu_image_open(file, &image) == CUDA_SUCCESS) {
    read_bytes(image, 0, image->total_bytes);
    read_bytes(image, image->spirv_offset, image->spirv_bytes);
    for (uint32_t i = 0; i < image->kernel_count && i < 64; i++)
      read_kernel(image, &cs_cpu_image_kernels(image)[i]);
    for (uint32_t i = 0; i < image->global_count; i++)
      used += strlen(cs_cpu_image_string(image, cs_cpu_image_globals(image)[i].name));
  }
  free(file);
  return 0;
}
