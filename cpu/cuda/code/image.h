/* image.h: reads device images (cusafe/image.h). */
#ifndef CUSAFE_CPU_IMAGE_H
#define CUSAFE_CPU_IMAGE_H

#include "cusafe/image.h"
#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the data begins with the bytes of this number. */
int cs_cpu_starts_with(const void *data, uint64_t magic, size_t bytes);
/* Checks an image and finds its header. CUDA_ERROR_NO_BINARY_FOR_GPU, after it has printed one sentence, when it is not
 * CuSafe's. */
CUresult cs_cpu_image_open(const void *data, const struct cs_image **image);
const struct cs_image_kernel *cs_cpu_image_kernels(const struct cs_image *image);
const struct cs_image_param *cs_cpu_image_params(const struct cs_image *image);
const struct cs_image_global *cs_cpu_image_globals(const struct cs_image *image);
const char *cs_cpu_image_string(const struct cs_image *image, uint32_t offset);
/* The offset of a kernel's parameter among its arguments, and its size, which may be NULL. */
CUresult cs_cpu_image_param(const struct cs_image *image, const struct cs_image_kernel *kernel, size_t index,
                            size_t *offset, size_t *size);
/* The whole file, to be freed by the caller. */
CUresult cs_cpu_image_read(const char *path, void **data);
CUresult cs_cpu_image_read_sized(const char *path, void **data, size_t *bytes);

#endif
